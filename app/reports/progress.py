"""How far a command is that takes its time."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.index.scan.deltas import Delta

FIRST_SECONDS, SECONDS = 0.25, 0.1
"""The line is first written after so long, so that short work is done without, and then no more often than
this.
"""


class Progress:
    """Says on standard error how far it is, in one line that goes when it is done; on a terminal only.

    read       is to be told of the deltas of a scan
    compared   is to be told (done, total) of a comparison
    Both are None where there is no terminal: nobody has to be told anything then.
    """

    def __init__(self) -> None:
        terminal = sys.stderr.isatty()
        self.read: Callable[[Delta], object] | None = self._read if terminal else None
        self.compared: Callable[[int, int], object] | None = self._compared if terminal else None
        self._next = time.monotonic() + FIRST_SECONDS
        self._shown = False

    def _read(self, delta: Delta) -> None:
        self._say("reading", delta.done, delta.total)

    def _compared(self, done: int, total: int) -> None:
        self._say("comparing", done, total)

    def end(self) -> None:
        """Take the line away."""
        if self._shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()

    def _say(self, what: str, done: int, total: int) -> None:
        now = time.monotonic()
        if total and now >= self._next:
            self._next = now + SECONDS
            self._shown = True
            sys.stderr.write(f"\r{what} {done:,} of {total:,} files\x1b[K")
            sys.stderr.flush()
