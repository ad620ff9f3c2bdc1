"""Ages, counts, sizes, durations and paths in few characters."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from app.formats.text import one_line
from app.paths import home_prefix_length
from app.view.cells import max_width, shorten, shorten_start, stable_width

if TYPE_CHECKING:
    from app.formats.prices import Spending

MINUTE = 60_000
HOUR = 60 * MINUTE
DAY = 24 * HOUR


def age_or_date(then_ms: int, now_ms: int) -> str:
    """As `age`, but a time more than a day in the future is its month or its year: ``Dec``, ``2031``."""
    if then_ms - now_ms <= DAY:
        return age(then_ms, now_ms)
    word, _, year = moment(then_ms, now_ms).rpartition(" ")
    return year if year.isdigit() else word[-3:] or "?"


def age(then_ms: int | None, now_ms: int) -> str:
    """The age of a moment: ``now``, ``5m``, ``3h``, ``6d``, ``2w``, ``4mo``, ``1y``. A time in the future is
    ``now``, and None is ``?``.
    """
    if then_ms is None:
        return "?"
    elapsed = now_ms - then_ms
    if elapsed < MINUTE:
        return "now"
    if elapsed < HOUR:
        return f"{elapsed // MINUTE}m"
    if elapsed < DAY:
        return f"{elapsed // HOUR}h"
    days = elapsed // DAY
    if days < 7:
        return f"{days}d"
    if days < 35:
        return f"{days // 7}w"
    if days < 365:
        return f"{days // 30}mo"
    return f"{min(days // 365, 99)}y"


def ago(then_ms: int | None, now_ms: int) -> str:
    """The age of a moment in words: ``now``, ``5m ago``."""
    past = age(then_ms, now_ms)
    return past if past == "now" else f"{past} ago"


CLOCK_24, CLOCK_12 = CLOCKS = ("24h", "12h")
"""How the time of day is shown: ``18:43`` or ``6:43pm``."""
_is_12_hours = False


def use_clock(clock: str) -> None:
    """Show the time of day in one of `CLOCKS` from now on, in the whole process."""
    global _is_12_hours
    _is_12_hours = clock == CLOCK_12


def _time_of_day(then: time.struct_time) -> str:
    if _is_12_hours:
        return f"{then.tm_hour % 12 or 12}:{then.tm_min:02}{'am' if then.tm_hour < 12 else 'pm'}"
    return f"{then.tm_hour:02}:{then.tm_min:02}"


WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def moment(then_ms: int, now_ms: int) -> str:
    """A moment in local time: ``18:43`` today, ``12 Aug 18:43`` this year, else ``12 Aug 2025``; "" for a
    time outside of the calendar.
    """
    try:
        then, now = time.localtime(then_ms / 1000), time.localtime(now_ms / 1000)
    except (OverflowError, ValueError, OSError):
        return ""
    hours = _time_of_day(then)
    if then[:3] == now[:3]:
        return hours
    day = f"{then.tm_mday} {MONTHS[then.tm_mon - 1]}"
    return f"{day} {hours}" if then.tm_year == now.tm_year else f"{day} {then.tm_year}"


def clock(then_ms: int | None) -> str:
    """The local hour and minute of a moment: ``18:43``; "" for None and outside of the calendar."""
    return "" if then_ms is None else moment(then_ms, then_ms)


def day(then_ms: int, now_ms: int) -> str:
    """A day in local time: ``today``, ``12 Aug`` this year, else ``12 Aug 2025``; "" as in `moment`."""
    shown = moment(then_ms, now_ms)
    return (shown.rpartition(" ")[0] or "today") if ":" in shown else shown


def day_and_clock(then_ms: int, now_ms: int) -> tuple[str, str]:
    """A day and a time in local time: ``Sat 28 Nov`` this year, else ``Fri 28 Nov 2025``, and ``18:43``; both
    "" for a time outside of the calendar.
    """
    try:
        then, now = time.localtime(then_ms / 1000), time.localtime(now_ms / 1000)
    except (OverflowError, ValueError, OSError):
        return "", ""
    day = f"{WEEKDAYS[then.tm_wday]} {then.tm_mday} {MONTHS[then.tm_mon - 1]}"
    clock = _time_of_day(then)
    return day if then.tm_year == now.tm_year else f"{day} {then.tm_year}", clock


def counted(number: int, one: str, many: str = "") -> str:
    """A number of things: ``1 session``, ``2,041 prompts``.

    :param many: the plural, if it is not `one` with an s.
    """
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def count(number: int) -> str:
    """A number in at most four characters: ``999``, ``1.2k``, ``34k``, ``1.2M``, ``34M``."""
    if number < 1_000:
        return str(number)
    if number < 9_950:
        return f"{number / 1_000:.1f}k"
    if number < 999_500:
        return f"{round(number / 1_000)}k"
    if number < 9_950_000:
        return f"{number / 1_000_000:.1f}M"
    return f"{round(number / 1_000_000)}M"


def size(number: int) -> str:
    """A number of bytes in at most six characters: ``812 B``, ``1.2 kB``, ``34 kB``, ``2 MB``."""
    if number < 1_000:
        return f"{number} B"
    for unit in ("kB", "MB", "GB"):
        scaled = number / 1_000
        if scaled < 9.95:
            return f"{scaled:.1f} {unit}"
        if scaled < 999.5 or unit == "GB":
            return f"{round(scaled)} {unit}"
        number = round(scaled)
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


def span(span_ms: int) -> str:
    """A length of time in two units and few characters: ``1h 41m``, ``3m 20s``, ``4s``, ``2d 5h``."""
    seconds = max(0, span_ms) // 1000
    minutes, hours = seconds // 60, seconds // 3600
    if seconds < 60:
        return f"{seconds}s"
    if minutes < 60:
        return f"{minutes}m {seconds % 60:02}s"
    if hours < 24:
        return f"{hours}h {minutes % 60:02}m"
    return f"{hours // 24:,}d {hours % 24}h"


def cost(dollars: float) -> str:
    """A cost: ``$4.31``, below a cent ``$0.002``; "" for none."""
    if dollars <= 0:
        return ""
    return f"${dollars:,.2f}" if dollars >= 0.01 else f"${dollars:.3f}" if dollars >= 0.0005 else "$0.001"


def spent(spending: Spending) -> str:
    """A cost: ``$4.31``, ``~$4.31`` for an estimate, ``$4.31+`` if a part is not known, ``–`` if nothing is
    known; "" for none.
    """
    if spending.dollars <= 0:
        return "–" if spending.unpriced else ""
    return f"{'~' * (spending.estimated > 0)}{cost(spending.dollars)}{'+' * (spending.unpriced > 0)}"


AGENT_CELLS = 6
"""The most cells of an agent's name in a column."""
TIME_CELLS = 17
"""Cells for the time in the name of a session's file: date, hour, minute, and an ellipsis."""


