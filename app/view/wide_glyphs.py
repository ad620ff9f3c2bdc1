"""Text on its way to the terminal, with what stands behind it kept in its place however wide it is drawn.

Vowels of Hindi or Tamil, letters of Hangul, flags and joined emoji take more cells in one terminal than in
another (`app.view.cells`). Whatever follows them on their line is put into its column by number, in the cells
that are meant for them nothing is left of what was there, and what would not fit there in every terminal is
left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.view.cells import graphemes, is_doubtful, most_of_piece, width

if TYPE_CHECKING:
    from collections.abc import Iterator

    Piece = tuple[str, int]

# to a place; how text looks; what moves nothing; what may; text
_TOKENS = (
    r"\x1b\[(?P<line>\d*)(?:;(?P<column>\d*))?H|(?P<look>\x1b\[[\d;:]*m)"
    r"|(?P<still>\x1b\[\?[\d;]*[hl]|\x1b[\]P_X^][^\x07\x1b]*(?:\x07|\x1b\\|$))"
    r"|(?P<other>\x1b(?:\[[0-?]*[ -/]*[@-~]|.)|[\x00-\x1f\x7f])"
    r"|(?P<text>[^\x00-\x1f\x7f]+)"
)
# what ends a text that flows: lines and corners, and the ends of scrollbars
_FRAMES = range(0x2500, 0x25A0)


def placed(data: str) -> str:
    """What is to be written to a terminal, with its doubtful texts in their places. They have to be in lines
    that begin with a place, as all have that the screen is painted with; others stay as they are.
    """
    if not is_doubtful(data):
        return data
    # not needed for the first rows of most users
    import re

    flow = _Flow()
    for token in re.finditer(_TOKENS, data, re.DOTALL):
        kind, found = token.lastgroup, token.group()
        if kind == "text":
            flow.text(found)
        elif kind == "look":
            flow.look(found)
        else:
            flow.end()
            flow.written.append(found)
            if kind in ("line", "column"):
                flow.column = int(token["column"] or 1) - 1
            elif kind == "other":
                flow.column = None
    flow.end()
    return "".join(flow.written)


class _Flow:
    """The text of a line as it is written: what is doubtful waits until something ends it.

    column   where the next text stands, from 0; None where that is not known
    waiting  pieces and looks, with the cells that are counted for each and the most that it may take; least
             and most are the sums of these, and blank is how many blanks there are at the end
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
        if self.column is None or not (self._waiting or is_doubtful(text)):
            self.written.append(text)
            if self.column is not None:
                self.column += width(text)
            return
        for blank, part in _parts(graphemes(text)):
            self._blanks(len(part)) if blank else self._words(part)

    def _blanks(self, number: int) -> None:
        """More of them than the text before may be longer make room for that, and one is left to be seen."""
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
            if self._waiting or is_doubtful(piece):
                self._wait(piece, cells, max(cells, most_of_piece(piece)))
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
        """There is no more room than was counted: what may not fit there is left out."""
        if self._waiting:
            self._write(self._least)

    def _write(self, cells: int) -> None:
        """Write what waits into so many cells."""
        over = self._most - cells
        for at in range(len(self._waiting) - 1, -1, -1):
            if over <= 0:
                break
            _, _, most = self._waiting[at]
            if most:
                self._waiting[at] = ("", 0, 0)
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


def _parts(pieces: list[Piece]) -> Iterator[tuple[bool, list[Piece]]]:
    """Runs of blanks, and what stands between them."""
    part: list[Piece] = []
    was_blank = False
    for piece in pieces:
        is_blank = piece[0] == " "
        if part and is_blank != was_blank:
            yield was_blank, part
            part = []
        part.append(piece)
        was_blank = is_blank
    if part:
        yield was_blank, part
