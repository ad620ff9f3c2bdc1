"""Adds up the figures of all sessions for the screen, in a process of its own: those of ten thousand sessions
take 60 MB, which the screen would keep until it ends.
"""

from __future__ import annotations

import gc
import signal
import sys
from contextlib import suppress
from subprocess import TimeoutExpired
from threading import Event
from time import monotonic
from typing import TYPE_CHECKING

from app.index.figures_file import current_figures, unpacked
from app.index.row import Row
from app.index.statistics import TOOL, Statistics, statistics
from app.index.subagents import with_subagents
from app.index.worker_pool import BROKEN, ended, started
from app.index.worker_process import receive, send

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from app.formats.prices import Prices
    from app.stores.base import Store

START = "import sys; sys.path[:] = sys.argv[1:]; from app.index.figures_process import main; main()"
"""The code for `python -c`."""
_ROWS_AT_ONCE = 200
"""Rows that are sent in one frame, in a millisecond, so that the thread of the screen can run."""
_PROGRESS_SECONDS = 0.1
"""Least seconds between two reports of the progress."""
_WRITING_SECONDS = 5.0
"""The time in which a process that is ended writes what it has read."""


class FiguresProcess:
    """The process. Call `read` once, then `group`, in one thread at a time, and `close` in any thread. They
    raise one of `worker_pool.BROKEN` if it has ended.
    """

    def __init__(self) -> None:
        """:raises OSError: it cannot be started."""
        self._process = started(START)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._input, self._output = self._process.stdin, self._process.stdout

    def read(
        self,
        cache_folder: str,
        stores: Sequence[Store],
        rows: Sequence[Row],
        now_ms: int,
        prices: Prices,
        progressed: Callable[[int, int], object],
    ) -> None:
        """Read the sessions that have changed since the last statistics.

        :param rows: all sessions.
        :param now_ms: milliseconds since the epoch.
        :param prices: those of tokens without a cost.
        :param progressed: gets the number of sessions that are read, and of all.
        """
        send(self._input, (cache_folder, stores, now_ms, prices))
        for start in range(0, len(rows), _ROWS_AT_ONCE):
            send(self._input, [row.values() for row in rows[start : start + _ROWS_AT_ONCE]])
        send(self._input, [])
        while (numbers := receive(self._output)) is not None:
            progressed(*numbers)

    def group(self, group_by: str, sort: str | None) -> Statistics:
        """Add up the figures by `group_by`, in the order `sort` if it is not None."""
        send(self._input, (group_by, sort))
        found: Statistics = receive(self._output)
        return found

    def close(self) -> None:
        """End the process. What it has read is kept for the next one."""
        self._process.terminate()
        with suppress(TimeoutExpired):
            self._process.wait(_WRITING_SECONDS)
        ended(self._process)


def main() -> None:
    """Answer a `FiguresProcess`."""
    # As in `worker_process`: there are few reference cycles.
    gc.disable()
    source, target = sys.stdin.buffer, sys.stdout.buffer
    try:
        cache_folder, stores, now_ms, prices = receive(source)
        rows: list[Row] = []
        while values := receive(source):
            rows += map(Row, values)
        rows, subagents = with_subagents(stores, rows)
        reported = 0.0

        def report(*numbers: int) -> None:
            nonlocal reported
            if monotonic() >= reported + _PROGRESS_SECONDS:
                reported = monotonic()
                send(target, numbers)

        stopped = Event()
        signal.signal(signal.SIGTERM, lambda number, frame: stopped.set())
        figures = current_figures(
            cache_folder, rows, subagents, on_progress=report, should_stop=stopped.is_set
        )
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        if stopped.is_set():
            return
        send(target, None)
        while True:
            group_by, sort = receive(source)
            unpacked_figures = (
                (row, unpacked(figures[row.path], with_tools=group_by == TOOL)) for row in rows
            )
            send(target, statistics(unpacked_figures, group_by, now_ms, sort, prices))
    except BROKEN:
        pass
