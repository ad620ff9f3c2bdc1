"""Dialogs without a box, which leave the screen below in view: they wait for the answer to a question, or
edit a line in a row.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding
from textual.containers import Horizontal
from textual.content import Content
from textual.events import Key
from textual.widgets import Input, Static

from app.widgets.dialog import Dialog
from app.widgets.inputs import LineInput

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from textual.app import ComposeResult
    from textual.binding import BindingType
    from textual.geometry import Region


BROAD_FROM = 40
"""Cells of a row from which an edit in it has its label and its count."""


class RowQuestion(Dialog[str | None]):
    """Waits for the answer to a question that the screen below shows. Keys that are no answer do nothing.
    The result is the key of the answer; None after Esc or Ctrl+C.
    """

    DEFAULT_CLASSES = ""

    def __init__(self, keys: Collection[str]) -> None:
        """:param keys: the keys that answer, by Textual's names."""
        super().__init__()
        self._keys = frozenset(keys)
        self._is_withdrawn = False

    def withdraw(self) -> None:
        """End the question. The keys that would have answered do nothing, since they may have been pressed
        already; any other key closes the question and then has its usual effect.
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
            if event.key not in self._keys and event.key != "escape":
                self.app.post_message(Key(event.key, event.character))
        elif event.key in self._keys:
            self.dismiss(event.key)
        elif event.key == "escape":
            self.action_cancel()

    def action_cancel(self) -> None:
        """Answer no."""
        self.dismiss(None)


class RowEditor(Dialog[str | None]):
    """A one-line input over a row, with the name of what is edited, and the number of characters if that is
    limited. The result is None after Esc or Ctrl+C.

    row_region   the screen region of the row
    """

    DEFAULT_CLASSES = ""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "cancel", "Back"),
        Binding("down", "step(1)", "Earlier text", show=False),
        Binding("up", "step(-1)", "Later text", show=False),
    ]

    def __init__(
        self,
        text: str,
        region: Region,
        hint: str,
        label: str = "",
        limit: int = 0,
        recent: Sequence[str] = (),
    ) -> None:
        """:param region: see above.
        :param hint: the hint in an empty line.
        :param label: the name of what is edited; "" for none.
        :param limit: most characters, 0 for any number. A longer text at first may stay as it is.
        :param recent: texts for the arrow keys, the latest first.
        """
        super().__init__()
        self.row_region = region
        self._before = text
        self._hint = hint
        self._limit = max(limit, len(text)) if limit else 0
        # the texts for the arrow keys, the typed one first, and the number of the shown one
        self._recent = [text, *recent]
        self._at = 0
        self._box = Horizontal(id="row-editor")
        self._name_of_text = Static(Content(f"{label}:" if label else ""), id="row-label")
        self._characters = Static(id="row-count")

    @cached_property
    def _input(self) -> LineInput:
        return LineInput(self._before, placeholder=self._hint, compact=True, select_on_focus=False)

    def compose(self) -> ComposeResult:
        with self._box:
            yield self._name_of_text
            yield self._input
            yield self._characters

    def on_mount(self) -> None:
        self.put(self.row_region)
        self._count("")
        self._input.cursor_position = len(self._input.value)

    def put(self, region: Region) -> None:
        """Move the input to another region: its row has moved."""
        self.row_region = region
        styles = self._box.styles
        styles.offset = (region.x, region.y)
        styles.width = max(8, region.width)
        # In a narrow row the text has all of it. The row may move before these two are mounted.
        for part in (self._name_of_text, self._characters):
            part.display = region.width >= BROAD_FROM

    def on_input_changed(self, event: Input.Changed) -> None:
        """Cut what is longer than the limit."""
        event.stop()
        if self._limit and len(event.value) > self._limit:
            if len(event.value) > self._limit + 1:
                self.app.notify(f"Cut to {self._limit:,} characters", severity="warning", markup=False)
            with self._input.prevent(Input.Changed):
                self._input.value = event.value[: self._limit]
            self._count("cut ")
        else:
            self._count("")

    def _count(self, note: str) -> None:
        if self._limit:
            count = f" {note}{len(self._input.value):,} / {self._limit:,} "
            self._characters.update(Content(count))

    @property
    def text(self) -> str:
        """The text so far."""
        return self._input.value

    @property
    def is_changed(self) -> bool:
        """Whether the text was changed."""
        return self.text != self._before

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.dismiss(event.value)

    def action_step(self, step: int) -> None:
        """Put an earlier text (1) or a later one (-1) into the line."""
        if not self._at:
            self._recent[0] = self.text
        at = min(max(self._at + step, 0), len(self._recent) - 1)
        if at != self._at:
            self._at = at
            self._input.value = self._recent[at]
            self._input.cursor_position = len(self._input.value)

    def action_cancel(self) -> None:
        """Close the input and keep the old text."""
        self.dismiss(None)
