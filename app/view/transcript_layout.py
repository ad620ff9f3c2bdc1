"""The lines of the turns that were read, one below the other, and a cursor that goes from block to block."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from app.sessions.tree.entry_ref import EntryRef
from app.view.document_line import DocumentLine
from app.view.transcript_block import FOLDED, SHORT, Block, Turn


class BlockRef(NamedTuple):
    """A block that stays the same when turns are added or read again.

    :param anchor: its entry.
    :param number: its number in the turn of that entry.
    """

    anchor: EntryRef
    number: int


class PlacedBlock(NamedTuple):
    """A block and its lines.

    :param turn: the index of its turn.
    :param number: its number in that turn.
    :param begin: its first line.
    :param end: the line behind its last one.
    :param point: the offset of the entry behind it at which other branches start; -1 for none.
    """

    block: Block
    turn: int
    number: int
    begin: int
    end: int
    point: int = -1


_BLANK = DocumentLine([])


class TranscriptLayout:
    """Turns, their blocks and their lines.

    turns     in the order of the path
    blocks    the blocks of all turns
    lines     the lines of all blocks, with blank lines between them
    cursor    the index of the block with the cursor
    notes     lines below the entries at which other branches start, by the offset of the entry
    """

    def __init__(self) -> None:
        self.turns: list[Turn] = []
        self.blocks: list[PlacedBlock] = []
        self.lines: list[DocumentLine] = []
        self.cursor = 0
        self.notes: Mapping[int, DocumentLine] = {}
        self.unfolds_tools = False
        self._begins: list[int] = []
        self._turn_begins: list[int] = []

    def show(self, turns: Sequence[Turn]) -> None:
        """Show other turns, with the cursor on the last block."""
        self.turns = list(turns)
        self.unfold_tools(self.turns)
        self.place()
        self.cursor = max(0, len(self.blocks) - 1)

    def add(self, above: Sequence[Turn], below: Sequence[Turn], changed: Sequence[Turn] = ()) -> None:
        """Add turns at both ends, and replace some. The cursor stays on its block."""
        ref = self.ref()
        self.turns = [*above, *self.turns, *below]
        self.unfold_tools([*above, *below, *changed])
        if changed:
            places = {(turn.offset, turn.entry_id): index for index, turn in enumerate(self.turns)}
            for turn in changed:
                index = places.get((turn.offset, turn.entry_id))
                if index is not None:
                    _keep_folds(self.turns[index], turn)
                    self.turns[index] = turn
        self.place()
        self.go_to(ref)

    def unfold_tools(self, turns: Sequence[Turn]) -> None:
        """Unfold the tool calls of new turns if all are unfolded."""
        if self.unfolds_tools:
            for turn in turns:
                for block in turn.blocks:
                    if block.folds and block.kind in ("tool", "thinking"):
                        block.state = max(block.state, SHORT)

    def place(self) -> None:
        """Place all lines anew."""
        lines: list[DocumentLine] = []
        blocks: list[PlacedBlock] = []
        turn_begins: list[int] = []
        before: Block | None = None
        for number, turn in enumerate(self.turns):
            turn_begins.append(len(lines))
            for index, block in enumerate(turn.blocks):
                if before is not None and not (before.is_tight and block.is_tight):
                    lines.append(_BLANK)
                if not index:
                    turn_begins[-1] = len(lines)
                begin = len(lines)
                lines += block.lines
                blocks.append(PlacedBlock(block, number, index, begin, len(lines)))
                before = block
            note = self.notes.get(turn.offset) if self.notes else None
            if note is not None and blocks:
                lines += (_BLANK, note)
                blocks[-1] = blocks[-1]._replace(end=len(lines), point=turn.offset)
        self.lines, self.blocks, self._turn_begins = lines, blocks, turn_begins
        self._begins = [placed.begin for placed in blocks]
        self.cursor = max(0, min(self.cursor, len(blocks) - 1))

    # places

    def begin_of(self, turn: int) -> int:
        """The first line of a turn, or the line at which it would begin if it has none."""
        return self._turn_begins[turn]

    def end_of(self, turn: int) -> int:
        """The line behind the last one of a turn."""
        blocks = self.turns[turn].blocks
        return (
            self._turn_begins[turn] + sum(len(block.lines) for block in blocks)
            if blocks
            else self._turn_begins[turn]
        )

    def turn_at(self, line: int) -> int:
        """The index of the turn of a line, or of the last line if there are fewer; -1 without turns."""
        placed = self.block_at(line)
        return self.blocks[placed].turn if placed >= 0 else len(self.turns) - 1

    def block_at(self, line: int) -> int:
        """The index of the block of a line, or of the block above a blank line; -1 without blocks."""
        return min(max(0, bisect_right(self._begins, line) - 1), len(self.blocks) - 1)

    def turn_of(self, anchor: EntryRef) -> int:
        """The index of the turn of an entry: by its offset, else by its id; -1 if it is not there. A result
        is in the turn of its call.
        """
        index = self._turn_of(anchor)
        if index >= 0 and self.turns[index].joined_to >= 0:
            call = next(
                (at for at, turn in enumerate(self.turns) if turn.offset == self.turns[index].joined_to), -1
            )
            return call if call >= 0 else index
        return index

    def _turn_of(self, anchor: EntryRef) -> int:
        turns = self.turns
        for index, turn in enumerate(turns):
            if turn.offset == anchor.offset and anchor.entry_id in (None, turn.entry_id):
                return index
        if anchor.entry_id is not None:
            for index in range(len(turns) - 1, -1, -1):
                if turns[index].entry_id == anchor.entry_id:
                    return index
        # An anchor without id and offset is the beginning of the session.
        return 0 if turns and anchor.offset < 0 and anchor.entry_id is None else -1

    def found_line(self, turn: int) -> int:
        """The line with the match of a turn; its first line if it has none."""
        shown = self.turns[turn]
        for placed in self.blocks:
            if placed.turn == turn and placed.number == shown.found and placed.block.found >= 0:
                return min(placed.begin + placed.block.found, placed.end - 1)
        return self.begin_of(turn)

    def first_block_of(self, turn: int) -> int:
        """The index of the first block at or behind the beginning of a turn; of the one with its match."""
        found = self.turns[turn].found
        at = -1
        for number, placed in enumerate(self.blocks):
            if placed.turn == turn and (placed.number == found or at < 0):
                at = number
            elif placed.turn > turn:
                return at if at >= 0 else number
        return at if at >= 0 else len(self.blocks) - 1

    # the cursor

    @property
    def placed(self) -> PlacedBlock | None:
        """The block with the cursor."""
        return self.blocks[self.cursor] if self.blocks else None

    def ref(self, index: int | None = None) -> BlockRef | None:
        """A reference to a block; to the one with the cursor by default."""
        at = self.cursor if index is None else index
        if not 0 <= at < len(self.blocks):
            return None
        placed = self.blocks[at]
        return BlockRef(self.turns[placed.turn].anchor, placed.number)

    def index_of(self, ref: BlockRef | None) -> int:
        """The index of a block; -1 if it is not there."""
        if ref is None:
            return -1
        turn = self.turn_of(ref.anchor)
        if turn < 0:
            return -1
        return next(
            (
                number
                for number, placed in enumerate(self.blocks)
                if placed.turn == turn and placed.number == ref.number
            ),
            -1,
        )

    def go_to(self, ref: BlockRef | None) -> None:
        """Put the cursor on a block, if it is there."""
        index = self.index_of(ref)
        if index >= 0:
            self.cursor = index

    def next_block(self, start: int, step: int, wanted: Callable[[Block], bool]) -> int:
        """The index of the next block of some kind behind one, or before it (``step`` -1); -1 if there is
        none.
        """
        index = start + step
        while 0 <= index < len(self.blocks):
            if wanted(self.blocks[index].block):
                return index
            index += step
        return -1

    # folds

    def fold_tools(self, *, folds: bool) -> None:
        """Fold all tool calls and thoughts, or unfold them; those that are read later as well."""
        self.unfolds_tools = not folds
        for placed in self.blocks:
            block = placed.block
            if block.folds and block.kind in ("tool", "thinking"):
                block.state = FOLDED if folds else max(block.state, SHORT)
        self.place()


def _keep_folds(before: Turn, after: Turn) -> None:
    """Keep what the user has unfolded in a turn that is read again."""
    for old, new in zip(before.blocks, after.blocks, strict=False):
        if old.kind == new.kind and old.folds and new.folds and old.state > new.state:
            new.state = old.state
