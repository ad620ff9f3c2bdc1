"""The pane beside a project in the list: its latest sessions, its labels, and what waits for the user."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from textual import on, work
from textual.message import Message

from app.services.project_reader import ProjectReader
from app.view.project_overview import project_rows, render_project_row, render_project_row_below
from app.widgets.commands import bindings_of
from app.widgets.line_list import LineList
from app.widgets.panes import Pane

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from textual.app import ComposeResult
    from textual.binding import BindingType
    from textual.timer import Timer

    from app.formats.prices import Prices
    from app.index.row import Row
    from app.stores.base import Store
    from app.view.line import Line
    from app.view.list_groups import Group
    from app.view.project_overview import ProjectOverview, ProjectRow

PATIENCE = 0.3
"""Seconds for which the rows of the project before stay. The next ones are mostly there sooner, and an empty
pane at each step of the cursor would flicker.
"""
RENEW_EVERY = 0.5
"""Least seconds between two readings of a project whose sessions change."""


class ProjectLines(LineList):
    """The rows of a project. The cursor stands on sessions and labels, and is drawn while it has the keys."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings_of("project")]

    @dataclass(eq=False, repr=False)
    class Chosen(Message):
        """The user wants to go to a session, or to one of its entries.

        entry_id   "" for the session itself
        """

        path: str
        entry_id: str

    def __init__(self, now_ms: Callable[[], int], *, id: str) -> None:
        super().__init__(id=id)
        self._now_ms = now_ms
        self.row_height = 2
        self.items: Sequence[ProjectRow] = ()
        self.is_current = False
        """Whether the rows are those of the project under the list's cursor."""

    def show_first(self, items: Sequence[ProjectRow]) -> None:
        """Show the rows of another project from the top."""
        self.items = items
        self.set_rows(len(items), self._nearest(0, 1))
        self._scroll(0)

    def show(self, items: Sequence[ProjectRow]) -> None:
        """Show other rows. The cursor stays on what it was on if that is still shown, else near its row."""
        before = self._target(self.cursor)
        self.items = items
        same = [index for index in range(len(items)) if before and self._target(index) == before]
        near = min(same, key=lambda index: abs(index - self.cursor), default=self.cursor)
        self.set_rows(len(items), self._nearest(near, 1), keep_offset=True)

    @property
    def short_rows(self) -> Sequence[int]:
        return [index for index, item in enumerate(self.items) if not item.below]

    @property
    def has_cursor(self) -> bool:
        return self.has_focus and self._target(self.cursor) is not None

    def _target(self, index: int) -> tuple[str, str] | None:
        """The path and the entry that a row leads to; None if it is words."""
        item = self.items[index] if index < len(self.items) else None
        return None if item is None or item.row is None else (item.row.path, item.entry_id)

    def _nearest(self, index: int, step: int) -> int:
        """The nearest row from ``index`` on in one direction, else in the other, that can have the cursor."""
        onward = range(index, len(self.items) if step > 0 else -1, step)
        back = range(index, -1 if step > 0 else len(self.items), -step)
        return next((row for row in (*onward, *back) if self._target(row) is not None), 0)

    def move_to(self, index: int) -> None:
        index = max(0, min(index, self.rows - 1))
        super().move_to(self._nearest(index, 1 if index > self.cursor else -1))
        if not any(self._target(row) for row in range(self.cursor)):
            self._scroll(0)  # The figures above the first session are in view again.

    def draw(self, index: int, cells: int, selected: bool) -> Line:
        return render_project_row(self.items[index], cells, selected=selected, now_ms=self._now_ms())

    def draw_below(self, index: int, cells: int, selected: bool) -> Line:
        return render_project_row_below(self.items[index], cells)

    @on(LineList.Activated)
    def action_go(self) -> None:
        """Go to the session or the label under the cursor."""
        target = self._target(self.cursor) if self.is_current else None
        if target is not None:
            self.post_message(self.Chosen(*target))


class ProjectPane(Pane):
    """Shows a project, and follows its sessions.

    lines      the rows
    project    the project that is shown; None for none
    """

    def __init__(
        self,
        now_ms: Callable[[], int],
        *,
        id: str,
        cache_folder: str,
        stores: Sequence[Store],
        prices: Prices,
        all_rows: Callable[[], Sequence[Row]],
    ) -> None:
        """:param now_ms: milliseconds since the epoch.
        :param all_rows: returns the sessions of all projects; none while they are still being read.
        :param prices: those of tokens without a cost.
        """
        super().__init__("Project", id=id)
        self.lines = ProjectLines(now_ms, id="project")
        self.project: Group | None = None
        self._now_ms = now_ms
        self._overview: ProjectOverview | None = None
        self._busy: Collection[str] = ()
        self._reader = ProjectReader(self.post_message, cache_folder, stores, all_rows, prices)
        self._timer: Timer | None = None

    def compose(self) -> ComposeResult:
        yield self.lines

    def on_unmount(self) -> None:
        self._reader.stop()

    def show_project(self, project: Group | None, busy: Collection[str]) -> None:
        """Show a project; None shows nothing.

        :param busy: paths of the sessions that a running agent may have open.
        """
        if project is not None and (self.project is None or self.project.cwd != project.cwd):
            self._overview = None
            self.lines.is_current = False
            self.set_timer(PATIENCE, self._clear)
            last = "…/" + project.folder.rpartition("/")[2]
            shorter = (last,) if len(last) < len(project.folder) else ()
            self.say("", project.folder, shorter, suffix=" · project")
        self.project, self._busy = project, busy
        self._read()

    def renew(self, project: Group | None, busy: Collection[str]) -> None:
        """Show the project as it is now, in a moment: more of its sessions may change."""
        if self.project is None or project is None:
            return
        self.project, self._busy = project, busy
        if self._timer is None:
            self._timer = self.set_timer(RENEW_EVERY, self._read)

    @work(exclusive=True)
    async def _read(self) -> None:
        """Show the project, then the times of its labels, then its figures."""
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
        if self.project is None:
            return
        rows = [line.session for line in self.project.lines]
        overview = await self._reader.read(rows, frozenset(self._busy))
        self._show(overview)
        if overview.labels:
            overview = await self._reader.with_times(overview)
            self._show(overview)
        figures = await self._reader.figures(rows)
        if figures is not None:
            self._show(overview._replace(figures=figures))

    def _show(self, overview: ProjectOverview) -> None:
        self._overview = overview
        if self.lines.is_current:
            self.update_ages()
        else:
            self.lines.is_current = True
            self.lines.show_first(project_rows(overview, self._now_ms()))

    def _clear(self) -> None:
        """Show no rows if those of the project are not there yet."""
        if not self.lines.is_current:
            self.lines.show_first(())

    def update_ages(self) -> None:
        """Show the ages of now."""
        if self._overview is not None:
            self.lines.show(project_rows(self._overview, self._now_ms()))
