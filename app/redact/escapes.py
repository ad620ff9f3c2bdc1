"""Texts without their JSON escapes: a secret is found although it stands in JSON within a text."""

from __future__ import annotations

import re
from bisect import bisect_right

MOST_LEVELS = 3
"""Levels of JSON within JSON that are looked into."""
_ESCAPE = re.compile(rb'\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4})')
_PLAIN = {b"b": b"\b", b"f": b"\f", b"n": b"\n", b"r": b"\r", b"t": b"\t"}


class View:
    """Bytes without one level of escapes, with the place of each part in the bytes with them.

    data   the bytes without escapes
    """

    __slots__ = ("_begins", "_ends", "_places", "data")

    def __init__(self, data: bytes) -> None:
        pieces: list[bytes] = []
        self._begins: list[int] = []  # of each piece in the view
        self._places: list[int] = []  # where it begins in `data`
        self._ends: list[int] = []  # and where it ends there
        done = length = 0
        for match in _ESCAPE.finditer(data):
            begin, end = match.span()
            char = data[begin + 1 : begin + 2]
            plain = _PLAIN.get(char, char) if char != b"u" else _character(data[begin + 2 : end])
            for piece, first, last in ((data[done:begin], done, begin), (plain, begin, end)):
                if piece:
                    pieces.append(piece)
                    self._begins.append(length)
                    self._places.append(first)
                    self._ends.append(last)
                    length += len(piece)
            done = end
        pieces.append(data[done:])
        self._begins.append(length)
        self._places.append(done)
        self._ends.append(len(data))
        self.data = b"".join(pieces)

    def span(self, begin: int, end: int) -> tuple[int, int]:
        """The offsets, in the bytes with escapes, of the part from `begin` to `end` of the view."""
        return self._place(begin, last=False), self._place(end - 1, last=True)

    def _place(self, offset: int, *, last: bool) -> int:
        number = bisect_right(self._begins, offset) - 1
        place, end = self._places[number], self._ends[number]
        following = self._begins[number + 1] if number + 1 < len(self._begins) else len(self.data)
        if end - place != following - self._begins[number]:  # an escape
            return end if last else place
        return place + offset - self._begins[number] + last


def has_escapes(data: bytes) -> bool:
    """Whether `data` has an escape of JSON."""
    return b"\\" in data and _ESCAPE.search(data) is not None


def _character(digits: bytes) -> bytes:
    return chr(int(digits, 16)).encode("utf-8", "surrogatepass")
