"""The whole of an entry for the entry pane, part by part, in the order it was written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from app.formats.image_block import Image, image_of, told
from app.formats.laid_out import Field, as_text, fields
from app.formats.stamps import iso, parse_time

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


class Part(NamedTuple):
    """A piece of an entry.

    :param kind: "text", "thinking", "tool_call", "tool_result", "diff", "image", "error", "raw" (what has no
        reading of its own), "details" (what else an entry holds) or "meta".
    :param title: a short heading, "" for none. `text` is the whole text; neither is inert yet: whoever draws
        them makes them inert window by window.
    :param fields: the same laid out, of what is names and values.
    :param image: what can be drawn below the text, of an image.
    """

    kind: str
    title: str
    text: str
    fields: Sequence[Field] = ()
    image: Image | None = None


def parts(raw: dict[str, Any]) -> list[Part]:
    """The parts of an entry as `read_entry` gives it, in the order it was written; details and meta last.

    Never raises, whatever the entry holds.
    """
    message = raw.get("message")
    if raw.get("type") == "message" and isinstance(message, dict):
        return [*_message(message), *_details(raw, message), _message_meta(raw, message)]
    return [*_entry(raw), _entry_meta(raw)]


def _laid_out(kind: str, title: str, value: Any) -> Part:
    found = fields(value)
    return Part(kind, title, as_text(found), found)


def _message(message: dict[str, Any]) -> Iterator[Part]:
    role = message.get("role")
    if role == "bashExecution":
        yield Part("tool_call", "bash", _string(message.get("command")))
        yield Part("tool_result", _exit(message), _string(message.get("output")))
    elif role == "pythonExecution":
        yield Part("tool_call", "python", _string(message.get("code")))
        yield Part("tool_result", _exit(message), _string(message.get("output")))
    elif role in ("branchSummary", "compactionSummary"):
        yield Part("text", "summary", _string(message.get("summary")))
    elif role == "toolResult":
        title = _string(message.get("toolName")) or "tool"
        failed = message.get("isError") is True
        for part in _content(message.get("content")):
            if part.kind == "text":
                part = Part("error" if failed else "tool_result", title, part.text)
            yield part
        details = message.get("details")
        if isinstance(details, dict) and isinstance(details.get("diff"), str) and details["diff"]:
            yield Part("diff", "diff", details["diff"])
    else:
        yield from _content(message.get("content"))
    for image in (*_images_beside(message), *_images_beside(message.get("details"))):
        yield _shown(image)
    if message.get("errorMessage"):
        yield Part("error", _string(message.get("stopReason")) or "error", _string(message["errorMessage"]))


def _exit(message: dict[str, Any]) -> str:
    if message.get("cancelled") is True:
        return "cancelled"
    code = message.get("exitCode")
    return "output" if code is None or code == 0 else f"exit code {code}"


def _content(content: Any) -> Iterator[Part]:
    if isinstance(content, str):
        yield Part("text", "", content)
    elif isinstance(content, list):
        for block in content:
            yield _block(block)
    elif content is not None:
        yield _laid_out("raw", "content", content)


def _block(block: Any) -> Part:
    kind = block.get("type") if isinstance(block, dict) else None
    match kind:
        case "text":
            return Part("text", "", _string(block.get("text")))
        case "thinking":
            text = _string(block.get("thinking"))
            return Part("thinking", "thinking", text or ("(redacted)" if block.get("redacted") else ""))
        case "redactedThinking":
            return Part("thinking", "thinking", "(redacted)")
        case "toolCall":
            return _call(block)
        case "image":
            return _shown(image_of(block))
    return _laid_out("raw", kind if isinstance(kind, str) else "block", block)


def _shown(image: Image) -> Part:
    return Part("image", "image", told(image), image=image)


def _images_beside(holder: Any) -> list[Image]:
    """The images that omp keeps beside the content of a message, of commands and of code that was run."""
    found = holder.get("images") if isinstance(holder, dict) else None
    if not isinstance(found, list):
        return []
    images = [image_of(each) for each in found if isinstance(each, dict)]
    return images if len(images) == len(found) and all(image.data is not None for image in images) else []


def _call(block: dict[str, Any]) -> Part:
    name, arguments = _string(block.get("name")) or "tool", block.get("arguments")
    if arguments is None or arguments == {}:
        return Part("tool_call", name, "")
    return _laid_out("tool_call", name, arguments)


def _entry(raw: dict[str, Any]) -> Iterator[Part]:
    match raw.get("type"):
        case "custom_message":
            yield from _content(raw.get("content"))
        case "compaction" | "branch_summary":
            yield Part("text", "summary", _string(raw.get("summary")))
            # What a summary of a transcript holds besides its texts, of which the fields alone are left.
            yield from (part for part in _content(raw.get("content")) if part.kind != "text" or part.text)
        case "branch":
            yield Part("text", "branched from", _string(raw.get("parentSessionPath")))
            if raw.get("branchSummary"):
                yield Part("text", "summary", _string(raw["branchSummary"]))
        case "session_info":
            yield Part("text", "name", _string(raw.get("name")))
        case "title_change":
            yield Part("text", "name", _string(raw.get("title")))
        case "label":
            yield Part("text", "label", _string(raw.get("label")) or "(cleared)")
    rest = {key: value for key, value in raw.items() if key not in _TOLD}
    if rest:
        yield _laid_out("raw", _string(raw.get("type")), rest)


_TOLD = frozenset(
    (
        "type",
        "id",
        "parentId",
        "timestamp",
        "message",
        "usage",
        "content",
        "summary",
        "name",
        "title",
        "label",
        "parentSessionPath",
        "branchSummary",
    )
)


# of a message: what is shown elsewhere, and what only serves the provider
_SAID = frozenset(
    (
        "role",
        "content",
        "timestamp",
        "usage",
        "provider",
        "model",
        "api",
        "stopReason",
        "errorMessage",
        "toolName",
        "toolCallId",
        "isError",
        "details",
        "command",
        "code",
        "output",
        "exitCode",
        "cancelled",
        "summary",
    )
)


def _details(raw: dict[str, Any], message: dict[str, Any]) -> Iterator[Part]:
    """What else a message holds."""
    rest: dict[str, Any] = {key: value for key, value in message.items() if key not in _SAID}
    if _images_beside(message):
        del rest["images"]
    rest |= {key: value for key, value in raw.items() if key not in _TOLD and key not in rest}
    details = message.get("details")
    if isinstance(details, dict):
        told_above = {"images"} if _images_beside(details) else set()
        if isinstance(details.get("diff"), str):
            told_above.add("diff")
        rest |= {key: value for key, value in details.items() if key not in told_above}
    elif details is not None:
        rest["details"] = details
    if rest:
        yield _laid_out("details", "details", rest)


def _message_meta(raw: dict[str, Any], message: dict[str, Any]) -> Part:
    facts = [("role", _string(message.get("role")))]
    provider, model = _string(message.get("provider")), _string(message.get("model"))
    facts.append(("model", f"{provider}/{model}" if provider and model else model))
    facts.append(("stopped", _string(message.get("stopReason"))))
    facts.append(("time", _time(message.get("timestamp")) or _time(raw.get("timestamp"))))
    return _meta(facts, message.get("usage"), raw)


def _entry_meta(raw: dict[str, Any]) -> Part:
    facts = [("type", _string(raw.get("type"))), ("time", _time(raw.get("timestamp")))]
    return _meta(facts, raw.get("usage"), raw)


def _meta(facts: list[tuple[str, str]], usage: Any, raw: dict[str, Any]) -> Part:
    facts.extend(_usage(usage))
    facts.append(("id", _string(raw.get("id"))))
    return Part("meta", "", "\n".join(f"{name}: {value}" for name, value in facts if value))


_USED = (
    ("input", "input"),
    ("output", "output"),
    ("cacheRead", "cache read"),
    ("cacheWrite", "cache write"),
)


def _usage(usage: Any) -> Iterator[tuple[str, str]]:
    if not isinstance(usage, dict):
        return
    told = []
    for key, name in _USED:
        count = usage.get(key)
        if isinstance(count, int | float) and not isinstance(count, bool) and count:
            told.append(f"{count:,} {name}")
    yield "tokens", ", ".join(told)
    cost = usage.get("cost")
    total = cost.get("total") if isinstance(cost, dict) else cost
    if isinstance(total, int | float) and not isinstance(total, bool) and total:
        yield "cost", f"${total:.4f}{_shares(cost)}"


def _shares(cost: Any) -> str:
    """What a cost is made of, where that is told."""
    if not isinstance(cost, dict):
        return ""
    told = [
        f"${cost[key]:.4f} {name}"
        for key, name in _USED
        if isinstance(cost.get(key), int | float) and not isinstance(cost[key], bool) and cost[key]
    ]
    return f" ({', '.join(told)})" if told else ""


def _time(value: Any) -> str:
    ms = parse_time(value)
    return "" if ms is None else iso(ms)


def _string(value: Any) -> str:
    return value if isinstance(value, str) else ""
