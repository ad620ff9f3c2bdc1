"""The lines of a file in which a finder finds something, from top to bottom. Nothing is decoded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.index.search.grep.reverse_reader import read_into

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from app.index.search.grep.byte_search import Finder

_FIRST = 32 << 10
_SIZE = 256 << 10
"""Bytes of the first part of a file and of the other parts. A frequent term is found in the first part, so
that the rest is not read. A part fits into the processor's cache.
"""


class RawLines:
    """Searches files, one after the other, with `finders`.

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
        """Begin with another file."""
        self._descriptor = descriptor
        self._base, self._stop, self._size, self._is_last = 0, 0, _FIRST, False
        if len(self._buffer) > _SIZE:
            self._buffer = bytearray(_SIZE)

    def next(self, position: int, beat: Callable[[], object]) -> int:
        """The offset of the first line from `position` on in which a finder finds something; -1 if there is
        none. Later calls have to ask for later lines.

        :param position: where a line begins.
        :param beat: called every tenth of a millisecond or so.
        :raises OSError: the file cannot be read.
        """
        start = position - self._base
        if start >= self._stop:
            if self._is_last or not self._go_to(position):
                return -1
            start = position - self._base
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
        """Find the nearest match from `start` on. A finder without a further match is dropped."""
        buffer, stop = self._buffer, self._stop
        self._ahead = [
            (offset, finder)
            for last, finder in self._ahead
            if (offset := last if last >= start else finder(buffer, start, stop)) >= 0
        ]
        self._nearest = min([offset for offset, _ in self._ahead], default=stop)

    def line(self) -> bytes:
        """The line that `next` found."""
        return bytes(self._buffer[self._begin : self._end])

    def block(self) -> tuple[int, bytes]:
        """(offset in the file, bytes) of the line that `next` found, with the LF before and after it if there
        are any.
        """
        start = max(0, self._begin - 1)
        return self._base + start, bytes(self._buffer[start : min(self._end + 1, self._stop)])

    def _go_to(self, position: int) -> bool:
        """Read whole lines from `position` on; False at the end of the file."""
        # With the LF before them, which shows that a line begins there.
        base = max(0, position - 1)
        start = position - base
        while True:
            with memoryview(self._buffer) as view:
                count = read_into(self._descriptor, view[: self._size], base)
            self.read += count
            self._is_last = count < self._size
            self._stop = count if self._is_last else self._buffer.rfind(b"\n", start, count) + 1
            if self._is_last or self._stop:
                break
            # One line fills the buffer.
            self._size *= 2
            if self._size > len(self._buffer):
                self._buffer = bytearray(self._size)
        self._base = base
        self._size = max(self._size, _SIZE)
        self._ahead = [(-1, finder) for finder in self._finders]
        self._nearest = -1
        return count > start
