"""The whole of an entry part by part, in the order it was written."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from app.formats.images import EmbeddedImage, describe_image, image_of
from app.formats.model_names import with_provider
from app.formats.text import string_of
from app.formats.timestamps import iso, parse_time

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


class Part(NamedTuple):
    """A piece of an entry.

    :param kind: "text", "thinking", "tool_call", "tool_result", "diff", "image", "error", "raw" (a value of
        unknown meaning), "details" (the other fields of an entry) or "meta".
    :param title: a short heading, "" for none. `text` is the whole text. Neither is inert yet: the view makes
        them inert window by window.
    :param fields: the names and values of an object, with their layout.
    :param image: the image of an image block, which can be drawn below the text.
    :param value: the arguments of a tool call; None for none.
    """

    kind: str
    title: str
    text: str
    fields: Sequence[Field] = ()
    image: EmbeddedImage | None = None
    value: Any = None


def entry_parts(raw: dict[str, Any]) -> list[Part]:
    """The parts of an entry as `read_entry` gives it, in the order it was written; details and meta last.

    Never raises, whatever the entry holds.
    """
    message = raw.get("message")
    if raw.get("type") == "message" and isinstance(message, dict):
        return [*_message(message), *_details(raw, message), _message_meta(raw, message)]
    return [*_entry(raw), _entry_meta(raw)]


def content_parts(raw: dict[str, Any]) -> list[Part]:
    """The same without details and meta."""
    message = raw.get("message")
    if raw.get("type") == "message" and isinstance(message, dict):
        return list(_message(message))
    return list(_entry(raw))


def _fields_part(kind: str, title: str, value: Any) -> Part:
    found = layout_fields(value)
    return Part(kind, title, fields_text(found), found)


def _message(message: dict[str, Any]) -> Iterator[Part]:
    role = message.get("role")
    if role == "bashExecution":
        command = string_of(message.get("command"))
        yield Part("tool_call", "bash", command, value={"command": command})
        yield Part("tool_result", _exit(message), string_of(message.get("output")))
    elif role == "pythonExecution":
        code = string_of(message.get("code"))
        yield Part("tool_call", "python", code, value={"code": code})
        yield Part("tool_result", _exit(message), string_of(message.get("output")))
    elif role in ("branchSummary", "compactionSummary"):
        yield Part("text", "summary", string_of(message.get("summary")))
    elif role == "toolResult":
        title = string_of(message.get("toolName")) or "tool"
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
        yield _image_part(image)
    if message.get("errorMessage"):
        yield Part(
            "error", string_of(message.get("stopReason")) or "error", string_of(message["errorMessage"])
        )


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
        yield _fields_part("raw", "content", content)


def _block(block: Any) -> Part:
    kind = block.get("type") if isinstance(block, dict) else None
    match kind:
        case "text":
            return Part("text", "", string_of(block.get("text")))
        case "thinking":
            text = string_of(block.get("thinking"))
            return Part("thinking", "thinking", text or ("(redacted)" if block.get("redacted") else ""))
        case "redactedThinking":
            return Part("thinking", "thinking", "(redacted)")
        case "toolCall":
            return _call_part(block)
        case "image":
            return _image_part(image_of(block))
    return _fields_part("raw", kind if isinstance(kind, str) else "block", block)


def _image_part(image: EmbeddedImage) -> Part:
    return Part("image", "image", describe_image(image), image=image)


def _images_beside(holder: Any) -> list[EmbeddedImage]:
    """The images that omp keeps beside the content of a message, of commands and of code that was run."""
    found = holder.get("images") if isinstance(holder, dict) else None
    if not isinstance(found, list):
        return []
    images = [image_of(each) for each in found if isinstance(each, dict)]
    return images if len(images) == len(found) and all(image.data is not None for image in images) else []


def _call_part(block: dict[str, Any]) -> Part:
    name, arguments = string_of(block.get("name")) or "tool", block.get("arguments")
    if arguments is None or arguments == {}:
        return Part("tool_call", name, "")
    return _fields_part("tool_call", name, arguments)._replace(value=arguments)


def _entry(raw: dict[str, Any]) -> Iterator[Part]:
    match raw.get("type"):
        case "custom_message":
            yield from _content(raw.get("content"))
        case "compaction" | "branch_summary":
            yield Part("text", "summary", string_of(raw.get("summary")))
            # A summary of a transcript may have other content than text; a text block has only its other
            # fields left.
            yield from (part for part in _content(raw.get("content")) if part.kind != "text" or part.text)
        case "branch":
            yield Part("text", "branched from", string_of(raw.get("parentSessionPath")))
            if raw.get("branchSummary"):
                yield Part("text", "summary", string_of(raw["branchSummary"]))
        case "session_info":
            yield Part("text", "name", string_of(raw.get("name")))
        case "title_change":
            yield Part("text", "name", string_of(raw.get("title")))
        case "label":
            yield Part("text", "label", string_of(raw.get("label")) or "(cleared)")
    rest = {key: value for key, value in raw.items() if key not in _SHOWN_ENTRY_FIELDS}
    if rest:
        yield _fields_part("raw", string_of(raw.get("type")), rest)


_SHOWN_ENTRY_FIELDS = frozenset(
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
_SHOWN_MESSAGE_FIELDS = frozenset(
    (
        "role",
        "content",
        "timestamp",
        "usage",
        "provider",
        "model",
        "api",
        "thinkingLevel",
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
    """The other fields of a message."""
    rest: dict[str, Any] = {key: value for key, value in message.items() if key not in _SHOWN_MESSAGE_FIELDS}
    if _images_beside(message):
        del rest["images"]
    rest |= {key: value for key, value in raw.items() if key not in _SHOWN_ENTRY_FIELDS and key not in rest}
    details = message.get("details")
    if isinstance(details, dict):
        told_above = {"images"} if _images_beside(details) else set()
        if isinstance(details.get("diff"), str):
            told_above.add("diff")
        rest |= {key: value for key, value in details.items() if key not in told_above}
    elif details is not None:
        rest["details"] = details
    if rest:
        yield _fields_part("details", "details", rest)


def _message_meta(raw: dict[str, Any], message: dict[str, Any]) -> Part:
    facts = [("role", string_of(message.get("role")))]
    provider, model = string_of(message.get("provider")), string_of(message.get("model"))
    facts.append(("model", with_provider(provider, model)))
    facts.append(("thinking", string_of(message.get("thinkingLevel"))))
    facts.append(("stopped", string_of(message.get("stopReason"))))
    facts.append(("time", _time(message.get("timestamp")) or _time(raw.get("timestamp"))))
    return _meta(facts, message.get("usage"), raw)


def _entry_meta(raw: dict[str, Any]) -> Part:
    facts = [("type", string_of(raw.get("type"))), ("time", _time(raw.get("timestamp")))]
    return _meta(facts, raw.get("usage"), raw)


def _meta(facts: list[tuple[str, str]], usage: Any, raw: dict[str, Any]) -> Part:
    facts.extend(_usage(usage))
    facts += [("id", string_of(raw.get("id"))), ("parent", string_of(raw.get("parentId")))]
    shown = [(name, value) for name, value in facts if value]
    text = "\n".join(f"{name}: {value}" for name, value in shown)
    return Part("meta", "", text, [Field(0, False, name, value) for name, value in shown])


_TOKEN_FIELDS = (
    ("input", "input"),
    ("output", "output"),
    ("cacheRead", "cache read"),
    ("cacheWrite", "cache write"),
)


def _usage(usage: Any) -> Iterator[tuple[str, str]]:
    if not isinstance(usage, dict):
        return
    counts = []
    for key, name in _TOKEN_FIELDS:
        count = usage.get(key)
        if isinstance(count, int | float) and not isinstance(count, bool) and count:
            counts.append(f"{count:,} {name}")
    yield "tokens", ", ".join(counts)
    cost = usage.get("cost")
    total = cost.get("total") if isinstance(cost, dict) else cost
    if isinstance(total, int | float) and not isinstance(total, bool) and total:
        yield "cost", f"${total:.4f}{_cost_breakdown(cost)}"


def _cost_breakdown(cost: Any) -> str:
    """The parts of a cost, if the entry gives them."""
    if not isinstance(cost, dict):
        return ""
    parts = [
        f"${cost[key]:.4f} {name}"
        for key, name in _TOKEN_FIELDS
        if isinstance(cost.get(key), int | float) and not isinstance(cost[key], bool) and cost[key]
    ]
    return f" ({', '.join(parts)})" if parts else ""


def _time(value: Any) -> str:
    ms = parse_time(value)
    return "" if ms is None else iso(ms)


INLINE_LIMIT = 60
"""A list that is no longer than this as JSON, and holds nothing but short values, stays JSON."""
MAX_DEPTH = 12
"""Below so many levels everything is JSON: there is no room to indent it."""
INDENT = 2


class Field(NamedTuple):
    """A name and a value.

    :param column: where the name, or a value without one, begins.
    :param dash: whether an item of a list begins here, with a dash two columns before.
    :param name: "" for what has none.
    :param text: the value. Neither is inert yet. "" where the fields that follow are the value.
    """

    column: int
    dash: bool
    name: str
    text: str

    @property
    def lead(self) -> str:
        """The text before the value."""
        name = f"{self.name}:" if self.name else ""
        return " " * (self.column - INDENT) + "- " + name if self.dash else " " * self.column + name

    @property
    def margin(self) -> str:
        """The text before each line of a value of several lines."""
        return " " * (self.column + (INDENT if self.name else 0))

    @property
    def is_below(self) -> bool:
        """Whether the value stands below its name."""
        return "\n" in self.text


def layout_fields(value: Any) -> list[Field]:
    """The fields of an object or the items of a list; one field without a name for any other value."""
    found: list[Field] = []
    # the fields that are still to be laid out, the next one last: (column, dash, name, value)
    waiting: list[tuple[int, bool, str, Any]] = []
    if isinstance(value, dict | list) and value:
        _push_children(value, 0, False, waiting)
    else:
        waiting.append((0, False, "", value))
    while waiting:
        column, dash, name, value = waiting.pop()
        if isinstance(value, str):
            found.append(Field(column, dash, name, value))
        elif not isinstance(value, dict | list) or column >= MAX_DEPTH * INDENT or _is_short(value):
            found.append(Field(column, dash, name, json.dumps(value, ensure_ascii=False)))
        elif not name and isinstance(value, dict):
            # the dash stands before the first field of an object
            _push_children(value, column, dash, waiting)
        else:
            found.append(Field(column, dash, name, ""))
            _push_children(value, column + INDENT if name else column, False, waiting)
    return found


def fields_text(found: list[Field]) -> str:
    """Fields as lines of text."""
    lines = []
    for field in found:
        if not field.is_below:
            lines.append(f"{field.lead} {field.text}".rstrip(" ") if field.name else field.lead + field.text)
            continue
        if field.name:
            lines.append(field.lead)
        body = field.text.replace("\n", "\n" + field.margin)
        lines.append((field.margin if field.name else field.lead) + body)
    return "\n".join(lines)


def _push_children(
    value: dict[str, Any] | list[Any], column: int, dash: bool, waiting: list[tuple[int, bool, str, Any]]
) -> None:
    if isinstance(value, list):
        waiting.extend((column + INDENT, True, "", each) for each in reversed(value))
        return
    found = [(column, False, name, each) for name, each in value.items()]
    found[0] = (column, dash, *found[0][2:])
    waiting.extend(reversed(found))


def _is_short(value: dict[str, Any] | list[Any]) -> bool:
    if not value:
        return True
    if isinstance(value, dict) or len(value) > INLINE_LIMIT:
        return False
    if any(isinstance(each, dict | list) or (isinstance(each, str) and "\n" in each) for each in value):
        return False
    if sum(len(each) for each in value if isinstance(each, str)) > INLINE_LIMIT:
        return False
    return len(json.dumps(value, ensure_ascii=False)) <= INLINE_LIMIT
