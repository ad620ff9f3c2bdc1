"""oh-my-pi: the title line or the header names the session; session_info is not read (FORMATS 1.2)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from app.formats.context import is_empty_failure, without_failed_answers, without_unanswered_calls
from app.formats.dialects.base import Dialect
from app.formats.dialects.writing import OmpWriting

if TYPE_CHECKING:
    from collections.abc import Sequence

_LINES = r"L?\d+(?:(?:[-+]|\.\.)L?\d+|-|\.\.)?"
_RANGES = f"{_LINES}(?:,{_LINES})*"
_SELECTOR = re.compile(
    rf":(?:(?:{_RANGES}):raw|raw:(?:{_RANGES})|{_RANGES}|raw|conflicts)\Z", re.ASCII | re.IGNORECASE
)
"""What omp's `read` takes behind a path: lines, `raw`, both, `conflicts`."""
_URL = re.compile(r"[a-z][a-z0-9+.-]*://", re.IGNORECASE)
_NOT_IN_CONTEXT = ("prewalk-plan", "vibe-mode-context")
"""The custom types of messages that oh-my-pi shows but does not put into the context."""
_SUMMARY_FIELDS = ("tokensAfter", "method", "warning")


class Omp(Dialect):
    """oh-my-pi."""

    name = "omp"
    writing = OmpWriting()
    naming = b""

    def renamed(self, before: str | None, name: str | None) -> str | None:
        """No entry changes the name."""
        return before

    def file_of(self, tool: str, path: str) -> str:
        """Without the lines that were read. What has a scheme is of omp's own making or on the web."""
        if _URL.search(path):
            return ""
        found = _SELECTOR.search(path) if tool == "read" else None
        return path[: found.start()] if found and found.start() > 0 else path

    def messages(self, entry: dict[str, Any], stamp: int | None) -> list[dict[str, Any]]:
        """Without answers that oh-my-pi tried again, empty failures, and custom messages it cannot send."""
        if entry.get("type") == "custom_message":
            sendable = isinstance(entry.get("content"), (str, list))
            if not sendable or entry.get("customType") in _NOT_IN_CONTEXT:
                return []
        return [
            message
            for message in super().messages(entry, stamp)
            if not (message.get("role") == "assistant" and message.get("retryRecovery"))
            and not is_empty_failure(message)
        ]

    def first_kept(self, compaction: dict[str, Any], ids: Sequence[str]) -> int:
        """The first entry that neither the summary nor the provider's own snapshot replaces.

        OpenAI's snapshot contains the kept entries up to `providerReplayThroughEntryId`. Since oh-my-pi
        18.3, Anthropic's snapshot with an empty `firstKeptEntryId` does so too.
        """
        snapshot = _snapshot(compaction)
        if snapshot is None or (
            snapshot["type"] == "anthropicCompaction" and compaction.get("firstKeptEntryId") != ""
        ):
            return super().first_kept(compaction, ids)
        replayed = compaction.get("providerReplayThroughEntryId")
        return next((position + 1 for position, entry_id in enumerate(ids) if entry_id == replayed), len(ids))

    def summary(self, entry: dict[str, Any], stamp: int | None) -> list[dict[str, Any]]:
        """pi's summary, how it was made, and the provider's own snapshot of what it replaced."""
        more = {name: entry[name] for name in _SUMMARY_FIELDS if name in entry}
        snapshot = _snapshot(entry)
        if snapshot is not None:
            more["providerPayload"] = snapshot
        return [{**message, **more} for message in super().summary(entry, stamp)]

    def prune(self, messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Without unanswered tool calls, failed answers and aborted answers."""
        return without_failed_answers(without_unanswered_calls(messages))


def _snapshot(compaction: dict[str, Any]) -> dict[str, Any] | None:
    """The provider's own form of what a compaction replaced, as the context has it; None without one."""
    preserved = compaction.get("preserveData")
    if not isinstance(preserved, dict):
        return None
    history = preserved.get("openaiRemoteCompaction")
    if isinstance(history, dict) and _is_filled(history.get("provider")):
        items = history.get("replacementHistory")
        if isinstance(items, list) and all(isinstance(item, dict) for item in items):
            return {"type": "openaiResponsesHistory", "provider": history["provider"], "items": items}
    native = preserved.get("anthropicCompaction")
    if isinstance(native, dict) and _is_filled(native.get("provider")) and _is_filled(native.get("content")):
        names = ("provider", "content", "encryptedContent", "filesText")
        return {
            "type": "anthropicCompaction",
            **{name: native[name] for name in names if _is_filled(native.get(name))},
        }
    return None


def _is_filled(value: Any) -> bool:
    return isinstance(value, str) and value != ""
