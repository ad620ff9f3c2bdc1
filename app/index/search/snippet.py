"""One inert line of a text around what was found in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.formats.fold import composed, fold
from app.formats.text import inert
from app.index.search.mapping import Folded

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from app.index.search.term_matcher import TermMatcher

    Range = tuple[int, int]

LIMIT = 200
"""Characters of a snippet, the signs where it is cut included."""

_LOOKED_AT = 1000
_BEFORE = 60
_WORD = 16
_CUT = "…"
_JOINERS = " \u200d"


def snippet(text: str, seekers: Sequence[TermMatcher]) -> tuple[str, tuple[Range, ...]] | None:
    """A line of `text` around the first place where one of `seekers` is, and all (start, end) in it where
    any is, in characters; no two of them touch, and none is empty. None where none of them is in it.
    """
    found = _first(text, seekers)
    if found is None and seekers:
        return None
    start, end = found or (0, 0)
    begin, stop = _window(text, start, end)
    line = _flat(text[begin:stop])
    # White space at the edges says nothing, and a sign stands only where more was said.
    if begin and not text[max(0, begin - _LOOKED_AT) : begin].isspace():
        line = _CUT + line
    if stop < len(text) and not text[stop : stop + _LOOKED_AT].isspace():
        line = line[: LIMIT - 1].rstrip(_JOINERS) + _CUT
    ranges = _ranges(line, seekers)
    if not ranges and found is not None:
        # A pattern may ask for the very white space that is one blank now.
        lead = line.startswith(_CUT) and not text[begin : begin + 1].startswith(_CUT)
        ranges = _carried(text[begin:start], text[start:end], line, len(_CUT) if lead else 0)
    return line, tuple(ranges)


def _first(text: str, seekers: Iterable[TermMatcher]) -> Range | None:
    """The first place of any of them, of the longest where several begin there."""
    best: Range | None = None
    folded: Folded | None = None
    for seeker in seekers:
        if seeker.exact:
            exactly = Folded(text, composed)
            found = next(seeker.found_exactly(exactly.changed), None)
            place = exactly.back(*found) if found else None
        else:
            folded = folded or Folded(text)
            found = next(seeker.found(folded.changed), None)
            place = folded.back(*found) if found else None
        if place and (best is None or (place[0], -place[1]) < (best[0], -best[1])):
            best = place
    return best


def _window(text: str, start: int, end: int) -> Range:
    """What of `text` to show of a match: some words before it, and what there is room for after it."""
    begin = max(0, start - _BEFORE)
    if begin:
        blank = _blank(text, begin - _WORD, begin + _WORD)
        begin = min(blank, start) if blank >= 0 else begin
    room = LIMIT - 2
    stop = min(len(text), max(begin + room, min(end, begin + room)))
    # Runs of white space will take less.
    while stop < len(text) and stop - begin < 8 * LIMIT:
        missing = room - len(" ".join(text[begin:stop].split()))
        if missing <= 0:
            break
        stop = min(len(text), stop + missing)
    return begin, stop


def _blank(text: str, start: int, end: int) -> int:
    """Behind the first blank there; -1 where there is none."""
    for at in range(max(0, start), min(end, len(text))):
        if text[at].isspace():
            return at + 1
    return -1


def _flat(text: str) -> str:
    """One inert line: as long as its words and the blanks between them."""
    return inert(" ".join(text.split()))


def _ranges(line: str, seekers: Iterable[TermMatcher]) -> list[Range]:
    found: list[Range] = []
    folded: Folded | None = None
    for seeker in seekers:
        if seeker.exact:
            exactly = Folded(line, composed)
            found += [exactly.back(*each) for each in seeker.found_exactly(exactly.changed)]
        else:
            folded = folded or Folded(line, fold)
            found += [folded.back(*each) for each in seeker.found(folded.changed)]
    return _apart(found)


def _apart(ranges: list[Range]) -> list[Range]:
    """The same characters in as few ranges as possible, in order."""
    found: list[Range] = []
    for start, end in sorted(ranges):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        elif end > start:
            found.append((start, end))
    return found


def _carried(before: str, match: str, line: str, lead: int) -> list[Range]:
    """Where in `line` a match lies that the line itself does not show, without white space at its ends;
    nowhere, if it is white space that the line is without.

    :param before: what comes before it; `lead`: characters before that.
    """
    words = match.strip()
    if words:
        before += match[: match.index(words)]
        match = words
    start = lead + _flat_length(before if words else before.rstrip())
    end = min(len(line), lead + _flat_length(before + match))
    return [(start, end)] if start < end else []


def _flat_length(text: str) -> int:
    """Characters of the line that `text` begins, with the blank at its end."""
    words = " ".join(text.split())
    return len(words) + (bool(words) and text[-1].isspace())
