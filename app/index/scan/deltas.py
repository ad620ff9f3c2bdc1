"""Results of a scan on their way to the catalog and to whoever listens."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from app.index.row import unread

if TYPE_CHECKING:
    from collections.abc import Callable
    from threading import Event

    from app.index.catalog.catalog import Catalog
    from app.index.parse_result import Reading
    from app.index.row import Row, Signature

    OnDelta = Callable[["Delta"], object]

DELTA_SECONDS = 0.05
"""Deltas are no closer together than this."""

BURST_SECONDS = 0.12
"""What that grows to under load: nobody reads faster, and drawing costs more than reading does."""

ENTRY_SECONDS = 0.005
"""It grows by so much for each entry that was told of."""

SAVED_FROM = 256
"""So many results are stored at a time; fewer when they are told of, and at the end of a pass. They are what
a kill may cost.
"""


class Delta:
    """What has changed: rows to put in, paths to take out; `done` of `total` files of this pass are read."""

    __slots__ = ("changed", "done", "removed", "total")

    def __init__(self, changed: list[Row], removed: list[str], done: int, total: int) -> None:
        self.changed = changed
        self.removed = removed
        self.done = done
        self.total = total

    def __repr__(self) -> str:
        return f"Delta({self.changed!r}, removed={self.removed!r}, {self.done}/{self.total})"


class Pace:
    """When the listener was told last, across passes, and how long to wait before telling it more: the first
    change is told at once, the next ones the later the more they are.
    """

    __slots__ = ("_seconds", "_told")

    def __init__(self) -> None:
        self._told = 0.0
        self._seconds = DELTA_SECONDS

    def pause(self) -> float:
        """Seconds until the listener may be told again; not positive when it may."""
        return self._told + self._seconds - time.monotonic()

    def mark(self, entries: int) -> None:
        """The listener has just been told of what so many entries have changed."""
        self._told = time.monotonic()
        self._seconds = min(BURST_SECONDS, DELTA_SECONDS + ENTRY_SECONDS * entries)


class Batch:
    """Gathers the results of one pass. What is told of is stored."""

    def __init__(
        self,
        known: dict[str, Signature],
        catalog: Catalog,
        on_delta: OnDelta | None,
        pace: Pace,
        stop: Event,
        total: int,
    ) -> None:
        """:param known: what the listener has been told of; kept up to date."""
        self._known = known
        self._catalog = catalog
        self._on_delta = on_delta
        self._pace = pace
        self._stop = stop
        self._total = total
        self._begun: float | None = None
        self._entries = 0
        self._done = 0
        self._done_told = 0
        self._readings: list[Reading] = []
        self._rows: list[Row] = []
        self._removed: list[str] = []
        self._gone: list[str] = []
        self.hinted: set[str] = set()

    def hint(self, row: Row) -> None:
        """A provisional row: show it until the file is read, and store nothing."""
        self._rows.append(row)
        self.hinted.add(row.path)
        self._known[row.path] = unread(row.signature)

    def put(self, reading: Reading, entries: int = 1) -> None:
        """A file was read: store it and show its row.

        :param entries: how many of them are new, of a file that was known.
        """
        self._entries += entries
        self._readings.append(reading)
        self.show(reading.row)

    def show(self, row: Row) -> None:
        """A row is as it should be in the catalog: show it, or take it off the list if it is refused."""
        if row.refused is None:
            self._rows.append(row)
        elif row.path in self._known:
            self._removed.append(row.path)
            self._tell_not_of({row.path})
        self._known[row.path] = row.signature
        self._done += 1

    def drop(self, paths: list[str]) -> None:
        """Files are gone."""
        self._gone += paths
        self._removed += paths
        self._tell_not_of(set(paths))
        for path in paths:
            self._known.pop(path, None)

    def _tell_not_of(self, paths: set[str]) -> None:
        """What a listener is told is gone is not among what has changed: of a file whose ends were read a row
        may be waiting.
        """
        if not self.hinted.isdisjoint(paths):
            self._rows = [row for row in self._rows if row.path not in paths]

    def counted(self) -> None:
        """One more file of this pass is done with."""
        self._done += 1

    def tell_now_and_then(self) -> None:
        """`tell`, unless that was done a moment ago; a short pass is told of at its end, in one go."""
        now = time.monotonic()
        if self._begun is None:
            self._begun = now
        if self._pace.pause() <= 0 and now - self._begun >= DELTA_SECONDS:
            self.tell()

    def tell(self, always: bool = False, *, at_once: bool = False) -> None:
        """Tell the listener what there is.

        :param always: even when nothing has changed.
        :param at_once: even when it has just been told something: this is what it waits for.
        """
        if len(self._readings) >= SAVED_FROM:
            self._save()
        if self._on_delta and (always or self._rows or self._removed or self._done != self._done_told):
            pause = self._pace.pause()
            if pause > 0 and not at_once:
                self._stop.wait(pause)
            # Whoever is told of a row may ask where its text is.
            self._save()
            self._on_delta(Delta(self._rows, self._removed, self._done, self._total))
            self._done_told = self._done
            self._pace.mark(self._entries)
            self._entries = 0
        self._rows, self._removed = [], []

    def end(self, always: bool = False) -> None:
        """Store what there is, then `tell`."""
        self._save()
        self.tell(always)

    def _save(self) -> None:
        if self._gone:
            self._catalog.remove(self._gone)
            self._gone = []
        if self._readings:
            self._catalog.save(self._readings)
            for reading in self._readings:
                # It is stored; in the listener's ten thousand rows it would only weigh.
                reading.row.first_message = ""
            self._readings = []
