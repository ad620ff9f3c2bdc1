"""The listed sessions that a running agent has open (formats/README.md, "Detecting a running agent")."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from app.stores.live import GROWING_MS, IDLE, MAYBE, verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from app.index.row import Row
    from app.stores.live import Processes, Verdict


class LiveCandidates:
    """The sessions of a list that is checked every other second. All its rows, which may be ten thousand, are
    examined again only when the running agents change.

    rows      all sessions
    folders   the working folders of all sessions, as their headers spell them
    grown     the sessions whose files were ever seen to grow
    """

    def __init__(self, rows: Sequence[Row]) -> None:
        self.rows = rows
        self.folders = {row.cwd for row in rows} - {""}
        self.grown = [row for row in rows if row.grew_ms is not None]
        self._criteria: tuple[frozenset[str], ...] = ()
        self._selected: list[Row] = []

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def of(self, folders: frozenset[str], names: frozenset[str], ids: frozenset[str]) -> list[Row]:
        """The sessions with one of these working folders, file names or ids."""
        criteria = (folders, names, ids)
        if criteria != self._criteria:
            self._criteria = criteria
            self._selected = [
                row
                for row in (self.rows if any(criteria) else ())
                if row.cwd in folders or row.id in ids or (names and row.path.rpartition(os.sep)[2] in names)
            ]
        return self._selected


def live_sessions(
    rows: Sequence[Row] | LiveCandidates,
    processes: Processes,
    now_ms: int,
    real: Callable[[str], str] | None = None,
) -> dict[str, Verdict]:
    """Path -> verdict for the sessions that are live or maybe live; all others are idle.

    Only sessions that a process claims, whose folder an agent runs in, or whose file just grew get a verdict:
    the list is checked every other second, and may have ten thousand sessions.

    :param now_ms: the time in milliseconds since the epoch.
    :param real: returns the real path of a folder; None: `processes.real`, which resolves each folder again.
    """
    rows = rows if isinstance(rows, LiveCandidates) else LiveCandidates(rows)
    agent_folders = _agent_folders(rows, processes, real or processes.real)
    near_agents = rows.of(
        agent_folders,
        frozenset(processes.claims),
        frozenset(processes.session_ids).union(processes.noted, *processes.locked.values()),
    )
    newest = _newest(row for row in near_agents if row.cwd in agent_folders)
    growing = [
        row for row in rows.grown if row.grew_ms is not None and abs(now_ms - row.grew_ms) <= GROWING_MS
    ]
    verdicts: dict[str, Verdict] = {}
    for row in (*near_agents, *growing):
        is_newest = newest.get((row.agent, row.cwd)) == row.mtime_ns
        mtime_ms = row.mtime_ns // 1_000_000
        row_verdict = verdict(
            row.agent, row.path, row.id, row.cwd, mtime_ms, is_newest, row.grew_ms, processes, now_ms
        )
        if row_verdict.state != IDLE:
            verdicts[row.path] = row_verdict
    return verdicts


def verdict_to_resume(
    agent: str,
    path: str,
    session_id: str,
    cwd: str,
    processes: Processes,
    now_ms: int,
    grew_ms: int | None = None,
) -> Verdict | None:
    """The verdict on a session before it is resumed, if the user has to be asked: an agent has the session
    open, or may have it open because it is the newest session of its working folder. Otherwise None, also if
    screens of the agent share the session.

    The parameters are those of `verdict`. If an agent may have the session open, the headers of newer files
    in the same folder are read.
    """
    try:
        mtime_ns = os.stat(path).st_mtime_ns
    except OSError:
        mtime_ns = 0
    result = verdict(agent, path, session_id, cwd, mtime_ns // 1_000_000, True, grew_ms, processes, now_ms)
    if (
        result.state == IDLE
        or result.is_shared
        or (result.state == MAYBE and not _is_newest(agent, path, cwd, mtime_ns))
    ):
        return None
    return result


def _is_newest(agent: str, path: str, cwd: str, mtime_ns: int) -> bool:
    """Whether no newer file in the folder of `path` is a session of the same agent and working folder."""
    # Imported here: few sessions need it.
    from app.formats.header import header_of

    folder, own_name = os.path.split(path)
    suffix = os.path.splitext(own_name)[1]
    try:
        with os.scandir(folder) as entries:
            newer = [
                entry.path
                for entry in entries
                if entry.name.endswith(suffix)
                and entry.name != own_name
                and entry.stat().st_mtime_ns > mtime_ns
            ]
    except OSError:
        return True
    headers = (header_of(newer_path, (agent,)) for newer_path in newer)
    return not any(header is not None and header.cwd == cwd for header in headers)


def _agent_folders(rows: LiveCandidates, processes: Processes, real: Callable[[str], str]) -> frozenset[str]:
    """The working folders of sessions in which an agent runs."""
    in_use = {process.cwd for process in processes.processes if process.cwd}
    if not in_use:
        return frozenset()
    return frozenset(folder for folder in rows.folders if real(folder) in in_use)


def _newest(rows: Iterable[Row]) -> dict[tuple[str, str], int]:
    """(agent, working folder) -> the newest modification time of these rows, in nanoseconds."""
    newest: dict[tuple[str, str], int] = {}
    for row in rows:
        key = (row.agent, row.cwd)
        newest[key] = max(newest.get(key, 0), row.mtime_ns)
    return newest
