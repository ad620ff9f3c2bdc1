"""The comparison of two branches: the active path beside another branch, and the way to what differs."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import work
from textual.binding import Binding
from textual.content import Content
from textual.widgets import Static

from app.formats.text import one_line
from app.sessions.errors import SessionError
from app.view.comparison import BESIDE_FROM, ComparisonCursor, ComparisonTable
from app.view.line import fit_line
from app.view.notifications import reason_of
from app.widgets.dialog import Dialog, DialogBox, TextLines

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from textual.app import ComposeResult
    from textual.binding import BindingType

    from app.services.branch_jobs import ComparedBranches
    from app.sessions.tree.node import Node
    from app.view.line import Line


class ComparisonLines(TextLines):
    """The lines of a comparison that scroll, with a cursor on a difference."""

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self._table: ComparisonTable | None = None
        self._cursor = ComparisonCursor()

    def compare(self, lay_out: Callable[[int], ComparisonTable], most: Callable[[], int]) -> None:
        """Show another comparison from its beginning, with the cursor on the first difference.

        :param lay_out: gives the table for a width in cells.
        :param most: gives the lines that the table is high at most.
        """

        def lines(cells: int) -> list[Line]:
            self._table = table = lay_out(cells)
            self._cursor.places = table.places
            return [[] for _ in range(len(table))]

        self._cursor = ComparisonCursor()
        self.show(lines, most)
        self._cursor.go_to_first()
        self._show_place()

    @property
    def entry(self) -> Node | None:
        """The entry under the cursor."""
        return self._cursor.entry

    def move_cursor(self, step: int) -> None:
        """Move the cursor to the next difference (1), or to the previous one (-1)."""
        self._cursor.move(step)
        self._show_place()

    def change_side(self) -> None:
        """Move the cursor to the other side."""
        self._cursor.change_side()
        self._show_place()

    def on_resize(self) -> None:
        super().on_resize()
        self._show_place()

    def _show_place(self) -> None:
        """Scroll as far as the place of the cursor needs."""
        lines, top, height = self._cursor.lines, self.scroll_offset.y, self.size.height
        if height and lines:
            if lines.start < top or len(lines) > height:
                self._scroll(lines.start)
            elif lines.stop > top + height:
                self._scroll(lines.stop - height)
        self.redraw_rows()

    def ground_of(self, index: int, selected: bool) -> str:
        return super().ground_of(index, index in self._cursor.lines)

    def draw(self, index: int, cells: int, selected: bool) -> Line:
        shown = self._table is not None and index < len(self._table)
        return fit_line(self._table.line(index, self._cursor) if self._table and shown else [], cells)


class CompareDialog(Dialog["Node | None"]):
    """The active path beside another branch, with the totals of each above. Answers with the entry to go to.
    Keys show the other branches.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,C", "dismiss(None)", "Close"),
        Binding("enter", "choose", "Go there"),
        Binding("n", "difference(1)", "Next difference"),
        Binding("N", "difference(-1)", "Previous difference"),
        Binding("tab,shift+tab", "change_side", "Other side"),
        Binding("right_square_bracket,alt+down", "turn(1)", "Next branch"),
        Binding("left_square_bracket,alt+up", "turn(-1)", "Previous branch"),
    ]

    def __init__(self, compare: Callable[[int], Awaitable[ComparedBranches]]) -> None:
        """:param compare: compares with the branch that is this many after the first."""
        super().__init__()
        self._compare = compare
        self._at = 0
        self._head = TextLines(id="compared")
        self._head.can_focus = False
        self._lines = ComparisonLines(id="comparison")

    def compose(self) -> ComposeResult:
        with DialogBox("Compare branches", "Esc close", classes="wide"):
            yield self._head
            yield self._lines
            yield Static(Content("Reading…"), id="said")

    def on_mount(self) -> None:
        self._lines.focus()
        self._show(0)

    @work
    async def _show(self, number: int) -> None:
        """Compare with a branch, and show how it differs, or why nothing was compared."""
        try:
            comparison, self._at, of, place = await self._compare(number)
        except (SessionError, OSError) as error:
            self.query_one("#said").display = True
            self.set_text("#said", one_line(reason_of(error), 300))
            return
        self.query_one("#said").display = False
        names = ("active", f"branch {place:,} of {of + 1:,}")

        def lay_out(cells: int) -> ComparisonTable:
            return ComparisonTable(comparison, cells, names, stacked=self.app.size.width < BESIDE_FROM)

        # The head does not scroll.
        self._head.show(lambda cells: lay_out(cells).head, most=lambda: self.size.height)
        self._lines.compare(lay_out, most=lambda: max(1, self.room - self._head.rows))
        others = "[ ] branch  " if of > 1 else ""
        self.set_keys(f"n N next difference  Enter go there  Tab side  {others}Esc close")

    def action_turn(self, step: int) -> None:
        """Compare another branch."""
        self._show(self._at + step)

    def action_difference(self, step: int) -> None:
        """Move the cursor to another difference."""
        self._lines.move_cursor(step)

    def action_change_side(self) -> None:
        """Move the cursor to the other side."""
        self._lines.change_side()

    def action_choose(self) -> None:
        """Answer with the entry under the cursor."""
        entry = self._lines.entry
        if entry is not None:
            self.dismiss(entry)
