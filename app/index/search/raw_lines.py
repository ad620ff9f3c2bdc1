"""The lines of a file in which something is found, from top to bottom, before anything is decoded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.index.search.grep.reverse_reader import read_into

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from app.index.search.grep.finders import Finder

_FIRST = 32 << 10
"""What is said often is said soon: who has found it there reads no more."""
_SIZE = 256 << 10
"""As much is looked through at once as stays in the processor's cache."""


class RawLines:
    """Looks through files, one after the other, for what `finders` find.

    read   bytes that were read so far
    """

    def __init__(self, finders: Sequence[Finder]) -> None:
        self.read = 0
        self._buffer = bytearray(_SIZE)
        self._begin = self._end = 0
        self._finders = finders
        self._ahead: list[tuple[int, Finder]] = []
        self._descriptor = -1
        self._base = self._stop = 0
        self._nearest = -1
        self._size = _FIRST
        self._is_last = False

    def open(self, descriptor: int) -> None:
        """Go on with another file."""
        self._descriptor = descriptor
        self._base, self._stop, self._size, self._is_last = 0, 0, _FIRST, False
        if len(self._buffer) > _SIZE:
            self._buffer = bytearray(_SIZE)

    def next(self, at: int, beat: Callable[[], object]) -> int:
        """Where the first line begins in which something is found, of the one at `at` and those after it; -1
        where there is none. Lines before that are not asked for any more.

        :param at: where a line begins.
        :param beat: called every tenth of a millisecond or so.
        :raises OSError: the file cannot be read.
        """
        start = at - self._base
        if start >= self._stop:
            if self._is_last or not self._go_to(at):
                return -1
            start = at - self._base
        buffer, stop = self._buffer, self._stop
        while True:
            if self._nearest < start:
                self._look_on(start)
            if self._nearest < stop:
                self._begin = max(start, buffer.rfind(b"\n", start, self._nearest) + 1)
                end = buffer.find(b"\n", self._nearest, stop)
                self._end = stop if end < 0 else end
                return self._base + self._begin
            beat()
            if self._is_last or not self._go_to(self._base + stop):
                return -1
            buffer, start, stop = self._buffer, 1, self._stop

    def _look_on(self, start: int) -> None:
        """Find what is nearest from `start` on. A finder that finds nothing more is not asked again."""
        buffer, stop = self._buffer, self._stop
        self._ahead = [
            (there, finder)
            for place, finder in self._ahead
            if (there := place if place >= start else finder(buffer, start, stop)) >= 0
        ]
        self._nearest = min([place for place, _ in self._ahead], default=stop)

    def line(self) -> bytes:
        """The line that was found last."""
        return bytes(self._buffer[self._begin : self._end])

    def block(self) -> tuple[int, bytes]:
        """The same with the LF before it and the one behind it, if any, and where that is in the file."""
        start = max(0, self._begin - 1)
        return self._base + start, bytes(self._buffer[start : min(self._end + 1, self._stop)])

    def _go_to(self, at: int) -> bool:
        """Read whole lines from `at` on; False where there is nothing."""
        # With the LF before them: so it can be seen that a line begins there.
        base = max(0, at - 1)
        start = at - base
        while True:
            with memoryview(self._buffer) as view:
                count = read_into(self._descriptor, view[: self._size], base)
            self.read += count
            self._is_last = count < self._size
            self._stop = count if self._is_last else self._buffer.rfind(b"\n", start, count) + 1
            if self._is_last or self._stop:
                break
            # one line fills all of it
            self._size *= 2
            if self._size > len(self._buffer):
                self._buffer = bytearray(self._size)
        self._base = base
        self._size = max(self._size, _SIZE)
        self._ahead = [(-1, finder) for finder in self._finders]
        self._nearest = -1
        return count > start
