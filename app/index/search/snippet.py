"""Snippets: one inert line of a text around a match."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.formats.text import inert
from app.formats.utf8_text import fold, to_nfc
from app.index.search.mapping import Folded

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from app.index.search.matchers import TermMatcher

    Range = tuple[int, int]

LIMIT = 200
"""The most characters of a snippet, ellipses included."""

_CHECKED = 1000
"""Characters outside a snippet that are checked for text, to decide about an ellipsis."""
_BEFORE = 60
"""Characters that are shown before a match."""
_WORD = 16
"""Characters by which the beginning is moved to begin with a word."""
_CUT = "…"
_JOINERS = " \u200d"


def snippet(text: str, matchers: Sequence[TermMatcher]) -> tuple[str, tuple[Range, ...]] | None:
    """A line of `text` around the first match, and the (start, end) of all matches in the line, in
    characters. The ranges do not touch and are not empty. None if nothing matches.
    """
    match = _first(text, matchers)
    if match is None and matchers:
        return None
    start, end = match or (0, 0)
    begin, stop = _window(text, start, end)
    line = _flat(text[begin:stop])
    # Ellipses stand for text, not for white space.
    if begin and not text[max(0, begin - _CHECKED) : begin].isspace():
        line = _CUT + line
    if stop < len(text) and not text[stop : stop + _CHECKED].isspace():
        line = line[: LIMIT - 1].rstrip(_JOINERS) + _CUT
    ranges = _ranges(line, matchers)
    if not ranges and match is not None:
        # A pattern may match white space that the line shows as one blank.
        lead = line.startswith(_CUT) and not text[begin : begin + 1].startswith(_CUT)
        ranges = _carried(text[begin:start], text[start:end], line, len(_CUT) if lead else 0)
    return line, tuple(ranges)


def _first(text: str, matchers: Iterable[TermMatcher]) -> Range | None:
    """The first match of any of them; of several with one start the longest."""
    best: Range | None = None
    folded: Folded | None = None
    for matcher in matchers:
        if matcher.exact:
            exactly = Folded(text, to_nfc)
            match = next(matcher.find_exact(exactly.changed), None)
            span = exactly.back(*match) if match else None
        else:
            folded = folded or Folded(text)
            match = next(matcher.find_folded(folded.changed), None)
            span = folded.back(*match) if match else None
        if span and (best is None or (span[0], -span[1]) < (best[0], -best[1])):
            best = span
    return best


def _window(text: str, start: int, end: int) -> Range:
    """The part of `text` to show: some words before the match, and as much after it as fits."""
    begin = max(0, start - _BEFORE)
    if begin:
        blank = _blank(text, begin - _WORD, begin + _WORD)
        begin = min(blank, start) if blank >= 0 else begin
    room = LIMIT - 2
    stop = min(len(text), max(begin + room, min(end, begin + room)))
    # White space becomes one blank, which leaves room for more.
    while stop < len(text) and stop - begin < 8 * LIMIT:
        missing = room - len(" ".join(text[begin:stop].split()))
        if missing <= 0:
            break
        stop = min(len(text), stop + missing)
    return begin, stop


def _blank(text: str, start: int, end: int) -> int:
    """The index after the first blank in this part; -1 if there is none."""
    for position in range(max(0, start), min(end, len(text))):
        if text[position].isspace():
            return position + 1
    return -1


def _flat(text: str) -> str:
    """One inert line of words with single blanks."""
    return inert(" ".join(text.split()))


def _ranges(line: str, matchers: Iterable[TermMatcher]) -> list[Range]:
    """The (start, end) of all matches in a line."""
    matches: list[Range] = []
    folded: Folded | None = None
    for matcher in matchers:
        if matcher.exact:
            exactly = Folded(line, to_nfc)
            matches += [exactly.back(*span) for span in matcher.find_exact(exactly.changed)]
        else:
            folded = folded or Folded(line, fold)
            matches += [folded.back(*span) for span in matcher.find_folded(folded.changed)]
    return _joined(matches)


def _joined(ranges: list[Range]) -> list[Range]:
    """The same characters in as few ranges as possible, in order."""
    joined: list[Range] = []
    for start, end in sorted(ranges):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        elif end > start:
            joined.append((start, end))
    return joined


def _carried(before: str, match: str, line: str, lead: int) -> list[Range]:
    """The range of a match that the line itself does not show, without white space at its ends; none if it is
    white space that the line does not have.

    :param before: the text before the match.
    :param lead: the number of characters of the line that precede `before`.
    """
    words = match.strip()
    if words:
        before += match[: match.index(words)]
        match = words
    start = lead + _flat_length(before if words else before.rstrip())
    end = min(len(line), lead + _flat_length(before + match))
    return [(start, end)] if start < end else []


def _flat_length(text: str) -> int:
    """The length of `text` in the line, with a blank at its end."""
    words = " ".join(text.split())
    return len(words) + (bool(words) and text[-1].isspace())
