"""The heartbeat of a search: asks now and then whether to go on, and lets other threads run."""

from __future__ import annotations

import time
from threading import active_count
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

SECONDS = 0.002
_BREATH_SECONDS = 1e-5


class Cancelled(Exception):
    """Nobody waits any more for what is being looked for."""


class CancelToken:
    """Asks `keep_going` at most every two milliseconds, however often it beats."""

    __slots__ = ("_due", "_keep_going", "asked")

    def __init__(self, keep_going: Callable[[], bool]) -> None:
        self._keep_going = keep_going
        self._due = 0.0
        self.asked = 0

    def beat(self) -> None:
        """:raises Cancelled: the search is not wanted any more."""
        if time.perf_counter() < self._due:
            return
        self.asked += 1
        if active_count() > 1:
            # Who waits for the interpreter gets it now, and not after its own five milliseconds. To let go
            # of it for no time at all would wake nobody up.
            time.sleep(_BREATH_SECONDS)
        if not self._keep_going():
            raise Cancelled
        self._due = time.perf_counter() + SECONDS
