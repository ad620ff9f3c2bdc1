"""The lines of rows of one and of two lines."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from app.view import RowLines
from tests.cases import cases


def test_short_rows_take_one_line():
    lines = RowLines(5, 2, [0, 3, 9])
    assert [lines.first(row) for row in range(6)] == [0, 1, 3, 5, 6, 8]
    assert [lines.height_of(row) for row in range(5)] == [1, 2, 2, 1, 2]
    assert [lines.row_at(line) for line in range(9)] == [0, 1, 1, 2, 2, 3, 4, 4, 5]
    assert lines.total == 8


@given(st.integers(1, 3), st.sets(st.integers(0, 30)))
def test_each_line_belongs_to_the_row_that_takes_it(height, short):
    lines = RowLines(31, height, sorted(short))
    taken = [row for row in range(31) for _ in range(lines.height_of(row))]
    assert [lines.row_at(line) for line in range(lines.total)] == taken
    assert [taken.index(row) for row in range(31)] == [lines.first(row) for row in range(31)]


@cases("line", [0, 3, 7])
def test_without_two_lines_a_line_is_a_row(line):
    assert RowLines(4).row_at(line) == RowLines(4).first(line) == line
