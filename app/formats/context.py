"""The messages that an entry adds to the context of the model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

_ANSWERABLE = ("user", "assistant", "toolResult")
_EDITABLE = (*_ANSWERABLE, "custom")
_BLOCKS_ONLY = ("assistant", "toolResult")


def messages_of(entry: dict[str, Any], stamp: int | None) -> list[dict[str, Any]]:
    """The messages of an entry in pi's spelling; none if the entry is not sent to the model.

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


def _text(content: Any) -> str:
    """A content that is a text, or the text of its text blocks."""
    if isinstance(content, list):
        blocks = [block for block in content if isinstance(block, dict) and block.get("type") == "text"]
        return "\n".join(str(block.get("text", "")) for block in blocks)
    return content if isinstance(content, str) else ""
