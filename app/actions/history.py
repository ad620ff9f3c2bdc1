"""The history: what leafmark did and what was undone, as the journal has it, and what cannot be undone now.

Whether a change can be undone is found out from the rows of the sessions, and for moves from the files'
existence. No session is read, so the answer may be wrong until the undo itself checks it.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

from app.actions.journal import Journal
from app.actions.journal_entries import JournalEntry, group_by_action
from app.actions.restore import title_in_trash
from app.actions.session_edits import PINNED
from app.index.row import Row
from app.sessions.manager.change import Change
from app.stores import agent_named

MOST_ACTIONS = 200
"""Actions that are listed, so that a long journal costs as much as a short one to show."""


class HistoryStep(NamedTuple):
    """An action of the history.

    state     "undone": it can be redone; "done": it can be undone; "blocked": it cannot be undone or redone
              now, see `reason`
    action    its number in the journal
    at_ms     when it was done, or undone; milliseconds since the epoch
    changes   its changes, in order; at least one
    reason    why it is blocked; raw
    title     the raw title of the first session; "" if it is unknown
    is_undone whether it was undone
    """

    state: Literal["undone", "done", "blocked"]
    action: int
    at_ms: int
    changes: Sequence[Change]
    reason: str = ""
    title: str = ""
    is_undone: bool = False


def history(journal: Journal, rows: Iterable[Row], pins: Collection[tuple[str, str]]) -> list[HistoryStep]:
    """The actions that can be redone and those that were done, the newest first. The last of the undone ones
    is the one that is redone next, and the first behind them the one that is undone next.

    :param rows: all sessions.
    :param pins: (agent, id) of every pin.
    """
    entries, rows = journal.entries(), list(rows)
    # A change that can never be undone is listed too, with its reason.
    done = group_by_action(
        entry for entry in entries if entry.is_active or (entry.reason and not entry.undone_as)
    )
    back = _steps(journal.redoable(), _Known(rows, pins), forward=True)
    return [*back[::-1], *_steps(done[::-1][:MOST_ACTIONS], _Known(rows, pins), forward=False)]


def _steps(actions: Iterable[Sequence[JournalEntry]], known: _Known, *, forward: bool) -> list[HistoryStep]:
    """Actions as they are listed, in the order in which they would be undone, or redone if `forward`."""
    listed = []
    for entries in actions:
        if forward:
            reasons = [known.move(entry.change, forward=True) for entry in entries]
        else:
            reasons = [entry.reason or known.move(entry.change, forward=False) for entry in reversed(entries)]
        reason = next(filter(None, reasons), "")
        at_ms = max(entry.undone_ms for entry in entries) if forward else entries[-1].at_ms
        state: Literal["undone", "done"] = "undone" if forward else "done"
        changes = [entry.change for entry in entries]
        listed.append(
            HistoryStep(
                "blocked" if reason else state,
                entries[0].action,
                at_ms,
                changes,
                reason,
                known.title(changes[-1]),
                forward,
            )
        )
    return listed


class _Known:
    """The known values of the sessions, and the values that they would have after some undos or redos."""

    def __init__(self, rows: Iterable[Row], pins: Collection[tuple[str, str]]) -> None:
        self._rows = {(row.agent, row.id): row for row in rows}
        self._pins = pins
        self._values: dict[tuple[str, ...], object] = {}
        self._moved: set[tuple[str, str]] = set()

    def title(self, change: Change) -> str:
        """The title of the session of a change; that of a session in the trash is read from its file."""
        row = self._rows.get((change.agent, change.session_id))
        return title_in_trash(change) if row is None else row.title

    def move(self, change: Change, *, forward: bool) -> str:
        """Undo a change, or redo it if `forward`, in the known values; the result is why that is not
        possible, "" if it is.
        """
        session = (change.agent, change.session_id)
        if change.kind in ("tags", "note"):
            return ""
        if change.kind in ("trash", "restore", "file", "keep"):
            reason = "" if session in self._moved else _why_not_moved(change, forward=forward)
            self._moved.add(session)
            self._moved.add((change.agent, change.after_id or ""))
            return reason
        expected, wanted = (change.before, change.after) if forward else (change.after, change.before)
        key = (change.kind, *session, change.target_id or "")
        if key in self._values:
            now = self._values[key]
        elif session in self._moved:
            now = expected
        else:
            row = self._rows.get(session)
            if row is None:
                return "the session is gone"
            # A row that is older than its file says nothing.
            now = expected if _is_stale(row) else self._value(change, row, expected)
        self._values[key] = wanted
        return "" if now == expected else f"changed by {_program(change.agent)} since"

    def _value(self, change: Change, row: Row, otherwise: object) -> object:
        if change.kind == "name":
            return row.name
        if change.kind == "label":
            return dict(row.labels).get(change.target_id or "")
        if change.kind == "pin":
            return PINNED if (change.agent, change.session_id) in self._pins else None
        return otherwise


def _is_stale(row: Row) -> bool:
    try:
        status = os.stat(row.path)
    except OSError:
        return False
    return (status.st_size, status.st_mtime_ns) != (row.size, row.mtime_ns)


def _why_not_moved(change: Change, *, forward: bool) -> str:
    if change.kind == "trash" and not forward:
        if not change.after or not os.path.lexists(change.after):
            return "not in the trash any more"
        return "another file has its place" if os.path.lexists(change.path) else ""
    if change.kind == "trash" or not forward:
        path = change.path if change.kind == "trash" else change.after or ""
        return "" if os.path.lexists(path) else "the session is gone"
    path = change.after or change.path
    return "another file has its place" if os.path.lexists(path) else ""


def _program(agent: str) -> str:
    try:
        return agent_named(agent).title
    except KeyError:
        return "another program"


def sessions_of(step: HistoryStep) -> Mapping[tuple[str, str], None]:
    """(agent, id) of the sessions of an action, each once, in order. A new session comes before the one that
    it was made from.
    """
    found: dict[tuple[str, str], None] = {}
    for change in step.changes:
        for session_id in (change.after_id, change.session_id):
            if session_id:
                found[change.agent, session_id] = None
    return found
