"""Compiled terms of a query: a word, a phrase or a regular expression.

Each matcher finds its term in packed passages (`sessions.passages`) and in texts of files; both give the same
result. A term whose case counts is found in the texts as they are written (NFC), and all others in the folded
texts. There, a word with marks is found without them, and then looked for with its marks in the text as it is
written. `index.query.grammar` describes terms.
"""

from __future__ import annotations

import re
from time import thread_time
from typing import TYPE_CHECKING, Any

from app.formats.text_kinds import CALL, RESULT
from app.formats.utf8_text import counts_marks, fold, to_nfc, to_utf8, with_marks
from app.index.query.query import PHRASE, REGEX, WORD, QueryError, Term
from app.index.query.regex import BadPattern, compiled, from_literal, required_literals
from app.index.search.passages import next_mark
from app.sessions.passages import MARK, unpadded

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from app.index.query.query import Query
    from app.index.text.mmap_reader import Source

    Range = tuple[int, int]


class TermMatcher:
    """Finds one term.

    term               the term of the query
    exact              its case counts
    form               the function that gives a text the form in which the term is found: `to_nfc` if case
                       counts, and for a pattern with marks; `with_marks` if marks count; else `fold`
    marked             the term of the query has marks
    near               it stands for other spellings of the term
    is_certain         every offset that `find_first` returns is a match, without `in_passage`
    finds_backwards    it has `find_last`
    """

    near = False
    is_certain = False
    finds_backwards = True

    def __init__(self, term: Term) -> None:
        self.term = term
        self.exact = term.exact
        self.form: Callable[[str], str] = to_nfc if term.exact else fold
        self.marked = counts_marks(term.text)
        if not term.exact and self.marked:
            self.form, self.is_certain = with_marks, False

    @property
    def is_slow(self) -> bool:
        """Whether the search for the term has taken so long that the user is told."""
        return False

    @property
    def cost(self) -> tuple[int, int]:
        """The sort key of terms: those with the smallest cost are searched for first."""
        return (0, -len(self.term.text))

    @property
    def alternatives(self) -> tuple[Term, ...]:
        """The terms any of which is searched for: `term`, or its other spellings."""
        return (self.term,)

    def find_first(self, source: Source, start: int, end: int) -> int:
        """The first offset in packed passages at which the term may be; -1 if there is none.

        It may lie in the head of its passage. Earlier passages do not have the term.
        """
        raise NotImplementedError

    def find_last(self, source: Source, start: int, end: int) -> int:
        """The last offset at which the term may be; -1 if there is none. Only with `finds_backwards`."""
        raise NotImplementedError

    def in_passage(self, source: Source, begin: int, end: int) -> bool:
        """Whether the text of one passage has the term."""
        raise NotImplementedError

    def has_marks_at(self, source: Source, begin: int, end: int) -> bool:
        """Whether the text of one passage, as it is written, has the term with its marks."""
        text = unpadded(source.written.data[begin:end]).decode("utf-8", "replace")
        return next(self.find_in(self.form(text)), None) is not None

    def copy(self, source: Source) -> Source:
        """The copy of the texts in which the term is searched for."""
        return source.written if self.form is to_nfc else source

    def in_text(self, folded: str, text: str) -> bool:
        """Whether a text has the term.

        :param folded: the folded text.
        :param text: the text as it is written.
        """
        return next(self.find_in(folded if self.form is fold else self.form(text)), None) is not None

    def find_in(self, text: str) -> Iterator[Range]:
        """The (start, end) of its matches in a text in the term's `form`, from left to right."""
        raise NotImplementedError


