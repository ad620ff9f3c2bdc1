"""The list under every pane: lines that are drawn as they scroll into view, with a cursor on one row.

Textual's own lists and trees take time and memory for each row, these only for the rows in view. The cursor
is a row number here, and an id in the subclasses.
"""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING, ClassVar

from textual.geometry import Region
from textual.message import Message

from app.view.cells import cut, width
from app.view.glyphs import ASCII, UNICODE
from app.view.line import line_width
from app.view.row_lines import RowLines
from app.widgets.commands import bindings_of
from app.widgets.styling import strip, theme_name
from app.widgets.textual_internals import LineScroll

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from textual import events
    from textual.binding import BindingType
    from textual.strip import Strip

    from app.view.line import Line


LEFT_BUTTON = 1
FOLD_MARKS = {
    "group": "▾▸",
    "gutter": UNICODE.open + UNICODE.closed + ASCII.open + ASCII.closed,
    "count": UNICODE.closed + ASCII.closed,
}
"""Style of a piece of a row -> the characters in it that fold or unfold the row with a click."""
HEAD_PIECES = 4
"""Pieces of a drawn row before its text: three cells with marks, and the connectors."""
LEAST_EDIT = 40
"""Cells behind the marks and connectors from which an edit leaves them in view."""
MOST_STRIPS = 2_000
"""Drawn lines that are kept for scrolling back."""

BURST_SECONDS = 0.1
"""Time within which three rows under the cursor are a burst: a key is held."""
REST_SECONDS = 0.05
"""Time for which the cursor must rest on a row in a burst before its content is read."""


class CursorDebounce:
    """Delays reading while a held key moves the cursor from row to row."""

    def __init__(self) -> None:
        # when the cursor came to the last two rows
        self._arrivals = (-BURST_SECONDS, -BURST_SECONDS)

    def delay(self) -> float:
        """Note that the cursor came to another row. The result is how many seconds it must rest there before
        the row's content is read; 0 outside a burst.
        """
        now = monotonic()
        earlier, self._arrivals = self._arrivals[0], (self._arrivals[1], now)
        return REST_SECONDS if now - earlier < BURST_SECONDS else 0.0


