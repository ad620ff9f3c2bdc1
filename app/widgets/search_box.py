"""The line in which the session list is searched."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, ClassVar

from rich.highlighter import Highlighter
from textual.geometry import Size
from textual.message import Message
from textual.reactive import Reactive

from app.view.footer import SEARCH_HINT
from app.widgets.bindings import bindings_of
from app.widgets.line_input import LineInput

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.text import Text
    from textual import events
    from textual.binding import BindingType
    from textual.widgets.input import Selection


MOVES = ("step(", "page(")


class _Marking(Highlighter):
    """Draws what is marked in a line."""

    def __init__(self, box: SearchBox) -> None:
        self._box = box

    def highlight(self, text: Text) -> None:
        for begin, length in self._box.marked():
            text.stylize(
                self._box.get_component_rich_style("search-box--fault", partial=True), begin, begin + length
            )


class SearchBox(LineInput):
    """Text input whose arrows move the list below it. What Enter and Escape mean is for its owner to say."""

    # Textual 8.2.8 deletes to the right of the cursor with a key of the table's; ours are to the left
    BINDINGS: ClassVar[list[BindingType]] = [*bindings_of("filter")]

    COMPONENT_CLASSES: ClassVar[set[str]] = {"search-box--fault"}

    # a letter lays out nothing but the text itself
    virtual_size: Reactive[Size] = Reactive(Size(0, 0))

    class Stepped(Message):
        """The list's cursor is to move by ``rows`` and ``pages``."""

        def __init__(self, rows: int = 0, pages: int = 0) -> None:
            self.rows = rows
            self.pages = pages
            super().__init__()

    class Kept(Message):
        """Enter: what is typed stays."""

    class Dropped(Message):
        """Escape: what is typed goes."""

    class MarkAsked(Message):
        """The session under the list's cursor is to be marked."""

    class TabPressed(Message):
        """Tab: completes what is typed, where that is offered."""

    class Offered(Message):
        """Another key completes what is typed than before, or none."""

    def __init__(self, *, id: str | None = None, hint: str = SEARCH_HINT) -> None:
        """:param hint: is shown while nothing is typed."""
        super().__init__(placeholder=hint, id=id, compact=True)
        self.cursor_blink = False
        self._offer: tuple[str, str, str] = ("", "", "")
        self._told = ""
        self._faults: tuple[str, Sequence[tuple[int, int]]] = ("", ())
        self.highlighter = _Marking(self)
        self._moves = {
            key: binding.action for key, binding in self._bindings if binding.action.startswith(MOVES)
        }

    async def on_key(self, event: events.Key) -> None:
        if event.key == "space" and not self.value:
            # no query begins with a blank
            event.stop()
            event.prevent_default()
            self.action_mark()
        elif event.key in self._moves:
            # done here, a held key does not climb to the application and back
            event.stop()
            event.prevent_default()
            await self.run_action(self._moves[event.key])
        # Keys that come together, as those of a pasted text may, are not all taken in one go.
        await asyncio.sleep(0)

    def mark(self, faults: Sequence[tuple[int, int]]) -> None:
        """Mark parts of what is typed, until something else is.

        :param faults: where each begins, and how long it is.
        """
        if self._faults[1] or faults:
            self._faults = self.value, faults
            self.refresh()

    def marked(self) -> Sequence[tuple[int, int]]:
        """What is marked now."""
        typed, faults = self._faults
        return faults if typed == self.value else ()

    def offer(self, completed: str, key: str = "") -> None:
        """Show, behind the cursor, what a key would make of what is typed; "" shows nothing.

        :param key: "tab", or "right", which takes whatever is offered.
        """
        self._offer = (self.value, completed, key)
        shown = completed
        if completed and not completed.startswith(self.value):
            # a value that has to be quoted, or a name with a capital, does not go on where one stopped typing
            becomes = completed.rpartition(":")[2] or completed.rpartition(" ")[2]
            shown = f"{self.value} → {becomes}"
        if self._suggestion != shown:
            self._suggestion = shown
        self._tell_of_offer()

    @property
    def completing_key(self) -> str:
        """The key that completes what is typed, "" where none does: the cursor is at the end of what
        something is offered for.
        """
        typed, completed, key = self._offer
        return key if completed and typed == self.value and self.cursor_at_end else ""

    def _tell_of_offer(self) -> None:
        if self._told != self.completing_key:
            self._told = self.completing_key
            self.post_message(self.Offered())

    def _watch_selection(self, selection: Selection) -> None:
        super()._watch_selection(selection)
        if self._offer[0] == self.value:
            self._tell_of_offer()

    def take_offer(self) -> None:
        """Complete what is typed, where that is offered."""
        if self.completing_key:
            self.value = self._offer[1]
            self.cursor_position = len(self.value)

    def action_complete(self) -> None:
        self.post_message(self.TabPressed())

    def action_cursor_right(self, select: bool = False) -> None:
        if self.completing_key and not select:
            self.take_offer()
        else:
            super().action_cursor_right(select)

    def action_mark(self) -> None:
        self.post_message(self.MarkAsked())

    def action_step(self, rows: int) -> None:
        self.post_message(self.Stepped(rows=rows))

    def action_page(self, pages: int) -> None:
        self.post_message(self.Stepped(pages=pages))

    def action_keep(self) -> None:
        self.post_message(self.Kept())

    def action_drop(self) -> None:
        self.post_message(self.Dropped())
