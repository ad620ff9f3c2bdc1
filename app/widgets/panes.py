"""The frame of a screen: bordered panes, one-line bars outside them, and notes."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from textual.containers import Container
from textual.geometry import Region
from textual.widget import Widget

from app.view.cells import ELLIPSIS, cut, first_fitting, fit_facts
from app.view.line import wrap
from app.view.palette import THEMES
from app.widgets.styling import strip
from app.widgets.textual_internals import set_border_words

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.geometry import Size
    from textual.strip import Strip

    from app.view.line import Line

_BORDER_CELLS = 6
"""Cells of a border beside its words: corner, dash and blank, twice."""

MOST_LINES = 4
"""Lines of a note on any screen; on a tall one a third of its lines. The rows below are worth more than the
rest of a long message.
"""


class Pane(Container):
    """A bordered box with words in its upper and lower border.

    words   those of the upper and of the lower border; set them with `say`
    """

    def __init__(self, title: str, shorter: tuple[str, ...] = (), *, id: str) -> None:
        """:param title: inert text for the upper border.
        :param shorter: see `say`.
        """
        super().__init__(id=id, classes="pane")
        set_border_words(self, title, "")
        self.words = (title, "")
        self._shorter = shorter

    def say(self, subtitle: str, title: str | None = None, shorter: tuple[str, ...] = ()) -> None:
        """Set the words of the borders. Only a border whose words change is painted.

        :param subtitle: inert text for the lower border.
        :param title: inert text for the upper border; None keeps the old one.
        :param shorter: texts with the meaning of ``title``, each shorter than the one before, for narrow
            panes.
        """
        before, self.words = self.words, (self.words[0] if title is None else title, subtitle)
        if title is not None:
            self._shorter = shorter
        if self.words[0] != before[0]:
            self._paint_line(0)
        if self.words[1] != before[1]:
            self._paint_line(self.outer_size.height - 1)

    def render_lines(self, crop: Region) -> list[Strip]:
        cells = self.outer_size.width - _BORDER_CELLS
        title, subtitle = self.words
        subtitle = fit_facts(subtitle, cells)
        set_border_words(self, first_fitting((title, *self._shorter), cells), subtitle)
        return super().render_lines(crop)

    def _paint_line(self, y: int) -> None:
        self.refresh(Region(0, y, self.outer_size.width, 1).translate(-self.content_offset))


class Bar(Widget):
    """One line outside the panes, drawn by a function for the width of the screen."""

    def __init__(self, draw: Callable[[int], Line], *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._draw = draw
        self._drawn: Line = []

    def renew(self) -> None:
        """Paint the line if the function draws another one now."""
        if self._draw(self.size.width) != self._drawn:
            self.refresh()

    def render_line(self, y: int) -> Strip:
        self._drawn = self._draw(self.size.width)
        return strip(self._drawn, _theme_name(self))


class Note(Widget):
    """A message in as many lines as there is room for, with "…" in place of the rest. An empty message takes
    no line.

    text   the message
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.text = ""
        self._style = "warning"

    def say(self, text: str, style: str = "warning") -> None:
        """Set the message.

        :param text: one inert line, "" for none.
        :param style: see `app.view.palette`.
        """
        if (text, style) == (self.text, self._style):
            return
        self.text, self._style = text, style
        self.set_class(bool(text), "shown")
        self.refresh(layout=True)

    def _lines(self, cells: int, most: int) -> list[str]:
        cells = max(4, cells - 2)
        lines = list(islice(wrap(self.text, cells), most + 1))
        if len(lines) > most > 0:
            lines[most - 1 :] = [cut(lines[most - 1], cells - 1).rstrip(" ") + ELLIPSIS]
        return lines

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return len(self._lines(width, max(MOST_LINES, viewport.height // 3)))

    def render_line(self, y: int) -> Strip:
        cells, most = self.size
        lines = self._lines(cells, most)
        text = f" {lines[y]}" if y < len(lines) else ""
        return strip([(text, self._style)], _theme_name(self), cells=cells)


def _theme_name(widget: Widget) -> str:
    """The palette's name of the current theme."""
    name = widget.app.theme.removeprefix("leafmark-")
    return name if name in THEMES else "dark"
