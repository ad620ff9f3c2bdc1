"""A query that cannot be run, told with the part of it that is to blame."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from app.formats.text import inert
from app.reports.output import complain
from app.view.cells import ELLIPSIS, width

if TYPE_CHECKING:
    from app.index.query.query import QueryError

AROUND = 30
"""So many characters of the query are shown on either side of the part."""
LONGEST = 60
"""Of a longer part, its start."""


def complain_of(query: str, error: QueryError) -> None:
    """Three lines on standard error: why, the part of the query, and a line of carets under it."""
    complain(error.message)
    sys.stderr.write("".join(f"  {line}\n" for line in pointed(query, error.position, error.length)))


def pointed(query: str, position: int, length: int) -> tuple[str, str]:
    """The part of `query` with what stands around it, inert, and carets under it."""
    end = position + min(length, LONGEST)
    start = max(0, position - AROUND)
    before = (ELLIPSIS if start else "") + _flat(query[start:position])
    part = _flat(query[position:end])
    behind = _flat(query[end : end + AROUND]) + (ELLIPSIS if end + AROUND < len(query) else "")
    return before + part + behind, " " * width(before) + "^" * max(1, width(part))


def _flat(text: str) -> str:
    """Inert and in one line, with a blank for each character of white space: carets count on their number."""
    return inert("".join(" " if each.isspace() else each for each in text))
