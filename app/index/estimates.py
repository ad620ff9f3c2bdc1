"""The figures of a session with the estimates for the tokens that have no cost of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from app.formats.model_names import with_new_provider

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.formats.prices import Prices
    from app.sessions.summaries.figures import Figures

ESTIMATED, UNPRICED = 13, 14
"""The columns that `priced_cells` adds to a `Cell`: the part of the cost that is estimated, in dollars, and
the number of tokens whose price is not known.
"""
_MODEL, _COST, _ABANDONED = 1, 10, 11


def priced_cells(figures: Figures, prices: Prices) -> list[tuple[Any, ...]]:
    """The cells of a session, each with two more columns. A provider that was renamed has its new name."""
    own: Sequence[tuple[Any, ...]] = figures.cells
    cells = [(cell[0], with_new_provider(cell[_MODEL]), *cell[2:], 0.0, 0) for cell in own]
    for index, is_abandoned, tokens in figures.unpriced:
        found = prices.spending(0.0, (tokens,))
        cell = list(cells[index])
        cell[_COST] += found.dollars
        cell[ESTIMATED] += found.estimated
        cell[UNPRICED] += found.unpriced
        if is_abandoned:
            cell[_ABANDONED] += found.dollars
        cells[index] = tuple(cell)
    return cells
