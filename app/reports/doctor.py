"""``leafmark doctor``: the stores and how they were found, and every file and line that was skipped. With
``--report``, a file for a bug report, without secrets, home folders and user names.
"""

from __future__ import annotations

import os
import platform
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import closing
from importlib.metadata import PackageNotFoundError, version
from itertools import chain
from typing import Any

from app import __version__, paths
from app.actions.keep import damaged
from app.actions.unpacking import damage
from app.export.output_file import Target
from app.formats.errors import SessionError
from app.formats.text import inert, one_line
from app.formats.timestamps import iso
from app.index.cache import cache_status
from app.index.index import Index
from app.index.row import is_ahead
from app.index.search.prompt_histories import read_prompts
from app.keys import key_problems
from app.options import DONE, FAILED, Options, WrongUse
from app.paths import CurrentFolderGone, absolute
from app.redact import Personal, Redactor
from app.reports.output import SCHEMA, complain, write_json, write_lines, write_text
from app.sessions.storage.temporary import temporaries
from app.sessions.summaries.summarise import problems
from app.settings import read_settings, settings_file
from app.setup import Setup
from app.small_files import read_small
from app.stores.archive import archived
from app.stores.base import Store
from app.stores.kept import original_path
from app.stores.layout import Complaint, copies, deeper, listed_folders, reason
from app.stores.locks import abandoned_locks
from app.stores.names import names_problem
from app.stores.pins import own_pins_path, pins_problem
from app.stores.tags import tags_path, tags_problem
from app.view.formatting import counted, duration, tilde

Skipped = tuple[str, int | None, str | None]
"""The path of a skipped file or line, the number of the line, and the reason."""


def run(options: Options, setup: Setup) -> int:
    """Print the findings, or write a report. The exit code is 0 if a file is damaged, which is no failure of
    this command; it is 3 if the report cannot be written.

    :raises WrongUse: a report is to be JSON.
    """
    if options.report is not None and options.json:
        raise WrongUse("--report has no place beside --json")
    findings = examine(setup)
    if options.report is not None:
        return write_report(options.report, findings, setup)
    if options.json:
        write_json(findings)
    else:
        write_lines(report_lines(findings, setup.home))
    return 0


def examine(setup: Setup) -> dict[str, Any]:
    """The findings as a JSON object: scan every store, and read every damaged file once more."""
    with closing(Index(setup.stores, setup.cache_folder, on_renewed=complain)) as index:
        index.scan()
        rows, refused, complaints = index.rows(), index.problem_files(), index.complaints
    counts = Counter(row.store for row in rows)
    agents = {store.root: store.agents for store in setup.stores}
    skipped: list[Skipped] = [(path, None, reason) for path, reason in complaints]
    skipped += [(row.path, row.refused_line or None, row.refused) for row in refused]
    for row in rows:
        if row.problems or row.torn:
            faults = problems(row.path, agents[row.store])
            skipped += [(row.path, fault.line, fault.reason) for fault in faults]
        if is_ahead(row, setup.now_ms()):
            when = f"{iso(row.newest)[:10]}, more than a day ahead of the clock"
            what = f"its newest message is of {when}: the time of its file counts"
            skipped.append((row.path, None, what))
    others = chain(
        *map(deeper, setup.stores),
        _archive_problems(setup),
        _kept_problems(setup),
        _pin_problems(setup),
        _history_problems(setup),
        _leftovers(setup),
    )
    skipped += [(path, None, reason) for path, reason in others]
    return {
        "schema": SCHEMA,
        "stores": [_store(store, counts[store.root]) for store in setup.stores],
        "sessions": len(rows),
        "skipped": _deduplicate(skipped),
        "cache": {"folder": setup.cache_folder, "note": index.note},
    }


