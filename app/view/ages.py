"""Ages, counts and sizes in a few characters."""

from __future__ import annotations

import time

MINUTE = 60_000
HOUR = 60 * MINUTE
DAY = 24 * HOUR


def age(then_ms: int | None, now_ms: int) -> str:
    """``now``, ``5m``, ``3h``, ``6d``, ``2w``, ``4mo``, ``1y``; a time in the future is ``now``, none is
    ``?``.
    """
    if then_ms is None:
        return "?"
    gone = now_ms - then_ms
    if gone < MINUTE:
        return "now"
    if gone < HOUR:
        return f"{gone // MINUTE}m"
    if gone < DAY:
        return f"{gone // HOUR}h"
    days = gone // DAY
    if days < 7:
        return f"{days}d"
    if days < 35:
        return f"{days // 7}w"
    if days < 365:
        return f"{days // 30}mo"
    return f"{min(days // 365, 99)}y"


def clock(then_ms: int, now_ms: int) -> str:
    """A moment in local time as pi has it beside labels: ``14:05`` today, ``5/3 14:05`` this year, else
    ``25/5/3 14:05``; "" for one that no calendar has.
    """
    try:
        then, now = time.localtime(then_ms / 1000), time.localtime(now_ms / 1000)
    except (OverflowError, ValueError, OSError):
        return ""
    at = f"{then.tm_hour:02}:{then.tm_min:02}"
    if then[:3] == now[:3]:
        return at
    day = f"{then.tm_mon}/{then.tm_mday} {at}"
    return day if then.tm_year == now.tm_year else f"{then.tm_year % 100:02}/{day}"


def count(number: int) -> str:
    """A number in at most four characters: ``999``, ``1.2k``, ``34k``, ``2M``."""
    if number < 1_000:
        return str(number)
    if number < 9_950:
        return f"{number / 1_000:.1f}k"
    if number < 999_500:
        return f"{round(number / 1_000)}k"
    return f"{round(number / 1_000_000)}M"


def size(number: int) -> str:
    """A number of bytes in at most five characters: ``812B``, ``1.2kB``, ``34kB``, ``2MB``."""
    if number < 1_000:
        return f"{number}B"
    for unit in ("kB", "MB", "GB"):
        number_of = number / 1_000
        if number_of < 9.95:
            return f"{number_of:.1f}{unit}"
        if number_of < 999.5 or unit == "GB":
            return f"{round(number_of)}{unit}"
        number = round(number_of)
    raise AssertionError


def duration(span_ms: int) -> str:
    """A length of time in two units, for example "2 h 05 min", "3 min 20 s" or "4 s"."""
    seconds = max(0, span_ms) // 1000
    if seconds < 60:
        return f"{seconds} s"
    minutes, seconds = divmod(seconds, 60)
    if minutes < 60:
        return f"{minutes} min {seconds:02} s"
    hours, minutes = divmod(minutes, 60)
    if hours < 24:
        return f"{hours} h {minutes:02} min"
    days, hours = divmod(hours, 24)
    return f"{days:,} d {hours} h"
