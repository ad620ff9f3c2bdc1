"""The terms of a query, made ready to be looked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.formats.fold import fold
from app.formats.kinds import CALL, RESULT
from app.index.query.query import PHRASE, REGEX, WORD, Term
from app.index.search.term_matcher import Words

if TYPE_CHECKING:
    from app.index.query.query import Query
    from app.index.search.term_matcher import TermMatcher


class Plan:
    """What is looked for, and where.

    wanted, unwanted   the seekers of terms, and of negated ones, each with what is found soonest first
    """

    def __init__(self, query: Query, instead: dict[str, tuple[str, ...]] | None = None) -> None:
        """:param instead: by the `name_of` what is nowhere, how else it is spelt.
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


def seeker(term: Term, instead: dict[str, tuple[str, ...]] | None = None) -> TermMatcher:
    """What looks for a term.

    :param instead: see `Plan`; what is not wanted has no other spellings.
    :raises QueryError: its pattern cannot be looked for.
    """
    spellings = instead.get(name_of(term), ()) if instead and not term.negated else ()
    if term.kind == WORD:
        return Words(term, spellings)
    if spellings:
        found = seeker(uncased(term))
        found.near = True
        return found
    if term.kind == PHRASE:
        if len(term.text.split()) == 1:
            return Words(term)
        from app.index.search.phrase_matcher import PhraseMatcher

        return PhraseMatcher(term)
    assert term.kind == REGEX
    from app.index.query.query import QueryError
    from app.index.query.regex import BadPattern
    from app.index.search.regex_matcher import RegexMatcher

    try:
        return RegexMatcher(term)
    except BadPattern as error:
        raise QueryError(error.message, term.position, term.length) from None


def caseless(exact: TermMatcher) -> TermMatcher:
    """What looks for the same whatever its case."""
    if not exact.exact:
        return exact
    return seeker(uncased(exact.term))


def uncased(term: Term) -> Term:
    """The same, but for case, which does not count."""
    return Term(term.kind, term.text, False, term.negated, term.position, term.length)


def name_of(term: Term, flag: str = "") -> str:
    """What a term is called in notes and answers: a word or a phrase by its text, a pattern as it is typed.

    :param flag: stands before the pattern in it.
    """
    if term.kind != REGEX:
        return term.text
    pattern = flag + term.text
    # One with a blank came in quotes: those within are escaped, and stay so.
    return f're:"{pattern}"' if any(map(str.isspace, pattern)) else f"re:{pattern}"
