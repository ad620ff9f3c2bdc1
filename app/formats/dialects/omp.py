"""oh-my-pi: the title line or the header names the session; session_info is not read
(formats/README.md, "Titles of oh-my-pi"). Its context has fewer messages than pi's
(formats/README.md, "Context of oh-my-pi").
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from app.formats.context import is_empty_failure, without_failed_answers, without_unanswered_calls
from app.formats.dialects.base import Dialect, OmpWriteFormat
from app.formats.dialects.calls import omp_call
from app.formats.dialects.omp_entries import entry_for_pi

if TYPE_CHECKING:
    from collections.abc import Sequence

_LINES = r"L?\d+(?:(?:[-+]|\.\.)L?\d+|-|\.\.)?"
_RANGES = f"{_LINES}(?:,{_LINES})*"
_SELECTOR = re.compile(
    rf":(?:(?:{_RANGES}):raw|raw:(?:{_RANGES})|{_RANGES}|raw|conflicts)\Z", re.ASCII | re.IGNORECASE
)
"""The selector that omp's `read` accepts after a path: lines, `raw`, both, or `conflicts`."""
_URL = re.compile(r"[a-z][a-z0-9+.-]*://", re.IGNORECASE)
_NOT_IN_CONTEXT = ("prewalk-plan", "vibe-mode-context")
"""Custom types of messages that are shown and not sent."""
_SUMMARY_FIELDS = ("tokensAfter", "method", "warning")
_SNAPSHOT_FIELDS = ("provider", "content", "encryptedContent", "filesText")


class Omp(Dialect):
    """oh-my-pi."""

    name = "omp"
    writing = OmpWriteFormat()
    name_marker = b""

    def name_after(self, before: str | None, name: str | None) -> str | None:
        """No entry changes the name."""
        return before

    def file_path(self, tool: str, path: str) -> str:
        """The path without a selector of lines. A path with a scheme is a resource of omp's own or of the
        web.
        """
        if _URL.search(path):
            return ""
        selector = _SELECTOR.search(path) if tool == "read" else None
        return path[: selector.start()] if selector and selector.start() > 0 else path

    def call_for_pi(self, name: str, arguments: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        """A call of oh-my-pi, as pi spells it."""
        return omp_call(name, arguments)

    def entry_for_pi(self, entry: dict[str, Any]) -> dict[str, Any]:
        """An entry of oh-my-pi, as pi has it."""
        return entry_for_pi(entry)

    def messages(self, entry: dict[str, Any], stamp: int | None) -> list[dict[str, Any]]:
        """The messages of `entry`, without answers that were tried again, failed answers without content, and
        custom messages that are not sent.
        """
        if entry.get("type") == "custom_message":
            can_send = isinstance(entry.get("content"), str | list)
            if not can_send or entry.get("customType") in _NOT_IN_CONTEXT:
                return []
        return [
            message
            for message in super().messages(entry, stamp)
            if not (message.get("role") == "assistant" and message.get("retryRecovery"))
            and not is_empty_failure(message)
        ]

    def first_kept(self, compaction: dict[str, Any], ids: Sequence[str]) -> int:
        """The index of the first entry that neither the summary nor the snapshot of the provider replaces.

        OpenAI's snapshot replaces the entries up to `providerReplayThroughEntryId`. Since 18.3, Anthropic's
        does so if `firstKeptEntryId` is empty.
        """
        snapshot = _snapshot(compaction)
        if snapshot is None or (
            snapshot["type"] == "anthropicCompaction" and compaction.get("firstKeptEntryId") != ""
        ):
            return super().first_kept(compaction, ids)
        last_id = compaction.get("providerReplayThroughEntryId")
        return next((index + 1 for index, entry_id in enumerate(ids) if entry_id == last_id), len(ids))

    def summary(self, entry: dict[str, Any], stamp: int | None) -> list[dict[str, Any]]:
        """pi's summary, with how it was made and the provider's snapshot of what it replaces."""
        fields = {name: entry[name] for name in _SUMMARY_FIELDS if name in entry}
        snapshot = _snapshot(entry)
        if snapshot is not None:
            fields["providerPayload"] = snapshot
        return [{**message, **fields} for message in super().summary(entry, stamp)]

    def prune(self, messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """The messages without unanswered calls and without failed and aborted answers."""
        return without_failed_answers(without_unanswered_calls(messages))


def _snapshot(compaction: dict[str, Any]) -> dict[str, Any] | None:
    """The provider's own form of what a compaction replaced, as the context has it; None without one."""
    preserved = compaction.get("preserveData")
    if not isinstance(preserved, dict):
        return None
    openai = preserved.get("openaiRemoteCompaction")
    if isinstance(openai, dict) and _is_filled(openai.get("provider")):
        items = openai.get("replacementHistory")
        if isinstance(items, list) and all(isinstance(item, dict) for item in items):
            return {"type": "openaiResponsesHistory", "provider": openai["provider"], "items": items}
    anthropic = preserved.get("anthropicCompaction")
    if not isinstance(anthropic, dict) or not all(
        _is_filled(anthropic.get(name)) for name in ("provider", "content")
    ):
        return None
    fields = {name: anthropic[name] for name in _SNAPSHOT_FIELDS if _is_filled(anthropic.get(name))}
    return {"type": "anthropicCompaction", **fields}


def _is_filled(value: Any) -> bool:
    return isinstance(value, str) and value != ""
