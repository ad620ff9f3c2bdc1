"""Marking what a filter matched."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.view.document_line import DocumentLine
    from app.view.line import Line

_MATCH = "match"


def highlight(text: str, words: Sequence[str], style: str) -> Line:
    """``text`` as pieces in ``style``, with every place where one of ``words`` stands marked as a match.

    ``words`` are casefolded. Where folding changes the length of the text nothing is marked: a wrong mark is
    worse than none.
    """
    folded = text.casefold()
    if not words or len(folded) != len(text):
        return [(text, style)]
    marked = bytearray(len(text))
    for word in words:
        start = folded.find(word)
        while word and start >= 0:
            marked[start : start + len(word)] = b"\x01" * len(word)
            start = folded.find(word, start + len(word))
    line: Line = []
    begin = 0
    for at in range(1, len(text) + 1):
        if at == len(text) or marked[at] != marked[begin]:
            line.append((text[begin:at], _MATCH if marked[begin] else style))
            begin = at
    return line


def highlight_line(line: Line, words: Sequence[str]) -> Line:
    """As `highlight`, for a line that has styles already; a match may reach from one piece into the next."""
    text = "".join(piece for piece, _ in line)
    marked = highlight(text, words, "")
    if all(style != _MATCH for _, style in marked):
        return line
    found: Line = []
    pieces = iter(marked)
    rest, kind = next(pieces)
    for piece, style in line:
        while piece:
            size = min(len(piece), len(rest))
            if size:
                found.append((piece[:size], kind or style))
            piece, rest = piece[size:], rest[size:]
            if not rest:
                rest, kind = next(pieces, ("", ""))
    return found


def best_line(lines: Sequence[DocumentLine], words: Sequence[str]) -> int:
    """The first of the lines with most of the words; -1 where none has any."""
    best, most = -1, 0
    for at, line in enumerate(lines):
        text = line.text.casefold()
        here = sum(word in text for word in words)
        if here > most:
            best, most = at, here
    return best
