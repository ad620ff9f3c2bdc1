"""One line of the screen outside the panes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.widget import Widget

from app.view.palette import THEMES
from app.widgets.styling import strip

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.strip import Strip

    from app.view.line import Line


class Bar(Widget):
    """A line that a function draws for the width there is."""

    def __init__(self, draw: Callable[[int], Line], *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._draw = draw
        self._drawn: Line = []

    def renew(self) -> None:
        """What the line depends on may have changed: paint it if it is another now."""
        if self._draw(self.size.width) != self._drawn:
            self.refresh()

    def render_line(self, y: int) -> Strip:
        name = self.app.theme.removeprefix("leafmark-")
        self._drawn = self._draw(self.size.width)
        return strip(self._drawn, name if name in THEMES else "dark")
