"""The history: what was done and what was undone. Undo takes the newest, redo what was undone last."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import on, work
from textual.binding import Binding
from textual.content import Content
from textual.widgets import Static

from app.keys import key_of
from app.services.places import PlacesReader
from app.view.history import history_line
from app.widgets.dialog import Dialog, DialogBox, ItemList
from app.widgets.line_list import LineList

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from textual.app import ComposeResult
    from textual.binding import BindingType

    from app.actions.history import HistoryStep
    from app.index.row import Row
    from app.setup import Setup
    from app.view.line import Line

_BESIDE = 7
"""Lines of the screen above and below the list."""


class HistoryDialog(Dialog["HistoryStep | None"]):
    """Answers with the step that Enter was pressed on."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,H", "dismiss(None)", "Close"),
        Binding("enter", "choose", "Go to the session"),
        Binding("z", "undo", "Undo"),
        Binding("Z", "redo", "Redo"),
    ]

    def __init__(
        self,
        setup: Setup,
        rows: Callable[[], Sequence[Row]],
        undo: Callable[[int], None],
        redo: Callable[[int], None],
    ) -> None:
        """:param rows: all sessions.
        :param undo: undoes the action of that number in the journal; call `reload` when it is done.
        :param redo: redoes one.
        """
        super().__init__()
        self._setup = setup
        self._rows = rows
        self._undo = undo
        self._redo = redo
        self._reader = PlacesReader(setup, self.post_message)
        # None is the line between what was undone and what was done
        self._list = ItemList["HistoryStep | None"](self._draw_step, id="history")
        self._is_shown = False
        self._busy = False

    def compose(self) -> ComposeResult:
        with DialogBox("History"):
            yield self._list
            yield Static(Content("Reading…"), id="said")

    def on_mount(self) -> None:
        self._list.focus()
        self.reload()

    def on_unmount(self) -> None:
        self._reader.stop()

    @property
    def _next_undo(self) -> HistoryStep | None:
        """The action that is undone next: the newest that can be."""
        return next((step for step in self._list.items if step and step.state == "done"), None)

    @property
    def _next_redo(self) -> HistoryStep | None:
        return next((step for step in reversed(self._list.items) if step and step.is_undone), None)

    @work
    async def reload(self) -> None:
        """Show the journal as it is now."""
        self._busy = False
        steps = await self._reader.read_history(self._rows())
        undone = [step for step in steps if step.is_undone]
        done = [step for step in steps if not step.is_undone]
        items = [*undone, *([None] if undone else []), *done]
        if self._is_shown and [*map(_identity, items)] == [*map(_identity, self._list.items)]:
            # Only titles or reasons are new.
            self._list.items = items
            self._list.redraw_rows()
            self._show_keys(items)
            return
        self._list.show(items)
        self.on_resize()
        # The newest that was done; the keys for it and for the redo stand beside each other.
        if done:
            self._list.move_to(len(items) - len(done))
        elif undone:
            self._list.move_to(len(undone) - 1)
        self._show_keys(items)
        self.query_one("#said").display = not items
        self._list.display = bool(items)
        self.set_text("#said", "Nothing was done yet. What leafmark changes is listed here.")
        self._is_shown = True

    def _show_keys(self, items: Sequence[HistoryStep | None]) -> None:
        hints = [f"{key_of('change.undo')} undo newest" if self._next_undo else ""]
        hints.append(f"{key_of('change.redo')} redo" if self._next_redo else "")
        hints.append("Enter go to session" if items else "")
        self.set_keys("  ".join([*filter(None, hints), "Esc close"]))

    def on_resize(self) -> None:
        self._list.fit(self.size.height - _BESIDE)

    def _draw_step(self, step: HistoryStep | None, cells: int) -> Line:
        if step is None:
            return [("─" * cells, "dim")]
        hint = ""
        if step is self._next_redo:
            hint = f"{key_of('change.redo')} redo"
        elif step is self._next_undo:
            hint = f"{key_of('change.undo')} undo"
        return history_line(step, cells, self._setup.now_ms(), hint)

    @on(LineList.Activated)
    def action_choose(self) -> None:
        """Go to the session of the action under the cursor."""
        if self._list.picked is not None:
            self.dismiss(self._list.picked)

    def action_undo(self) -> None:
        """Undo the newest action."""
        step = self._next_undo
        if step is not None and not self._busy:
            self._busy = True
            self._undo(step.action)

    def action_redo(self) -> None:
        """Redo the action that was undone last."""
        step = self._next_redo
        if step is not None and not self._busy:
            self._busy = True
            self._redo(step.action)


def _identity(step: HistoryStep | None) -> object:
    return step and (step.action, step.is_undone, len(step.changes))
