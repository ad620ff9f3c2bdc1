"""Ages and counts in at most four characters."""

from __future__ import annotations

import time

from app.view.formatting import DAY, HOUR, MINUTE, age, count, moment
from tests.cases import cases


@cases(
    ("elapsed", "text"),
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
def test_ages(elapsed, text):
    assert age(10**14, 10**14 + elapsed) == text


def test_an_unknown_time_is_a_question_mark():
    assert age(None, 0) == "?"


@cases(
    ("number", "text"),
    [
        (0, "0"),
        (999, "999"),
        (1_000, "1.0k"),
        (9_949, "9.9k"),
        (9_950, "10k"),
        (999_499, "999k"),
        (1_200_000, "1.2M"),
        (9_950_000, "10M"),
    ],
)
def test_counts(number, text):
    assert count(number) == text


@cases(
    ("local_time", "shown"),
    [
        ((2026, 5, 3, 14, 5), "14:05"),
        ((2026, 4, 30, 9, 0), "30 Apr 09:00"),
        ((2025, 12, 31, 23, 59), "31 Dec 2025"),
    ],
)
def test_a_moment_has_its_day_if_it_is_not_today(local_time, shown):
    now = time.mktime((2026, 5, 3, 20, 0, 0, 0, 0, -1)) * 1000
    assert moment(int(time.mktime((*local_time, 0, 0, 0, -1)) * 1000), int(now)) == shown


def test_a_time_outside_of_the_calendar_is_empty():
    assert moment(10**30, 0) == ""
