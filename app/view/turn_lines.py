"""Texts as lines of a transcript: broken to its width, long ones cut, what is cut counted in its place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.formats.text import one_line
from app.view.cells import steady
from app.view.document_line import DocumentLine
from app.view.find import LINE_OF_TEXT, around, first_lines, line_begin, line_end, place_of
from app.view.prose import LineKind, mark_line
from app.view.source_lines import paragraphs
from app.view.wrapping import wrap

if TYPE_CHECKING:
    from collections.abc import Sequence

MOST_TEXT = 48 << 10
"""Characters of a prompt or an answer that are shown whole; of a longer one both ends are."""
END_OF_TEXT = 16 << 10


class TurnLines:
    """The lines of one entry so far.

    words   what was found in it, folded: it is shown wherever it is
    """

    def __init__(self, cells: int, words: Sequence[str]) -> None:
        """:param cells: how wide a line may be, at least 8."""
        self.lines: list[DocumentLine] = []
        self.words = words
        self._cells = cells

    def add(self, text: str, style: str, prose: bool = False) -> None:
        """A line that is known to fit."""
        self.lines.append(DocumentLine(text, style, prose))

    def head(self, who: str, style: str, when: str) -> None:
        """Who says what follows, below an empty line."""
        self.add("", "text")
        self.wrapped(one_line(f"{who} · {when}" if when else who), style)

    def wrapped(self, text: str, style: str) -> None:
        """An inert line, broken where it is too long."""
        for piece in wrap(steady(text), self._cells):
            self.add(piece, style)

    def prose(self, text: str) -> None:
        """A prompt or an answer: whole, or both ends of a long one and what was found in it."""
        if len(text) <= MOST_TEXT:
            ranges = [(0, len(text))]
        else:
            ranges = [
                (0, line_end(text, END_OF_TEXT)),
                (line_begin(text, len(text) - END_OF_TEXT), len(text)),
            ]
            at = place_of(text, self.words)
            if at >= 0:
                ranges.insert(1, around(text, at))
        self.pieces(text.rstrip() if len(text) <= MOST_TEXT else text, ranges, "text", prose=True)

    def some(self, text: str, style: str, most: int, margin: str = "") -> None:
        """The first lines of a text, and those around what was found in it."""
        text = text.strip("\n")
        ranges = [(0, first_lines(text, most))]
        at = place_of(text, self.words)
        if at >= ranges[0][1]:
            ranges.append(around(text, at))
        self.pieces(text, ranges, style, margin)

    def pieces(
        self,
        text: str,
        ranges: Sequence[tuple[int, int]],
        style: str,
        margin: str = "",
        *,
        prose: bool = False,
    ) -> None:
        """Ranges of a text, and what is left out between them."""
        shown = 0
        for begin, end in sorted(ranges):
            begin = max(begin, shown)
            if begin >= end and text:
                continue
            self._left_out(text, shown, begin, margin)
            kind = LineKind()
            for paragraph in paragraphs(text[begin:end].removesuffix("\n")):
                line_style = mark_line(paragraph, kind) if prose else style
                for piece in wrap(paragraph, self._cells - len(margin)):
                    self.add(margin + piece, line_style, prose and line_style == "text")
            shown = end
        self._left_out(text, shown, len(text), margin)

    def _left_out(self, text: str, begin: int, end: int, margin: str) -> None:
        if end <= begin or (end - begin < LINE_OF_TEXT and not text[begin:end].strip()):
            return
        lines = text.count("\n", begin, end) + (not text.endswith("\n", begin, end))
        what = f"{lines:,} lines" if lines > 1 else f"{end - begin:,} characters"
        self.add(f"{margin}… {what} more"[: self._cells], "faint")
