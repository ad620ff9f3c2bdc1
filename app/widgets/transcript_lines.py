"""The lines of a transcript, which grow on both sides as it is read, and the cursor on a block."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from textual.message import Message

from app.commands import pane_commands, preview_commands
from app.view.cells import shorten
from app.view.document_line import MEASURE, PAD, next_shift
from app.view.line import fit_line, line_width, wrap
from app.view.transcript_block import FOLDED, FULL, SHORT, Block
from app.view.transcript_layout import BEGINNING, END, BlockRef, Spot, TranscriptLayout
from app.widgets.commands import binding, bindings_of
from app.widgets.line_list import LineList

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from textual import events
    from textual.binding import BindingType
    from textual.strip import Strip

    from app.view.document_line import DocumentLine
    from app.view.line import Line
    from app.view.transcript_block import Turn

CURSOR_CELLS = 1
LEAST_LABEL = 4
"""Fewest cells in which a label is shown beside other text."""


class TranscriptLines(LineList):
    """The blocks of some turns of a session.

    transcript   the turns and their lines
    words        the words of a search, folded, which are highlighted
    labels       the labels of entries, by id
    leaf_id      the entry that the agent continues from
    at_end       whether the last turn is the end of the session
    spot         the position of cursor and view; `END` while new entries are followed
    pointer      the line on which the cursor is drawn; -1 for none
    is_led       the cursor is where that of the tree is, which has the keys
    """

    is_text = True  # The cursor is on a block and not on a row.
    BINDINGS: ClassVar[list[BindingType]] = [*bindings_of("transcript")]

    class Scrolled(Message):
        """Other lines are in view, or the cursor is on another block."""

    @dataclass(eq=False, repr=False)
    class JumpAsked(Message):
        """The user wants the beginning of the session, or its end."""

        _: KW_ONLY
        to_end: bool

    class WidthChanged(Message):
        """The lines must be wrapped anew."""

    @dataclass(eq=False, repr=False)
    class BlockAsked(Message):
        """The user wants a block whole: its "lines" on the screen, or its "text" or "code" copied."""

        wanted: str

    @dataclass(eq=False, repr=False)
    class PlaceAsked(Message):
        """The user wants the next prompt or label, or the previous one (-1), and it is not read yet."""

        step: int
        _: KW_ONLY
        is_label: bool

    @dataclass(eq=False, repr=False)
    class HitAsked(Message):
        """The user wants the next hit of the search in this transcript, or the previous one (-1)."""

        step: int

    @dataclass(eq=False, repr=False)
    class BranchAsked(Message):
        """The user wants another branch that starts at the cursor (1), or the one before (-1)."""

        step: int

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self.transcript = TranscriptLayout()
        self.words: tuple[str, ...] = ()
        self.labels: Mapping[str, str] = {}
        self.leaf_id: str | None = None
        self.notice = ""
        self._notice_lines: list[str] = []
        # cells by which code is scrolled sideways
        self.shift = 0
        self.at_end = True
        self.is_led = False
        self.spot = END
        self.pointer = -1
        self._cells = 0
        self._height = 0

    @property
    def turns(self) -> list[Turn]:
        """The turns that were read."""
        return self.transcript.turns

    @property
    def lines(self) -> list[DocumentLine]:
        """All lines."""
        return self.transcript.lines

    @property
    def cells(self) -> int:
        """The cells of a line: the width of the pane without the cell of the cursor."""
        return max(8, self.scrollable_content_region.width - CURSOR_CELLS)

    @property
    def is_laid_out(self) -> bool:
        """Whether the pane has a size; it has none while it is not displayed."""
        return bool(self.size.width and self.size.height)

    def forget_width(self) -> None:
        """Post `WidthChanged` when the pane is drawn again, even if the width is the same."""
        self._cells = 0

    @property
    def top(self) -> int:
        """The first line in view."""
        return self.scroll_offset.y

    @property
    def is_at_bottom(self) -> bool:
        """Whether the last line is in view."""
        return self.top + self.size.height >= len(self.lines)

    # turns

    def show_turns(
        self,
        turns: Sequence[Turn],
        words: tuple[str, ...],
        spot: Spot,
        *,
        at_end: bool,
        keeps_folds: bool = False,
    ) -> None:
        """Show other turns, at a position.

        :param at_end: whether the last of them is the end of the session.
        :param keeps_folds: they are of the same session, and what is unfolded stays so.
        """
        self.words, self.notice, self.shift = words, "", 0
        self.transcript.show(turns, keeps_folds=keeps_folds)
        self.spot, self.at_end = spot, at_end
        if spot.anchor is not None and spot.block < 0:
            self.transcript.reveal(spot.anchor)
        self._lay_out()
        if spot.anchor is not None and spot.block < 0 and self.lines:
            found = self.transcript.found_line(self.transcript.turn_of(spot.anchor))
            self._show_match(self.lines[min(found, len(self.lines) - 1)])
        elif spot == BEGINNING:
            self._note_spot()

    def open_at_prompt(self) -> None:
        """Go from the end to the last prompt that was read, if the end does not show it."""
        layout = self.transcript
        at = layout.next_block(len(layout.blocks), -1, lambda block: block.kind == "prompt")
        ref = layout.ref(at)
        if ref is not None and not (
            self.at_end and len(self.lines) - layout.blocks[at].begin < self.size.height
        ):
            self.show_spot(Spot(ref.anchor, ref.number, 0, 1))

    def add_turns(
        self, above: Sequence[Turn], below: Sequence[Turn], changed: Sequence[Turn] = (), *, at_end: bool
    ) -> None:
        """Add turns on either side. The block with the cursor stays where it is, unless the end is followed.

        :param at_end: whether the last turn is then the end of the session.
        """
        self.transcript.add(above, below, changed)
        self.at_end = at_end
        self._lay_out()

    def mark_entries(self, labels: Mapping[str, str], leaf_id: str | None) -> None:
        """Show the labels of entries, by id, and which of them is the leaf."""
        if (labels, leaf_id) != (self.labels, self.leaf_id):
            self.labels, self.leaf_id = labels, leaf_id
            self.transcript.marked = {*labels, leaf_id or ""}
            self.placed_anew()

    def placed_anew(self) -> None:
        """Show that lines were placed anew; the block with the cursor stays where it is."""
        self.transcript.place()
        self._lay_out()

    def show_spot(self, spot: Spot) -> None:
        """Go to a position in the turns that were read."""
        self.spot = spot
        self._scroll_to_spot()
        self._note_spot()

    def show_notice(self, notice: str) -> None:
        """Show a sentence in place of a transcript."""
        self.words, self.notice, self.spot = (), notice, END
        self.transcript.show(())
        self._lay_out()

    def _lay_out(self) -> None:
        # Before the first layout the notice is not wrapped.
        self._notice_lines = list(wrap(self.notice, self.cells)) if self.is_laid_out else [self.notice]
        spot = self.spot
        # This may scroll, if there are fewer lines.
        self._set_length(len(self.lines) or (len(self._notice_lines) if self.notice else 0))
        self.spot = spot
        self._scroll_to_spot()

    def _scroll_to_spot(self) -> None:
        """Scroll to the position. It is kept as the user left it, also where it cannot be reached."""
        spot = self.spot
        if self.is_laid_out:
            top = self.transcript.go_to(spot, self.size.height)
            cursor = self.transcript.cursor
            self._scroll(top)
            # A view that ends at the end of the session is not followed for that.
            self.transcript.cursor = cursor
        self.spot, self.pointer = spot, self.transcript.pointer(self.top)
        self.redraw_rows()

    def _note_spot(self) -> None:
        """Keep the position to which the user has moved cursor or view."""
        spot = self.transcript.spot(self.top)
        is_last = self.transcript.cursor == len(self.transcript.blocks) - 1
        self.spot = END if self.at_end and is_last and self.is_at_bottom else spot
        before, self.pointer = self.pointer, self.transcript.pointer(self.top)
        self._redraw(before, self.pointer)
        self.post_message(self.Scrolled())

    def scroll_lines(self, top: int) -> None:
        """Scroll so that this line is the first in view, or as near to that as possible."""
        self._scroll(self.transcript.clamped(top, self.size.height))

    # drawing

    def draw(self, index: int, cells: int, selected: bool) -> Line:
        if not self.lines:
            return fit_line([(" " + self._notice_lines[index], "dim")], cells)
        line = self.lines[index]
        is_cursor = index == self.pointer and self.has_focus
        spans: Line = [("❯" if is_cursor else " ", "pointer"), *line.drawn(self.words, self.shift)]
        room = min(cells, CURSOR_CELLS + self._code_cells)
        right = [*self._marks(index, room - line_width([*line.spans, *line.right]) - 6), *line.right]
        size = line_width(right)
        if right and size < room - 4:
            spans = [*fit_line(spans, room - size - 2), (" ", "text"), *right]
        elif line.scrolls:
            spans = fit_line(spans, room)
        margin = (cells - room) // 2
        return fit_line([(" " * margin, "text"), *spans] if margin else spans, cells)

    @property
    def _code_cells(self) -> int:
        return min(self.cells, len(PAD) + MEASURE + 1)

    def action_scroll_sideways(self, step: int) -> None:
        """Scroll code to the right (1), or back to the left (-1)."""
        in_view = self.lines[self.top : self.top + self.size.height]
        self.shift = next_shift(in_view, self._code_cells, self.shift, step)
        self.redraw_rows()

    def _show_match(self, line: DocumentLine) -> None:
        """Scroll code sideways so that the words of a search are in view in a line."""
        room = self._code_cells
        before = line.cells_before(self.words) if line.scrolls else 0
        self.shift = max(0, before - room // 2) if before > room - 8 else 0
        self.redraw_rows()

    def _marks(self, index: int, room: int) -> Line:
        """The label of the entry whose first line this is, and the mark of the leaf."""
        if not self.labels and self.leaf_id is None:
            return []
        at = self.transcript.block_at(index)
        placed = self.transcript.blocks[at] if at >= 0 else None
        if placed is None or placed.begin != index:
            return []
        if placed.block.head is None and not placed.heading:
            return []
        turn = self.turns[placed.turn]
        if turn.entry_id is None or placed.number != turn.main_block:
            return []
        marks: Line = []
        label = self.labels.get(turn.entry_id)
        if turn.entry_id == self.leaf_id and room >= 8:
            marks.append(("← leaf", "leaf"))
            room -= 8
        if label and room >= LEAST_LABEL + 2:
            marks.insert(0, (f"◆ {shorten(label, room - 2)}" + ("  " if marks else ""), "label"))
        if marks and self.lines[index].right:
            marks.append(("  ", "text"))
        return marks

    def ground_of(self, index: int, selected: bool) -> str:
        if not 0 <= index < len(self.lines):
            return "background"
        if index == self.pointer and (self.has_focus or self.is_led):
            return "cursor" if self.has_focus else "cursor-idle"
        return self.lines[index].ground or "background"

    def render_line(self, y: int) -> Strip:
        if not self._cells:
            # Textual sends no Resize to a pane that is shown while another widget scrolls.
            self.call_next(self.on_resize)
        return super().render_line(y)

    def size_changed(self) -> None:
        self._height = self.size.height
        self._scroll_to_spot()

    def on_resize(self) -> None:
        self.post_message(self.Scrolled())
        if self.is_laid_out and self.cells != self._cells:
            self._cells = self.cells
            self.post_message(self.WidthChanged())

    def on_focus(self) -> None:
        self.redraw_rows()

    def on_blur(self) -> None:
        self.redraw_rows()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        # While the size changes, the lines stay until `size_changed`.
        if round(old_value) == round(new_value) or self.size.height != self._height:
            return
        transcript = self.transcript
        if not self.has_focus and self.at_end and self.is_at_bottom:
            # The cursor is not drawn: this view of the end is followed.
            transcript.cursor = max(0, len(transcript.blocks) - 1)
        transcript.keep_in_view(self.top, self.size.height)
        self._note_spot()

    # the cursor

    def on_click(self, event: events.Click) -> None:
        line = event.y + self.top
        at = self.transcript.block_at(line)
        if event.button == 1 and at >= 0 and line < self.transcript.blocks[at].end:
            again = at == self.transcript.cursor and line == self.transcript.blocks[at].begin
            self._place_cursor(at, self.top)
            if again and self.transcript.blocks[at].block.folds:
                self.action_unfold()

    def put_cursor(self, index: int) -> None:
        """Put the cursor on a block, and scroll as far as it needs to be seen."""
        if 0 <= index < len(self.transcript.blocks):
            self._place_cursor(index, self.transcript.top_with(index, self.top, self.size.height))

    def _place_cursor(self, index: int, top: int) -> None:
        """Put the cursor on a block that is in view if `top` is the first line in view."""
        self.scroll_lines(top)
        self.transcript.cursor = index
        self._note_spot()

    def action_cursor_up(self) -> None:
        placed = self.transcript.placed
        if placed is None:
            return
        if placed.begin < self.top:
            self.scroll_by(-1)
        elif self.transcript.cursor:
            before = self.transcript.cursor - 1
            above = self.transcript.blocks[before]
            if above.end - above.begin > self.size.height:
                # The end of a long block comes first.
                self._place_cursor(before, above.end - self.size.height)
            else:
                self.put_cursor(before)
        else:
            self.scroll_lines(0)

    def action_cursor_down(self) -> None:
        placed = self.transcript.placed
        if placed is None:
            return
        if placed.end > self.top + self.size.height:
            self.scroll_by(1)
        elif self.transcript.cursor + 1 < len(self.transcript.blocks):
            self.put_cursor(self.transcript.cursor + 1)
        else:
            self.scroll_lines(len(self.lines))

    def action_page_up(self) -> None:
        if self.top:
            self.scroll_by(pages=-1)
        else:
            self.put_cursor(0)

    def action_page_down(self) -> None:
        if self.is_at_bottom:
            self.put_cursor(len(self.transcript.blocks) - 1)
        else:
            self.scroll_by(pages=1)

    def action_first(self) -> None:
        self.post_message(self.JumpAsked(to_end=False))

    def action_last(self) -> None:
        self.post_message(self.JumpAsked(to_end=True))

    action_follow_end = action_last

    def action_go_prompt(self, step: int) -> None:
        """Put the cursor on the next prompt (1), or on the previous one (-1)."""
        at = self.transcript.next_block(self.transcript.cursor, step, lambda block: block.kind == "prompt")
        if at >= 0:
            self._place_cursor(at, self.transcript.blocks[at].begin - 1)
        else:
            self.post_message(self.PlaceAsked(step, is_label=False))

    def action_go_parent(self) -> None:
        """Put the cursor on the entry before this one on the path."""
        placed = self.transcript.placed
        turn = placed.turn - 1 if placed is not None else -1
        while turn >= 0 and not self.turns[turn].blocks:
            turn -= 1
        if turn >= 0:
            shown = self.turns[turn]
            self.put_cursor(self.transcript.index_of(BlockRef(shown.anchor, shown.main_block)))
        else:
            self.scroll_lines(0)

    def action_go_label(self, step: int) -> None:
        """Put the cursor on the next entry with a label (1), or on the previous one (-1)."""
        transcript = self.transcript
        turn = transcript.placed.turn + step if transcript.placed is not None else -1
        while 0 <= turn < len(self.turns):
            shown = self.turns[turn]
            if shown.entry_id in self.labels and shown.blocks:
                self.put_cursor(transcript.index_of(BlockRef(shown.anchor, shown.main_block)))
                return
            turn += step
        self.post_message(self.PlaceAsked(step, is_label=True))

    # folds, copies, hits and branches

    def action_unfold(self) -> None:
        """Unfold the block, then all of it; fold it again."""
        placed = self.transcript.placed
        if placed is None or not placed.block.folds:
            return
        block = placed.block
        if placed.run:
            self.transcript.switch_run(placed)
        elif block.state == FOLDED:
            block.state = SHORT
        elif block.state == SHORT and block.more:
            self.post_message(self.BlockAsked("lines"))
            return
        else:
            block.state = FOLDED
        self._folded()
        self.put_cursor(self.transcript.cursor)

    def unfold_whole(self, ref: BlockRef, whole: Block) -> None:
        """Show a block whole that was read for it."""
        at = self.transcript.index_of(ref)
        if at < 0:
            return
        block = self.transcript.blocks[at].block
        block.body, block.more, block.is_tail, block.state = whole.body, whole.more, False, FULL
        self._folded()
        if at == self.transcript.cursor:
            self.put_cursor(at)

    def _folded(self) -> None:
        """Show that blocks were folded or unfolded; the one with the cursor stays where it is."""
        # The end is not followed meanwhile: a block that grows at the end would leave its row.
        self.spot = self.transcript.spot(self.top)
        self.placed_anew()
        self._note_spot()

    def action_unfold_tools(self) -> None:
        """Unfold all tool calls, or fold them."""
        self.action_fold_all(self.transcript.unfolds_tools)

    def action_fold_all(self, folds: bool) -> None:
        """Fold all tool calls and thoughts, or unfold them."""
        self.transcript.fold_tools(folds=folds)
        self._folded()

    def action_copy_block(self) -> None:
        self.post_message(self.BlockAsked("text"))

    def action_copy_block_code(self) -> None:
        self.post_message(self.BlockAsked("code"))

    def action_go_hit(self, step: int) -> None:
        self.post_message(self.HitAsked(step))

    def action_switch_branch(self, step: int) -> None:
        self.post_message(self.BranchAsked(step))


class PreviewLines(TranscriptLines, inherit_bindings=False):
    """A transcript beside the list of the selector. The keys of the list work here too, on that session, but
    for those that this pane has itself.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings_of("list"),
        *(
            binding(command)
            for command in pane_commands("transcript")
            if command.keys and not command.action.startswith("beside.")
        ),
        *(
            replace(binding(command), action=f"screen.do_from_preview({command.id!r})")
            for command in preview_commands()
            if command.keys
        ),
    ]
