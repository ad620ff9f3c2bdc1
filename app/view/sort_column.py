"""The column that shows by what a list of sessions is sorted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.formats.amounts import token_count
from app.view.formatting import age_or_date, count, size, spent

if TYPE_CHECKING:
    from app.formats.prices import Prices
    from app.index.row import Row

COLUMNS = {"created": "began", "cost": "cost", "tokens": "tokens", "size": "size"}
"""The order -> the head of its column. Other orders are those of columns that the list has anyway."""
CELLS = 7


def sort_column(sort: str, row: Row, now_ms: int, prices: Prices) -> str:
    """The field of a session by which it is sorted, in at most `CELLS` cells for usual values.

    :param sort: one of `COLUMNS`.
    :param now_ms: the time in milliseconds since the epoch.
    :param prices: those of tokens without a cost.
    """
    if sort == "created":
        return "?" if row.created is None else age_or_date(row.created, now_ms)
    if sort == "cost":
        return spent(prices.spending(row.cost, row.unpriced))
    return count(token_count(row.tokens)) if sort == "tokens" else size(row.size)
