"""Cancellation of a search."""

from __future__ import annotations

import time
from threading import active_count
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

INTERVAL_SECONDS = 0.002
"""The shortest time in seconds between two calls of `keep_going`."""
_YIELD_SECONDS = 1e-5


class Cancelled(Exception):
    """The result of the search is not wanted any more."""


class CancelToken:
    """Calls `keep_going` at most every two milliseconds, and lets other threads run then.

    asked   how often it was called
    """

    __slots__ = ("_due", "_keep_going", "asked")

    def __init__(self, keep_going: Callable[[], bool] = lambda: True) -> None:
        self._keep_going = keep_going
        self._due = 0.0
        self.asked = 0

    def check(self) -> None:
        """Ask whether to go on, if it is time to.

        :raises Cancelled: `keep_going` returned False.
        """
        if time.perf_counter() < self._due:
            return
        self.asked += 1
        if active_count() > 1:
            # A thread that waits for the interpreter gets it now, and not after its five milliseconds.
            # Sleeping for zero seconds would not wake it up.
            time.sleep(_YIELD_SECONDS)
        if not self._keep_going():
            raise Cancelled
        self._due = time.perf_counter() + INTERVAL_SECONDS
