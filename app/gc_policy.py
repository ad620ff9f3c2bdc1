"""Garbage collection while the screen is idle, and memory that goes back to the system.

By default, Python collects after a certain number of new objects, which is mostly while a frame is drawn, and
a collection can take longer than the rest of the frame. There is little garbage: hardly more than the closed
screens.
"""

from __future__ import annotations

import gc
from time import monotonic

CHECK_SECONDS = 2.0
"""Seconds between two checks."""
QUIET_SECONDS = 1.0
"""Seconds without a key after which the screen counts as idle."""
YOUNG_OBJECTS = 10_000
"""Number of new objects that are worth a collection. A frame makes about two thousand."""
BACKSTOP = 20 * YOUNG_OBJECTS
"""Number of new objects at which Python collects by itself, for users who type without a pause."""
FULL_EVERY = 16
"""The number of collections of which one also collects old objects."""

LARGE_BLOCK = 256 << 10
"""Bytes. The C library gives a larger block back to the system when it is freed. By default this limit grows
to 32 MB with the blocks that are freed, and the screen of a session of 350,000 entries keeps 70 MB that it
does not need any more.
"""
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3

LONG_TREE = 5_000
"""Number of entries from which on a tree is exempt from collection."""


def exempt_tree(entries: int) -> None:
    """Exempt a tree that was just read from collection, if it is long: looking at it blocks the screen, and
    it is freed without the collector (app.sessions.tree.node).
    """
    if entries >= LONG_TREE:
        gc.freeze()


class IdleCollector:
    """Collects garbage when `look` is called while the screen is idle."""

    def __init__(self) -> None:
        self._used_at = monotonic()
        self._collections = 0

    def begin(self) -> None:
        """Turn collection on, and exempt the present objects from it, because they stay to the end."""
        gc.freeze()
        gc.set_threshold(BACKSTOP, *gc.get_threshold()[1:])
        gc.enable()
        try:
            # Imported here: the first picture needs no C library.
            import ctypes

            # Only glibc has it.
            for option in (_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD):
                ctypes.CDLL(None).mallopt(option, LARGE_BLOCK)
        except (ImportError, OSError, AttributeError):
            pass

    def used(self) -> None:
        """Record that a key was pressed."""
        self._used_at = monotonic()

    def look(self) -> None:
        """Collect if the screen is idle and there are enough new objects."""
        # Collection is off until `begin`.
        if (
            not gc.isenabled()
            or gc.get_count()[0] < YOUNG_OBJECTS
            or monotonic() - self._used_at < QUIET_SECONDS
        ):
            return
        self._collections += 1
        # Generation 1 is collected with generation 0, so that it stays small.
        gc.collect(1 if self._collections % FULL_EVERY else 2)
