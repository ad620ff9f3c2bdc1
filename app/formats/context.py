"""The messages that entries add to the context (formats/README.md, "Context", "Context of oh-my-pi")."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_ANSWERABLE = ("user", "assistant", "toolResult")
_EDITABLE = (*_ANSWERABLE, "custom")
_BLOCKS_ONLY = ("assistant", "toolResult")
_FAILED = ("error", "aborted")
_INTERRUPTED_NOTE = "interrupted-thinking"
"""The custom type of the note that oh-my-pi puts after an aborted answer to keep the answer's thinking."""
_CONTENT_FIELDS = {
    "text": ("text",),
    "thinking": ("thinking", "thinkingSignature"),
    "redactedThinking": ("data",),
    "fallback": (),
}
"""Type of block -> its fields with content. Blocks of other types always count as content."""


def messages_of(entry: dict[str, Any], stamp: int | None) -> list[dict[str, Any]]:
    """The messages of an entry in pi's spelling; none if the entry adds none.

    A message is the same dict as in the entry, but one without content gets an empty content.

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
        custom = {
            "role": "custom",
            "customType": entry.get("customType"),
            "content": [] if content is None else content,
            "display": entry.get("display"),
        }
        if "details" in entry:
            custom["details"] = entry["details"]
        if "attribution" in entry:
            custom["attribution"] = entry["attribution"]
        return [{**custom, "timestamp": stamp}]
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
    """The messages of a compaction, which replace everything before it."""
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


def context_edits(entries: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """The last context edit for each entry, by the entry's id: what replaces its content, or None if the
    entry is removed from the context.

    :param entries: the `context_edit` entries, in the order of the path.
    """
    return {
        entry["targetId"]: entry.get("replacement")
        for entry in entries
        if isinstance(entry.get("targetId"), str)
    }


def edited(messages: list[dict[str, Any]], replacement: Any) -> list[dict[str, Any]]:
    """The messages of an entry that a context_edit changed; none if `replacement` is None
    (formats/README.md, "Context").
    """
    if not isinstance(replacement, dict):
        return []
    result = []
    for message in messages:
        role = message.get("role")
        content = replacement.get("content")
        if role in _BLOCKS_ONLY and isinstance(content, str):
            content = [{"type": "text", "text": content}]
        result.append({**message, "content": content} if role in _EDITABLE else message)
    return result


def system_of(messages: Iterable[dict[str, Any]], stamp: int) -> dict[str, Any] | None:
    """All system messages of a context merged into one; None if there are none.

    pi keeps it in a compaction, so that the compaction does not remove them. The texts are joined. A later
    section replaces or removes the one with its name, and tools are added and removed by name.

    :param stamp: the message's time in milliseconds.
    """
    system_messages = [message for message in messages if message.get("role") == "system"]
    if not system_messages:
        return None
    sections: dict[str, Any] = {}
    tools: dict[Any, Any] = {}
    for message in system_messages:
        sections.update(message.get("sections") or {})
        for tool in message.get("toolsRemoved") or ():
            tools.pop(tool.get("name"), None)
        for tool in message.get("toolsAdded") or ():
            tools[tool.get("name")] = tool
    sections = {name: section for name, section in sections.items() if section is not None}
    texts = [_text(message.get("content")) for message in system_messages]
    merged: dict[str, Any] = {"role": "system", "content": "\n\n".join(text for text in texts if text)}
    if sections:
        merged["sections"] = sections
    if tools:
        merged["toolsAdded"] = list(tools.values())
    return {**merged, "timestamp": stamp}


def without_unanswered_calls(messages: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The messages without the tool calls that have no result among them, as oh-my-pi removes them.

    An answer that loses a call also loses its encrypted thinking and the signatures of its other thinking,
    because a provider refuses both in a changed answer. An answer with nothing left is dropped. A result
    whose call is missing stays.
    """
    answered = {
        _call_id(message, "toolCallId") for message in messages if message.get("role") == "toolResult"
    }
    kept = []
    for message in messages:
        if any(_call_id(call, "id") not in answered for call in _calls(message)):
            content = [
                _unsigned(block)
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
    """The messages without failed and aborted answers and the later results of their calls, as oh-my-pi
    removes them. An answer stays if the note about its interrupted thinking follows it.
    """
    # From the end, because what follows an answer decides: the note, and the results of its calls.
    kept: list[dict[str, Any] | None] = []
    results: dict[str | None, list[int]] = {}
    for message in reversed(messages):
        if message.get("role") == "assistant" and message.get("stopReason") in _FAILED:
            while kept and kept[-1] is None:
                kept.pop()
            following = kept[-1] if kept else None
            if following is None or not _is_interrupted_note(following):
                for call in _calls(message):
                    for index in results.pop(_call_id(call, "id"), ()):
                        kept[index] = None
                continue
        elif message.get("role") == "toolResult":
            results.setdefault(_call_id(message, "toolCallId"), []).append(len(kept))
        kept.append(message)
    return [message for message in reversed(kept) if message is not None]


def is_empty_failure(message: dict[str, Any]) -> bool:
    """Whether a message is a failed answer without text, thinking, calls and blocks of unknown types."""
    if message.get("role") != "assistant" or message.get("stopReason") != "error":
        return False
    return not any(map(_has_content, _blocks(message)))


def _has_content(block: dict[str, Any]) -> bool:
    kind = block.get("type")
    fields = _CONTENT_FIELDS.get(kind) if isinstance(kind, str) else None
    return fields is None or any(str(block.get(field) or "").strip() for field in fields)


def _is_interrupted_note(message: dict[str, Any]) -> bool:
    return message.get("role") == "custom" and message.get("customType") == _INTERRUPTED_NOTE


def _unsigned(block: dict[str, Any]) -> dict[str, Any]:
    """A block without the signature of its thinking."""
    if block.get("type") != "thinking" or not block.get("thinkingSignature"):
        return block
    return {key: value for key, value in block.items() if key != "thinkingSignature"}


def _blocks(message: dict[str, Any]) -> list[dict[str, Any]]:
    content = message.get("content")
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []


def _calls(message: dict[str, Any]) -> list[dict[str, Any]]:
    """The tool calls of an answer; none for other messages."""
    if message.get("role") != "assistant":
        return []
    return [block for block in _blocks(message) if block.get("type") == "toolCall"]


def _call_id(fields: dict[str, Any], key: str) -> str | None:
    """The id of a call; None if it is missing or no text, because other values may not be hashable."""
    value = fields.get(key)
    return value if isinstance(value, str) else None


def _text(content: Any) -> str:
    """A content that is a text, or the text of its text blocks."""
    if isinstance(content, list):
        blocks = [block for block in content if isinstance(block, dict) and block.get("type") == "text"]
        return "\n".join(str(block.get("text", "")) for block in blocks)
    return content if isinstance(content, str) else ""
