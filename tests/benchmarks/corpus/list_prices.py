"""The costs of answers of agents that write none, computed apart from leafmark."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.benchmarks.corpus.chunks import Usage

_DOLLARS = {
    "claude-sonnet-4-5": (3, 15, 0.3, 3.75),
    "claude-opus-4-7": (5, 25, 0.5, 6.25),
    "gpt-5.5": (5, 30, 0.5, 5),
    "gpt-5.3-codex": (1.75, 14, 0.175, 1.75),
}
"""Model -> dollars for a million tokens: input, output, cache read, cache write."""


def at_list_price(usage: Usage, model: str) -> Usage:
    """The usage with the cost at list price; None as its cost for a model without one."""
    prices = _DOLLARS.get(model)
    if prices is None:
        return usage._replace(cost=None)
    parts = (count * dollars for count, dollars in zip(usage.tokens, prices, strict=True))
    return usage._replace(cost=sum(parts) / 1e6)
