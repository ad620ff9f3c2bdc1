"""Bars, sparklines and heat maps as text. Colour adds nothing to them, so they read the same without it."""

from __future__ import annotations

from bisect import bisect_left
from datetime import date, timedelta
from typing import TYPE_CHECKING

from app.view.formatting import MONTHS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_EIGHTHS = " ▏▎▍▌▋▊▉█"
_HEIGHTS, _ASCII_HEIGHTS = "▁▂▃▄▅▆▇█", "_.-=+*%#"
_SHADES, _ASCII_SHADES = "·░▒▓█", ".:+*#"
"""No activity, and four shades of it."""
_WEEKDAYS = ("Mon", "", "Wed", "", "Fri", "", "Sun")

LABEL_CELLS = 4
"""Cells before the first week of a heat map, for the names of weekdays."""
MOST_WEEKS = 53
"""Weeks of a year, with the current one."""


_DWARFS = 4
"""An amount so many times the next one would leave no difference between the others, so its bar is cut."""


def longest(amounts: Sequence[float]) -> float:
    """The amount of the longest bar: the highest one, or twice the next one if that is a quarter or less of
    it. Never 0.
    """
    highest = sorted((amount for amount in amounts if amount > 0), reverse=True)[:2]
    if len(highest) == 2 and highest[0] >= _DWARFS * highest[1]:
        return 2 * highest[1]
    return highest[0] if highest else 1


def bar(part: float, cells: int, *, ascii_only: bool = False) -> str:
    """A bar, exact to an eighth of a cell; something is never nothing.

    :param part: of the longest bar, from 0 to 1; a bar of more is cut, and ends in a mark.
    :param cells: of the longest bar.
    """
    if part > 1:
        return bar(1, cells - 1, ascii_only=ascii_only) + (">" if ascii_only else "▶")
    if ascii_only:
        return "#" * max(round(part * cells), 1 if part > 0 else 0)
    eighths = max(round(part * cells * 8), 1 if part > 0 else 0)
    return "█" * (eighths // 8) + _EIGHTHS[eighths % 8].strip()


def sparkline(amounts: Sequence[float], *, ascii_only: bool = False) -> str:
    """One cell for each amount, its height in proportion; a blank for nothing."""
    heights = _ASCII_HEIGHTS if ascii_only else _HEIGHTS
    most = longest(amounts)
    last = len(heights) - 1
    return "".join(
        [heights[round(min(1, amount / most) * last)] if amount > 0 else " " for amount in amounts]
    )


def weeks_in(cells: int) -> int:
    """The number of weeks that a heat map of this width shows."""
    return max(0, min(MOST_WEEKS, cells - LABEL_CELLS))


def heat_map(
    amounts: Mapping[int, float], today: int, cells: int, unit: str, *, ascii_only: bool = False
) -> list[str]:
    """A line with the names of months, one for each weekday, and a legend; a column is a week, and the last
    one is the current week. Without an amount in these weeks there are no lines.

    :param amounts: day, as `date.toordinal` counts -> its amount.
    :param today: the last day.
    :param cells: the width to fit to.
    :param unit: of the amounts.
    """
    shades = _ASCII_SHADES if ascii_only else _SHADES
    monday = date.fromordinal(today) - timedelta(days=date.fromordinal(today).weekday())
    weeks = weeks_in(cells)
    first = monday.toordinal() - 7 * (weeks - 1)
    # The shades go by the rank of an amount: one long day does not make all others pale.
    ranks = sorted({amount for day, amount in amounts.items() if amount > 0 and first <= day <= today})
    last = len(ranks) - 1
    if not ranks:
        return []

    def shade(day: int) -> str:
        amount = amounts.get(day, 0)
        if day > today:
            return " "
        if amount <= 0:
            return shades[0]
        return shades[1 + round(3 * bisect_left(ranks, amount) / last)] if last else shades[-1]

    lines = [_month_line(first, weeks)]
    for weekday, name in enumerate(_WEEKDAYS):
        days = range(first + weekday, first + 7 * weeks, 7)
        lines.append((f"{name:<{LABEL_CELLS}}" + "".join(map(shade, days))).rstrip())
    legend = f"{'':{LABEL_CELLS}}{shades[0]} none  {shades[1:]} few to many  {unit}"
    return [*lines, legend[:cells].rstrip()]


def _month_line(first: int, weeks: int) -> str:
    """The name of each month above its first whole week, where there is room for it."""
    line = [" "] * (LABEL_CELLS + weeks)
    free = 0
    before = 0
    for week in range(weeks):
        month = date.fromordinal(first + 7 * week).month
        if month != before and week >= free and week + 3 <= weeks:
            line[LABEL_CELLS + week : LABEL_CELLS + week + 3] = MONTHS[month - 1]
            free = week + 4
        before = month
    return "".join(line).rstrip()
