"""Ages and counts in at most four characters."""

from __future__ import annotations

import time

import pytest

from app.view.ages import DAY, HOUR, MINUTE, age, clock, count


@pytest.mark.parametrize(
    ("gone", "said"),
    [
        (-DAY, "now"),
        (0, "now"),
        (59_999, "now"),
        (MINUTE, "1m"),
        (59 * MINUTE, "59m"),
        (HOUR, "1h"),
        (23 * HOUR, "23h"),
        (DAY, "1d"),
        (6 * DAY, "6d"),
        (7 * DAY, "1w"),
        (34 * DAY, "4w"),
        (35 * DAY, "1mo"),
        (364 * DAY, "12mo"),
        (365 * DAY, "1y"),
        (400 * 365 * DAY, "99y"),
    ],
)
def test_ages(gone, said):
    assert age(10**14, 10**14 + gone) == said


def test_no_time_is_a_question_mark():
    assert age(None, 0) == "?"


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (0, "0"),
        (999, "999"),
        (1_000, "1.0k"),
        (9_949, "9.9k"),
        (9_950, "10k"),
        (999_499, "999k"),
        (1_200_000, "1M"),
    ],
)
def test_counts(number, said):
    assert count(number) == said


@pytest.mark.parametrize(
    ("then", "shown"),
    [
        ((2026, 5, 3, 14, 5), "14:05"),
        ((2026, 4, 30, 9, 0), "4/30 09:00"),
        ((2025, 12, 31, 23, 59), "25/12/31 23:59"),
    ],
)
def test_a_moment_is_told_as_pi_tells_it(then, shown):
    now = time.mktime((2026, 5, 3, 20, 0, 0, 0, 0, -1)) * 1000
    assert clock(int(time.mktime((*then, 0, 0, 0, -1)) * 1000), int(now)) == shown


def test_a_moment_beyond_all_calendars_is_not_told():
    assert clock(10**30, 0) == ""
