"""Which of the listed sessions a running agent has open (formats/README.md, "Detecting a running agent")."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from app.stores.live import GROWING_MS, IDLE, MAYBE, verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from app.index.row import Row
    from app.stores.live import Processes, Verdict


class LiveCandidates:
    """Sessions that are asked about again and again, mostly with the same agents running: only when those are
    others is each of ten thousand sessions looked at.
    """

    def __init__(self, rows: Sequence[Row]) -> None:
        """`folders`: of all of them, as their headers spell them; `grown`: those ever seen to grow."""
        self.rows = rows
        self.folders = {row.cwd for row in rows} - {""}
        self.grown = [row for row in rows if row.grew_ms is not None]
        self._by: tuple[frozenset[str], ...] = ()
        self._found: list[Row] = []

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def of(self, folders: frozenset[str], names: frozenset[str], ids: frozenset[str]) -> list[Row]:
        """Those in one of these folders, with a file of one of these names, or with one of these ids."""
        by = (folders, names, ids)
        if by != self._by:
            self._by = by
            self._found = [
                row
                for row in (self.rows if any(by) else ())
                if row.cwd in folders or row.id in ids or (names and row.path.rpartition(os.sep)[2] in names)
            ]
        return self._found


def live_sessions(
    rows: Sequence[Row] | LiveCandidates,
    processes: Processes,
    now_ms: int,
    real: Callable[[str], str] | None = None,
) -> dict[str, Verdict]:
    """Path -> verdict for the sessions that are live or maybe live; every other one is idle.

    Only those are asked about that a process is known to have open, whose folder one runs in, or whose file
    just grew: the list is looked at every other second, and may be ten thousand sessions long.

    :param real: the real path of a folder; that of `processes`, which looks at each folder anew, when None.
    """
    rows = rows if isinstance(rows, LiveCandidates) else LiveCandidates(rows)
    beside = _beside(rows, processes, real or processes.real)
    near = rows.of(beside, frozenset(processes.claims), frozenset(processes.session_ids))
    newest = _newest(row for row in near if row.cwd in beside)
    grew = [row for row in rows.grown if row.grew_ms is not None and abs(now_ms - row.grew_ms) <= GROWING_MS]
    found: dict[str, Verdict] = {}
    for row in (*near, *grew):
        is_newest = newest.get((row.agent, row.cwd)) == row.mtime_ns
        mtime_ms = row.mtime_ns // 1_000_000
        said = verdict(
            row.agent, row.path, row.id, row.cwd, mtime_ms, is_newest, row.grew_ms, processes, now_ms
        )
        if said.state != IDLE:
            found[row.path] = said
    return found


def verdict_to_resume(
    agent: str,
    path: str,
    session_id: str,
    cwd: str,
    processes: Processes,
    now_ms: int,
    grew_ms: int | None = None,
) -> Verdict | None:
    """The verdict on a session that is to be resumed, where the user has to be asked first: an agent has it
    open, or may have it open, as it is the newest session of its working folder. Parameters as of `verdict`.

    Only where an agent may have it open, the headers of newer files beside it are read.
    """
    try:
        mtime_ns = os.stat(path).st_mtime_ns
    except OSError:
        mtime_ns = 0
    found = verdict(agent, path, session_id, cwd, mtime_ns // 1_000_000, True, grew_ms, processes, now_ms)
    if found.state == IDLE or (found.state == MAYBE and not _is_newest(agent, path, cwd, mtime_ns)):
        return None
    return found


def _is_newest(agent: str, path: str, cwd: str, mtime_ns: int) -> bool:
    """Whether no newer file beside `path` is a session of the same agent and working folder."""
    from app.formats.header import header_of

    folder, own = os.path.split(path)
    suffix = os.path.splitext(own)[1]
    try:
        with os.scandir(folder) as entries:
            newer = [
                entry.path
                for entry in entries
                if entry.name.endswith(suffix) and entry.name != own and entry.stat().st_mtime_ns > mtime_ns
            ]
    except OSError:
        return True
    headers = (header_of(each, (agent,)) for each in newer)
    return not any(header is not None and header.cwd == cwd for header in headers)


def _beside(rows: LiveCandidates, processes: Processes, real: Callable[[str], str]) -> frozenset[str]:
    """The folders of sessions that an agent runs in."""
    taken = {process.cwd for process in processes.processes if process.cwd}
    if not taken:
        return frozenset()
    return frozenset(folder for folder in rows.folders if real(folder) in taken)


def _newest(rows: Iterable[Row]) -> dict[tuple[str, str], int]:
    newest: dict[tuple[str, str], int] = {}
    for row in rows:
        key = (row.agent, row.cwd)
        newest[key] = max(newest.get(key, 0), row.mtime_ns)
    return newest
