"""The lines of a file in slices, the last ones first: what was said last is most often what is looked for."""

from __future__ import annotations

import io
import os
from typing import TYPE_CHECKING, NamedTuple

from app.formats.lines import lines_end

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

READ = 8 << 20
"""Bytes that are held at once; nearly all sessions are shorter."""

_HAS_PREADV = hasattr(os, "preadv")  # not on Windows
_AT_FIRST = 512 << 10
"""The buffer is for so much until there is a longer file: to clear what it takes is time, too."""
_FIRST = 64 << 10
_SLICE = 256 << 10
"""Slices stay in the processor's cache while one word after the other is looked for in them. So they are
read one by one: who has found enough in the first one reads no more."""


class Slice(NamedTuple):
    """Some whole lines: data[start:end]. They are gone when the next slice is asked for.

    :param base: where data[0] is in the file.
    """

    data: bytearray
    start: int
    end: int
    base: int


class ReverseReader:
    """Reads files, one after the other, into a buffer that it keeps.

    read   bytes that were read so far; `descriptor` is the file that is read
    """

    def __init__(self, size: int = READ) -> None:
        self.read = 0
        self._size = size
        self._buffer = bytearray(min(size, _AT_FIRST))
        self.descriptor = -1
        self._end = 0
        self._held = (-1, 0)
        self._low = 0

    def open(self, descriptor: int) -> None:
        """Go on with another file, as long as it is now; what is added to it later is not read.

        :raises OSError: the file cannot be read.
        """
        self.descriptor = descriptor
        self._end = os.fstat(descriptor).st_size
        self._held = (-1, 0)
        if len(self._buffer) > self._size:
            self._buffer = bytearray(min(self._size, _AT_FIRST))

    def slices(self, end: int = -1) -> Iterator[Slice]:
        """All lines; those before the offset `end`, where a line begins, unless it is negative. The last may
        have no LF.

        Only one such iteration is to be under way at a time. What is gone by the time it is read, because the
        file became shorter, is blank.

        :raises OSError: the file cannot be read.
        """
        end = self._end if end < 0 else min(end, self._end)
        size = self._size
        while end > 0:
            base = max(0, end - size)
            self._hold(base, end)
            first = yield from self._cut(base, end - base)
            if first == end - base:
                # one line fills all of it
                if self._buffer.find(0, 0, first) >= 0:
                    # No entry has a NUL, of which a crash may leave gigabytes.
                    end, size = lines_end(self.descriptor, base), self._size
                    continue
                size *= 2
            end = base + first

    def _cut(self, base: int, end: int) -> Generator[Slice, None, int]:
        """The slices of what is held, up to `end` in it. Returns where in it the first whole line begins."""
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
        """See that the buffer is for these bytes."""
        if self._held == (base, end):
            return
        if end - base > len(self._buffer):
            self._buffer = bytearray(max(end - base, min(2 * len(self._buffer), self._size)))
        self._held = (base, end)
        self._low = end - base

    def _reach(self, base: int, low: int) -> None:
        """Read what the buffer, which begins at `base`, lacks from `low` on."""
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
    """Fill `view`, as far as there is something, with what the file has from `offset` on; how many bytes.

    :raises OSError: they cannot be read.
    """
    if _HAS_PREADV:
        return os.preadv(descriptor, [view], offset)
    with io.FileIO(descriptor, closefd=False) as file:
        file.seek(offset)
        return file.readinto(view)
