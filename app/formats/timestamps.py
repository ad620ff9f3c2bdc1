"""Times as the agents write them: ISO 8601 text or milliseconds since the epoch
(formats/README.md, "Entries").
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FIRST_MS = -62_135_596_800_000  # 0001-01-01, the first day `datetime` knows
LAST_MS = 253_402_300_799_999
"""9999-12-31T23:59:59.999Z: the last moment that `datetime` knows."""
_NUMBERS = (int, float)
_SECONDS = (100_000_000, 100_000_000_000)
"""The numbers that are seconds: as milliseconds they would lie before March 1973, when no agent wrote."""


def in_milliseconds(number: int) -> int:
    """A time that an agent wrote as a number, which is seconds if it is one of `_SECONDS`."""
    return number * 1000 if _SECONDS[0] <= number < _SECONDS[1] else number


def parse_time(value: object) -> int | None:
    """Milliseconds since the epoch, UTC, or None when `value` is no time.

    A number is milliseconds, or seconds if it is one of `_SECONDS`. Text is ISO 8601 with "Z", with an
    offset, or with neither (then it is taken as UTC), with or without a fraction. Anything else, and any
    time outside the years 1 to 9999, is None. Never raises.
    """
    if isinstance(value, str):
        try:
            moment = datetime.fromisoformat(value.strip())
            if moment.tzinfo is None:
                moment = moment.replace(tzinfo=UTC)
            since = moment - _EPOCH
            value = since.days * 86_400_000 + since.seconds * 1000 + since.microseconds // 1000
        except (ValueError, OverflowError):
            return None
    elif isinstance(value, bool) or not isinstance(value, _NUMBERS):
        return None
    elif _SECONDS[0] <= value < _SECONDS[1]:
        value = value * 1000
    return _within_calendar(value)


def _within_calendar(number: float) -> int | None:
    # The comparison also refuses NaN and the infinities.
    return int(number) if _FIRST_MS <= number <= LAST_MS else None


def message_time(own: object, of_entry: object) -> int | None:
    """When a message was, in milliseconds since the epoch, UTC: its own number, else the time of its entry.

    A number before 1970 or after 9999 counts as absent. None when neither says. Never raises. The number is
    as it is written: `in_milliseconds` tells whether it is seconds.
    """
    is_number = isinstance(own, _NUMBERS) and not isinstance(own, bool)
    at = _within_calendar(own) if is_number else None  # type: ignore[arg-type]
    return parse_time(of_entry) if at is None or at < 0 else at


def iso(ms: int) -> str:
    """`ms` as ISO 8601 in UTC with milliseconds, for example "2026-02-16T10:20:30.000Z".

    A time outside the years 1 to 9999 is clamped to the nearest that can be written.
    """
    moment = _EPOCH + timedelta(milliseconds=min(max(ms, _FIRST_MS), LAST_MS))
    return moment.isoformat(timespec="milliseconds")[:-6] + "Z"
