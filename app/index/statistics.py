"""Statistics over all sessions, from the figures that the catalog keeps of each
(`sessions.summaries.figures`).

An entry that a fork or another copy carried over counts once, for the session in which it was made. A copied
entry has the id and the time of the original in every kind of fork (formats/README.md, "Forks of the
agents"). Only relatives can share entries, so only their entries are compared:

- a session and the one that it names as its parent, by path, id or file name;
- sessions that name the same parent, which may be gone;
- sessions whose first message has the same id, time and text: all copies that begin at the root;
- a fork whose parent is gone, and the sessions that were in use when its oldest entry was made.

The relatives are taken in the order in which they began, parents before their forks, and each entry belongs
to the first that has it. The catalog keeps the ids of all sessions, and also the times and figures of the
entries of forks. An id that a fork shares with a relative is a copy if the entry is older than the fork. In
any other case the times have to be equal: the file is read for them, which is rare.
"""

from __future__ import annotations

import os
import time
from collections import defaultdict
from datetime import date
from typing import TYPE_CHECKING, Any, NamedTuple

from app.sessions.summaries.figures import CELL_MS, figures_of, read_entries, read_figures

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from app.index.catalog.catalog import Catalog
    from app.index.row import Row
    from app.sessions.summaries.figures import EntryFigures, Figures

DAY, WEEK, PROJECT, MODEL, AGENT, TOOL = "day", "week", "project", "model", "agent", "tool"
GROUPS = (DAY, WEEK, PROJECT, MODEL, AGENT, TOOL)
"""By what statistics may be grouped."""

_COUNTED = 11


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
    active_ms: int
    cost_abandoned: float


class Statistics(NamedTuple):
    """`total` is of all sessions, and `groups` of parts of them.

    An entry belongs to its local day, and a model has the entries from its first answer on until another
    model answers. A tool has its calls and their failures alone. A session is counted in each group in which
    it has an entry of its own, and in its project and of its agent in any case.
    """

    total: Group
    groups: list[Group]


def statistics(catalog: Catalog, group_by: str, select: Callable[[list[Row]], Iterable[Row]]) -> Statistics:
    """The figures of some sessions.

    :param group_by: one of `GROUPS`.
    :param select: gets all sessions and returns those that count. Copies are found among all.
    """
    figures = own_figures(catalog)
    chosen = select([row for row, _ in figures.values()])
    return summed([figures[row.path] for row in chosen], group_by)


def own_figures(catalog: Catalog) -> dict[str, tuple[Row, Figures]]:
    """Path -> each session with the figures of its own entries, without those that were carried over."""
    found = {row.path: (row, figures) for row, figures in catalog.figures(read_figures)}
    for family in _families(found):
        found.update(_without_copies(catalog, family))
    return found


def summed(sessions: Sequence[tuple[Row, Figures]], group_by: str) -> Statistics:
    """The figures of sessions together, and by group.

    :raises ValueError: `group_by` is none of `GROUPS`.
    """
    if group_by not in GROUPS:
        raise ValueError(f"no group {group_by!r}")
    groups: dict[str, list[Any]] = defaultdict(lambda: [0] * (_COUNTED + 1))
    total: list[Any] = [0] * (_COUNTED + 1)
    total[0] = len(sessions)
    days = _Days(group_by == WEEK)
    for row, figures in sessions:
        names: set[str] = set()
        whole = _sums(figures.cells)
        _add(total, whole)
        if group_by in (PROJECT, AGENT):
            name = row.cwd if group_by == PROJECT else row.agent
            names.add(name)
            _add(groups[name], whole)
        elif group_by == TOOL:
            for name, calls, errors in figures.tools:
                names.add(name)
                group = groups[name]
                group[3] += calls
                group[4] += errors
        else:
            for cell in figures.cells:
                if group_by == MODEL:
                    name = figures.models[cell[1]]
                else:
                    name = days.of(cell[0], row.modified)
                names.add(name)
                _add(groups[name], cell[2:])
        for name in names:
            groups[name][0] += 1
    made = [Group(name, *_rounded(counts)) for name, counts in groups.items()]
    if group_by in (DAY, WEEK):
        made.sort()
    else:
        made.sort(key=lambda group: (-group.cost, -group.tool_calls, -group.messages, group.key))
    return Statistics(Group("total", *_rounded(total)), made)


def _sums(cells: Sequence[Sequence[Any]]) -> Sequence[Any]:
    if len(cells) == 1:
        return cells[0][2:]
    return [sum(column) for column in list(zip(*cells, strict=True))[2:]]


def _add(counts: list[Any], figures: Sequence[Any]) -> None:
    for number, value in enumerate(figures, 1):
        counts[number] += value


def _rounded(counts: Sequence[Any]) -> Sequence[Any]:
    # Sums of dollars that depend on the order of the sessions differ in the last digits.
    return [*counts[:9], round(counts[9], 9), counts[10], round(counts[11], 9)]


class _Days:
    """Local days, or weeks of them, of cells.

    :param weeks: name the week, as in "2026-W07", and not the day, as in "2026-02-13".
    """

    def __init__(self, weeks: bool) -> None:
        self._weeks = weeks
        self._names: dict[int, str] = {}

    def of(self, start: int, modified: int) -> str:
        """The day in which a cell lies.

        :param modified: milliseconds, for a session without any time.
        """
        name = self._names.get(start)
        if name is None:
            name = self._names[start] = self._name(start * CELL_MS or modified)
        return name

    def _name(self, time_ms: int) -> str:
        try:
            year, month, day = time.localtime(time_ms / 1000)[:3]
            if self._weeks:
                year, week, _ = date(year, month, day).isocalendar()
                return f"{year:04}-W{week:02}"
        except (OverflowError, ValueError, OSError):
            return ""
        return f"{year:04}-{month:02}-{day:02}"


