"""``leafmark doctor``: which stores were found and why, and everything that was passed over."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from typing import Any

from app.actions.archive import damage
from app.formats.text import one_line
from app.index.index import Index
from app.options import Options
from app.reports.output import write_json, write_text
from app.sessions.storage.temporary import temporaries
from app.sessions.summaries.problems import problems
from app.setup import Setup
from app.stores.archive import archived
from app.stores.base import Store
from app.stores.layout import Complaint, deeper
from app.stores.locks import abandoned_locks
from app.stores.pins import own_pins_path, pins_problem
from app.view.formatting import duration, tilde

SCHEMA = 1


def run(options: Options, setup: Setup) -> int:
    """Print the findings. The exit code is 0 whatever was found: a damaged file is news, not a failure."""
    found = examine(setup)
    if options.json:
        write_json(found)
    else:
        write_text("".join(line + "\n" for line in report_lines(found, setup.home)))
    return 0


def examine(setup: Setup) -> dict[str, Any]:
    """Examine every store, and again every file with a skipped part."""
    index = Index(setup.stores, setup.cache_folder)
    try:
        index.scan()
        rows, refused, complaints = index.rows(), index.problem_files(), index.complaints
    finally:
        index.close()
    counts: dict[str, int] = {}
    for row in rows:
        counts[row.store] = counts.get(row.store, 0) + 1
    skipped: list[dict[str, Any]] = [
        {"path": path, "line": None, "reason": reason} for path, reason in complaints
    ]
    skipped += [
        {"path": row.path, "line": row.refused_line or None, "reason": row.refused} for row in refused
    ]
    agents = {store.root: store.agents for store in setup.stores}
    for row in rows:
        if row.problems or row.torn:
            skipped += [
                {"path": row.path, "line": fault.line, "reason": fault.reason}
                for fault in problems(row.path, agents[row.store])
            ]
    for store in setup.stores:
        skipped += [{"path": path, "line": None, "reason": reason} for path, reason in deeper(store)]
    skipped += [{"path": path, "line": None, "reason": reason} for path, reason in _archive_problems(setup)]
    skipped += [{"path": path, "line": None, "reason": reason} for path, reason in _pin_problems(setup)]
    skipped += [{"path": path, "line": None, "reason": reason} for path, reason in _leftovers(setup)]
    return {
        "schema": SCHEMA,
        "stores": [_store(store, counts.get(store.root, 0)) for store in setup.stores],
        "sessions": len(rows),
        "skipped": _deduplicate(skipped),
        "cache": {"folder": setup.cache_folder, "note": index.note},
    }


def _archive_problems(setup: Setup) -> Iterator[Complaint]:
    """The files in an archive that cannot be restored."""
    complaints: list[Complaint] = []
    for one in archived(setup.stores, complaints):
        why_not = damage(one.path)
        if why_not or one.problem:
            yield one.path, why_not or f"in the archive, but no session: {one.problem}"
    yield from complaints


def _pin_problems(setup: Setup) -> Iterator[Complaint]:
    """The files of pins that count as empty, because they are damaged or no regular files."""
    every = [each for store in setup.stores for each in (store, *store.twins)]
    for path in sorted({each.pins for each in every if each.pins} | {own_pins_path(setup.state_folder)}):
        why = pins_problem(path)
        if why:
            yield path, f"no pins are known of it: {why}"


def _leftovers(setup: Setup) -> Iterator[Complaint]:
    """The hidden files beside sessions that stay where a write is killed."""
    now_ms = setup.now_ms()
    for store in setup.stores:
        folders = [store.root]
        with contextlib.suppress(OSError), os.scandir(store.root) as entries:
            folders += [entry.path for entry in entries if entry.is_dir()]
        for folder in folders:
            for lock in abandoned_locks(folder):
                yield lock, "the lock of a process that has ended; the next write removes it"
            for found in temporaries(folder):
                if found.is_busy:
                    continue
                size = "a folder" if found.is_folder else f"{found.size:,} bytes"
                age = duration(max(now_ms - found.modified_ms, 0))
                if found.session:
                    yield found.path, f"a session as it was before leafmark rewrote it, {size}, {age} old"
                else:
                    yield found.path, f"a temporary copy of a stopped leafmark, {size}, {age} old"


def _deduplicate(skipped: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Sorted by place; each place is listed once."""
    places = {(each["path"], each["line"] or 0): each for each in reversed(skipped)}
    return [places[place] for place in sorted(places)]


def _store(store: Store, sessions: int) -> dict[str, Any]:
    return {
        "agents": list(store.agents),
        "root": store.root,
        "source": store.source,
        "problem": store.problem(),
        "sessions": sessions,
        "notes": list(store.notes),
    }


def report_lines(found: dict[str, Any], home: str) -> Iterator[str]:
    """The findings as lines of text."""
    yield "stores"
    for store in found["stores"]:
        state = store["problem"] or f"{store['sessions']:,} session{'' if store['sessions'] == 1 else 's'}"
        names = "+".join(store["agents"])
        yield f"  {names:<8} {tilde(store['root'], home)}  ({one_line(store['source'])})  {state}"
        for note in store["notes"]:
            yield f"           note: {one_line(note)}"
    yield f"cache\n  {tilde(found['cache']['folder'], home)}"
    if found["cache"]["note"]:
        yield f"  note: {one_line(found['cache']['note'])}"
    skipped = found["skipped"]
    yield f"skipped ({len(skipped):,})" if skipped else "nothing was skipped"
    for each in skipped:
        line = f":{each['line']}" if each["line"] else ""
        yield f"  {tilde(each['path'], home)}{line}: {one_line(each['reason'])}"
