"""The lines of a text of any size, made inert piece by piece: a text of many megabytes neither stops the
thread that goes through it nor anything that waits for that thread.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.formats.text import inert
from app.view.cells import steady

if TYPE_CHECKING:
    from collections.abc import Iterator

CHUNK = 32_768


def paragraphs(text: str) -> Iterator[str]:
    """The lines of the text, inert; a huge one in pieces."""
    for begin, end in lines_in(text):
        yield from pieces(text, begin, end)


def lines_in(text: str) -> Iterator[tuple[int, int]]:
    """Where each line of the text begins and ends; there is one at least."""
    start, size = 0, len(text)
    while start <= size:
        stop = text.find("\n", start)
        if stop < 0:
            yield start, size
            return
        # a CRLF is one end of a line
        yield start, stop - 1 if stop > start and text[stop - 1] == "\r" else stop
        start = stop + 1


def pieces(text: str, begin: int, end: int) -> list[str]:
    """What stands from ``begin`` to ``end``, inert and of the same width on every terminal: in one piece, or
    in several where it is huge or holds separators of lines.
    """
    found: list[str] = []
    for at in range(begin, max(end, begin + 1), CHUNK):
        found += steady(inert(text[at : min(at + CHUNK, end)])).split("\n")
    return found
