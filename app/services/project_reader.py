"""Makes the overview of the project under the cursor, in a thread."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.messages import ProjectRead
from app.services.background import BackgroundService
from app.services.tree_reader import labelled_entries
from app.view.project_overview import project_overview

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from app.index.row import Row, Signature
    from app.services.background import Post
    from app.view.list_groups import ListLine
    from app.view.project_overview import ProjectOverview


class ProjectReader(BackgroundService):
    """Posts a ``ProjectRead`` for each request, and another one when the times of the labels are read."""

    thread_name = "project"

    def __init__(self, post: Post) -> None:
        super().__init__(post)
        # path -> what the file was when its labelled entries were read, and their times
        self._times: dict[str, tuple[Signature, dict[str, int | None]]] = {}

    def read(self, lines: Sequence[ListLine], busy: Collection[str]) -> None:
        """Make the overview of a project. A later request replaces an earlier one.

        :param lines: its sessions, in a list that does not change any more.
        :param busy: paths of the sessions that a running agent may have open.
        """
        self.generation += 1
        generation = self.generation
        self._worker.submit(lambda is_stale: self._read(generation, lines, busy, is_stale))

    def forget(self) -> None:
        """Post nothing about the last request any more."""
        self.generation += 1

    def _read(
        self,
        generation: int,
        lines: Sequence[ListLine],
        busy: Collection[str],
        is_stale: Callable[[], bool],
    ) -> None:
        overview = project_overview([line.session for line in lines], busy)
        self._post(ProjectRead(generation, overview))
        if overview.labels:
            overview = self._with_times(overview, is_stale)
            if not is_stale():
                self._post(ProjectRead(generation, overview))

    def _with_times(self, overview: ProjectOverview, is_stale: Callable[[], bool]) -> ProjectOverview:
        times: dict[tuple[str, str], int | None] = {}
        for row in {label.row.path: label.row for label in overview.labels}.values():
            if not is_stale():
                times.update(((row.path, id), time) for id, time in self._times_of(row, is_stale).items())
        return overview.with_times(times)

    def _times_of(self, row: Row, is_stale: Callable[[], bool]) -> dict[str, int | None]:
        known = self._times.get(row.path)
        if known is not None and known[0] == row.signature:
            return known[1]
        entries = labelled_entries(row, is_stale)
        if entries is None:
            return {}
        times = {id: time for id, (_, _, time) in entries.items()}
        self._times[row.path] = row.signature, times
        return times
