"""A line of text that a user edits, whatever is pasted into it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.geometry import Region
from textual.widgets import Input

from app.formats.text import inert

if TYPE_CHECKING:
    from textual import events


class LineInput(Input):
    """An input that takes all of a text with several lines, and shows none of what a terminal cannot."""

    def on_mount(self) -> None:
        # Textual 8.2.8 does not scroll to the cursor behind the first text that comes
        self._initial_value = False

    def on_resize(self) -> None:
        """What was scrolled to before was for another width, or for none."""
        self.scroll_to_region(Region(self._cursor_offset, 0, 1, 1), force=True, animate=False)

    def validate(self, value: str) -> None:
        """Nothing is wrong with any text. Textual would tell the styles so with the first letter, and all of
        them would be worked out anew.
        """

    def validate_value(self, value: str) -> str:
        """One line that a terminal can show. A character stays one: the cursor was put behind what came."""
        if value.isprintable():
            return value
        return inert(value.replace("\r", "\n").replace("\t", " ")).replace("\n", " ")

    def _on_paste(self, event: events.Paste) -> None:
        # Textual 8.2.8 takes the first line alone
        event.stop()
        event.prevent_default()
        lines = event.text.splitlines()
        text = event.text if len(lines) < 2 else " ".join(filter(None, map(str.strip, lines)))
        self.replace(text.strip("\r\n"), *self.selection)
