"""Tokens and dollars as the lines say them: any number that JSON can spell, also one that no float holds.

To the agents such a number is infinite.
"""

from __future__ import annotations

from math import isfinite


def finite(number: float | None) -> float:
    """The number; 0 for none, and for one with which no sum can be made."""
    try:
        return number if number and isfinite(number) else 0
    except OverflowError:
        return 0


def whole(number: float) -> int:
    """The same without its fraction."""
    return int(finite(number))
