"""Makes the overview of the project under the cursor, in a thread."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING

from app.formats.prices import LIST_PRICES
from app.services.background import REST_AHEAD, BackgroundService, GilYielder, answered
from app.services.tree_reader import labelled_entries
from app.view.project_overview import project_overview

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from app.formats.prices import Prices
    from app.index.figures_file import StoredFigures
    from app.index.row import Row, Signature
    from app.index.statistics import Group
    from app.services.background import Post
    from app.stores.base import Store
    from app.view.project_overview import ProjectOverview


COUNT_EVERY = 60.0
"""Least seconds between two countings: a session that an agent writes changes all the time."""


class ProjectReader(BackgroundService):
    """Makes the overview of a project, in three steps that are awaited."""

    def __init__(
        self,
        post: Post,
        cache_folder: str,
        stores: Sequence[Store],
        all_rows: Callable[[], Sequence[Row]],
        prices: Prices = LIST_PRICES,
    ) -> None:
        """:param all_rows: returns the sessions of all projects; none while they are still being read. It is
        called in the thread.
        :param prices: those of tokens without a cost.
        """
        self._prices = prices
        super().__init__(post)
        self._cache_folder = cache_folder
        self._stores = stores
        self._all_rows = all_rows
        # None before the first project
        self._stored: StoredFigures | None = None
        # folder of a project -> its figures as they were shown last
        self._shown: dict[str, Group] = {}
        self._next_count = 0.0
        # path -> what the file was when its labelled entries were read, and their times
        self._times: dict[str, tuple[Signature, dict[str, int | None]]] = {}

    @answered()
    def read(self, rows: Sequence[Row], busy: Collection[str]) -> ProjectOverview:
        """The overview of a project, with the figures that were shown last.

        :param rows: its sessions.
        :param busy: paths of the sessions that a running agent may have open.
        """
        overview = project_overview(rows, busy, self._prices)
        return overview._replace(figures=self._shown.get(rows[0].cwd if rows else ""))

    @answered()
    def figures(self, rows: Sequence[Row]) -> Group | None:
        """The figures of some sessions, each entry once; None if they are unknown. If one of them has
        changed, all sessions that have changed are read, now and then.
        """
        from app.index.figures_file import StoredFigures, current_figures
        from app.index.statistics import PROJECT, statistics
        from app.index.subagents import with_subagents

        stored = self._stored = self._stored or StoredFigures(self._cache_folder)
        found = stored.of(rows)
        if found is None and monotonic() >= self._next_count:
            self._next_count = monotonic() + COUNT_EVERY
            known = [row for row in self._all_rows() if not row.provisional and not row.refused]
            if known:
                yielder = GilYielder(self._is_stale, REST_AHEAD)
                known, subagents = with_subagents(self._stores, known)
                current_figures(
                    self._cache_folder, known, subagents, should_stop=lambda: not yielder.keep_going()
                )
                if self._is_stale():
                    # The rest is counted when the cursor is on a project again.
                    self._next_count = 0.0
                found = stored.of(rows)
        if found is None:
            return None
        total = statistics(zip(rows, found, strict=True), PROJECT, prices=self._prices).total
        self._shown[rows[0].cwd if rows else ""] = total
        return total

    @answered()
    def with_times(self, overview: ProjectOverview) -> ProjectOverview:
        """An overview with the times of its labels."""
        times: dict[tuple[str, str], int | None] = {}
        for row in {label.row.path: label.row for label in overview.labels}.values():
            if not self._is_stale():
                times.update(((row.path, id), time) for id, time in self._times_of(row).items())
        return overview.with_times(times)

    def _times_of(self, row: Row) -> dict[str, int | None]:
        known = self._times.get(row.path)
        if known is not None and known[0] == row.signature:
            return known[1]
        entries = labelled_entries(row, self._is_stale)
        if entries is None:
            return {}
        times = {id: entry.time_ms for id, entry in entries.items()}
        self._times[row.path] = row.signature, times
        return times