class WordMatcher(TermMatcher):
    """A word, or any of several spellings of it."""

    is_certain = True

    def __init__(self, term: Term, spellings: tuple[str, ...] = ()) -> None:
        super().__init__(term)
        self.near = bool(spellings)
        if spellings:
            self.exact, self.form, self.is_certain = False, fold, True
        self.spellings = spellings or (fold(term.text),)
        needles = (to_nfc(term.text),) if self.exact else self.spellings
        self._needles = tuple(to_utf8(needle or term.text) for needle in needles)
        self._needle = self._needles[0] if len(self._needles) == 1 else None

    @property
    def alternatives(self) -> tuple[Term, ...]:
        return tuple(Term(WORD, word) for word in self.spellings) if self.near else (self.term,)

    def find_first(self, source: Source, start: int, end: int) -> int:
        source = self.copy(source)
        if self._needle is not None:
            return source.find(self._needle, start, end)
        positions = [source.find(needle, start, end) for needle in self._needles]
        return min([position for position in positions if position >= 0], default=-1)

    def find_last(self, source: Source, start: int, end: int) -> int:
        source = self.copy(source)
        return max([source.rfind(needle, start, end) for needle in self._needles])

    def in_passage(self, source: Source, begin: int, end: int) -> bool:
        find = self.copy(source).find
        if not any(find(needle, begin, end) >= 0 for needle in self._needles):
            return False
        return self.form is not with_marks or self.has_marks_at(source, begin, end)

    def in_text(self, folded: str, text: str) -> bool:
        if self.form is not fold:
            return super().in_text(folded, text)
        if len(self.spellings) == 1:
            return self.spellings[0] in folded
        return any(word in folded for word in self.spellings)

    def find_in(self, text: str) -> Iterator[Range]:
        if not all(self.spellings):
            return iter(())  # Marks without letters are in no folded text.
        if self.near:
            return iter(sorted(span for word in self.spellings for span in _occurrences(text, word)))
        return _occurrences(text, self.form(self.term.text))


def _occurrences(text: str, word: str) -> Iterator[Range]:
    position = text.find(word) if word else -1
    while position >= 0:
        yield position, position + len(word)
        position = text.find(word, position + len(word))


BLANKS = (
    rb"(?:[\t-\r\x1c- ]|\xc2[\x85\xa0]|\xe1\x9a\x80|\xe2\x80[\x80-\x8a\xa8\xa9\xaf]"
    rb"|\xe2\x81\x9f|\xe3\x80\x80)+"
)
"""A pattern of white space in UTF-8, as `str.isspace` defines it."""

SLICE = 2 << 20
"""Bytes that are searched for a phrase at once. Other threads wait for about ten milliseconds."""

_FIRST_BYTES = 4 << 10
_MOST_BYTES = 1 << 20
"""The first and the largest part that `PhraseMatcher.find_last` searches at once."""


class PhraseMatcher(TermMatcher):
    """Words in a row, with any white space between them."""

    is_certain = True

    def __init__(self, term: Term) -> None:
        super().__init__(term)
        words = (to_nfc if self.exact else fold)(term.text).split()
        parts = list(map(to_utf8, words))
        self._longest = max(parts, key=len)
        self._packed = re.compile(BLANKS.join(map(re.escape, parts)))
        self._pattern = re.compile(r"\s+".join(map(re.escape, self.form(term.text).split())))

    def find_first(self, source: Source, start: int, end: int) -> int:
        source = self.copy(source)
        position = source.find(self._longest, start, end)
        if position < 0:
            return -1
        start = max(start, source.rfind(MARK, start, position))
        while start < end:
            stop = next_mark(source, start + SLICE, end)
            match = self._packed.search(source.data, start, stop)
            if match:
                return match.start()
            start = stop
        return -1

    def find_last(self, source: Source, start: int, end: int) -> int:
        source, size = self.copy(source), _FIRST_BYTES
        while start < end:
            position = source.rfind(self._longest, start, end)
            if position < 0:
                return -1
            begin = max(start, source.rfind(MARK, start, max(start, position - size)))
            matches = [match.start() for match in self._packed.finditer(source.data, begin, end)]
            if matches:
                return matches[-1]
            end = begin
            size = min(2 * size, _MOST_BYTES)
        return -1

    def in_passage(self, source: Source, begin: int, end: int) -> bool:
        if self.find_first(source, begin, end) < 0:
            return False
        return self.form is not with_marks or self.has_marks_at(source, begin, end)

    def find_in(self, text: str) -> Iterator[Range]:
        return (match.span() for match in self._pattern.finditer(text))


