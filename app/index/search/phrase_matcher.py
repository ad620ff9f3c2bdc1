"""Looking for a phrase: words in a row, with any white space between them.

As a rule that is one blank: so the phrase is looked for as a word is. A look for what else may stand there
takes many times as long, and is only had at what lacks the phrase so.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from app.formats.fold import composed, encoded, fold
from app.index.search.blanks import BLANKS
from app.index.search.passage import next_mark
from app.index.search.term_matcher import TermMatcher
from app.index.text.mmap_reader import SLICE
from app.sessions.passages import MARK

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from app.index.query.query import Term
    from app.index.text.mmap_reader import Source

    Range = tuple[int, int]

_LEAST = 4 << 10
_MOST = 1 << 20
"""Bytes that are gone through at once from behind: more, the longer nothing is found."""


class PhraseMatcher(TermMatcher):
    """Words one after the other, with any white space between them."""

    def __init__(self, term: Term) -> None:
        super().__init__(term)
        words = fold(term.text).split()
        parts = [encoded(word) for word in words]
        self.only = b" ".join(parts)
        self.loose = self._look = Loose(parts)
        self.sought = Loose(parts, whole=True)
        self.simple = not self.exact
        self._folded = re.compile(r"\s+".join(map(re.escape, words)))
        self._exactly = re.compile(r"\s+".join(map(re.escape, composed(term.text).split())))

    def first(self, source: Source, start: int, end: int) -> int:
        return self._look.first(source, start, end)

    def last(self, source: Source, start: int, end: int) -> int:
        return self._look.last(source, start, end)

    def in_folded(self, source: Source, begin: int, end: int) -> bool:
        return self._look.first(source, begin, end) >= 0

    def found(self, folded: str) -> Iterator[Range]:
        return (match.span() for match in self._folded.finditer(folded))

    def found_exactly(self, text: str) -> Iterator[Range]:
        return (match.span() for match in self._exactly.finditer(text))


class Loose:
    """Finds a phrase in packed pieces, whatever white space is between its words."""

    def __init__(self, words: Sequence[bytes], *, whole: bool = False) -> None:
        """:param words: folded and encoded; at least two.
        :param whole: one blank between each two words is one of the `literals`.
        """
        self.is_whole = whole
        self._joined = b" ".join(words)
        self._pattern = re.compile(BLANKS.join(map(re.escape, words)))
        self._longest = max(words, key=len)
        self._words = sorted(set(words), key=len, reverse=True)
        self._begun = [b" ".join(words[:count]) for count in range(1, len(words))]
        """The first word, the first two of them, and so on."""

    def first(self, source: Source, start: int, end: int) -> int:
        """The first place; -1."""
        at = source.find_far(self._longest, start, end)
        if at < 0:
            return -1
        start = max(start, source.rfind(MARK, start, at))
        while start < end:
            stop = next_mark(source, start + SLICE, end)
            found = self._pattern.search(source.data, start, stop)
            if found:
                return found.start()
            start = stop
        return -1

    def last(self, source: Source, start: int, end: int) -> int:
        """A place in the last piece that has it; -1."""
        size = _LEAST
        while start < end:
            at = source.rfind(self._longest, start, end)
            if at < 0:
                return -1
            begin = max(start, source.rfind(MARK, start, max(start, at - size)))
            places = [found.start() for found in self._pattern.finditer(source.data, begin, end)]
            if places:
                return places[-1]
            end = begin
            size = min(2 * size, _MOST)
        return -1

    def literals(self, source: Source, beginnings: Iterable[bytes], start: int, end: int) -> Iterator[bytes]:
        """What to look for in some pieces: whatever the phrase is there, it begins with one of these. What
        begins so is the phrase if it `is_at` that place. Lets other threads run meanwhile.

        :param beginnings: see `blanks.beginnings`, of these pieces or of more.
        """
        find = source.find_free
        if any(find(word, start, end) < 0 for word in self._words):
            return
        for begun in self._begun:
            # The words before the first gap that is no single blank.
            if find(begun, start, end) < 0:
                return
            for beginning in beginnings:
                yield begun + beginning
        if self.is_whole:
            yield self._joined

    def is_at(self, source: Source, at: int, end: int) -> bool:
        """Whether it is at a place, within a piece."""
        return self._pattern.match(source.data, at, end) is not None
