"""The frame around a part of the screen, with words in its border."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.containers import Container
from textual.content import Content
from textual.geometry import Region

from app.view.cells import fewer, fitting

if TYPE_CHECKING:
    from textual.strip import Strip

_ENDS = 6
"""Cells of a border that are not for its words: corner, dash and blank, twice."""


class Pane(Container):
    """A bordered box; ``id`` and what it holds are the caller's."""

    def __init__(self, title: str, shorter: tuple[str, ...] = (), *, id: str) -> None:
        """:param title: inert text for the upper border; ``shorter``: see `say`."""
        super().__init__(id=id, classes="pane")
        self._border_title = Content(title)
        self._said = (title, "")
        self._shorter = shorter
        self._fitted: tuple[tuple[str, str], tuple[str, ...], int] = self._said, (), 0

    def on_descendant_focus(self) -> None:
        self._look_focused(True)

    def on_descendant_blur(self) -> None:
        self._look_focused(self.has_focus_within)

    def _look_focused(self, is_focused: bool) -> None:
        """Have the colours of a pane that has the keys, or of one that has not. By a rule for `focus-within`
        Textual would work out the styles of all that is in it as well, at every step from pane to pane.
        """
        if is_focused != self.has_class("-focused"):
            self.set_class(is_focused, "-focused", update=False)
            self.app.stylesheet.update_nodes([self])

    def say(self, subtitle: str, title: str | None = None, shorter: tuple[str, ...] = ()) -> None:
        """Other inert words in the lower border, and in the upper one if they are given; ``shorter`` are
        words for the same as ``title``, each shorter than the one before, for where that does not fit.

        Only borders whose words change are painted: assigning Textual's own properties paints the whole box
        with all that is in it.
        """
        before, self._said = self._said, (self._said[0] if title is None else title, subtitle)
        if title is not None:
            self._shorter = shorter
        if self._said[0] != before[0]:
            self._paint(0)
        if self._said[1] != before[1]:
            self._paint(self.outer_size.height - 1)

    def render_lines(self, crop: Region) -> list[Strip]:
        """The box. What is between its borders is one line, drawn once: when the focus moves, two boxes get
        other colours, and Textual takes a frame's time to draw forty equal lines.
        """
        self._fit(self.outer_size.width - _ENDS)
        last = self.outer_size.height - 1
        draw = super().render_lines
        lines = [y if y in (0, last) else 1 for y in crop.line_range]
        drawn = {y: draw(Region(crop.x, y, crop.width, 1))[0] for y in set(lines)}
        return [drawn[y] for y in lines]

    def _fit(self, cells: int) -> None:
        """Put as many of the words into the borders as there is room for."""
        wanted = self._said, self._shorter, cells
        if wanted != self._fitted:
            self._fitted = wanted
            title, subtitle = self._said
            title, subtitle = fitting((title, *self._shorter), cells), fewer(subtitle, cells)
            self._border_title = Content(title)
            self._border_subtitle = Content(subtitle) if subtitle else None

    def _paint(self, y: int) -> None:
        self.refresh(Region(0, y, self.outer_size.width, 1).translate(-self.content_offset))
