"""Statistics as text: the totals, the columns of a table, and the amounts that bars and heat maps show."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, NamedTuple

from app.formats.text import one_line
from app.index.statistics import COST, DAY, PROJECT, PROMPTS, TIME, TOKENS, TOOL, WEEK, amount_of
from app.view.cells import pad, shorten, stable_width
from app.view.charts import bar, sparkline
from app.view.formatting import cost, count, counted, duration, span, spent, tilde

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from app.index.statistics import Group
    from app.view.line import Line

SPARKLINE_DAYS = 30
"""Days of a sparkline, up to today."""


def tokens(number: int) -> str:
    """A number of tokens in few characters: ``812``, ``4.8k``, ``1.2M``, ``3.1G``."""
    if number < 999_500:
        return count(number)
    if number < 999_500_000:
        return f"{number / 1_000_000:.1f}M"
    return f"{number / 1_000_000_000:,.1f}G"


def name_of(key: str, group_by: str, home: str, titles: Mapping[str, str]) -> str:
    """The name of a group, inert.

    :param group_by: one of `GROUPS`.
    :param titles: the title of each group that has another one than its key.
    """
    if group_by == PROJECT:
        return tilde(key, home)
    key = titles.get(key, key)
    return one_line(key) or f"(no {group_by})"


def total_lines(total: Group) -> list[str]:
    """The figures of all sessions in four lines."""
    failed = f" ({total.tool_errors:,} failed)" if total.tool_errors else ""
    cached = total.cache_read + total.cache_write
    money = spent(total.spending) or "none"
    if total.cost_abandoned:
        money = f"{money}, of which {cost(total.cost_abandoned)} on abandoned branches"
    said = f"{counted(total.turns, 'prompt')}, {counted(total.messages, 'message')}"
    return [
        f"{counted(total.sessions, 'session')}, {said}, {counted(total.tool_calls, 'tool call')}{failed}",
        f"tokens: {tokens(total.input)} in, {tokens(total.output)} out, {tokens(cached)} cached",
        f"cost: {money}",
        f"active: {duration(total.active_ms)}",
    ]


NO_COST = "–"
LACKS_COMPACTIONS = "tokens of Claude Code are without compactions"

HEADER, TOOL_HEADER = (
    ("sessions", "prompts", "tools", "failed", "tokens", "cost", "active"),
    ("sessions", "calls", "failed"),
)
"""The columns after the name of a group; of tools there is less to say."""


def columns_of(group: Group, group_by: str) -> list[str]:
    """The texts of the columns of a group, as `HEADER` or `TOOL_HEADER` names them."""
    if group_by == TOOL:
        return [f"{group.sessions:,}", f"{group.tool_calls:,}", f"{group.tool_errors:,}"]
    return [
        f"{group.sessions:,}",
        f"{group.turns:,}",
        count(group.tool_calls),
        count(group.tool_errors),
        tokens(group.input + group.output),
        spent(group.spending) or NO_COST,
        span(group.active_ms),
    ]


def amounts_of(groups: Sequence[Group], group_by: str, sort: str | None = None) -> list[float]:
    """The lengths of the bars: calls of tools, else that by which groups are sorted, or the cost, or messages
    if nothing has a cost.
    """
    if group_by == TOOL:
        return [float(group.tool_calls) for group in groups]
    if sort is not None:
        return [float(amount_of(group, sort)) for group in groups]
    if any(group.cost for group in groups):
        return [group.cost for group in groups]
    return [float(group.messages) for group in groups]


def amounts_by_day(groups: Sequence[Group]) -> dict[int, float]:
    """Day, as `date.toordinal` counts -> what a heat map shows.

    :param groups: those of days.
    """
    amounts = amounts_of(groups, "")
    return {
        date.fromisoformat(group.key).toordinal(): amount
        for group, amount in zip(groups, amounts, strict=True)
        if group.key
    }


def day_unit(groups: Sequence[Group]) -> str:
    """The unit of `amounts_by_day`."""
    return "$ a day" if any(group.cost for group in groups) else "messages a day"


def last_days(amounts: Mapping[int, float], today: int, *, ascii_only: bool = False) -> str:
    """The sparkline of the last `SPARKLINE_DAYS`.

    :param amounts: as `amounts_by_day` returns them.
    """
    days = range(today - SPARKLINE_DAYS + 1, today + 1)
    return sparkline([amounts.get(day, 0) for day in days], ascii_only=ascii_only)


class _Column(NamedTuple):
    """A column of the table on the screen: its head, its width, the text of a group, and the name of its
    order.
    """

    head: str
    cells: int
    text: Callable[[Group], str]
    sort: str = ""


_COLUMNS = (
    _Column("sessions", 8, lambda group: f"{group.sessions:,}"),
    _Column("cost", 10, lambda group: spent(group.spending) or NO_COST, COST),
    _Column("tokens", 7, lambda group: tokens(group.input + group.output), TOKENS),
    _Column("active", 7, lambda group: span(group.active_ms), TIME),
    _Column("prompts", 8, lambda group: count(group.turns), PROMPTS),
    _Column("tools", 5, lambda group: count(group.tool_calls)),
    _Column("failed", 6, lambda group: count(group.tool_errors)),
)
"""The columns of the table, the most important first: a narrow screen has fewer."""
_TOOL_COLUMNS = (
    _Column("sessions", 8, lambda group: f"{group.sessions:,}"),
    _Column("calls", 9, lambda group: f"{group.tool_calls:,}"),
    _Column("failed", 7, lambda group: f"{group.tool_errors:,}"),
)
_DAY_CELLS, _NAME_CELLS, _MOST_NAME_CELLS = 10, 20, 36
_LEAST_BAR, _MOST_BAR = 8, 24


class TableLayout(NamedTuple):
    """The columns that fit: cells of the names, the other columns, and cells of the bars."""

    name_cells: int
    columns: tuple[_Column, ...]
    bar_cells: int


def table_layout(group_by: str, cells: int) -> TableLayout:
    """The columns of the table on a screen of this width."""
    is_time = group_by in (DAY, WEEK)
    least = min(_DAY_CELLS if is_time else _NAME_CELLS, max(4, cells - _LEAST_BAR - 2))
    columns: list[_Column] = []
    room = cells - least - _LEAST_BAR - 2
    for column in _TOOL_COLUMNS if group_by == TOOL else _COLUMNS:
        if column.cells + 2 > room:
            break
        room -= column.cells + 2
        columns.append(column)
    room = max(0, room)
    more = 0 if is_time else min(room, _MOST_NAME_CELLS - least)
    bar_cells = min(_MOST_BAR, _LEAST_BAR + room - more)
    return TableLayout(least + more, tuple(columns), bar_cells)


def head_line(group_by: str, cells: int, sort: str | None = None, *, ascii_only: bool = False) -> str:
    """The heads of the columns; a mark stands behind the one by which groups are sorted."""
    layout = table_layout(group_by, cells)
    mark = "v" if ascii_only else "▾"
    heads = [
        f"{column.head + (mark if column.sort and column.sort == sort else ''):>{column.cells}}"
        for column in layout.columns
    ]
    return shorten("  ".join([pad(group_by.capitalize(), layout.name_cells), *heads]), cells)


def group_line(
    group: Group,
    group_by: str,
    part: float,
    home: str,
    cells: int,
    titles: Mapping[str, str],
    *,
    ascii_only: bool = False,
) -> Line:
    """A group in a table on the screen.

    :param part: of the longest bar, from 0 to 1; more for one that is cut.
    """
    layout = table_layout(group_by, cells)
    name = shorten(stable_width(name_of(group.key, group_by, home, titles)), layout.name_cells)
    texts = [shorten(column.text(group), column.cells).rjust(column.cells) for column in layout.columns]
    drawn = bar(part, layout.bar_cells, ascii_only=ascii_only)
    columns = "".join([f"  {text}" for text in texts])
    return [
        (pad(name, layout.name_cells), "text"),
        (columns.replace(NO_COST, "-") if ascii_only else columns, "dim"),
        (f"  {drawn}", "key"),
    ]
