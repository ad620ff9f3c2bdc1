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


def parse_time(value: object) -> int | None:
    """Milliseconds since the epoch, UTC, or None when `value` is no time.

    A number is milliseconds already. Text is ISO 8601 with "Z", with an offset, or with neither (then it
    is taken as UTC), with or without a fraction. Anything else, and any time outside the years 1 to 9999,
    is None. Never raises.
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
    # The comparison also refuses NaN and the infinities.
    return int(value) if _FIRST_MS <= value <= LAST_MS else None


def message_time(own: object, of_entry: object) -> int | None:
    """When a message was, in milliseconds since the epoch, UTC: its own number, else the time of its entry.

    A number before 1970 or after 9999 counts as absent. None when neither says. Never raises.
    """
    at = None if isinstance(own, str) else parse_time(own)
    return parse_time(of_entry) if at is None or at < 0 else at


def iso(ms: int) -> str:
    """`ms` as ISO 8601 in UTC with milliseconds, for example "2026-02-16T10:20:30.000Z".

    A time outside the years 1 to 9999 is clamped to the nearest that can be written.
    """
    moment = _EPOCH + timedelta(milliseconds=min(max(ms, _FIRST_MS), LAST_MS))
    return moment.isoformat(timespec="milliseconds")[:-6] + "Z"
