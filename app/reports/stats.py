"""``leafmark stats``: the figures of sessions, together and by day, week, project, model and so on."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from app.formats.text import one_line
from app.index.catalog.catalog import Catalog
from app.index.figures_file import current_figures, known_figures, unpacked
from app.index.row import Outline, Row, problem_count
from app.index.scan.walk import WalkResult, walk
from app.index.statistics import DAY, PROJECT, SESSION, TOOL, Group, Statistics, statistics
from app.index.subagents import with_subagents
from app.options import Options
from app.reports.fields import cost_fields
from app.reports.listing import complain_of_skipped, filter_by, read_current
from app.reports.output import (
    NO_SESSIONS,
    SCHEMA,
    Progress,
    columns,
    complain,
    wants_ascii,
    write_json,
    write_lines,
)
from app.sessions.summaries.figures import local_day
from app.setup import Setup
from app.view.cells import pad, shorten, stable_width, width
from app.view.charts import bar, heat_map, longest
from app.view.formatting import counted
from app.view.statistics import (
    HEADER,
    LACKS_COMPACTIONS,
    NO_COST,
    SPARKLINE_DAYS,
    TOOL_HEADER,
    amounts_by_day,
    amounts_of,
    columns_of,
    day_unit,
    last_days,
    name_of,
    total_lines,
)

_FIELDS = (
    *("key", "sessions", "turns", "messages", "tool_calls", "tool_errors"),
    *("cost", "cost_abandoned", "active_seconds", "cost_estimated", "cost_partial"),
)

BAR_CELLS = 20
"""Cells of the longest bar."""
KEY_CELLS = 40
"""Cells of the column of names on a terminal."""


def run(options: Options, setup: Setup) -> int:
    """Print the figures of the sessions that match. The exit code is 1 if a query matches none."""
    query = " ".join(options.query).strip()
    group_by = options.by or DAY
    walked = walk(setup.stores)
    rows: list[Row] = []
    # The other statistics need the rows.
    known = None if query or group_by in (PROJECT, SESSION) else _known(setup, walked)
    if known is None:
        rows, note = read_current(setup, walked, lambda catalog: catalog.rows(False))
        rows, subagents = with_subagents(setup.stores, rows)
        matching = filter_by(rows, query, setup)[0] if query else rows
        if matching is None:
            return 2
        if note:
            complain(note)
        complain_of_skipped(walked.complaints, (row.path for row in rows), setup.stores)
        with Progress() as progress:
            figures = current_figures(setup.cache_folder, rows, subagents, on_progress=progress.counted)
        known = [(row, figures[row.path]) for row in matching]
    else:
        complain_of_skipped(walked.complaints, (row.path for row, _ in known), setup.stores)
    chosen = [row for row, _ in known]
    with_tools = group_by == TOOL
    sessions = [(row, unpacked(packed, with_tools=with_tools)) for row, packed in known]
    now_ms = setup.now_ms()
    found = statistics(sessions, group_by, now_ms, options.sort, setup.prices)
    _complain_of_damage(chosen, now_ms)
    cells = columns()
    if options.json:
        groups = [to_json(group) for group in found.groups]
        if group_by == SESSION:
            by_path = {row.path: row for row in rows}
            for group in groups:
                row = by_path[group["key"]]
                group |= {"session_id": row.id, "agent": row.agent, "title": row.title}
        write_json({"schema": SCHEMA, "total": to_json(found.total), "rows": groups})
    elif chosen and cells is None:
        write_lines(map(_tab_separated, found.groups))
    elif chosen and cells is not None:
        is_ascii = wants_ascii(os.environ)
        days = found
        if group_by != DAY:
            days = statistics(sessions, DAY, now_ms, prices=setup.prices)
        write_lines(table(found, group_by, setup.home, cells, options.sort, ascii_only=is_ascii))
        write_lines(["", *_charts(days, now_ms, cells, ascii_only=is_ascii)])
        write_lines(["", *total_lines(found.total)])
        if found.lacks_compactions:
            write_lines([LACKS_COMPACTIONS])
    if not chosen:
        complain("no session matches" if query else NO_SESSIONS)
    return 1 if query and not chosen else 0


def _known(setup: Setup, walked: WalkResult) -> list[tuple[Row | Outline, list[bytes]]] | None:
    """All sessions and their packed figures if nothing has changed since the last statistics, else None. The
    files that are no sessions are added to the complaints of the walk.
    """
    catalog = Catalog(setup.cache_folder, setup.stores, complain)
    try:
        refused = {row.path: row.signature for row in catalog.refused()}
        if catalog.in_memory:
            return None
        known = known_figures(setup.cache_folder, setup.stores, walked.files, refused)
        if known is not None:
            walked.complaints += [(path, "no session") for path in refused]
            catalog.tidy(setup.now_ms())
        return known
    finally:
        catalog.close()


def _complain_of_damage(rows: Sequence[Row | Outline], now_ms: int) -> None:
    damaged = [number for row in rows if (number := problem_count(row, now_ms))]
    if damaged:
        number = sum(damaged)
        verb = "was" if number == 1 else "were"
        complain(f"{counted(number, 'damaged line')} {verb} not counted (`leafmark doctor` lists them)")


def to_json(group: Group) -> dict[str, Any]:
    """The JSON object of a group. Costs are in dollars."""
    return {
        "key": group.key,
        "sessions": group.sessions,
        "turns": group.turns,
        "messages": group.messages,
        "tool_calls": group.tool_calls,
        "tool_errors": group.tool_errors,
        "tokens": {
            "input": group.input,
            "output": group.output,
            "cache_read": group.cache_read,
            "cache_write": group.cache_write,
        },
        **cost_fields(group.spending),
        "cost_abandoned": group.cost_abandoned,
        "active_seconds": round(group.active_ms / 1000, 3),
    }


def _tab_separated(group: Group) -> str:
    """The values of a group in a pipe, in the order of the fields of `--json`."""
    values = to_json(group)
    values.update(values.pop("tokens"))
    order = [*_FIELDS[:6], "input", "output", "cache_read", "cache_write", *_FIELDS[6:]]
    return "\t".join([one_line(_as_text(values[name]), 4_000) for name in order])


def _as_text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else str(value)


def table(
    found: Statistics,
    group_by: str,
    home: str,
    cells: int,
    sort: str | None = None,
    *,
    ascii_only: bool = False,
) -> list[str]:
    """The heads of the columns, and one line with a bar for each group.

    :param cells: the width to fit to.
    :param sort: by which the groups are sorted, if the user chose it.
    """
    most_cells = min(KEY_CELLS, max(8, cells // 3))
    keys = [
        shorten(stable_width(name_of(group.key, group_by, home, found.titles)), most_cells)
        for group in found.groups
    ]
    amounts = amounts_of(found.groups, group_by, sort)
    most = longest(amounts)
    rows = [[group_by, *(TOOL_HEADER if group_by == TOOL else HEADER)]]
    rows += [[key, *columns_of(group, group_by)] for key, group in zip(keys, found.groups, strict=True)]
    widths = [max(map(width, column)) for column in zip(*rows, strict=True)]
    lines = []
    for (key, *values), amount in zip(rows, [0, *amounts], strict=True):
        aligned = [
            " " * (room - width(value)) + value for value, room in zip(values, widths[1:], strict=True)
        ]
        line = "  ".join([pad(key, widths[0]), *aligned])
        room = min(BAR_CELLS, cells - width(line) - 2)
        if room > 0:
            line += "  " + bar(amount / most, room, ascii_only=ascii_only)
        line = shorten(line, cells).rstrip()
        lines.append(line.replace(NO_COST, "-") if ascii_only else line)
    return lines


def _charts(days: Statistics, now_ms: int, cells: int, *, ascii_only: bool) -> list[str]:
    """A heat map of the last year and a sparkline of the last days."""
    amounts = amounts_by_day(days.groups)
    today = local_day(now_ms)
    recent = last_days(amounts, today, ascii_only=ascii_only)
    year = heat_map(amounts, today, cells, day_unit(days.groups), ascii_only=ascii_only)
    lines = [*year, ""] if year else []
    lines.append(shorten(f"last {SPARKLINE_DAYS} days: {recent}".rstrip(), cells))
    return lines
