"""Computes statistics in a thread."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING

from app.messages import StatisticsMade, StatisticsProgressed
from app.services.background import BackgroundService, GilYielder
from app.view.statistics import amounts_by_day

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from app.index.row import Row
    from app.index.statistics import Statistics
    from app.services.background import Post

_PROGRESS_SECONDS = 0.1
"""Least seconds between two messages about the progress."""


class StatisticsReader(BackgroundService):
    """Posts ``StatisticsProgressed`` and ``StatisticsMade``."""

    thread_name = "statistics"

    def __init__(self, cache_folder: str, rows: Callable[[], Sequence[Row]], post: Post) -> None:
        """:param rows: returns all sessions; it is called in the thread."""
        super().__init__(post)
        self._cache_folder = cache_folder
        self._rows = rows
        self._sessions: list[tuple[Row, bytes]] | None = None
        self._made: dict[str, Statistics] = {}
        self._next_progress = 0.0

    def group(self, group_by: str) -> None:
        """Compute the figures by `group_by`. The first request reads the sessions that have changed since the
        last statistics.
        """
        self._worker.submit(lambda is_stale: self._group(group_by, is_stale), interrupts=False)

    def _group(self, group_by: str, is_stale: Callable[[], bool]) -> None:
        # Imported here: few runs show statistics.
        from app.index.figures_file import current_figures, unpacked
        from app.index.statistics import DAY, statistics

        if self._sessions is None:
            rows = [row for row in self._rows() if not row.provisional and not row.refused]
            yielder = GilYielder(is_stale)
            figures = current_figures(
                self._cache_folder,
                rows,
                on_progress=self._progressed,
                should_stop=lambda: not yielder.keep_going(),
            )
            if is_stale():
                return
            self._sessions = [(row, figures[row.path]) for row in rows]
        for each in (DAY, group_by):
            if each not in self._made:
                sessions = ((row, unpacked(figures)) for row, figures in self._sessions)
                self._made[each] = statistics(sessions, each)
        days = amounts_by_day(self._made[DAY].groups)
        self._post(StatisticsMade(group_by, self._made[group_by], days))

    def _progressed(self, done: int, total: int) -> None:
        if monotonic() >= self._next_progress:
            self._next_progress = monotonic() + _PROGRESS_SECONDS
            self._post(StatisticsProgressed(done, total))
