"""Where the reader of a transcript is: to find the place again in one that was read anew, and in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.messages.searching import HitPlaced
    from app.sessions.tree.anchor import EntryRef
    from app.view.transcript import Turn
    from app.widgets.transcript_lines import TranscriptLines


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
        """Where the reader is now.

        :param at_end: nothing is behind what was read.
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
    lines: TranscriptLines, hit: HitPlaced | None, *, first: int | None, total: int | None, at_end: bool
) -> str:
    """For example "7 of 12 · branch 2 of 3, not on the active path"; "" where there is nothing to say.

    :param hit: what was found; while its entry is in sight, that is where the reader is.
    :param first: the number on the path, from 1, of the first of the turns; None: nobody knows.
    :param total: how many entries the path has; None: nobody knows.
    :param at_end: nothing is behind what was read.
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
    # what reads sessions is imported when the first is shown
    from app.sessions.tree.anchor import EntryRef

    return EntryRef(entry_id, offset)
