"""The one list under every pane: rows that are drawn on demand, and a cursor on one of them.

The cursor is a row number here, and an id in the subclasses.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.message import Message

from app.widgets.bindings import bindings_of
from app.widgets.drawn_rows import DrawnRows

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual import events
    from textual.binding import BindingType
    from textual.geometry import Size


LEFT_BUTTON = 1


class LineList(DrawnRows, can_focus=True):
    """A list of lines with a cursor. Subclasses override :meth:`draw` and call :meth:`set_rows`."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings_of("list")]

    class About(Message):
        """Something happened to a list; the handler can name which."""

        def __init__(self, line_list: LineList) -> None:
            self.line_list = line_list
            super().__init__()
            # Textual takes the widget whose handler runs for the sender. Where that is the list's own parent,
            # which has moved the cursor, the message would go no further.
            self.set_sender(line_list)

        @property
        def control(self) -> LineList:
            """The list."""
            return self.line_list

    class Moved(About):
        """The cursor stands on another row, or on a row with another content."""

    class Activated(About):
        """A row was double-clicked, with the left button."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.cursor = 0
        # of the left button, one behind the other
        self._clicks = 0
        # told whenever rows may have moved, while something stands over one of them
        self.when_laid_out: Callable[[], None] | None = None

    # rows and cursor

    def set_rows(self, rows: int, cursor: int | None, *, keep_offset: bool = False) -> None:
        """The rows are others now: their number, where the cursor goes, and whether it stays on its screen
        line. A list that shows its beginning goes on to while the cursor is in sight there.

        Rows, size and scroll position change in one go: a line may be asked for at any moment.
        """
        top = self.scroll_offset.y
        offset = self.cursor * self.row_height - top
        self.cursor = max(0, min(self.cursor if cursor is None else cursor, rows - 1))
        self._set_length(rows)
        if keep_offset and top and self.size.height:
            self._scroll(self.cursor * self.row_height - offset)
        self.show_cursor()
        self._redraw_changed()
        self._tell_of_rows()

    def _tell_of_rows(self) -> None:
        if self.when_laid_out is not None:
            self.when_laid_out()

    def set_row_height(self, lines: int) -> None:
        """Rows take so many lines now; as many of them as before stay above the cursor on the screen, where
        there is room.
        """
        if lines == self.row_height:
            return
        above = self.cursor - self.scroll_offset.y // self.row_height
        self.row_height = lines
        self._forget_rows()
        self._set_length(self.rows)
        if self.size.height:
            self._scroll((self.cursor - above) * lines)
        self.show_cursor()
        self.refresh()

    def move_to(self, index: int) -> None:
        """Put the cursor on a row, as near as there is one, and show it."""
        index = max(0, min(index, self.rows - 1))
        if index == self.cursor or not self.rows:
            self.show_cursor()
            return
        before, self.cursor = self.cursor, index
        self._redraw(before, index)
        self.show_cursor()
        self.post_message(self.Moved(self))

    def show_cursor(self) -> None:
        """Scroll, without animation, just as far as the cursor needs."""
        height = self.scrollable_content_region.height
        if not height:
            return
        top = self.scroll_offset.y
        first = self.cursor * self.row_height
        after = first + self.row_height
        if first < top or self.row_height > height:
            self._scroll(first)
        elif after > top + height:
            self._scroll(after - height)

    @property
    def has_cursor(self) -> bool:
        """Whether a row is marked; a pane of text has none."""
        return True

    def is_selected(self, index: int) -> bool:
        return index == self.cursor and self.has_cursor

    def _size_updated(
        self, size: Size, virtual_size: Size, container_size: Size, layout: bool = True
    ) -> bool:
        is_changed = super()._size_updated(size, virtual_size, container_size, layout)
        if is_changed:
            # for the picture that has the new size: the message that tells of it comes after that one
            self.show_cursor()
        return is_changed

    def on_resize(self) -> None:
        self.show_cursor()
        self._tell_of_rows()

    def on_focus(self) -> None:
        self._redraw(self.cursor)

    def on_blur(self) -> None:
        self._redraw(self.cursor)

    # mouse

    def on_click(self, event: events.Click) -> None:
        if event.button != LEFT_BUTTON:
            self._clicks = 0
            return
        # Textual counts all clicks in one place, whatever their buttons
        self._clicks = min(event.chain, self._clicks + 1)
        index = (event.y + self.scroll_offset.y) // self.row_height
        if self.has_cursor and 0 <= index < self.rows:
            self.move_to(index)
            if self._clicks >= 2:
                self.post_message(self.Activated(self))

    # keys

    @property
    def page(self) -> int:
        """Rows that a page moves by."""
        return max(1, self.size.height // self.row_height - 1)

    def step(self, rows: int, pages: int = 0) -> None:
        """Move the cursor by so many rows and pages."""
        self.move_to(self.cursor + rows + pages * self.page)

    def action_cursor_up(self) -> None:
        self.move_to(self.cursor - 1)

    def action_cursor_down(self) -> None:
        self.move_to(self.cursor + 1)

    def action_page_up(self) -> None:
        self.move_to(self.cursor - self.page)

    def action_page_down(self) -> None:
        self.move_to(self.cursor + self.page)

    def action_first(self) -> None:
        self.move_to(0)

    def action_last(self) -> None:
        self.move_to(self.rows - 1)
