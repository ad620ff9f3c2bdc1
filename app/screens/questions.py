"""What is asked in the row itself: a question that a key answers, and a line in which a name is edited. The
screen below shows through.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding
from textual.events import Key

from app.widgets.dialog import Dialog
from app.widgets.line_input import LineInput

if TYPE_CHECKING:
    from collections.abc import Mapping

    from textual.app import ComposeResult
    from textual.binding import BindingType
    from textual.geometry import Region
    from textual.widgets import Input


class RowQuestion(Dialog[str | None]):
    """Waits for the answer to a question that the list shows. Keys that answer nothing do nothing
    (formats/README.md, "Behaviour of SessionManager"). None: Esc or Ctrl+C.
    """

    DEFAULT_CLASSES = ""

    def __init__(self, answers: Mapping[str, str]) -> None:
        """:param answers: by key."""
        super().__init__()
        self._answers = answers
        self._is_withdrawn = False

    def withdraw(self) -> None:
        """Nothing is asked any more. The keys that would have answered still do nothing, as they may be on
        their way; every other key ends it and goes on to what it does otherwise.
        """
        self._is_withdrawn = True

    def on_click(self) -> None:
        if self._is_withdrawn:
            self.action_cancel()

    def on_key(self, event: Key) -> None:
        event.stop()
        event.prevent_default()
        if self._is_withdrawn:
            self.action_cancel()
            if event.key not in self._answers and event.key != "escape":
                self.app.post_message(Key(event.key, event.character))
        elif event.key in self._answers:
            self.dismiss(self._answers[event.key])
        elif event.key == "escape":
            self.action_cancel()

    def action_cancel(self) -> None:
        """Answer no."""
        self.dismiss(None)


class RowEditor(Dialog[str | None]):
    """One line of text over a row. None: Esc or Ctrl+C."""

    DEFAULT_CLASSES = ""
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "cancel", "Back")]

    def __init__(self, text: str, region: Region, hint: str) -> None:
        """:param region: of the row, in cells of the screen.
        :param hint: is shown while there is no text.
        """
        super().__init__()
        self._region = region
        self._before = text
        self._input = LineInput(text, placeholder=hint, compact=True, select_on_focus=False)
        self._input.cursor_blink = False

    def compose(self) -> ComposeResult:
        yield self._input

    def on_mount(self) -> None:
        self.put(self._region)
        self._input.cursor_position = len(self._input.value)

    def put(self, region: Region) -> None:
        """Put the box over another row: the one it is about has moved."""
        styles = self._input.styles
        styles.offset = (region.x, region.y)
        styles.width = max(8, region.width)

    @property
    def text(self) -> str:
        """What is typed."""
        return self._input.value

    @property
    def is_changed(self) -> bool:
        """Whether that is another than to begin with."""
        return self.text != self._before

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.dismiss(event.value)

    def action_cancel(self) -> None:
        """Leave the name as it is."""
        self.dismiss(None)
