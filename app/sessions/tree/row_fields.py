"""What a row needs of an entry, taken from its line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from app.formats.content import TOOL_CALLS, read_content, string_of, text_of
from app.formats.migrate import migrated_role
from app.formats.tool_line import shortened_arguments

if TYPE_CHECKING:
    from app.formats.skim import Skim, SkimMessage

    Call = tuple[str, bytes]

PREVIEW_LIMIT = 512
_BLANKS_LOOKED_AT = 4096

# nickcecere/agent's words and the transcript's, as pi says them.
_ROLES = {"tool_result": "toolResult", "tool": "toolResult"}
_STOPS = {"tool_use": "toolUse"}


class RowFields(Struct, gc=False):
    """What is needed of an entry to say it in a row.

    preview        raw text of the entry, at most PREVIEW_LIMIT characters, not inert
    detail         one more raw word: a type of custom entry, a model, a level, a name, an id
    call           the id of the call that a tool result answers
    tool           that call: name, arguments as JSON (cut when they are long); whoever finds it puts it here
    """

    type: str
    role: str | None = None
    preview: str = ""
    detail: str | None = None
    call: str | None = None
    tool: Call | None = None
    stop_reason: str | None = None
    error_message: str | None = None
    tokens_before: float | None = None


def role_of(role: str | None, version: int) -> str | None:
    """`role` as version 3 of pi says it."""
    return _ROLES[role] if role in _ROLES else migrated_role(role, version)


def stop_of(reason: str | None) -> str | None:
    """The reason why an answer stopped, as pi says it."""
    return _STOPS.get(reason, reason) if reason else reason


def glimpse(skim: Skim, version: int) -> RowFields:
    """What the row of an entry needs of it, in a file of `version`."""
    kind = skim.type or ""
    found = RowFields(kind)
    if kind == "message":
        if skim.message is not None:
            _message(found, skim.message, version)
    elif kind in _FILLERS:
        _FILLERS[kind](found, skim)
    return found


def calls_of(message: SkimMessage) -> dict[str, Call]:
    """The tool calls of an answer, by their ids."""
    content = read_content(message.content)
    if isinstance(content, str):
        return {}
    calls = {}
    for block in content:
        if block.type in TOOL_CALLS and block.id is not None:
            name = block.name or "tool"
            calls[block.id] = (name, shortened_arguments(name, block.arguments))
    return calls


def _message(found: RowFields, message: SkimMessage, version: int) -> None:
    role = found.role = role_of(message.role, version)
    if role == "assistant":
        _answer(found, message)
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


def _answer(found: RowFields, message: SkimMessage) -> None:
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


def _custom_message(found: RowFields, skim: Skim) -> None:
    found.detail = skim.custom_type
    found.preview = _cut(text_of(skim.content, ""))


def _summary(found: RowFields, skim: Skim) -> None:
    found.preview = _cut(string_of(skim.summary))
    found.tokens_before = skim.tokens_before


def _branch(found: RowFields, skim: Skim) -> None:
    found.detail = (skim.parent_session_path or "").replace("\\", "/").rpartition("/")[2]
    found.preview = _cut(skim.branch_summary or "")


def _model(found: RowFields, skim: Skim) -> None:
    found.detail = skim.model_id or skim.model


def _level(found: RowFields, skim: Skim) -> None:
    found.detail = skim.thinking_level


def _custom(found: RowFields, skim: Skim) -> None:
    found.detail = skim.custom_type


def _label(found: RowFields, skim: Skim) -> None:
    found.detail = skim.target_id
    found.preview = (skim.label or "")[:PREVIEW_LIMIT]


def _edit(found: RowFields, skim: Skim) -> None:
    found.detail = skim.target_id
    found.preview = "omit" if bytes(skim.replacement) == b"null" else "replace"


def _name(found: RowFields, skim: Skim) -> None:
    found.preview = (skim.name or skim.title or "")[:PREVIEW_LIMIT]


_FILLERS = {
    "custom_message": _custom_message,
    "compaction": _summary,
    "branch_summary": _summary,
    "branch": _branch,
    "model_change": _model,
    "thinking_level_change": _level,
    "custom": _custom,
    "label": _label,
    "context_edit": _edit,
    "session_info": _name,
    "title_change": _name,
}
