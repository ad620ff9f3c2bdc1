"""Amounts in session files, as numbers with which sums can be made."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def finite(number: float | None) -> float:
    """The number; 0 for none, and for one with which no sum can be made."""
    try:
        return number if number and isfinite(number) else 0
    except OverflowError:
        return 0


def finite_int(number: float) -> int:
    """The same without its fraction."""
    return int(finite(number))


def token_count(amounts: Sequence[float]) -> int:
    """The number that is called "tokens" everywhere: input and output. Cached ones are told apart.

    :param amounts: input, output, cache read, cache write; more may follow.
    """
    return finite_int(sum(amounts[:2]))
