"""Maps positions in a folded or composed text to positions in the text itself.

Most characters stay one. "ß" and "İ" become two, and characters with combining marks become fewer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from unicodedata import combining

from app.formats.utf8_text import fold, to_nfc

if TYPE_CHECKING:
    from collections.abc import Callable

_STEPS = (4096, 256, 32, 4)


class Folded:
    """A text and its result of `change` (`fold` or `to_nfc`), with the mapping back."""

    __slots__ = ("_change", "_lowered", "_way", "changed", "text")

    def __init__(self, text: str, change: Callable[[str], str] = fold) -> None:
        self.text = text
        self.changed = change(text)
        self._change = change
        self._lowered = ""
        self._way: Callable[[int, int], tuple[int, int]] | None = None

    def back(self, start: int, end: int) -> tuple[int, int]:
        """The (start, end) in `text` of the characters that became changed[start:end]."""
        if self._way is None:
            self._way = self._find_way()
        return self._way(start, end)

    def _find_way(self) -> Callable[[int, int], tuple[int, int]]:
        text, changed = self.text, self.changed
        if text.isascii() or text == changed:
            return _same
        # `lower` makes one character of each character except this one.
        if "\u0130" not in text:
            lowered = text.lower()
            if lowered == changed:
                return _same
            if lowered.replace("ß", "ss") == changed:
                self._lowered = lowered
                return self._past_sharp
        return self._any

    def _past_sharp(self, start: int, end: int) -> tuple[int, int]:
        """`back` if "ß" became two characters and every other character one."""
        first = self._before_sharp(start)
        return first, (self._before_sharp(end - 1) + 1 if end > start else first)

    def _before_sharp(self, position: int) -> int:
        index = self._lowered.find("ß")
        added = 0
        while index >= 0 and index + added < position:
            added += 1
            if index + added == position:
                return index
            index = self._lowered.find("ß", index + 1)
        return position - added

    def _any(self, start: int, end: int) -> tuple[int, int]:
        if self._keeps_length(start, end):
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


def _same(start: int, end: int) -> tuple[int, int]:
    return start, end


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
    # Some vowel signs are none either; composing them shows whether they join.
    return (
        combining(char) != 0 or "\u1160" <= char <= "\u11ff" or len(to_nfc(text[index - 1 : index + 1])) < 2
    )
