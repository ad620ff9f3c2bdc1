"""Breaking a line of text to a width."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.view.cells import cut

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.view.line import Line


def wrap(text: str, cells: int) -> Iterator[str]:
    """A line broken at spaces into pieces of at most ``cells``; a word that is longer is cut."""
    for begin, end in breaks(text, cells):
        yield text[begin:end]


def breaks(text: str, cells: int, hanging: int = 0) -> Iterator[tuple[int, int]]:
    """Where the pieces of ``wrap`` begin and end.

    :param hanging: all but the first are narrower by so many cells.
    """
    size = len(text)
    if size * 2 <= cells or (text.isascii() and size <= cells):
        yield 0, size
        return
    at = 0
    while at < size:
        end = at + len(cut(text[at : at + cells * 8 + 1], cells) or text[at])
        piece = text[at:end]
        if end < size and text[end] != " ":
            space = piece.rfind(" ")
            if space > 0 and piece[:space].strip():
                end = at + space + 1
                piece = piece[: space + 1]
        yield at, at + len(piece.rstrip(" ")) if end < size else end
        at = end
        if piece.strip():
            while at < size and text[at] == " ":
                at += 1
        cells, hanging = max(1, cells - hanging), 0


def cuts(text: str, cells: int, hanging: int = 0) -> Iterator[tuple[int, int]]:
    """As `breaks`, anywhere: of code every blank counts."""
    size = len(text)
    if size * 2 <= cells or (text.isascii() and size <= cells):
        yield 0, size
        return
    at = 0
    while at < size:
        end = at + len(cut(text[at : at + cells * 8 + 1], cells) or text[at])
        yield at, end
        at = end
        cells, hanging = max(1, cells - hanging), 0


def slices(line: Line, ranges: Iterator[tuple[int, int]]) -> Iterator[Line]:
    """The parts of a styled line that stand in some ranges of its text, which follow each other."""
    at = first = 0
    for begin, end in ranges:
        found: Line = []
        while first < len(line):
            text, style = line[first]
            piece = text[max(0, begin - at) : max(0, end - at)]
            if piece:
                found.append((piece, style))
            if at + len(text) > end:
                break
            at += len(text)
            first += 1
        yield found
