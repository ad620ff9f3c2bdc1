"""Whether there is more to look through than a query has looked through where nothing else is said."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.formats.kinds import TOOLS
from app.index.query.grammar import parse

if TYPE_CHECKING:
    from app.index.query.query import Query


def leaves_tools(query: Query) -> bool:
    """Whether something is looked for, and what tools were asked and gave back is left out only because
    nobody has said where to look: `all_text` has that looked through as well.
    """
    if query.kinds & TOOLS or all(term.negated for term in query.terms):
        return False
    # The time is of no importance to where it is looked.
    return parse(query.text, 0, all_text=True).kinds >= TOOLS
