"""Reads the fields of an entry from which its row is made."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.formats.content import read_content, string_of, text_of
from app.formats.entry_types import TOOL_CALL_TYPES
from app.formats.migrate import migrated_role
from app.formats.tool_calls import shortened_arguments
from app.sessions.tree.row_text import RowFields

if TYPE_CHECKING:
    from app.formats.partial_entry import PartialEntry, PartialMessage
    from app.sessions.tree.row_text import Call

PREVIEW_LIMIT = 512
_BLANKS_LOOKED_AT = 4096

# nickcecere/agent's words and the transcript's, as pi says them.
_PI_ROLES = {"tool_result": "toolResult", "tool": "toolResult"}
_PI_STOP_REASONS = {"tool_use": "toolUse"}


def role_of(role: str | None, version: int) -> str | None:
    """`role` as version 3 of pi says it."""
    return _PI_ROLES[role] if role in _PI_ROLES else migrated_role(role, version)


def stop_of(reason: str | None) -> str | None:
    """The reason why an answer stopped, as pi says it."""
    return _PI_STOP_REASONS.get(reason, reason) if reason else reason


def row_fields_of(skim: PartialEntry, version: int) -> RowFields:
    """The fields for the row of an entry in a file of `version`."""
    kind = skim.type or ""
    found = RowFields(kind)
    if kind == "message":
        if skim.message is not None:
            _read_message(found, skim.message, version)
    elif kind in _READERS:
        _READERS[kind](found, skim)
    return found


def calls_of(message: PartialMessage) -> dict[str, Call]:
    """The tool calls of an answer, by their ids."""
    content = read_content(message.content)
    if isinstance(content, str):
        return {}
    calls = {}
    for block in content:
        if block.type in TOOL_CALL_TYPES and block.id is not None:
            name = block.name or "tool"
            calls[block.id] = (name, shortened_arguments(name, block.arguments))
    return calls


def _read_message(found: RowFields, message: PartialMessage, version: int) -> None:
    role = found.role = role_of(message.role, version)
    if role == "assistant":
        _read_answer(found, message)
    elif role == "toolResult":
        found.detail = message.tool_name
        found.call = message.tool_call_id
    elif role == "bashExecution":
        found.preview = _cut(message.command or "")
    elif role in ("branchSummary", "compactionSummary"):
        found.preview = _cut(string_of(message.summary))
    else:
        found.preview = _cut(text_of(message.content))
        if role == "custom":
            found.detail = message.custom_type


def _read_answer(found: RowFields, message: PartialMessage) -> None:
    found.stop_reason = stop_of(message.stop_reason)
    if message.error_message:
        found.error_message = message.error_message[:PREVIEW_LIMIT]
    content = read_content(message.content)
    if isinstance(content, str):
        found.preview = _cut(content)
        return
    for block in content:
        if block.type == "text" and block.text:
            found.preview = _cut(found.preview + block.text)
            if len(found.preview) >= PREVIEW_LIMIT:
                return


def _cut(text: str) -> str:
    """The beginning of `text` without the blanks in front; empty where there are only blanks."""
    if len(text) > PREVIEW_LIMIT or text[:1].isspace():
        text = text[:_BLANKS_LOOKED_AT].lstrip()[:PREVIEW_LIMIT]
    return text


def _read_custom_message(found: RowFields, skim: PartialEntry) -> None:
    found.detail = skim.custom_type
    found.preview = _cut(text_of(skim.content, ""))


def _read_summary(found: RowFields, skim: PartialEntry) -> None:
    found.preview = _cut(string_of(skim.summary))
    found.tokens_before = skim.tokens_before


def _read_branch(found: RowFields, skim: PartialEntry) -> None:
    found.detail = (skim.parent_session_path or "").replace("\\", "/").rpartition("/")[2]
    found.preview = _cut(skim.branch_summary or "")


def _read_model(found: RowFields, skim: PartialEntry) -> None:
    found.detail = skim.model_id or skim.model


def _read_level(found: RowFields, skim: PartialEntry) -> None:
    found.detail = skim.thinking_level


def _read_custom(found: RowFields, skim: PartialEntry) -> None:
    found.detail = skim.custom_type


def _read_label(found: RowFields, skim: PartialEntry) -> None:
    found.detail = skim.target_id
    found.preview = (skim.label or "")[:PREVIEW_LIMIT]


def _read_edit(found: RowFields, skim: PartialEntry) -> None:
    found.detail = skim.target_id
    found.preview = "omit" if bytes(skim.replacement) == b"null" else "replace"


def _read_name(found: RowFields, skim: PartialEntry) -> None:
    found.preview = (skim.name or skim.title or "")[:PREVIEW_LIMIT]


_READERS = {
    "custom_message": _read_custom_message,
    "compaction": _read_summary,
    "branch_summary": _read_summary,
    "branch": _read_branch,
    "model_change": _read_model,
    "thinking_level_change": _read_level,
    "custom": _read_custom,
    "label": _read_label,
    "context_edit": _read_edit,
    "session_info": _read_name,
    "title_change": _read_name,
}
