"""What a change did, for a person and for a program."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from app.actions.opened import ROOT
from app.formats.text import inert, one_line

if TYPE_CHECKING:
    from app.sessions.manager.change import Change

SCHEMA = 1
LIMIT = 1_000
"""Characters that are shown of a name, a label or a path."""

# A "file" is one that came out of an archive.
_MOVED = {"trash": "trashed", "restore": "restored", "delete": "deleted", "file": "restored"}
_NOWHERE = {"trash": "the trash", "restore": "its place", "delete": "gone", "file": "its place"}


def as_line(change: Change) -> str:
    """One inert line: what there was, and what there is now."""
    if change.kind == "file" and change.after_id != change.session_id:
        return f"new session {_id(change.after_id)}: {_id(change.before)} → {_id(change.after)}"
    if change.kind in _MOVED:
        after = _id(change.after) if change.after else _NOWHERE[change.kind]
        what = _id(change.session_id) or "what was written without a session"
        return f"{_MOVED[change.kind]} {what}: {_id(change.before)} → {after}"
    if change.kind == "leaf":
        what = "leaf"
        before, after = _id(change.before), _id(change.target_id)
    elif change.kind == "pin":
        what, before, after = "pin", change.before or "none", change.after or "none"
    else:
        what = f"label of {_id(change.target_id)}" if change.kind == "label" else "name"
        before, after = _text(change.before), _text(change.after)
    if change.is_nothing:
        return f"{what}: {after}, as before"
    return f"{what}: {before} → {after}"


def as_text(change: Change) -> str:
    """The same line with its end, and below it the prompt that is to be edited and sent again, if any; inert,
    with its own line breaks.
    """
    text = as_line(change) + "\n"
    if change.prompt:
        text += f"prompt:\n{inert(change.prompt).rstrip()}\n"
    return text


def as_json(change: Change, path: str) -> dict[str, Any]:
    """The same for ``--json``, as a document of its own.

    :param path: of the session that the change was asked of.
    """
    found = {"schema": SCHEMA, **as_part(change, path)}
    if change.kind in ("leaf", "file"):
        found["prompt"] = change.prompt
    return found


def as_part(change: Change, path: str | None) -> dict[str, Any]:
    """The same, as a part of a document.

    :param path: as above; None where nobody knows.
    """
    return {
        "session": {"agent": change.agent, "id": change.session_id or None, "path": path},
        "change": {
            "kind": change.kind,
            "entry_id": change.entry_id or None,
            "target_id": change.target_id,
            "before": change.before,
            "after": change.after,
            "after_id": change.after_id,
        },
    }


def _id(value: str | None) -> str:
    return ROOT if value is None else one_line(value, LIMIT)


def _text(value: str | None) -> str:
    return f'"{one_line(value, LIMIT)}"' if value else "none"
