"""``leafmark keep``: compressed copies of sessions, which stay when their agent deletes the sessions."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from app.actions.keep import Kept, damaged, drop, keep, keep_all, replace, sizes
from app.changes.trash_commands import naming_anyway, run_each
from app.formats.text import one_line
from app.index.resolve import Ambiguous, NotFound, current_rows, find_session
from app.index.row import Row
from app.options import FAILED, NOT_FOUND, WRONG_USE, Options, WrongUse, only_one
from app.paths import CurrentFolderGone, absolute
from app.reports.errors import complain_of
from app.reports.list_query import filter_rows
from app.reports.output import (
    CYAN,
    DIM,
    SCHEMA,
    Progress,
    aligned,
    columns,
    complain,
    wants_colour,
    write_json,
    write_lines,
)
from app.sessions.errors import SessionError
from app.sessions.manager.change import Change
from app.setup import Setup
from app.stores.base import Store
from app.stores.kept import original_path
from app.stores.layout import copies
from app.view.formatting import counted, short_id
from app.view.formatting import size as byte_count

TITLE_CELLS = 40
"""Cells of a title on a terminal."""


class KeptSession(NamedTuple):
    """A session of which there is a copy.

    :param copy: the path of the copy; ``path`` that of the session's file, which may be gone.
    :param store: that the session was found in.
    :param row: of the session or of its copy; None if neither can be read.
    """

    copy: str
    path: str
    store: Store
    row: Row | None

    @property
    def is_gone(self) -> bool:
        """Whether the session's file is gone."""
        return not os.path.lexists(self.path)


def run(options: Options, setup: Setup) -> int:
    """Keep sessions, or do with the copies what the option says.

    :return: the exit code (see `app.changes.run`).
    :raises WrongUse: the words and options do not fit together.
    """
    mode = only_one(options, "list", "drop", "verify", "replace")
    if options.anyway and mode != "replace":
        raise WrongUse("--anyway has a place only beside --replace")
    if mode not in ("list", "verify") and not options.query:
        raise WrongUse("keep needs a SESSION or a query; --list prints the kept sessions")
    if mode in ("list", "verify", "drop"):
        kept, code = _kept_sessions(options.query, setup)
        if code:
            return code
        if mode == "list":
            return _list(kept, options, setup)
        if mode == "verify":
            return _verify(kept, options, setup)
        return run_each(kept, lambda one: iter((drop(one.copy, one.store, setup.agent_env),)), options, setup)
    rows = current_rows(setup.stores, setup.cache_folder, complain)
    paths, code = _chosen(options.query, rows, setup)
    if code:
        return code
    chosen = [row for row in rows if row.path in paths]
    stores = {store.root: store for store in setup.stores}
    present = [row for row in chosen if not row.is_gone]
    if len(present) < len(chosen):
        gone = counted(len(chosen) - len(present), "session")
        complain(f"{gone} kept already: the file is gone, and `leafmark restore` brings it back")
    if mode == "replace":

        def replace_session(row: Row) -> Iterator[Change]:
            store = stores[row.store]
            with naming_anyway("replaces"):
                yield replace(row.path, store, setup.stores, setup.agent_env, anyway=options.anyway)

        return run_each(present, replace_session, options, setup)
    return _keep(present, stores, options, setup)


def _kept_sessions(words: Sequence[str], setup: Setup) -> tuple[list[KeptSession], int]:
    """The kept sessions that the words name, all without words; and the exit code as of `_chosen`. A path of
    a file or of its copy also names a session whose copy cannot be read.
    """
    by_path = {row.original_path: row for row in current_rows(setup.stores, setup.cache_folder, complain)}
    found = [(entry.path, store) for store in setup.stores for entry in copies(store)]
    paths = [(copy, original_path(copy, store.kept), store) for copy, store in found]
    kept = [KeptSession(*each, by_path.get(each[1])) for each in paths]
    named = {*map(_absolute, words)}
    if all(any(path in (one.path, one.copy) for one in kept) for path in named):
        return [one for one in kept if not words or not named.isdisjoint((one.path, one.copy))], 0
    chosen, code = _chosen(words, [one.row for one in kept if one.row is not None], setup)
    return [one for one in kept if one.row is not None and one.row.path in chosen], code


def _chosen(words: Sequence[str], rows: Sequence[Row], setup: Setup) -> tuple[set[str], int]:
    """The paths of the rows that the words name: each word a session, or all words a query; and the exit
    code, which is not 0 if an error was reported.
    """
    chosen = set()
    for word in words:
        try:
            chosen.add(_named(word, rows).path)
        except Ambiguous as error:
            complain_of(error, setup.now_ms())
            return set(), WRONG_USE
        except NotFound:
            break
    else:
        return chosen, 0
    matching, _ = filter_rows(list(rows), " ".join(words), setup)
    if matching is None:
        return set(), WRONG_USE
    if not matching:
        complain("no session matches")
        return set(), NOT_FOUND
    return {row.path for row in matching}, 0


