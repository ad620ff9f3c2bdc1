"""Times in filters."""

from __future__ import annotations

import re
import time
from datetime import datetime, timedelta, tzinfo
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import pytest
from leafmark import QueryError

from app.index.query import Facts, parse, time_range
from tests.cases import cases
from tests.factory import NOW, make_row

if TYPE_CHECKING:
    from collections.abc import Iterator

UTC = ZoneInfo("UTC")
BERLIN = ZoneInfo("Europe/Berlin")
HOUR = 3_600_000
DAY = 24 * HOUR
EVER = float("inf")


def milliseconds(text: str, zone: tzinfo = UTC) -> int:
    """Milliseconds since the epoch at a local time."""
    return round(datetime.fromisoformat(text).replace(tzinfo=zone).timestamp() * 1000)


def range_of(value: str, now: str = "2026-10-05T12:00", zone: tzinfo = UTC) -> tuple[float, float] | None:
    return time_range(value, milliseconds(now, zone), zone)


@cases(
    ("value", "begin", "end"),
    [
        ("today", "2026-10-05", "2026-10-06"),
        ("yesterday", "2026-10-04", "2026-10-05"),
        ("2026", "2026-01-01", "2027-01-01"),
        ("2026-10", "2026-10-01", "2026-11-01"),
        ("2026-12", "2026-12-01", "2027-01-01"),
        ("2026-2", "2026-02-01", "2026-03-01"),
        ("2024-02-29", "2024-02-29", "2024-03-01"),
        ("=2026-10-05", "2026-10-05", "2026-10-06"),
        ("2026-09..2026-10", "2026-09-01", "2026-11-01"),
        ("2026-10..2026-09", "2026-09-01", "2026-11-01"),
        ("2025..2026-02", "2025-01-01", "2026-03-01"),
        ("2026-09-30..today", "2026-09-30", "2026-10-06"),
        (">=2026-10", "2026-10-01", None),
        (">2026-10", "2026-11-01", None),
        ("2026-10..", "2026-10-01", None),
        ("<2026-10", None, "2026-10-01"),
        ("<=2026-10", None, "2026-11-01"),
        ("..2026-10", None, "2026-11-01"),
        ("9999", "9999-01-01", None),
        ("9999-12-31", "9999-12-31", None),
    ],
)
def test_days_months_and_years(value: str, begin: str | None, end: str | None) -> None:
    assert range_of(value) == (milliseconds(begin) if begin else -EVER, milliseconds(end) if end else EVER)


@cases(
    ("value", "inside", "outside"),
    [
        ("<2d", 2 * DAY - 1, 2 * DAY),
        ("<=2d", 2 * DAY, 2 * DAY + 1),
        ("2d", 2 * DAY, 2 * DAY + 1),
        (">1w", 7 * DAY + 1, 7 * DAY),
        (">=1w", 7 * DAY, 7 * DAY - 1),
        ("<90m", 90 * 60_000 - 1, 90 * 60_000),
        ("<1.5h", 90 * 60_000 - 1, 90 * 60_000),
        ("<2mo", 60 * DAY - 1, 60 * DAY),
        ("<1y", 365 * DAY - 1, 365 * DAY),
        ("<2D", 2 * DAY - 1, 2 * DAY),
        ("1w..2d", 3 * DAY, DAY),
        ("2d..1w", 3 * DAY, 8 * DAY),
        ("2w..", 2 * DAY, 15 * DAY),
        ("..2w", 15 * DAY, 13 * DAY),
        ("<2d", -DAY, 2 * DAY),  # a clock that is ahead
    ],
)
def test_ages(value: str, inside: int, outside: int) -> None:
    query = parse(f"date:{value}", NOW, zone=UTC)
    assert query.passes(make_row(modified=NOW - inside), Facts())
    assert not query.passes(make_row(modified=NOW - outside), Facts())


