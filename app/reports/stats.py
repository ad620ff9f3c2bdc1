"""``leafmark stats``: the figures of sessions, together and by day, week, project, model, agent or tool."""

from __future__ import annotations

from typing import Any

from app.formats.text import one_line
from app.index.catalog.catalog import Catalog
from app.index.list_cache import look_first
from app.index.row import Row, problem_count
from app.index.scan.retry import make_current
from app.index.statistics import DAY, PROJECT, TOOL, Group, Statistics, statistics
from app.index.text.store import TextStore
from app.options import Options
from app.reports.listing import complain_of_skipped, filter_by
from app.reports.output import columns, complain, write_json, write_text
from app.setup import Setup
from app.stores.layout import hides_nothing
from app.view.cells import pad, shorten, width
from app.view.formatting import count, duration, tilde

JSON_SCHEMA = 1
"""The `schema` of `leafmark stats --json`; it changes when a field changes its meaning."""

BAR_CELLS = 20
"""Cells of the longest bar."""
KEY_CELLS = 40
"""Cells of the column of names on a terminal."""
_EIGHTHS = " ▏▎▍▌▋▊▉█"


class _BadQuery(Exception):
    """Standard error has the reason."""


def run(options: Options, setup: Setup) -> int:
    """Print the figures of the sessions that match. The exit code is 1 if a query matches none."""
    query = " ".join(options.query).strip()
    group_by = options.by or DAY
    walk = look_first(setup.stores, setup.cache_folder)
    catalog = Catalog(setup.cache_folder, setup.stores)
    text_store = TextStore(catalog)
    chosen: list[Row] = []

    def select(rows: list[Row]) -> list[Row]:
        matching = filter_by(rows, query, setup) if query else rows
        if matching is None:
            raise _BadQuery
        chosen[:] = matching
        return matching

    try:
        found, _ = make_current(
            catalog,
            text_store,
            setup.stores,
            setup.now_ms,
            walk,
            lambda: statistics(catalog, group_by, select),
        )
        note = catalog.note or text_store.note
    except _BadQuery:
        return 2
    finally:
        catalog.close()
        text_store.close()
    if note:
        complain(note)
    if not all(hides_nothing(reason) for _, reason in walk.complaints):
        complain_of_skipped(walk.complaints, {row.path for row in chosen}, setup.stores)
    _complain_of_damage(chosen, setup.now_ms())
    if options.json:
        groups = [_to_json(group) for group in found.groups]
        write_json({"schema": JSON_SCHEMA, "total": _to_json(found.total), "rows": groups})
    elif chosen:
        write_text("".join(line + "\n" for line in lines(found, group_by, setup.home, columns())))
    if not chosen:
        complain(
            "no session matches" if query else "no sessions found; `leafmark doctor` says where it looked"
        )
    return 1 if query and not chosen else 0


def _complain_of_damage(rows: list[Row], now_ms: int) -> None:
    damaged = [number for row in rows if (number := problem_count(row, now_ms))]
    if damaged:
        problems = f"{sum(damaged):,} problem{'s' if sum(damaged) > 1 else ''}"
        sessions = f"{len(damaged):,} session{'s' if len(damaged) > 1 else ''}"
        complain(
            f"{problems} in {sessions}: lines that cannot be read are not counted; see `leafmark doctor`"
        )


def _to_json(group: Group) -> dict[str, Any]:
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
        "cost": group.cost,
        "cost_abandoned": group.cost_abandoned,
        "active_seconds": round(group.active_ms / 1000, 3),
    }


def lines(found: Statistics, group_by: str, home: str, cells: int | None) -> list[str]:
    """The figures as text: a few lines of totals, then a table with a bar for each group.

    :param cells: the width to fit to; None for lines that are not cut.
    """
    result = [*_totals(found.total), *([""] if found.groups else [])]
    keys = [_name(group.key, group_by, home) for group in found.groups]
    if cells is not None:
        keys = [shorten(key, min(KEY_CELLS, max(8, cells // 3))) for key in keys]
    measure, header, columns_of = _MEASURES[TOOL if group_by == TOOL else ""]
    amounts = [measure(group) for group in found.groups]
    if not any(amounts):
        amounts = [float(group.input + group.output + group.messages) for group in found.groups]
    most = max(amounts, default=0) or 1
    table = [[group_by, *header, ""]]
    for key, group, amount in zip(keys, found.groups, amounts, strict=True):
        table.append([key, *columns_of(group), bar(amount / most)])
    if len(table) == 1:
        return result
    widths = [max(map(width, column)) for column in zip(*table, strict=True)]
    for key, *values, drawn in table:
        aligned = [
            " " * (cell - width(value)) + value for value, cell in zip(values, widths[1:-1], strict=True)
        ]
        line = "  ".join([pad(key, widths[0]), *aligned, drawn]).rstrip()
        result.append(line if cells is None else shorten(line, cells))
    return result


def _totals(total: Group) -> list[str]:
    failed = f" ({total.tool_errors:,} failed)" if total.tool_errors else ""
    cached = total.cache_read + total.cache_write
    money = dollars(total.cost)
    if total.cost_abandoned:
        money = f"{dollars(total.cost_abandoned)} of {dollars(total.cost)} on abandoned branches"
    said = f"{_many(total.turns, 'prompt')}, {_many(total.messages, 'message')}"
    return [
        f"{_many(total.sessions, 'session')}, {said}, {_many(total.tool_calls, 'tool call')}{failed}",
        f"tokens: {count(total.input)} in, {count(total.output)} out, {count(cached)} cached",
        f"cost: {money}",
        f"active: {duration(total.active_ms)}",
    ]


def _many(number: int, thing: str) -> str:
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def _name(key: str, group_by: str, home: str) -> str:
    if group_by == PROJECT:
        return tilde(key, home)
    return one_line(key) or f"(no {group_by})"


def dollars(amount: float) -> str:
    """An amount of money: cents from one dollar on, else two digits that say something."""
    if amount >= 1 or not amount:
        return f"${amount:,.2f}"
    return f"${amount:.4f}" if amount < 0.01 else f"${amount:.3f}"


def bar(part: float) -> str:
    """A bar of at most `BAR_CELLS` cells, exact to an eighth of a cell; something is never nothing.

    :param part: of the longest bar, from 0 to 1.
    """
    eighths = max(round(part * BAR_CELLS * 8), 1 if part > 0 else 0)
    return "█" * (eighths // 8) + _EIGHTHS[eighths % 8].strip()


def _usual_columns(group: Group) -> list[str]:
    return [
        str(group.sessions),
        str(group.turns),
        count(group.tool_calls),
        count(group.input + group.output),
        dollars(group.cost),
        duration(group.active_ms),
    ]


def _tool_columns(group: Group) -> list[str]:
    return [str(group.sessions), f"{group.tool_calls:,}", f"{group.tool_errors:,}"]


_MEASURES: dict[str, Any] = {
    "": (
        lambda group: group.cost,
        ["sessions", "prompts", "tools", "tokens", "cost", "active"],
        _usual_columns,
    ),
    TOOL: (lambda group: float(group.tool_calls), ["sessions", "calls", "failed"], _tool_columns),
}
