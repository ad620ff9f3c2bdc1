"""A table of Markdown in columns that fit the screen; one with more columns than fit, row by row."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from app.view.cells import width
from app.view.line import line_width
from app.view.prose import mark_prose
from app.view.wrapping import breaks, slices

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from app.view.line import Line

MOST_ROWS = 500
"""Of a longer table so many rows at a time have columns of their own."""
LONGEST_ROW = 4_000
"""Characters; what is longer is no row for people."""
NARROWEST = 6
"""Cells that a column gets at least, where it needs them."""
BETWEEN = " │ "
_RULE = re.compile(r"\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?$")
_BAR = re.compile(r"(?<!\\)\|")


def may_be_row(line: str) -> bool:
    """Whether the line can be a row of a table."""
    return "|" in line and len(line) <= LONGEST_ROW


def is_rule(line: str) -> bool:
    """Whether the line is the one between head and body of a table."""
    return may_be_row(line) and _RULE.match(line.strip()) is not None


def cells_of(row: str) -> list[str]:
    """The cells of a row, without the blanks around them."""
    row = row.strip()
    found = _BAR.split(row.removeprefix("|"))
    if len(found) > 1 and not found[-1].strip():
        found.pop()
    return [each.strip() for each in found]


def table_lines(rows: Sequence[str], cells: int, head: Sequence[str] | None = None) -> Iterator[Line]:
    """The lines of a table.

    :param rows: head, rule and body as they stand in the text; the body alone where the ``head`` is given,
        which is then not shown again.
    :param cells: how wide a line may be.
    """
    shown = head is None
    names = cells_of(rows[0]) if head is None else list(head)
    body = [cells_of(row) for row in rows[2 if shown else 0 :]]
    columns = max([len(names), *map(len, body)])
    names += [""] * (columns - len(names))
    table = [row + [""] * (columns - len(row)) for row in body]
    wide = [
        max([width(names[at]) if shown else 0, *(width(row[at]) for row in table), 1])
        for at in range(columns)
    ]
    fitted = _fit(wide, cells - len(BETWEEN) * (columns - 1))
    if fitted is None:
        yield from _row_by_row(names, table, cells)
        return
    if shown:
        yield from _row(names, fitted, "bold")
        yield _between(fitted, "═")
    for at, row in enumerate(table):
        if at and fitted != wide:
            # rows of several lines run into each other
            yield _between(fitted, "─")
        yield from _row(row, fitted, "text")


def _fit(wide: Sequence[int], cells: int) -> list[int] | None:
    """The widths that columns get in so many cells, the widest give way; None where they find no room."""
    if sum(wide) <= cells:
        return list(wide)
    if sum(min(each, NARROWEST) for each in wide) > cells:
        return None
    low, high = NARROWEST, max(wide)
    while low < high:
        middle = (low + high + 1) // 2
        if sum(min(each, middle) for each in wide) <= cells:
            low = middle
        else:
            high = middle - 1
    return [min(each, low) for each in wide]


def _between(fitted: Sequence[int], mark: str) -> Line:
    return [(f"{mark}┼{mark}".join(mark * each for each in fitted), "faint")]


def _row(row: Sequence[str], fitted: Sequence[int], base: str) -> Iterator[Line]:
    columns = [
        list(slices(mark_prose(cell, base), breaks(cell, room)))
        for cell, room in zip(row, fitted, strict=True)
    ]
    for at in range(max(map(len, columns))):
        line: Line = []
        for column, room in zip(columns, fitted, strict=True):
            if line:
                line.append((BETWEEN, "faint"))
            piece = column[at] if at < len(column) else []
            line += piece
            line.append((" " * (room - line_width(piece)), base))
        yield [(text, style) for text, style in line if text]


def _row_by_row(names: Sequence[str], table: Sequence[Sequence[str]], cells: int) -> Iterator[Line]:
    for at, row in enumerate(table):
        if at:
            yield [("─" * min(cells, NARROWEST), "faint")]
        for name, cell in zip(names, row, strict=True):
            text = f"{name}: {cell}" if name else cell
            line: Line = [(text[: len(text) - len(cell)], "argument"), *mark_prose(cell)]
            yield from slices(line, breaks(text, cells))
