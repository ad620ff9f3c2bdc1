"""The screen with statistics: totals, a heat map of a year, and a table with bars. Enter on a figure leads to
the list of its sessions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import on, work
from textual.binding import Binding
from textual.content import Content
from textual.widgets import Static

from app.index.statistics import DAY, GROUPS, SORTS, WEEK
from app.services.statistics_reader import GroupedFigures, StatisticsReader
from app.sessions.summaries.figures import local_day
from app.view.arrangement import SessionSet
from app.view.branch_choices import Option
from app.view.cells import shorten, width
from app.view.charts import heat_map, longest
from app.view.statistics import (
    LACKS_COMPACTIONS,
    SPARKLINE_DAYS,
    amounts_of,
    group_line,
    head_line,
    last_days,
    name_of,
    total_lines,
)
from app.widgets.choice_row import ChoiceRow
from app.widgets.dialog import Dialog, DialogBox, ItemList
from app.widgets.line_list import LineList

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from textual.app import ComposeResult
    from textual.binding import BindingType
    from textual.events import Key

    from app.index.row import Row
    from app.index.statistics import Group
    from app.setup import Setup
    from app.view.line import Line

KEY = "S"
"""Closes the screen, as it opened it."""
_NAME_CELLS = 30
MAP_FROM = 20
"""Lines of a screen from which the heat map is shown."""


class StatisticsDialog(Dialog["SessionSet | None"]):
    """The result is the sessions of the figure that was chosen; None for none."""

    AUTO_FOCUS = "#figures"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "dismiss(None)", "Close"),
        Binding("enter", "choose", "Sessions", priority=True),
        Binding("tab,right,l", "step(1)", "Next grouping", priority=True),
        Binding("shift+tab,left,h", "step(-1)", "Previous grouping", priority=True),
        Binding("o", "sort", "Sort"),
        *(Binding(name[0], f"group('{name}')", show=False) for name in GROUPS),
    ]

    def __init__(
        self, setup: Setup, rows: Callable[[], Sequence[Row]], *, ascii_only: bool, is_reading: bool
    ) -> None:
        """:param rows: returns all sessions; it is called in a thread.
        :param is_reading: sessions are still being read, so that some may be missing.
        """
        super().__init__()
        self._setup = setup
        self._ascii_only = ascii_only
        self._is_reading = is_reading
        self._reader = StatisticsReader(
            setup.cache_folder, setup.stores, rows, setup.now_ms(), self.post_message, setup.prices
        )
        options = [Option(each, each.capitalize()) for each in GROUPS]
        self._by = ChoiceRow("By", options, DAY, id="figures-by", indent=4)
        self._by.can_focus = False
        self._list = ItemList["tuple[Group, float]"](self._draw, id="figures")
        self._is_read = False
        self._made: GroupedFigures | None = None
        self._sort: str | None = None

    def compose(self) -> ComposeResult:
        keys = "Enter its sessions  Tab next grouping  d w p m a t s  o sort  Esc close"
        with DialogBox("Statistics", keys, classes="statistics"):
            yield Static(Content("Reading…"), id="figures-total")
            yield Static(id="figures-map")
            yield self._by
            yield Static(id="figures-recent")
            yield Static(id="figures-head")
            yield self._list

    def on_mount(self) -> None:
        self._read()

    def on_unmount(self) -> None:
        self._reader.stop()

    @work
    async def _read(self) -> None:
        await self._reader.read(lambda *numbers: self.call_later(self._show_progress, *numbers))
        self._is_read = True
        self._group()

    def _show_progress(self, done: int, total: int) -> None:
        if not self._is_read:
            self.set_text("#figures-total", f"Reading {done:,} of {total:,} sessions, once")

    @on(ChoiceRow.Chosen)
    @work
    async def _group(self) -> None:
        """Show the figures by the chosen kind of group."""
        if not self._is_read:
            return
        self._made = event = await self._reader.group(self._by.value, self._sort)
        groups = event.found.groups
        amounts = amounts_of(groups, event.group_by, event.sort)
        most = longest(amounts)
        items = [(group, amount / most) for group, amount in zip(groups, amounts, strict=True)]
        if event.group_by in (DAY, WEEK) and event.sort is None:
            items.reverse()
        self._list.show(items)
        self._show()

    def on_resize(self) -> None:
        self.call_after_refresh(self._show)

    def _show(self) -> None:
        """Show everything but the rows of the table for the size of the screen."""
        event = self._made
        if event is None or not self.is_mounted:
            return
        cells = max(10, self._list.size.width)
        entries, used, money, time = total_lines(event.found.total)
        lines = [entries, f"{used} · {time}", money]
        if event.found.lacks_compactions:
            lines[2] += f" · {LACKS_COMPACTIONS}"
        if self._is_reading:
            lines[0] = f"Sessions are still being read: {entries}"
        self.set_text("#figures-total", "\n".join(shorten(line, cells) for line in lines))
        today = local_day(self._setup.now_ms())
        year = heat_map(event.days, today, cells, event.unit, ascii_only=self._ascii_only)
        has_map = bool(year) and self.size.height >= MAP_FROM
        self.query_one("#figures-map").display = has_map
        self.set_text("#figures-map", "\n".join(year))
        recent = last_days(event.days, today, ascii_only=self._ascii_only)
        text = f"Last {SPARKLINE_DAYS} days  {recent}".rstrip()
        self.set_text("#figures-recent", text)
        self.query_one("#figures-recent").display = has_map and width(text) <= cells
        head = f"  {head_line(event.group_by, cells - 2, event.sort, ascii_only=self._ascii_only)}"
        self.set_text("#figures-head", head)

    def _draw(self, item: tuple[Group, float], cells: int) -> Line:
        group, part = item
        home = self._setup.home
        by, titles = (self._made.group_by, self._made.found.titles) if self._made is not None else (DAY, {})
        return group_line(group, by, part, home, cells, titles, ascii_only=self._ascii_only)

    # keys

    def on_key(self, event: Key) -> None:
        if event.character == KEY:
            event.stop()
            self.dismiss(None)

    def action_step(self, step: int) -> None:
        """Group in the next or the previous way."""
        self._by.action_step(step)

    def action_group(self, group_by: str) -> None:
        """Group in this way."""
        self._by.choose(group_by)

    def action_sort(self) -> None:
        """Sort in the next way: by cost, tokens, time, prompts, and as usual."""
        orders = (None, *SORTS)
        self._sort = orders[(orders.index(self._sort) + 1) % len(orders)]
        self._group()

    @on(LineList.Activated)
    def action_choose(self) -> None:
        """Answer with the sessions of the figure under the cursor."""
        picked, event = self._list.picked, self._made
        if picked is None or event is None:
            return
        group = picked[0]
        name = shorten(name_of(group.key, event.group_by, self._setup.home, event.found.titles), _NAME_CELLS)
        paths = frozenset(event.found.members.get(group.key, ()))
        self.dismiss(SessionSet(f"stats: {name}", paths))
