"""An excerpt of a text with what was found in it, cut to a width so that the find stays in sight."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.view.cells import ELLIPSIS, graphemes, most, shorten

if TYPE_CHECKING:
    from collections.abc import Sequence

    Ranges = tuple[tuple[int, int], ...]


def fit(text: str, ranges: Sequence[tuple[int, int]], cells: int) -> tuple[str, Ranges]:
    """As much of an inert line as fits, around the first of its ranges.

    :param ranges: (start, end) of what was found in `text`, in characters, in order.
    :return: the text, cut ends marked by an ellipsis, and what is left of the ranges in it.
    """
    if most(text) <= cells:
        return text, tuple(ranges)
    begin = _begin(text, *ranges[0], cells) if ranges else 0
    head = ELLIPSIS if begin else ""
    rest = head + text[begin:]
    shown = shorten(rest, cells)
    # a wide character that gives way to an ellipsis leaves as many characters
    last = len(shown) if shown == rest else len(shown) - len(ELLIPSIS)
    moved = len(head) - begin
    placed = [(max(start + moved, len(head)), min(end + moved, last)) for start, end in ranges]
    return shown, tuple((start, end) for start, end in placed if start < end)


def _begin(text: str, start: int, end: int, cells: int) -> int:
    """Where to begin so that what is found stands in the middle, or first if it is too long for that."""
    if most(text[:end]) < cells:
        return 0
    room = max(0, cells - most(text[start:end])) // 2 - len(ELLIPSIS)
    at = start
    for piece, _ in reversed(graphemes(text[:start])):
        room -= most(piece)
        if room < 0:
            break
        at -= len(piece)
    return at


def marked(text: str, ranges: Sequence[tuple[int, int]], before: str, behind: str) -> str:
    """The text with a mark before and one behind each of its ranges, which are in order."""
    parts: list[str] = []
    at = 0
    for start, end in ranges:
        start = max(start, at)
        if start < end:
            parts += (text[at:start], before, text[start:end], behind)
            at = end
    return "".join((*parts, text[at:]))
