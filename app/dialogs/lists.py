"""All labels, of the session at hand or of all sessions; a key leads to the entry."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, NamedTuple

from textual import on
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from app.formats.text import one_line
from app.keys import key_of
from app.view.cells import pad, stable_width, width
from app.view.formatting import age
from app.view.problems import TreeProblem
from app.widgets.dialog import Dialog, ItemList
from app.widgets.line_list import LineList

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.app import ComposeResult
    from textual.binding import BindingType

    from app.index.row import Row
    from app.view.line import Line


class Labelled(NamedTuple):
    """One label: the session, the entry's id, and what the label says (raw)."""

    row: Row
    entry_id: str
    label: str


class LabelAnswer(NamedTuple):
    """The chosen action on a label: "go", "change" or "clear"."""

    what: str
    labelled: Labelled


def labelled_in(rows: Sequence[Row]) -> list[Labelled]:
    """The labels of the sessions: the newest session's first, each session's in the order of its file."""
    return [
        Labelled(row, entry_id, label)
        for row in sorted(rows, key=lambda row: (-row.modified, row.path))
        for entry_id, label in row.labels
    ]


def _label_line(item: Labelled, cells: int, now_ms: int) -> Line:
    label = pad(stable_width(one_line(item.label, 200)), max(8, cells * 2 // 5))
    facts = f" {item.row.agent} {age(item.row.modified, now_ms):>4} "
    room = max(0, cells - width(label) - 1 - width(facts))
    title = pad(stable_width(item.row.title), room)
    return [(label, "label"), (" ", "text"), (title, "title"), (facts, "dim")]


class LabelsDialog(Dialog[LabelAnswer | None]):
    """Enter goes to the entry, L changes the label, Delete takes it off, Tab turns between this session and
    all of them.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "dismiss(None)", "Close"),
        Binding("enter", "answer('go')", "Go to the entry"),
        Binding("L", "answer('change')", "Edit"),
        Binding("delete", "answer('clear')", "Remove"),
        Binding("tab", "turn", "This session, or all"),
    ]

    def __init__(self, rows: Sequence[Row], path: str, now_ms: int) -> None:
        """:param rows: all sessions.
        :param path: of the session at hand; "" where there is none.
        """
        super().__init__()
        self._rows = rows
        self._path = path
        self._all = False
        self._list = ItemList[Labelled](lambda item, cells: _label_line(item, cells, now_ms), id="labels")

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog tall wide") as box:
            box.border_title = Content("Labels")
            yield self._list
            yield Static(Content(""), classes="hint", id="said")

    def on_mount(self) -> None:
        self._list.focus()
        self._all = not any(row.path == self._path and row.labels for row in self._rows)
        self._show()

    def _show(self) -> None:
        labels = labelled_in([row for row in self._rows if self._all or row.path == self._path])
        self._list.show(labels)
        where, other = ("all sessions", "this session") if self._all else ("this session", "all sessions")
        if labels:
            said = [f"{len(labels):,} in {where}", "Enter go   L edit   Del remove"]
        else:
            key = key_of("entry.label")
            makes = f"; {key} in the tree makes one" if key else ""
            said = [f"No labels {'yet' if self._all else 'here'}{makes}"]
        self.query_one("#said", Static).update(Content("   ".join([*said, f"Tab {other}   Esc close"])))

    def action_turn(self) -> None:
        """This session's labels, or those of all."""
        self._all = not self._all
        self._show()

    @on(LineList.Activated)
    def _activated(self) -> None:
        self.action_answer("go")

    def action_answer(self, what: str) -> None:
        """Answer with the label under the cursor."""
        if self._list.picked is not None:
            self.dismiss(LabelAnswer(what, self._list.picked))


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
