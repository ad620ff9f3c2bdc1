"""nickcecere/agent: snake_case keys, linear, no names and no labels
(formats/README.md, "nickcecere/agent").
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from app.formats.dialects.base import ForkHeader, SnakeDialect
from app.formats.json_codec import REMOVED, decode, edit_fields, encode

if TYPE_CHECKING:
    from collections.abc import Sequence


def _both_ways(keys: dict[str, str]) -> dict[str, str]:
    """Renames in both directions: a key that pi uses, but this agent does not, gets a name that pi does not
    use.
    """
    return keys | {theirs: ours for ours, theirs in keys.items()}


_ENTRY_KEYS = _both_ways(
    {
        "parent_id": "parentId",
        "first_kept_entry_id": "firstKeptEntryId",
        "tokens_before": "tokensBefore",
        "parent_session_path": "parentSessionPath",
        "fork_entry_id": "forkEntryId",
        "branch_summary": "branchSummary",
    }
)
_MESSAGE_KEYS = _both_ways(
    {
        "stop_reason": "stopReason",
        "tool_call_id": "toolCallId",
        "tool_name": "toolName",
        "is_error": "isError",
        "error_message": "errorMessage",
    }
)
_USAGE_KEYS = _both_ways(
    {"cache_read": "cacheRead", "cache_write": "cacheWrite", "total_tokens": "totalTokens"}
)
_WORDS = {"tool_result": "toolResult", "tool_use": "toolUse", "tool_call": "toolCall"}


class NickcecereAgent(SnakeDialect):
    """nickcecere/agent."""

    name = "agent"
    linear = True
    migrates = False
    name_marker = b""
    forks_last = True

    def name_after(self, before: str | None, name: str | None) -> str | None:
        """Sessions have no names."""
        return None

    def entries(self, line: bytes) -> list[dict[str, Any]]:
        """The entry with pi's keys and words."""
        entry = _renamed(decode(line), _ENTRY_KEYS)
        message = entry.get("message")
        if not isinstance(message, dict):
            return [entry]
        message = _renamed(message, _MESSAGE_KEYS)
        for key in ("role", "stopReason"):
            _translate(message, key)
        if isinstance(message.get("usage"), dict):
            message["usage"] = _renamed(message["usage"], _USAGE_KEYS)
        if isinstance(message.get("content"), list):
            message["content"] = [_block(block) for block in message["content"]]
        entry["message"] = message
        return [entry]

    def fork(self, head: ForkHeader, lines: Sequence[bytes]) -> bytes:
        """A header, the `branch` entry that names the parent, then the messages."""
        moment = head.timestamp[:19] + "Z"
        branch = {
            "type": "branch",
            "id": head.entry_id,
            "timestamp": moment,
            "parent_session_path": head.parent_path,
            "fork_entry_id": head.left_at,
        }
        if head.note:
            branch["branch_summary"] = head.note
        opening = {
            "type": "session",
            "id": head.session_id,
            "version": 1,
            "timestamp": moment,
            "cwd": head.cwd,
        }
        kept = list(lines)
        if kept:
            # Its parent stays behind in the other file.
            kept[0] = edit_fields(kept[0], {"parent_id": REMOVED})
        return b"".join(line + b"\n" for line in (encode(opening), encode(branch), *kept))

    def summary(self, entry: dict[str, Any], stamp: int | None) -> list[dict[str, Any]]:
        """A user message with the summary."""
        return [{"role": "user", "content": [{"type": "text", "text": entry.get("summary") or ""}]}]


def _renamed(value: dict[str, Any], keys: dict[str, str]) -> dict[str, Any]:
    return {keys.get(key, key): item for key, item in value.items()}


def _translate(value: dict[str, Any], key: str) -> None:
    word = value.get(key)
    if isinstance(word, str):
        value[key] = _WORDS.get(word, word)


def _block(block: Any) -> Any:
    if isinstance(block, dict):
        block = dict(block)
        _translate(block, "type")
    return block
