"""A glance through a whole file: whether anything in it may be what is looked for at all.

Most files have nothing of a word. They are gone through in a buffer that stays in the processor's cache, and
nothing is made for any of their lines.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from app.index.search.deep.backwards import read_into

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from app.index.search.deep.finders import Finder

_FIRST = 64 << 10
"""What is said often is in the last lines: who has found it there reads no more."""
_SIZE = 256 << 10


class Glance:
    """Glances at files for what `finders` find.

    read   bytes that were read so far
    """

    def __init__(self, finders: Sequence[Finder]) -> None:
        self.read = 0
        self._finders = finders
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
        size = _FIRST
        while end > 0:
            low = max(0, end - size)
            count = end - low
            read = read_into(descriptor, view[:count], low)
            self.read += read
            if read < count:  # it has become shorter
                return False
            # Whole lines: some finders look on from where they are to the end of one.
            start = buffer.find(b"\n", 0, count) + 1 if low else 0
            if low and start in (0, count):
                return False
            for finder in finders:
                if finder(buffer, start, count) >= 0:
                    return False
            end = low + start
            size = _SIZE
            beat()
        return True
