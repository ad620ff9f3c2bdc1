"""One pass over all sessions, newest first: which of them match, and by what (PERFORMANCE 3.4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.index.query.query import Note
from app.index.search.blocks import Block
from app.index.search.lookup import Lookup
from app.index.search.matcher import Matcher
from app.index.search.picker import Picker
from app.index.search.piece import piece_of
from app.index.search.sessions import key_of, newest_first

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from app.index.search.blocks import Session
    from app.index.search.deep.other_end import Meeting, OtherEnd
    from app.index.search.deep.session import Deep, Verdict
    from app.index.search.memory import Memory
    from app.index.search.originals import Originals
    from app.index.search.piece import Piece
    from app.index.search.pulse import Pulse
    from app.index.search.sessions import Sessions, View
    from app.index.search.terms import Plan, Seeker
    from app.index.text.mapped import Segments

    Passes = Callable[[Session], bool]

OTHER_END_FROM_BYTES = 32_000_000
"""With less than this to look through, a second process costs more than it saves."""


class Sweep:
    """Goes through the sessions of `view` for `plan`.

    searched   sessions looked into so far, or known not to match; total   those that match
    """

    def __init__(
        self,
        plan: Plan,
        view: View,
        sessions: Sessions,
        segments: Segments,
        originals: Originals,
        pulse: Pulse,
        memory: Memory,
        passes: Passes | None,
        *,
        every: bool = False,
        alone: bool = False,
    ) -> None:
        """:param passes: whether a session passes the filters; None where there are none.
        :param alone: this process has nothing else to do and may be copied (`deep.other_end`).
        """
        self.plan = plan
        self.searched = 0
        self.total = 0
        self.reads: dict[Session, tuple[Piece, ...]] = {}
        """What was found in the files of sessions that match, of those that were read: all pieces, if all are
        wanted, the last one first."""
        self._notes: list[Note] = []
        self._originals = originals
        self.lookup = Lookup(plan, segments, self.reads)
        self.matcher = Matcher(plan, segments, originals, pulse)
        self.picker = Picker(self.matcher, pulse)
        self._view = view
        self._sessions = sessions
        self._segments = segments
        self._pulse = pulse
        self._memory = memory
        self._passes = passes
        self._every = every
        self._alone = alone
        self._deep: Deep | None = None
        self._other_end: OtherEnd | None = None
        self._meeting: Meeting | None = None
        self._before = 0
        self._answered = 0
        self._known = [seeker for seeker in plan.wanted if memory.knew(seeker.term)]

    @property
    def notes(self) -> list[Note]:
        """What is to be said of files that could not be read."""
        lost = [_cannot_be_read(path, why) for path, why in self._originals.lost.items()]
        return [*self._notes, *lost]

    @property
    def read(self) -> int:
        """How many files were read."""
        return self._answered + (self._deep.files if self._deep else 0)

    def run(self) -> Iterator[list[Session]]:
        """The sessions that match, newest first, some at a time; none now and then.

        :raises Stopped: the search is not wanted any more.
        """
        if self._alone and self.plan.query.is_deep and self._is_much():
            from app.index.search.deep.other_end import Meeting, begin

            self._looking()
            meeting = self._meeting = Meeting()
            self._other_end = begin(lambda: self._from_the_end(meeting))
        try:
            yield from self._run()
        finally:
            if self._other_end:
                self._other_end.close()

    def _is_much(self) -> bool:
        """Whether two have less to do than one."""
        size = 0
        for block in self._view.blocks:
            size += sum([session.row.size for session in block.sessions])
        return size >= OTHER_END_FROM_BYTES

    def _from_the_end(
        self, meeting: Meeting
    ) -> Iterator[tuple[str, tuple[bool, int, list[tuple[object, ...]]]]]:
        """What `_with_others` will want to know of the files, the oldest first."""
        before = sum([len(block.sessions) for block in self._view.blocks])
        for block in reversed(self._view.blocks):
            before -= len(block.sessions)
            slots = self._slots(block)
            self._prepare(block)
            for slot in reversed(slots):
                if before + slot < meeting.reached:
                    return
                session = block.sessions[slot]
                try:
                    verdict = self._look_into(session)
                except OSError:
                    # It is told of by whoever tries again.
                    continue
                yield session.row.path, (verdict.matches, verdict.mask, [*map(tuple, verdict.spots)])

    def _run(self) -> Iterator[list[Session]]:
        fresh: list[Session] = []
        if self._view.fresh:
            for some in self._in(self._view.fresh):
                fresh += some
                yield []
        fresh.reverse()
        for block in self._view.blocks:
            for some in self._in(block):
                yield self._counted(_merged(some, fresh, some[-1]) if fresh and some else some)
            if fresh:
                yield self._counted(_merged([], fresh, block.sessions[-1]))
            self._before += len(block.sessions)
        yield self._counted(fresh[::-1])

    def _counted(self, some: list[Session]) -> list[Session]:
        self.total += len(some)
        return some

    def _in(self, block: Block) -> Iterator[list[Session]]:
        self._pulse.beat()
        slots = self._slots(block)
        if not slots:
            return
        sessions = block.sessions
        if not self.plan.wanted and not self.plan.unwanted:
            self.searched += len(slots)
            yield [sessions[slot] for slot in slots]
            return
        kept: Sequence[int] = ()
        others = slots
        if not self.plan.query.is_deep:
            places = block.texts(self._segments)
            kept = [slot for slot in slots if places[slot] is not None]
            others = [slot for slot in slots if places[slot] is None] if len(kept) < len(slots) else ()
        clean = self._sift(block, kept)
        self.searched += len(kept)
        if others:
            yield from self._with_others(block, slots, set(clean), others)
        else:
            yield [sessions[slot] for slot in clean]

    def _with_others(
        self, block: Block, slots: Sequence[int], matching: set[int], others: Sequence[int]
    ) -> Iterator[list[Session]]:
        """Those that match, and of `others`, which cannot be looked through together, those that do."""
        alone = set(others)
        reloaded = self._reloaded(block, others)
        self._prepare(block)
        meeting = self._meeting if block is not self._view.fresh else None
        for slot in slots:
            session = reloaded.get(slot, block.sessions[slot])
            if slot in alone:
                if meeting:
                    meeting.reached = self._before + slot
                self.searched += 1
                yield [session] if self._matches(session) else []
            elif slot in matching:
                yield [session]

    def _prepare(self, block: Block) -> None:
        """What the catalog knows of many sessions is packed in less time than that of each."""
        if self.plan.everywhere:
            block.said()

    def _sift(self, block: Block, slots: Sequence[int]) -> Sequence[int]:
        """Those that match. What is found out is remembered, and what is known is not looked for."""
        sessions, memory = block.sessions, self._memory
        known: Sequence[Seeker] = ()
        if self._known and memory.had.issuperset([sessions[slot] for slot in slots]):
            known = self._known
        having, clean = self.matcher.sift(block, slots, known)
        if len(having) < len(slots):
            has = set(having)
            memory.lacking.update([sessions[slot] for slot in slots if slot not in has])
        memory.having.update([sessions[slot] for slot in having])
        return clean

    def _slots(self, block: Block) -> Sequence[int]:
        """Which of its sessions may match."""
        sessions = block.sessions
        stale = self._view.stale if block is not self._view.fresh else frozenset()
        lacking, passes = self._memory.lacking, self._passes
        if not stale and not lacking and passes is None:
            return range(len(sessions))
        slots = []
        for slot, session in enumerate(sessions):
            if session in stale:
                continue
            if (passes is not None and not passes(session)) or session in lacking:
                self.searched += 1
            else:
                slots.append(slot)
        return slots

    def _reloaded(self, block: Block, slots: Sequence[int]) -> dict[int, Session]:
        """Those whose text is not any more where it was: it may have been moved."""
        lost = [slot for slot in slots if block.sessions[slot].spans is not None]
        if not lost or self.plan.query.is_deep:
            return {}
        return dict(zip(lost, self._sessions.reload([block.sessions[slot] for slot in lost]), strict=True))

    def _matches(self, session: Session) -> bool:
        """Whether one session matches: its text where it has any by now, else its file."""
        if not self.plan.query.is_deep and session.spans is not None:
            block = Block([session])
            if block.texts(self._segments)[0] is not None:
                return bool(self._sift(block, [0]))
        return self._file_matches(session)

    def _file_matches(self, session: Session) -> bool:
        row = session.row
        try:
            verdict = self._answer(row.path) or self._look_into(session)
        except OSError as error:
            self._notes.append(_cannot_be_read(row.path, error.strerror or str(error)))
            return False
        if verdict.mask != self.plan.all:
            self._memory.lacking.add(session)
        if verdict.matches:
            self.reads[session] = tuple(map(piece_of, reversed(verdict.spots)))
        return verdict.matches

    def _answer(self, path: str) -> Verdict | None:
        """What the other process has found in a file."""
        answer = self._other_end.take(path) if self._other_end else None
        if answer is None:
            return None
        from app.index.search.deep.session import Spot, Verdict

        self._answered += 1
        matches, mask, spots = answer
        return Verdict(matches, mask, None, tuple(Spot(*spot) for spot in spots))

    def _look_into(self, session: Session) -> Verdict:
        """Look through a session's file. OSError where it cannot be read."""
        from app.index.search.deep.session import Verdict

        matcher, plan = self.matcher, self.plan
        known = 0
        for piece in self.picker.told(session):
            known |= piece.mask
        if plan.everywhere and any(matcher.said(seeker, session) for seeker in plan.unwanted):
            return Verdict(False, plan.all)
        row = session.row
        return self._looking().session(
            row.path, row.dialect, known=known, best=False, every=self._every, beat=self._pulse.beat
        )

    def _looking(self) -> Deep:
        if self._deep is None:
            from app.index.search.deep.session import Deep

            self._deep = Deep(self.plan)
        return self._deep


def _cannot_be_read(path: str, why: str) -> Note:
    return Note(f"cannot be read: {path}: {why}", 0, 0)


def _merged(some: list[Session], fresh: list[Session], last: Session) -> list[Session]:
    """`some` with those of `fresh`, the newest at its end, that come before `last`; they are taken off."""
    end = key_of(last)
    taken = []
    while fresh and key_of(fresh[-1]) < end:
        taken.append(fresh.pop())
    return newest_first([*some, *taken]) if taken else some
