"""A list of things of one kind in a dialog, one line each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

from app.view.line import fit_line
from app.view.session_row import POINTER
from app.widgets.line_list import LineList

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.view.line import Line

Item = TypeVar("Item")


class ItemList(LineList, Generic[Item]):
    """Subclasses say what the line of an item says."""

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self.items: Sequence[Item] = ()

    def show(self, items: Sequence[Item]) -> None:
        """Show these, the cursor on the first."""
        self.items = items
        self.set_rows(len(items), 0)
        self.redraw_rows()

    @property
    def picked(self) -> Item | None:
        """The one under the cursor."""
        return self.items[self.cursor] if self.items else None

    @property
    def has_cursor(self) -> bool:
        return bool(self.items)

    def draw_item(self, item: Item, cells: int) -> Line:
        """What is said of an item, in `cells` cells at most."""
        raise NotImplementedError

    def draw(self, index: int, cells: int, selected: bool) -> Line:
        if index >= len(self.items):
            return fit_line([], cells)
        head: Line = [(POINTER if selected else " ", "pointer"), (" ", "text")]
        return fit_line([*head, *self.draw_item(self.items[index], cells - 2)], cells)
