"""The lines of a file in slices, from the end to the beginning: the newest entries are wanted most often."""

from __future__ import annotations

import io
import os
from typing import TYPE_CHECKING, NamedTuple

from app.formats.lines import last_line_end

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

READ = 2 << 20
"""Bytes of a file in memory at once, unless a line is longer. They fit in the processor's cache while several
terms are searched for."""

_HAS_PREADV = hasattr(os, "preadv")  # not on every system
_FIRST = 256 << 10
_SLICE = 512 << 10
"""Bytes of the first slice and of the longest one. The rest of the file is not read if the first slices
decide."""


class Slice(NamedTuple):
    """Some whole lines: data[start:end]. The next slice overwrites them.

    :param base: the offset of data[0] in the file.
    """

    data: bytearray
    start: int
    end: int
    base: int


class ReverseReader:
    """Reads files, one after the other, into one buffer.

    read         bytes that were read so far
    descriptor   the file that is being read
    """

    def __init__(self, size: int = READ) -> None:
        self.read = 0
        self._size = size
        self._buffer = bytearray(size)
        self.descriptor = -1
        self._end = 0
        self._held = (-1, 0)
        self._low = 0

    def open(self, descriptor: int) -> None:
        """Begin with another file. Bytes that are appended to it later are not read.

        :raises OSError: the file cannot be read.
        """
        self.descriptor = descriptor
        self._end = os.fstat(descriptor).st_size
        self._held = (-1, 0)
        if len(self._buffer) > self._size:
            self._buffer = bytearray(self._size)

    def slices(self, end: int = -1) -> Iterator[Slice]:
        """All lines in slices, the last slice first. The last line may have no LF.

        Only one such iteration may be in progress. If the file has become shorter, the missing bytes are
        empty lines.

        :param end: only the lines before this offset, where a line begins; negative for all.
        :raises OSError: the file cannot be read.
        """
        end = self._end if end < 0 else min(end, self._end)
        size = self._size
        while end > 0:
            base = max(0, end - size)
            self._hold(base, end)
            first = yield from self._cut(base, end - base)
            if first == end - base:
                # One line fills the buffer.
                if self._buffer.find(0, 0, first) >= 0:
                    # No entry has a NUL. A crash can leave gigabytes of them.
                    end, size = last_line_end(self.descriptor, base), self._size
                    continue
                size *= 2
            end = base + first

    def _cut(self, base: int, end: int) -> Generator[Slice, None, int]:
        """The slices of the buffer up to `end`. Returns where its first whole line begins."""
        data = self._buffer
        size = _FIRST
        while end > 0:
            low = max(0, end - size)
            self._reach(base, low)
            start = data.find(b"\n", low, end - 1) + 1 if low or base else 0
            if not start and (low or base):
                if not low:
                    break
                size *= 2
                continue
            yield Slice(data, start, end, base)
            end = start
            size = min(2 * size, _SLICE)
        return end

    def _hold(self, base: int, end: int) -> None:
        """Prepare the buffer for these bytes of the file."""
        if self._held == (base, end):
            return
        if end - base > len(self._buffer):
            self._buffer = bytearray(end - base)
        self._held = (base, end)
        self._low = end - base

    def _reach(self, base: int, low: int) -> None:
        """Read the missing bytes of the buffer from `low` on; the buffer begins at `base` of the file."""
        high = self._low
        if low >= high:
            return
        self._low = low
        with memoryview(self._buffer) as view:
            while low < high:
                count = read_into(self.descriptor, view[low:high], base + low)
                if not count:
                    view[low:high] = b"\n" * (high - low)
                    break
                self.read += count
                low += count


def read_into(descriptor: int, view: memoryview, offset: int) -> int:
    """Read bytes of a file from `offset` on into `view`. Returns their number, which is less at the file's
    end.

    :raises OSError: they cannot be read.
    """
    if _HAS_PREADV:
        return os.preadv(descriptor, [view], offset)
    with io.FileIO(descriptor, closefd=False) as file:
        file.seek(offset)
        return file.readinto(view)
