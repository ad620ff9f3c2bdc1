"""The one virtualised list under every pane: lines drawn on demand, a cursor, no widget per row.

Textual's own lists and trees cost time and memory by the row (TEXTUAL 2); this one costs what is on screen. A
subclass says how many rows there are and draws one; the cursor is a row number here and an id in the
subclasses.
"""

from __future__ import annotations

from typing import ClassVar

from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView

from app.view.palette import THEMES
from app.widgets.bindings import bindings_of
from app.widgets.styling import strip

TYPE_CHECKING = False
if TYPE_CHECKING:
    from textual import events
    from textual.binding import BindingType
    from textual.strip import Strip

    from app.view.line import Line


class LineList(ScrollView, can_focus=True):
    """A list of lines with a cursor. Subclasses override :meth:`draw` and call :meth:`set_rows`."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings_of("list")]

    class About(Message):
        """Something happened to a list; the handler can name which."""

        def __init__(self, line_list: LineList) -> None:
            self.line_list = line_list
            super().__init__()

        @property
        def control(self) -> LineList:
            """The list."""
            return self.line_list

    class Moved(About):
        """The cursor stands on another row, or on a row with another content."""

    class Activated(About):
        """A row was double-clicked."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.rows = 0
        self.cursor = 0
        self.drawn = 0
        self._strips: dict[int, Strip] = {}
        self._drawn_as: dict[int, object] = {}
        self._drawn_for: tuple[int, str, bool] = (0, "", False)

    # what a subclass gives

    def draw(self, index: int, cells: int, selected: bool) -> Line:
        """One row as exactly ``cells`` cells of styled text. It must not wait for anything."""
        raise NotImplementedError

    def row_key(self, index: int) -> object:
        """What the look of a row depends on, but for cursor, width and theme; None when that is not said.
        Rows whose key is what it was are not drawn again when the rows change.
        """
        return None

    # rows and cursor

    def set_rows(self, rows: int, cursor: int | None, *, keep_offset: bool = False) -> None:
        """The rows are others now: their number, where the cursor goes, and whether it stays on its screen
        line.

        Rows, size and scroll position change in one go: a line may be asked for at any moment.
        """
        top, before = self.scroll_offset.y, (self.rows, self.cursor)
        offset = self.cursor - top
        self.rows = rows
        self.cursor = max(0, min(self.cursor if cursor is None else cursor, rows - 1))
        if self.virtual_size.height != rows:
            self.virtual_size = Size(0, rows)
        if keep_offset and self.size.height:
            self._scroll(self.cursor - offset)
        self.show_cursor()
        if before == (self.rows, self.cursor) and top == self.scroll_offset.y:
            self._redraw_changed()
        else:
            self.redraw_rows()

    def _redraw_changed(self) -> None:
        for index, drawn_as in list(self._drawn_as.items()):
            key = self.row_key(index) if index < self.rows else None
            if key is None or key != drawn_as:
                self._redraw(index)

    def move_to(self, index: int) -> None:
        """Put the cursor on a row, as near as there is one, and show it."""
        index = max(0, min(index, self.rows - 1))
        if index == self.cursor or not self.rows:
            self.show_cursor()
            return
        before, self.cursor = self.cursor, index
        self._redraw(before)
        self._redraw(index)
        self.show_cursor()
        self.post_message(self.Moved(self))

    def show_cursor(self) -> None:
        """Scroll, without animation, just as far as the cursor needs."""
        height = self.scrollable_content_region.height
        if not height:
            return
        top = self.scroll_offset.y
        if self.cursor < top:
            self._scroll(self.cursor)
        elif self.cursor >= top + height:
            self._scroll(self.cursor - height + 1)

    def _scroll(self, top: int) -> None:
        self.scroll_to(y=max(0, top), animate=False, force=True, immediate=True)

    def redraw_rows(self) -> None:
        """Draw every visible row again (an age, a mark or a width changed)."""
        self._forget_rows()
        self.refresh()

    def _forget_rows(self) -> None:
        self._strips.clear()
        self._drawn_as.clear()

    def _redraw(self, index: int) -> None:
        self._strips.pop(index, None)
        self.refresh_line(index)

    # drawing

    @property
    def theme_name(self) -> str:
        """The palette's name for the theme that is on."""
        name = self.app.theme.removeprefix("leafmark-")
        return name if name in THEMES else "dark"

    def render_line(self, y: int) -> Strip:
        cells = self.scrollable_content_region.width
        theme, focused = self.theme_name, self.has_focus
        if self._drawn_for != (cells, theme, focused):
            self._drawn_for = (cells, theme, focused)
            self._forget_rows()
        index = y + self.scroll_offset.y
        known = self._strips.get(index)
        if known is None:
            known = self._strips[index] = self._draw(index, cells, theme, focused)
            if len(self._strips) > 2_000:
                self._forget_rows()
        return known

    def _draw(self, index: int, cells: int, theme: str, focused: bool) -> Strip:
        if not 0 <= index < self.rows:
            return strip([(" " * cells, "text")], theme)
        self.drawn += 1
        self._drawn_as[index] = self.row_key(index)
        selected = index == self.cursor and self.has_cursor
        background = ("cursor" if focused else "cursor-idle") if selected else "background"
        return strip(self.draw(index, cells, selected), theme, background)

    @property
    def has_cursor(self) -> bool:
        """Whether a row is marked; a pane of text has none."""
        return True

    def on_resize(self) -> None:
        self._forget_rows()
        self.show_cursor()

    def on_focus(self) -> None:
        self.redraw_rows()

    def on_blur(self) -> None:
        self.redraw_rows()

    # mouse

    def on_click(self, event: events.Click) -> None:
        index = event.y + self.scroll_offset.y
        if self.has_cursor and 0 <= index < self.rows:
            self.move_to(index)
            if event.chain >= 2:
                self.post_message(self.Activated(self))

    # keys

    def action_cursor_up(self) -> None:
        self.move_to(self.cursor - 1)

    def action_cursor_down(self) -> None:
        self.move_to(self.cursor + 1)

    def action_page_up(self) -> None:
        self.move_to(self.cursor - max(1, self.size.height - 1))

    def action_page_down(self) -> None:
        self.move_to(self.cursor + max(1, self.size.height - 1))

    def action_first(self) -> None:
        self.move_to(0)

    def action_last(self) -> None:
        self.move_to(self.rows - 1)
