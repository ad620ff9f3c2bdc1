"""indus/transcript@1: nodes with `prev`, and head lines that name the leaf (formats/README.md, "indusagi").

The message of a node has pi's shape. A node of role condense is a summary, and one of role note belongs to no
turn. The text of a summary is the message's `summary`, else its content.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from app.formats.dialects.base import Dialect, MetadataRecord
from app.formats.json_codec import DECODE_ERRORS, BadLine, decode
from app.formats.partial_entry import CamelEntry, CamelMessage, PartialEntry, Timestamp, partial_entry_of
from app.formats.text import replace_surrogates

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_ROLES = {"tool": "toolResult"}


class _Node(Struct, gc=False):
    """A line with a message in pi's shape, as nearly all lines have."""

    kind: str
    id: str
    role: str
    message: CamelMessage
    prev: str | None = None
    at: Timestamp = None


_decode_node: Callable[[bytes], _Node] = msgspec.json.Decoder(_Node).decode


class Transcript(Dialect):
    """The newer indusagi and its ports."""

    name = "transcript"
    migrates = False
    writing = None
    name_marker = b""
    one_entry_a_line = False

    def partial_entries(self, line: bytes, wrong: list[str] | None = None) -> Sequence[PartialEntry]:
        """The node, or the leaf that a head names."""
        try:
            node = _decode_node(line)
        except DECODE_ERRORS:
            node = None
        if node and node.kind == "entry" and node.role != "condense" and node.message.role is not None:
            return (
                CamelEntry(
                    type="message",
                    id=node.id,
                    parent_id=node.prev,
                    timestamp=node.at,
                    message=node.message,
                ),
            )
        value = decode(line)
        if value.get("kind") == "head":
            leaf = value.get("leaf")
            return (
                MetadataRecord(
                    type="leaf", target_id=replace_surrogates(leaf) if isinstance(leaf, str) else None
                ),
            )
        return (partial_entry_of(_node(value), wrong),)

    def name_after(self, before: str | None, name: str | None) -> str | None:
        """Sessions have no names."""
        return None

    def entries(self, line: bytes) -> list[dict[str, Any]]:
        """The node; none if the line is a head."""
        value = decode(line)
        if value.get("kind") == "head":
            return []
        entry = _node(value)
        hidden: dict[str, Any] = {}
        for key in [key for key in value if key not in _OF_NODES]:
            (hidden if key in entry else entry)[key] = value[key]
        if hidden:
            entry["node"] = hidden
        return [entry]


# Fields of a node that the entry has under another name.
_OF_NODES = frozenset(("schema", "kind", "id", "prev", "role", "message", "at"))
_OF_SUMMARIES = frozenset(("role", "summary", "content", "timestamp"))


def _node(value: dict[str, Any]) -> dict[str, Any]:
    role = value.get("role")
    if value.get("kind") != "entry" or not isinstance(role, str):
        raise BadLine("neither a head nor an entry of a transcript")
    message = value.get("message")
    entry: dict[str, Any] = {
        "type": "message",
        "id": value.get("id"),
        "parentId": value.get("prev"),
        "timestamp": value.get("at"),
    }
    if role == "condense":
        entry |= _summary(message, entry)
    else:
        if isinstance(message, str):
            message = {"role": _ROLES.get(role, role), "content": message}
        elif isinstance(message, dict) and not isinstance(message.get("role"), str):
            message = {**message, "role": _ROLES.get(role, role)}
        entry["message"] = message
    return entry


def _summary(message: Any, entry: dict[str, Any]) -> dict[str, Any]:
    """The summary of a node of role condense, in the fields of pi's compactions.

    :param entry: its other fields; the fields of the message do not replace them.
    """
    if not isinstance(message, dict):
        # A text, or blocks.
        message = {"content": message}
    branch = message.get("role") == "branchSummary"
    summary = {key: field for key, field in message.items() if key not in _OF_SUMMARIES and key not in entry}
    summary["type"] = "branch_summary" if branch else "compaction"
    rest = message.get("content")
    summary["summary"] = message.get("summary")
    if not summary["summary"]:
        summary["summary"], rest = _split_texts(rest)
    if rest:
        summary["content"] = rest
    return summary


def _split_texts(content: Any) -> tuple[str, Any]:
    """The texts of a content, joined with newlines, and the rest of it."""
    if isinstance(content, str):
        return content, None
    if not isinstance(content, list):
        return "", content
    texts: list[str] = []
    rest: list[Any] = []
    for block in content:
        if isinstance(block, dict) and block.get("type") == "text" and isinstance(block.get("text"), str):
            texts.append(block["text"])
            if len(block) > 2:
                rest.append({key: field for key, field in block.items() if key != "text"})
        else:
            rest.append(block)
    return "\n".join(filter(None, texts)), rest
