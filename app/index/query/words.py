"""The words that a query looks for, as they are marked on the screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.formats.fold import fold
from app.index.query.query import REGEX

if TYPE_CHECKING:
    from app.index.query.query import Query


def words_of(query: Query) -> tuple[str, ...]:
    """Each word of the terms that must be there, folded; what a pattern matches is not known beforehand."""
    return tuple(
        word
        for term in query.terms
        if not term.negated and term.kind != REGEX
        for word in fold(term.text).split()
    )
