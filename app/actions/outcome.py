"""The result of an action on one session."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from app.index.row import Row
    from app.sessions.manager.change import Change


class Outcome(NamedTuple):
    """The result of an action on one session.

    row      the session; None if it is not in the list
    change   None if the action failed
    error    why it failed
    undone   for an undo or a redo: the change to be undone, or the undone one
    title    the raw title of a session that is not in the list; "" if it is unknown
    """

    row: Row | None
    change: Change | None
    error: Exception | None = None
    undone: Change | None = None
    title: str = ""
