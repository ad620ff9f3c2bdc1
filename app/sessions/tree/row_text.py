"""The text of a row of a tree, and the kinds of rows.

The screen loads this module before any session is shown, so it does not import msgspec.
"""

from __future__ import annotations

from typing import NamedTuple

TEXT_LIMIT = 200

_UNKNOWN = "unknown"
_ROLE_KINDS = {
    "user": "user",
    "assistant": "assistant",
    "toolResult": "tool",
    "bashExecution": "bash",
    "pythonExecution": "bash",
    "custom": "custom",
    "hookMessage": "custom",
    "branchSummary": "summary",
    "compactionSummary": "compaction",
    "system": "system",
    "developer": "system",
    "fileMention": "system",
}
_TYPE_KINDS = {
    "custom_message": "custom",
    "compaction": "compaction",
    "branch_summary": "summary",
    "branch": "summary",
    "model_change": "meta",
    "thinking_level_change": "meta",
    "custom": "meta",
    "context_edit": "meta",
    "label": "meta",
    "session_info": "meta",
    "title_change": "meta",
}


class RowText(NamedTuple):
    """A row in pieces, all inert.

    :param kind: "error" for an answer without text that failed, else the result of `row_kind`.
    :param prefix: for example "user: "; drawn in the colour of the kind.
    :param text: what follows, at most TEXT_LIMIT characters.
    :param failed: "aborted" or "error" if an answer with text ended so, else "".
    :param last: the last line of an answer, as ``text``; "" if ``text`` begins with the only line.
    """

    kind: str
    prefix: str
    text: str
    failed: str = ""
    last: str = ""


def row_kind(type: str, role: str | None) -> str:
    """The kind of the row of an entry: "user", "assistant", "tool", "bash", "custom", "compaction",
    "summary", "meta", "system" or "unknown".
    """
    return _ROLE_KINDS.get(role or "", _UNKNOWN) if type == "message" else _TYPE_KINDS.get(type, _UNKNOWN)


def has_own_row(type: str, role: str | None) -> bool:
    """Whether entries of this type, or messages of this role, have a row of their own."""
    return row_kind(type, role) != _UNKNOWN
