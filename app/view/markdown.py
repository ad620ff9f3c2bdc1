"""Markdown as lines of a given width: headings, lists, quotes, tables and fenced code.

A table is drawn in columns that fit the width, or row by row if it has more columns than fit.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from app.view.cells import width
from app.view.diff_lines import diff_style
from app.view.document_line import (
    CodeBlock,
    DocumentLine,
    LineKind,
    inert_pieces,
    is_heading,
    line_ranges,
    mark_prose,
    styled_line,
)
from app.view.line import Line, cut_ranges, line_width, slice_line, wrap_ranges

LONG = 2_000
"""A line with more characters is styled screen line by screen line, when it is drawn."""
_LEAD = re.compile(r"(?P<quote>(?:\s{0,3}>[ ]?)+)|(?P<item>\s*(?:[-*+]|\d{1,9}[.)])\s+(?:\[[ xX]\]\s+)?)|\s+")
_RULE = re.compile(r"\s{0,3}([-*_])(\s*\1){2,}\s*$")


def prose_lines(text: str, cells: int) -> Iterator[DocumentLine]:
    """The lines of a text that is prose. All of it is shown, except for the bars of tables and blanks at line
    breaks.
    """
    return _Prose(text, cells).lines()


class _Prose:
    """The lines of one text, made one after the other."""

    def __init__(self, text: str, cells: int) -> None:
        self._text = text
        self._cells = cells
        self._kind = LineKind()
        self._block: CodeBlock | None = None
        # a line that may be the head of a table; the rows of the open table; its head, if a part of the table
        # has been shown
        self._head: str | None = None
        self._rows: list[str] = []
        self._names: list[str] | None = None

    def lines(self) -> Iterator[DocumentLine]:
        """All lines."""
        for begin, end in line_ranges(self._text):
            for line in inert_pieces(self._text, begin, end):
                yield from self._line(line, begin, end)
        yield from self._close_table()

    def _line(self, line: str, begin: int, end: int) -> Iterator[DocumentLine]:
        if self._kind.fence:
            yield from self._code(line, begin)
            return
        if self._rows:
            if may_be_row(line):
                self._rows.append(line)
                if len(self._rows) >= MOST_ROWS:
                    names = self._names or row_cells(self._rows[0])
                    yield from self._show_table()
                    self._names = names
                    self._rows = []
                return
            yield from self._close_table()
        elif self._names is not None:
            if may_be_row(line):
                self._rows.append(line)
                return
            self._names = None
        elif self._head is not None and is_rule(line):
            self._rows = [self._head, line]
            self._head = None
            return
        if self._head is not None:
            yield from self._plain(self._head)
            self._head = None
        stripped = line.lstrip()
        opened = self._kind.opens(stripped)
        if opened is not None:
            self._block = CodeBlock(
                self._text,
                opened.split(" ")[0],
                min(end + 1 + self._text.startswith("\r", end), len(self._text)),
                indent=len(line) - len(stripped),
            )
            yield from self._fence(line, self._block)
        elif may_be_row(line):
            self._head = line
        else:
            yield from self._plain(line)

    # tables

    def _close_table(self) -> Iterator[DocumentLine]:
        if self._head is not None:
            yield from self._plain(self._head)
            self._head = None
        if self._rows:
            yield from self._show_table()
        self._rows, self._names = [], None

    def _show_table(self) -> Iterator[DocumentLine]:
        for line in table_lines(self._rows, self._cells, self._names):
            yield styled_line(line)

    # code

    def _code(self, line: str, begin: int) -> Iterator[DocumentLine]:
        block = self._block
        if self._kind.closes(line.lstrip()):
            if block is not None:
                block.end = max(block.begin, begin - 1)
            yield from self._fence(line)
            return
        is_diff = block is not None and block.name in ("diff", "patch")
        style = diff_style(line.removeprefix(" " * block.indent)) if block is not None and is_diff else "code"
        for start, stop in cut_ranges(line, self._cells):
            yield DocumentLine(line[start:stop], style)

    def _fence(self, line: str, block: CodeBlock | None = None) -> Iterator[DocumentLine]:
        for number, (start, stop) in enumerate(cut_ranges(line, self._cells)):
            yield DocumentLine(line[start:stop], "faint", block=None if number else block)

    # headings, rules, quotes, items and other lines

    def _plain(self, line: str) -> Iterator[DocumentLine]:
        if is_heading(line.lstrip()):
            yield from self._whole(line, "heading")
            return
        if _RULE.match(line):
            yield from self._whole(line, "faint")
            return
        match = _LEAD.match(line)
        lead = match[0] if match is not None else ""
        kind = (match.lastgroup if match is not None else "") or ""
        room = line_width([(lead, "")])
        if room > self._cells // 2:
            lead, kind, room = "", "", 0
        base = "quote" if kind == "quote" else "text"
        body = line[len(lead) :]
        if not lead and len(line) * 2 <= self._cells:
            yield DocumentLine(line, base, True)
            return
        before: Line = [(lead, "bullet" if kind == "item" else base)] if lead else []
        if len(body) > LONG:
            ranges = wrap_ranges(body, self._cells - room)
            bodies: Iterator[Line] = (mark_prose(body[start:stop], base) for start, stop in ranges)
        else:
            bodies = slice_line(mark_prose(body, base), wrap_ranges(body, self._cells - room))
        for number, part in enumerate(bodies):
            if number == 1 and before:
                # each line of a quote has the mark; the lines of an item are indented below its beginning
                before = [(lead if kind == "quote" else " " * room, base)]
            yield styled_line([*before, *part], style=base)

    def _whole(self, line: str, style: str) -> Iterator[DocumentLine]:
        for start, stop in wrap_ranges(line, self._cells):
            yield DocumentLine(line[start:stop], style)


MOST_ROWS = 500
"""Rows of a table that are laid out together; a longer table is laid out in parts."""
LONGEST_ROW = 4_000
"""Characters of a line; a longer line is no row of a table."""
NARROWEST = 6
"""Fewest cells of a column that needs them."""
BETWEEN = " │ "
_DELIMITER_ROW = re.compile(r"\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?$")
_BAR = re.compile(r"(?<!\\)\|")


def may_be_row(line: str) -> bool:
    """Whether the line can be a row of a table."""
    return "|" in line and len(line) <= LONGEST_ROW


def is_rule(line: str) -> bool:
    """Whether the line is the delimiter row of a table."""
    return may_be_row(line) and _DELIMITER_ROW.match(line.strip()) is not None


def row_cells(row: str) -> list[str]:
    """The cells of a row, without the blanks around them."""
    row = row.strip()
    cells = _BAR.split(row.removeprefix("|"))
    if len(cells) > 1 and not cells[-1].strip():
        cells.pop()
    return [cell.strip() for cell in cells]


def table_lines(rows: Sequence[str], cells: int, head: Sequence[str] | None = None) -> Iterator[Line]:
    """The lines of a table.

    :param rows: the lines of the head, the rule and the body; only those of the body if ``head`` is given.
    :param cells: the width of a line.
    :param head: the cells of a head that has been shown already.
    """
    shows_head = head is None
    names = row_cells(rows[0]) if head is None else list(head)
    body = [row_cells(row) for row in rows[2 if shows_head else 0 :]]
    columns = max([len(names), *map(len, body)])
    names += [""] * (columns - len(names))
    table = [row + [""] * (columns - len(row)) for row in body]
    widths = [
        max([width(names[number]) if shows_head else 0, *(width(row[number]) for row in table), 1])
        for number in range(columns)
    ]
    fitted = fit_columns(widths, cells - len(BETWEEN) * (columns - 1))
    if fitted is None:
        yield from _row_by_row(names, table, cells)
        return
    if shows_head:
        yield from _row(names, fitted, "bold")
        yield _between(fitted, "═")
    for number, row in enumerate(table):
        if number and fitted != widths:
            # without a line between them, rows of several lines would look like one row
            yield _between(fitted, "─")
        yield from _row(row, fitted, "text")


def fit_columns(widths: Sequence[int], cells: int) -> list[int] | None:
    """The widths of columns in ``cells``; the widest are reduced. None if they do not fit."""
    if sum(widths) <= cells:
        return list(widths)
    if sum(min(size, NARROWEST) for size in widths) > cells:
        return None
    low, high = NARROWEST, max(widths)
    while low < high:
        middle = (low + high + 1) // 2
        if sum(min(size, middle) for size in widths) <= cells:
            low = middle
        else:
            high = middle - 1
    return [min(size, low) for size in widths]


def _between(fitted: Sequence[int], mark: str) -> Line:
    return [(f"{mark}┼{mark}".join(mark * size for size in fitted), "faint")]


def _row(row: Sequence[str], fitted: Sequence[int], base: str) -> Iterator[Line]:
    columns = [
        list(slice_line(mark_prose(cell, base), wrap_ranges(cell, room)))
        for cell, room in zip(row, fitted, strict=True)
    ]
    for number in range(max(map(len, columns))):
        line: Line = []
        for column, room in zip(columns, fitted, strict=True):
            if line:
                line.append((BETWEEN, "faint"))
            piece = column[number] if number < len(column) else []
            line += piece
            line.append((" " * (room - line_width(piece)), base))
        yield [(text, style) for text, style in line if text]


def _row_by_row(names: Sequence[str], table: Sequence[Sequence[str]], cells: int) -> Iterator[Line]:
    for number, row in enumerate(table):
        if number:
            yield [("─" * min(cells, NARROWEST), "faint")]
        for name, cell in zip(names, row, strict=True):
            text = f"{name}: {cell}" if name else cell
            line: Line = [(text[: len(text) - len(cell)], "argument"), *mark_prose(cell)]
            yield from slice_line(line, wrap_ranges(text, cells))
