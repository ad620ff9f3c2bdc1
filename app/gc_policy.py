"""When Python's collector of garbage looks: while nobody waits for a picture.

Of its own accord it looks as soon as there are so many new objects, mostly in the middle of a picture, and
one look can take longer than the rest of it. What is garbage is hardly more than the screens that were left.
"""

from __future__ import annotations

import gc
from time import monotonic

EVERY = 2.0
"""Seconds between two times that it may look."""
QUIET = 1.0
"""Seconds without a key after which nobody waits."""
YOUNG_OBJECTS = 10_000
"""So many new objects are worth a look; a picture of the screen is some two thousand, which go without it."""
BACKSTOP = 20 * YOUNG_OBJECTS
"""So many, and it looks of its own accord: somebody types without a pause."""
YOUNG_LOOKS = 16
"""After so many looks at what is new it looks at what is older, too."""


class SpareTime:
    """Looks now and then, once `begin` was called."""

    def __init__(self) -> None:
        self._used_at = monotonic()
        self._looks = 0

    def begin(self) -> None:
        """What is there by now stays to the end: nobody is to look at it."""
        gc.freeze()
        gc.set_threshold(BACKSTOP, *gc.get_threshold()[1:])
        gc.enable()

    def used(self) -> None:
        """Somebody waits for a picture."""
        self._used_at = monotonic()

    def look(self) -> None:
        """Look, if there is time for it and reason to."""
        # it rests while a thread makes many that stay
        if not gc.isenabled() or gc.get_count()[0] < YOUNG_OBJECTS or monotonic() - self._used_at < QUIET:
            return
        self._looks += 1
        # the older of the new ones with them: so that there never are many
        gc.collect(1 if self._looks % YOUNG_LOOKS else 2)