# copied entries


class _Member(NamedTuple):
    row: Row
    figures: Figures
    parent: str
    """The path of the parent if it is there, else ""."""


def _families(found: dict[str, tuple[Row, Figures]]) -> list[list[_Member]]:
    """The sessions that may share entries, in the order in which they began, in families of two and more."""
    by_id = {row.id: path for path, (row, _) in found.items() if row.id}
    by_name = {os.path.basename(path): path for path in found}
    joined = _Union()
    parents: dict[str, str] = {}
    orphans = []
    for path, (row, figures) in found.items():
        if figures.first is not None:
            joined.join(path, figures.first)
        named = row.parent_session
        if not named:
            continue
        parent = named if named in found else by_id.get(named) or by_name.get(os.path.basename(named))
        joined.join(path, parent or ("gone", named))
        if parent and parent != path:
            parents[path] = parent
        elif figures.first is not None and row.created is not None and figures.first[1] < row.created:
            orphans.append(row)
    families = _groups(joined, found)
    eldest = {id(family): min(found[path][0].created or 0 for path in family) for family in families}
    of_path = {path: family for family in families for path in family}
    for row in orphans:
        family = of_path.get(row.path)
        first = found[row.path][1].first
        if first is None or (family and eldest[id(family)] < (row.created or 0)):
            continue
        for path, (other, _) in found.items():
            if (other.created or 0) < (row.created or 0) and other.modified >= first[1]:
                joined.join(row.path, path)
    if orphans:
        families = _groups(joined, found)
    return [
        _in_order([_Member(*found[path], parents.get(path, "")) for path in family]) for family in families
    ]


class _Union:
    """Sets of things that are joined."""

    def __init__(self) -> None:
        self._above: dict[Any, Any] = {}

    def join(self, one: Any, other: Any) -> None:
        one, other = self.root(one), self.root(other)
        if one != other:
            self._above[one] = other

    def root(self, thing: Any) -> Any:
        above = self._above
        while thing in above:
            if above[thing] in above:
                above[thing] = above[above[thing]]
            thing = above[thing]
        return thing


def _groups(joined: _Union, paths: Iterable[str]) -> list[list[str]]:
    groups: dict[Any, list[str]] = {}
    for path in paths:
        groups.setdefault(joined.root(path), []).append(path)
    return [group for group in groups.values() if len(group) > 1]


def _in_order(family: list[_Member]) -> list[_Member]:
    """The members of a family, a parent before its forks, and otherwise by the time at which they began."""
    members = {member.row.path: member for member in family}
    keys: dict[str, tuple[int, int, str]] = {}
    for member in family:
        chain = [member]
        # A file may name itself or its own fork as its parent.
        while (above := members.get(chain[-1].parent)) and above.row.path not in keys and above not in chain:
            chain.append(above)
        for link in reversed(chain):
            row = link.row
            began, depth, _ = keys.get(link.parent, (0, -1, ""))
            keys[row.path] = (max(began, row.created or 0), depth + 1, row.path)
    return sorted(family, key=lambda member: keys[member.row.path])


def _without_copies(catalog: Catalog, family: list[_Member]) -> dict[str, tuple[Row, Figures]]:
    """The members of a family with the figures of their own entries, as far as those differ."""
    stored = catalog.entry_figures([member.row.path for member in family], read_entries)
    owners: dict[str, list[tuple[str, int | None]]] = {}
    exact = _ExactTimes()
    changed = {}
    for member in family:
        row = member.row
        if row.path not in stored:
            continue
        ids, entries = stored[row.path]
        if entries is None and not owners.keys().isdisjoint(ids):
            entries = exact.entries(row)
            entries = entries if entries is not None and len(entries) == len(ids) else None
        if entries is not None:
            own = [
                entry
                for entry_id, entry in zip(ids, entries, strict=True)
                if not _is_copied(entry_id, entry, row, owners, exact)
            ]
            if len(own) < len(entries):
                changed[row.path] = (row, figures_of(own))
        for number, entry_id in enumerate(ids):
            when = entries[number].time if entries is not None else None
            owners.setdefault(entry_id, []).append((row.path, when))
    return changed


def _is_copied(
    entry_id: str,
    entry: EntryFigures,
    row: Row,
    owners: dict[str, list[tuple[str, int | None]]],
    exact: _ExactTimes,
) -> bool:
    for path, when in owners.get(entry_id, ()):
        if when is None:
            is_older = row.created is not None and entry.time < row.created
            if (is_older and row.parent_session) or entry.time in exact.times(path, entry_id):
                return True
        elif when == entry.time:
            return True
    return False


class _ExactTimes:
    """The times of entries that the catalog does not have, read from the files."""

    def __init__(self) -> None:
        self._times: dict[str, dict[str, set[int]]] = {}

    def entries(self, row: Row) -> list[EntryFigures] | None:
        """The figures of each entry of a session; None if it cannot be read any more."""
        return _read(row.path)[1]

    def times(self, path: str, entry_id: str) -> set[int]:
        """The times of the entries with that id."""
        if path not in self._times:
            ids, entries = _read(path)
            times: dict[str, set[int]] = {}
            for each, entry in zip(ids, entries or (), strict=False):
                times.setdefault(each, set()).add(entry.time)
            self._times[path] = times
        return self._times[path].get(entry_id, set())


def _read(path: str) -> tuple[Sequence[str], list[EntryFigures] | None]:
    # Imported here: statistics of sessions without copies read no file.
    from app.sessions.summaries.summarise import summarise

    outcome = summarise(path, (), 0, keeps_entries=True)
    return ((), None) if outcome.figures is None else read_entries(outcome.figures[1])
