"""Reading what a scan has brought up to date, and again when the catalog turns out to be damaged.

A scan asks for signatures and for nothing else. That a row cannot be read shows when it is asked for, and
then all that was stored is lost: an answer from the new and empty catalog would be wrong, and nobody would
know.
"""

from __future__ import annotations

import time
from threading import Lock, get_ident
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    from app.index.catalog.catalog import Catalog
    from app.index.scan.scan import Scanner

    Result = TypeVar("Result")

TIMES = 3
"""So often it is scanned again. A disk that loses what was written as fast as that is beyond help."""

PATIENCE_SECONDS = 10.0
"""So long an answer waits for another thread that reads everything again. That one may wait in turn for
whoever asks, to tell of what it has read.
"""

_TICK_SECONDS = 0.02


class Scanned:
    """Reads a catalog for whoever has it scanned. Who scans or watches does so within it: one thread at a
    time.
    """

    def __init__(self, catalog: Catalog, scanner: Scanner) -> None:
        """:param scanner: with which it is scanned."""
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
        """What `read` finds: after another `scan`, if what was stored has been lost since the last one began.
        To be used within.

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
        """The same for any thread, before or after a scan, or beside it: then it is the other thread that
        scans again, and is waited for.

        :param waits: not where what was lost is not asked for. Without it, after `PATIENCE_SECONDS`, or where
            the thread that scans asks itself, the answer is what is known by now: `Scanner.is_behind` then.
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
        """Wait while rows are missing; whether they had been, and it makes sense to ask again."""
        was_behind = False
        while self._scanner.is_behind and time.monotonic() < until:
            was_behind = True
            # Who has ended in between will not scan again.
            if self._busy.acquire(timeout=_TICK_SECONDS):
                self._busy.release()
                break
        return was_behind
