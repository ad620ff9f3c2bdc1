"""Times in filters: ages (`<2d`), days, months and years of the local time zone, and ranges of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.index.query.amounts import comparison

if TYPE_CHECKING:
    from datetime import date, tzinfo

    Span = tuple[float, float]
    """From this millisecond on, and before that one."""

_INF = float("inf")

_MINUTE = 60_000
_HOUR = 60 * _MINUTE
_DAY = 24 * _HOUR
# As `view.ages` counts them: a filter and the list mean the same by 2w.
_UNITS = {"mo": 30 * _DAY, "m": _MINUTE, "h": _HOUR, "d": _DAY, "w": 7 * _DAY, "y": 365 * _DAY}
_LONGEST = 1e15
"""Ages end here, some thirty thousand years back: a time has to stay a number that can be compared."""


def span(text: str, now_ms: int, zone: tzinfo | None = None) -> Span | None:
    """The milliseconds since the epoch that a value of `date:` means: [from, before); None when it is none.

    Of ages `<2d` and `2d` are the last two days, and `>1w` is all before the last week. Of days, months and
    years, `<2026-10` is all before October, `<=2026-10` all up to its end, `2026-10` the month itself. A
    range takes in all of both its ends, which stand in either order; one of them may be missing. A day
    begins at the first moment that has its date, whatever clocks do that night. Where the clock stands
    outside the years 1 to 9999 there is no today.

    :param zone: where days begin; None is the time zone of this machine.
    """
    first, dots, last = text.partition("..")
    if dots:
        return _range(first, last, now_ms, zone)
    sign, rest = comparison(text)
    age = _age(rest)
    if age is not None:
        then = now_ms - age
        return {"<": (then + 1, _INF), ">": (-_INF, then), ">=": (-_INF, then + 1)}.get(sign, (then, _INF))
    found = _calendar(rest, now_ms, zone)
    if found is None:
        return None
    begin, end = found
    return {"<": (-_INF, begin), "<=": (-_INF, end), ">": (end, _INF), ">=": (begin, _INF)}.get(sign, found)


def _range(first: str, last: str, now_ms: int, zone: tzinfo | None) -> Span | None:
    ends = [_point(text, now_ms, zone) for text in (first, last) if text]
    known = [end for end in ends if end is not None]
    if not known or len(known) < len(ends):
        return None
    begin = min(end[0] for end in known) if first else -_INF
    end = max(end[1] for end in known) if last else _INF
    return begin, end


def _point(text: str, now_ms: int, zone: tzinfo | None) -> Span | None:
    age = _age(text)
    return _calendar(text, now_ms, zone) if age is None else (now_ms - age, now_ms - age + 1)


def _age(text: str) -> int | None:
    """Milliseconds."""
    for unit, length in _UNITS.items():
        number = text[: -len(unit)]
        if text.endswith(unit) and number.isascii() and number.replace(".", "", 1).isdigit():
            return int(min(float(number) * length, _LONGEST))
    return None


def _calendar(text: str, now_ms: int, zone: tzinfo | None) -> Span | None:
    # Only a query with a date pays for the import.
    from datetime import date, datetime, timedelta

    if text in ("today", "yesterday"):
        try:
            first = datetime.fromtimestamp(now_ms // 1000, zone).date() - timedelta(text == "yesterday")
        except (OverflowError, ValueError, OSError):
            return None  # a clock that is wrong: there is no such day
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
            end = _begin(first.replace(year=first.year + 1), zone)
        elif len(numbers) == 2:
            end = _begin((first + timedelta(31)).replace(day=1), zone)
        else:
            end = _begin(first + timedelta(1), zone)
    except (OverflowError, ValueError):
        end = _INF  # the last day, month or year there is
    return _begin(first, zone), end


def _begin(day: date, zone: tzinfo | None) -> float:
    """The first moment of a day, in milliseconds since the epoch."""
    from datetime import datetime

    try:
        return datetime(day.year, day.month, day.day, tzinfo=zone).timestamp() * 1000
    except (OverflowError, ValueError, OSError):
        return -_INF if day.year < 1970 else _INF
