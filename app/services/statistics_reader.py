"""Computes statistics in a thread."""

from __future__ import annotations

from contextlib import contextmanager
from threading import Thread
from typing import TYPE_CHECKING, NamedTuple

from app.formats.errors import Cancelled
from app.formats.prices import LIST_PRICES
from app.index.statistics import DAY
from app.index.worker_pool import BROKEN
from app.services.background import BackgroundService, answered
from app.view.statistics import amounts_by_day, day_unit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from app.formats.prices import Prices
    from app.index.figures_process import FiguresProcess
    from app.index.row import Row
    from app.index.statistics import Statistics
    from app.services.background import Post
    from app.stores.base import Store


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
    """Has the figures of all sessions added up by a process."""

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
        self._process: FiguresProcess | None = None
        self._is_stopped = False
        self._made: dict[tuple[str, str | None], Statistics] = {}

    @answered()
    def read(self, progressed: Callable[[int, int], object]) -> None:
        """Read the sessions that have changed since the last statistics; once, before `group`.

        :param progressed: gets the number of sessions that are read, and of all; called in the thread.
        """
        # Imported here: few runs show statistics.
        from app.index.figures_process import FiguresProcess

        rows = [row for row in self._rows() if not row.provisional and not row.refused]
        self._process = process = FiguresProcess()
        if self._is_stopped:
            process.close()
        with self._may_be_stopped():
            process.read(self._cache_folder, self._stores, rows, self._now_ms, self._prices, progressed)

    @answered()
    def group(self, group_by: str, sort: str | None = None) -> GroupedFigures:
        """Add up the figures by `group_by`, in the order `sort` if it is not None."""
        assert self._process is not None
        with self._may_be_stopped():
            for key in ((DAY, None), (group_by, sort)):
                if key not in self._made:
                    self._made[key] = self._process.group(*key)
        days = self._made[DAY, None].groups
        return GroupedFigures(
            group_by, self._made[group_by, sort], amounts_by_day(days), day_unit(days), sort
        )

    @contextmanager
    def _may_be_stopped(self) -> Iterator[None]:
        try:
            yield
        except BROKEN:
            if self._is_stopped:
                raise Cancelled from None
            raise

    def stop(self) -> None:
        """End the thread and the process."""
        super().stop()
        self._is_stopped = True
        if self._process is not None:
            # The process may have much memory to free.
            Thread(target=self._process.close, daemon=True).start()
