"""Dialogs with facts about one session: all its details, and its damaged lines."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.binding import Binding
from textual.content import Content
from textual.widgets import Static

from app.formats.text import one_line
from app.view.cells import stable_width
from app.view.problems import TreeProblem, line_place
from app.view.session_details import details_lines
from app.widgets.dialog import Dialog, DialogBox, ItemList, TextLines
from app.widgets.line_list import LineList

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.app import ComposeResult
    from textual.binding import BindingType

    from app.view.line import Line
    from app.view.session_details import Fact


class SessionDetailsDialog(Dialog[str | None]):
    """Shows the facts. The answer is what to copy: "id" or "path"; None for nothing."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,i,enter", "dismiss(None)", "Close"),
        Binding("y", "dismiss('id')", "Copy the id"),
        Binding("Y", "dismiss('path')", "Copy the path"),
    ]

    def __init__(self, title: str, facts: list[Fact]) -> None:
        """:param title: of the session, raw.
        :param facts: inert names and values.
        """
        super().__init__()
        self._title = title
        self._facts = facts
        self._lines = TextLines(id="session-details")

    def compose(self) -> ComposeResult:
        keys = "y copy id  Y copy path  ↑ ↓ scroll  Esc close"
        with DialogBox(f"Details: {one_line(self._title, 60)}", keys, classes="place"):
            yield self._lines

    def on_mount(self) -> None:
        self._lines.show(lambda cells: details_lines(self._facts, cells), most=lambda: max(3, self.room))
        self._lines.focus()


class ProblemsDialog(Dialog[TreeProblem | None]):
    """The damaged lines of a session. Enter answers with the one under the cursor."""

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
        with DialogBox("Damaged lines", "Enter go  Esc close", classes="tall wide"):
            yield self._list
            yield Static(Content(f"{len(self._faults):,} in all"), classes="hint")

    def on_mount(self) -> None:
        self._list.focus()
        self._list.show(self._faults)

    def _draw_fault(self, fault: TreeProblem, cells: int) -> Line:
        # in file order, the last has the longest number
        room = len(line_place(self._faults[-1].line))
        place = line_place(fault.line).ljust(room)
        return [(place, "count"), ("  ", "text"), (stable_width(fault.reason), "text")]

    @on(LineList.Activated)
    def action_answer(self) -> None:
        """Answer with what is under the cursor."""
        self.dismiss(self._list.picked)
