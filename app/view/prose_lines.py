"""Markdown as lines of a given width: headings, lists, quotes, tables and fenced code."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from app.view.diff_lines import diff_style
from app.view.document_line import CodeBlock, DocumentLine, marked_line
from app.view.line import line_width
from app.view.prose import LineKind, is_heading, mark_prose
from app.view.source_lines import lines_in, pieces
from app.view.table import MOST_ROWS, cells_of, is_rule, may_be_row, table_lines
from app.view.wrapping import breaks, cuts, slices

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.view.line import Line

LONG = 2_000
"""A line with more characters is marked screen line by screen line, when it is drawn."""
_LEAD = re.compile(r"(?P<quote>(?:\s{0,3}>[ ]?)+)|(?P<item>\s*(?:[-*+]|\d{1,9}[.)])\s+(?:\[[ xX]\]\s+)?)|\s+")
_RULE = re.compile(r"\s{0,3}([-*_])(\s*\1){2,}\s*$")


def prose_lines(text: str, cells: int) -> Iterator[DocumentLine]:
    """The lines of a text that is prose. Everything in it stays there, but for the bars of tables and blanks
    where a line is broken.
    """
    return _Prose(text, cells).lines()


class _Prose:
    """Goes through one text."""

    def __init__(self, text: str, cells: int) -> None:
        self._text = text
        self._cells = cells
        self._kind = LineKind()
        self._block: CodeBlock | None = None
        # a line that may be the head of a table; the rows of the table that is open, and its head where some
        # of it has been shown
        self._head: str | None = None
        self._rows: list[str] = []
        self._names: list[str] | None = None

    def lines(self) -> Iterator[DocumentLine]:
        """All lines."""
        for begin, end in lines_in(self._text):
            for line in pieces(self._text, begin, end):
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
                    names = self._names or cells_of(self._rows[0])
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
            yield marked_line(line)

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
        for start, stop in cuts(line, self._cells):
            yield DocumentLine(line[start:stop], style)

    def _fence(self, line: str, block: CodeBlock | None = None) -> Iterator[DocumentLine]:
        for at, (start, stop) in enumerate(cuts(line, self._cells)):
            yield DocumentLine(line[start:stop], "faint", block=None if at else block)

    # everything else

    def _plain(self, line: str) -> Iterator[DocumentLine]:
        if is_heading(line.lstrip()):
            yield from self._whole(line, "heading")
            return
        if _RULE.match(line):
            yield from self._whole(line, "faint")
            return
        found = _LEAD.match(line)
        lead = found[0] if found is not None else ""
        kind = (found.lastgroup if found is not None else "") or ""
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
            ranges = breaks(body, self._cells - room)
            bodies: Iterator[Line] = (mark_prose(body[start:stop], base) for start, stop in ranges)
        else:
            bodies = slices(mark_prose(body, base), breaks(body, self._cells - room))
        for at, each in enumerate(bodies):
            if at == 1 and before:
                # a quote stays one on every line; an item goes on under its beginning
                before = [(lead if kind == "quote" else " " * room, base)]
            yield marked_line([*before, *each], style=base)

    def _whole(self, line: str, style: str) -> Iterator[DocumentLine]:
        for start, stop in breaks(line, self._cells):
            yield DocumentLine(line[start:stop], style)