class LineList(LineScroll, can_focus=True):
    """A list of rows with a cursor. A subclass overrides `draw` and calls `set_rows`. Rows take
    one line each, or two but for some (`short_rows`).

    rows         the number of rows
    row_height   the lines that a row takes, if it is not a short one
    drawn        the number of rows that were drawn so far, for tests that count
    cursor       the number of the row with the cursor
    is_text      the list is text without a cursor: keys scroll it
    """

    is_text = False
    BINDINGS: ClassVar[list[BindingType]] = [*bindings_of("list")]

    class ListMessage(Message):
        """A message of a list; a handler can select lists by id."""

        def __init__(self, line_list: LineList) -> None:
            self.line_list = line_list
            super().__init__()
            # Textual takes the widget whose handler runs for the sender. If that is the list's own parent,
            # which has moved the cursor, the message would not bubble to it.
            self.set_sender(line_list)

        @property
        def control(self) -> LineList:
            """The list."""
            return self.line_list

    class Moved(ListMessage):
        """The cursor stands on another row, or on a row with another content."""

    class Activated(ListMessage):
        """A row was double-clicked, with the left button."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.rows = 0
        self.row_height = 1
        self.drawn = 0
        self.cursor = 0
        self._lines = RowLines()
        # the drawn lines by number, and what they were drawn for: cells, theme, focus
        self._strips: dict[int, Strip] = {}
        self._drawn_for: tuple[int, str, bool] = (0, "", False)
        # consecutive clicks of the left button
        self._clicks = 0
        # called after each change of rows or size, while a widget is shown over a row
        self.when_laid_out: Callable[[], None] | None = None

    # for subclasses

    def draw(self, index: int, cells: int, selected: bool) -> Line:
        """Draw a row, or its first line, as exactly ``cells`` cells of styled text. It must not block."""
        raise NotImplementedError

    def draw_below(self, index: int, cells: int, selected: bool) -> Line:
        """Draw the second line of a row, if rows have two."""
        raise NotImplementedError

    @property
    def short_rows(self) -> Sequence[int]:
        """The rows that take one line even if others take two, in order."""
        return ()

    def ground_of(self, index: int, selected: bool) -> str:
        """The name of the background of a row."""
        return ("cursor" if self.has_focus else "cursor-idle") if selected else "background"

    def _set_length(self, rows: int) -> None:
        self.rows = rows
        self._lines = RowLines(rows, self.row_height, self.short_rows if self.row_height > 1 else ())
        self.set_height(self._lines.total)

    def _scroll(self, top: int) -> None:
        self.scroll_to(y=max(0, top), animate=False, force=True, immediate=True)

    def redraw_rows(self) -> None:
        """Draw every row in view again."""
        self._strips.clear()
        self.refresh()

    def _redraw(self, *indexes: int) -> None:
        top = self.scroll_offset.y
        regions = []
        for index in indexes:
            first, height = self._lines.first(index), self._lines.height_of(index)
            for line in range(first, first + height):
                self._strips.pop(line, None)
            regions.append(Region(0, first - top, self.size.width, height))
        self.refresh(*regions)

    # rows and cursor

    def set_rows(self, rows: int, cursor: int | None, *, keep_offset: bool = False) -> None:
        """Show other rows. A list that shows its first row keeps showing it while the cursor is in view
        there.

        Rows, size and scroll position change in one step: Textual may ask for a line at any moment.

        :param cursor: the new row of the cursor; None keeps it.
        :param keep_offset: keep the cursor on its line of the screen.
        """
        top = self.scroll_offset.y
        offset = self._lines.first(self.cursor) - top
        self.cursor = max(0, min(self.cursor if cursor is None else cursor, rows - 1))
        self._set_length(rows)
        if keep_offset and top and self.size.height:
            self._scroll(self._lines.first(self.cursor) - offset)
        self.show_cursor()
        self.redraw_rows()
        self._notify_laid_out()

    def _notify_laid_out(self) -> None:
        if self.when_laid_out is not None:
            self.when_laid_out()

    def set_row_height(self, lines: int) -> None:
        """Set the number of lines of each row. The rows above the cursor stay in view if there is room."""
        if lines == self.row_height:
            return
        top = self._lines.row_at(self.scroll_offset.y)
        self.row_height = lines
        self._set_length(self.rows)
        if self.size.height:
            self._scroll(self._lines.first(top))
        self.show_cursor()
        self.redraw_rows()

    def move_to(self, index: int) -> None:
        """Move the cursor to a row, or to the nearest there is, and scroll it into view; scroll a text so
        that the row is the first in view.
        """
        if self.is_text:
            self._scroll(max(0, min(index, self.rows - self.size.height)))
            return
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
        if not height or self.is_text:
            return
        top = self.scroll_offset.y
        first, taken = self._lines.first(self.cursor), self._lines.height_of(self.cursor)
        after = first + taken
        if first < top or taken > height:
            self._scroll(first)
        elif after > top + height:
            self._scroll(after - height)

    @property
    def has_cursor(self) -> bool:
        """Whether a row is highlighted."""
        return not self.is_text

    def size_changed(self) -> None:
        self.show_cursor()

    def on_resize(self) -> None:
        self.show_cursor()
        self._notify_laid_out()

    def on_focus(self) -> None:
        self._redraw(self.cursor)

    def on_blur(self) -> None:
        self._redraw(self.cursor)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        if round(old_value) != round(new_value) and not self.is_text:
            # A scroll that shows the cursor is over by then.
            self.call_next(self._keep_cursor_in_view)

    def _keep_cursor_in_view(self) -> None:
        """Move a cursor that the wheel or the scrollbar has put out of view to the nearest row in view."""
        height = self.scrollable_content_region.height
        if not self.rows or not height:
            return
        top, lines = self.scroll_offset.y, self._lines
        first, last = lines.row_at(top), lines.row_at(top + height - 1)
        first += lines.first(first) < top
        last -= lines.first(last) + lines.height_of(last) > top + height
        self.move_to(max(first, min(self.cursor, last)))

    # drawing

    def render_line(self, y: int) -> Strip:
        drawn_for = (self.size.width, theme_name(self), self.has_focus)
        if self._drawn_for != drawn_for or len(self._strips) > MOST_STRIPS:
            self._drawn_for = drawn_for
            self._strips.clear()
        line = self.scroll_offset.y + y
        if line not in self._strips:
            self._draw(self._lines.row_at(line))
        return self._strips[line]

    def _draw(self, index: int) -> None:
        screen_width, theme, _ = self._drawn_for
        cells, first = self.scrollable_content_region.width, self._lines.first(index)
        taken = self._lines.height_of(index)
        if not 0 <= index < self.rows:
            blank = strip([(" " * cells, "text")], theme, cells=screen_width)
            self._strips |= dict.fromkeys(range(first, first + taken), blank)
            return
        self.drawn += 1
        selected = index == self.cursor and self.has_cursor
        lines = [self.draw(index, cells, selected)]
        if taken > 1:
            lines.append(self.draw_below(index, cells, selected))
        background = self.ground_of(index, selected)
        for number, line in enumerate(lines, first):
            self._strips[number] = strip(line, theme, background, cells=screen_width)

    # mouse

    def on_click(self, event: events.Click) -> None:
        if event.button != LEFT_BUTTON:
            self._clicks = 0
            return
        # Textual counts the clicks of all buttons together.
        self._clicks = min(event.chain, self._clicks + 1)
        index = self._lines.row_at(event.y + self.scroll_offset.y)
        if self.has_cursor and 0 <= index < self.rows:
            self.move_to(index)
            is_first = self._lines.first(index) == event.y + self.scroll_offset.y
            if is_first and self._is_fold_mark(index, event.x):
                self._clicks = 0
                self.action_toggle_fold()
            elif self._clicks >= 2:
                self.post_message(self.Activated(self))

    def region_of(self, index: int | None) -> Region | None:
        """The screen region of the first line of a row; None if it is not in view, or if there is no row."""
        inside = self.scrollable_content_region
        y = -1 if index is None else self._lines.first(index) - self.scroll_offset.y
        return Region(inside.x, inside.y + y, inside.width, 1) if 0 <= y < inside.height else None

    def edit_region_of(self, index: int | None) -> Region | None:
        """The region in which a row is edited: behind its marks and connectors, if that is wide enough. None
        if it is not in view, or if there is no row.
        """
        region = self.region_of(index)
        if region is None or index is None:
            return None
        head = line_width(self.draw(index, region.width, True)[:HEAD_PIECES])
        room = region.width - head
        return Region(region.x + head, region.y, room, 1) if room >= LEAST_EDIT else region

    def _is_fold_mark(self, index: int, x: int) -> bool:
        """Whether the cell in a column of a row's first line is a mark of a fold."""
        end = 0
        for text, style in self.draw(index, self.scrollable_content_region.width, True):
            end += width(text)
            if x < end:
                character = cut(text, x - end + width(text) + 1)[-1:]
                return bool(character) and character in FOLD_MARKS.get(style, "")
        return False

    def action_toggle_fold(self) -> None:
        """Fold or unfold the row of the cursor, in a list with folds."""

    # keys

    @property
    def page(self) -> int:
        """Rows that a page step moves by."""
        return max(1, self.size.height // self.row_height - 1)

    def step(self, rows: int, pages: int = 0) -> None:
        """Move the cursor by a number of rows and of pages; a text scrolls."""
        if self.is_text:
            self.scroll_by(rows, pages)
            return
        self.move_to(self.cursor + rows + pages * self.page)

    def scroll_by(self, lines: int = 0, pages: int = 0) -> None:
        """Scroll by a number of lines and of pages; the cursor stays while it is in view."""
        height = self.size.height
        top = self.scroll_offset.y + lines + pages * max(1, height - 1)
        self._scroll(max(0, min(top, self._lines.total - height)))

    def action_cursor_up(self) -> None:
        self.step(-1)

    def action_cursor_down(self) -> None:
        self.step(1)

    def action_page_up(self) -> None:
        self.step(0, -1)

    def action_page_down(self) -> None:
        self.step(0, 1)

    def action_first(self) -> None:
        self.move_to(0)

    def action_last(self) -> None:
        self.move_to(self.rows - 1)
