"""The sessions that a user has marked, to do something with all of them at once."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping

    from app.index.row import Row
    from app.view.list_line import ListLine


class Marks:
    """Paths of marked sessions. They outlast filters and folds, and go with their session."""

    __slots__ = ("paths",)

    def __init__(self) -> None:
        self.paths: set[str] = set()

    def toggle(self, path: str) -> None:
        """Mark a session, or no longer."""
        self.paths ^= {path}

    def clear(self) -> None:
        """Mark nothing."""
        self.paths.clear()

    def keep(self, there: Container[str]) -> None:
        """Forget the sessions that are not there."""
        if self.paths:
            self.paths = {path for path in self.paths if path in there}

    def follow(self, changed: Iterable[Row], removed: Iterable[str], lines: Mapping[str, ListLine]) -> None:
        """Forget sessions that are removed; where one comes under another path (agents rename their folders),
        that one is marked.

        :param lines: the sessions as they were before.
        """
        if not self.paths:
            return
        gone = self.paths.intersection(removed)
        if not gone:
            return
        self.paths -= gone
        rows = [line.row for path in gone if (line := lines.get(path)) is not None]
        identities = {(row.agent, row.id) for row in rows if row is not None}
        self.paths.update(row.path for row in changed if (row.agent, row.id) in identities)
