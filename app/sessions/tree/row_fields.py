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
_MOST_BLANKS = 4096

# Words of nickcecere/agent and of transcripts -> those of pi.
_PI_ROLES = {"tool_result": "toolResult", "tool": "toolResult"}
_PI_STOP_REASONS = {"tool_use": "toolUse"}


def role_of(role: str | None, version: int) -> str | None:
    """The role in the spelling of version 3 of pi."""
    return _PI_ROLES[role] if role in _PI_ROLES else migrated_role(role, version)


def stop_of(reason: str | None) -> str | None:
    """The reason why an answer stopped, in the spelling of pi."""
    return _PI_STOP_REASONS.get(reason, reason) if reason else reason


def row_fields_of(entry: PartialEntry, version: int) -> RowFields:
    """The fields for the row of an entry in a file of `version`."""
    kind = entry.type or ""
    fields = RowFields(kind)
    if kind == "message":
        if entry.message is not None:
            _read_message(fields, entry.message, version)
    elif kind in _READERS:
        _READERS[kind](fields, entry)
    return fields


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


def _read_message(fields: RowFields, message: PartialMessage, version: int) -> None:
    role = fields.role = role_of(message.role, version)
    if role == "assistant":
        _read_answer(fields, message)
    elif role == "toolResult":
        fields.detail = message.tool_name
        fields.call = message.tool_call_id
    elif role == "bashExecution":
        fields.preview = _cut(message.command or "")
    elif role in ("branchSummary", "compactionSummary"):
        fields.preview = _cut(string_of(message.summary))
    else:
        fields.preview = _cut(text_of(message.content))
        if role == "custom":
            fields.detail = message.custom_type


def _read_answer(fields: RowFields, message: PartialMessage) -> None:
    fields.stop_reason = stop_of(message.stop_reason)
    if message.error_message:
        fields.error_message = message.error_message[:PREVIEW_LIMIT]
    content = read_content(message.content)
    if isinstance(content, str):
        fields.preview = _cut(content)
        return
    for block in content:
        if block.type == "text" and block.text:
            fields.preview = _cut(fields.preview + block.text)
            if len(fields.preview) >= PREVIEW_LIMIT:
                return


def _cut(text: str) -> str:
    """The beginning of `text` without leading blanks; empty if it has only blanks."""
    if len(text) > PREVIEW_LIMIT or text[:1].isspace():
        text = text[:_MOST_BLANKS].lstrip()[:PREVIEW_LIMIT]
    return text


def _read_custom_message(fields: RowFields, entry: PartialEntry) -> None:
    fields.detail = entry.custom_type
    fields.preview = _cut(text_of(entry.content, ""))


def _read_summary(fields: RowFields, entry: PartialEntry) -> None:
    fields.preview = _cut(string_of(entry.summary))
    fields.tokens_before = entry.tokens_before


def _read_branch(fields: RowFields, entry: PartialEntry) -> None:
    fields.detail = (entry.parent_session_path or "").replace("\\", "/").rpartition("/")[2]
    fields.preview = _cut(entry.branch_summary or "")


def _read_model(fields: RowFields, entry: PartialEntry) -> None:
    fields.detail = entry.model_id or entry.model


def _read_level(fields: RowFields, entry: PartialEntry) -> None:
    fields.detail = entry.thinking_level


def _read_custom(fields: RowFields, entry: PartialEntry) -> None:
    fields.detail = entry.custom_type


def _read_label(fields: RowFields, entry: PartialEntry) -> None:
    fields.detail = entry.target_id
    fields.preview = (entry.label or "")[:PREVIEW_LIMIT]


def _read_edit(fields: RowFields, entry: PartialEntry) -> None:
    fields.detail = entry.target_id
    fields.preview = "omit" if bytes(entry.replacement) == b"null" else "replace"


def _read_name(fields: RowFields, entry: PartialEntry) -> None:
    fields.preview = (entry.name or entry.title or "")[:PREVIEW_LIMIT]


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
