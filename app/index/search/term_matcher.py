"""What looks for one term: in folded bytes, and in texts as they were written. Here, words.

What a term means is said in `index.query`; both forms find the same.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from app.formats.fold import composed, encoded, fold
from app.index.text.mmap_reader import LARGE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.index.query.query import Term
    from app.index.search.cased import Cased
    from app.index.search.phrase_matcher import Loose
    from app.index.search.spread import Sought
    from app.index.text.mmap_reader import Source

    Range = tuple[int, int]


class TermMatcher:
    """One term. `term` is where it comes from; `near` whether it stands for other spellings of it.

    simple   whether each place that `first` finds is a match: nothing has to be confirmed
    only     the bytes that `first` looks for, if it does no more than that, but for what `loose` finds
    loose    finds the same with other white space in it
    sought   what finds it in all texts at once: `only`, or both in one
    apart    it does not lie across the end of a line
    by_lines   what `first` looks for is in each folded text that has the term, whatever is around it
    """

    simple = False
    only: bytes | None = None
    loose: Loose | None = None
    sought: Sought | None = None
    near = False
    apart = False
    by_lines = True

    def __init__(self, term: Term) -> None:
        self.term = term
        self.exact = term.exact

    @cached_property
    def cased(self) -> Cased | None:
        """What is in each line of a file with a text that has an `exact` term; None where nobody can tell.
        Worked out when it is asked for first: of most terms it is not.
        """
        if not self.exact or not self.by_lines:
            return None
        from app.index.search.cased import cased

        return cased(self.term.text.split())

    @property
    def is_slow(self) -> bool:
        """Whether looking for it has taken so long that somebody who waits is to be told why."""
        return False

    @property
    def cost(self) -> tuple[int, int]:
        """What is to be looked for first: the smaller, the sooner."""
        return (0, -len(self.term.text))

    def first(self, source: Source, start: int, end: int) -> int:
        """The first place in packed pieces where the term may be found, -1 where there is none.

        It may lie in the head of the piece it is in. Pieces before it do not have the term.
        """
        raise NotImplementedError

    def last(self, source: Source, start: int, end: int) -> int:
        """The last such place; -1. Not asked of those that have no `backwards`."""
        raise NotImplementedError

    backwards = True

    def in_folded(self, source: Source, begin: int, end: int) -> bool:
        """Whether it is in the one folded text there. `exact` has to be looked at besides."""
        raise NotImplementedError

    def in_text(self, text: str) -> bool:
        """Whether it is in a text as it was written."""
        return self.in_both(fold(text), text)

    def in_both(self, folded: str, text: str) -> bool:
        """The same for somebody who has the folded text, too."""
        if next(self.found(folded), None) is None:
            return False
        return not self.exact or next(self.found_exactly(composed(text)), None) is not None

    def found(self, folded: str) -> Iterator[Range]:
        """Where it is in a folded text, from left to right."""
        raise NotImplementedError

    def found_exactly(self, text: str) -> Iterator[Range]:
        """Where it is in a composed text, case as it is."""
        raise NotImplementedError


class Words(TermMatcher):
    """A word, or any of several spellings of it."""

    apart = True

    def __init__(self, term: Term, spellings: tuple[str, ...] = ()) -> None:
        super().__init__(term)
        self.near = bool(spellings)
        if spellings:
            self.exact = False
        self.spellings = spellings or (fold(term.text),)
        self.needles = tuple(encoded(each) for each in self.spellings)
        self.only = self.sought = self.needles[0] if len(self.needles) == 1 else None
        self.simple = not self.exact

    def first(self, source: Source, start: int, end: int) -> int:
        only = self.only
        if only is not None:
            # What is small is looked through before anybody else could run.
            return (source.find if end - start < LARGE else source.find_far)(only, start, end)
        found = [at for needle in self.needles if (at := source.find_far(needle, start, end)) >= 0]
        return min(found, default=-1)

    def last(self, source: Source, start: int, end: int) -> int:
        if self.only is not None:
            return source.rfind(self.only, start, end)
        return max([source.rfind(needle, start, end) for needle in self.needles])

    def in_folded(self, source: Source, begin: int, end: int) -> bool:
        if self.only is not None:
            return source.find(self.only, begin, end) >= 0
        return any(source.find(needle, begin, end) >= 0 for needle in self.needles)

    def in_text(self, text: str) -> bool:
        if self.exact and text.isascii():
            return composed(self.term.text) in text
        return self.in_both(fold(text), text)

    def in_both(self, folded: str, text: str) -> bool:
        for word in self.spellings:
            if word in folded:
                return not self.exact or composed(self.term.text) in composed(text)
        return False

    def found(self, folded: str) -> Iterator[Range]:
        if len(self.spellings) == 1:
            return _occurrences(folded, self.spellings[0])
        return iter(sorted(each for word in self.spellings for each in _occurrences(folded, word)))

    def found_exactly(self, text: str) -> Iterator[Range]:
        return _occurrences(text, composed(self.term.text))


def _occurrences(text: str, word: str) -> Iterator[Range]:
    at = text.find(word)
    while at >= 0:
        yield at, at + len(word)
        at = text.find(word, at + len(word))
