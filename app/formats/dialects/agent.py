"""nickcecere/agent: snake_case keys, linear, no names and no labels (specs 003, FORMATS 1.4)."""

from __future__ import annotations

from typing import Any

from app.formats.decode import decode
from app.formats.dialects.base import SnakeDialect

_ENTRY_KEYS = {
    "parent_id": "parentId",
    "first_kept_entry_id": "firstKeptEntryId",
    "tokens_before": "tokensBefore",
    "parent_session_path": "parentSessionPath",
    "fork_entry_id": "forkEntryId",
    "branch_summary": "branchSummary",
}
_MESSAGE_KEYS = {
    "stop_reason": "stopReason",
    "tool_call_id": "toolCallId",
    "tool_name": "toolName",
    "is_error": "isError",
    "error_message": "errorMessage",
}
_USAGE_KEYS = {"cache_read": "cacheRead", "cache_write": "cacheWrite", "total_tokens": "totalTokens"}
_WORDS = {"tool_result": "toolResult", "tool_use": "toolUse", "tool_call": "toolCall"}


class Agent(SnakeDialect):
    """nickcecere/agent."""

    name = "agent"
    migrates = False

    def renamed(self, before: str | None, name: str | None) -> str | None:
        """Sessions have no names."""
        return None

    def entry(self, line: bytes, part: int = 0) -> dict[str, Any]:
        """The entry with pi's keys and words."""
        entry = _renamed(decode(line), _ENTRY_KEYS)
        message = entry.get("message")
        if not isinstance(message, dict):
            return entry
        message = _renamed(message, _MESSAGE_KEYS)
        for key in ("role", "stopReason"):
            _translate(message, key)
        if isinstance(message.get("usage"), dict):
            message["usage"] = _renamed(message["usage"], _USAGE_KEYS)
        if isinstance(message.get("content"), list):
            message["content"] = [_block(block) for block in message["content"]]
        entry["message"] = message
        return entry


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
