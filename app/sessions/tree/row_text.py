"""The row of an entry: a few inert words that say what it is.

The screen loads this module before any session is shown, so it does not import msgspec.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from app.formats.text import one_line

if TYPE_CHECKING:
    from collections.abc import Callable

    Call = tuple[str, bytes]
    """A tool call: its name, and its arguments as JSON."""

TEXT_LIMIT = 200
_ERROR_LIMIT = 80
_WORD_LIMIT = 80


class RowText(NamedTuple):
    """A row in pieces, all inert.

    :param kind: "user", "assistant", "tool", "bash", "custom", "compaction", "summary", "meta", "error",
        "system" or "unknown".
    :param prefix: for example "user: "; drawn in the colour of the kind.
    :param text: what follows, at most TEXT_LIMIT characters.
    :param failed: "aborted" or "error" if an answer with text ended so, else "".
    """

    kind: str
    prefix: str
    text: str
    failed: str = ""


@dataclass(slots=True)
class RowFields:
    """The fields of an entry from which its row is made.

    preview        raw text of the entry, at most `row_fields.PREVIEW_LIMIT` characters, not inert
    detail         one more raw word: a type of custom entry, a model, a level, a name, an id
    call           the id of the call that a tool result answers
    tool           that call: its name, and its arguments as JSON (shortened); the row loader fills it in
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


def row_text_of(entry: RowFields) -> RowText:
    """The row of `entry`. Never raises, whatever the entry holds."""
    if entry.type == "message":
        row = _ROLE_ROWS.get(entry.role or "")
        return row(entry) if row else _other_role(entry)
    row = _TYPE_ROWS.get(entry.type)
    return row(entry) if row else RowText("unknown", "", _bracket(_word(entry.type)))


def has_own_row(type: str, role: str | None) -> bool:
    """Whether entries of this type, or messages of this role, have a row of their own."""
    return (role or "") in _ROLE_ROWS if type == "message" else type in _TYPE_ROWS


def _word(text: str | None) -> str:
    return one_line(text or "", _WORD_LIMIT)


def _text(entry: RowFields, limit: int = TEXT_LIMIT) -> str:
    return one_line(entry.preview, limit)


def _bracket(*words: str) -> str:
    return f"[{': '.join(words)}]"


def _user(entry: RowFields) -> RowText:
    return RowText("user", "user: ", _text(entry))


def _assistant(entry: RowFields) -> RowText:
    text = _text(entry)
    if text:
        failed = entry.stop_reason if entry.stop_reason in ("aborted", "error") else ""
        return RowText("assistant", "assistant: ", text, failed or "")
    if entry.stop_reason == "aborted":
        return RowText("assistant", "assistant: ", "(aborted)")
    if entry.error_message:
        return RowText("error", "assistant: ", one_line(entry.error_message, _ERROR_LIMIT))
    return RowText("assistant", "assistant: ", "(no content)")


def _tool_result(entry: RowFields) -> RowText:
    call = entry.tool
    if call:
        # It loads msgspec, see the top of this file.
        from app.formats.tool_calls import call_line

        text = call_line(*call)
    else:
        text = _bracket(_word(entry.detail) or "tool")
    return RowText("tool", "", one_line(text, TEXT_LIMIT))


def _bash(entry: RowFields) -> RowText:
    return RowText("bash", "[bash]: ", _text(entry))


def _python(entry: RowFields) -> RowText:
    return RowText("bash", "[python]: ", _text(entry))


def _custom_message(entry: RowFields) -> RowText:
    return RowText("custom", f"{_bracket(_word(entry.detail) or 'custom')}: ", _text(entry))


def _system(entry: RowFields) -> RowText:
    text, head = _text(entry), _bracket(_word(entry.role))
    # pi's own has its text in parts of its own, which are no content.
    return RowText("system", f"{head}: " if text else head, text)


def _other_role(entry: RowFields) -> RowText:
    return RowText("unknown", f"{_bracket(_word(entry.role) or 'message')}: ", _text(entry))


def _compaction(entry: RowFields) -> RowText:
    tokens = entry.tokens_before
    if tokens is None:
        return RowText("compaction", "[compaction]", "")
    return RowText("compaction", f"[compaction: {_thousands(tokens)} tokens]", "")


def _thousands(number: float) -> str:
    try:
        return f"{int(number / 1000 + 0.5)}k"
    except (OverflowError, ValueError):
        return "?k"


def _summary(entry: RowFields) -> RowText:
    return RowText("summary", "[branch summary]: ", _text(entry))


def _fork(entry: RowFields) -> RowText:
    text = _text(entry)
    head = _bracket(f"forked from {_word(entry.detail)}" if entry.detail else "forked")
    return RowText("summary", f"{head}: " if text else head, text)


def _compacted(entry: RowFields) -> RowText:
    return RowText("compaction", "[compaction summary]: ", _text(entry))


def _meta(label: str) -> Callable[[RowFields], RowText]:
    return lambda entry: RowText("meta", "", _bracket(label, _word(entry.detail) or "?"))


def _label(entry: RowFields) -> RowText:
    return RowText("meta", "", _bracket("label", _text(entry, _WORD_LIMIT) or "(cleared)"))


def _name(entry: RowFields) -> RowText:
    return RowText("meta", "", _bracket("title", _text(entry, _WORD_LIMIT) or "empty"))


def _edit(entry: RowFields) -> RowText:
    return RowText("meta", "", _bracket(f"context {_text(entry, _WORD_LIMIT)}", _word(entry.detail) or "?"))


_ROLE_ROWS: dict[str, Callable[[RowFields], RowText]] = {
    "user": _user,
    "assistant": _assistant,
    "toolResult": _tool_result,
    "bashExecution": _bash,
    "pythonExecution": _python,
    "custom": _custom_message,
    "hookMessage": _custom_message,
    "branchSummary": _summary,
    "compactionSummary": _compacted,
    "system": _system,
    "developer": _system,
    "fileMention": _system,
}
_TYPE_ROWS: dict[str, Callable[[RowFields], RowText]] = {
    "custom_message": _custom_message,
    "compaction": _compaction,
    "branch_summary": _summary,
    "branch": _fork,
    "model_change": _meta("model"),
    "thinking_level_change": _meta("thinking"),
    "custom": _meta("custom"),
    "context_edit": _edit,
    "label": _label,
    "session_info": _name,
    "title_change": _name,
}
