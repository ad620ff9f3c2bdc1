"""What is asked in the row itself: a question that a key answers, and a line in which a name is edited. The
screen below shows through.
"""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding
from textual.screen import ModalScreen
from textual.widgets import Input

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from textual import events
    from textual.app import ComposeResult
    from textual.binding import BindingType
    from textual.geometry import Region


class RowQuestion(ModalScreen[str | None]):
    """Waits for the answer to a question that the list shows. Keys that answer nothing do nothing (specs 001,
    "Session Management"). None: Esc or Ctrl+C.
    """

    def __init__(self, answers: Mapping[str, str]) -> None:
        """:param answers: by key."""
        super().__init__()
        self._answers = answers

    def on_key(self, event: events.Key) -> None:
        event.stop()
        event.prevent_default()
        if event.key in self._answers:
            self.dismiss(self._answers[event.key])
        elif event.key == "escape":
            self.action_cancel()

    def action_cancel(self) -> None:
        """Answer no."""
        self.dismiss(None)


class RowEditor(ModalScreen[str | None]):
    """One line of text over a row. None: Esc or Ctrl+C."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "cancel", "Back")]

    def __init__(self, text: str, region: Region, hint: str) -> None:
        """:param region: of the row, in cells of the screen.
        :param hint: is shown while there is no text.
        """
        super().__init__()
        self._region = region
        self._input = Input(text, placeholder=hint, compact=True, select_on_focus=False)
        self._input.cursor_blink = False

    def compose(self) -> ComposeResult:
        yield self._input

    def on_mount(self) -> None:
        styles = self._input.styles
        styles.offset = (self._region.x, self._region.y)
        styles.width = max(8, self._region.width)
        self._input.cursor_position = len(self._input.value)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.dismiss(event.value)

    def action_cancel(self) -> None:
        """Leave the name as it is."""
        self.dismiss(None)
