"""The damaged lines of a session; a key leads to each."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from app.view.cells import stable_width
from app.view.problems import TreeProblem
from app.widgets.dialog import Dialog, ItemList
from app.widgets.line_list import LineList

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.app import ComposeResult
    from textual.binding import BindingType

    from app.view.line import Line


def _place(fault: TreeProblem) -> str:
    return f"line {fault.line:,}" if fault.line else "the file"


class ProblemsDialog(Dialog[TreeProblem | None]):
    """Enter answers with the one under the cursor."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,exclamation_mark", "dismiss(None)", "Close"),
        Binding("enter", "answer", "Go there"),
    ]

    def __init__(self, faults: Sequence[TreeProblem]) -> None:
        """:param faults: at least one, in file order."""
        super().__init__()
        self._faults = faults
        self._list = ItemList[TreeProblem](self._draw_fault, id="problems")

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog tall wide") as box:
            box.border_title = Content("Damaged lines")
            yield self._list
            yield Static(Content(""), classes="hint", id="said")

    def on_mount(self) -> None:
        self._list.focus()
        self._list.show(self._faults)
        said = f"{len(self._faults):,} in all   Enter go   Esc close"
        self.query_one("#said", Static).update(Content(said))

    def _draw_fault(self, fault: TreeProblem, cells: int) -> Line:
        # in file order, the last has the longest number
        room = max(len(_place(fault)), len(_place(self._faults[-1])))
        return [(_place(fault).ljust(room), "count"), ("  ", "text"), (stable_width(fault.reason), "text")]

    @on(LineList.Activated)
    def action_answer(self) -> None:
        """Answer with what is under the cursor."""
        self.dismiss(self._list.picked)
