"""Garbage collection while the screen is idle.

By default Python collects whenever a number of objects were made, mostly while a picture is drawn, and a
collection can take longer than the rest of the picture. There is little garbage: hardly more than the closed
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
"""New objects that are worth a collection. A picture makes about two thousand, which need none."""
BACKSTOP = 20 * YOUNG_OBJECTS
"""New objects at which Python collects by itself, because the user types without a pause."""
FULL_EVERY = 16
"""After this many collections of new objects, older ones are collected, too."""


class IdleCollector:
    """Collects now and then, once `begin` was called."""

    def __init__(self) -> None:
        self._used_at = monotonic()
        self._looks = 0

    def begin(self) -> None:
        """Exempt the present objects from collection: they stay to the end."""
        gc.freeze()
        gc.set_threshold(BACKSTOP, *gc.get_threshold()[1:])
        gc.enable()

    def used(self) -> None:
        """Record that a key was pressed."""
        self._used_at = monotonic()

    def look(self) -> None:
        """Collect if the screen is idle and there are enough new objects."""
        # collection is off while a thread makes many objects that stay
        if (
            not gc.isenabled()
            or gc.get_count()[0] < YOUNG_OBJECTS
            or monotonic() - self._used_at < QUIET_SECONDS
        ):
            return
        self._looks += 1
        # the second generation with the first, so that it stays small
        gc.collect(1 if self._looks % FULL_EVERY else 2)
