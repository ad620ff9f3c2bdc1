"""The list of completions on screen: a layer without focus, so that the search line keeps every key."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.widget import Widget

from app.keys import key_of
from app.view.completion_list import CompletionList
from app.widgets.styling import strip, theme_name

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual import events
    from textual.strip import Strip

_LEAST_LINES = 3


class CompletionPopup(Widget, can_focus=False):
    """Draws a `CompletionList` at a place of the screen.

    list      the candidates
    on_pick   called with the number of a row that was clicked
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.list = CompletionList()
        self.on_pick: Callable[[int], object] = lambda number: None
        self.display = False

    def show(self, x: int, y: int) -> None:
        """Show the list below a place of the screen, or hide it if it is closed.

        :param x: the column of the completed word; the list moves to the left if it has no room there.
        :param y: the first line.
        """
        columns, lines = self.screen.size
        room = lines - y
        self.display = self.list.is_open and room >= _LEAST_LINES
        if not self.display:
            return
        cells = self.list.cells(columns)
        place = (max(0, min(x, columns - cells)), y)
        size = (cells, min(self.list.height, room))
        if (self.styles.offset.x.value, self.styles.offset.y.value) != place:
            self.styles.offset = place
        if self.size != size:
            self.styles.width, self.styles.height = size
        self.refresh()
        # The screen would be laid out only for the picture after the next one.
        self.screen.refresh(repaint=False, layout=True)

    def hide(self) -> None:
        """Close the list."""
        self.list.close()
        self.display = False

    def render_line(self, y: int) -> Strip:
        cells, height = self.size
        keys = f"{key_of('filter.complete')} take  ↑ ↓ choose  {key_of('filter.drop')} close"
        lines = self.list.lines(cells, height, keys) if self.list.is_open else []
        return strip(lines[y] if y < len(lines) else [], theme_name(self), "panel", cells=cells)

    def on_click(self, event: events.Click) -> None:
        event.stop()
        number = self.list.number_at(event.y, self.size.height)
        if number is not None:
            self.on_pick(number)
