"""Values of filters: numbers (`>1`, `>=0.5`, `<100k`, `10..20`, `10..`) and times (`<2d`, `2026-10`)."""

from __future__ import annotations

from operator import eq, ge, gt, le, lt
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import date, tzinfo

    TimeRange = tuple[float, float]
    """The first millisecond of the range, and the first one after it."""

_COMPARISONS = {">=": ge, "<=": le, ">": gt, "<": lt, "=": eq}
SIGNS = tuple(_COMPARISONS)

_FACTORS = {"k": 1_000, "m": 1_000_000, "g": 1_000_000_000}

_INF = float("inf")

_MINUTE = 60_000
_HOUR = 60 * _MINUTE
_DAY = 24 * _HOUR
# The same lengths as in `view.formatting`, so that a filter and the list mean the same by 2w.
_UNITS = {"mo": 30 * _DAY, "m": _MINUTE, "h": _HOUR, "d": _DAY, "w": 7 * _DAY, "y": 365 * _DAY}
_LONGEST_AGE = 1e15
"""Milliseconds, about thirty thousand years. Longer ages are set to this, so that times stay comparable."""


def split_sign(text: str) -> tuple[str, str]:
    """The comparison sign before a value, and the rest; "=" and the whole text if it has no sign."""
    for sign in SIGNS:
        if text.startswith(sign):
            return sign, text[len(sign) :]
    return "=", text


def number_test(text: str) -> Callable[[float], bool] | None:
    """The test that a numeric value stands for; None if `text` is no such value.

    A number may have a `$` before it and a `k`, `m` or `g` (thousand, million, billion) after it. It has
    neither a needless leading 0 nor separators: `1,000` is two values. A range includes both ends, in either
    order.
    """
    low_text, dots, high_text = text.partition("..")
    if high_text.startswith("."):
        # With three dots, one of them would belong to a number.
        return None
    if dots:
        return _range_test(low_text, high_text)
    sign, rest = split_sign(text)
    bound = _number(rest)
    if bound is None:
        return None
    compare = _COMPARISONS[sign]
    return lambda number: compare(number, bound)


def has_separators(values: list[str]) -> bool:
    """Whether the values of a filter look like one number with separators, as in `>1,000`."""
    if len(values) < 2:
        return False
    first = split_sign(values[0])[1].removeprefix("$")
    return _digits(first) and len(first) <= 3 and all(_digits(rest) and len(rest) == 3 for rest in values[1:])


def _range_test(low_text: str, high_text: str) -> Callable[[float], bool] | None:
    low = _number(low_text) if low_text else -_INF
    high = _number(high_text) if high_text else _INF
    if low is None or high is None or not (low_text or high_text):
        return None
    low, high = min(low, high), max(low, high)
    return lambda number: low <= number <= high


def _number(text: str) -> float | None:
    text = text.removeprefix("$")
    factor = _FACTORS.get(text[-1:].lower(), 1)
    if factor > 1:
        text = text[:-1]
    integer, _, decimals = text.partition(".")
    if not _digits(integer + decimals) or (integer.startswith("0") and len(integer) > 1):
        return None
    return float(text) * factor


def _digits(text: str) -> bool:
    return text.isascii() and text.isdigit()


def time_range(text: str, now_ms: int, zone: tzinfo | None = None) -> TimeRange | None:
    """The range of times that a value of `date:` stands for: [from, before) in milliseconds since the epoch.

    `<2d` and `2d` are the last two days, and `>1w` is everything before the last week. `<2026-10` is
    everything before October, `<=2026-10` everything up to its end, and `2026-10` the month itself. A range
    includes both ends, in either order, and one of them may be missing. A day begins at the first moment
    that has its date. If the clock is outside the years 1 to 9999, there is no `today`.

    :param zone: the time zone in which days begin; None for the zone of this machine.
    :return: None if `text` is no such value.
    """
    first, dots, last = text.partition("..")
    if dots:
        return _range_between(first, last, now_ms, zone)
    sign, rest = split_sign(text)
    age = _age(rest)
    if age is not None:
        then = now_ms - age
        return {"<": (then + 1, _INF), ">": (-_INF, then), ">=": (-_INF, then + 1)}.get(sign, (then, _INF))
    period = _calendar(rest, now_ms, zone)
    if period is None:
        return None
    begin, end = period
    return {"<": (-_INF, begin), "<=": (-_INF, end), ">": (end, _INF), ">=": (begin, _INF)}.get(sign, period)


def _range_between(first: str, last: str, now_ms: int, zone: tzinfo | None) -> TimeRange | None:
    ends = [_point(text, now_ms, zone) for text in (first, last) if text]
    known = [end for end in ends if end is not None]
    if not known or len(known) < len(ends):
        return None
    begin = min(end[0] for end in known) if first else -_INF
    end = max(end[1] for end in known) if last else _INF
    return begin, end


def _point(text: str, now_ms: int, zone: tzinfo | None) -> TimeRange | None:
    age = _age(text)
    return _calendar(text, now_ms, zone) if age is None else (now_ms - age, now_ms - age + 1)


def _age(text: str) -> int | None:
    """An age in milliseconds; None if `text` is none."""
    for unit, length in _UNITS.items():
        number = text[: -len(unit)]
        if text.endswith(unit) and number.isascii() and number.replace(".", "", 1).isdigit():
            return int(min(float(number) * length, _LONGEST_AGE))
    return None


def _calendar(text: str, now_ms: int, zone: tzinfo | None) -> TimeRange | None:
    # Imported here because only queries with a date need it.
    from datetime import date, datetime, timedelta

    if text in ("today", "yesterday"):
        try:
            first = datetime.fromtimestamp(now_ms // 1000, zone).date() - timedelta(text == "yesterday")
        except (OverflowError, ValueError, OSError):
            return None  # the clock is wrong: it shows a day that does not exist
        numbers = [first.year, first.month, first.day]
    else:
        year, *rest = text.split("-")
        digits = (year + "".join(rest)).isascii() and all(part.isdigit() for part in (year, *rest))
        if not digits or len(year) != 4 or len(rest) > 2 or any(len(part) > 2 for part in rest):
            return None
        numbers = [int(year), *map(int, rest)]
        try:
            first = date(*[*numbers, 1, 1][:3])
        except ValueError:
            return None
    try:
        if len(numbers) == 1:
            end = _first_moment(first.replace(year=first.year + 1), zone)
        elif len(numbers) == 2:
            end = _first_moment((first + timedelta(31)).replace(day=1), zone)
        else:
            end = _first_moment(first + timedelta(1), zone)
    except (OverflowError, ValueError):
        end = _INF  # the last day, month or year that the calendar has
    return _first_moment(first, zone), end


def _first_moment(day: date, zone: tzinfo | None) -> float:
    """The first moment of a day, in milliseconds since the epoch."""
    from datetime import datetime  # as in `_calendar`

    try:
        return datetime(day.year, day.month, day.day, tzinfo=zone).timestamp() * 1000
    except (OverflowError, ValueError, OSError):
        return -_INF if day.year < 1970 else _INF
