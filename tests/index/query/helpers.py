"""Queries over rows that are made for a test."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from leafmark import QueryError

from app.index.query import Facts, parse
from tests.factory import NOW, make_row

if TYPE_CHECKING:
    from app.index.query import Query, Term

FACTS = Facts()


def read(text: str, **options: Any) -> Query:
    return parse(text, NOW, **options)


def term(text: str) -> Term:
    """The only term of a query."""
    (only_term,) = read(text).terms
    return only_term


def words(text: str) -> list[str]:
    return [term.text for term in read(text).terms]


def messages(text: str) -> list[str]:
    return [note.message for note in read(text).notes]


def fields(text: str) -> list[str]:
    """The field of each filter of a query, as it is typed at the position of the filter."""
    return [text[found.position :].lstrip("-").partition(":")[0] for found in read(text).filters]


def passes(text: str, facts: Facts = FACTS, home: str = "", **fields: Any) -> bool:
    """Whether a row with these fields passes the filters of a query."""
    return read(text, home=home).passes(make_row(**fields), facts)


def refused(text: str, blamed: str) -> str:
    """The message of the QueryError for a query, which has to point at `blamed`."""
    with pytest.raises(QueryError) as caught:
        read(text)
    error = caught.value
    assert text[error.position : error.position + error.length] == blamed
    return error.message
