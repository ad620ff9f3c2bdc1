"""Computes statistics in a thread."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING, NamedTuple

from app.formats.prices import LIST_PRICES
from app.services.background import BackgroundService, GilYielder, answered
from app.view.statistics import amounts_by_day, day_unit

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from app.formats.prices import Prices
    from app.index.row import Row
    from app.index.statistics import Statistics
    from app.services.background import Post
    from app.stores.base import Store

_PROGRESS_SECONDS = 0.1
"""Least seconds between two reports of the progress."""


class GroupedFigures(NamedTuple):
    """The figures of all sessions by one kind of group.

    group_by   the kind
    found      the figures
    days       day, as `date.toordinal` counts -> what a heat map shows
    unit       of these amounts
    sort       by which the groups are sorted; None for the usual order
    """

    group_by: str
    found: Statistics
    days: Mapping[int, float]
    unit: str
    sort: str | None


class StatisticsReader(BackgroundService):
    """Reads the figures of all sessions, and adds them up."""

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
        self._sessions: list[tuple[Row, list[bytes]]] = []
        self._made: dict[tuple[str, str | None], Statistics] = {}
        self._next_progress = 0.0

    @answered()
    def read(self, progressed: Callable[[int, int], object]) -> None:
        """Read the sessions that have changed since the last statistics; once, before `group`.

        :param progressed: gets the number of sessions that are read, and of all; called in the thread.
        """
        # Imported here: few runs show statistics.
        from app.index.figures_file import current_figures
        from app.index.subagents import with_subagents

        def report(done: int, total: int) -> None:
            if monotonic() >= self._next_progress:
                self._next_progress = monotonic() + _PROGRESS_SECONDS
                progressed(done, total)

        rows = [row for row in self._rows() if not row.provisional and not row.refused]
        rows, subagents = with_subagents(self._stores, rows)
        yielder = GilYielder(self._is_stale)
        figures = current_figures(
            self._cache_folder,
            rows,
            subagents,
            on_progress=report,
            should_stop=lambda: not yielder.keep_going(),
        )
        if not self._is_stale():
            self._sessions = [(row, figures[row.path]) for row in rows]

    @answered()
    def group(self, group_by: str, sort: str | None = None) -> GroupedFigures:
        """Add up the figures by `group_by`, in the order `sort` if it is not None."""
        from app.index.figures_file import unpacked
        from app.index.statistics import DAY, TOOL, statistics

        for each, order in ((DAY, None), (group_by, sort)):
            if (each, order) not in self._made:
                sessions = (
                    (row, unpacked(figures, with_tools=each == TOOL)) for row, figures in self._sessions
                )
                made = statistics(sessions, each, self._now_ms, order, self._prices)
                self._made[each, order] = made
        days = self._made[DAY, None].groups
        return GroupedFigures(
            group_by, self._made[group_by, sort], amounts_by_day(days), day_unit(days), sort
        )
