"""What the last search found out, for the next one: who types on looks only where something was found."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.formats.fold import composed, fold
from app.index.query.query import REGEX

if TYPE_CHECKING:
    from app.index.query.query import Query, Term
    from app.index.search.blocks import Session


class Memory:
    """What is known of sessions about `query`. Filters and negations have no part in it; a session that
    changes is another object from then on.

    lacking   those that lack something of what it wants
    having    those with all that it wants
    had       those with all that the query before it wanted, if where to look has not changed since
    """

    __slots__ = ("_before", "had", "having", "lacking", "query")

    def __init__(self, query: Query | None = None) -> None:
        self.query = query
        self.lacking: set[Session] = set()
        self.having: set[Session] = set()
        self.had: set[Session] = set()
        self._before: Query | None = None

    def then(self, query: Query) -> Memory:
        """What is known about `query` before anything is looked for."""
        after = Memory(query)
        before = self.query
        if before is not None:
            if narrows(before, query):
                after.lacking = set(self.lacking)
            if (before.kinds, before.tools, before.everywhere) == (
                query.kinds,
                query.tools,
                query.everywhere,
            ):
                after.had, after._before = self.having, before
        return after

    def knew(self, term: Term) -> bool:
        """Whether all of `had` have `term`."""
        return self._before is not None and any(
            not old.negated and _is_same(term, old) for old in self._before.terms
        )


def narrows(before: Query, query: Query) -> bool:
    """Whether a session that lacks something that `before` wants cannot have all that `query` wants."""
    return (
        query.kinds <= before.kinds
        and (not before.tools or bool(query.tools and query.tools <= before.tools))
        and (before.everywhere or not query.everywhere)
        and all(
            any(_implies(term, old) for term in query.terms if not term.negated)
            for old in before.terms
            if not old.negated
        )
    )


def _implies(term: Term, old: Term) -> bool:
    """Whether a text that has `term` has `old`."""
    if old.kind == REGEX or term.kind == REGEX:
        return _is_same(term, old)
    if old.exact and not (term.exact and composed(old.text) in composed(term.text)):
        return False
    return fold(old.text) in fold(term.text)


def _is_same(term: Term, old: Term) -> bool:
    return (term.kind, term.text, term.exact) == (old.kind, old.text, old.exact)
