"""A menu: a small popup with a row for each choice, its key, and its state. A key chooses at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, NamedTuple

from textual.binding import Binding

from app.keys import key_name
from app.view.cells import pad, shorten_start, stable_width, width
from app.widgets.dialog import Dialog, DialogBox, ItemList

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual import events
    from textual.app import ComposeResult
    from textual.binding import BindingType

    from app.view.line import Line

_BESIDE = 4
"""Lines of the screen above and below the list."""
_KEY_CELLS = 4
"""Cells of the key in a row."""
_LEAST_STATE = 12
"""The most cells of a state that a long text leaves."""


class MenuRow(NamedTuple):
    """A choice of a menu.

    key     Textual's name of its key
    text    its description, inert
    state   its state, inert; "" for none
    value   the answer of the menu
    """

    key: str
    text: str
    state: str
    value: str


class MenuDialog(Dialog["str | None"]):
    """Answers with the value of the chosen row."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "dismiss(None)", "Close"),
        Binding("enter", "choose", "Choose"),
    ]

    def __init__(self, title: str, rows: Sequence[MenuRow]) -> None:
        """:param title: inert."""
        super().__init__()
        self._title = title
        self._rows = rows
        self._list = ItemList[MenuRow](self._draw_row, id="menu")

    def compose(self) -> ComposeResult:
        with DialogBox(self._title, "Enter choose  Esc close", classes="menu"):
            yield self._list

    def on_mount(self) -> None:
        self._list.focus()
        self._list.show(self._rows)
        self.on_resize()

    def on_resize(self) -> None:
        super().on_resize()
        self._list.fit(self.app.size.height - _BESIDE)

    def _draw_row(self, row: MenuRow, cells: int) -> Line:
        text, room = stable_width(row.text), max(0, cells - _KEY_CELLS)
        state = shorten_start(stable_width(row.state), max(_LEAST_STATE, room - width(text) - 2))
        return [
            (pad(key_name(row.key), _KEY_CELLS), "key"),
            (pad(text, max(0, room - width(state) - 2)), "text"),
            (f"  {state}", "dim"),
        ]

    def on_key(self, event: events.Key) -> None:
        """Choose the row with this key."""
        row = next((row for row in self._rows if row.key == event.key), None)
        if row is not None:
            event.stop()
            self.dismiss(row.value)

    def on_click(self, event: events.Click) -> None:
        """Choose the row that is clicked."""
        if event.widget is self._list:
            self.action_choose()

    def action_choose(self) -> None:
        """Choose the row under the cursor."""
        if self._list.picked is not None:
            self.dismiss(self._list.picked.value)
