"""The terms of a query, made ready to be looked for: in folded bytes, and in texts as they were written.

What a term means is said in `index.query`; both forms below find the same.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from app.formats.fold import composed, encoded, fold
from app.formats.kinds import CALL, RESULT
from app.index.query.query import PHRASE, REGEX, WORD, Term
from app.index.text.mapped import LARGE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.index.query.query import Query
    from app.index.text.mapped import Source

    Range = tuple[int, int]

# White space as `str.isspace` has it, in UTF-8.
_BLANKS = (
    rb"(?:[\t-\r\x1c- ]|\xc2[\x85\xa0]|\xe1\x9a\x80|\xe2\x80[\x80-\x8a\xa8\xa9\xaf]"
    rb"|\xe2\x81\x9f|\xe3\x80\x80)+"
)
# What stands in a line of JSON as it is. Not "K", ";" and "`": other characters are composed to these.
_RAW = re.compile(r"[A-JL-Za-z0-9_.,:()=+*-]+")
# In such a pattern a piece on its own is not the same as one among others.
_ALONE = re.compile(r"\\[AzQ]|\(\?[a-zA-Z]*-")


class Seeker:
    """One term. `term` is where it comes from; `near` whether it stands for other spellings of it.

    simple   whether each place that `first` finds is a match: nothing has to be confirmed
    only     the bytes that `first` looks for, if it does no more than that
    raw      bytes that are in each line with a text that has an `exact` term, if nothing in it is escaped
    apart    it does not lie across the end of a line
    by_lines   what `first` looks for is in each folded text that has the term, whatever is around it
    """

    simple = False
    only: bytes | None = None
    raw: bytes | None = None
    near = False
    apart = False
    by_lines = True

    def __init__(self, term: Term) -> None:
        self.term = term
        self.exact = term.exact

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

    def sure(self, source: Source, start: int, end: int) -> bool:
        """Whether it is there for certain, seen at a glance. `exact` has to be looked at besides."""
        return False

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


class Words(Seeker):
    """A word, or any of several spellings of it."""

    apart = True

    def __init__(self, term: Term, spellings: tuple[str, ...] = ()) -> None:
        super().__init__(term)
        self.near = bool(spellings)
        if spellings:
            self.exact = False
        self.spellings = spellings or (fold(term.text),)
        self.needles = tuple(encoded(each) for each in self.spellings)
        self.only = self.needles[0] if len(self.needles) == 1 else None
        self.simple = not self.exact
        self.raw = _raw([term.text])

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
        return any(source.find(needle, begin, end) >= 0 for needle in self.needles)

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


class Phrase(Seeker):
    """Words one after the other, with any white space between them."""

    def __init__(self, term: Term) -> None:
        super().__init__(term)
        words = fold(term.text).split()
        self._joined = encoded(" ".join(words))
        self._longest = max((encoded(word) for word in words), key=len)
        self._bytes = re.compile(_BLANKS.join(re.escape(encoded(word)) for word in words))
        self._folded = re.compile(r"\s+".join(map(re.escape, words)))
        self._exactly = re.compile(r"\s+".join(map(re.escape, composed(term.text).split())))
        self.raw = _raw(term.text.split())

    def first(self, source: Source, start: int, end: int) -> int:
        return source.find_far(self._longest, start, end)

    def last(self, source: Source, start: int, end: int) -> int:
        return source.rfind(self._longest, start, end)

    def sure(self, source: Source, start: int, end: int) -> bool:
        return source.find_far(self._joined, start, end) >= 0

    def in_folded(self, source: Source, begin: int, end: int) -> bool:
        return self._bytes.search(source.data, begin, end) is not None

    def found(self, folded: str) -> Iterator[Range]:
        return (match.span() for match in self._folded.finditer(folded))

    def found_exactly(self, text: str) -> Iterator[Range]:
        return (match.span() for match in self._exactly.finditer(text))


class Pattern(Seeker):
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
        self._match: Any = self._folded._regexp.Match
        self._anchor: Any = _unanchored(self._folded)

    @property
    def cost(self) -> tuple[int, int]:
        return (1, 0)

    def first(self, source: Source, start: int, end: int) -> int:
        if self._alone:
            return start if start < end else -1
        found: int = self._match(self._anchor, source.data, start, end)[0][0]
        return found

    def in_folded(self, source: Source, begin: int, end: int) -> bool:
        piece = source.data[begin:end]
        return bool(self._match(self._anchor, piece, 0, len(piece))[0][0] >= 0)

    def found(self, folded: str) -> Iterator[Range]:
        return _spans(self._folded, folded)

    def found_exactly(self, text: str) -> Iterator[Range]:
        return _spans(self._exactly, text)


class Plan:
    """What is looked for, and where.

    wanted, unwanted   the seekers of terms, and of negated ones, each with what is found soonest first
    """

    def __init__(self, query: Query, instead: dict[str, tuple[str, ...]] | None = None) -> None:
        """:param instead: by the text of a word that is nowhere, how else it is spelt.
        :raises QueryError: a pattern cannot be looked for.
        """
        self.query = query
        self.kinds = query.kinds
        self.tools = query.tools
        self.everywhere = query.everywhere
        seekers = sorted((seeker(term, instead or {}) for term in query.terms), key=lambda each: each.cost)
        self.wanted = [each for each in seekers if not each.term.negated]
        self.unwanted = [each for each in seekers if each.term.negated]
        self.all = (1 << len(self.wanted)) - 1
        """The mask of all that is wanted."""
        self.backwards = all(each.backwards for each in self.wanted)
        self.near = any(each.near for each in self.wanted)

    def caseless(self) -> Plan:
        """The same for texts that are there only folded: whether case is right, nobody can tell any more."""
        # Without `copy`, which would be loaded for this alone.
        plan = Plan.__new__(Plan)
        plan.__dict__.update(self.__dict__)
        plan.wanted = [caseless(each) for each in self.wanted]
        return plan

    def takes(self, kind: int, tool: str = "") -> bool:
        """Whether texts of that kind, and of that tool, are looked through. `tool` as written."""
        if kind not in self.kinds:
            return False
        return not self.tools or kind not in (CALL, RESULT) or fold(tool) in self.tools


def seeker(term: Term, instead: dict[str, tuple[str, ...]] | None = None) -> Seeker:
    """What looks for a term.

    :raises QueryError: its pattern cannot be looked for.
    """
    if term.kind == WORD:
        return Words(term, (instead or {}).get(term.text, ()))
    if term.kind == PHRASE:
        return Phrase(term) if len(term.text.split()) > 1 else Words(term)
    assert term.kind == REGEX
    from app.index.query.query import QueryError
    from app.index.query.regex import BadPattern

    try:
        return Pattern(term)
    except BadPattern as error:
        raise QueryError(error.message, term.position, term.length) from None


def caseless(exact: Seeker) -> Seeker:
    """What looks for the same whatever its case."""
    if not exact.exact:
        return exact
    term = exact.term
    return seeker(Term(term.kind, term.text, False, term.negated, term.position, term.length))


def _raw(words: list[str]) -> bytes | None:
    plain = [word for word in words if _RAW.fullmatch(word)]
    return max(plain, key=len).encode() if plain else None


def _occurrences(text: str, word: str) -> Iterator[Range]:
    at = text.find(word)
    while at >= 0:
        yield at, at + len(word)
        at = text.find(word, at + len(word))


def _spans(pattern: Any, text: str) -> Iterator[Range]:
    # Lone surrogates cannot be encoded; what stands for them has the same length.
    clean = text if text.isascii() else text.encode("utf-8", "replace").decode()
    for match in pattern.finditer(clean):
        begin, end = match.span()
        if end > begin:
            yield begin, end


def _unanchored(pattern: Any) -> Any:
    import re2

    return re2._Anchor.UNANCHORED
