"""Tokens and costs that are too large for a float: one of them must not make a session unreadable."""

from __future__ import annotations

from app.formats import finite, finite_int
from tests.cases import cases

BEYOND = "9" * 400


@cases("number", [int(BEYOND), -int(BEYOND), float("inf"), float("nan"), None, 0])
def test_a_number_that_cannot_be_summed_counts_as_zero(number: float | None) -> None:
    assert finite(number) == 0
    assert number is None or finite_int(number) == 0


@cases("number", [1, 2.5, -3, 10**300])
def test_other_numbers_are_unchanged(number: float) -> None:
    assert (finite(number), finite_int(number)) == (number, int(number))
