"""Place the text behind glyphs whose width differs between terminals.

Vowels of Hindi or Tamil, letters of Hangul, flags and joined emoji take more cells in one terminal than in
another (`app.view.cells`). The text behind them on a line is put into its column by number. The cells of the
glyphs are cleared first, and glyphs that might not fit there in every terminal are left out.
"""

from __future__ import annotations

import re
from itertools import groupby

from app.view.cells import graphemes, has_uncertain_width, max_piece_width, width

Piece = tuple[str, int]

# a cursor position; attributes of text; sequences that do not move the cursor; sequences that may; text
_TOKENS = (
    r"\x1b\[(?P<line>\d*)(?:;(?P<column>\d*))?H|(?P<look>\x1b\[[\d;:]*m)"
    r"|(?P<still>\x1b\[\?[\d;]*[hl]|\x1b[\]P_X^][^\x07\x1b]*(?:\x07|\x1b\\|$))"
    r"|(?P<other>\x1b(?:\[[0-?]*[ -/]*[@-~]|.)|[\x00-\x1f\x7f])"
    r"|(?P<text>[^\x00-\x1f\x7f]+)"
)
# characters that end a run of text: lines and corners, and the ends of scrollbars
_FRAMES = range(0x2500, 0x25A0)


def place_wide_glyphs(data: str) -> str:
    """The output for a terminal, with the text behind glyphs of uncertain width in its place. Such text must
    be in a line that begins with a cursor position, as all lines of the screen do; other lines are not
    changed.
    """
    if not has_uncertain_width(data):
        return data
    flow = _Flow()
    for token in re.finditer(_TOKENS, data, re.DOTALL):
        kind, sequence = token.lastgroup, token.group()
        if kind == "text":
            flow.text(sequence)
        elif kind == "look":
            flow.look(sequence)
        else:
            flow.end()
            flow.written.append(sequence)
            if kind in ("line", "column"):
                flow.column = int(token["column"] or 1) - 1
            elif kind == "other":
                flow.column = None
    flow.end()
    return "".join(flow.written)


class _Flow:
    """The text of a line. Text behind a glyph of uncertain width waits until its cells are known.

    column    the column of the next text, from 0; None if it is not known
    _waiting  graphemes and attributes, each with the cells that are counted for it and the most cells that it
              may take; `_least` and `_most` are the sums of these, and `_blank` is the number of blanks at
              the end
    """

    def __init__(self) -> None:
        self.written: list[str] = []
        self.column: int | None = None
        self._waiting: list[tuple[str, int, int]] = []
        self._begin = 0
        self._least = self._most = self._blank = 0

    def look(self, sequence: str) -> None:
        if self._waiting:
            self._waiting.append((sequence, 0, 0))
        else:
            self.written.append(sequence)

    def text(self, text: str) -> None:
        if self.column is None or not (self._waiting or has_uncertain_width(text)):
            self.written.append(text)
            if self.column is not None:
                self.column += width(text)
            return
        for is_blank, run in groupby(graphemes(text), lambda piece: piece[0] == " "):
            part = list(run)
            self._blanks(len(part)) if is_blank else self._words(part)

    def _blanks(self, number: int) -> None:
        """Add blanks. They make room for wide glyphs before them, and one of them stays visible."""
        longer = self._most - self._least
        if self._waiting:
            if self._blank + number <= longer:
                blank = self._blank + number
                self._wait(" ", 1, 1, number)
                self._blank = blank
                return
            room = max(0, longer - self._blank)
            self._write(self._least + room)
            number -= room
        self.written.append(" " * number)
        self.column = (self.column or 0) + number

    def _words(self, pieces: list[Piece]) -> None:
        for piece, cells in pieces:
            if self._waiting and ord(piece[0]) in _FRAMES:
                self.end()
            if self._waiting or has_uncertain_width(piece):
                self._wait(piece, cells, max(cells, max_piece_width(piece)))
            else:
                self.written.append(piece)
                self.column = (self.column or 0) + cells

    def _wait(self, text: str, cells: int, most: int, times: int = 1) -> None:
        if not self._waiting:
            self._begin = self.column or 0
        self._blank = 0
        self._waiting += [(text, cells, most)] * times
        self._least += cells * times
        self._most += most * times

    def end(self) -> None:
        """Write the waiting text into the cells that were counted for it; glyphs that may not fit are left
        out.
        """
        if self._waiting:
            self._write(self._least)

    def _write(self, cells: int) -> None:
        """Write the waiting text into ``cells``."""
        over = self._most - cells
        for index in range(len(self._waiting) - 1, -1, -1):
            if over <= 0:
                break
            _, _, most = self._waiting[index]
            if most:
                self._waiting[index] = ("", 0, 0)
                over -= most
        column = self._begin + cells
        self.written += [
            " " * cells,
            f"\x1b[{self._begin + 1}G",
            *[text for text, _, _ in self._waiting],
            f"\x1b[{column + 1}G",
        ]
        self.column = column
        self._waiting.clear()
        self._least = self._most = self._blank = 0
