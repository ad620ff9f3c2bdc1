"""Two branches of a session side by side, with the totals of each above."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from app.formats.text import one_line
from app.view.line import fit_line
from app.widgets.dialog import Dialog
from app.widgets.line_list import LineList

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.app import ComposeResult
    from textual.binding import BindingType

    from app.actions.compare import Comparison
    from app.messages import BranchesCompared
    from app.view.line import Line


class ComparisonLines(LineList):
    """Lines of a comparison, laid out for the width of the dialog; the keys scroll them."""

    def __init__(self, lay_out: Callable[[Comparison, tuple[str, str], int], list[Line]], *, id: str) -> None:
        """:param lay_out: gives the lines of a comparison, from the names of its branches and a width in
        cells.
        """
        super().__init__(id=id)
        self._lay_out = lay_out
        self._comparison: Comparison | None = None
        self._names = ("", "")
        self._laid_out: list[Line] = []

    @property
    def has_cursor(self) -> bool:
        return False

    def show(self, comparison: Comparison, names: tuple[str, str]) -> None:
        """Show a comparison from its beginning."""
        self._comparison, self._names = comparison, names
        self._show_lines()
        self._scroll(0)

    def _show_lines(self) -> None:
        if self._comparison is not None and self.size.width:
            cells = self.scrollable_content_region.width
            self._laid_out = self._lay_out(self._comparison, self._names, cells)
            if not self.can_focus:
                # The head does not scroll.
                self.styles.height = len(self._laid_out)
        self.set_rows(len(self._laid_out), 0)
        self.redraw_rows()

    def on_resize(self) -> None:
        self._show_lines()
        super().on_resize()

    def draw(self, index: int, cells: int, selected: bool) -> Line:
        return fit_line(self._laid_out[index] if index < len(self._laid_out) else [], cells)

    def action_cursor_up(self) -> None:
        self._scroll(self.scroll_offset.y - 1)

    def action_cursor_down(self) -> None:
        self._scroll(self.scroll_offset.y + 1)

    def action_page_up(self) -> None:
        self._scroll(self.scroll_offset.y - self.page)

    def action_page_down(self) -> None:
        self._scroll(self.scroll_offset.y + self.page)

    def action_first(self) -> None:
        self._scroll(0)

    def action_last(self) -> None:
        self._scroll(self.rows)


class CompareDialog(Dialog[None]):
    """The active path beside another branch; the other branches are a key away."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,enter", "dismiss(None)", "Back"),
        Binding("right_square_bracket,n", "turn(1)", "Next branch"),
        Binding("left_square_bracket,N", "turn(-1)", "Previous branch"),
    ]

    def __init__(self, turned: Callable[[int], None]) -> None:
        """:param turned: asks for the branch so many on from the first; `show` brings it."""
        super().__init__()
        self._turned = turned
        self._at = 0
        # Imported here: most runs compare nothing.
        from app.view.comparison import comparison_head, comparison_lines

        self._head = ComparisonLines(
            lambda comparison, names, cells: comparison_head(comparison, cells, names), id="compared"
        )
        self._head.can_focus = False
        self._lines = ComparisonLines(
            lambda comparison, names, cells: comparison_lines(comparison, cells), id="comparison"
        )

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog tall wide") as box:
            box.border_title = Content("compare")
            yield self._head
            yield self._lines
            yield Static(Content("Reading…"), classes="hint", id="said")

    def on_mount(self) -> None:
        self._lines.focus()
        self._turned(0)

    def show(self, event: BranchesCompared) -> None:
        """Show what was compared, or why nothing was."""
        hint = self.query_one("#said", Static)
        if event.comparison is None:
            hint.update(Content(f"{one_line(event.reason, 300)}   Esc close"))
            return
        self._at = event.at
        names = ("active path", f"other branch {event.at + 1} of {event.of}")
        self._head.show(event.comparison, names)
        self._lines.show(event.comparison, names)
        others = "[ ] other branches   " if event.of > 1 else ""
        hint.update(Content(f"{others}↑ ↓ scroll   Esc close"))

    def action_turn(self, step: int) -> None:
        """Another branch."""
        self._turned(self._at + step)
