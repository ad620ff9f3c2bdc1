"""What came of looking at every store again, in a line."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

LOOKING_AGAIN = "looking again…"


class RescanReport:
    """Counts sessions, each once however often it is told of."""

    def __init__(self) -> None:
        self._new: set[str] = set()
        self._changed: set[str] = set()
        self._gone: set[str] = set()

    def add(self, there: Iterable[str], known: Collection[str], gone: Iterable[str]) -> None:
        """Paths of sessions that are told of; those of them that were known before; those that are gone."""
        for path in there:
            (self._changed if path in known and path not in self._new else self._new).add(path)
        self._gone.update(gone)

    def words(self) -> str:
        """How it ended."""
        counts = ((self._new, "new"), (self._changed, "changed"), (self._gone, "gone"))
        said = [f"{len(paths):,} {word}" for paths, word in counts if paths]
        return f"Looked again: {', '.join(said) or 'nothing has changed'}"
