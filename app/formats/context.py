"""The messages that entries put into the context (specs 000 to 002 "Context"; pi and oh-my-pi where they are
silent).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_ANSWERABLE = ("user", "assistant", "toolResult")
_EDITABLE = (*_ANSWERABLE, "custom")
_BLOCKS_ONLY = ("assistant", "toolResult")
_FAILED = ("error", "aborted")
_INTERRUPTED_NOTE = "interrupted-thinking"
"""The custom type of the note that oh-my-pi puts behind an aborted answer to keep that answer's thoughts."""


def messages_of(entry: dict[str, Any], stamp: int | None) -> list[dict[str, Any]]:
    """The messages of an entry in pi's spelling; none for what only the program needs.

    A message comes out as the very dict it is on disk, but for one without content, which gets an empty one.

    :param stamp: the entry's time in milliseconds.
    """
    kind = entry.get("type")
    if kind == "message":
        message = entry.get("message")
        if not isinstance(message, dict):
            return []
        if message.get("content") is None:
            if message.get("role") == "system":
                return [{**message, "content": ""}]
            if message.get("role") in _ANSWERABLE:
                return [{**message, "content": []}]
        return [message]
    if kind == "custom_message":
        content = entry.get("content")
        found = {
            "role": "custom",
            "customType": entry.get("customType"),
            "content": [] if content is None else content,
            "display": entry.get("display"),
        }
        if "details" in entry:
            found["details"] = entry["details"]
        if "attribution" in entry:
            found["attribution"] = entry["attribution"]
        return [{**found, "timestamp": stamp}]
    if kind == "branch_summary" and entry.get("summary"):
        return [
            {
                "role": "branchSummary",
                "summary": entry["summary"],
                "fromId": entry.get("fromId"),
                "timestamp": stamp,
            }
        ]
    return []


def compaction_messages(entry: dict[str, Any], stamp: int | None) -> list[dict[str, Any]]:
    """What a compaction puts in the place of everything before it."""
    summary = {
        "role": "compactionSummary",
        "summary": entry.get("summary"),
        "tokensBefore": entry.get("tokensBefore"),
        "timestamp": stamp,
    }
    if "shortSummary" in entry:
        summary["shortSummary"] = entry["shortSummary"]
    system = entry.get("systemMessage")
    return [system, summary] if isinstance(system, dict) else [summary]


def edited(messages: list[dict[str, Any]], replacement: Any) -> list[dict[str, Any]]:
    """The messages of an entry that a context_edit changed: gone when `replacement` is None (FORMATS 1.1)."""
    if not isinstance(replacement, dict):
        return []
    found = []
    for message in messages:
        role = message.get("role")
        content = replacement.get("content")
        if role in _BLOCKS_ONLY and isinstance(content, str):
            content = [{"type": "text", "text": content}]
        found.append({**message, "content": content} if role in _EDITABLE else message)
    return found


def system_of(messages: Iterable[dict[str, Any]], stamp: int) -> dict[str, Any] | None:
    """The one system message that says what all of a context's say together; None where there is none.

    pi keeps it in a compaction, which would else cut off what the model was told first. Texts add up; a later
    section takes the place of one with its name, or takes it away; tools come and go by name.

    :param stamp: the message's time in milliseconds.
    """
    told = [message for message in messages if message.get("role") == "system"]
    if not told:
        return None
    sections: dict[str, Any] = {}
    tools: dict[Any, Any] = {}
    for message in told:
        sections.update(message.get("sections") or {})
        for tool in message.get("toolsRemoved") or ():
            tools.pop(tool.get("name"), None)
        for tool in message.get("toolsAdded") or ():
            tools[tool.get("name")] = tool
    sections = {name: section for name, section in sections.items() if section is not None}
    texts = [_text(message.get("content")) for message in told]
    merged: dict[str, Any] = {"role": "system", "content": "\n\n".join(text for text in texts if text)}
    if sections:
        merged["sections"] = sections
    if tools:
        merged["toolsAdded"] = list(tools.values())
    return {**merged, "timestamp": stamp}


