"""The whole of the entry under the tree's cursor."""

from __future__ import annotations

from typing import ClassVar

from textual.message import Message

from app.view.highlight import best_line, highlight_line
from app.view.line import Line, fit_line
from app.view.prose import mark_prose
from app.widgets.bindings import bindings_of
from app.widgets.line_list import LineList

TYPE_CHECKING = False
if TYPE_CHECKING:
    from textual.binding import BindingType

    from app.view.document_line import DocumentLine


class EntryPane(LineList):
    """Lines of text that scroll; the lines come in batches from the thread that wraps them."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings_of("entry")]

    class NeighbourAsked(Message):
        """The user wants the entry before (-1) or after (1) this one."""

        def __init__(self, step: int) -> None:
            self.step = step
            super().__init__()

    class RawToggled(Message):
        """The user wants the entry as it stands in the file, or read again."""

    class WidthChanged(Message):
        """The lines must be wrapped anew."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.lines: list[DocumentLine] = []
        self.raw = False
        self.words: tuple[str, ...] = ()
        self._cells = 0

    @property
    def cells(self) -> int:
        """How wide a line may be: the pane less a margin on both sides."""
        return max(4, self.scrollable_content_region.width - 2)

    @property
    def is_laid_out(self) -> bool:
        """Whether the pane has a width; while it is not displayed there is nothing to wrap to."""
        return bool(self.size.width)

    def forget_width(self) -> None:
        """The lines that are shown are out of date: ask for new ones when the pane appears, whatever its
        width.
        """
        self._cells = 0

    @property
    def has_cursor(self) -> bool:
        return False

    def show_lines(self, lines: list[DocumentLine], *, more: bool) -> None:
        """Show an entry from its first line, or (``more``) add lines to the one that is shown."""
        if more:
            self.lines.extend(lines)
            self._set_length(len(self.lines))
            self._redraw_changed()
            return
        self.lines = list(lines)
        self.set_rows(len(self.lines), 0)
        self._scroll(0)

    def mark(self, words: tuple[str, ...]) -> None:
        """Mark these words, folded, wherever they stand."""
        if words != self.words:
            self.words = words
            self.redraw_rows()

    def show_match(self, begin: int) -> bool:
        """Have the line in sight that has most of the marked words, of those from ``begin`` on. False where
        none has any.
        """
        found = best_line(self.lines[begin:], self.words)
        if found >= 0:
            self.move_to(begin + found - self.size.height // 3)
        return found >= 0

    def draw(self, index: int, cells: int, selected: bool) -> Line:
        line = self.lines[index]
        body = mark_prose(line.text) if line.prose else [(line.text, line.style)]
        return fit_line([(" ", "text"), *highlight_line(body, self.words)], cells)

    def on_resize(self) -> None:
        super().on_resize()
        if self.cells != self._cells:
            self._cells = self.cells
            self.post_message(self.WidthChanged())

    def show_cursor(self) -> None:
        """There is no cursor to show."""

    def move_to(self, index: int) -> None:
        self._scroll(max(0, min(index, self.rows - self.size.height)))

    def action_cursor_up(self) -> None:
        self.move_to(self.scroll_offset.y - 1)

    def action_cursor_down(self) -> None:
        self.move_to(self.scroll_offset.y + 1)

    def action_page_up(self) -> None:
        self.move_to(self.scroll_offset.y - max(1, self.size.height - 1))

    def action_page_down(self) -> None:
        self.move_to(self.scroll_offset.y + max(1, self.size.height - 1))

    def action_first(self) -> None:
        self.move_to(0)

    def action_last(self) -> None:
        self.move_to(self.rows)

    def action_previous_entry(self) -> None:
        self.post_message(self.NeighbourAsked(-1))

    def action_next_entry(self) -> None:
        self.post_message(self.NeighbourAsked(1))

    def action_toggle_raw(self) -> None:
        self.raw = not self.raw
        self.post_message(self.RawToggled())
