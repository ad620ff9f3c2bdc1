"""A field for a text of several lines. Most runs edit no text, and Textual's field takes 6 ms to import."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.widgets import TextArea

from app.formats.text import inert

if TYPE_CHECKING:
    from textual import events


class InertArea(TextArea):
    """A text area that replaces what a terminal cannot show in pasted texts."""

    def on_paste(self, event: events.Paste) -> None:
        event.stop()
        event.prevent_default()
        result = self.replace(inert(event.text), *self.selection)
        self.move_cursor(result.end_location)
