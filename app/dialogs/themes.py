"""The list of the themes. The screen behind it shows the theme under the cursor."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.binding import Binding
from textual.content import Content
from textual.widgets import Static

from app.formats.text import one_line
from app.view.cells import stable_width
from app.widgets.dialog import Dialog, DialogBox, ItemList
from app.widgets.line_list import LineList

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.app import ComposeResult
    from textual.binding import BindingType

    from app.view.line import Line

_TITLES = {"dark": "leafmark dark", "light": "leafmark light", "high-contrast": "high contrast"}
_BESIDE = 7
"""Lines of the screen above and below the list."""
_MOST_ROWS = 14


class ThemesDialog(Dialog["str | None"]):
    """Enter answers with the name of the theme under the cursor. Escape restores the previous theme."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,f2", "restore", "Restore"),
        Binding("enter", "keep", "Keep"),
    ]

    def __init__(self, names: Sequence[str], now: str, problems: Sequence[str]) -> None:
        """:param names: of the themes in the palette, which are registered with the application.
        :param now: the theme of the screen.
        :param problems: why other themes cannot be used.
        """
        super().__init__()
        self._names = names
        self._now = now
        self._problems = problems
        self._list = ItemList[str](self._draw_name, id="themes")

    def compose(self) -> ComposeResult:
        with DialogBox("Theme", "↑ ↓ preview  Enter keep  Esc restore"):
            yield self._list
            if self._problems:
                yield Static(Content(one_line(self._problems[0], 500)), classes="hint")

    def on_mount(self) -> None:
        self._list.focus()
        self._list.show(self._names)
        self.on_resize()
        if self._now in self._names:
            self._list.move_to(self._names.index(self._now))

    def on_resize(self) -> None:
        self._list.fit(min(_MOST_ROWS, self.size.height - _BESIDE))

    def _draw_name(self, name: str, cells: int) -> Line:
        now: Line = [("   (now)", "dim")] if name == self._now else []
        return [(stable_width(one_line(_TITLES.get(name, name), 60)), "text"), *now]

    @on(LineList.Moved)
    def _preview(self) -> None:
        if self._list.picked is not None:
            self.app.theme = f"leafmark-{self._list.picked}"

    @on(LineList.Activated)
    def action_keep(self) -> None:
        """Answer with the theme under the cursor."""
        self.dismiss(self._list.picked)

    def action_restore(self) -> None:
        """Restore the previous theme."""
        self.app.theme = f"leafmark-{self._now}"
        self.dismiss(None)
