"""Looking for a pattern (`query.regex`). RE2 is imported for the first one."""

from __future__ import annotations

import re
from time import thread_time
from typing import TYPE_CHECKING, Any

from app.index.search.term_matcher import TermMatcher

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.index.query.query import Term
    from app.index.text.mmap_reader import Source

    Range = tuple[int, int]

# In such a pattern a piece on its own is not the same as one among others.
_ALONE = re.compile(r"\\[AzQ]|\(\?[a-zA-Z]*-")


_SECONDS = 0.2
_PACE = 20_000_000
_SHORT = 4_096
"""A pattern lags when looking for it has taken so many seconds of a processor, at fewer bytes in a second.
Most go through a hundred times as many, and those that RE2 can keep no table for through a tenth. What is
short is not timed: the clock would take longer.
"""

_LONG = 2.0
"""One that lags for so many seconds is told of."""


class RegexMatcher(TermMatcher):
    """A regular expression. RE2 lets other threads run and takes time that grows with the text alone."""

    backwards = False
    by_lines = False

    def __init__(self, term: Term) -> None:
        """:raises BadPattern: see `query.regex`."""
        super().__init__(term)
        from app.index.query.regex import compiled

        self._folded = compiled(term.text, ignore_case=True)
        self._exactly = compiled(term.text, ignore_case=False) if term.exact else None
        # Whole pages of pieces are gone through in one look, which does not copy them. No match that counts
        # is missed: a head is no UTF-8, and to a pattern its line ends are those of a text.
        self._alone = _ALONE.search(term.text) is not None
        self._search: Any = self._folded._regexp.Match
        self._anchor: Any = _unanchored()
        self._seconds = 0.0
        self._bytes = 0
        self._lags = False
        """Whether it takes long for so little, so that texts are looked at for its words before."""
        self._words: Any = None
        self._ends: tuple[Source, int] | None = None
        """Of the texts that were looked at for them last, which have them: those up to there."""

    @property
    def cost(self) -> tuple[int, int]:
        return (1, 0)

    @property
    def is_slow(self) -> bool:
        return self._lags and self._seconds > _LONG

    def first(self, source: Source, start: int, end: int) -> int:
        if self._alone:
            return start if start < end else -1
        if self._words is None or start >= end:
            return self._match(source.data, start, end)
        if self._ends != (source, end):
            if not self._has_words(source, start, end):
                return -1
            self._ends = (source, end)
        # Now one piece after the other, as next to none of them has them.
        return start

    def in_folded(self, source: Source, begin: int, end: int) -> bool:
        return self._is_in(source.data[begin:end])

    def in_both(self, folded: str, text: str) -> bool:
        return self._is_in(folded.encode("utf-8", "replace")) and super().in_both(folded, text)

    def found(self, folded: str) -> Iterator[Range]:
        return _spans(self._folded, folded)

    def _is_in(self, piece: bytes) -> bool:
        if self._words is not None and not self._words.Match(piece, True):
            return False
        return self._match(piece, 0, len(piece)) >= 0

    def _match(self, data: Any, start: int, end: int) -> int:
        """Where it is from `start` on; -1."""
        found: int
        if end - start < _SHORT and not self._lags:
            found, _ = self._search(self._anchor, data, start, end)[0]
            return found
        begun = thread_time()
        found, stop = self._search(self._anchor, data, start, end)[0]
        self._seconds += thread_time() - begun
        self._bytes += (end if found < 0 else stop) - start
        if not self._lags and self._seconds > _SECONDS and self._bytes < self._seconds * _PACE:
            from app.index.query.regex import filtered

            self._lags = True
            self._words = filtered(self.term.text)
        return found

    def _has_words(self, source: Source, start: int, end: int) -> bool:
        with memoryview(source.data) as data, data[start:end] as texts:
            return self._words.Match(texts, True) is not None

    def found_exactly(self, text: str) -> Iterator[Range]:
        return _spans(self._exactly, text)


def _spans(pattern: Any, text: str) -> Iterator[Range]:
    # Lone surrogates cannot be encoded; what stands for them has the same length.
    clean = text if text.isascii() else text.encode("utf-8", "replace").decode()
    for match in pattern.finditer(clean):
        begin, end = match.span()
        if end > begin:
            yield begin, end


def _unanchored() -> Any:
    import re2

    return re2._Anchor.UNANCHORED
