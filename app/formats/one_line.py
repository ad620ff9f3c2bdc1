"""The row of an entry: a few words that say what it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

from app.formats.text import one_line

if TYPE_CHECKING:
    from collections.abc import Callable

TEXT_LIMIT = 200
_ERROR_LIMIT = 80
_WORD_LIMIT = 80


class OneLine(NamedTuple):
    """A row in pieces, all inert.

    :param kind: "user", "assistant", "tool", "bash", "custom", "compaction", "summary", "meta", "error",
        "system" or "unknown".
    :param prefix: for example "user: "; drawn in the colour of the kind.
    :param text: what follows, at most TEXT_LIMIT characters.
    """

    kind: str
    prefix: str
    text: str


class Entry(Protocol):
    """What is needed of an entry; `app.sessions.tree.node.Node` has it."""

    @property
    def type(self) -> str: ...
    @property
    def role(self) -> str | None: ...
    @property
    def preview(self) -> str: ...
    @property
    def detail(self) -> str | None: ...
    @property
    def tool(self) -> tuple[str, bytes] | None: ...
    @property
    def stop_reason(self) -> str | None: ...
    @property
    def error_message(self) -> str | None: ...
    @property
    def tokens_before(self) -> float | None: ...


def one_line_of(entry: Entry) -> OneLine:
    """The row of `entry`. Never raises, whatever the entry holds."""
    if entry.type == "message":
        row = _ROLES.get(entry.role or "")
        return row(entry) if row else _other_role(entry)
    row = _TYPES.get(entry.type)
    return row(entry) if row else OneLine("unknown", "", _bracket(_word(entry.type)))


def is_known(type: str, role: str | None) -> bool:
    """Whether entries of this type, or messages of this role, have a row of their own."""
    return (role or "") in _ROLES if type == "message" else type in _TYPES


def _word(text: str | None) -> str:
    return one_line(text or "", _WORD_LIMIT)


def _text(entry: Entry, limit: int = TEXT_LIMIT) -> str:
    return one_line(entry.preview, limit)


def _bracket(*words: str) -> str:
    return f"[{': '.join(words)}]"


def _user(entry: Entry) -> OneLine:
    return OneLine("user", "user: ", _text(entry))


def _assistant(entry: Entry) -> OneLine:
    text = _text(entry)
    if text:
        return OneLine("assistant", "assistant: ", text)
    if entry.stop_reason == "aborted":
        return OneLine("assistant", "assistant: ", "(aborted)")
    if entry.error_message:
        return OneLine("error", "assistant: ", one_line(entry.error_message, _ERROR_LIMIT))
    return OneLine("assistant", "assistant: ", "(no content)")


def _tool_result(entry: Entry) -> OneLine:
    call = entry.tool
    if call:
        # The decoder is not imported before there is a session to show.
        from app.formats.tool_line import tool_line

        text = tool_line(*call)
    else:
        text = _bracket(_word(entry.detail) or "tool")
    return OneLine("tool", "", one_line(text, TEXT_LIMIT))


def _bash(entry: Entry) -> OneLine:
    return OneLine("bash", "[bash]: ", _text(entry))


def _python(entry: Entry) -> OneLine:
    return OneLine("bash", "[python]: ", _text(entry))


def _custom_message(entry: Entry) -> OneLine:
    return OneLine("custom", f"{_bracket(_word(entry.detail) or 'custom')}: ", _text(entry))


def _system(entry: Entry) -> OneLine:
    text, head = _text(entry), _bracket(_word(entry.role))
    # pi's own has its text in parts of its own, which are no content.
    return OneLine("system", f"{head}: " if text else head, text)


def _other_role(entry: Entry) -> OneLine:
    return OneLine("unknown", f"{_bracket(_word(entry.role) or 'message')}: ", _text(entry))


def _compaction(entry: Entry) -> OneLine:
    tokens = entry.tokens_before
    if tokens is None:
        return OneLine("compaction", "[compaction]", "")
    return OneLine("compaction", f"[compaction: {_thousands(tokens)} tokens]", "")


def _thousands(number: float) -> str:
    try:
        return f"{int(number / 1000 + 0.5)}k"
    except (OverflowError, ValueError):
        return "?k"


def _summary(entry: Entry) -> OneLine:
    return OneLine("summary", "[branch summary]: ", _text(entry))


def _fork(entry: Entry) -> OneLine:
    text = _text(entry)
    head = _bracket(f"forked from {_word(entry.detail)}" if entry.detail else "forked")
    return OneLine("summary", f"{head}: " if text else head, text)


def _compacted(entry: Entry) -> OneLine:
    return OneLine("compaction", "[compaction summary]: ", _text(entry))


def _meta(label: str) -> Callable[[Entry], OneLine]:
    return lambda entry: OneLine("meta", "", _bracket(label, _word(entry.detail) or "?"))


def _label(entry: Entry) -> OneLine:
    return OneLine("meta", "", _bracket("label", _text(entry, _WORD_LIMIT) or "(cleared)"))


def _name(entry: Entry) -> OneLine:
    return OneLine("meta", "", _bracket("title", _text(entry, _WORD_LIMIT) or "empty"))


def _edit(entry: Entry) -> OneLine:
    return OneLine("meta", "", _bracket(f"context {_text(entry, _WORD_LIMIT)}", _word(entry.detail) or "?"))


_ROLES: dict[str, Callable[[Entry], OneLine]] = {
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
_TYPES: dict[str, Callable[[Entry], OneLine]] = {
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
