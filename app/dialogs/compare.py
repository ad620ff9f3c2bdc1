"""Two branches of a session side by side, with the totals of each above."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from app.formats.text import one_line
from app.widgets.dialog import Dialog, TextLines

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.app import ComposeResult
    from textual.binding import BindingType

    from app.messages import BranchesCompared


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

        self._lay_out_head, self._lay_out = comparison_head, comparison_lines
        self._head = TextLines(id="compared")
        self._head.can_focus = False
        self._lines = TextLines(id="comparison")

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
        comparison = event.comparison
        if comparison is None:
            hint.update(Content(f"{one_line(event.reason, 300)}   Esc close"))
            return
        self._at = event.at
        names = ("active path", f"other branch {event.at + 1} of {event.of}")
        # The head does not scroll.
        head = partial(self._lay_out_head, comparison, names=names)
        self._head.show(head, most=lambda: self.size.height)
        self._lines.show(partial(self._lay_out, comparison))
        others = "[ ] other branches   " if event.of > 1 else ""
        hint.update(Content(f"{others}↑ ↓ scroll   Esc close"))

    def action_turn(self, step: int) -> None:
        """Another branch."""
        self._turned(self._at + step)
