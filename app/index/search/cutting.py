"""Long lines cut to what surrounds a match: a megabyte need not be decoded to show two hundred characters."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from app.index.search.snippet import LIMIT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.index.search.passage import Passage
    from app.index.search.term_matcher import TermMatcher

try:
    from stringzilla import count, utf8_uncased_search
except ImportError:  # a platform without a wheel
    utf8_uncased_search = None

LONG = 8_000
"""Texts of fewer bytes are not cut."""

_BEFORE, _BEHIND = 600, 2_000
"""So much is left: all that `snippet` shows."""
_PROBE = 24
_SLACK = 64
_MARGIN = 1_000
"""What is before a long text in its line, and what is behind it, is mostly less than this."""
# JSON escapes these.
_ESCAPED = re.compile(rb'[\x00-\x1f"\\\x7f]')
_BLANK, _QUOTE, _ESCAPED_QUOTE, _NO_ESCAPED_QUOTE = b" ", b'"', b'\\"', b'\\\\"'


def first_place(piece: Passage, seekers: Sequence[TermMatcher]) -> int:
    """Where in the text of `piece`, in bytes, the first of `seekers` is; -1 where that is not worth knowing:
    the text is short, or it is not seen at once whether it is a match.
    """
    source, begin, end = piece.source, piece.begin, piece.end
    if end - begin < LONG or utf8_uncased_search is None:
        return -1
    if not all(each.simple and each.apart and len(each.term.text) < LIMIT for each in seekers):
        return -1
    places = [each.first(source, begin, end) for each in seekers]
    return min([place for place in places if place >= begin], default=begin - 1) - begin


def cut(line: bytes, piece: Passage, place: int) -> bytes:
    """`line`, which has the text of `piece`, without the most of what is far from `place` in it; as it is
    where that cannot be done.

    What is taken out begins and ends at blanks within one text, so no word is found that was not there.
    """
    start = piece.begin + place
    probe = _plain(piece.source.data[start : min(start + _PROBE, piece.end)])
    # But for what is escaped, a text takes as many bytes folded as in its line, or next to as many.
    begin = max(0, place - _SLACK)
    at = utf8_uncased_search(line, probe, begin) if probe else -1
    if at < 0:
        return line
    behind = piece.end - start - _SLACK
    for end in (len(line) - _MARGIN, at + behind):
        shorter = _without(line, at + _BEHIND, end)
        if len(shorter) < len(line):
            break
    line = shorter
    for begin in (_MARGIN, at - place + _SLACK):
        shorter = _without(line, begin, at - _BEFORE)
        if len(shorter) < len(line):
            break
    return shorter


def _plain(folded: bytes) -> bytes:
    """What of a folded text stands in a line as it is, but for case."""
    escaped = _ESCAPED.search(folded)
    whole = folded[: escaped.start()] if escaped else folded
    return whole.decode("utf-8", "ignore").encode()


def _without(line: bytes, start: int, end: int) -> bytes:
    """`line` without what is between the first blank from `start` on and the last one before `end`, unless a
    text ends there.
    """
    start = line.find(_BLANK, max(0, start), max(0, end)) + 1
    if not start:
        return line
    end = line.rfind(_BLANK, start, end)
    if end < 0:
        return line
    part = memoryview(line)[start:end]
    quotes = count(part, _QUOTE)
    if quotes and (quotes != count(part, _ESCAPED_QUOTE) or line.find(_NO_ESCAPED_QUOTE, start, end) >= 0):
        return line
    return line[:start] + line[end:]
