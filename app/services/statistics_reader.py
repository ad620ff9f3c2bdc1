"""Computes statistics in a thread."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING

from app.formats.prices import LIST_PRICES
from app.messages import StatisticsMade, StatisticsProgressed
from app.services.background import BackgroundService, GilYielder
from app.view.statistics import amounts_by_day, day_unit

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from app.formats.prices import Prices
    from app.index.row import Row
    from app.index.statistics import Statistics
    from app.services.background import Post
    from app.stores.base import Store

_PROGRESS_SECONDS = 0.1
"""Least seconds between two messages about the progress."""


class StatisticsReader(BackgroundService):
    """Posts ``StatisticsProgressed`` and ``StatisticsMade``."""

    thread_name = "statistics"

    def __init__(
        self,
        cache_folder: str,
        stores: Sequence[Store],
        rows: Callable[[], Sequence[Row]],
        now_ms: int,
        post: Post,
        prices: Prices = LIST_PRICES,
    ) -> None:
        """:param rows: returns all sessions; it is called in the thread.
        :param now_ms: milliseconds since the epoch.
        :param prices: those of tokens without a cost.
        """
        super().__init__(post)
        self._stores = stores
        self._prices = prices
        self._cache_folder = cache_folder
        self._rows = rows
        self._now_ms = now_ms
        self._sessions: list[tuple[Row, list[bytes]]] | None = None
        self._made: dict[tuple[str, str | None], Statistics] = {}
        self._next_progress = 0.0

    def group(self, group_by: str, sort: str | None = None) -> None:
        """Compute the figures by `group_by`, in the order `sort` if it is not None. The first request reads
        the sessions that have changed since the last statistics.
        """
        self._worker.submit(lambda is_stale: self._group(group_by, sort, is_stale), interrupts=False)

    def _group(self, group_by: str, sort: str | None, is_stale: Callable[[], bool]) -> None:
        # Imported here: few runs show statistics.
        from app.index.figures_file import current_figures, unpacked
        from app.index.statistics import DAY, statistics
        from app.index.subagents import with_subagents

        if self._sessions is None:
            rows = [row for row in self._rows() if not row.provisional and not row.refused]
            rows, subagents = with_subagents(self._stores, rows)
            yielder = GilYielder(is_stale)
            figures = current_figures(
                self._cache_folder,
                rows,
                subagents,
                on_progress=self._progressed,
                should_stop=lambda: not yielder.keep_going(),
            )
            if is_stale():
                return
            self._sessions = [(row, figures[row.path]) for row in rows]
        for each, order in ((DAY, None), (group_by, sort)):
            if (each, order) not in self._made:
                sessions = ((row, unpacked(figures)) for row, figures in self._sessions)
                made = statistics(sessions, each, self._now_ms, order, self._prices)
                self._made[each, order] = made
        days = self._made[DAY, None].groups
        found = self._made[group_by, sort]
        self._post(StatisticsMade(group_by, found, amounts_by_day(days), day_unit(days), sort))

    def _progressed(self, done: int, total: int) -> None:
        if monotonic() >= self._next_progress:
            self._next_progress = monotonic() + _PROGRESS_SECONDS
            self._post(StatisticsProgressed(done, total))
