"""Reading what a scan has brought up to date, and again when the catalog turns out to be damaged.

A scan asks for signatures and for nothing else. That a row cannot be read shows when it is asked for, and
then all that was stored is lost: an answer from the new and empty catalog would be wrong, and nobody would
know.
"""

from __future__ import annotations

from threading import Lock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    from app.index.catalog import Catalog

    Result = TypeVar("Result")

TIMES = 3
"""So often it is scanned again. A disk that loses what was written as fast as that is beyond help."""


class Scanned:
    """Reads a catalog for whoever has it scanned.

    busy   held by the thread that scans or watches
    """

    def __init__(self, catalog: Catalog) -> None:
        self.busy = Lock()
        self._catalog = catalog
        self._generation: int | None = None
        self._told: int | None = None

    def read(
        self, scan: Callable[[], object], read: Callable[[], Result], *, scan_first: bool = False
    ) -> Result:
        """What `read` finds: after another `scan`, if what was stored has been lost since the last one began.
        To be used by who holds `busy`.

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

    def ask(
        self, scan: Callable[[], object], read: Callable[[], Result], lost: Callable[[], object]
    ) -> Result:
        """The same for any thread, before or after a scan, or beside it.

        :param lost: is called instead of `scan` where another thread scans or watches: the answer is what is
            known by now.
        """
        if not self.busy.acquire(blocking=False):
            result = read()
            now = self._catalog.generation
            if now not in (self._generation, self._told):
                self._told = now
                lost()
            return result
        try:
            return self.read(scan, read)
        finally:
            self.busy.release()
