"""Batches of scan results for the catalog and for the listener."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from app.index.row import unread

if TYPE_CHECKING:
    from collections.abc import Callable
    from threading import Event

    from app.index.catalog.catalog import Catalog
    from app.index.row import Reading, Row, Signature

    OnDelta = Callable[["Delta"], object]

DELTA_SECONDS = 0.05
"""The shortest time in seconds between two deltas."""

BURST_SECONDS = 0.12
"""The longest pause in seconds between two deltas. Users cannot read faster, and drawing costs more than
reading files.
"""

ENTRY_SECONDS = 0.005
"""Seconds that each reported entry adds to the time until the next delta."""

SAVED_FROM = 256
"""The number of results that are stored at a time, and the most that a kill can lose. Fewer are stored before
a delta and at the end of a pass.
"""


class Delta:
    """A change of the list, and the progress of the scan.

    changed   rows that are new or have changed
    removed   paths whose rows are removed
    done      number of files of this pass that are finished
    total     number of files of this pass
    """

    __slots__ = ("changed", "done", "removed", "total")

    def __init__(self, changed: list[Row], removed: list[str], done: int, total: int) -> None:
        self.changed = changed
        self.removed = removed
        self.done = done
        self.total = total

    def __repr__(self) -> str:
        return f"Delta({self.changed!r}, removed={self.removed!r}, {self.done}/{self.total})"


class DeltaThrottle:
    """Limits the rate of deltas across passes: the first change is reported at once, and the pause before the
    next one grows with the number of entries.
    """

    __slots__ = ("_seconds", "_sent_at")

    def __init__(self) -> None:
        self._sent_at = 0.0
        self._seconds = DELTA_SECONDS

    def pause(self) -> float:
        """Seconds until the next delta may be sent; zero or less if it may be sent now."""
        return self._sent_at + self._seconds - time.monotonic()

    def mark(self, entries: int) -> None:
        """Take note that a delta of this many entries has just been sent."""
        self._sent_at = time.monotonic()
        self._seconds = min(BURST_SECONDS, DELTA_SECONDS + ENTRY_SECONDS * entries)


class DeltaBatch:
    """Collects the results of one pass. Every result is stored before it is reported."""

    def __init__(
        self,
        known: dict[str, Signature],
        catalog: Catalog,
        on_delta: OnDelta | None,
        throttle: DeltaThrottle,
        stop: Event,
        total: int,
    ) -> None:
        """:param known: path -> signature of what was reported; this class keeps it current."""
        self._known = known
        self._catalog = catalog
        self._on_delta = on_delta
        self._throttle = throttle
        self._stop = stop
        self._total = total
        self._begun: float | None = None
        self._entries = 0
        self._done = 0
        self._reported_done = 0
        self._readings: list[Reading] = []
        self._rows: list[Row] = []
        self._removed: list[str] = []
        self._gone: list[str] = []
        self.hinted: set[str] = set()

    def hint(self, row: Row) -> None:
        """Show a provisional row until the file is read. It is not stored."""
        self._rows.append(row)
        self.hinted.add(row.path)
        self._known[row.path] = unread(row.signature)

    def put(self, reading: Reading, entries: int = 1) -> None:
        """Store the reading of a file and show its row.

        :param entries: the number of new entries if the file was known.
        """
        self._entries += entries
        self._readings.append(reading)
        self.show(reading.row)

    def show(self, row: Row) -> None:
        """Show a row that the catalog has already, or remove it from the list if it is refused."""
        if row.refused is None:
            self._rows.append(row)
        elif row.path in self._known:
            self._removed.append(row.path)
            self._drop_hints({row.path})
        self._known[row.path] = row.signature
        self._done += 1

    def drop(self, paths: list[str]) -> None:
        """Remove the rows of files that no longer exist."""
        self._gone += paths
        self._removed += paths
        self._drop_hints(set(paths))
        for path in paths:
            self._known.pop(path, None)

    def _drop_hints(self, paths: set[str]) -> None:
        """Drop the waiting provisional rows of removed files, so that a delta does not name a path twice."""
        if not self.hinted.isdisjoint(paths):
            self._rows = [row for row in self._rows if row.path not in paths]

    def counted(self) -> None:
        """Count one more finished file of this pass."""
        self._done += 1

    def send_if_due(self) -> None:
        """`send`, if the next delta may be sent now. A short pass is reported at its end, in one delta."""
        now = time.monotonic()
        if self._begun is None:
            self._begun = now
        if self._throttle.pause() <= 0 and now - self._begun >= DELTA_SECONDS:
            self.send()

    def send(self, always: bool = False) -> None:
        """Send the collected results to the listener.

        :param always: also if nothing has changed.
        """
        if len(self._readings) >= SAVED_FROM:
            self._save()
        if self._on_delta and (always or self._rows or self._removed or self._done != self._reported_done):
            pause = self._throttle.pause()
            if pause > 0:
                self._stop.wait(pause)
            # The listener of a row may ask for its text.
            self._save()
            self._on_delta(Delta(self._rows, self._removed, self._done, self._total))
            self._reported_done = self._done
            self._throttle.mark(self._entries)
            self._entries = 0
        self._rows, self._removed = [], []

    def end(self, always: bool = False) -> None:
        """Store the results, then `send`."""
        self._save()
        self.send(always)

    def _save(self) -> None:
        if self._gone:
            self._catalog.remove(self._gone)
            self._gone = []
        if self._readings:
            self._catalog.save(self._readings)
            for reading in self._readings:
                # It is stored now, and the ten thousand rows of the listener need less memory without it.
                reading.row.first_message = ""
            self._readings = []
