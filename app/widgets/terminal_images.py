"""What the terminal was told about images that it draws itself (see ``app.view.kitty``)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from textual.widget import Widget

    from app.view.image_lines import Drawing


MOST_TOLD = 48
"""So many images the terminal knows at most: more than one entry has."""


class TerminalImages:
    """Tells the terminal each image once, before its cells are drawn."""

    def __init__(self, widget: Widget) -> None:
        """:param widget: on whose screen the images are drawn."""
        self._widget = widget
        # by number, the last one shown last; the terminal drops an image whose number another one gets
        self._told: dict[int, Drawing] = {}

    def tell(self, drawings: Iterable[Drawing]) -> None:
        """Tell those that can be drawn and that the terminal does not know."""
        for drawing in drawings:
            if drawing.sent:
                known = self._told.pop(drawing.number, None)
                self._told[drawing.number] = drawing
                if known is not drawing:
                    self._write(drawing.sent)
        while len(self._told) > MOST_TOLD:
            number = next(iter(self._told))
            del self._told[number]
            self._forget(number)

    def tell_again(self) -> None:
        """The terminal may have forgotten them."""
        for drawing in self._told.values():
            self._write(drawing.sent)

    def forget(self) -> None:
        """Have the terminal let go of all. It does so by itself when leafmark is left, and would then be told
        among what comes next.
        """
        if self._widget.app.return_code is None:
            for number in self._told:
                self._forget(number)
        self._told.clear()

    def _forget(self, number: int) -> None:
        from app.view.kitty import forgetting

        self._write(forgetting(number))

    def _write(self, text: str) -> None:
        # as Textual itself writes what goes to the clipboard
        driver = self._widget.app._driver
        if driver is not None and text:
            driver.write(text)
