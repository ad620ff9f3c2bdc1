"""One-line text inputs: a line that is edited in a row or dialog, the search box above a list, and the line
that searches a tree or a transcript.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from rich.highlighter import Highlighter
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import Reactive
from textual.widget import Widget
from textual.widgets import Input

from app.commands import pane_commands
from app.formats.text import inert
from app.view.bars import SEARCH_HINT
from app.view.tree_navigation import words_of
from app.widgets.commands import bindings_of
from app.widgets.textual_internals import scroll_to_first_text, show_suggestion

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.text import Text
    from textual import events
    from textual.binding import BindingType
    from textual.widgets.input import Selection

MOVES = ("step(", "page(", "beside(")
"""The beginnings of the actions that move the list's cursor or scroll the pane beside it."""


class LineInput(Input):
    """An input that accepts pasted texts of several lines and replaces what a terminal cannot show."""

    cursor_blink: Reactive[bool] = Reactive(False, init=False)

    def on_mount(self) -> None:
        scroll_to_first_text(self)

    def on_resize(self) -> None:
        """Scroll to the cursor again for the new width."""
        x = self.cursor_screen_offset.x - self.content_region.x + self.scroll_offset.x
        self.scroll_to_region(Region(x, 0, 1, 1), force=True, animate=False)

    def validate_value(self, value: str) -> str:
        """Make the value one inert line. Each character stays one character: the cursor is already placed."""
        if value.isprintable():
            return value
        return inert(value.replace("\r", "\n").replace("\t", " ")).replace("\n", " ")

    def on_paste(self, event: events.Paste) -> None:
        # Textual 8.2.8 pastes the first line only.
        event.stop()
        event.prevent_default()
        lines = event.text.splitlines()
        text = event.text if len(lines) < 2 else " ".join(filter(None, map(str.strip, lines)))
        self.replace(text.strip("\r\n"), *self.selection)


class _FaultHighlighter(Highlighter):
    """Underlines the faulty parts of a query."""

    def __init__(self, box: SearchBox) -> None:
        self._box = box

    def highlight(self, text: Text) -> None:
        for start, length in self._box.faults:
            style = self._box.get_component_rich_style("search-box--fault", partial=True)
            text.stylize(style, start, start + length)


class FindLine:
    """The line above a tree or a transcript that searches it. It is mounted when it is first opened."""

    def __init__(self, lines: Widget, *, id: str) -> None:
        """:param lines: the tree or the transcript.
        :param id: of the box.
        """
        self._lines = lines
        self._id = id
        self._box: SearchBox | None = None

    @property
    def is_open(self) -> bool:
        """Whether the line is shown."""
        return self._box is not None and self._box.has_class("shown")

    @property
    def has_focus(self) -> bool:
        """Whether the line has the focus."""
        return self._box is not None and self._box.has_focus

    @property
    def words(self) -> tuple[str, ...]:
        """The words in the line, folded."""
        return words_of(self._box.value) if self._box is not None else ()

    def open(self) -> None:
        """Show and focus the line."""
        if self._box is None:
            self._box = SearchBox(id=self._id, hint="words in this session")
            pane = self._lines.parent
            assert isinstance(pane, Widget)
            pane.mount(self._box, before=self._lines)
        self._box.add_class("shown")
        self._lines.screen.set_focus(self._box)

    def leave(self) -> None:
        """Focus the lines that are searched."""
        self._lines.screen.set_focus(self._lines)

    def close(self) -> None:
        """Empty and hide the line. If it has the focus, the lines that are searched get it."""
        if self._box is not None:
            if self._box.has_focus:
                self.leave()
            self._box.remove_class("shown")
            with self._box.prevent(SearchBox.Changed):
                self._box.value = ""


