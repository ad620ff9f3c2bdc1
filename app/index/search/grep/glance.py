"""A glance through a whole file: whether anything in it may be what is looked for at all.

Most files have nothing of a word. They are gone through in a buffer that stays in the processor's cache, and
nothing is made for any of their lines.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from app.index.search.grep.reverse_reader import read_into

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from app.index.search.grep.finders import Finder
    from app.index.search.grep.prefilter import Prefilter

_FIRST = 64 << 10
"""What is said often is in the last lines: who has found it there reads no more."""
_SIZE = 256 << 10
_SELDOM = 8
"""After so many files in a row that lack it all, as much of the next one is read at once as goes."""


class Glance:
    """Glances at files for what `finders` find.

    read   bytes that were read so far
    end    of the last file, where the lines begin that lack it all; -1 where none do
    """

    def __init__(self, finders: Sequence[Finder]) -> None:
        self.read = 0
        self.end = -1
        self._finders = finders
        self._lacking = 0
        self._view = memoryview(bytearray(_SIZE))

    def lacks(self, descriptor: int, beat: Callable[[], object]) -> bool:
        """Whether none of the finders finds anything in the file. False as well where a line is too long to
        tell.

        :param beat: called every tenth of a millisecond or so.
        :raises OSError: it cannot be read.
        """
        view, finders = self._view, self._finders
        buffer = view.obj
        assert isinstance(buffer, bytearray)
        end = os.fstat(descriptor).st_size
        size = _FIRST if self._lacking < _SELDOM else _SIZE
        while end > 0:
            low = max(0, end - size)
            count = end - low
            read = read_into(descriptor, view[:count], low)
            self.read += read
            # Whole lines: some finders look on from where they are to the end of one.
            start = buffer.find(b"\n", 0, count) + 1 if low else 0
            if read < count or (low and start in (0, count)):  # it has become shorter, or a line is too long
                break
            if _finds(finders, buffer, start, count):
                break
            end = low + start
            size = _SIZE
            beat()
        else:
            self._lacking += 1
            return True
        self._lacking = 0
        self.end = end
        return False


def glance_for(wanted: Sequence[Prefilter]) -> tuple[Glance | None, int]:
    """A glance for the one of these that the fewest lines have, and so the fewest files, and the mask of it;
    None and 0 where nothing can be seen at a glance.
    """
    rarest = max(wanted, key=lambda each: each.weight, default=None)
    if rarest is None or not rarest.finders:
        return None, 0
    return Glance(rarest.finders), 1 << wanted.index(rarest)


def _finds(finders: Sequence[Finder], data: bytearray, start: int, end: int) -> bool:
    for finder in finders:  # noqa: SIM110  # thousands of files: a generator costs more than what it does
        if finder(data, start, end) >= 0:
            return True
    return False
