"""All facts about a session, in a dialog."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content

from app.formats.text import one_line
from app.view.session_details import details_lines
from app.widgets.dialog import SHORT_BELOW, Dialog, TextLines

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.binding import BindingType

    from app.view.session_details import Fact

_BESIDE, _BESIDE_SHORT = 4, 2
"""Lines of the dialog beside the table: the frame, and blank lines unless the screen is short."""


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
        with Vertical(classes="dialog place") as box:
            box.border_title = Content(f"Details: {one_line(self._title, 60)}")
            box.border_subtitle = Content("y copy id  Y copy path  ↑ ↓ scroll  Esc close")
            yield self._lines

    def on_mount(self) -> None:
        self._lines.show(lambda cells: details_lines(self._facts, cells), most=self._room)
        self._lines.focus()

    def _room(self) -> int:
        lines = self.app.size.height
        # A dialog takes at most 96 % of a high screen, see the styles.
        return max(3, lines - _BESIDE_SHORT if lines < SHORT_BELOW else lines * 96 // 100 - _BESIDE)
