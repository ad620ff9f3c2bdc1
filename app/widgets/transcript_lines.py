"""The lines of a transcript, which scroll; more of them come on either side."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from textual.message import Message

from app.commands import preview_commands
from app.view.line import fit_line, highlight_line, wrap
from app.widgets.commands import binding
from app.widgets.line_list import LineList

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.binding import BindingType

    from app.messages import HitLocated
    from app.sessions.tree.tail_reader import EntryRef
    from app.view.document_line import DocumentLine
    from app.view.line import Line
    from app.view.transcript import Turn


class TranscriptLines(LineList):
    """The lines of some turns, which scroll; more are added on either side. The actions of the list work here
    too, on the session that is shown.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        replace(binding(command), action=f"screen.do_from_preview({command.id!r})")
        for command in preview_commands()
        if command.keys
    ]

    class Scrolled(Message):
        """Other lines are in sight."""

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
        self._starts: list[int] = []
        self._cells = 0
        self._height = 0

    @property
    def cells(self) -> int:
        """How wide a line may be: the pane less a margin on both sides."""
        return max(8, self.scrollable_content_region.width - 2)

    @property
    def is_laid_out(self) -> bool:
        """Whether the pane has a size; while it is not displayed there is nothing to wrap to."""
        return bool(self.size.width and self.size.height)

    def forget_width(self) -> None:
        """Say so when there is a width again, whatever it is."""
        self._cells = 0

    @property
    def has_cursor(self) -> bool:
        return False

    @property
    def top(self) -> int:
        """The first line in sight."""
        return self.scroll_offset.y

    @property
    def is_at_bottom(self) -> bool:
        """Whether the last line is in sight."""
        return self.top + self.size.height >= len(self.lines)

    # turns

    def show_turns(self, turns: Sequence[Turn], words: tuple[str, ...]) -> None:
        """Other turns in place of those that are shown; `scroll_lines` follows."""
        self.turns, self.words, self.notice = list(turns), words, ""
        self._changed()

    def put_around(self, above: Sequence[Turn], below: Sequence[Turn]) -> None:
        """More turns on either side; what is in sight stays where it is."""
        top = self.top
        self.turns = [*above, *self.turns, *below]
        self._changed()
        self.scroll_lines(top + sum(len(each.lines) for each in above))

    def show_notice(self, notice: str) -> None:
        """A sentence in place of a transcript."""
        self.turns, self.words, self.notice = [], (), notice
        self._changed()
        self.scroll_lines(0)

    def _changed(self) -> None:
        self.lines, self._starts = [], []
        for each in self.turns:
            self._starts.append(len(self.lines))
            self.lines.extend(each.lines)
        # before there is a size it is painted whole
        self._notice_lines = list(wrap(self.notice, self.cells)) if self.is_laid_out else [self.notice]
        self._set_length(len(self.lines) or (len(self._notice_lines) if self.notice else 0))

    def scroll_lines(self, top: int) -> None:
        """Have this line first in sight, as near as can be."""
        self._scroll(max(0, min(top, self.rows - self.size.height)))
        self.redraw_rows()

    def turn_at(self, line: int) -> int:
        """Which of the turns a line is of; that of the last line where there are fewer, -1 without turns."""
        at = bisect_right(self._starts, max(0, min(line, len(self.lines) - 1))) - 1
        return at

    def is_in_sight(self, turn: int) -> bool:
        """Whether a line of a turn is on the screen."""
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
        # with the first line: imports hold up the first key
        from app.view.document_line import mark_prose

        body = mark_prose(line.text) if line.prose else [(line.text, line.style)]
        return fit_line([(" ", "text"), *highlight_line(body, self.words)], cells)

    def row_key(self, index: int) -> object:
        return (self.lines[index], self.words) if self.lines else self._notice_lines[index]

    def on_resize(self) -> None:
        height, self._height = self._height, self.size.height
        if self.lines and height and self.is_laid_out and self.top + height >= len(self.lines):
            # who is at the end stays there
            self.scroll_lines(len(self.lines))
        self.post_message(self.Scrolled())
        if self.is_laid_out and self.cells != self._cells:
            self._cells = self.cells
            self.post_message(self.WidthChanged())

    def show_cursor(self) -> None:
        """There is no cursor to show."""

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
    """A line of an entry, so many lines below the upper border.

    anchor   None: at the end
    line     of the entry, -1: the one to show for what was found
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
        turn = lines.turn_at(lines.top)
        each = lines.turns[turn]
        return cls(anchor_of(each.entry_id, each.offset), lines.top - lines.start_of(turn), 0)

    def top_in(self, lines: TranscriptLines) -> int | None:
        """The line to have at the upper border, which need not be there; None: the last ones are to be shown,
        as where the entry is not among those that were read.
        """
        turn = turn_of(lines.turns, self.anchor) if self.anchor is not None else -1
        if turn < 0:
            return None
        if self.line < 0:
            # with something of what was said before, and the most of what came then
            line, row = max(lines.turns[turn].found, 0), lines.size.height // 3
            if line < row:
                line, row = 0, min(row, 2)
        else:
            line, row = self.line, self.row
        return lines.start_of(turn) + max(0, min(line, len(lines.turns[turn].lines) - 1)) - row


def place_said(
    lines: TranscriptLines, hit: HitLocated | None, *, first: int | None, total: int | None, at_end: bool
) -> str:
    """For example "7 of 12 · branch 2 of 3, not on the active path"; "" without turns.

    :param hit: the hit; while its entry is in view, it is the position.
    :param first: the number on the path, from 1, of the first turn; None: unknown.
    :param total: the number of entries of the path; None: unknown.
    :param at_end: the last turn was read.
    """
    if not lines.turns:
        return ""
    at = lines.turn_at(lines.top)
    if at_end and lines.is_at_bottom:
        at = len(lines.turns) - 1
    if hit is not None and hit.is_entry:
        here = turn_of(lines.turns, anchor_of(hit.entry_id, hit.offset))
        if here >= 0 and lines.is_in_sight(here):
            at = here
    said = [] if first is None or total is None else [f"{first + at:,} of {total:,}"]
    if hit is not None and hit.where:
        said.append(hit.where)
    return " · ".join(said)


def turn_of(turns: Sequence[Turn], anchor: EntryRef) -> int:
    """Which of the turns is the anchor's entry: by its place in the file, else by its id; -1 for none."""
    for at, each in enumerate(turns):
        if each.offset == anchor.offset and anchor.entry_id in (None, each.entry_id):
            return at
    if anchor.entry_id is not None:
        for at in range(len(turns) - 1, -1, -1):
            if turns[at].entry_id == anchor.entry_id:
                return at
    # the beginning of the session has no entry's name
    return 0 if turns and anchor.offset < 0 and anchor.entry_id is None else -1


def anchor_of(entry_id: str | None, offset: int) -> EntryRef:
    """See `EntryRef`."""
    # loaded with the first session
    from app.sessions.tree.tail_reader import EntryRef

    return EntryRef(entry_id, offset)
