"""The lines of a file in slices, from the end to the beginning: the newest entries are wanted most often."""

from __future__ import annotations

import io
import os
from typing import TYPE_CHECKING, NamedTuple

from app.formats.lines import last_line_end
from app.formats.long_lines import LONGEST_LINE

if TYPE_CHECKING:
    from collections.abc import Iterator

SLICE = 512 << 10
"""Bytes of a file in memory at once, unless a line is longer. They fit in the processor's cache while several
terms are searched for."""

_HAS_PREADV = hasattr(os, "preadv")  # not on every system


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

    def __init__(self, size: int = SLICE) -> None:
        """:param size: bytes of a slice."""
        self.read = 0
        self.descriptor = -1
        self._size = size
        self._buffer = bytearray(size)
        self._end = 0
        self._held = (-1, 0)

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
            start = self._buffer.find(b"\n", 0, end - base - 1) + 1 if base else 0
            if start or not base:
                yield Slice(self._buffer, start, end - base, base)
                end, size = base + start, self._size
            elif self._buffer.find(0, 0, end - base) >= 0:
                # No entry has a NUL. A crash can leave gigabytes of them.
                end, size = last_line_end(self.descriptor, base), self._size
            elif size > LONGEST_LINE:
                end, size = last_line_end(self.descriptor, base), self._size
            else:
                # One line fills the buffer.
                size *= 2

    def _hold(self, base: int, end: int) -> None:
        """Read these bytes of the file into the buffer, unless they are there."""
        if self._held == (base, end):
            return
        self._held = (base, end)
        if end - base > len(self._buffer):
            self._buffer = bytearray(end - base)
        position, size = 0, end - base
        with memoryview(self._buffer) as view:
            while position < size:
                count = read_into(self.descriptor, view[position:size], base + position)
                if not count:
                    view[position:size] = b"\n" * (size - position)
                    break
                self.read += count
                position += count


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
