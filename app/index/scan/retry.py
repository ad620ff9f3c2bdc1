"""Reads the catalog after a scan, and scans again if the catalog turns out to be damaged.

A scan reads only the signatures. An unreadable row is found only when the rows are read; all rows are lost
then, and an answer from the new, empty catalog would be wrong without a sign of it.
"""

from __future__ import annotations

import time
from threading import Event, Lock, get_ident
from typing import TYPE_CHECKING

from app.index.scan.scan import Scanner

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeVar

    from app.index.catalog.catalog import Catalog
    from app.index.scan.walk import WalkResult
    from app.index.text.store import TextStore
    from app.stores.base import Store

    Result = TypeVar("Result")

TIMES = 3
"""The most scans that are repeated. They do not help if the disk loses data that fast."""

PATIENCE_SECONDS = 10.0
"""Seconds that an answer waits for another thread that reads all files again. The wait has an end, because
that thread may have to report to the waiting one.
"""

_TICK_SECONDS = 0.02


class RescanningReader:
    """Reads a catalog, and scans again if it was lost. A thread that scans or watches holds it as a context
    manager, one thread at a time.
    """

    def __init__(self, catalog: Catalog, scanner: Scanner) -> None:
        """:param scanner: scans into the catalog."""
        self._busy = Lock()
        self._busy_thread: int | None = None
        self._catalog = catalog
        self._scanner = scanner
        self._generation: int | None = None

    def __enter__(self) -> None:
        self._busy.acquire()
        self._busy_thread = get_ident()

    def __exit__(self, *_: object) -> None:
        self._let_go()

    def _let_go(self) -> None:
        self._busy_thread = None
        self._busy.release()

    def read(
        self, scan: Callable[[], object], read: Callable[[], Result], *, scan_first: bool = False
    ) -> Result:
        """Return the result of `read`, after another `scan` if the stored rows were lost since the last scan
        began. Use it inside the context manager.

        :param scan_first: scan in any case.
        """
        for times in range(1 + TIMES):
            if times or scan_first:
                self._generation = self._catalog.generation
                scan()
            result = read()
            if self._generation in (None, self._catalog.generation):
                break
        return result

    def ask(self, scan: Callable[[], object], read: Callable[[], Result], *, waits: bool = True) -> Result:
        """Like `read`, for any thread and at any time. If another thread is scanning, this waits until that
        thread has scanned again.

        :param waits: False if the answer does not need the lost rows. Then, and after `PATIENCE_SECONDS`, and
            in the scanning thread itself, the answer may be incomplete; `Scanner.is_behind` is true then.
        """
        waits = waits and self._busy_thread != get_ident()
        until = time.monotonic() + PATIENCE_SECONDS
        while not self._busy.acquire(blocking=False):
            result = read()
            if not self._waited(until if waits else 0.0):
                return result
        self._busy_thread = get_ident()
        try:
            return self.read(scan, read)
        finally:
            self._let_go()

    def _waited(self, until: float) -> bool:
        """Wait while rows are missing. Return whether any were missing, so that reading again helps."""
        was_behind = False
        while self._scanner.is_behind and time.monotonic() < until:
            was_behind = True
            # A thread that has ended meanwhile does not scan again.
            if self._busy.acquire(timeout=_TICK_SECONDS):
                self._busy.release()
                break
        return was_behind


def make_current(
    catalog: Catalog,
    text_store: TextStore,
    stores: Sequence[Store],
    now: Callable[[], int],
    found: WalkResult,
    read: Callable[[], Result],
) -> Result:
    """Bring `catalog` up to date with the files that a walk of `stores` has just found. Raises nothing.

    :param now: the time in milliseconds.
    :param found: the result of the walk; files that cannot be read or are no sessions are added to its
        complaints.
    :param read: reads the wanted result from the catalog.
    :return: the result of `read`.
    """
    scanner = Scanner(catalog, text_store, stores, now)
    scanner.begin(catalog.signatures())

    def scan() -> None:
        # A list needs no text; a search has the missing texts read again.
        scanner.scan(None, Event(), found=found, texts=False)
        catalog.tidy(now())

    result = RescanningReader(catalog, scanner).read(scan, read, scan_first=True)
    found.complaints += scanner.unreadable.unread().items()
    found.complaints += [(path, "no session") for path in catalog.refused_paths()]
    return result
