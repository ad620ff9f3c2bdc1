"""The orders of a list of sessions that one of their fields decides."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.formats.amounts import token_count
from app.formats.utf8_text import fold

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from app.formats.prices import Prices
    from app.index.row import Row

BEST = "best"
"""The order of a search, the best match first; a list has no such order."""
RECENT = "recent"
SORTS = {
    RECENT: "last use, the newest first",
    "created": "beginning, the newest first",
    "cost": "cost, the highest first",
    "tokens": "tokens, input and output, the most first",
    "length": "number of messages, the most first",
    "size": "size of the file, the largest first",
    "name": "name or title, from A to Z",
}
"""The names of the orders, and what decides each."""


def sorted_rows(rows: Iterable[Row], sort: str, prices: Prices) -> list[Row]:
    """The sessions in an order. Equal ones stand in the order of their last use; those without a value, as
    those whose cost is not known, come last.

    :param sort: one of `SORTS`.
    :param prices: those of tokens without a cost.
    """
    newest_first = sorted(rows, key=lambda row: (-row.modified, row.path))
    return newest_first if sort == RECENT else sorted(newest_first, key=sort_key(sort, prices))


def sort_key(sort: str, prices: Prices) -> Callable[[Row], str | float]:
    """The function by which rows are sorted, with a stable sort, from those of the last use.

    :param sort: one of `SORTS`, without `RECENT`.
    """

    def cost(row: Row) -> float:
        dollars = prices.spending(row.cost, row.unpriced).known
        return 1.0 if dollars is None else -dollars

    keys: dict[str, Callable[[Row], str | float]] = {
        "created": lambda row: -(row.created or 0),
        "cost": cost,
        "tokens": lambda row: -token_count(row.tokens),
        "length": lambda row: -row.message_count,
        "size": lambda row: -row.size,
        "name": lambda row: fold(row.title),
    }
    return keys[sort]
