"""What the last search found out, for the next one: who types on looks only where something was found."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.formats.fold import composed, fold
from app.index.query.query import REGEX

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from app.index.query.query import Query, Term
    from app.index.search.documents import Block, Document

    Slots = dict[Block, Sequence[int]]


class RefinementCache:
    """What is known of sessions about `query`. Filters and negations have no part in it; a session that
    changes is another object from then on.

    lacking   those that lack something of what it wants, of those that were looked into by themselves
    left      by block, those that may have all of it: all others of the block lack something
    having    by block, those with all that it wants
    had       the same of the query before it, if where to look has not changed since
    """

    __slots__ = ("_before", "had", "having", "lacking", "left", "query")

    def __init__(self, query: Query | None = None) -> None:
        self.query = query
        self.lacking: set[Document] = set()
        self.left: Slots = {}
        self.having: Slots = {}
        self.had: Slots = {}
        self._before: Query | None = None

    def then(self, query: Query, blocks: Iterable[Block]) -> RefinementCache:
        """What is known about `query` before anything is looked for.

        :param blocks: that are there now: of others nothing needs to be known any more.
        """
        after = RefinementCache(query)
        before = self.query
        if before is not None:
            blocks = list(blocks)
            if narrows(before, query):
                after.lacking = set(self.lacking)
                after.left = {block: self.left[block] for block in blocks if block in self.left}
            if (before.kinds, before.tools, before.everywhere) == (
                query.kinds,
                query.tools,
                query.everywhere,
            ):
                after.had = {block: self.having[block] for block in blocks if block in self.having}
                after._before = before
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
