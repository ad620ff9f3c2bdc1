"""A selection of sessions that follows file renames, for questions, editors and dialogs.

Agents rename their folders (formats/README.md, "oh-my-pi"), also while a question is open. A session is
therefore identified by its store and its id. If two files have the same id, the file identifies the session
as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import copy

from app.index.row import Row
from app.view.session_list import SessionList

Identity = tuple[str, str, str]


class StableSelection:
    """Some sessions of a list, which are looked up again whenever they are needed.

    first   the first of them, as it was when the selection was made
    """

    def __init__(self, model: SessionList, rows: Sequence[Row]) -> None:
        """:param rows: at least one session; its present path identifies it in `now`."""
        self._model = model
        self.first = rows[0]
        # path when the selection was made -> the session as it was seen last
        self._seen = {row.path: row for row in rows}
        # other files with the same ids; the identities that several files share
        self._others: set[str] = set()
        self._shared: set[Identity] = set()
        identities = {_identity(row) for row in rows if self._at(row) is not None}
        paths: dict[Identity, set[str]] = {}
        for row in model.rows():
            if _identity(row) in identities:
                paths.setdefault(_identity(row), set()).add(row.path)
        for identity, files in paths.items():
            self._others |= files - self._seen.keys()
            if len(files) > 1 or not model.is_complete:
                # if not all sessions are known yet, another file with the id may appear later
                self._shared.add(identity)

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
        one = copy(self)
        one.first = self._seen[path]
        one._seen = {path: one.first}
        one._others = self._others | (self._seen.keys() - {path})
        return one

    @property
    def are_all_there(self) -> bool:
        """Whether none of the sessions is gone."""
        return len(self.rows()) == len(self._seen)

    def rows(self) -> list[Row]:
        """The sessions that are there, in the order of the selection."""
        self._follow(self._seen)
        return [row for seen in self._seen.values() if (row := self._at(seen)) is not None]

    def _at(self, seen: Row) -> Row | None:
        """The session at the path where it was seen last."""
        row = self._model.row_at(seen.path)
        return row if row is not None and (row is seen or _identity(row) == _identity(seen)) else None

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
        taken = {seen.path for path, seen in self._seen.items() if path not in lost}
        wanted = {_identity(self._seen[path]) for path in lost}
        free: dict[Identity, list[Row]] = {}
        for row in self._model.rows():
            if _identity(row) in wanted and row.path not in taken and row.path not in self._others:
                free.setdefault(_identity(row), []).append(row)
        if free:
            for path in lost:
                self._take(path, free.get(_identity(self._seen[path]), []))

    def _take(self, path: str, found: list[Row]) -> None:
        """Choose which of the found sessions is the one that was at `path`."""
        seen = self._seen[path]
        row = next((row for row in found if row.ino and row.ino == seen.ino), None)
        identity = _identity(seen)
        if row is None and len(found) == 1 and seen.id and identity not in self._shared:
            row = found[0]
        if row is not None:
            found.remove(row)
            self._seen[path] = row


def _identity(row: Row) -> Identity:
    return row.store, row.agent, row.id
