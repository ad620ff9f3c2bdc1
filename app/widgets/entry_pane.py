"""The whole of the entry under the tree's cursor."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual.message import Message

from app.view.document_line import best_line
from app.view.line import Line, fit_line, highlight_line
from app.view.palette import THEMES
from app.widgets.commands import bindings_of
from app.widgets.line_list import LineList

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from textual.binding import BindingType

    from app.formats.entry_parts import Part
    from app.view.document_line import CodeBlock, DocumentLine
    from app.view.image_lines import Drawing, ImageLine


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

    class CopyAsked(Message):
        """The user wants a text on the clipboard; ``what`` names it, neither is inert."""

        def __init__(self, what: str, text: str) -> None:
            self.what = what
            self.text = text
            super().__init__()

    class OpenAsked(Message):
        """The user wants the entry in the "pager" or the "editor"."""

        def __init__(self, kind: str) -> None:
            self.kind = kind
            super().__init__()

    class ReadAsked(Message):
        """The entry is wanted at once, and also where the pane is not displayed."""

    class CodeChanged(LineList.ListMessage):
        """There is code to copy now, or none any more."""

    class WidthChanged(Message):
        """The lines must be wrapped anew, or images are to be drawn in another size."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.lines: list[DocumentLine] = []
        self.parts: Sequence[Part] = ()
        # the code in the lines, each with the line that it begins at
        self._blocks: list[tuple[int, CodeBlock]] = []
        # which of it was copied last, and what was the first line in sight then
        self._copied = (-1, 0)
        self.raw = False
        self.words: tuple[str, ...] = ()
        # images that are in the lines, or will be
        self._has_images = False
        self._cells = self._height = 0
        # the lines are of another entry than the one that is to be shown, and what is done once they are not
        self._awaits = False
        self._late: Callable[[], None] | None = None

    @property
    def has_code(self) -> bool:
        """Whether there is code to copy in what is shown."""
        return bool(self._blocks)

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

    def expect(self) -> None:
        """Another entry is to be shown, and is not read yet."""
        self._awaits, self._late = True, None

    def _once_read(self, do: Callable[[], None]) -> None:
        """Do something with the entry that is to be shown, and never with the one before it."""
        if self._awaits:
            self._late = do
            self.post_message(self.ReadAsked())
        else:
            do()

    def show_lines(
        self, lines: list[DocumentLine], *, more: bool, parts: Sequence[Part] = (), stays: bool = False
    ) -> None:
        """Show an entry from its first line, or (``more``) add lines to the one that is shown.

        :param parts: what the lines are made of; with the first of them.
        :param stays: it is the one that is shown, grown: what is in sight of it stays there.
        """
        begin, had_code = len(self.lines) if more else 0, self.has_code
        found = [(at, line.block) for at, line in enumerate(lines, begin) if line.block is not None]
        if not more:
            self._blocks = []
        self._blocks += found
        if self.has_code != had_code:
            self.post_message(self.CodeChanged(self))
        if more:
            self.lines.extend(lines)
            self._has_images = self._has_images or _has_images(lines)
            self._set_length(len(self.lines))
            self.redraw_rows()
            return
        self.lines, self.parts = list(lines), parts
        self._has_images = _has_images(lines)
        self._copied = (-1, 0)
        top = self.scroll_offset.y if stays else 0
        self.set_rows(len(self.lines), 0)
        self._scroll(max(0, min(top, self.rows - self.size.height)))
        late, self._awaits, self._late = self._late, False, None
        if late is not None:
            late()

    def show_image(self, drawing: Drawing) -> None:
        """Draw a decoded image on its lines, or replace them by its problem. The lines in view below it stay
        there.
        """
        if not drawing.problem:
            self.redraw_rows()
            return
        from app.view.image_lines import problem_lines

        at = 0
        while at < len(self.lines):
            image = image_of(self.lines[at])
            if image is not None and image.drawing is drawing:
                self._replace(at, drawing.rows, problem_lines(drawing.problem, self.cells))
            at += 1

    def _replace(self, at: int, count: int, lines: list[DocumentLine]) -> None:
        self.lines[at : at + count] = lines
        gone = count - len(lines)
        self._blocks = [(line - gone if line > at else line, block) for line, block in self._blocks]
        top = self.scroll_offset.y
        self._set_length(len(self.lines))
        if top > at:
            self._scroll(max(at, top - gone))
        self.redraw_rows()

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

    def row_key(self, index: int) -> object:
        image = image_of(self.lines[index])
        # drawing one to see whether it looks different takes a while
        return (image.drawing, image.row, image.drawing.is_done) if image is not None else None

    def draw(self, index: int, cells: int, selected: bool) -> Line:
        line = self.lines[index]
        image = image_of(line)
        if image is not None:
            spans = image.spans_over(THEMES[self.theme_name]["background"])
        else:
            spans = highlight_line(line.spans, self.words)
        return fit_line([(" ", "text"), *spans], cells)

    def on_resize(self) -> None:
        super().on_resize()
        height = self.size.height
        if self.cells != self._cells or (self._has_images and height != self._height):
            self._cells, self._height = self.cells, height
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
        self.expect()
        self.post_message(self.RawToggled())

    def action_copy_text(self) -> None:
        self._once_read(self._copy_text)

    def _copy_text(self) -> None:
        from app.view.clipboard import main_text

        self.post_message(self.CopyAsked("Text", main_text(self.parts)))

    def action_copy_code(self) -> None:
        """Copy the first code that begins in sight or below, then the next one at each press."""
        self._once_read(self._copy_code)

    def _copy_code(self) -> None:
        from app.view.clipboard import block_title

        blocks = self._blocks
        if not blocks:
            self.post_message(self.CopyAsked("Code", ""))
            return
        last, top = self._copied
        if last >= 0 and top == self.scroll_offset.y:
            at = (last + 1) % len(blocks)
        else:
            starts = [line for line, _ in blocks]
            at = next((at for at, line in enumerate(starts) if line >= self.scroll_offset.y), len(blocks) - 1)
        line, block = blocks[at]
        if not 0 <= line - self.scroll_offset.y < self.size.height:
            self.move_to(line)
        self._copied = (at, self.scroll_offset.y)
        self.post_message(self.CopyAsked(block_title(at, [block for _, block in blocks]), block.source))

    def action_open_pager(self) -> None:
        self._once_read(partial(self._open, "pager"))

    def action_open_editor(self) -> None:
        self._once_read(partial(self._open, "editor"))

    def _open(self, kind: str) -> None:
        self.post_message(self.OpenAsked(kind))


def image_of(line: DocumentLine) -> ImageLine | None:
    """A line as one of an image; None where it is none."""
    # with the first line: imports hold up the first key
    from app.view.image_lines import ImageLine

    return line if isinstance(line, ImageLine) else None


def _has_images(lines: list[DocumentLine]) -> bool:
    return any(image_of(line) is not None for line in lines)
