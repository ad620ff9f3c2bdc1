"""Which of the listed sessions a running agent has open (FORMATS 2.4)."""

from __future__ import annotations

import os

from app.stores.live import GROWING_MS, IDLE, verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from app.index.row import Row
    from app.stores.live import Processes, Verdict


def live_sessions(
    rows: Sequence[Row], processes: Processes, now_ms: int, real: Callable[[str], str] | None = None
) -> dict[str, Verdict]:
    """Path -> verdict for the sessions that are live or maybe live; every other one is idle.

    Only those are asked about that a process is known to have open, whose folder one runs in, or whose file
    just grew: the list is looked at every other second, and may be ten thousand sessions long.

    :param real: the real path of a folder; that of `processes`, which looks at each folder anew, when None.
    """
    beside = _folders(rows, processes, real or processes.real)
    newest = _newest(row for row in rows if row.cwd in beside) if beside else {}
    claims, ids = processes.claims, processes.session_ids
    found: dict[str, Verdict] = {}
    for row in rows:
        grew = row.grew_ms is not None and abs(now_ms - row.grew_ms) <= GROWING_MS
        if not (
            grew
            or row.cwd in beside
            or (ids and row.id in ids)
            or (claims and row.path.rpartition(os.sep)[2] in claims)
        ):
            continue
        is_newest = newest.get((row.agent, row.cwd)) == row.mtime_ns
        mtime_ms = row.mtime_ns // 1_000_000
        said = verdict(
            row.agent, row.path, row.id, row.cwd, mtime_ms, is_newest, row.grew_ms, processes, now_ms
        )
        if said.state != IDLE:
            found[row.path] = said
    return found


def _folders(rows: Sequence[Row], processes: Processes, real: Callable[[str], str]) -> set[str]:
    """The folders of sessions, as their headers spell them, that an agent runs in."""
    taken = {process.cwd for process in processes.processes if process.cwd}
    if not taken:
        return set()
    return {cwd for cwd in {row.cwd for row in rows} if cwd and real(cwd) in taken}


def _newest(rows: Iterable[Row]) -> dict[tuple[str, str], int]:
    newest: dict[tuple[str, str], int] = {}
    for row in rows:
        key = (row.agent, row.cwd)
        newest[key] = max(newest.get(key, 0), row.mtime_ns)
    return newest