def _archive_problems(setup: Setup) -> Iterator[Complaint]:
    """The files in an archive that cannot be restored."""
    complaints: list[Complaint] = []
    for session in archived(setup.stores, complaints):
        problem = damage(session.path)
        if problem or session.problem:
            yield session.path, problem or f"in the archive, but no session: {session.problem}"
    yield from complaints


def _kept_problems(setup: Setup) -> Iterator[Complaint]:
    """The copies of sessions that are damaged."""
    for store in setup.stores:
        for entry in copies(store):
            path, why = damaged(entry.path)
            if path:
                is_there = os.path.lexists(original_path(entry.path, store.kept))
                then = "; `leafmark keep --verify` keeps it again" if is_there else ""
                yield path, f"{why}{then}"


def _pin_problems(setup: Setup) -> Iterator[Complaint]:
    """The files of pins, names and tags that count as empty, because they are damaged or no regular files."""
    stores = [store for listed in setup.stores for store in (listed, *listed.twins)]
    for path in sorted({store.pins for store in stores if store.pins} | {own_pins_path(setup.state_folder)}):
        problem = pins_problem(path)
        if problem:
            yield path, f"no pins are known of it: {problem}"
    for path in sorted({store.names for store in stores if store.names}):
        problem = names_problem(path)
        if problem:
            yield path, f"no names are known of it: {problem}"
    problem = tags_problem(setup.state_folder)
    if problem:
        yield tags_path(setup.state_folder), f"no tags are known of it: {problem}"


def _history_problems(setup: Setup) -> Iterator[Complaint]:
    """The histories of prompts that cannot be read."""
    stores = [store for listed in setup.stores for store in (listed, *listed.twins)]
    for path in sorted({store.history for store in stores if os.path.lexists(store.history)}):
        try:
            read_prompts(path)
        except SessionError as error:
            yield path, f"a search does not find its prompts: {error.reason}"


def _leftovers(setup: Setup) -> Iterator[Complaint]:
    """The hidden files that a killed write has left beside sessions."""
    now_ms = setup.now_ms()
    for store in setup.stores:
        for folder in listed_folders(store):
            for lock in abandoned_locks(folder):
                yield lock, "the lock of a process that has ended; the next write removes it"
            for copy in temporaries(folder):
                if copy.is_busy:
                    continue
                size = "a folder" if copy.is_folder else f"{copy.size:,} bytes"
                age = duration(max(now_ms - copy.modified_ms, 0))
                if copy.session:
                    yield copy.path, f"a session as it was before leafmark rewrote it, {size}, {age} old"
                else:
                    yield copy.path, f"a temporary copy of a stopped leafmark, {size}, {age} old"


def _deduplicate(skipped: list[Skipped]) -> list[dict[str, Any]]:
    """The items sorted by path and line, with the first one of each path and line, as JSON objects."""
    items = {(path, line or 0): reason for path, line, reason in reversed(skipped)}
    kept = sorted(items.items())
    return [{"path": path, "line": line or None, "reason": reason} for (path, line), reason in kept]


def _store(store: Store, sessions: int) -> dict[str, Any]:
    return {
        "agents": list(store.agents),
        "root": store.root,
        "source": store.source,
        "problem": store.problem(),
        "sessions": sessions,
        "notes": list(store.notes),
    }


def report_lines(findings: Mapping[str, Any], home: str) -> Iterator[str]:
    """The findings as lines of text."""
    yield "stores"
    for store in findings["stores"]:
        state = store["problem"] or counted(store["sessions"], "session")
        names = "+".join(store["agents"])
        yield f"  {names:<8} {tilde(store['root'], home)}  ({one_line(store['source'])})  {state}"
        for note in store["notes"]:
            yield f"           note: {one_line(note)}"
    yield f"cache\n  {tilde(findings['cache']['folder'], home)}"
    if findings["cache"]["note"]:
        yield f"  note: {one_line(findings['cache']['note'])}"
    skipped = findings["skipped"]
    yield f"skipped ({len(skipped):,})" if skipped else "nothing was skipped"
    for item in skipped:
        line = f":{item['line']}" if item["line"] else ""
        yield f"  {tilde(item['path'], home)}{line}: {one_line(item['reason'])}"


