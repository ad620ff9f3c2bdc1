"""The sessions that a user has marked, to do something with all of them at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping

    from app.index.row import Row
    from app.view.list_line import ListLine


class Marks:
    """Paths of marked sessions. They outlast filters and folds, and go with their session."""

    __slots__ = ("_away", "paths")

    def __init__(self) -> None:
        self.paths: set[str] = set()
        # Agents and ids of marked sessions that have gone: where an agent renames a folder of hundreds, all
        # are gone at first, and come again under other paths bit by bit.
        self._away: set[tuple[str, str]] = set()

    def toggle(self, path: str) -> None:
        """Mark a session, or no longer. What has gone is not marked any more should it come back."""
        self.paths ^= {path}
        self._away.clear()

    def clear(self) -> None:
        """Mark nothing."""
        self.paths.clear()
        self._away.clear()

    def keep(self, there: Container[str]) -> None:
        """Forget the sessions that are not there."""
        if self.paths:
            self.paths = {path for path in self.paths if path in there}

    def follow(self, changed: Iterable[Row], removed: Iterable[str], lines: Mapping[str, ListLine]) -> None:
        """Forget sessions that are removed; where one comes again, mostly under another path (agents rename
        their folders), that one is marked.

        :param lines: the sessions as they were before.
        """
        gone = self.paths.intersection(removed)
        if gone:
            self.paths -= gone
            rows = [line.row for path in gone if (line := lines.get(path)) is not None]
            self._away.update((row.agent, row.id) for row in rows if row is not None)
        if self._away:
            for row in changed:
                # a copy with the same id that was there before is another one
                if (row.agent, row.id) in self._away and (row.path not in lines or row.path in gone):
                    self._away.discard((row.agent, row.id))
                    self.paths.add(row.path)
