"""The lines of a file in slices, the last ones first: what was said last is most often what is looked for."""

from __future__ import annotations

import io
import os
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

READ = 8 << 20
"""Bytes that are read at once; nearly all sessions are shorter."""

_FIRST = 32 << 10
_SLICE = 256 << 10
"""Slices stay in the processor's cache while one word after the other is looked for in them."""


class Slice(NamedTuple):
    """Some whole lines: data[start:end]. They are gone when the next slice is asked for.

    :param base: where data[0] is in the file.
    """

    data: bytearray
    start: int
    end: int
    base: int


class Backwards:
    """Reads files, one after the other, into a buffer that it keeps.

    read   bytes that were read so far; `descriptor` is the file that is read
    """

    def __init__(self, size: int = READ) -> None:
        self.read = 0
        self._size = size
        self._buffer = bytearray(size)  # takes memory as far as it is written to
        self.descriptor = -1
        self._end = 0
        self._held = (-1, 0)

    def open(self, descriptor: int) -> None:
        """Go on with another file, as long as it is now; what is added to it later is not read.

        :raises OSError: the file cannot be read.
        """
        self.descriptor = descriptor
        self._end = os.fstat(descriptor).st_size
        self._held = (-1, 0)

    def slices(self, end: int = -1) -> Iterator[Slice]:
        """All lines, or those before the offset `end`, where a line begins. The last may have no LF.

        Only one such iteration is to be under way at a time. A file that became shorter ends where it ends.

        :raises OSError: the file cannot be read.
        """
        end = self._end if end < 0 else end
        size = self._size
        while end > 0:
            base = max(0, end - size)
            count = self._fill(base, end)
            buffer = self._buffer
            start = buffer.find(b"\n", 0, max(0, count - 1)) + 1 if base else 0
            if base and not start and count == end - base:
                # one line fills all of it
                size *= 2
                continue
            yield from _cut(Slice(buffer, start, count, base))
            end = base + start if start else base
        if len(self._buffer) > self._size:
            self._buffer = bytearray(self._size)
            self._held = (-1, 0)

    def _fill(self, base: int, end: int) -> int:
        if self._held == (base, end):
            return end - base
        if end - base > len(self._buffer):
            self._buffer = bytearray(end - base)
        filled = 0
        with io.FileIO(self.descriptor, closefd=False) as file, memoryview(self._buffer) as view:
            file.seek(base)
            while base + filled < end:
                count = file.readinto(view[filled : end - base])
                if not count:
                    break
                filled += count
        self.read += filled
        self._held = (base, base + filled)
        return filled


def _cut(whole: Slice) -> Iterator[Slice]:
    data, start, end, base = whole
    size = _FIRST
    while end > start:
        at = data.rfind(b"\n", start, end - size) + 1 if end - start > size else start
        at = max(at, start)
        yield Slice(data, at, end, base)
        end = at
        size = min(2 * size, _SLICE)
