"""Letting the garbage collector rest while many long-lived objects are made.

Ten thousand rows or entries are no garbage, but the collector would look at all of them again and again while
they come. On the fast path of the first frame: `gc` is imported when it is needed.
"""

from __future__ import annotations


class Resting:
    """While this is open no garbage is collected in the process; afterwards it is again, if it was before."""

    __slots__ = ("_was_on",)

    def __init__(self) -> None:
        self._was_on = False

    def __enter__(self) -> None:
        import gc

        self._was_on = gc.isenabled()
        gc.disable()

    def __exit__(self, *_: object) -> None:
        if self._was_on:
            import gc

            gc.enable()