# Constructs with which a pattern may match differently in one passage and in several.
_ONE_PASSAGE = re.compile(r"\\[AzQ]|\(\?[a-zA-Z]*-")

_LAG_SECONDS = 0.2
_LAG_RATE = 20_000_000
_UNTIMED_BYTES = 4_096
"""A pattern lags if it has taken `_LAG_SECONDS` of processor time at less than `_LAG_RATE` bytes per second.
Most patterns search a hundred times as many. Data of less than `_UNTIMED_BYTES` is not timed: reading the
clock would take longer than the search.
"""

_MOST_FALSE_CANDIDATES = 5_000
"""Passages without a match, about 10 ms, after which a prefilter is given up."""

_SLOW_SECONDS = 2.0
"""Seconds of processor time after which the user is told that a pattern lags."""


class RegexMatcher(TermMatcher):
    """A regular expression (`query.regex`). RE2 lets other threads run; its time is linear in the text."""

    finds_backwards = False

    def __init__(self, term: Term) -> None:
        """:raises BadPattern: see `query.regex`."""
        super().__init__(term)
        if self.form is with_marks:
            self.form = to_nfc  # RE2 ignores case.
        # Imported here: most queries have no pattern.
        import re2

        # Most patterns search several passages at once, without a copy. No match is missed, because the head
        # of a passage is no UTF-8, and a line ends there.
        self._one_passage = _ONE_PASSAGE.search(term.text) is not None
        self._pattern: Any = compiled(term.text, ignore_case=not term.exact)
        is_folded = self.form is fold
        self._prefilter: Any = (
            from_literal(term.text, ignore_case=is_folded) if is_folded or term.exact else None
        )
        """A part of the pattern that is found faster; None if there is none, or if it seldom helps."""
        self._false_candidates = 0
        self._anchor: Any = re2._Anchor.UNANCHORED
        self._seconds = 0.0
        self._bytes = 0
        self._lags = False
        self._literals: list[str] = []
        """The literals of a pattern that lags: a text is searched for one of them first."""
        self._with_literal: tuple[Source, int] | None = None
        """The end of the texts that were last found to have one of these literals."""

    @property
    def cost(self) -> tuple[int, int]:
        return (1, 0)

    @property
    def is_slow(self) -> bool:
        return self._lags and self._seconds > _SLOW_SECONDS

    def find_first(self, source: Source, start: int, end: int) -> int:
        if self._one_passage:
            return start if start < end else -1
        if self._prefilter is not None and not self._lags:
            return self._match(self.copy(source).data, start, end, self._prefilter)
        if not self._literals or start >= end:
            return self._match(self.copy(source).data, start, end, self._pattern)
        if self._with_literal != (source, end):
            if not self._has_literal(source, start, end):
                return -1
            self._with_literal = (source, end)
        # `in_passage` searches one passage after the other: few of them have a literal.
        return start

    def in_passage(self, source: Source, begin: int, end: int) -> bool:
        if self._literals and not self._has_literal(source, begin, end):
            return False
        text = unpadded(self.copy(source).data[begin:end])
        has_match = self._match(text, 0, len(text), self._pattern) >= 0
        self._false_candidates += not has_match
        if self._prefilter is not None and self._false_candidates > _MOST_FALSE_CANDIDATES:
            self._prefilter = None
            # The speed of the prefilter does not count for the whole pattern.
            self._seconds = self._bytes = 0
        return has_match

    def in_text(self, folded: str, text: str) -> bool:
        if self._literals and not any(literal in folded for literal in self._literals):
            return False
        data = (folded if self.form is fold else to_nfc(text)).encode("utf-8", "replace")
        return self._match(data, 0, len(data), self._pattern) >= 0

    def find_in(self, text: str) -> Iterator[Range]:
        return _spans(self._pattern, text)

    def _match(self, data: Any, start: int, end: int, pattern: Any) -> int:
        """The offset of the first match from `start` on; -1."""
        position: int
        search = pattern._regexp.Match
        if end - start < _UNTIMED_BYTES and not self._lags:
            position, _ = search(self._anchor, data, start, end)[0]
            return position
        begun = thread_time()
        position, stop = search(self._anchor, data, start, end)[0]
        self._seconds += thread_time() - begun
        self._bytes += (end if position < 0 else stop) - start
        if not self._lags and self._seconds > _LAG_SECONDS and self._bytes < self._seconds * _LAG_RATE:
            self._lags = True
            self._literals = [literal.lower() for literal in required_literals(self.term.text)]
        return position

    def _has_literal(self, source: Source, start: int, end: int) -> bool:
        return any(source.find(literal.encode(), start, end) >= 0 for literal in self._literals)


