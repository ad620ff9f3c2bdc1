"""Rows that are drawn when they come into sight, and again when they look different: no widget per row.

Textual's own lists and trees cost time and memory by the row; this costs what is on screen. A
subclass says how many rows there are and draws one. All rows take the same number of lines, one or two.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.filter import ANSIToTruecolor
from textual.geometry import Region, Size
from textual.scroll_view import ScrollView

from app.view.palette import THEMES
from app.widgets.still_scrollbar import StillScrollBar
from app.widgets.styling import strip

if TYPE_CHECKING:
    from textual.scrollbar import ScrollBar
    from textual.strip import Strip

    from app.view.line import Line


MOST_STRIPS = 2_000
"""So many drawn rows are kept for when they scroll back into view."""


class DrawnRows(ScrollView):
    """Paints the rows that are in sight. Subclasses override :meth:`draw`.

    rows         how many there are; `row_height`: lines that each takes
    drawn        rows that were drawn so far
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.rows = 0
        self.row_height = 1
        self.drawn = 0
        # by line
        self._strips: dict[int, Strip] = {}
        # by row
        self._looks: dict[int, object] = {}
        self._drawn_for: tuple[int, str] = (0, "")

    @property
    def vertical_scrollbar(self) -> ScrollBar:
        if self._vertical_scrollbar is None:
            # as Textual does it, with another class
            bar = StillScrollBar(vertical=True, name="vertical", thickness=self.scrollbar_size_vertical)
            bar.display = False
            self._vertical_scrollbar = bar
            self.app._start_widget(self, bar)
        return self._vertical_scrollbar

    # what a subclass gives

    def draw(self, index: int, cells: int, selected: bool) -> Line:
        """One row, or the first line of it, as exactly ``cells`` cells of styled text. It must not wait for
        anything.
        """
        raise NotImplementedError

    def draw_below(self, index: int, cells: int, selected: bool) -> Line:
        """The second line of a row, where rows have two."""
        return [(" " * cells, "text")]

    def is_selected(self, index: int) -> bool:
        """Whether the cursor is on a row."""
        return False

    def row_key(self, index: int) -> object:
        """What the look of a row depends on, but for cursor, width and theme; None when drawing it must tell.
        When the rows change, those that look as they did are not painted again.
        """
        return None

    # how many, and which are in sight

    def _set_length(self, rows: int) -> None:
        self.rows = rows
        height = rows * self.row_height
        if self.virtual_size.height != height:
            # Assigning it would have the whole screen laid out and painted anew; here nothing but the
            # scrollbar depends on it, whose place is always kept.
            self.set_reactive(DrawnRows.virtual_size, Size(0, height))
            self._scroll_update(self.virtual_size)

    def _scroll(self, top: int) -> None:
        self.scroll_to(y=max(0, top), animate=False, force=True, immediate=True)

    # what is painted again

    def _redraw_changed(self) -> None:
        """Paint the rows that look different from when they were drawn."""
        self._forget_unseen()
        self._redraw(*[index for index, look in self._looks.items() if self._look(index) != look])

    def _look(self, index: int) -> object:
        if index >= self.rows:
            return None
        return self.is_selected(index), self.row_key(index) or self._lines(index)

    def _lines(self, index: int) -> list[Line]:
        self.drawn += 1
        selected, cells = self.is_selected(index), self.scrollable_content_region.width
        lines = [self.draw(index, cells, selected)]
        if self.row_height > 1:
            lines.append(self.draw_below(index, cells, selected))
        return lines

    def redraw_rows(self) -> None:
        """Draw every visible row again (an age, a mark or a width changed)."""
        self._forget_rows()
        self.refresh()

    def _forget_rows(self) -> None:
        self._strips.clear()
        self._looks.clear()

    def _forget_unseen(self) -> None:
        top = self.scroll_offset.y
        seen = range(top, top + self.scrollable_content_region.height)
        for y in [y for y in self._strips if y not in seen]:
            del self._strips[y]
        rows = range(top // self.row_height, -(-seen.stop // self.row_height))
        for index in [index for index in self._looks if index not in rows]:
            del self._looks[index]

    def _redraw(self, *indexes: int) -> None:
        """Draw rows again; what Textual does for each piece that is painted takes as long as drawing it."""
        height = self.row_height
        pieces: list[Region] = []
        begin = end = 0
        for index in sorted(indexes):
            for y in range(index * height, (index + 1) * height):
                self._strips.pop(y, None)
            if index != end or begin == end:
                begin = index
            else:
                pieces.pop()
            end = index + 1
            pieces.append(Region(0, begin * height, self.size.width, (end - begin) * height))
        if pieces:
            offset = self.scroll_offset
            self.refresh(*[each.translate(-offset) for each in pieces])

    # drawing

    @property
    def theme_name(self) -> str:
        """The palette's name for the theme that is on."""
        name = self.app.theme.removeprefix("leafmark-")
        return name if name in THEMES else "dark"

    def render_lines(self, crop: Region) -> list[Strip]:
        """The visible lines. There is neither border nor padding, opacity or tint, so Textual's way to them,
        which takes as long again as all the rest of painting a line, is left out.
        """
        drawn_for = (self.size.width, self.theme_name)
        if self._drawn_for != drawn_for:
            self._drawn_for = drawn_for
            self._forget_rows()
        if len(self._strips) > MOST_STRIPS:
            self._forget_unseen()
        top = self.scroll_offset.y
        strips = [self._strip(top + y) for y in crop.line_range]
        if crop.column_span != (0, self.size.width):
            strips = [each.crop(*crop.column_span) for each in strips]
        for each_filter in self.get_line_filters():
            # All our colours are true ones.
            if not isinstance(each_filter, ANSIToTruecolor):
                background = self.background_colors[1]
                strips = [each.apply_filter(each_filter, background) for each in strips]
        return strips

    def render_line(self, y: int) -> Strip:
        return self.render_lines(Region(0, y, self.size.width, 1))[0]

    def _strip(self, y: int) -> Strip:
        known = self._strips.get(y)
        if known is None:
            self._draw(y // self.row_height)
            known = self._strips[y]
        return known

    def _draw(self, index: int) -> None:
        cells, theme = self._drawn_for
        first = index * self.row_height
        if not 0 <= index < self.rows:
            self._looks[index] = None
            blank = strip([(" " * self.scrollable_content_region.width, "text")], theme, cells=cells)
            for y in range(first, first + self.row_height):
                self._strips[y] = blank
            return
        key, lines = self.row_key(index), self._lines(index)
        selected = self.is_selected(index)
        self._looks[index] = selected, key or lines
        background = ("cursor" if self.has_focus else "cursor-idle") if selected else "background"
        for y, line in enumerate(lines, first):
            self._strips[y] = strip(line, theme, background, cells=cells)