DEFAULT_NAME = "leafmark-report.txt"
STANDARD_OUTPUT = "-"
_LIBRARIES = (
    *("textual", "orjson", "msgspec", "watchfiles", "pillow"),
    *("stringzilla", "google-re2", "send2trash"),
)
_VARIABLES = (
    *("TERM", "COLORTERM", "NO_COLOR", "LANG", "LC_ALL", "LC_CTYPE"),
    *("COLUMNS", "TMUX", "SHELL", "EDITOR"),
)
_LONGEST = 100_000
"""Characters of a file that is quoted."""


def write_report(named: str, findings: Mapping[str, Any], setup: Setup) -> int:
    """Write the report.

    :param named: the path of the file; "" for `DEFAULT_NAME` in the current folder, "-" for standard output.
    :param findings: of `examine`.
    :return: the exit code: 3 if the file is there already, or cannot be written.
    """
    names = {setup.env.get("USER", ""), setup.env.get("LOGNAME", ""), os.path.basename(setup.home)}
    redactor = Redactor(Personal(setup.home, names))
    # The reasons are cut already.
    text = "".join(f"{redactor.cut_line(line)}\n" for line in _lines(findings, setup))
    redacted = inert(redactor.text(text))
    if named == STANDARD_OUTPUT:
        write_text(redacted)
        return DONE
    try:
        path = absolute(named or DEFAULT_NAME)
        target = Target(path, force=False)
        target.check()
        with target.opened() as file:
            file.write(redacted.encode("utf-8", "replace"))
    except FileExistsError:
        complain(f"{named or DEFAULT_NAME}: is there already, and is kept")
        return FAILED
    except (CurrentFolderGone, OSError) as error:
        complain(f"{named or DEFAULT_NAME}: {reason(error)}")
        return FAILED
    write_text(f"{one_line(target.path, 4_000)}\nRead the file before you share it.\n")
    return DONE


def _lines(findings: Mapping[str, Any], setup: Setup) -> Iterator[str]:
    yield f"leafmark {__version__}, Python {platform.python_version()}, {platform.platform()}"
    yield ", ".join(f"{name} {_version(name)}" for name in _LIBRARIES)
    yield f"encoding {sys.stdout.encoding or 'unknown'}, file system {sys.getfilesystemencoding()}"
    yield "\nvariables"
    own = sorted(name for name in setup.env if name.startswith("LEAFMARK_"))
    yield from (f"  {name}={setup.env[name]}" for name in (*_VARIABLES, *own) if name in setup.env)
    yield f"\nsessions: {findings['sessions']:,}"
    yield from report_lines(findings, setup.home)
    status = cache_status(setup.cache_folder)
    yield (
        f"\nindex: {status.sessions:,} sessions, {status.catalog_bytes:,} bytes of catalog,"
        f" {status.text_bytes:,} bytes of text, {status.without_text:,} sessions without text"
    )
    if status.note:
        yield f"  {status.note}"
    settings = read_settings(setup.env)
    problems = [*settings.problems, *(f"keys: {text}" for text in key_problems(settings.keys))]
    yield from _file("settings", settings_file(setup.env))
    yield from (f"  problem: {problem}" for problem in problems)
    yield from _file("last crash", os.path.join(paths.state_folder(setup.env), "crash.log"))


def _file(title: str, path: str) -> Iterator[str]:
    """The lines of a file, of a long one the last."""
    yield f"\n{title}: {path}"
    try:
        text = Redactor().cut(read_small(path).decode("utf-8", "replace"), _LONGEST, keeps_end=True)
    except FileNotFoundError:
        yield "  none"
    except OSError as error:
        yield f"  cannot be read: {reason(error)}"
    else:
        yield from (f"  {line}" for line in text.splitlines())


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "none"
