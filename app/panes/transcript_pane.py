"""The transcript of a session, from its last prompt, from an entry or from a hit."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from textual import on, work
from textual.message import Message

from app.formats.text import one_line
from app.keys import key_of
from app.panes.transcript_finder import TranscriptFinder
from app.services.transcript_outline import TranscriptOutline
from app.services.transcript_reader import TranscriptReader
from app.services.transcript_request import Request
from app.services.tree_reader import reason_of
from app.sessions.errors import SessionError
from app.sessions.tree.entry_ref import EntryRef
from app.view.bars import session_title
from app.view.cells import stable_width
from app.view.empty_states import deleted_notice
from app.view.formatting import counted
from app.view.hit_line import HitPlace
from app.view.transcript_layout import AT_PROMPT, BEGINNING, END, BlockRef, PlacedBlock, Spot
from app.view.tree_view import ANEW
from app.widgets.inputs import SearchBox
from app.widgets.line_list import CursorDebounce
from app.widgets.other_program import copy_text
from app.widgets.panes import Pane
from app.widgets.transcript_lines import PreviewLines, TranscriptLines

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from textual.app import ComposeResult

    from app.index.row import Row
    from app.setup import Setup
    from app.view.transcript_block import Block, Part
    from app.view.transcript_outline import Outline

# Seconds after which "reading…" is shown, and for which `show_hit` is awaited.
PATIENCE = 0.3
# Seconds for which a view rests before the outline of its session is read.
OUTLINE_SECONDS = 0.2
# The names of blocks in messages.
_NAMES = {"tool": "tool call", "tools": "tool calls"} | {
    kind: kind for kind in ("prompt", "answer", "thinking", "summary", "command")
}
# Lines in memory beyond which those far from the view are released.
MOST_LINES = 20_000


class TranscriptPane(Pane):
    """Shows a session from its last prompt or from a hit, and follows its file. Only the entries near the
    view are read.

    finder   the search in the transcript
    """

    class SearchChanged(Message):
        """The search in the transcript has begun or ended, or has other hits."""

    def __init__(
        self,
        setup: Setup,
        *,
        id: str,
        previews: bool = False,
        is_live: Callable[[str], bool] = lambda path: False,
    ) -> None:
        """:param id: of the lines; the box around them is `id`-pane.
        :param previews: it stands beside the list of the selector, whose keys work here too.
        :param is_live: whether an agent has the session at a path open.
        """
        super().__init__("Transcript", id=f"{id}-pane")
        # the session of the first title
        self._titled: Row | None = None
        self.lines = (PreviewLines if previews else TranscriptLines)(id=id)
        self._setup = setup
        self._is_live = is_live
        self._reader = TranscriptReader(self.post_message)
        # the session, and the path under which it was opened; "" for none
        self._row: Row | None = None
        self._opened = ""
        self._hit: HitPlace | None = None
        # the user chose the entry: it stays in view when a hit that was known before is located again
        self._stays = False
        # the position that is being read, and whether one to which the user moves meanwhile replaces it
        self._asked: tuple[Spot, bool] | None = None
        # whether the file has changed during that
        self._missed = False
        # the fields `at_root` and `total` of the last `app.view.transcript_block.Part`
        self._at_root = True
        self._total: int | None = None
        self._debounce = CursorDebounce()
        # entries that were appended while the end was not in view; -1 for an unknown number
        self._came = 0
        # an entry that the path leads through, if it is not the active one; and the paths before it
        self._through: EntryRef | None = None
        self._before: list[tuple[EntryRef | None, Spot]] = []
        self._outline: Outline | None = None
        self._outlines = TranscriptOutline(self.post_message)
        self.finder = TranscriptFinder(
            self.lines,
            self._search,
            go_to=self._go_to_hit,
            is_at=self._is_at,
            changed=self._highlight,
            complain=self._complain,
        )
        self._state_in_rule = True
        # the block whose code was copied last, and which of its codes
        self._copied: tuple[BlockRef | None, int] = (None, -1)

    def compose(self) -> ComposeResult:
        yield self.lines

    def on_unmount(self) -> None:
        self._reader.stop()
        self._outlines.stop()

    # which session

    def show_session(self, row: Row | None, *, waits: bool = False, again: bool = False) -> None:
        """Show a session from its last prompt on; None shows nothing. In a burst (`CursorDebounce`) only the
        session is read on which the cursor rests.

        :param waits: `show_hit` will follow; the prompt is shown only if that takes longer than `PATIENCE`.
        :param again: it is the one that was shown, at another path: the view stays.
        """
        if row is not None and row.path == self._opened:
            self._row = row
            return
        if row is not None and again and self.lines.turns:
            self._row, self._opened = row, row.path
            self._open(self.lines.spot, stays=True)
            return
        self._row, self._hit, self._stays = row, None, False
        self._forget_path()
        self._titled = None
        if row is None:
            self._close("")
            return
        self._opened = row.path
        wait = self._debounce.delay()
        if waits or wait:
            self._asked = (AT_PROMPT, False)
            self._open_later(PATIENCE if waits else wait)
        else:
            self._open(AT_PROMPT)

    def show_entry(self, row: Row, entry_id: str | None, offset: int, found: HitPlace | None = None) -> None:
        """Show a session with the cursor on an entry.

        :param found: the hit of a search in this session: its words are highlighted, and the keys for the
            next hit go on from the entry.
        """
        self._row, self._stays, self._opened = row, True, row.path
        self._hit = found and HitPlace(
            row.path, found.query, entry_id, offset, found.words, "", offsets=found.offsets
        )
        self._forget_path()
        # the path leads through the entry also when another part of it is read
        self._through = EntryRef(entry_id, offset)
        self._open(Spot(self._through))

    def show_end(self, row: Row) -> None:
        """Show the end of a session, which is followed."""
        self._row, self._hit, self._opened = row, None, row.path
        self._forget_path()
        self._open(END)

    @property
    def entry(self) -> EntryRef | None:
        """The entry of the block with the cursor; None without blocks."""
        ref = self.lines.transcript.ref()
        return ref.anchor if ref is not None else None

    def _is_at(self, entry: EntryRef) -> bool:
        """Whether the cursor is on a block of an entry, or on the call of a result."""
        placed = self.lines.transcript.placed
        return placed is not None and placed.turn == self.lines.transcript.turn_of(entry)

    def show_hit(self, hit: HitPlace) -> None:
        """Scroll to a hit, if its session is shown."""
        if hit.path != self._opened:
            return
        if not hit.is_entry and not hit.words:
            self.forget_hit()
            return
        before = self._hit
        self._hit = hit
        is_known = before is not None and (before.entry_id, before.offset) == (hit.entry_id, hit.offset)
        if hit.again and (is_known or self._stays):
            if before is not None and before.offsets != hit.offsets:
                self._show_listed()
            self._show_position()
            return
        self._stays = False
        self._forget_path()
        self._open(Spot(hit.entry))

    def forget_hit(self) -> None:
        """End the search: highlight nothing and show the last prompt."""
        if self._hit is not None:
            self._hit = None
            self.finder.forget_listed()
            self._open(AT_PROMPT)

    def follow(self, row: Row) -> None:
        """Show the new entries of a session whose file has changed, if that session is shown. A view of the
        end stays at the end; any other view stays where it is.
        """
        if row.path != self._opened:
            return
        self._row = row
        if self._asked is not None:
            # The part that is on its way may have been read before the change.
            self._missed = True
        else:
            self._read_on("follow")

    @property
    def is_reading(self) -> bool:
        """Whether a part of the session is being read, or will be."""
        return self._asked is not None or self._missed

    @property
    def knows_outline(self) -> bool:
        """Whether the outline of the path that is shown is read."""
        return not self.is_reading and self._outline is not None

    def retry(self) -> None:
        """Read the session again if it could not be read."""
        if self._row is not None and not self.lines.turns and not self.is_reading:
            self._open(AT_PROMPT)

    def _forget_path(self) -> None:
        """Show the active path from now on, without a search in it."""
        self._through, self._before = None, []
        self._outline = None
        self.lines.transcript.notes, self.lines.transcript.rules = {}, {}
        self.finder.drop()

    def _close(self, notice: str) -> None:
        self._opened, self._asked = "", None
        self.workers.cancel_group(self, "read")
        self._outlines.close()
        self._reader.close()
        self.lines.show_notice(notice)
        self._total = None
        self._show_position()

    def _open(self, spot: Spot, *, stays: bool = False) -> None:
        """Read the session from a position.

        :param stays: it is the present one: if the user moves meanwhile, the new one counts.
        """
        row = self._row
        if row is None:
            return
        self._asked, self._missed = (spot, stays), False
        if not stays:
            self._came = 0
        lines = self.lines
        if not lines.is_laid_out:
            # `WidthChanged` opens the session when the pane has a size.
            lines.forget_width()
            self.workers.cancel_group(self, "read")
            return
        if row.is_deleted:
            self._close(deleted_notice(row.agent, row.message_count))
            self._opened = row.path
            return
        hit, words = self._hit, self._words
        request = Request(
            row.path,
            (row.agent,),
            lines.cells,
            2 * lines.size.height,
            hit=self.finder.hit or (hit.entry if hit is not None else None),
            words=words,
            entries=row.entry_count if row.linear else None,
            now_ms=self._setup.now_ms(),
            through=self._through,
        )
        self._await_part(self._reader.open(request, spot.anchor), "open", self._asked)

    @work(exclusive=True, group="read")
    async def _open_later(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
        self._open(AT_PROMPT)

    def _read_on(self, step: str) -> None:
        """Read the entries "above" or "below" those that are shown, or "follow" the file."""
        self._asked = (self.lines.spot, True)
        self._await_part(self._reader.read_on(step, self.lines.spot.anchor), step, self._asked)

    @work(exclusive=True, group="read")
    async def _await_part(self, part: Awaitable[Part], step: str, asked: tuple[Spot, bool]) -> None:
        """Show a part of the transcript when it is read. A later request cancels this."""
        patience = self.set_timer(PATIENCE, self._show_reading) if step == "open" else None
        try:
            read = await part
        except (SessionError, OSError, MemoryError) as error:
            self._asked, self._at_root, self._total = None, True, None
            self.lines.show_notice(one_line(reason_of(error)))
            self._show_position()
        else:
            self._show_part(read, step, *asked)
        finally:
            if patience is not None:
                patience.stop()

    def _show_reading(self) -> None:
        self._say("reading…")
        if self.lines.turns and self._asked is not None and self._asked[0] in (END, AT_PROMPT):
            self.lines.show_notice("reading…")

    def _show_part(self, part: Part, step: str, spot: Spot, stays: bool) -> None:
        """Show a part of the transcript.

        :param step: that of its request.
        :param spot: the position that was asked for.
        :param stays: a position to which the user has moved meanwhile replaces it.
        """
        lines = self.lines
        self._asked, self._at_root = None, part.at_root
        total, self._total = self._total, part.total
        # A view that is read anew, for example in another width, may have new entries as well.
        continues = stays if step == "open" else step == "follow" and not part.opened
        if continues and not (part.at_end and lines.spot.anchor is None):
            if total is not None and part.total is not None and self._came >= 0:
                self._came += max(0, part.total - total)
            elif step == "follow":
                self._came = -1
        self._mark_entries()
        if part.opened:
            self._show_opened(part, spot, stays=stays)
        else:
            lines.add_turns(part.above, part.below, part.changed, at_end=part.at_end)
            if len(lines.lines) > MOST_LINES:
                # The reader only continues at the ends of what it has read. The path is opened anew at the
                # view, and turns far from it are read again when they are needed.
                self._open(lines.spot, stays=True)
        if part.at_end and lines.is_at_bottom:
            self._came = 0
        self._show_position()
        if part.opened or step == "follow":
            self._read_outline()
        if self._missed and self._row is not None:
            self._missed = False
            self.follow(self._row)
        self._look_ahead()

    def _show_opened(self, part: Part, spot: Spot, *, stays: bool) -> None:
        """Show turns in place of all others."""
        lines, turns = self.lines, [*part.above, *part.below]
        is_at_prompt = spot == AT_PROMPT and part.found
        wanted, spot = spot, spot if part.found and not is_at_prompt else END
        if stays and lines.turns and lines.spot != wanted:
            # The user has moved meanwhile.
            spot = lines.spot
            if not (part.at_end if spot.anchor is None else any(t.anchor == spot.anchor for t in turns)):
                self._open(spot, stays=True)
                return
        lines.show_turns(turns, self._words, spot, at_end=part.at_end, keeps_folds=stays)
        if is_at_prompt:
            lines.open_at_prompt()
        if not lines.lines:
            lines.show_notice(self._nothing() if part.at_root and part.at_end else "")

    def _nothing(self) -> str:
        """The notice for a session whose active path has no lines."""
        row = self._row
        if row is None or row.provisional or not row.message_count:
            return "nothing was said yet"
        messages = counted(row.message_count, "message")
        return f"Nothing is on the active path: {ANEW}. The other branches have {messages}."

    # reading more

    @on(TranscriptLines.Scrolled)
    def _scrolled(self) -> None:
        if self.lines.at_end and self.lines.is_at_bottom:
            self._came = 0
        self._show_position()
        self._look_ahead()

    def _look_ahead(self) -> None:
        """Request the turns that may come into view next."""
        lines, page = self.lines, self.lines.size.height
        if self.is_reading or not lines.lines:
            return
        if not self._at_root and lines.top < page:
            self._read_on("above")
        elif not lines.at_end and lines.top + 2 * page > len(lines.lines):
            self._read_on("below")

    @on(TranscriptLines.JumpAsked)
    def _jump_asked(self, event: TranscriptLines.JumpAsked) -> None:
        lines = self.lines
        if not lines.turns:
            return
        spot = END if event.to_end else BEGINNING
        if lines.at_end if event.to_end else self._at_root:
            lines.show_spot(spot)
        else:
            self._open(spot)

    @on(TranscriptLines.WidthChanged)
    def _width_changed(self) -> None:
        spot, stays = self._asked or ((self.lines.spot, True) if self.lines.turns else (AT_PROMPT, False))
        self._open(spot, stays=stays)

    # blocks

    @on(TranscriptLines.BlockAsked)
    @work
    async def _block_asked(self, event: TranscriptLines.BlockAsked) -> None:
        transcript = self.lines.transcript
        placed, path = transcript.placed, self._reader.path
        if placed is None:
            return
        turn, reason = transcript.turns[placed.turn], "the block has gone"
        try:
            block = await self._read_whole(placed)
        except (SessionError, OSError, MemoryError) as error:
            block, reason = None, reason_of(error)
        ref = BlockRef(EntryRef(turn.entry_id, turn.offset), placed.number)
        if path is not self._reader.path:
            return
        if block is None:
            self._complain(reason)
        elif event.wanted == "lines":
            block.text, block.codes = "", []
            self.lines.unfold_whole(ref, block)
        elif event.wanted == "text":
            self._copy(_NAMES.get(block.kind, "block"), block.text)
        else:
            self._copy_code(ref, block.codes)

    async def _read_whole(self, placed: PlacedBlock) -> Block | None:
        """A block with its texts; a run of calls as one. None if it has gone. Raises as the reader."""
        turns, block = self.lines.turns, None
        members = [(turns[index], number) for index, number in placed.run]
        for turn, number in members or [(turns[placed.turn], placed.number)]:
            read = await self._reader.read_block(turn, number)
            if block is None or read is None:
                block = read
            else:
                block.text = "\n\n".join(filter(None, (block.text, read.text)))
                block.codes += read.codes
        return block

    async def copied_sizes(self) -> dict[str, int]:
        """By the commands that copy: the characters of the block under the cursor, and of its next code."""
        ref, placed = self.lines.transcript.ref(), self.lines.transcript.placed
        try:
            block = await self._read_whole(placed) if placed is not None else None
        except (SessionError, OSError, MemoryError):
            return {}  # the command itself says why
        if block is None or ref is None:
            return {}
        sizes = {"block.copy": len(block.text)}
        if block.codes:
            sizes["block.copy_code"] = len(block.codes[self._next_code(ref, block.codes)])
        return sizes

    def _next_code(self, ref: BlockRef, codes: list[str]) -> int:
        last, number = self._copied
        return (number + 1) % len(codes) if last == ref and codes else 0

    def _copy_code(self, ref: BlockRef, codes: list[str]) -> None:
        number = self._next_code(ref, codes)
        self._copied = (ref, number)
        name = "code" if len(codes) < 2 else f"code {number + 1} of {len(codes)}"
        self._copy(name, codes[number] if codes else "")

    def _copy(self, what: str, text: str) -> None:
        if not text:
            self._complain(f"No {what} to copy here")
            return
        copy_text(self.app, what, text, self._setup.env)

    def _complain(self, text: str) -> None:
        self.app.notify(one_line(text, 500), severity="warning", markup=False)

    @on(TranscriptLines.PlaceAsked)
    def _place_asked(self, event: TranscriptLines.PlaceAsked) -> None:
        """Go to a prompt or a label that is not read yet."""
        outline, entry = self._outline, self.entry
        if outline is not None and entry is not None:
            places = outline.labels if event.is_label else outline.prompts
            offset = places.next(entry.offset, event.step)
            if offset is not None:
                self._open(Spot(EntryRef(None, offset)))
                return
            if event.is_label:
                self._complain(f"No label {'below' if event.step > 0 else 'above'}")
        if not event.is_label:
            self.lines.scroll_lines(0 if event.step < 0 else len(self.lines.lines))
            self._look_ahead()

    # the border

    def update(self, row: Row | None) -> None:
        """Show what is known by now about the session: its title, its labels, whether it is live.

        :param row: if it is another session, nothing changes: `show_session` shows it.
        """
        if row is not None and row.path == self._opened and self.lines.is_mounted:
            if row is not self._row:
                self._row = row
                self._mark_entries()
            self._show_position()

    def _mark_entries(self) -> None:
        if self._row is not None:
            labels = {entry: stable_width(one_line(label, 80)) for entry, label in self._row.labels}
            self.lines.mark_entries(labels, self._row.leaf_id)

    def _show_position(self) -> None:
        """Show whose transcript it is, and the position of the view."""
        facts, state = self._facts(), self._state()
        in_rule = [*facts, state] if state and self._state_in_rule else facts
        self._say(" · ".join(in_rule), "" if self._state_in_rule else state)

    def show_figures(self, *, in_rule: bool) -> None:
        """Show in the rule above the pane, or in the one below it, what happens at the end of the session."""
        if in_rule != self._state_in_rule:
            self._state_in_rule = in_rule
            self._show_position()

    def expect_session(self, row: Row | None) -> None:
        """Show the title of the session that will be read."""
        self._titled = row
        self._say("")

    def _say(self, figures: str, closing: str = "") -> None:
        row = self._row or self._titled
        title, suffix = session_title(row) if row is not None else ("Transcript", "")
        self.say(figures, title, suffix=suffix, closing=closing)

    def _facts(self) -> list[str]:
        lines, hit = self.lines, self._hit
        placed = lines.transcript.placed
        hits = self.finder.hits
        facts = [hits.summary(self.finder.number)] if hits is not None else []
        where = hit.where if hit is not None else ""
        if placed is not None and self._outline is not None:
            facts += self._outline.facts(lines.turns[placed.turn].offset, where)
        if placed is not None and where:
            facts.append(where)
        if hits is not None and hits.elsewhere:
            # The rule leaves out its last figures if it has no room.
            facts.append(hits.elsewhere_note)
        return facts

    def _state(self) -> str:
        """The state of the end of the session: open, followed, or new entries below; "" for none."""
        states = ["● open"] if self.lines.turns and self._is_live(self._opened) else []
        if self._came:
            count = f"{self._came:,} " if self._came > 0 else ""
            states.append(f"{count}new {'entry' if self._came == 1 else 'entries'} below (G)")
        elif states and self.lines.spot.anchor is None:
            return "● open, following"
        return " · ".join(states)

    # the outline, and other branches

    @work(exclusive=True, group="outline")
    async def _read_outline(self) -> None:
        """Read the outline once the view rests: a whole session is read for it."""
        await asyncio.sleep(OUTLINE_SECONDS)
        row = self._row
        # A search that runs is not replaced.
        if row is None or not self._opened or not self.lines.turns or self.finder.is_running:
            return
        outline = await self._outlines.read(row.path, (row.agent,), self._path_entry)
        if outline is None or row.path != self._opened:
            return
        self._outline = outline
        transcript = self.lines.transcript
        before = transcript.notes or transcript.rules
        key = key_of("branch.switch") if self.lines.focusable else ""
        transcript.notes, transcript.rules = outline.notes(key), outline.ruled(key)
        if before or transcript.notes or transcript.rules:
            self.lines.placed_anew()
        self._show_position()
        if self._hit is not None and self.finder.hits is None:
            self._show_listed()

    @property
    def _path_entry(self) -> EntryRef | None:
        """An entry that only the path that is shown leads through; None for the active path."""
        if self._through is not None:
            return self._through
        return self._hit.entry if self._hit is not None else None

    @on(TranscriptLines.BranchAsked)
    def _branch_asked(self, event: TranscriptLines.BranchAsked) -> None:
        transcript = self.lines.transcript
        if event.step < 0:
            if self._before:
                self._through, spot = self._before.pop()
                self._open(spot)
            else:
                self._complain("You are on the branch that was opened")
            return
        placed = transcript.placed
        starts = self._outline.points.get(placed.point, ()) if self._outline and placed is not None else ()
        entry = starts[0].entry if starts else None
        if entry is None and self._outline is not None and not transcript.cursor and self._at_root:
            entry = self._outline.beginning
        if entry is not None:
            self._before.append((self._through, self.lines.spot))
            self._hit = None
            self._through = entry
            self._open(Spot(entry))
            return
        below = range(transcript.cursor + 1, len(transcript.blocks))
        at = next((number for number in below if transcript.blocks[number].point >= 0), -1)
        if at >= 0:
            self.lines.put_cursor(at)
        else:
            self._complain("No other branch starts below")

    # searching

    @property
    def _words(self) -> tuple[str, ...]:
        return self.finder.words or (tuple(self._hit.words) if self._hit is not None else ())

    def _highlight(self) -> None:
        self.post_message(self.SearchChanged())
        self.lines.words = self._words
        self.lines.redraw_rows()
        self._show_position()

    def _go_to_hit(self, entry: EntryRef, through: EntryRef | None) -> None:
        self._through = through
        self._open(Spot(entry))

    @on(SearchBox.Changed)
    def _search_typed(self, event: SearchBox.Changed) -> None:
        event.stop()
        self.finder.typed(self._row, self._path_entry)

    @work
    async def _search(self, words: Sequence[str], through: EntryRef | None) -> None:
        row = self._row
        if row is None:
            return
        hits = await self._outlines.search(row.path, (row.agent,), words, through)
        if hits is None or row.path != self._opened:
            return
        if self.finder.found(hits, self.entry, self._through) and self._outline is None:
            self._read_outline()

    @on(TranscriptLines.HitAsked)
    def _hit_asked(self, event: TranscriptLines.HitAsked) -> None:
        if self.finder.hits is None and self._hit is not None and not self.finder.is_running:
            self._show_listed(event.step)
        else:
            self.finder.step(event.step)

    @work(exclusive=True, group="listed")
    async def _show_listed(self, step: int = 0) -> None:
        """Show which of the hits of the search of all sessions this is.

        :param step: go to the next hit (1) or the previous one (-1); 0 for neither.
        """
        row, hit = self._row, self._hit
        if row is None or hit is None or not hit.words or self.finder.is_running:
            return
        if not hit.offsets:
            if step:
                self._complain("The words are in no entry here")
            return
        through = self._path_entry
        found = await self._outlines.search(row.path, (row.agent,), hit.words, through, hit.offsets)
        if found is not None and row.path == self._opened and hit is self._hit:
            self.finder.show_listed(found, self.entry, through, step)
            self._show_position()

    @on(SearchBox.Kept)
    @on(SearchBox.TabPressed)
    def _search_kept(self, event: SearchBox.Kept) -> None:
        event.stop()
        self.finder.keep()

    @on(SearchBox.Dropped)
    def _search_dropped(self, event: SearchBox.Dropped) -> None:
        event.stop()
        self.finder.drop()

    @on(SearchBox.Stepped)
    def _search_stepped(self, event: SearchBox.Stepped) -> None:
        event.stop()
        if self.finder.has_hits:
            self.finder.step(1 if event.rows + event.pages > 0 else -1)
