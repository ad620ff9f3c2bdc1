"""Statistics: the figures of sessions, together and by day, week, project, model, agent, tool or session.

The figures of each session are those of `index.figures_file`, so an entry that a fork or another copy carried
over counts once.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from datetime import date
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from app.formats.model_names import with_new_provider
from app.formats.prices import LIST_PRICES, Spending, unpriced_sums
from app.index.row import AHEAD_MS, is_ahead
from app.sessions.summaries.figures import local_day
from app.stores import agent_named

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from app.formats.prices import Prices
    from app.index.row import Outline, Row
    from app.sessions.summaries.figures import Cell, CellUnpriced, Figures

DAY, WEEK, PROJECT, MODEL, AGENT, TOOL = "day", "week", "project", "model", "agent", "tool"
SESSION = "session"
GROUPS = (DAY, WEEK, PROJECT, MODEL, AGENT, TOOL, SESSION)
"""By what statistics may be grouped."""
COST, TOKENS, TIME, PROMPTS = "cost", "tokens", "time", "prompts"
SORTS = (COST, TOKENS, TIME, PROMPTS)
"""By what groups may be sorted, the highest first."""


class Group(NamedTuple):
    """The figures of one day, project and so on. `cost` and `cost_abandoned` are dollars. `estimated` is the
    part of the cost that is an estimate, and `unpriced` the number of tokens whose price is not known.
    """

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
    estimated: float = 0.0
    unpriced: int = 0

    @property
    def spending(self) -> Spending:
        """The cost."""
        return Spending(self.cost, self.estimated, self.unpriced)


_NOTHING = Group("", 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)


class Statistics(NamedTuple):
    """The figures of sessions.

    total     of all of them
    groups    of parts of them: days and weeks in their order, other groups with the highest cost first, or
              all as the user sorts them
    members   key of a group -> the paths of its sessions
    titles    key of a group -> its title, if that is another; that of a session, whose key is its path
    lacks_compactions
              whether some of the agents write no tokens of their compactions

    An entry belongs to its local day; one that is more than a day ahead of the clock belongs to that of its
    session's file. A model has the entries from its first answer on until another model answers. A tool has
    its calls and their failures alone, however its name is capitalised. A session is counted in each group in
    which it has an entry of its own, and in its project and of its agent in any case.
    """

    total: Group
    groups: list[Group]
    members: dict[str, list[str]]
    titles: dict[str, str]
    lacks_compactions: bool


def statistics(
    sessions: Iterable[tuple[Row | Outline, Figures]],
    group_by: str,
    now_ms: int = 0,
    sort: str | None = None,
    prices: Prices = LIST_PRICES,
) -> Statistics:
    """The figures of sessions together, and by group.

    :param sessions: those with an outline instead of a row have no project and no title.
    :param now_ms: the time in milliseconds since the epoch, for days and weeks.
    :param sort: one of `SORTS`, or None.
    :param prices: those of tokens without a cost.
    :raises ValueError: `group_by` is none of `GROUPS`.
    """
    if group_by not in GROUPS:
        raise ValueError(f"no group {group_by!r}")
    cells_of: dict[str, list[Cell]] = defaultdict(list)
    unpriced_of: dict[str, list[CellUnpriced]] = defaultdict(list)
    calls_of: dict[str, list[tuple[str, int, int]]] = defaultdict(list)
    members: dict[str, list[str]] = defaultdict(list)
    titles: dict[str, str] = {}
    agents: set[str] = set()
    count = 0
    by_week = group_by == WEEK
    for row, figures in sessions:
        count += 1
        agents.add(row.agent)
        names: Collection[str]
        if group_by in (DAY, WEEK, MODEL):
            if group_by == MODEL:
                names = [with_new_provider(cell[1]) for cell in figures.cells]
            else:
                days = [cell[0] for cell in figures.cells]
                if 0 in days or row.ahead_ms is not None:
                    days = _plausible(days, row, now_ms)
                names = [_day_or_week(day, by_week) for day in days]
            for name, cell in zip(names, figures.cells, strict=True):
                cells_of[name].append(cell)
            for unpriced in figures.unpriced:
                unpriced_of[names[unpriced[0]]].append(unpriced)
            if len(names) > 1:
                names = set(names)
        else:
            name = _name_of(row, group_by)
            cells_of[name] += figures.cells
            unpriced_of[name] += figures.unpriced
            names = (name,)
            if group_by == SESSION:
                titles[name] = row.title  # type: ignore[union-attr]
            elif group_by == TOOL:
                names = {tool[0].casefold() for tool in figures.tools}
                for tool in figures.tools:
                    calls_of[tool[0].casefold()].append(tool)
        for name in names:
            members[name].append(row.path)
    sums = {name: _sums(cells, unpriced_of[name], prices) for name, cells in cells_of.items()}
    total = _group("total", count, list(map(sum, zip(*sums.values(), strict=True))))
    if group_by == TOOL:
        spellings = {name: _spelling(calls) for name, calls in calls_of.items()}
        members = {spellings[name]: paths for name, paths in members.items()}
        made = [_tool_group(spellings[name], members, calls) for name, calls in calls_of.items()]
    else:
        made = [_group(name, len(members[name]), numbers) for name, numbers in sums.items()]
    if group_by in (DAY, WEEK):
        made.sort()
    else:
        made.sort(key=lambda group: (-group.cost, -group.tool_calls, -group.messages, group.key))
    if sort is not None:
        made.sort(key=lambda group: -amount_of(group, sort))
    lacks_compactions = not all(agent_named(agent).counts_compactions for agent in agents)
    return Statistics(total, made, members, titles, lacks_compactions)


def amount_of(group: Group, sort: str) -> float:
    """The amount by which a group is sorted.

    :param sort: one of `SORTS`.
    """
    if sort == TOKENS:
        return group.input + group.output
    return {COST: group.cost, TIME: group.active_ms, PROMPTS: group.turns}[sort]


def _sums(cells: Sequence[Cell], unpriced: Sequence[CellUnpriced], prices: Prices) -> list[float]:
    """The sums of the cells from their third column on, the part of the cost that is an estimate, and the
    number of tokens whose price is not known. Tokens without a cost are added up before they are priced.
    """
    if not cells:
        return [0] * len(_NOTHING[2:])
    *counts, cost, cost_abandoned, active = map(sum, list(zip(*cells, strict=True))[2:])
    abandoned = unpriced_sums([tokens for _, is_abandoned, tokens in unpriced if is_abandoned])
    on_abandoned = prices.spending(cost_abandoned, abandoned).dollars
    spent = prices.spending(cost, unpriced_sums([tokens for _, _, tokens in unpriced]))
    return [*counts, spent.dollars, on_abandoned, active, spent.estimated, spent.unpriced]


def _group(key: str, sessions: int, sums: Sequence[Any]) -> Group:
    found = Group(key, sessions, *sums) if sums else _NOTHING._replace(key=key, sessions=sessions)
    # Sums of dollars that depend on the order of the sessions differ in the last digits.
    return found._replace(
        cost=round(found.cost, 9),
        cost_abandoned=round(found.cost_abandoned, 9),
        estimated=round(found.estimated, 9),
    )


def _tool_group(
    key: str, members: Mapping[str, Sequence[str]], calls: Iterable[tuple[str, int, int]]
) -> Group:
    """The group of a tool.

    :param calls: for each session its spelling, its calls, and those that failed.
    """
    _, numbers, errors = zip(*calls, strict=True)
    return _NOTHING._replace(
        key=key, sessions=len(members[key]), tool_calls=sum(numbers), tool_errors=sum(errors)
    )


def _spelling(calls: Iterable[tuple[str, int, int]]) -> str:
    """The spelling of most calls of a tool."""
    numbers: Counter[str] = Counter()
    for spelling, number, _ in calls:
        numbers[spelling] += number
    return min(numbers, key=lambda spelling: (-numbers[spelling], spelling))


def _name_of(row: Row | Outline, group_by: str) -> str:
    """The group of a session that is in one group alone; "" for tools."""
    if group_by == PROJECT:
        return row.cwd  # type: ignore[union-attr]
    return {AGENT: row.agent, SESSION: row.path}.get(group_by, "")


def _plausible(days: Iterable[int], row: Row | Outline, now_ms: int) -> list[int]:
    """The days of cells; that of the row instead of one without a time that can be right."""
    latest = local_day(now_ms + AHEAD_MS) if is_ahead(row, now_ms) else date.max.toordinal()
    return [day if 0 < day <= latest else local_day(row.modified) for day in days]


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
