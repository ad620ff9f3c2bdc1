"""The lines of a transcript, which grow on both sides as the transcript is read."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from textual.message import Message

from app.commands import preview_commands
from app.sessions.tree.tail_reader import EntryRef
from app.view.document_line import mark_prose
from app.view.line import fit_line, highlight_line, wrap
from app.widgets.commands import binding
from app.widgets.line_list import LineList

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.binding import BindingType
    from textual.strip import Strip

    from app.messages import HitLocated
    from app.view.document_line import DocumentLine
    from app.view.line import Line
    from app.view.transcript import Turn


class TranscriptLines(LineList):
    """The lines of some turns of a session. The keys of the list work here too, on that session."""

    BINDINGS: ClassVar[list[BindingType]] = [
        replace(binding(command), action=f"screen.do_from_preview({command.id!r})")
        for command in preview_commands()
        if command.keys
    ]

    class Scrolled(Message):
        """Other lines are in view."""

    class JumpAsked(Message):
        """The user wants the beginning of the session, or its end."""

        def __init__(self, *, to_end: bool) -> None:
            self.to_end = to_end
            super().__init__()

    class WidthChanged(Message):
        """The lines must be wrapped anew."""

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self.turns: list[Turn] = []
        self.lines: list[DocumentLine] = []
        self.words: tuple[str, ...] = ()
        self.notice = ""
        self._notice_lines: list[str] = []
        # the first line of each turn
        self._starts: list[int] = []
        self._cells = 0
        self._height = 0

    @property
    def cells(self) -> int:
        """The cells of a line: the width of the pane without a margin on both sides."""
        return max(8, self.scrollable_content_region.width - 2)

    @property
    def is_laid_out(self) -> bool:
        """Whether the pane has a size; it has none while it is not displayed."""
        return bool(self.size.width and self.size.height)

    def forget_width(self) -> None:
        """Post `WidthChanged` when the pane is drawn again, even if the width is the same."""
        self._cells = 0

    @property
    def has_cursor(self) -> bool:
        return False

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
        self.turns, self.words, self.notice = list(turns), words, ""
        self._changed()

    def add_turns(self, above: Sequence[Turn], below: Sequence[Turn]) -> None:
        """Add turns on either side. The lines in view stay where they are."""
        top = self.top
        self.turns = [*above, *self.turns, *below]
        self._changed()
        self.scroll_lines(top + sum(len(turn.lines) for turn in above))

    def show_notice(self, notice: str) -> None:
        """Show a sentence in place of a transcript."""
        self.turns, self.words, self.notice = [], (), notice
        self._changed()
        self.scroll_lines(0)

    def _changed(self) -> None:
        self.lines, self._starts = [], []
        for turn in self.turns:
            self._starts.append(len(self.lines))
            self.lines.extend(turn.lines)
        # Before the first layout the notice is not wrapped.
        self._notice_lines = list(wrap(self.notice, self.cells)) if self.is_laid_out else [self.notice]
        self._set_length(len(self.lines) or (len(self._notice_lines) if self.notice else 0))

    def scroll_lines(self, top: int) -> None:
        """Scroll so that this line is the first in view, or as near to that as possible."""
        self._scroll(max(0, min(top, self.rows - self.size.height)))
        self.redraw_rows()

    def turn_at(self, line: int) -> int:
        """The index of the turn of a line, or of the last line if there are fewer; -1 without turns."""
        return bisect_right(self._starts, max(0, min(line, len(self.lines) - 1))) - 1

    def is_in_view(self, turn: int) -> bool:
        """Whether a line of a turn is in view."""
        start = self.start_of(turn)
        return start < self.top + self.size.height and start + len(self.turns[turn].lines) > self.top

    def start_of(self, turn: int) -> int:
        """The first line of a turn."""
        return self._starts[turn]

    # drawing

    def draw(self, index: int, cells: int, selected: bool) -> Line:
        if not self.lines:
            return fit_line([(" " + self._notice_lines[index], "dim")], cells)
        line = self.lines[index]
        body = mark_prose(line.text) if line.prose else [(line.text, line.style)]
        return fit_line([(" ", "text"), *highlight_line(body, self.words)], cells)

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

    def show_cursor(self) -> None:
        """Do nothing: a pane of text has no cursor."""

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        if round(old_value) != round(new_value):
            self.post_message(self.Scrolled())

    # keys

    def move_to(self, index: int) -> None:
        self.scroll_lines(index)

    def action_cursor_up(self) -> None:
        self.scroll_lines(self.top - 1)

    def action_cursor_down(self) -> None:
        self.scroll_lines(self.top + 1)

    def action_page_up(self) -> None:
        self.scroll_lines(self.top - max(1, self.size.height - 1))

    def action_page_down(self) -> None:
        self.scroll_lines(self.top + max(1, self.size.height - 1))

    def action_first(self) -> None:
        self.post_message(self.JumpAsked(to_end=False))

    def action_last(self) -> None:
        self.post_message(self.JumpAsked(to_end=True))


class Spot:
    """The position of a view.

    anchor   the entry; None is the end of the transcript
    line     the index of a line of the entry; -1 is the line with the match
    row      the lines between the upper border and that line
    """

    __slots__ = ("anchor", "line", "row")

    def __init__(self, anchor: EntryRef | None, line: int = 0, row: int = 0) -> None:
        self.anchor = anchor
        self.line = line
        self.row = row

    @classmethod
    def of(cls, lines: TranscriptLines, *, at_end: bool) -> Spot:
        """The position of the view.

        :param at_end: the last turn was read.
        """
        if not lines.lines or (at_end and lines.is_at_bottom):
            return cls(None)
        index = lines.turn_at(lines.top)
        turn = lines.turns[index]
        return cls(anchor_of(turn.entry_id, turn.offset), lines.top - lines.start_of(index), 0)

    def top_in(self, lines: TranscriptLines) -> int | None:
        """The number of the line at the upper border; it may be less than 0 or not read yet. None: show the
        end, because the position is the end or its entry was not read.
        """
        index = turn_of(lines.turns, self.anchor) if self.anchor is not None else -1
        if index < 0:
            return None
        turn = lines.turns[index]
        if self.line < 0:
            # The match is a third down the pane, or the entry begins two lines down if that shows both.
            line, row = max(turn.found, 0), lines.size.height // 3
            if line < row:
                line, row = 0, min(row, 2)
        else:
            line, row = self.line, self.row
        return lines.start_of(index) + max(0, min(line, len(turn.lines) - 1)) - row


def position_text(
    lines: TranscriptLines, hit: HitLocated | None, *, first: int | None, total: int | None, at_end: bool
) -> str:
    """The position in words, for example "7 of 12 · branch 2 of 3, not on the active path"; "" without turns.

    :param hit: the hit; while its entry is in view, it is the position.
    :param first: the number on the path, from 1, of the first turn; None: unknown.
    :param total: the number of entries of the path; None: unknown.
    :param at_end: the last turn was read.
    """
    if not lines.turns:
        return ""
    index = lines.turn_at(lines.top)
    if at_end and lines.is_at_bottom:
        index = len(lines.turns) - 1
    if hit is not None and hit.is_entry:
        hit_turn = turn_of(lines.turns, anchor_of(hit.entry_id, hit.offset))
        if hit_turn >= 0 and lines.is_in_view(hit_turn):
            index = hit_turn
    facts = [] if first is None or total is None else [f"{first + index:,} of {total:,}"]
    if hit is not None and hit.where:
        facts.append(hit.where)
    return " · ".join(facts)


def turn_of(turns: Sequence[Turn], anchor: EntryRef) -> int:
    """The index of the anchor's turn: by the offset of its entry, else by its id; -1 if it is not there."""
    for index, turn in enumerate(turns):
        if turn.offset == anchor.offset and anchor.entry_id in (None, turn.entry_id):
            return index
    if anchor.entry_id is not None:
        for index in range(len(turns) - 1, -1, -1):
            if turns[index].entry_id == anchor.entry_id:
                return index
    # An anchor without id and offset is the beginning of the session.
    return 0 if turns and anchor.offset < 0 and anchor.entry_id is None else -1


def anchor_of(entry_id: str | None, offset: int) -> EntryRef:
    """See `EntryRef`."""
    return EntryRef(entry_id, offset)