def tilde(path: str, home: str) -> str:
    """The folder with the home folder as ``~``, inert; ``(no folder)`` for an empty one."""
    if not path:
        return "(no folder)"
    short = home_prefix_length(path, home)
    return one_line("~" + path[short:] if short else path, 1_000)


def file_path(path: str, home: str, cells: int) -> str:
    """The path of a session's file in at most ``cells``, inert and with a stable width. If it does not fit,
    the last folder and the name are shown; then the end of the folder, and the beginning of the name, which
    is its time.
    """
    whole = stable_width(tilde(path, home))
    if max_width(whole) <= cells:
        return whole
    above, _, name = whole.rpartition("/")
    folder = "…/" + above.rpartition("/")[2] if "/" in above[1:] else above
    room = cells - 1
    if max_width(folder) + min(max_width(name), TIME_CELLS) > room:
        least = max(room // 3, room - min(max_width(name), TIME_CELLS))
        folder = shorten_start(folder.removeprefix("…/"), least)
    return shorten(f"{folder}/{name}", max(0, cells))


# characters of a UUID, and of its part that is the time in version 7
LONG_ID, SHORT_ID = 36, 13


def short_agent(agent: str) -> str:
    """The name of an agent in a column: ``claude``, ``indus``."""
    return agent if len(agent) <= AGENT_CELLS else agent[: AGENT_CELLS - 1]


def short_id(session_id: str) -> str:
    """The part of an id that identifies a session. The part of a UUID of version 7 is its millisecond."""
    return session_id[:SHORT_ID] if len(session_id) == LONG_ID else shorten(session_id, 2 * SHORT_ID)


def how_many_unread(files: int, folders: int) -> str:
    """Numbers of unreadable files and folders in words; empty if both are 0."""
    counts = ((files, "file"), (folders, "folder"))
    return " and ".join(counted(number, thing) for number, thing in counts if number)
