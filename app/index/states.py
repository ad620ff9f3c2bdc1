"""Which of the listed sessions a running agent has open (FORMATS 2.4)."""

from __future__ import annotations

from app.stores.live import GROWING_MS, IDLE, verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.index.row import Row
    from app.stores.live import Processes, Verdict


def live_sessions(rows: Sequence[Row], processes: Processes, now_ms: int) -> dict[str, Verdict]:
    """Path -> verdict for the sessions that are live or maybe live; every other one is idle.

    With no agent running, and no file that just grew, no row is looked at twice.
    """
    running = bool(processes.processes)
    newest = _newest(rows) if running else {}
    found: dict[str, Verdict] = {}
    for row in rows:
        grew = row.grew_ms is not None and abs(now_ms - row.grew_ms) <= GROWING_MS
        if not (running or grew):
            continue
        mtime_ms = row.mtime_ns // 1_000_000
        is_newest = running and newest[row.agent, row.cwd] == row.mtime_ns
        said = verdict(
            row.agent, row.path, row.id, row.cwd, mtime_ms, is_newest, row.grew_ms, processes, now_ms
        )
        if said.state != IDLE:
            found[row.path] = said
    return found


def _newest(rows: Sequence[Row]) -> dict[tuple[str, str], int]:
    newest: dict[tuple[str, str], int] = {}
    for row in rows:
        key = (row.agent, row.cwd)
        newest[key] = max(newest.get(key, 0), row.mtime_ns)
    return newest
