"""The query language in `leafmark list`: filters, and terms that are looked for in what a row says, and not
in texts. Case does not count in its words and phrases, as in the list on screen; in patterns it does as ever.
"""

from __future__ import annotations

from app.index.filter_context import facts_of
from app.index.query.filters import PLACES_ONLY
from app.index.query.grammar import parse
from app.index.query.query import REGEX, QueryError, Term
from app.index.query.tokens import tokens
from app.index.row import Row
from app.index.search.matchers import TermMatcher, matcher_for
from app.reports.output import complain, complain_of_query
from app.setup import Setup
from app.view.formatting import tilde
from app.view.list_filter import searchable_texts


def filter_rows(rows: list[Row], query: str, setup: Setup) -> list[Row] | None:
    """The rows that pass the filters of `query` and have its terms in title, folder, id, program or labels,
    each term within one of them. None, and standard error says why, when it cannot be run or asks for texts,
    which a list knows nothing of.
    """
    try:
        _refuse_texts(query)
        asked = parse(query, setup.now_ms(), home=setup.home)
        looks = [(_matcher(term), term.negated) for term in asked.terms]
    except QueryError as error:
        complain_of_query(query, error)
        return None
    for note in asked.notes:
        complain(note.message)
    facts = facts_of(setup.stores, lambda: rows, setup.now_ms(), setup.state_folder)
    return [row for row in rows if asked.passes(row, facts) and _has_terms(row, looks, setup.home)]


def _refuse_texts(query: str) -> None:
    """:raises QueryError: a filter asks for texts."""
    for token in tokens(query):
        if token.shape == "filter" and token.field in PLACES_ONLY:
            said = f"{token.field}: says in which texts to look; `leafmark search` looks into texts"
            raise QueryError(said, token.start, token.length)


def _matcher(term: Term) -> TermMatcher:
    if term.kind == REGEX:
        return matcher_for(term)
    return matcher_for(Term(term.kind, term.text, False, term.negated, term.position, term.length))


def _has_terms(row: Row, looks: list[tuple[TermMatcher, bool]], home: str) -> bool:
    """Whether each term is somewhere in what a row says, and none of the negated ones."""
    said = searchable_texts(row, tilde(row.cwd, home))
    return all(any(map(look.in_text, said)) is not negated for look, negated in looks)