def _named(word: str, rows: Sequence[Row]) -> Row:
    """:raises NotFound, Ambiguous: see `find_session`."""
    path = _absolute(word)
    for row in rows:
        if path and path in (row.path, row.original_path):
            return row
    return find_session(word, rows)


def _absolute(word: str) -> str:
    try:
        return absolute(word)
    except CurrentFolderGone:
        return ""


def _keep(rows: Sequence[Row], stores: dict[str, Store], options: Options, setup: Setup) -> int:
    by_path = {row.path: row for row in rows}
    kept: list[Kept] = []
    failed = 0

    with Progress() as progress:

        def done(number: int, path: str, result: Kept | SessionError) -> None:
            nonlocal failed
            if isinstance(result, SessionError):
                failed += 1
                complain(str(result))
            else:
                kept.append(result)
            if progress.kept:
                progress.kept(number, len(rows))

        keep_all([(row.path, stores[row.store]) for row in rows], setup.stores, done)
    left = len(rows) - len(kept) - failed
    if left:
        complain(f"{counted(left, 'session')} not kept, because the disk has no room")
    if options.json:
        documents = [
            {**_document(by_path[one.path], one.path, one.copy), **_sizes(one.size, one.copy_size)}
            for one in kept
        ]
        write_json({"schema": SCHEMA, "sessions": documents})
    elif kept:
        new = sum(one.written > 0 for one in kept)
        size, copy_size = sum(one.size for one in kept), sum(one.copy_size for one in kept)
        same = f", {len(kept) - new:,} of them as before" if new < len(kept) else ""
        sessions = counted(len(kept), "session")
        write_lines([f"Kept {sessions}{same}: {byte_count(size)}, compressed {byte_count(copy_size)}."])
    return FAILED if failed or left else 0


def _list(kept: Sequence[KeptSession], options: Options, setup: Setup) -> int:
    measured = [(one, *sizes(one.copy)) for one in kept]
    cells = columns()
    if options.json:
        documents = [
            {**_document(one.row, one.path, one.copy), "gone": one.is_gone, **_sizes(size, copy_size)}
            for one, size, copy_size in measured
        ]
        write_json({"schema": SCHEMA, "sessions": documents})
    elif kept and cells is not None:
        lines = [
            [
                short_id(one.row.id) if one.row else "",
                "gone" if one.is_gone else "",
                byte_count(size),
                byte_count(copy_size),
                one.row.title if one.row else "",
                one.path,
            ]
            for one, size, copy_size in measured
        ]
        names = ["id", "file", "size", "copy", "title", "path"]
        styles = [CYAN, "", DIM, DIM, "", DIM]
        write_lines(aligned(names, lines, styles, cells, TITLE_CELLS, colour=wants_colour(setup.env)))
    else:
        write_lines(
            "\t".join(map(one_line, (one.row.id if one.row else "", one.path, "gone" if one.is_gone else "")))
            for one in kept
        )
    if not kept:
        complain("no session is kept")
        return NOT_FOUND
    return 0


def _verify(kept: Sequence[KeptSession], options: Options, setup: Setup) -> int:
    """Read all copies, and keep those sessions again whose copies are damaged and whose files are there."""
    found: list[dict[str, Any]] = []
    with Progress() as progress:
        for number, one in enumerate(kept, 1):
            copy, reason = damaged(one.copy)
            if copy:
                found.append({"path": one.path, "copy": copy, "reason": reason, "kept_again": False})
                if not one.is_gone:
                    try:
                        keep(one.path, one.store, setup.stores, anew=True)
                        found[-1]["kept_again"] = True
                    except SessionError as error:
                        complain(str(error))
            if progress.compared:
                progress.compared(number, len(kept))
    if options.json:
        write_json({"schema": SCHEMA, "checked": len(kept), "damaged": found})
    else:
        write_lines(_verify_lines(found, len(kept)))
    return FAILED if any(not each["kept_again"] for each in found) else 0


def _verify_lines(found: Iterable[dict[str, Any]], checked: int) -> Iterator[str]:
    number = 0
    for each in found:
        number += 1
        then = "; kept again" if each["kept_again"] else ""
        yield one_line(f"{each['copy']}: {each['reason']}{then}", 4_096)
    yield f"{counted(checked, 'kept session')} read, {number:,} damaged"


def _document(row: Row | None, path: str, copy: str) -> dict[str, Any]:
    return {
        "agent": row.agent if row else None,
        "session_id": row.id if row else None,
        "path": path,
        "title": row.title if row else None,
        "copy": copy,
    }


def _sizes(size: int, copy_size: int) -> dict[str, int]:
    return {"size": size, "copy_size": copy_size}