@cases(
    "value",
    [
        *("", "..", "2d2", "d", "2", "202", "20261", "2026-", "2026-13", "2026-00", "2026-02-30", "0000"),
        *(
            "2026-1-1-1",
            "tomorrow",
            "-2d",
            "2 d",
            "<",
            "x..2026",
            "2026..x",
            "2026-001",
            "٢٠٢٦",
            "²d",
            "1..2",
        ),
        *("2026/10", "2026-10-05T10"),
    ],
)
def test_an_invalid_time_is_refused(value: str) -> None:
    assert range_of(value) is None


def test_an_age_may_exceed_the_range_of_dates() -> None:
    assert range_of("<" + "9" * 400 + "y") is not None
    assert range_of("0001") == (-62_135_596_800_000, milliseconds("0002-01-01"))


def test_a_day_has_23_or_25_hours_when_clocks_change() -> None:
    begin, end = range_of("2026-03-29", zone=BERLIN) or (0, 0)
    assert end - begin == 23 * HOUR
    begin, end = range_of("2026-10-25", zone=BERLIN) or (0, 0)
    assert end - begin == 25 * HOUR
    assert range_of("yesterday", "2026-10-26T00:30", BERLIN) == (begin, end)
    assert range_of("today", "2026-10-25T23:59", BERLIN) == (begin, end)


@cases(
    ("zone", "day", "hours"),
    [
        ("America/Sao_Paulo", "2018-11-04", 23),  # there is no midnight: clocks go from 0 to 1
        ("America/Sao_Paulo", "2018-02-17", 25),  # its last hour comes twice
        ("America/Havana", "2026-11-01", 25),  # its first hour comes twice
        ("Pacific/Apia", "2011-12-30", 0),  # the islands went without it
    ],
)
def test_a_day_begins_with_the_first_moment_of_its_date(zone: str, day: str, hours: int) -> None:
    zone_info = ZoneInfo(zone)
    begin, end = range_of(day, "2026-06-01T00:00", zone_info) or (0, 0)
    assert end - begin == hours * HOUR
    for moment, inside in ((begin - 1, False), (begin, True), (end - 1, True), (end, False)):
        date = datetime.fromtimestamp(moment / 1000, UTC).astimezone(zone_info).date().isoformat()
        assert (date == day) is (inside and hours > 0)


@pytest.fixture
def new_york(monkeypatch: pytest.MonkeyPatch) -> Iterator[ZoneInfo]:
    monkeypatch.setenv("TZ", "America/New_York")
    time.tzset()
    yield ZoneInfo("America/New_York")
    monkeypatch.undo()
    time.tzset()


@cases("value", ["today", "yesterday", "2026", "2026-03-08", "2026-11", ">2026-11-01"])
def test_without_a_zone_the_zone_of_this_machine_is_used(new_york: ZoneInfo, value: str) -> None:
    now = milliseconds("2026-11-02T00:30", new_york)
    assert time_range(value, now) == time_range(value, now, new_york)
    assert time_range(value, now) != time_range(value, now, UTC)


def test_days_follow_each_other_without_gaps(new_york: ZoneInfo) -> None:
    day = datetime(2026, 1, 1)
    end = None
    for _ in range(366):
        begin, following = time_range(day.date().isoformat(), NOW) or (0, 0)
        assert end is None or begin == end
        end = following
        day += timedelta(1)


@cases("now_ms", [-(10**15), 10**15, 10**18, -(10**30), 10**30])
@cases("value", ["today", "yesterday", "<=today", "2026..today"])
def test_no_today_outside_the_range_of_dates(value: str, now_ms: int) -> None:
    assert time_range(value, now_ms, UTC) is None
    with pytest.raises(QueryError, match=re.escape(f'"{value}" is no time')):
        parse(f"date:{value}", now_ms)
    parse("date:2026 date:<2d date:2026..1w", now_ms)


def test_the_first_date_has_no_yesterday_and_the_last_no_end() -> None:
    assert range_of("yesterday", "0001-01-01T12:00") is None
    assert range_of("today", "9999-12-31T12:00") == (milliseconds("9999-12-31"), EVER)