def without_unanswered_calls(messages: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The messages without the tool calls that no result among them answers (oh-my-pi 18.2.3).

    An answer that loses a call also loses its encrypted thoughts and the signatures of its other thoughts,
    because a provider refuses both in a changed answer. An answer with nothing left is dropped. A result
    whose call is missing stays.
    """
    results = [message for message in messages if message.get("role") == "toolResult"]
    answered = {_call_id(result, "toolCallId") for result in results}
    kept = []
    for message in messages:
        if any(_call_id(call, "id") not in answered for call in _calls(message)):
            content = [
                {key: value for key, value in block.items() if key != "thinkingSignature"}
                if block.get("type") == "thinking" and block.get("thinkingSignature")
                else block
                for block in _blocks(message)
                if block.get("type") != "redactedThinking"
                and (block.get("type") != "toolCall" or _call_id(block, "id") in answered)
            ]
            if not content:
                continue
            message = {**message, "content": content}
        kept.append(message)
    return kept


def without_failed_answers(messages: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The messages without failed and aborted answers and the later results of their calls (oh-my-pi 18.2.3).

    An answer stays if the note about its interrupted thoughts follows it.
    """
    # Newest first, so that the message which follows an answer and the results of its calls are known.
    kept: list[dict[str, Any] | None] = []
    results: dict[str | None, list[int]] = {}
    for message in reversed(messages):
        if message.get("role") == "assistant" and message.get("stopReason") in _FAILED:
            while kept and kept[-1] is None:
                kept.pop()
            following = kept[-1] if kept else None
            if not (following and _is_interrupted_note(following)):
                for call in _calls(message):
                    for position in results.pop(_call_id(call, "id"), ()):
                        kept[position] = None
                continue
        elif message.get("role") == "toolResult":
            results.setdefault(_call_id(message, "toolCallId"), []).append(len(kept))
        kept.append(message)
    return [message for message in reversed(kept) if message is not None]


def is_empty_failure(message: dict[str, Any]) -> bool:
    """Whether the message is a failed answer without text, thoughts, calls or blocks of an unknown type."""
    if message.get("role") != "assistant" or message.get("stopReason") != "error":
        return False
    return not any(_says_something(block) for block in _blocks(message))


_SAYING: dict[str, tuple[str, ...]] = {
    "text": ("text",),
    "thinking": ("thinking", "thinkingSignature"),
    "redactedThinking": ("data",),
    "fallback": (),
}
"""The fields, by type of block, of which one has to be filled for the block to count."""


def _says_something(block: dict[str, Any]) -> bool:
    kind = block.get("type")
    fields = _SAYING.get(kind) if isinstance(kind, str) else None
    return fields is None or any(str(block.get(field) or "").strip() for field in fields)


def _is_interrupted_note(message: dict[str, Any]) -> bool:
    return message.get("role") == "custom" and message.get("customType") == _INTERRUPTED_NOTE


def _blocks(message: dict[str, Any]) -> list[dict[str, Any]]:
    content = message.get("content")
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []


def _calls(message: dict[str, Any]) -> list[dict[str, Any]]:
    """The tool calls of an answer; none for any other message."""
    if message.get("role") != "assistant":
        return []
    return [block for block in _blocks(message) if block.get("type") == "toolCall"]


def _call_id(fields: dict[str, Any], key: str) -> str | None:
    """The id of a call; None for one that is missing or is no text, so that any value can be looked up."""
    found = fields.get(key)
    return found if isinstance(found, str) else None


def _text(content: Any) -> str:
    """The text of a content that is text already, or of its text blocks."""
    if isinstance(content, list):
        blocks = [block for block in content if isinstance(block, dict) and block.get("type") == "text"]
        return "\n".join(str(block.get("text", "")) for block in blocks)
    return content if isinstance(content, str) else ""
