"""The one place that decides what a value of a wrong type means, in an entry of any agent
(formats/README.md, "Odd values").

`partial_entry` decides it for rows, in the same way: such a field is absent. Fields that are compared with
known words come through here, because any JSON value may stand in them. Every other field is read by
`text.string_of`, `amounts` and `timestamps`, which accept any value.
"""

from __future__ import annotations

from typing import Any

_WORDS = frozenset(("type", "id", "parentId", "targetId", "customType", "firstKeptEntryId", "fromId"))
_MESSAGE_WORDS = frozenset(
    ("role", "stopReason", "toolCallId", "toolName", "customType", "provider", "model")
)
_BLOCK_WORDS = frozenset(("type", "id", "name", "mimeType"))


def without_odd_words(entry: dict[str, Any]) -> dict[str, Any]:
    """An entry in pi's spelling without the words in it that are no texts, such as a `role` that is a list.
    Words are the types of entries and blocks, roles, ids and names of tools. A message that is no object is
    absent.

    :return: `entry` itself if it has none; it is never changed.
    """
    result = _texts_only(entry, _WORDS)
    message = result.get("message")
    if isinstance(message, dict):
        checked = _texts_only(message, _MESSAGE_WORDS)
        if (content := _checked_content(checked.get("content"))) is not checked.get("content"):
            checked = {**checked, "content": content}
        if checked is not message:
            result = {**result, "message": checked}
    elif message is not None:
        result = {key: value for key, value in result.items() if key != "message"}
    if (content := _checked_content(result.get("content"))) is not result.get("content"):
        result = {**result, "content": content}
    return result


def _texts_only(fields: dict[str, Any], words: frozenset[str]) -> dict[str, Any]:
    for word in words & fields.keys():
        if not isinstance(fields[word], str) and fields[word] is not None:
            odd = {key for key in words & fields.keys() if not isinstance(fields[key], str)}
            return {key: value for key, value in fields.items() if key not in odd}
    return fields


def _checked_content(content: Any) -> Any:
    if not isinstance(content, list):
        return content
    blocks = [_texts_only(block, _BLOCK_WORDS) if isinstance(block, dict) else block for block in content]
    is_same = all(one is other for one, other in zip(blocks, content, strict=True))
    return content if is_same else blocks
