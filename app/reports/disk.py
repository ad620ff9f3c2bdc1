"""``leafmark disk``: the disk space of sessions, of leafmark's copies of them, and of its index."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from app.index.disk import SESSION, DiskUsage, Usage
from app.index.scan.walk import walk
from app.options import NOT_FOUND, WRONG_USE, Options
from app.paths import current_folder
from app.reports.listing import filter_by, read_current
from app.reports.output import (
    NO_SESSIONS,
    SCHEMA,
    aligned,
    columns,
    complain,
    wants_colour,
    write_json,
    write_lines,
)
from app.setup import Setup
from app.view.disk import parts_of
from app.view.formatting import size, tilde

NAME_CELLS = 40
"""Cells of a title on a terminal."""


def run(options: Options, setup: Setup) -> int:
    """Print the disk space of the sessions that match, and without a query of everything.

    :return: the exit code; 1 if a query matches no session.
    """
    query = " ".join(options.query).strip()
    rows, note = read_current(setup, walk(setup.stores), lambda catalog: catalog.rows(False))
    if note:
        complain(note)
    chosen = filter_by(rows, query, setup)[0] if query else rows
    if chosen is None:
        return WRONG_USE
    here = current_folder() or setup.home
    usage = DiskUsage(rows, setup.stores, setup.agent_env, setup.home, here, setup.cache_folder)
    sessions = usage.of(chosen)
    groups = usage.groups(chosen, options.by) if options.by else []
    rest = {} if query else usage.rest_of_all
    if options.json:
        document: dict[str, Any] = {"schema": SCHEMA, "total": _document(sessions) | rest}
        document["total"]["total"] += sum(rest.values())
        if options.by:
            document["rows"] = [
                {
                    "key": name,
                    **({"title": of_it[0].title} if options.by == SESSION else {}),
                    **_document(one),
                }
                for name, of_it, one in groups
            ]
        write_json(document)
    elif chosen or rest:
        cells = columns()
        lines = [
            [
                *(size(number) for number in (one.total, one.files, one.artifacts, one.subagents, one.kept)),
                of_it[0].title if options.by == SESSION else tilde(name, setup.home),
            ]
            for name, of_it, one in groups
        ]
        names = ["total", "files", "artifacts", "sub-agents", "kept", options.by or ""]
        if cells is None:
            write_lines("\t".join([str(one.total), name]) for name, _, one in groups)
        elif groups:
            styles = [""] * len(names)
            colour = wants_colour(setup.env)
            write_lines(aligned(names, lines, styles, cells, NAME_CELLS, colour=colour))
            write_lines([""])
        if cells is not None or not groups:
            write_lines(_total_lines(sessions, rest))
    if query and not chosen:
        complain("no session matches")
        return NOT_FOUND
    if not rows:
        complain(NO_SESSIONS)
    return 0


def _document(usage: Usage) -> dict[str, int]:
    return {**asdict(usage), "total": usage.total}


def _total_lines(usage: Usage, rest: dict[str, int]) -> list[str]:
    total = usage.total + sum(rest.values())
    parts = [f"{size(part.number):>7}  {part.name:<11} {part.text}" for part in parts_of(usage, rest)]
    return [*parts, f"{size(total):>7}  total"]
