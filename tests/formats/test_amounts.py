"""Numbers of tokens and dollars that no float holds: one of them must not cost a session."""

from __future__ import annotations

import pytest

from app.formats.partial_entry import finite, finite_int

BEYOND = "9" * 400


@pytest.mark.parametrize("number", [int(BEYOND), -int(BEYOND), float("inf"), float("nan"), None, 0])
def test_what_no_sum_can_be_made_with_counts_as_nothing(number: float | None) -> None:
    assert finite(number) == 0
    assert number is None or finite_int(number) == 0


@pytest.mark.parametrize("number", [1, 2.5, -3, 10**300])
def test_all_others_are_taken_as_they_are(number: float) -> None:
    assert (finite(number), finite_int(number)) == (number, int(number))
