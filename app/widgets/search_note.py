"""What there is to say about a search, below the line in which it is typed."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from textual.widget import Widget

from app.view.cells import ELLIPSIS, cut
from app.view.palette import THEMES
from app.view.wrapping import wrap
from app.widgets.styling import strip

if TYPE_CHECKING:
    from textual.geometry import Size
    from textual.strip import Strip

MOST_LINES = 4
"""So many there may be on any screen, and a third of its lines on a taller one: the rows below are worth more
than the rest of a long message.
"""


class SearchNote(Widget):
    """As many lines as the words take, as far as there is room, and "…" in place of the rest; none, and no
    room, where there is nothing to say.
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.said = ""
        self._style = "warning"

    def say(self, text: str, style: str = "warning") -> None:
        """Show other words.

        :param text: one inert line, "" for nothing.
        :param style: see `app.view.palette`.
        """
        if (text, style) == (self.said, self._style):
            return
        self.said, self._style = text, style
        self.set_class(bool(text), "shown")
        self.refresh(layout=True)

    def _lines(self, cells: int, most: int) -> list[str]:
        cells = max(4, cells - 2)
        lines = list(islice(wrap(self.said, cells), most + 1))
        if len(lines) > most > 0:
            lines[most - 1 :] = [cut(lines[most - 1], cells - 1).rstrip(" ") + ELLIPSIS]
        return lines

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return len(self._lines(width, max(MOST_LINES, viewport.height // 3)))

    def render_line(self, y: int) -> Strip:
        name = self.app.theme.removeprefix("leafmark-")
        cells, most = self.size
        lines = self._lines(cells, most)
        said = f" {lines[y]}" if y < len(lines) else ""
        return strip([(said, self._style)], name if name in THEMES else "dark", cells=cells)
