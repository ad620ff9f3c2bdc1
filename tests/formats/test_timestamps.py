"""Times in every shape the agents write (formats/README.md, "pi")."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from app.formats import iso, parse_time
from tests.cases import cases

MOMENT = 1_771_237_230_000


@cases(
    ("written", "ms"),
    [
        ("2026-02-16T10:20:30.000Z", MOMENT),
        ("2026-02-16T10:20:30Z", MOMENT),
        ("2026-02-16T10:20:30", MOMENT),
        ("2026-02-16 10:20:30", MOMENT),
        ("2026-02-16T12:20:30+02:00", MOMENT),
        ("2026-02-16T10:20:30.123456Z", MOMENT + 123),
        (" 2026-02-16T10:20:30Z\n", MOMENT),
        ("2026-02-16", 1_771_200_000_000),
        (MOMENT, MOMENT),
        (float(MOMENT) + 0.75, MOMENT),
        (0, 0),
        (-1, -1),
    ],
)
def test_what_is_a_time(written: object, ms: int) -> None:
    assert parse_time(written) == ms


@cases(
    "written",
    [
        *[None, True, "", "yesterday", "2026-13-40T00:00:00Z", "1771237230000000000000", [], {}, 10**30],
        *[-(10**30), math.nan, math.inf, -math.inf, "0000-00-00T00:00:00Z", "9999-12-31T23:59:59-23:59"],
        *["\ud83d", "\0"],
    ],
)
def test_what_is_none(written: object) -> None:
    assert parse_time(written) is None


def test_iso_writes_milliseconds_in_utc() -> None:
    assert iso(MOMENT) == "2026-02-16T10:20:30.000Z"
    assert iso(MOMENT + 7) == "2026-02-16T10:20:30.007Z"
    assert iso(-1) == "1969-12-31T23:59:59.999Z"
    assert iso(10**20) == "9999-12-31T23:59:59.999Z"
    assert iso(-(10**20)) == "0001-01-01T00:00:00.000Z"


@given(st.integers(-62_135_596_800_000, 253_402_300_799_999))
def test_what_is_written_is_read_back(ms: int) -> None:
    assert parse_time(iso(ms)) == ms


@given(st.text() | st.floats() | st.integers() | st.none() | st.booleans())
def test_nothing_crashes(value: object) -> None:
    assert parse_time(value) is None or isinstance(parse_time(value), int)
