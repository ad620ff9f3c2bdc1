"""The line in which the session list is searched."""

from __future__ import annotations

import asyncio
from typing import ClassVar

from textual.geometry import Size
from textual.message import Message
from textual.reactive import Reactive
from textual.widgets import Input

from app.widgets.bindings import bindings_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from textual.binding import BindingType


class SearchBox(Input):
    """Text input whose arrows move the list below it. Enter keeps the filter, Escape drops it."""

    # Textual 8.2.8 deletes to the right of the cursor with two of the table's keys; ours are to the left
    BINDINGS: ClassVar[list[BindingType]] = [*bindings_of("filter")]

    # a letter lays out nothing but the text itself
    virtual_size: Reactive[Size] = Reactive(Size(0, 0))

    class Stepped(Message):
        """The list's cursor is to move by ``step`` rows."""

        def __init__(self, step: int) -> None:
            self.step = step
            super().__init__()

    class Kept(Message):
        """The filter stays and the list takes the keys."""

    class Dropped(Message):
        """The filter goes."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(placeholder='words, "a phrase", agent:pi, label:x', id=id, compact=True)
        self.cursor_blink = False

    async def on_key(self) -> None:
        # Keys that come together, as those of a pasted text may, are not all taken in one go.
        await asyncio.sleep(0)

    def action_step(self, step: int) -> None:
        self.post_message(self.Stepped(step))

    def action_keep(self) -> None:
        self.post_message(self.Kept())

    def action_drop(self) -> None:
        self.post_message(self.Dropped())
