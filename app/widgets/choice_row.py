"""A field with some choices, one of which is chosen: `Where  (•) New session  ( ) This session`."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding
from textual.message import Message
from textual.widget import Widget

from app.formats.text import one_line
from app.view.branch_choices import Option, first_possible
from app.view.cells import shorten, width
from app.view.line import fit_line
from app.widgets.styling import strip, theme_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual import events
    from textual.binding import BindingType
    from textual.geometry import Size
    from textual.strip import Strip

    from app.view.line import Line

INDENT = 9
"""Cells of the labels of several fields below each other, and of the blank behind them."""
_GAP = 3
_MARK = 4


class ChoiceRow(Widget, can_focus=True):
    """Left and right choose. An impossible choice stays visible with its reason, and is passed over.

    value   the chosen one
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left,h,up", "step(-1)", "Previous", show=False),
        Binding("right,l,space,down", "step(1)", "Next", show=False),
    ]

    class Chosen(Message):
        """Another one is chosen."""

    def __init__(
        self, label: str, options: Sequence[Option], value: str, *, id: str, indent: int = INDENT
    ) -> None:
        """:param indent: cells of the label and the blank behind it."""
        super().__init__(id=id)
        self._label_cells = indent
        self._label = label
        self._options = list(options)
        self.value = first_possible(self._options, value)

    def set_options(self, options: Sequence[Option]) -> None:
        """Offer other choices; the chosen one stays if it is possible."""
        if list(options) != self._options:
            self._options = list(options)
            self.value = first_possible(self._options, self.value)
            self.refresh(layout=True)

    @property
    def why_not(self) -> str:
        """Why the chosen one is not possible; "" if it is."""
        return next((option.why_not for option in self._options if option.value == self.value), "")

    def choose(self, value: str) -> None:
        """Choose one, if it is possible."""
        if value != self.value and any(o.value == value and not o.why_not for o in self._options):
            self.value = value
            self.refresh()
            self.post_message(self.Chosen())

    def action_step(self, step: int) -> None:
        """Choose the next or the previous possible one."""
        possible = [option.value for option in self._options if not option.why_not]
        if self.value in possible:
            self.choose(possible[(possible.index(self.value) + step) % len(possible)])

    def on_click(self, event: events.Click) -> None:
        """Choose what is clicked."""
        for option, x, y, cells in self._places(self.size.width):
            if y == event.y and x <= event.x < x + cells:
                self.choose(option.value)

    def _text(self, option: Option) -> str:
        """The label of a choice, with the reason if the next one has not the same."""
        following = self._options[self._options.index(option) + 1 :]
        if not option.why_not or (following and following[0].why_not == option.why_not):
            return option.label
        reason = one_line(option.why_not, 500)
        return f"{option.label}: {reason}" if "(" in reason else f"{option.label} ({reason})"

    def _indent(self, cells: int) -> int:
        return self._label_cells if cells >= 50 else 0

    def _places(self, cells: int) -> list[tuple[Option, int, int, int]]:
        """The choices, each with its column, its line and its width."""
        indent = self._indent(cells)
        placed: list[tuple[Option, int, int, int]] = []
        x, y = indent, 0 if indent else 1
        for option in self._options:
            size = min(width(self._text(option)) + _MARK, max(1, cells - indent))
            if x > indent and x + size > cells:
                x, y = indent, y + 1
            placed.append((option, x, y, size))
            x += size + _GAP
        return placed

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return self._places(width)[-1][2] + 1

    def render_line(self, y: int) -> Strip:
        cells = self.size.width
        style = "strong" if self.has_focus else "dim"
        line: Line = [(self._label, style)] if y == 0 else []
        at = len(self._label) if y == 0 else 0
        for option, x, row, size in self._places(cells):
            if row == y:
                mark = "(•) " if option.value == self.value else "( ) "
                chosen = "key" if option.value == self.value and self.has_focus else "text"
                line.append((" " * (x - at), "text"))
                line.append((shorten(mark + self._text(option), size), "dim" if option.why_not else chosen))
                at = x + size
        return strip(fit_line(line, cells), theme_name(self))

    def on_focus(self) -> None:
        self.refresh()

    def on_blur(self) -> None:
        self.refresh()
