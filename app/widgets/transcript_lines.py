"""The lines of a transcript, which grow on both sides as it is read, and the cursor on a block."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, replace
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from textual.message import Message

from app.commands import pane_commands, preview_commands
from app.view.cells import shorten
from app.view.document_line import MEASURE, PAD, next_shift
from app.view.line import fit_line, line_width, wrap
from app.view.transcript_block import FOLDED, FULL, SHORT, Block
from app.view.transcript_layout import BlockRef, TranscriptLayout
from app.widgets.commands import binding, bindings_of
from app.widgets.line_list import LineList

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from textual import events
    from textual.binding import BindingType
    from textual.strip import Strip

    from app.messages import HitLocated
    from app.sessions.tree.entry_ref import EntryRef
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

    def show_turns(self, turns: Sequence[Turn], words: tuple[str, ...]) -> None:
        """Show other turns. The caller then calls `scroll_lines`."""
        self.words, self.notice, self.shift = words, "", 0
        self.transcript.show(turns)
        self._changed()

    def add_turns(self, above: Sequence[Turn], below: Sequence[Turn], changed: Sequence[Turn] = ()) -> None:
        """Add turns on either side. The lines in view stay where they are."""
        with_view = self.view_anchor()
        self.transcript.add(above, below, changed)
        self._changed()
        self.restore_view(with_view)

    def mark_entries(self, labels: Mapping[str, str], leaf_id: str | None) -> None:
        """Show the labels of entries, by id, and which of them is the leaf."""
        if (labels, leaf_id) != (self.labels, self.leaf_id):
            self.labels, self.leaf_id = labels, leaf_id
            self.redraw_rows()

    def view_anchor(self) -> tuple[BlockRef | None, int]:
        """The block at the upper border, and the lines of it that are above the border."""
        at = self.transcript.block_at(self.top)
        if at < 0:
            return None, 0
        return self.transcript.ref(at), self.top - self.transcript.blocks[at].begin

    def restore_view(self, anchor: tuple[BlockRef | None, int]) -> None:
        """Scroll to where the view was."""
        ref, offset = anchor
        at = self.transcript.index_of(ref)
        if at >= 0:
            self.scroll_lines(self.transcript.blocks[at].begin + offset)
        else:
            self.scroll_lines(self.top)

    def placed_anew(self) -> None:
        """Show that lines were placed anew; those in view stay."""
        anchor = self.view_anchor()
        self.transcript.place()
        self._changed()
        self.restore_view(anchor)

    def show_notice(self, notice: str) -> None:
        """Show a sentence in place of a transcript."""
        self.words, self.notice = (), notice
        self.transcript.show(())
        self._changed()
        self.scroll_lines(0)

    def _changed(self) -> None:
        # Before the first layout the notice is not wrapped.
        self._notice_lines = list(wrap(self.notice, self.cells)) if self.is_laid_out else [self.notice]
        self._set_length(len(self.lines) or (len(self._notice_lines) if self.notice else 0))
        self._strips.clear()

    def scroll_lines(self, top: int) -> None:
        """Scroll so that this line is the first in view, or as near to that as possible."""
        self._scroll(max(0, min(top, self.rows - self.size.height)))
        self.redraw_rows()

    def is_in_view(self, turn: int) -> bool:
        """Whether a line of a turn is in view."""
        begin, end = self.transcript.begin_of(turn), self.transcript.end_of(turn)
        return begin < self.top + self.size.height and end > self.top

    # drawing

    def draw(self, index: int, cells: int, selected: bool) -> Line:
        if not self.lines:
            return fit_line([(" " + self._notice_lines[index], "dim")], cells)
        line = self.lines[index]
        placed = self.transcript.placed
        is_cursor = placed is not None and index == placed.begin and self.has_focus
        spans: Line = [("❯" if is_cursor else " ", "pointer"), *line.drawn(self.words, self.shift)]
        room = min(cells, CURSOR_CELLS + self._code_cells)
        right = [*self._marks(index, room - line_width([*line.spans, *line.right]) - 6), *line.right]
        size = line_width(right)
        if right and size < room - 4:
            spans = [*fit_line(spans, room - size - 2), (" ", "text"), *right]
        elif line.scrolls:
            spans = fit_line(spans, room)
        return fit_line(spans, cells)

    @property
    def _code_cells(self) -> int:
        """The cells of a line of code."""
        return min(self.cells, len(PAD) + MEASURE + 1)

    def action_scroll_sideways(self, step: int) -> None:
        """Scroll code to the right (1), or back to the left (-1)."""
        in_view = self.lines[self.top : self.top + self.size.height]
        self.shift = next_shift(in_view, self._code_cells, self.shift, step)
        self.redraw_rows()

    def show_match(self, line: DocumentLine) -> None:
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
        if placed is None or placed.begin != index or placed.block.head is None:
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
        placed = self.transcript.placed
        if self.has_focus and placed is not None and index == placed.begin:
            return "cursor"
        return self.lines[index].ground or "background"

    def render_line(self, y: int) -> Strip:
        if not self._cells:
            # Textual sends no Resize to a pane that is shown while another widget scrolls.
            self.call_next(self.on_resize)
        return super().render_line(y)

    def on_resize(self) -> None:
        height, self._height = self._height, self.size.height
        if self.lines and height and self.is_laid_out and self.top + height >= len(self.lines):
            # A view of the end stays at the end.
            self.scroll_lines(len(self.lines))
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
        if round(old_value) != round(new_value):
            self.post_message(self.Scrolled())

    # the cursor

    def on_click(self, event: events.Click) -> None:
        line = event.y + self.top
        at = self.transcript.block_at(line)
        if event.button == 1 and at >= 0 and line < len(self.lines):
            again = at == self.transcript.cursor and line == self.transcript.blocks[at].begin
            self.put_cursor(at, scroll=False)
            if again and self.transcript.blocks[at].block.folds:
                self.action_unfold()

    def put_cursor(self, index: int, *, scroll: bool = True) -> None:
        """Put the cursor on a block, and scroll as far as it needs to be seen."""
        blocks = self.transcript.blocks
        if not 0 <= index < len(blocks):
            return
        self.transcript.cursor = index
        if scroll:
            placed, height = blocks[index], self.size.height
            if placed.end - placed.begin > height or placed.begin < self.top:
                # One line of what is above it, except at the beginning.
                self.scroll_lines(placed.begin - (1 if index and placed.end - placed.begin < height else 0))
            elif placed.end > self.top + height:
                self.scroll_lines(placed.end - height)
        self.redraw_rows()
        self.post_message(self.Scrolled())

    def _cursor_in_view(self) -> bool:
        placed = self.transcript.placed
        return placed is not None and placed.begin < self.top + self.size.height and placed.end > self.top

    def _pull_cursor(self, *, down: bool) -> None:
        """Put a cursor that has left the view on the first block in view, or on the last."""
        if self.lines and not self._cursor_in_view():
            at = self.transcript.block_at(self.top if down else self.top + self.size.height - 1)
            blocks = self.transcript.blocks
            if down and blocks[at].begin < self.top and at + 1 < len(blocks):
                height = self.top + self.size.height
                at += blocks[at + 1].begin < height
            self.transcript.cursor = at
            self.redraw_rows()

    def action_cursor_up(self) -> None:
        placed = self.transcript.placed
        if placed is None:
            return
        if not self._cursor_in_view():
            self._pull_cursor(down=False)
        elif placed.begin < self.top:
            self.scroll_by(-1)
        elif self.transcript.cursor:
            before = self.transcript.cursor - 1
            above = self.transcript.blocks[before]
            if above.end - above.begin > self.size.height:
                # The end of a long block comes first.
                self.transcript.cursor = before
                self.scroll_lines(above.end - self.size.height)
                self.post_message(self.Scrolled())
            else:
                self.put_cursor(before)
        else:
            self.scroll_lines(0)

    def action_cursor_down(self) -> None:
        placed = self.transcript.placed
        if placed is None:
            return
        if not self._cursor_in_view():
            self._pull_cursor(down=True)
        elif placed.end > self.top + self.size.height:
            self.scroll_by(1)
        elif self.transcript.cursor + 1 < len(self.transcript.blocks):
            self.put_cursor(self.transcript.cursor + 1)
        else:
            self.scroll_lines(len(self.lines))

    def action_page_up(self) -> None:
        if not self.top:
            self.put_cursor(0)
        self.scroll_by(pages=-1)
        self._pull_cursor(down=False)

    def action_page_down(self) -> None:
        if self.is_at_bottom:
            self.put_cursor(len(self.transcript.blocks) - 1)
        self.scroll_by(pages=1)
        self._pull_cursor(down=True)

    def action_first(self) -> None:
        self.post_message(self.JumpAsked(to_end=False))

    def action_last(self) -> None:
        self.post_message(self.JumpAsked(to_end=True))

    action_follow_end = action_last

    def action_go_prompt(self, step: int) -> None:
        """Put the cursor on the next prompt (1), or on the previous one (-1)."""
        at = self.transcript.next_block(self.transcript.cursor, step, lambda block: block.kind == "prompt")
        if at >= 0:
            self.transcript.cursor = at
            placed = self.transcript.blocks[at]
            self.scroll_lines(placed.begin - min(1, placed.begin))
            self.put_cursor(at, scroll=False)
        else:
            self.post_message(self.PlaceAsked(step, is_label=False))

    def action_step_block(self, step: int) -> None:
        """Put the cursor on the next block (1), or on the previous one (-1), however long this one is."""
        at = self.transcript.cursor + step
        if 0 <= at < len(self.transcript.blocks):
            self.put_cursor(at)
        else:
            self.scroll_lines(0 if step < 0 else len(self.lines))

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
        if block.state == FOLDED:
            block.state = SHORT
        elif block.state == SHORT and block.more:
            self.post_message(self.BlockAsked("lines"))
            return
        else:
            block.state = FOLDED
        self._block_changed()

    def unfold_whole(self, ref: BlockRef, whole: Block) -> None:
        """Show a block whole that was read for it."""
        at = self.transcript.index_of(ref)
        if at < 0:
            return
        block = self.transcript.blocks[at].block
        block.body, block.more, block.is_tail, block.state = whole.body, whole.more, False, FULL
        self._block_changed()

    def _block_changed(self) -> None:
        self.placed_anew()
        self.put_cursor(self.transcript.cursor)

    def action_unfold_tools(self) -> None:
        """Unfold all tool calls, or fold them."""
        self.action_fold_all(self.transcript.unfolds_tools)

    def action_fold_all(self, folds: bool) -> None:
        """Fold all tool calls and thoughts, or unfold them."""
        anchor = self.view_anchor()
        self.transcript.fold_tools(folds=folds)
        self._changed()
        self.restore_view(anchor)

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
            if command.keys and not command.action.startswith("screen.")
        ),
        *(
            replace(binding(command), action=f"screen.do_from_preview({command.id!r})")
            for command in preview_commands()
            if command.keys
        ),
    ]


class Spot(NamedTuple):
    """The position of a view.

    anchor   the entry; None is the end of the transcript
    block    the number of a block of the entry; -1 is the block with the match
    line     the index of the line of the block at the upper border
    """

    anchor: EntryRef | None
    block: int = 0
    line: int = 0

    @classmethod
    def of(cls, lines: TranscriptLines, *, at_end: bool) -> Spot:
        """The position of the view.

        :param at_end: the last turn was read.
        """
        if not lines.lines or (at_end and lines.is_at_bottom):
            return cls(None)
        ref, line = lines.view_anchor()
        return cls(ref.anchor, ref.number, line) if ref is not None else cls(None)

    def top_in(self, lines: TranscriptLines) -> int | None:
        """The number of the line at the upper border; it may be less than 0 or not read yet. None: show the
        end, because the position is the end or its entry was not read.
        """
        transcript = lines.transcript
        turn = transcript.turn_of(self.anchor) if self.anchor is not None else -1
        if turn < 0 or self.anchor is None:
            return None
        if self.block < 0:
            # The match is a third down the pane, or the entry begins two lines down if that shows both.
            line = transcript.found_line(turn)
            begin, row = transcript.begin_of(turn), lines.size.height // 3
            return begin - min(row, 2) if line - begin < row else line - row
        at = transcript.index_of(BlockRef(self.anchor, self.block))
        if at < 0:
            return transcript.begin_of(turn)
        placed = transcript.blocks[at]
        return placed.begin + min(self.line, placed.end - placed.begin)


def current_turn(lines: TranscriptLines, hit: HitLocated | None, *, at_end: bool) -> int:
    """The index of the turn whose position is shown; -1 without turns: that of the cursor, or of a hit in
    view, or of the view.

    :param at_end: the last turn was read.
    """
    if not lines.turns:
        return -1
    placed = lines.transcript.placed
    if lines.has_focus and placed is not None and lines.is_in_view(placed.turn):
        return placed.turn
    if hit is not None and hit.entry is not None:
        turn = lines.transcript.turn_of(hit.entry)
        if turn >= 0 and lines.is_in_view(turn):
            return turn
    return len(lines.turns) - 1 if at_end and lines.is_at_bottom else lines.transcript.turn_at(lines.top)
