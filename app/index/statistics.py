"""Statistics: the figures of sessions, together and by day, week, project, model, agent or tool.

The figures of each session are those of `index.figures_file`, so an entry that a fork or another copy carried
over counts once.
"""

from __future__ import annotations

from collections import defaultdict
from datetime import date
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from app.sessions.summaries.figures import local_day

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from app.index.row import Row
    from app.sessions.summaries.figures import Cell, Figures

DAY, WEEK, PROJECT, MODEL, AGENT, TOOL = "day", "week", "project", "model", "agent", "tool"
GROUPS = (DAY, WEEK, PROJECT, MODEL, AGENT, TOOL)
"""By what statistics may be grouped."""


class Group(NamedTuple):
    """The figures of one day, project and so on. `cost` and `cost_abandoned` are dollars."""

    key: str
    sessions: int
    turns: int
    messages: int
    tool_calls: int
    tool_errors: int
    input: int
    output: int
    cache_read: int
    cache_write: int
    cost: float
    cost_abandoned: float
    active_ms: int


_NOTHING = Group("", 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)


class Statistics(NamedTuple):
    """The figures of sessions.

    total     of all of them
    groups    of parts of them: days and weeks in their order, other groups with the highest cost first
    members   key of a group -> the paths of its sessions

    An entry belongs to its local day, and a model has the entries from its first answer on until another
    model answers. A tool has its calls and their failures alone. A session is counted in each group in which
    it has an entry of its own, and in its project and of its agent in any case.
    """

    total: Group
    groups: list[Group]
    members: dict[str, list[str]]


def statistics(sessions: Iterable[tuple[Row, Figures]], group_by: str) -> Statistics:
    """The figures of sessions together, and by group.

    :raises ValueError: `group_by` is none of `GROUPS`.
    """
    if group_by not in GROUPS:
        raise ValueError(f"no group {group_by!r}")
    all_cells: list[Cell] = []
    cells_of: dict[str, list[Cell]] = defaultdict(list)
    tools: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    members: dict[str, list[str]] = defaultdict(list)
    count = 0
    for row, figures in sessions:
        count += 1
        names: set[str] = set()
        all_cells += figures.cells
        if group_by in (PROJECT, AGENT):
            name = row.cwd if group_by == PROJECT else row.agent
            names.add(name)
            cells_of[name] += figures.cells
        elif group_by == TOOL:
            for name, calls, errors in figures.tools:
                names.add(name)
                tools[name][0] += calls
                tools[name][1] += errors
        else:
            for cell in figures.cells:
                if group_by == MODEL:
                    name = cell[1]
                else:
                    # A session without any time counts on the day of its row.
                    name = _day_or_week(cell[0] or local_day(row.modified), group_by == WEEK)
                names.add(name)
                cells_of[name].append(cell)
        for name in names:
            members[name].append(row.path)
    if group_by == TOOL:
        made = [
            _NOTHING._replace(key=name, sessions=len(members[name]), tool_calls=calls, tool_errors=errors)
            for name, (calls, errors) in tools.items()
        ]
    else:
        made = [_group(name, len(members[name]), cells) for name, cells in cells_of.items()]
    if group_by in (DAY, WEEK):
        made.sort()
    else:
        made.sort(key=lambda group: (-group.cost, -group.tool_calls, -group.messages, group.key))
    return Statistics(_group("total", count, all_cells), made, members)


def _group(key: str, sessions: int, cells: Sequence[Cell]) -> Group:
    """The sums of the cells, as a group of this number of sessions."""
    if not cells:
        return _NOTHING._replace(key=key, sessions=sessions)
    found = Group(key, sessions, *map(sum, list(zip(*cells, strict=True))[2:]))
    # Sums of dollars that depend on the order of the sessions differ in the last digits.
    return found._replace(cost=round(found.cost, 9), cost_abandoned=round(found.cost_abandoned, 9))


@cache
def _day_or_week(day: int, by_week: bool) -> str:
    """The name of a day, as in "2026-02-13", or of its week, as in "2026-W07".

    :param day: as in a `Cell`; 0 for none.
    """
    if not day:
        return ""
    if not by_week:
        return date.fromordinal(day).isoformat()
    year, week, _ = date.fromordinal(day).isocalendar()
    return f"{year:04}-W{week:02}"
