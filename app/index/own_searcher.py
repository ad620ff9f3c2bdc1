"""The searcher of an index: made for whoever asks first, and told of what changes from then on.

Nothing of a search is imported, and no row taken in, before somebody asks.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from app.index.catalog.catalog import Catalog
    from app.index.row import Row
    from app.index.scan.deltas import Delta, OnDelta
    from app.index.search.engine import SearchEngine
    from app.stores.base import Store


def _ignored(delta: Delta) -> None:
    """For who wants no deltas."""


class OwnSearcher:
    """`listening`, `telling` and `catch_up` are for the thread that scans; any may ask for the searcher."""

    def __init__(
        self, catalog: Catalog, stores: Sequence[Store], home: str, unread: Callable[[], Mapping[str, str]]
    ) -> None:
        """See `SearchEngine`."""
        self._catalog = catalog
        self._stores = stores
        self._home = home
        self._unread = unread
        self._lock = threading.Lock()
        self._searcher: SearchEngine | None = None
        # The rows as they were given out first, and what was told of since, for whoever searches first; None:
        # it is gone.
        self._given: list[Row] | None = None
        self._told: dict[str, Row | None] = {}

    @property
    def has_rows(self) -> bool:
        """Whether the searcher has all sessions without asking the catalog for them."""
        return self._searcher is not None or self._given is not None

    def give(self, rows: list[Row]) -> None:
        """The rows that the deltas of later scans are against: with them the catalog need not be asked."""
        self._given = rows

    def searcher(self) -> SearchEngine:
        """The searcher, which knows all sessions that are known by now."""
        # A list that is only printed needs nothing of it.
        from app.index.search.engine import SearchEngine

        with self._lock:
            if self._searcher is None:
                self._searcher = SearchEngine(
                    self._catalog, self._stores, home=self._home, unread=self._unread
                )
                given, self._given = self._given, None
                told, self._told = self._told, {}
                if given is not None:
                    known = {row.path: row for row in given} | told
                    self._searcher.load([row for row in known.values() if row is not None])
                else:
                    gone = [path for path, row in told.items() if row is None]
                    self._searcher.update([row for row in told.values() if row is not None], gone)
                    # Now, and not by the first search: whoever asked sees whether the rows were lost.
                    self._searcher.load()
            return self._searcher

    def listening(self, on_delta: OnDelta | None) -> OnDelta | None:
        """What a scan is to tell of what it finds; None for nobody: then `catch_up` follows it."""
        if on_delta is not None:
            return self.telling(on_delta)
        if self._searcher is not None or self._given:
            # Somebody listens after all.
            return self.telling(_ignored)
        # Nobody will know what has come since.
        self._given = None
        return None

    def telling(self, on_delta: OnDelta) -> OnDelta:
        """Tells the searcher, then `on_delta`."""

        def tell(delta: Delta) -> object:
            with self._lock:
                if self._searcher is None:
                    self._told.update(dict.fromkeys(delta.removed))
                    self._told.update((row.path, row) for row in delta.changed)
                else:
                    self._searcher.update(delta.changed, delta.removed)
            return on_delta(delta)

        return tell

    def catch_up(self) -> None:
        """A scan that told nobody has ended."""
        if self._searcher is not None:
            # Somebody began to listen in the middle, and was told nothing.
            self._searcher.load()
