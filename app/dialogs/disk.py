"""The screen with the disk space of sessions, of their copies and of the index. Enter on a row leads to the
list of its sessions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import on, work
from textual.binding import Binding
from textual.content import Content
from textual.widgets import Static

from app.index.disk import GROUPS, DiskUsage
from app.services.background import in_background
from app.view.arrangement import SessionSet
from app.view.branch_choices import Option
from app.view.cells import shorten
from app.view.charts import longest
from app.view.disk import PART, Share, share_line, shares_of
from app.view.formatting import counted, size
from app.widgets.choice_row import ChoiceRow
from app.widgets.dialog import Dialog, DialogBox, ItemList
from app.widgets.line_list import LineList

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from textual.app import ComposeResult
    from textual.binding import BindingType

    from app.index.row import Row
    from app.setup import Setup
    from app.view.line import Line

_NAME_CELLS = 30


class DiskDialog(Dialog["SessionSet | None"]):
    """The result is the sessions of the row that was chosen; None for none."""

    AUTO_FOCUS = "#figures"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "dismiss(None)", "Close"),
        Binding("enter", "choose", "Sessions", priority=True),
        Binding("tab,right,l", "step(1)", "Next grouping", priority=True),
        Binding("shift+tab,left,h", "step(-1)", "Previous grouping", priority=True),
    ]

    def __init__(self, setup: Setup, rows: Callable[[], Sequence[Row]], *, ascii_only: bool) -> None:
        """:param rows: returns all sessions; it is called in a thread."""
        super().__init__()
        self._setup = setup
        self._ascii_only = ascii_only
        self._rows = rows
        self._usage: tuple[DiskUsage, Sequence[Row]] | None = None
        options = [Option(each, each.capitalize()) for each in (PART, *GROUPS)]
        self._by = ChoiceRow("By", options, PART, id="figures-by", indent=4)
        self._by.can_focus = False
        self._list = ItemList["tuple[Share, float]"](self._draw, id="figures")

    def compose(self) -> ComposeResult:
        with DialogBox("Disk", "Enter its sessions  Tab next grouping  Esc close", classes="statistics"):
            yield Static(Content("Reading…"), id="figures-total")
            yield self._by
            yield self._list

    def on_mount(self) -> None:
        self._read()

    @work
    async def _read(self) -> None:
        def measure() -> tuple[DiskUsage, Sequence[Row]]:
            setup, rows = self._setup, self._rows()
            usage = DiskUsage(
                rows, setup.stores, setup.agent_env, setup.home, setup.here[0], setup.cache_folder
            )
            return usage, rows

        self._usage = await in_background(measure)
        self._group()

    @on(ChoiceRow.Chosen)
    def _group(self) -> None:
        """Show the disk space by the chosen kind of group."""
        if self._usage is None:
            return
        usage, rows = self._usage
        used = usage.of(rows)
        total = f"{size(usage.total)} in all, {size(used.total)} of {counted(len(rows), 'session')}"
        saved = f"; copies save {size(used.saved)}" if used.saved else ""
        self.set_text("#figures-total", shorten(total + saved, max(10, self.size.width - 8)))
        shares = shares_of(usage, rows, self._by.value, self._setup.home)
        most = longest([float(share.number) for share in shares])
        self._list.show([(share, share.number / most) for share in shares])

    def _draw(self, item: tuple[Share, float], cells: int) -> Line:
        return share_line(*item, cells, ascii_only=self._ascii_only)

    # keys

    def action_step(self, step: int) -> None:
        """Group in the next or the previous way."""
        self._by.action_step(step)

    @on(LineList.Activated)
    def action_choose(self) -> None:
        """Answer with the sessions of the row under the cursor; a row without any stays."""
        share = self._list.picked[0] if self._list.picked is not None else None
        if share is not None and share.paths:
            self.dismiss(SessionSet(f"disk: {shorten(share.name, _NAME_CELLS)}", share.paths))
