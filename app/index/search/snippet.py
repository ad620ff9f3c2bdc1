"""Snippets: one inert line of a text around a match."""

from __future__ import annotations

from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING
from unicodedata import combining

from app.formats.text import inert
from app.formats.utf8_text import fold, to_nfc

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

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
_STEPS = (4096, 256, 32, 4)
"""Characters by which a position is approached, to map it from the changed text to the text."""


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
    for start, end in _matches(text, matchers, only_first=True):
        if best is None or (start, -end) < (best[0], -best[1]):
            best = start, end
    return best


def _matches(text: str, matchers: Iterable[TermMatcher], *, only_first: bool = False) -> Iterator[Range]:
    """The (start, end) of the matches of each matcher, or only of the first one of each."""
    forms: dict[Callable[[str], str], Folded] = {}
    for matcher in matchers:
        form = forms.setdefault(matcher.form, Folded(text, matcher.form))
        for span in islice(matcher.find_in(form.changed), 1 if only_first else None):
            yield form.back(*span)


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
    return _joined(list(_matches(line, matchers)))


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


# -- positions in a folded or composed text --


class Folded:
    """A text and its result of `change` (`TermMatcher.form`), with the mapping of positions back. Most
    characters stay one. "ß" and "İ" become two, and characters with combining marks become fewer.
    """

    def __init__(self, text: str, change: Callable[[str], str] = fold) -> None:
        self.text = text
        self.changed = change(text)
        self._change = change

    @cached_property
    def _has_same_positions(self) -> bool:
        """Whether each character became one character, as in nearly all texts."""
        text = self.text
        # `lower` makes one character of each character except this one.
        return text.isascii() or ("\u0130" not in text and text.lower() == self.changed)

    def back(self, start: int, end: int) -> tuple[int, int]:
        """The (start, end) in `text` of the characters that became changed[start:end]."""
        if self._has_same_positions or self._keeps_length(start, end):
            return start, end
        begin, changed_length = self._reach(start, 0, 0)
        first, behind = self._char(start, begin, changed_length)
        if end <= start + 1:
            return first, behind if end > start else first
        begin, changed_length = self._reach(end - 1, begin, changed_length)
        return first, self._char(end - 1, begin, changed_length)[1]

    def _keeps_length(self, start: int, end: int) -> bool:
        """Whether the text before these positions keeps its length, which it nearly always does."""
        text, change = self.text, self._change
        return (
            end <= len(text)
            and _may_be_cut(text, start)
            and _may_be_cut(text, end)
            and len(change(text[:start])) == start
            and len(change(text[start:end])) == end - start
        )

    def _reach(self, position: int, begin: int, changed_length: int) -> tuple[int, int]:
        """Go forward in `text` to a few characters before the one that became `position`.

        :param begin: where to start in `text`.
        :param changed_length: the length of `text[:begin]` in `changed`.
        :return: both values for the position that was reached.
        """
        text, change = self.text, self._change
        for step in _STEPS:
            while begin < len(text):
                end = _cut(text, begin + step)
                part = text[begin:end]
                size = end - begin if part.isascii() else len(change(part))
                if changed_length + size > position:
                    break
                begin, changed_length = end, changed_length + size
        return begin, changed_length

    def _char(self, position: int, begin: int, changed_length: int) -> tuple[int, int]:
        """The (start, end) in `text` of the characters that became the one at `position`, not far from
        `begin`."""
        text, change = self.text, self._change
        while begin < len(text):
            end = _next(text, begin)
            size = 1 if end == begin + 1 and text[begin].isascii() else len(change(text[begin:end]))
            if changed_length + size > position:
                return begin, end
            begin, changed_length = end, changed_length + size
        return len(text), len(text)


def _cut(text: str, index: int) -> int:
    """The first position from `index` on at which a text may be cut: the next character joins no other."""
    while not _may_be_cut(text, index):
        index += 1
    return min(index, len(text))


def _may_be_cut(text: str, index: int) -> bool:
    return index >= len(text) or text[index].isascii()


def _next(text: str, index: int) -> int:
    """The end of the character at `index`, with all that may be composed with it."""
    index += 1
    while index < len(text) and not text[index].isascii() and _joins(text, index):
        index += 1
    return index


def _joins(text: str, index: int) -> bool:
    """Whether the character at `index` may be composed with the one before it."""
    char = text[index]
    # Vowels and tails of Hangul are no combining marks, and a tail joins a vowel that has joined a consonant.
    # Some vowel signs are none either; composing them shows whether they join. Katakana of half width has two
    # marks.
    return (
        combining(char) != 0
        or char in "\uff9e\uff9f"
        or "\u1160" <= char <= "\u11ff"
        or len(to_nfc(text[index - 1 : index + 1])) < 2
    )
