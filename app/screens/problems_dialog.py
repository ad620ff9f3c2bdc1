"""What is wrong with the session that is shown, line by line; a key leads there."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from app.view.cells import steady
from app.view.problems import TreeFault
from app.widgets.dialog import Dialog
from app.widgets.item_list import ItemList
from app.widgets.line_list import LineList

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.app import ComposeResult
    from textual.binding import BindingType

    from app.view.line import Line


class _Problems(ItemList[TreeFault]):
    def draw_item(self, item: TreeFault, cells: int) -> Line:
        # in file order, the last has the longest number
        room = max(len(_place(item)), len(_place(self.items[-1])))
        return [(_place(item).ljust(room), "count"), ("  ", "text"), (steady(item.reason), "text")]


def _place(fault: TreeFault) -> str:
    return f"line {fault.line:,}" if fault.line else "the file"


class ProblemsDialog(Dialog[TreeFault | None]):
    """Enter answers with the one under the cursor."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,exclamation_mark", "dismiss(None)", "Back"),
        Binding("enter", "answer", "Go there"),
    ]

    def __init__(self, faults: Sequence[TreeFault]) -> None:
        """:param faults: at least one, in file order."""
        super().__init__()
        self._faults = faults
        self._list = _Problems(id="problems")

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog tall wide") as box:
            box.border_title = Content("wrong or out of the ordinary")
            yield self._list
            yield Static(Content(""), classes="hint", id="said")

    def on_mount(self) -> None:
        self._list.focus()
        self._list.show(self._faults)
        said = f"{len(self._faults):,} in all   Enter goes there   Esc back"
        self.query_one("#said", Static).update(Content(said))

    @on(LineList.Activated)
    def action_answer(self) -> None:
        """Answer with what is under the cursor."""
        self.dismiss(self._list.picked)
