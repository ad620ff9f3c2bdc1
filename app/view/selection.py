"""A selection of sessions that follows file renames: for questions, editors, dialogs, marks and the cursor.

Agents rename their folders (formats/README.md, "Files of oh-my-pi"), also while a question is open. A session
is therefore identified by its store and its id. If two files have the same id, the file identifies the
session as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import copy
from typing import Protocol

from app.index.row import Row

Identity = tuple[str, str, str]


class Sessions(Protocol):
    """The sessions among which a selection is looked up (`app.view.list_model.ListModel`)."""

    @property
    def is_complete(self) -> bool:
        """Whether all sessions are known."""

    def row_at(self, path: str) -> Row | None:
        """The session with this path."""

    def rows_with_id(self, session_id: str) -> Sequence[Row]:
        """The sessions with this id, of any store and agent."""


class StableSelection:
    """Some sessions of a list, which are looked up again whenever they are needed.

    first   the first of them, as it was when the selection was made
    """

    def __init__(self, sessions: Sessions, rows: Sequence[Row]) -> None:
        """:param rows: at least one session; its present path identifies it in `now`."""
        self._sessions = sessions
        self.first = rows[0]
        # path when the selection was made -> the last known row of the session
        self._seen = {row.path: row for row in rows}
        # other files with the same ids; the identities that several files share. Under its new path, a file
        # may be listed before its old path has gone: it is no other one.
        self._others: set[str] = set()
        inodes = {row.ino for row in rows if row.ino}
        self._shared: set[Identity] = set()
        for identity in {_identity(row) for row in rows if self._at(row) is not None}:
            files = {
                row.path
                for row in self._files_of(identity)
                if row.path in self._seen or row.ino not in inodes
            }
            self._others |= files - self._seen.keys()
            if len(files) > 1 or not sessions.is_complete:
                # if not all sessions are known yet, another file with the id may appear later
                self._shared.add(identity)

    def __len__(self) -> int:
        return len(self._seen)

    @property
    def row(self) -> Row | None:
        """The first of the sessions; None if it is gone."""
        return self.now(self.first.path)

    def now(self, path: str) -> Row | None:
        """The session that was at `path` when the selection was made; None if it is gone."""
        self._follow((path,))
        return self._at(self._seen[path])

    def only(self, path: str) -> StableSelection:
        """A selection of the session that was at `path` when this one was made."""
        selection = copy(self)
        selection.first = self._seen[path]
        selection._seen = {path: selection.first}
        selection._others = self._others | (self._seen.keys() - {path})
        return selection

    @property
    def last_known(self) -> list[Row]:
        """All of the sessions, as they were last known."""
        return list(self._seen.values())

    @property
    def are_all_there(self) -> bool:
        """Whether none of the sessions is gone."""
        return len(self.rows()) == len(self._seen)

    def rows(self) -> list[Row]:
        """The sessions that are there, in the order of the selection."""
        self._follow(self._seen)
        return [row for last in self._seen.values() if (row := self._at(last)) is not None]

    def _at(self, last: Row) -> Row | None:
        """The session now, if it is still at its last known path.

        :param last: its last known row.
        """
        row = self._sessions.row_at(last.path)
        return row if row is not None and (row is last or _identity(row) == _identity(last)) else None

    def _files_of(self, identity: Identity) -> list[Row]:
        """The sessions with this identity: several if an agent or a user has copied the file."""
        return [row for row in self._sessions.rows_with_id(identity[2]) if _identity(row) == identity]

    def _follow(self, paths: Iterable[str]) -> None:
        """Find sessions that are no longer at their paths."""
        lost: dict[str, None] = {}
        for path in paths:
            row = self._at(self._seen[path])
            if row is None:
                lost[path] = None
            else:
                self._seen[path] = row
        if not lost:
            return
        taken = {last.path for path, last in self._seen.items() if path not in lost}
        free = {
            identity: [
                row
                for row in self._files_of(identity)
                if row.path not in taken and row.path not in self._others
            ]
            for identity in {_identity(self._seen[path]) for path in lost}
        }
        for path in lost:
            self._take(path, free[_identity(self._seen[path])])

    def _take(self, path: str, candidates: list[Row]) -> None:
        """Choose which of the candidates is the session that was at `path`, and remove it from them."""
        last = self._seen[path]
        row = next((row for row in candidates if row.ino and row.ino == last.ino), None)
        identity = _identity(last)
        if row is None and len(candidates) == 1 and last.id and identity not in self._shared:
            row = candidates[0]
        if row is not None:
            candidates.remove(row)
            self._seen[path] = row


def _identity(row: Row) -> Identity:
    return row.store, row.agent, row.id
