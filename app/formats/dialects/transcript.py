"""indus/transcript@1: nodes with `prev`, and head lines that name the leaf outright (FORMATS 1.3).

A node's message has pi's shape. A node of role condense is a summary, one of role note is what has no turn.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from app.formats.decode import BadLine, decode
from app.formats.dialects.base import Dialect, Mark
from app.formats.skim import REFUSALS, CamelMessage, CamelSkim, Skim, Stamp, clean, skim_dict

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_ROLES = {"tool": "toolResult"}


class _Node(Struct, gc=False):
    """A line with a message in pi's shape, as nearly all have."""

    kind: str
    id: str
    role: str
    message: CamelMessage
    prev: str | None = None
    at: Stamp = None


_decode_node: Callable[[bytes], _Node] = msgspec.json.Decoder(_Node).decode


class Transcript(Dialect):
    """The newer indusagi and its ports."""

    name = "transcript"
    migrates = False
    writing = None
    naming = b""
    one_entry_a_line = False

    def skims(self, line: bytes) -> Sequence[Skim]:
        """The node, or the leaf that a head names."""
        try:
            node = _decode_node(line)
        except REFUSALS:
            node = None
        if node and node.kind == "entry" and node.role != "condense" and node.message.role is not None:
            return (
                CamelSkim(
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
            return (Mark(type="leaf", target_id=clean(leaf) if isinstance(leaf, str) else None),)
        return (skim_dict(_node(value)),)

    def renamed(self, before: str | None, name: str | None) -> str | None:
        """Sessions have no names."""
        return None

    def entry(self, line: bytes, part: int = 0) -> dict[str, Any]:
        """The node as pi would spell it."""
        for entry in self.entries(line):
            return entry
        raise BadLine("a head line is no entry")

    def entries(self, line: bytes) -> list[dict[str, Any]]:
        """The node; none where the line is a head."""
        value = decode(line)
        return [] if value.get("kind") == "head" else [_node(value)]


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
        summary = message if isinstance(message, dict) else {}
        branch = summary.get("role") == "branchSummary"
        entry["type"] = "branch_summary" if branch else "compaction"
        entry["summary"] = summary.get("summary", message if isinstance(message, str) else "")
        for key in ("tokensBefore", "fromId"):
            if key in summary:
                entry[key] = summary[key]
        return entry
    if isinstance(message, str):
        message = {"role": _ROLES.get(role, role), "content": message}
    elif isinstance(message, dict) and not isinstance(message.get("role"), str):
        message = {**message, "role": _ROLES.get(role, role)}
    entry["message"] = message
    if "meta" in value:
        entry["meta"] = value["meta"]
    return entry
