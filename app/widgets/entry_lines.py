"""The lines of a whole entry, in a dialog."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding
from textual.message import Message

from app.view.document_line import MEASURE, best_line, next_shift
from app.view.image_lines import ImageLine, problem_lines
from app.view.line import Line, fit_line
from app.view.palette import THEMES
from app.widgets.line_list import LineList
from app.widgets.styling import theme_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.binding import BindingType

    from app.formats.entry_parts import Part
    from app.view.document_line import CodeBlock, DocumentLine
    from app.view.image_lines import Drawing, ImageLine


class EntryLines(LineList):
    """Lines of text that scroll; the lines come in batches from the thread that wraps them."""

    is_text = True
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right", "scroll_sideways(1)", "Scroll code to the right"),
        Binding("left", "scroll_sideways(-1)", "Scroll code back to the left"),
    ]

    class WidthChanged(Message):
        """The lines must be wrapped anew, or images drawn in another size."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.lines: list[DocumentLine] = []
        self.parts: Sequence[Part] = ()
        # each block of code, with the number of its first line
        self._blocks: list[tuple[int, CodeBlock]] = []
        # the index of the block that was copied last, and the scroll position then
        self._copied = (-1, 0)
        self.words: tuple[str, ...] = ()
        # cells by which code is scrolled sideways
        self._shift = 0
        self._has_images = False
        # the size for which the lines were requested
        self._cells = self._height = 0

    @property
    def codes(self) -> list[CodeBlock]:
        """The blocks of code."""
        return [block for _, block in self._blocks]

    @property
    def cells(self) -> int:
        """The cells of a line: the width of the pane without a margin on both sides."""
        return max(4, min(MEASURE, self.scrollable_content_region.width - 2))

    def show_lines(self, lines: list[DocumentLine], *, more: bool, parts: Sequence[Part] = ()) -> None:
        """Show the lines of an entry.

        :param more: add them to the lines that are shown.
        :param parts: the parts of the entry, with its first lines.
        """
        begin = len(self.lines) if more else 0
        blocks = [(index, line.block) for index, line in enumerate(lines, begin) if line.block is not None]
        if more:
            self._blocks += blocks
            self.lines.extend(lines)
            self._has_images = self._has_images or _has_images(lines)
            self._set_length(len(self.lines))
            self.redraw_rows()
            return
        self._blocks = blocks
        self.lines, self.parts = list(lines), parts
        self._shift = 0
        self._has_images = _has_images(lines)
        self._copied = (-1, 0)
        self.set_rows(len(self.lines), 0)
        self.move_to(0)

    def show_image(self, drawing: Drawing) -> None:
        """Draw a decoded image on its lines, or replace them by its problem. The lines in view below it stay
        there.
        """
        if not drawing.problem:
            self.redraw_rows()
            return
        index = 0
        while index < len(self.lines):
            line = self.lines[index]
            if isinstance(line, ImageLine) and line.drawing is drawing:
                self._replace(index, drawing.rows, problem_lines(drawing.problem, self.cells))
            index += 1

    def _replace(self, index: int, count: int, lines: list[DocumentLine]) -> None:
        self.lines[index : index + count] = lines
        removed = count - len(lines)
        self._blocks = [(line - removed if line > index else line, block) for line, block in self._blocks]
        top = self.scroll_offset.y
        self._set_length(len(self.lines))
        if top > index:
            self._scroll(max(index, top - removed))
        self.redraw_rows()

    def mark(self, words: tuple[str, ...]) -> None:
        """Highlight all occurrences of these words, which are folded."""
        if words != self.words:
            self.words = words
            self.redraw_rows()

    def show_match(self, begin: int) -> bool:
        """Scroll to the line with the most of the highlighted words. False: no line has one.

        :param begin: the first line that is considered.
        """
        index = best_line(self.lines[begin:], self.words)
        if index >= 0:
            self.move_to(begin + index - self.size.height // 3)
        return index >= 0

    def draw(self, index: int, cells: int, selected: bool) -> Line:
        line = self.lines[index]
        if isinstance(line, ImageLine):
            spans = line.spans_over(THEMES[theme_name(self)]["background"])
        else:
            spans = line.drawn(self.words, self._shift)
        return fit_line(fit_line([(" ", "text"), *spans], min(cells, 1 + self.cells)), cells)

    def ground_of(self, index: int, selected: bool) -> str:
        ground = self.lines[index].ground if index < len(self.lines) else ""
        return ground or "background"

    def on_resize(self) -> None:
        super().on_resize()
        height = self.size.height
        if self.cells != self._cells or (self._has_images and height != self._height):
            self._cells, self._height = self.cells, height
            self.post_message(self.WidthChanged())

    def action_scroll_sideways(self, step: int) -> None:
        """Scroll code to the right (1), or back to the left (-1)."""
        top = self.scroll_offset.y
        in_view = self.lines[top : top + self.size.height]
        self._shift = next_shift(in_view, self.cells, self._shift, step)
        self.redraw_rows()

    def next_code(self) -> int:
        """The number of the block of code to copy: the first one that begins in view or below, then the next
        one at each call; -1 without any.
        """
        blocks = self._blocks
        if not blocks:
            return -1
        last, top = self._copied
        if last >= 0 and top == self.scroll_offset.y:
            index = (last + 1) % len(blocks)
        else:
            top = self.scroll_offset.y
            index = next((number for number, (line, _) in enumerate(blocks) if line >= top), len(blocks) - 1)
        line, _ = blocks[index]
        if not 0 <= line - self.scroll_offset.y < self.size.height:
            self.move_to(line)
        self._copied = (index, self.scroll_offset.y)
        return index


def _has_images(lines: list[DocumentLine]) -> bool:
    return any(isinstance(line, ImageLine) for line in lines)
