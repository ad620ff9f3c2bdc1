"""The filters of the query language in `leafmark list`; its words mean the same as in the list on screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.index.facts import facts_of
from app.index.query.grammar import parse
from app.index.query.query import QueryError
from app.index.query.tokens import tokens
from app.reports.output import complain
from app.reports.pointed import complain_of

if TYPE_CHECKING:
    from app.index.row import Row
    from app.setup import Setup

TEXTS_ONLY = ("in", "role")
"""These say in which texts to look."""


def narrowed(rows: list[Row], query: str, setup: Setup) -> tuple[list[Row], str] | None:
    """The rows that pass the filters in `query`, and what is left of it: the words. None, and standard error
    says why, when a filter does not take its value, or asks for texts, which a list knows nothing of.
    """
    try:
        filters, words = _split(query)
        asked = parse(filters, setup.now_ms(), home=setup.home)
    except QueryError as error:
        complain_of(query, error)
        return None
    for note in asked.notes:
        complain(note.message)
    facts = facts_of(setup.stores, lambda: rows, setup.now_ms())
    return [row for row in rows if asked.passes(row, facts)], words


def _split(query: str) -> tuple[str, str]:
    """The filters of a query, and all else; both as long as the query, so that complaints point at the right
    place.

    :raises QueryError: a filter asks for texts.
    """
    words = list(query)
    filters = [" "] * len(query)
    for token in tokens(query):
        if token.shape != "filter":
            continue
        if token.field in TEXTS_ONLY:
            said = f"{token.field}: says in which texts to look; `leafmark search` looks into texts"
            raise QueryError(said, token.start, token.length)
        place = slice(token.start, token.end)
        filters[place] = query[place]
        words[place] = " " * token.length
    return "".join(filters), "".join(words)
