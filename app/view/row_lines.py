"""The lines of a list whose rows take one or two lines each."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import NamedTuple


class RowLines(NamedTuple):
    """Which lines each row of a list takes.

    rows     the number of rows
    height   the lines that a row takes
    short    the rows that take one line only, in order; those from ``rows`` on do not count
    """

    rows: int = 0
    height: int = 1
    short: Sequence[int] = ()

    @property
    def total(self) -> int:
        """The number of lines."""
        return self.first(self.rows)

    def first(self, row: int) -> int:
        """The first line of a row."""
        return row * self.height - (self.height - 1) * bisect_left(self.short, row)

    def height_of(self, row: int) -> int:
        """The number of lines that a row takes."""
        index = bisect_left(self.short, row)
        return 1 if index < len(self.short) and self.short[index] == row else self.height

    def row_at(self, line: int) -> int:
        """The row that a line belongs to."""
        short = self.short
        before = bisect_right(range(len(short)), line, key=lambda index: self.first(short[index]))
        return (line + before * (self.height - 1)) // self.height
