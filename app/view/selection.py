"""The sessions that a question, an editor or a dialog is about, wherever their files are by now.

Agents rename their folders
(formats/README.md, "oh-my-pi"), also while somebody thinks about an answer: a session is known by
its store and its id. Two files may have the same id; then the one that is meant is known by its file as well.
"""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from app.index.row import Row
    from app.view.session_list import SessionList

    Identity = tuple[str, str, str]


class StableSelection:
    """Some sessions of a list, looked up anew whenever they are asked for.

    first   of them, as it was at the beginning
    """

    def __init__(self, model: SessionList, rows: Sequence[Row]) -> None:
        """:param rows: at least one, as they are now; each is known by this path to `now`."""
        self._model = model
        self.first = rows[0]
        # path at first -> the session, as it was seen last
        self._seen = {row.path: row for row in rows}
        # other files of the same ids, and the ids that do not tell which file is meant
        self._others: set[str] = set()
        self._shared: set[Identity] = set()
        meant = {_identity(row) for row in rows if self._at(row) is not None}
        paths: dict[Identity, set[str]] = {}
        for row in model.rows():
            if _identity(row) in meant:
                paths.setdefault(_identity(row), set()).add(row.path)
        for identity, some in paths.items():
            self._others |= some - self._seen.keys()
            if len(some) > 1 or not model.is_complete:
                # where not all are known yet, what comes later may have been there all the time
                self._shared.add(identity)

    @property
    def row(self) -> Row | None:
        """The first of them; None where it is gone."""
        return self.now(self.first.path)

    def now(self, path: str) -> Row | None:
        """The session that was at `path` at first; None where it is gone."""
        self._follow((path,))
        return self._at(self._seen[path])

    def only(self, path: str) -> StableSelection:
        """The one that was at `path` at first, alone."""
        one = copy(self)
        one.first = self._seen[path]
        one._seen = {path: one.first}
        one._others = self._others | (self._seen.keys() - {path})
        return one

    @property
    def are_all_there(self) -> bool:
        """Whether none is gone."""
        return len(self.rows()) == len(self._seen)

    def rows(self) -> list[Row]:
        """Those that are there, in the order of the beginning."""
        self._follow(self._seen)
        return [row for seen in self._seen.values() if (row := self._at(seen)) is not None]

    def _at(self, seen: Row) -> Row | None:
        """The session where it was seen last."""
        row = self._model.row_at(seen.path)
        return row if row is not None and (row is seen or _identity(row) == _identity(seen)) else None

    def _follow(self, paths: Iterable[str]) -> None:
        """Find those of them that are not where they were."""
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
        """Take one of the sessions that were found for the one that was at `path`."""
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
