"""The query language in `leafmark list`: filters, and terms that are matched with the fields of a row, not
with the texts of the session. As in the list on screen, case is ignored in words and phrases, but not in
patterns.
"""

from __future__ import annotations

from itertools import starmap

from app.formats.utf8_text import fold
from app.index.filter_context import facts_of
from app.index.query.filters import PLACES_ONLY
from app.index.query.grammar import parse
from app.index.query.query import REGEX, QueryError
from app.index.query.tokens import tokens
from app.index.row import Row
from app.index.search.matchers import matcher_for, without_case
from app.index.touched_files import TouchedFiles
from app.reports.output import Progress, complain, complain_of_query
from app.setup import Setup
from app.stores.tags import NOTHING, read_taggings
from app.view.formatting import tilde
from app.view.list_filter import searchable_texts


def filter_rows(rows: list[Row], query: str, setup: Setup) -> tuple[list[Row] | None, str]:
    """The rows that pass the filters of `query` and contain its terms, each within one field: title, name,
    folder, id, agent, label, tag or note; and the order that it names, "" for none. None if the query is
    invalid or needs the texts of sessions; then standard error has the reason.
    """
    try:
        _refuse_texts(query)
        parsed = parse(query, setup.now_ms(), home=setup.home)
        matchers = [
            (matcher_for(term if term.kind == REGEX else without_case(term)), term.negated)
            for term in parsed.terms
        ]
    except QueryError as error:
        complain_of_query(query, error)
        return None, ""
    for note in parsed.notes:
        complain(note.message)
    touched = None
    if parsed.files:
        touched = TouchedFiles(setup.cache_folder)
        with Progress() as progress:
            touched.update(rows, on_progress=progress.touched)
    facts = facts_of(setup.stores, lambda: rows, setup.now_ms(), setup.state_folder, setup.prices, touched)
    taggings = read_taggings(setup.state_folder)

    def has_terms(row: Row) -> bool:
        tagging = taggings.get((row.agent, row.id), NOTHING)
        texts = [(fold(text), text) for text in searchable_texts(row, tilde(row.cwd, setup.home), tagging)]
        return all(any(starmap(matcher.in_text, texts)) is not negated for matcher, negated in matchers)

    matching = [row for row in rows if parsed.passes(row, facts) and has_terms(row)]
    if touched is not None:
        touched.close()
    return matching, parsed.sort


def _refuse_texts(query: str) -> None:
    """:raises QueryError: a filter needs the texts of sessions."""
    for token in tokens(query):
        if token.shape == "filter" and token.field in PLACES_ONLY:
            message = f"{token.field}: says in which texts to look; `leafmark search` looks into texts"
            raise QueryError(message, token.start, token.length)
