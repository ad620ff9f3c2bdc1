"""Keeps the result of the last search: a query that refines it searches only the sessions that can match."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from app.formats.utf8_text import counts_marks, fold, to_nfc, with_marks
from app.index.query.query import REGEX

if TYPE_CHECKING:
    from collections.abc import Iterable

    from app.index.query.query import Query, Term


class RefinementCache:
    """The results of `query`. Without it, the first page of a typed letter takes 26 and not 8 ms
    (tests/benchmarks/README.md, "Search").

    A session that changes becomes another object, about which nothing is known.

    lacking   the sessions that lack a wanted term, also in their files
    """

    __slots__ = ("_places", "lacking", "query")

    def __init__(self, query: Query | None = None) -> None:
        self.query = query
        self.lacking: set[Any] = set()
        self._places: dict[tuple[str, str, bool], dict[Any, int]] = {}

    def places(self, term: Term) -> dict[Any, int]:
        """Session -> the place of a wanted term (`ranking`) if no file is read, as far as it is known."""
        return self._places.setdefault((term.kind, term.text, term.exact), {})

    def then(self, query: Query, documents: Iterable[object]) -> RefinementCache:
        """The cache for the next query, with what is known about it.

        :param documents: the sessions that exist now; others are forgotten.
        """
        after, before = RefinementCache(query), self.query
        if before is None:
            return after
        known = set(documents)
        if narrows(before, query):
            after.lacking = self.lacking & known
        if (before.kinds, before.tools, before.everywhere) != (query.kinds, query.tools, query.everywhere):
            return after
        for term in query.terms:
            for old in before.terms:
                if term.negated or old.negated or not _implies(term, old):
                    continue
                places, is_same = self.places(old), _implies(old, term)
                after.places(term).update(
                    {
                        each: place
                        for each, place in places.items()
                        if each in known and (is_same or not place)
                    }
                )
        return after


def narrows(before: Query, query: Query) -> bool:
    """Whether no session can match `query` that lacks a wanted term of `before`."""
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
    """Whether every text with `term` has `old`."""
    if old.kind == REGEX or term.kind == REGEX:
        return (term.kind, term.text, term.exact) == (old.kind, old.text, old.exact)
    if old.exact and not (term.exact and to_nfc(old.text) in to_nfc(term.text)):
        return False
    form = with_marks if counts_marks(old.text) else fold
    return form(old.text) in form(term.text)