class SearchBox(LineInput):
    """An input whose arrow keys move the list below it. Its owner handles Enter and Escape."""

    # Textual 8.2.8 binds one of these keys to deleting on the right. Here it deletes on the left.
    BINDINGS: ClassVar[list[BindingType]] = [*bindings_of("filter")]

    COMPONENT_CLASSES: ClassVar[set[str]] = {"search-box--fault"}

    # A letter does not change the layout.
    virtual_size: Reactive[Size] = Reactive(Size(0, 0))

    @dataclass(eq=False, repr=False)
    class Stepped(Message):
        """The list's cursor is to move by ``rows`` and ``pages``."""

        rows: int = 0
        pages: int = 0

    @dataclass(eq=False, repr=False)
    class BesideScrolled(Message):
        """The pane beside the list is to scroll by ``lines`` and ``pages``."""

        lines: int
        pages: int

    class Kept(Message):
        """Enter: the text stays."""

    class Dropped(Message):
        """Escape: the text is to be removed."""

    class MarkAsked(Message):
        """The session under the list's cursor is to be marked."""

    class TabPressed(Message):
        """Tab: the text is to be completed, if there is a completion."""

    class Offered(Message):
        """Whether the text has a completion may have changed; see `completes`."""

    class CursorMoved(Message):
        """The cursor has moved within the text."""

    def __init__(self, *, id: str | None = None, hint: str = SEARCH_HINT) -> None:
        """:param hint: the text of an empty box."""
        super().__init__(placeholder=hint, id=id, compact=True)
        # the text that has a completion, and the completed text
        self._completion: tuple[str, str] = ("", "")
        # the text that has faults, and (start, length) of each
        self._faults: tuple[str, Sequence[tuple[int, int]]] = ("", ())
        self.highlighter = _FaultHighlighter(self)
        self._moves = {
            key: command.action
            for command in pane_commands("filter")
            for key in command.keys
            if command.action.startswith(MOVES)
        }

    async def on_key(self, event: events.Key) -> None:
        if event.key == "space" and not self.value:
            # No query begins with a blank.
            event.stop()
            event.prevent_default()
            self.action_mark()
        elif event.key == "ctrl+t":
            event.stop()
            event.prevent_default()
            self.notify("Not needed: every search covers tool calls and their output.", markup=False)
        elif event.key in self._moves:
            # A held key that is handled here need not bubble to the application.
            event.stop()
            event.prevent_default()
            await self.run_action(self._moves[event.key])
        # Give other tasks a turn between keys that arrive together, as from a paste.
        await asyncio.sleep(0)

    def mark(self, faults: Sequence[tuple[int, int]]) -> None:
        """Underline parts of the text until it changes.

        :param faults: (start, length) of each part.
        """
        if self._faults[1] or faults:
            self._faults = self.value, faults
            self.refresh()

    @property
    def faults(self) -> Sequence[tuple[int, int]]:
        """(start, length) of the underlined parts."""
        text, faults = self._faults
        return faults if text == self.value else ()

    def offer(self, completed: str, shown: str = "") -> None:
        """Show a completion of the text behind the cursor; "" shows nothing.

        :param completed: the text that a key would make of it.
        :param shown: the text with the completion as it is shown.
        """
        if not completed and not self._completion[1]:
            return
        self._completion = (self.value, completed)
        show_suggestion(self, shown)
        self.post_message(self.Offered())

    @property
    def completes(self) -> bool:
        """Whether a completion is shown: there is one, and the cursor is at the end."""
        text, completed = self._completion
        return bool(completed) and text == self.value and self.cursor_at_end

    def watch_selection(self, selection: Selection) -> None:
        """Post `Offered` if the cursor has left the end of the text, or has come there."""
        if self._completion[0] == self.value:
            self.post_message(self.Offered())
        self.post_message(self.CursorMoved())

    def take_offer(self) -> None:
        """Complete the text, if there is a completion."""
        if self.completes:
            self.value = self._completion[1]
            self.cursor_position = len(self.value)

    def action_complete(self) -> None:
        self.post_message(self.TabPressed())

    def action_cursor_right(self, select: bool = False) -> None:
        if self.completes and not select:
            self.take_offer()
        else:
            super().action_cursor_right(select)

    def action_mark(self) -> None:
        self.post_message(self.MarkAsked())

    def action_step(self, rows: int) -> None:
        self.post_message(self.Stepped(rows=rows))

    def action_beside(self, lines: int, pages: int) -> None:
        self.post_message(self.BesideScrolled(lines, pages))

    def action_page(self, pages: int) -> None:
        self.post_message(self.Stepped(pages=pages))

    def action_keep(self) -> None:
        self.post_message(self.Kept())

    def action_drop(self) -> None:
        self.post_message(self.Dropped())
