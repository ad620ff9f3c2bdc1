"""What a change did, for a person and for a program."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from app.actions.opened import ROOT
from app.formats.text import one_line

if TYPE_CHECKING:
    from app.sessions.change import Change

SCHEMA = 1
LIMIT = 1_000
"""Characters that are shown of a name, a label or a path."""


def as_line(change: Change) -> str:
    """One inert line: what there was, and what there is now."""
    if change.kind == "file":
        return f"new session {_id(change.after_id)}: {_id(change.before)} → {_id(change.after)}"
    if change.kind == "leaf":
        what = "leaf"
        before, after = _id(change.before), _id(change.target_id)
    else:
        what = f"label of {_id(change.target_id)}" if change.kind == "label" else "name"
        before, after = _text(change.before), _text(change.after)
    if not change.entry_id and change.before == change.after:
        return f"{what}: {after}, as before"
    return f"{what}: {before} → {after}"


def as_json(change: Change, path: str) -> dict[str, Any]:
    """The same for ``--json``.

    :param path: of the session that the change was asked of.
    """
    return {
        "schema": SCHEMA,
        "session": {"agent": change.agent, "id": change.session_id, "path": path},
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
