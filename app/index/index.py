"""The index as the rest of the program sees it: rows at once, then what changes (DESIGN)."""

from __future__ import annotations

import os
import threading
import time

from app.index.catalog import Catalog
from app.index.scan import Delta, Scanner

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from app.index.batch import OnDelta
    from app.index.follow import Follower
    from app.index.row import Row
    from app.index.scan import Counts
    from app.stores.base import Store
    from app.stores.layout import Complaint

__all__ = ["Delta", "Index"]


def _wall_clock() -> int:
    return time.time_ns() // 1_000_000


class Index:
    """The sessions of `stores`, kept in a cache folder and kept current.

    One thread calls `scan` or `follow`; `rows`, `problem_files`, `note` and `rescan` may be used from others.
    Nothing is written but the catalog in the cache folder.
    """

    def __init__(
        self,
        stores: Sequence[Store],
        cache_folder: str,
        now: Callable[[], int] = _wall_clock,
        *,
        poll: bool | None = None,
    ) -> None:
        """:param now: the time in milliseconds, for when a file was seen to grow.
        :param poll: look for changes instead of being told; None: as the variable LEAFMARK_POLL says.
        """
        self.catalog = Catalog(cache_folder, stores)
        self._stores = stores
        self._now = now
        self._scanner = Scanner(self.catalog, stores, now)
        self._poll = os.environ.get("LEAFMARK_POLL", "") not in ("", "0") if poll is None else poll
        self._follower: Follower | None = None
        self._begun = False
        self._rescan = threading.Event()

    @property
    def counts(self) -> Counts:
        """What scanning has cost so far."""
        return self._scanner.counts

    @property
    def note(self) -> str | None:
        """One line about what does not work as it should here, else None."""
        return self.catalog.note or (self._follower.note if self._follower else None)

    def rows(self, full: bool = False) -> list[Row]:
        """The sessions as stored, newest first; before the first scan they may be out of date.

        The deltas of a later `scan` or `follow` are against what this returned the first time; without it,
        against what is stored when the scan begins.

        :param full: with their first messages.
        """
        rows = self.catalog.rows(full)
        if not self._begun:
            self._begun = True
            listed = {row.path: row.signature for row in rows}
            self._scanner.begin(listed | {row.path: row.signature for row in self.catalog.refused()})
        return rows

    def newest(self, limit: int) -> tuple[list[Row], int]:
        """The newest sessions as stored, without their first messages, and the number of all."""
        return self.catalog.newest(limit)

    def scan(
        self,
        on_delta: OnDelta | None = None,
        stop: threading.Event | None = None,
        *,
        gentle: bool = False,
    ) -> None:
        """Bring the catalog up to date once, reading the newest files first.

        :param on_delta: is called in this thread at most every 50 ms while there are results, and at the end
            of the first scan in any case.
        :param stop: set by another thread to end soon; what has been read is kept.
        :param gentle: leave room for the thread of the screen.
        """
        if not self._begun:
            self._begun = True
            self._scanner.begin(self.catalog.signatures())
        self._scanner.scan(on_delta, stop or threading.Event(), gentle)
        self.catalog.tidy(self._now())

    def follow(self, on_delta: OnDelta, stop: threading.Event) -> None:
        """`scan`, then keep current until `stop` is set."""
        # A list that is printed once needs nothing of what follows files.
        from app.index.follow import Follower

        follower = self._follower = Follower(self._scanner, self._stores, poll=self._poll)
        try:
            self.scan(on_delta, stop, gentle=True)
            if not stop.is_set():
                follower.run(on_delta, stop, self._rescan)
        finally:
            self.catalog.close()

    def rescan(self) -> None:
        """Have `follow` look at every file again, soon."""
        self._rescan.set()

    def problem_files(self) -> list[Row]:
        """The files that are no sessions, with the reason in `refused`, by path."""
        return self.catalog.refused()

    @property
    def complaints(self) -> list[Complaint]:
        """(path, reason) of folders and files that the last scan passed over or could not read."""
        return list(self._scanner.complaints)

    def close(self) -> None:
        """Let go of the catalog's file."""
        self.catalog.close()
