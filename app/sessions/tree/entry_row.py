"""Makes the row of an entry: a few inert words that say what it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.formats.content import read_content, string_of, text_of
from app.formats.entry_types import TOOL_CALL_TYPES
from app.formats.migrate import migrated_role
from app.formats.partial_entry import PartialMessage
from app.formats.text import one_line
from app.formats.tool_calls import call_line, shortened_arguments
from app.sessions.tree.row_text import TEXT_LIMIT, RowText, row_kind

if TYPE_CHECKING:
    from app.formats.partial_entry import PartialEntry

    Call = tuple[str, bytes]
    """A tool call: its name, and its arguments as JSON, shortened."""

_PREVIEW_LIMIT = 512
_MOST_BLANKS = 4096
_ERROR_LIMIT = 80
_WORD_LIMIT = 80

# Words of nickcecere/agent and of transcripts -> those of pi.
_PI_ROLES = {"tool_result": "toolResult", "tool": "toolResult"}
_PI_STOP_REASONS = {"tool_use": "toolUse"}


def role_of(role: str | None, version: int) -> str | None:
    """The role in the spelling of version 3 of pi."""
    return _PI_ROLES[role] if role in _PI_ROLES else migrated_role(role, version)


def stop_of(reason: str | None) -> str | None:
    """The reason why an answer stopped, in the spelling of pi."""
    return _PI_STOP_REASONS.get(reason, reason) if reason else reason


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


def row_text_of(entry: PartialEntry, version: int, call: Call | None = None, folder: str = "") -> RowText:
    """The row of an entry in a file of `version`. Never raises, whatever the entry holds.

    :param call: the call that a tool result answers, if it is known.
    :param folder: that of the session, which calls are shown without; "" if it is not known.
    """
    type = entry.type or ""
    if type == "message":
        return _message_row(entry.message or PartialMessage(), version, call, folder)
    kind, prefix, text = row_kind(type, None), "", ""
    match type:
        case "custom_message":
            prefix, text = f"[{_word(entry.custom_type) or 'custom'}]: ", _line(text_of(entry.content, ""))
        case "compaction":
            tokens = entry.tokens_before
            prefix = "[compaction]" if tokens is None else f"[compaction: {_thousands(tokens)} tokens]"
        case "branch_summary":
            prefix, text = "[branch summary]: ", _line(string_of(entry.summary))
        case "branch":
            parent = _word((entry.parent_session_path or "").replace("\\", "/").rpartition("/")[2])
            text = _line(entry.branch_summary or "")
            prefix = f"[{f'forked from {parent}' if parent else 'forked'}]{': ' if text else ''}"
        case "model_change":
            text = f"[model: {_word(entry.model_id or entry.model) or '?'}]"
        case "thinking_level_change":
            text = f"[thinking: {_word(entry.thinking_level) or '?'}]"
        case "custom":
            text = f"[custom: {_word(entry.custom_type) or '?'}]"
        case "context_edit":
            change = "omit" if bytes(entry.replacement) == b"null" else "replace"
            text = f"[context {change}: {_word(entry.target_id) or '?'}]"
        case "label":
            text = f"[label: {_word(entry.label) or '(cleared)'}]"
        case "session_info" | "title_change":
            text = f"[title: {_word(entry.name or entry.title) or 'empty'}]"
        case _:
            text = f"[{_word(type)}]"
    return RowText(kind, prefix, text)


def _message_row(message: PartialMessage, version: int, call: Call | None, folder: str) -> RowText:
    role = role_of(message.role, version) or ""
    kind = row_kind("message", role)
    match role:
        case "assistant":
            return _answer_row(message)
        case "toolResult":
            shown = call_line(*call, folder) if call else f"[{_word(message.tool_name) or 'tool'}]"
            return RowText(kind, "", one_line(shown, TEXT_LIMIT))
        case "user":
            return RowText(kind, "user: ", _line(text_of(message.content)))
        case "bashExecution":
            return RowText(kind, "[bash]: ", _line(message.command or ""))
        case "pythonExecution":
            return RowText(kind, "[python]: ", _line(text_of(message.content)))
        case "custom":
            prefix = f"[{_word(message.custom_type) or 'custom'}]: "
            return RowText(kind, prefix, _line(text_of(message.content)))
        case "hookMessage":
            return RowText(kind, "[custom]: ", _line(text_of(message.content)))
        case "branchSummary":
            return RowText(kind, "[branch summary]: ", _line(string_of(message.summary)))
        case "compactionSummary":
            return RowText(kind, "[compaction summary]: ", _line(string_of(message.summary)))
    text, head = _line(text_of(message.content)), f"[{_word(role) or 'message'}]"
    # A system message of pi has its text in parts of its own, which are no content.
    return RowText(kind, head if kind == "system" and not text else f"{head}: ", text)


def _answer_row(message: PartialMessage) -> RowText:
    stop = stop_of(message.stop_reason)
    whole = text_of(message.content, "")
    text = _line(whole)
    if text:
        failed = stop if stop in ("aborted", "error") else ""
        return RowText("assistant", "assistant: ", text, failed, _last_line(whole))
    if stop == "aborted":
        return RowText("assistant", "assistant: ", "(aborted)")
    if message.error_message:
        return RowText("error", "assistant: ", one_line(message.error_message, _ERROR_LIMIT))
    return RowText("assistant", "assistant: ", "(no content)")


def _word(text: str | None) -> str:
    return one_line(text or "", _WORD_LIMIT)


def _line(text: str) -> str:
    """The beginning of `text` without leading blanks."""
    if len(text) > _PREVIEW_LIMIT or text[:1].isspace():
        text = text[:_MOST_BLANKS].lstrip()[:_PREVIEW_LIMIT]
    return one_line(text, TEXT_LIMIT)


def _last_line(text: str) -> str:
    """The last line with a letter or a digit; "" if it is the first one."""
    head, newline, tail = text[-_MOST_BLANKS:].rstrip().rpartition("\n")
    while newline and not any(map(str.isalnum, tail)):
        head, newline, tail = head.rstrip().rpartition("\n")
    return _line(tail) if newline and head.strip() else ""


def _thousands(number: float) -> str:
    try:
        return f"{int(number / 1000 + 0.5)}k"
    except (OverflowError, ValueError):
        return "?k"
