"""Places in a text that was folded or composed, as places in the text itself.

Most characters stay one; "ß" becomes two, "İ" two, and what is written with combining marks fewer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from unicodedata import combining

from app.formats.fold import composed, fold

if TYPE_CHECKING:
    from collections.abc import Callable

_STEPS = (4096, 256, 32, 4)


class Folded:
    """A text and what `change` (`fold` or `composed`) makes of it, with the way back."""

    __slots__ = ("_change", "_lowered", "_way", "changed", "text")

    def __init__(self, text: str, change: Callable[[str], str] = fold) -> None:
        self.text = text
        self.changed = change(text)
        self._change = change
        self._lowered = ""
        self._way: Callable[[int, int], tuple[int, int]] | None = None

    def back(self, start: int, end: int) -> tuple[int, int]:
        """Where in `text` the characters are that changed[start:end] was made of."""
        if self._way is None:
            self._way = self._find_way()
        return self._way(start, end)

    def _find_way(self) -> Callable[[int, int], tuple[int, int]]:
        text, changed = self.text, self.changed
        if text.isascii() or text == changed:
            return _same
        # Of one character `lower` makes one, but of this.
        if "\u0130" not in text:
            lowered = text.lower()
            if lowered == changed:
                return _same
            if lowered.replace("ß", "ss") == changed:
                self._lowered = lowered
                return self._past_sharp
        return self._any

    def _past_sharp(self, start: int, end: int) -> tuple[int, int]:
        """`back` where "ß" became two and every other character one."""
        first = self._before_sharp(start)
        return first, (self._before_sharp(end - 1) + 1 if end > start else first)

    def _before_sharp(self, place: int) -> int:
        at = self._lowered.find("ß")
        more = 0
        while at >= 0 and at + more < place:
            more += 1
            if at + more == place:
                return at
            at = self._lowered.find("ß", at + 1)
        return place - more

    def _any(self, start: int, end: int) -> tuple[int, int]:
        if self._is_there(start, end):
            return start, end
        begin, made = self._reach(start, 0, 0)
        first, behind = self._char(start, begin, made)
        if end <= start + 1:
            return first, behind if end > start else first
        begin, made = self._reach(end - 1, begin, made)
        return first, self._char(end - 1, begin, made)[1]

    def _is_there(self, start: int, end: int) -> bool:
        """Whether what is before these places becomes as long as it is: so it is nearly always."""
        text, change = self.text, self._change
        return (
            end <= len(text)
            and _may_be_cut(text, start)
            and _may_be_cut(text, end)
            and len(change(text[:start])) == start
            and len(change(text[start:end])) == end - start
        )

    def _reach(self, place: int, begin: int, made: int) -> tuple[int, int]:
        """Go on from text[begin:], of which changed[made:] was made, to a place a few characters before what
        became the one at `place`.
        """
        text, change = self.text, self._change
        for step in _STEPS:
            while begin < len(text):
                end = _cut(text, begin + step)
                some = text[begin:end]
                size = end - begin if some.isascii() else len(change(some))
                if made + size > place:
                    break
                begin, made = end, made + size
        return begin, made

    def _char(self, place: int, begin: int, made: int) -> tuple[int, int]:
        """(start, end) in `text` of what the character at `place` was made of, not far from `begin`."""
        text, change = self.text, self._change
        while begin < len(text):
            end = _next(text, begin)
            size = 1 if end == begin + 1 and text[begin].isascii() else len(change(text[begin:end]))
            if made + size > place:
                return begin, end
            begin, made = end, made + size
        return len(text), len(text)


def _same(start: int, end: int) -> tuple[int, int]:
    return start, end


def _cut(text: str, at: int) -> int:
    """The first place from `at` on where a text may be cut: before what never joins what is before it."""
    while not _may_be_cut(text, at):
        at += 1
    return min(at, len(text))


def _may_be_cut(text: str, at: int) -> bool:
    return at >= len(text) or text[at].isascii()


def _next(text: str, at: int) -> int:
    """Where the character ends that begins at `at`, with all that may be composed with it."""
    at += 1
    while at < len(text) and not text[at].isascii() and _joins(text, at):
        at += 1
    return at


def _joins(text: str, at: int) -> bool:
    """Whether the character there may be composed with what is before it."""
    char = text[at]
    # Vowels and tails of Hangul are no combining marks, and a tail joins a vowel that has joined something.
    # Some vowel signs are none either; these show when they join.
    return combining(char) != 0 or "\u1160" <= char <= "\u11ff" or len(composed(text[at - 1 : at + 1])) < 2