def _spans(pattern: Any, text: str) -> Iterator[Range]:
    # Lone surrogates cannot be encoded; their replacement has the same length.
    clean = text if text.isascii() else text.encode("utf-8", "replace").decode()
    for match in pattern.finditer(clean):
        begin, end = match.span()
        if end > begin:
            yield begin, end


class QueryPlan:
    """The compiled query: its terms, and the texts in which they are searched.

    wanted, unwanted   the matchers of the terms and of the negated terms, the cheapest first
    all_terms          the mask of all wanted terms: bit n stands for `wanted[n]`
    kinds              the kinds of texts that are searched (`formats.text_kinds`)
    tools              the folded names of the tools whose texts are searched; empty for all tools
    everywhere         the metadata of sessions is searched, too
    finds_backwards    all wanted terms have `find_last`
    near               a term stands for other spellings
    """

    def __init__(self, query: Query, instead: dict[str, tuple[str, ...]] | None = None) -> None:
        """:param instead: the name of a term that nothing matches -> its other spellings.
        :raises QueryError: a pattern cannot be compiled.
        """
        self.query = query
        self.kinds = query.kinds
        self.tools = query.tools
        self.everywhere = query.everywhere
        matchers = sorted(
            (matcher_for(term, instead or {}) for term in query.terms), key=lambda matcher: matcher.cost
        )
        self.wanted = [matcher for matcher in matchers if not matcher.term.negated]
        self.unwanted = [matcher for matcher in matchers if matcher.term.negated]
        self.all_terms = (1 << len(self.wanted)) - 1
        self.finds_backwards = all(matcher.finds_backwards for matcher in self.wanted)
        self.near = any(matcher.near for matcher in self.wanted)

    def searches(self, kind: int, tool: str = "") -> bool:
        """Whether texts of a kind and of a tool are searched.

        :param tool: the name of the tool as it is written.
        """
        if kind not in self.kinds:
            return False
        return not self.tools or kind not in (CALL, RESULT) or fold(tool) in self.tools


def matcher_for(term: Term, instead: dict[str, tuple[str, ...]] | None = None) -> TermMatcher:
    """The matcher of a term.

    :param instead: see `QueryPlan`; negated terms have no other spellings.
    :raises QueryError: its pattern cannot be compiled.
    """
    spellings = instead.get(name_of(term), ()) if instead and not term.negated else ()
    if term.kind == WORD:
        return WordMatcher(term, spellings)
    if spellings:
        matcher = matcher_for(without_case(term))
        matcher.near, matcher.marked = True, counts_marks(term.text)
        return matcher
    if term.kind == PHRASE:
        return WordMatcher(term) if len(term.text.split()) == 1 else PhraseMatcher(term)
    assert term.kind == REGEX
    try:
        return RegexMatcher(term)
    except BadPattern as error:
        raise QueryError(error.message, term.position, term.length) from None


def without_case(term: Term) -> Term:
    """The same term, whose case and marks do not count."""
    text = term.text if term.kind == REGEX else fold(term.text)
    return Term(term.kind, text, False, term.negated, term.position, term.length)


def name_of(term: Term, flag: str = "") -> str:
    """The name of a term in notes and answers: a word or a phrase by its text, a pattern as it is typed.

    :param flag: precedes the pattern.
    """
    if term.kind != REGEX:
        return term.text
    pattern = flag + term.text
    # A pattern with a blank was typed in quotes, so that quotes within it are already escaped.
    return f're:"{pattern}"' if any(map(str.isspace, pattern)) else f"re:{pattern}"
