"""The lines of the turns that were read, one below the other, and a cursor that goes from block to block."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

from app.sessions.tree.entry_ref import FIRST_ENTRY, LAST_PROMPT, EntryRef
from app.view.document_line import PAD, DocumentLine, own_line
from app.view.line import Line
from app.view.transcript_block import FOLDED, FULL, SHORT, Block, Turn, fold_head


class BlockRef(NamedTuple):
    """A block that stays the same when turns are added or read again.

    :param anchor: its entry.
    :param number: its number in the turn of that entry.
    """

    anchor: EntryRef
    number: int


class Spot(NamedTuple):
    """The position of cursor and view, which stays when lines are wrapped, read or folded.

    :param anchor: the entry; None is the end of the session, with the cursor on the last block.
    :param block: the number of a block of the entry; -1 is the block with the match.
    :param line: the line of the block that the cursor is on, from the first one below its heading.
    :param row: the line of the pane on which that line is shown, if possible.
    """

    anchor: EntryRef | None
    block: int = -1
    line: int = 0
    row: int = 0


END = Spot(None)
BEGINNING = Spot(FIRST_ENTRY, 0, 0, 2)
AT_PROMPT = Spot(LAST_PROMPT)
"""The last prompt; or the end, if that shows the prompt as well, or if the prompt is too far above it."""


Member = tuple[int, int]
"""A block of a run of calls: the index of its turn, and its number in that turn."""


class PlacedBlock(NamedTuple):
    """A block and its lines.

    :param turn: the index of its turn.
    :param number: its number in that turn; for the line of a run, `run_number` of its first block.
    :param begin: its first line.
    :param end: the line behind its last one.
    :param run: for the line of a run of calls, the index of the turn and the number of each block of it.
    :param heading: the number of lines at its beginning that give its model and time, see `Headings`.
    :param point: the offset of the entry behind it at which other branches start; -1 for none.
    """

    block: Block
    turn: int
    number: int
    begin: int
    end: int
    heading: int = 0
    point: int = -1
    run: Sequence[Member] = ()


_BLANK = DocumentLine([])
_RUN_BYTES = 16
"""A run ends at each multiple of this power of two in the file: a prompt with ten thousand calls would be
read whole before one page is full.
"""


def run_number(number: int) -> int:
    """The number of the line of a run, by that of its first block; and the other way round. It is neither
    that of a block nor -1.
    """
    return -2 - number


class Headings:
    """The days, times and models that stand above the blocks of a transcript, or at their right end: each day
    once, the time once a minute, the model when it changes.
    """

    def __init__(self) -> None:
        self._day = self._clock = self._model = ""

    def day_rule(self, turn: Turn) -> DocumentLine | None:
        """The rule above the first turn of a day; None above any other."""
        if not turn.blocks or turn.day in ("", self._day):
            return None
        self._day, self._clock = turn.day, ""
        return own_line(f"{PAD}── {turn.day} ──")

    def heading(self, turn: Turn, number: int, *, is_marked: bool = False) -> list[DocumentLine]:
        """The line above the text of an answer, if it has one.

        :param number: that of the block in the turn.
        :param is_marked: the entry has a mark, which needs this line.
        """
        if turn.blocks[number].kind != "answer" or number != turn.main_block:
            return []
        model = turn.model if turn.model != self._model else ""
        clock = turn.clock if turn.clock != self._clock or is_marked else ""
        self._model, self._clock = turn.model or self._model, turn.clock or self._clock
        facts = " · ".join(filter(None, (model, clock)))
        return [own_line(PAD + (facts or "answer"))] if facts or is_marked else []

    def without_time(self, turn: Turn, block: Block, lines: list[DocumentLine]) -> list[DocumentLine]:
        """The lines of a block; a prompt has no time if the block above it is of the same minute."""
        if block.kind != "prompt" or not turn.clock:
            return lines
        if turn.clock == self._clock:
            first = lines[0]
            return [DocumentLine(first.spans, first.block, own=first.own, ground=first.ground), *lines[1:]]
        self._clock = turn.clock
        return lines


class TranscriptLayout:
    """Turns, their blocks and their lines.

    turns     in the order of the path
    blocks    the blocks of all turns
    lines     the lines of all blocks, with blank lines between them
    cursor    the index of the block with the cursor
    notes     lines below the entries at which other branches start, by the offset of the entry
    rules     lines above entries, by the offset of the entry: what is not sent any more, and damaged lines
    marked    the ids of the entries with marks
    """

    def __init__(self) -> None:
        self.turns: list[Turn] = []
        self.blocks: list[PlacedBlock] = []
        self.lines: list[DocumentLine] = []
        self.cursor = 0
        self.notes: Mapping[int, DocumentLine] = {}
        self.rules: Mapping[int, DocumentLine] = {}
        self.marked: Collection[str] = ()
        self.unfolds_tools = False
        self._begins: list[int] = []
        self._turn_begins: list[int] = []

    def show(self, turns: Sequence[Turn], *, keeps_folds: bool = False) -> None:
        """Show other turns, with the cursor on the last block.

        :param keeps_folds: they are of the same session, and what is unfolded stays so.
        """
        before = {turn.anchor: turn for turn in self.turns} if keeps_folds else {}
        self.turns = list(turns)
        self.unfold_tools(self.turns)
        for turn in self.turns:
            if turn.anchor in before:
                _keep_folds(before[turn.anchor], turn)
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
        index = self.index_of(ref)
        if index >= 0:
            self.cursor = index

    def unfold_tools(self, turns: Sequence[Turn]) -> None:
        """Unfold the tool calls of new turns if all are unfolded."""
        if self.unfolds_tools:
            for turn in turns:
                for block in turn.blocks:
                    if block.folds and block.is_tight:
                        block.state = max(block.state, SHORT)
                        block.in_open_run = True

    def place(self) -> None:
        """Place all lines anew."""
        lines: list[DocumentLine] = []
        blocks: list[PlacedBlock] = []
        turn_begins: list[int] = []
        before: Block | None = None
        headings = Headings()
        runs, hidden = self._runs()
        rules: list[DocumentLine] = []
        for number, turn in enumerate(self.turns):
            turn_begins.append(len(lines))
            rules += filter(None, (self.rules.get(turn.offset), headings.day_rule(turn)))
            for index, block in enumerate(turn.blocks):
                run = runs.get((number, index))
                if run is None and (number, index) in hidden:
                    continue
                if before is not None and (rules or not (before.is_tight and block.is_tight)):
                    lines.append(_BLANK)
                lines += rules
                rules.clear()
                if not index:
                    turn_begins[-1] = len(lines)
                begin = len(lines)
                if run is not None:
                    block_of_run = self._block_of_run(run)
                    lines += block_of_run.lines
                    placed = PlacedBlock(block_of_run, number, run_number(index), begin, len(lines), run=run)
                    blocks.append(placed)
                    before, begin = block, len(lines)
                    if (number, index) in hidden:
                        continue
                heading = headings.heading(turn, index, is_marked=turn.entry_id in self.marked)
                lines += heading
                lines += headings.without_time(turn, block, block.lines)
                blocks.append(PlacedBlock(block, number, index, begin, len(lines), len(heading)))
                before = block
            note = self.notes.get(turn.offset) if self.notes else None
            if note is not None and blocks:
                lines += (_BLANK, note)
                blocks[-1] = blocks[-1]._replace(end=len(lines), point=turn.offset)
        if rules and blocks:
            lines += (_BLANK, *rules)
            blocks[-1] = blocks[-1]._replace(end=len(lines))
        self.lines, self.blocks, self._turn_begins = lines, blocks, turn_begins
        self._begins = [placed.begin for placed in blocks]
        self.cursor = max(0, min(self.cursor, len(blocks) - 1))

    # runs of calls

    def _runs(self) -> tuple[dict[Member, Sequence[Member]], set[Member]]:
        """The runs of calls that one line stands for, by their first blocks; and the blocks of those that are
        folded. A run has two calls or more and the thoughts between them, of one day and of entries without
        marks.
        """
        runs: dict[Member, Sequence[Member]] = {}
        hidden: set[Member] = set()
        run: list[Member] = []
        before: tuple[object, ...] = ()

        def close() -> None:
            blocks = [self.turns[turn].blocks[number] for turn, number in run]
            if sum(bool(block.brief) for block in blocks) > 1:
                runs[run[0]] = tuple(run)
                if not any(block.in_open_run for block in blocks):
                    hidden.update(run)
            run.clear()

        for index, turn in enumerate(self.turns):
            part = (turn.day, turn.offset >> _RUN_BYTES)
            if turn.offset in self.rules or (
                turn.blocks and (part != before or turn.entry_id in self.marked)
            ):
                before = part
                close()
            for number, block in enumerate(turn.blocks):
                if not block.is_tight:
                    close()
                elif turn.entry_id not in self.marked:
                    run.append((index, number))
            if turn.offset in self.notes:
                close()
        close()
        return runs, hidden

    def _block_of_run(self, run: Sequence[Member]) -> Block:
        """The line that stands for a run of calls."""
        blocks = self._blocks_of(run)
        calls = [block for block in blocks if block.brief]
        briefs = ((brief, len(list(group))) for brief, group in groupby(block.brief for block in calls))
        text = ", ".join(brief if times == 1 else f"{brief} ({times:,})" for brief, times in briefs)
        failed = sum(block.has_failed for block in calls)
        right: Line = [(f"× {failed:,} failed", "error")] if failed else []
        head, open_head = fold_head(f"{len(calls):,} tools:", "dim", text, right)
        is_open = any(block.in_open_run for block in blocks)
        return Block("tools", [], head=head, open_head=open_head, state=FULL if is_open else FOLDED)

    def _blocks_of(self, run: Sequence[Member]) -> list[Block]:
        return [self.turns[turn].blocks[number] for turn, number in run]

    def switch_run(self, placed: PlacedBlock) -> None:
        """Unfold a run of calls, or fold it. Call `place` then."""
        blocks = self._blocks_of(placed.run)
        is_open = any(block.in_open_run for block in blocks)
        for block in blocks:
            block.in_open_run = not is_open

    def reveal(self, anchor: EntryRef) -> None:
        """Unfold the run of calls that an entry is in."""
        turn = self.turn_of(anchor)
        blocks = self.turns[turn].blocks if turn >= 0 else []
        if blocks and not any(placed.turn == turn and not placed.run for placed in self.blocks):
            blocks[0].in_open_run = True
            self.place()

    # places

    def begin_of(self, turn: int) -> int:
        """The first line of a turn, or the line at which it would begin if it has none."""
        return self._turn_begins[turn]

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
                return min(placed.begin + placed.heading + placed.block.found, placed.end - 1)
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
        for index, placed in enumerate(self.blocks):
            if placed.turn == turn and placed.number == ref.number:
                return index
        member = turn, ref.number if ref.number >= 0 else run_number(ref.number)
        return next((index for index, placed in enumerate(self.blocks) if member in placed.run), -1)

    def pointer(self, top: int) -> int:
        """The line on which the cursor is drawn: the first one of its block in view; -1 without blocks.

        :param top: the first line in view.
        """
        placed = self.placed
        return -1 if placed is None else max(placed.begin, min(top, placed.end - 1))

    def spot(self, top: int) -> Spot:
        """The position of a cursor in view.

        :param top: the first line in view.
        """
        ref, placed, line = self.ref(), self.placed, self.pointer(top)
        if ref is None or placed is None:
            return END
        return Spot(ref.anchor, ref.number, line - placed.begin - placed.heading, line - top)

    def go_to(self, spot: Spot, height: int) -> int:
        """Put the cursor on a position, or on the last block if that is not there.

        :param height: the lines of the view.
        :return: the first line in view, by which the cursor is on its row of the screen, or as near to it as
            possible.
        """
        turn = self.turn_of(spot.anchor) if spot.anchor is not None else -1
        at = self.index_of(BlockRef(spot.anchor, spot.block)) if turn >= 0 and spot.anchor is not None else -1
        if turn < 0:
            self.cursor, top = max(0, len(self.blocks) - 1), len(self.lines)
        elif spot.block == -1:
            # The match is a third down the pane, or the entry begins two lines down if that shows both.
            self.cursor = self.first_block_of(turn)
            line, begin, row = self.found_line(turn), self.begin_of(turn), height // 3
            top = begin - min(row, 2) if line - begin < row else line - row
        elif at < 0:
            self.cursor = self.first_block_of(turn)
            top = self.begin_of(turn) - spot.row
        else:
            self.cursor = at
            placed = self.blocks[at]
            line = placed.begin + placed.heading + spot.line
            top = max(placed.begin, min(line, placed.end - 1)) - spot.row
        top = self.clamped(top, height)
        return top if self.is_in_view(top, height) else self.top_with(self.cursor, top, height)

    def clamped(self, top: int, height: int) -> int:
        """The line that can be the first in view and is nearest to `top`."""
        return max(0, min(top, len(self.lines) - height))

    def is_in_view(self, top: int, height: int) -> bool:
        """Whether a line of the block with the cursor is in view."""
        placed = self.placed
        return placed is not None and placed.begin < top + height and placed.end > top

    def top_with(self, index: int, top: int, height: int) -> int:
        """The first line of a view that shows a block, and that is scrolled from `top` no farther than that
        takes.
        """
        placed = self.blocks[index] if self.blocks else None
        if placed is not None and (placed.end - placed.begin > height or placed.begin < top):
            # One line of what is above it, and all of that at the beginning.
            top = placed.begin - (1 if placed.end - placed.begin < height else 0) if index else 0
        elif placed is not None and placed.end > top + height:
            top = placed.end - height
        return self.clamped(top, height)

    def keep_in_view(self, top: int, height: int) -> None:
        """Put a cursor that the view has left on the nearest block in view, if possible on one that begins
        there.
        """
        placed = self.placed
        if placed is None or self.is_in_view(top, height):
            return
        if placed.end > top:
            self.cursor = self.block_at(top + height - 1)
            return
        at = self.block_at(top)
        begins_above = self.blocks[at].begin < top
        if begins_above and at + 1 < len(self.blocks) and self.blocks[at + 1].begin < top + height:
            at += 1
        self.cursor = at

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
        """Fold all tool calls and thoughts, or unfold them; those that are read later as well. Call `place`
        then.
        """
        self.unfolds_tools = not folds
        for turn in self.turns:
            for block in turn.blocks:
                if block.folds and block.is_tight:
                    block.state = FOLDED if folds else max(block.state, SHORT)
                    block.in_open_run = not folds


def _keep_folds(before: Turn, after: Turn) -> None:
    """Keep what the user has unfolded in a turn that is read again."""
    for old, new in zip(before.blocks, after.blocks, strict=False):
        if old.kind == new.kind:
            new.in_open_run = new.in_open_run or old.in_open_run
        if old.kind == new.kind and old.folds and new.folds and old.state > new.state:
            new.state = SHORT if new.more else old.state
