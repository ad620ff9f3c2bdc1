"""One pass over all sessions, newest first: which of them match, and by what (PERFORMANCE 3.4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.formats.kinds import CONVERSATION
from app.index.search.blocks import Block
from app.index.search.deep.verdict import SHOWN, Verdict
from app.index.search.lookup import Lookup
from app.index.search.matcher import Matcher
from app.index.search.picker import Picker
from app.index.search.piece import piece_of
from app.index.search.rare import Rare
from app.index.search.sessions import key_of, newest_first

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    from app.index.row import Row
    from app.index.search.blocks import Session
    from app.index.search.deep.ahead import Ahead
    from app.index.search.deep.session import Deep
    from app.index.search.memory import Memory
    from app.index.search.originals import Originals
    from app.index.search.piece import Piece
    from app.index.search.pulse import Pulse
    from app.index.search.sessions import Sessions, View
    from app.index.search.terms import Plan, Seeker
    from app.index.text.mapped import Segments

    Passes = Callable[[Session], bool]


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
        ahead: Ahead | None = None,
    ) -> None:
        """:param passes: whether a session passes the filters; None where there are none.
        :param alone: this process has nothing else to do and may be copied (`deep.other_end`).
        :param ahead: the same was begun before. It is closed at the end.
        """
        self.plan = plan
        self.searched = 0
        self.total = 0
        self.reads: dict[Session, tuple[Piece, ...]] = {}
        """What was found in the files of sessions that match, of those that were read: all pieces, if all are
        wanted, the last one first."""
        self.bests: dict[Session, Piece] = {}
        """The best of them, where that is known without another look."""
        self.as_kept: list[str] = []
        """Paths of files that were to be read and cannot be: what is kept of them was looked through."""
        self.unread: dict[str, str] = {}
        """path -> why, of those of which nothing is kept that was asked for."""
        self._originals = originals
        self.lookup = Lookup(plan, segments, self.reads, self.bests)
        self._rare = Rare(view, segments, pulse)
        self.matcher = Matcher(plan, segments, originals, pulse, self._rare)
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
        self._ahead = ahead
        self._is_told = True
        self._answered = 0
        self._by_path: dict[str, Session] | None = None
        self._known = [seeker for seeker in plan.wanted if memory.knew(seeker.term)]

    @property
    def is_leap_due(self) -> bool:
        """Whether nothing may come for a while now: a word is looked for in all texts at once."""
        return self._rare.is_due

    @property
    def leaps(self) -> int:
        """How often that was done. What it leads to comes at once, or not at all."""
        return self._rare.at_once

    @property
    def read(self) -> int:
        """How many files were read."""
        return self._answered + (self._deep.files if self._deep else 0)

    def run(self) -> Iterator[list[Session]]:
        """The sessions that match, newest first, some at a time; none now and then.

        :raises Stopped: the search is not wanted any more.
        """
        try:
            if self._alone and self._ahead is None and self.plan.query.is_deep:
                self._ahead = self._look_ahead()
            yield from self._run()
        finally:
            if self._ahead:
                self._ahead.close()

    def _look_ahead(self) -> Ahead | None:
        from app.index.search.deep.ahead import look_ahead

        lacking, passes = self._memory.lacking, self._passes
        rows = [
            session.row
            for session in self._in_order()
            if session not in lacking and (passes is None or passes(session))
        ]
        files = [(row.path, row.signature) for row in rows]
        return look_ahead(self.plan, files, lambda number: rows[number].dialect, every=self._every)

    def _in_order(self) -> Iterator[Session]:
        """Of those that were laid out, those that are so still."""
        stale = self._view.stale
        for block in self._view.blocks:
            for session in block.sessions:
                if session not in stale:
                    yield session

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
            kept, others = slots, ()
            without = block.without(self._segments)
            if without:
                kept = [slot for slot in slots if slot not in without]
                others = [slot for slot in slots if slot in without]
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
        pulse = self._pulse
        asked = pulse.asked
        for slot in slots:
            session = reloaded.get(slot, block.sessions[slot])
            if slot in alone:
                self.searched += 1
                pulse.beat()
                found = self._matching(session)
                if found is not None:
                    yield [found]
                elif asked != pulse.asked:
                    asked = pulse.asked
                    yield []
            elif slot in matching:
                yield [session]

    def _prepare(self, block: Block) -> None:
        """What the catalog knows of many sessions is looked through in less time than that of each."""
        plan = self.plan
        self._is_told = plan.everywhere and block.may_say((*plan.wanted, *plan.unwanted))

    def _sift(self, block: Block, slots: Sequence[int]) -> Sequence[int]:
        """Those that match. What is found out is remembered, and what is known is not looked for."""
        memory = self._memory
        known: Sequence[Seeker] = ()
        if self._known and block in memory.had and set(memory.had[block]).issuperset(slots):
            known = self._known
        having, clean = self.matcher.sift(block, slots, known)
        if len(having) < len(slots):
            memory.left[block] = _less(self._left(block), slots, having)
        memory.having[block] = having
        return clean

    def _left(self, block: Block) -> Sequence[int]:
        """Which of its sessions are not known to lack anything, apart from `Memory.lacking`."""
        left = self._memory.left.get(block)
        return range(len(block.sessions)) if left is None else left

    def _slots(self, block: Block) -> Sequence[int]:
        """Which of its sessions may match."""
        sessions, slots = block.sessions, self._left(block)
        lacking, passes = self._memory.lacking, self._passes
        stale: Collection[Session] = ()
        if self._view.stale and block is not self._view.fresh:
            stale = self._view.stale.intersection(sessions)
        if stale:
            slots = [slot for slot in slots if sessions[slot] not in stale]
        if lacking:
            slots = [slot for slot in slots if sessions[slot] not in lacking]
        if passes is not None:
            slots = [slot for slot in slots if passes(sessions[slot])]
        self.searched += len(sessions) - len(stale) - len(slots)
        return slots

    def _reloaded(self, block: Block, slots: Sequence[int]) -> dict[int, Session]:
        """Those whose text is not any more where it was: it may have been moved."""
        lost = [slot for slot in slots if block.sessions[slot].spans is not None]
        if not lost or self.plan.query.is_deep:
            return {}
        return dict(zip(lost, self._sessions.reload([block.sessions[slot] for slot in lost]), strict=True))

    def _matching(self, session: Session) -> Session | None:
        """One session, if it matches: its text where it has any by now, else its file; where that cannot be
        read, the text after all.
        """
        if not self.plan.query.is_deep and session.spans is not None:
            block = Block([session])
            if block.texts(self._segments)[0] is not None:
                having, clean = self.matcher.sift(block, (0,))
                if not having:
                    self._memory.lacking.add(session)
                return session if clean else None
        try:
            return session if self._file_matches(session) else None
        except OSError as error:
            return self._matching_as_kept(session, error)

    def _matching_as_kept(self, session: Session, error: OSError) -> Session | None:
        """The session as it was kept, if what there is of it matches."""
        path = session.row.path
        kept = session if session.spans is not None else self._sessions.reload([session])[0]
        block = Block([kept])
        if self.plan.kinds.isdisjoint(CONVERSATION) or block.texts(self._segments)[0] is None:
            self.unread[path] = error.strerror or str(error)
            return None
        self.as_kept.append(path)
        # Nobody can say that the rest of the file lacks what is not wanted.
        return kept if not self.plan.unwanted and self.matcher.sift(block, (0,))[0] else None

    def _file_matches(self, session: Session) -> bool:
        """Whether the file of a session matches. OSError where it cannot be read."""
        verdict = self._look_into(session)
        if verdict.mask != self.plan.all:
            self._memory.lacking.add(session)
        if verdict.matches:
            self.reads[session] = tuple(map(piece_of, reversed(verdict.spots)))
            if verdict.best:
                self.bests[session] = piece_of(verdict.best)
        return verdict.matches

    def _look_into(self, session: Session) -> Verdict:
        """Look through a session's file, or take what is known of it. OSError where it cannot be read."""
        known = 0
        if self._is_told:
            for piece in self.picker.told(session):
                known |= piece.mask
            if any(self.matcher.said(seeker, session) for seeker in self.plan.unwanted):
                return Verdict(False, self.plan.all)
        if self._ahead and not known:
            verdict = self._ahead.take(session.row)
            if verdict is not None:
                self._answered += 1
                return verdict
            self._take_over(self._ahead)
        return self._read(session.row, known)

    def _take_over(self, ahead: Ahead) -> None:
        """Look into one of the files that the other process leaves to us: now, while it goes on."""
        left = ahead.left()
        if left is None:
            return
        path, end = left
        if self._by_path is None:
            self._by_path = {session.row.path: session for session in self._in_order()}
        session = self._by_path.get(path)
        if session is None:
            return
        try:
            verdict = self._read(session.row, 0, end)
        except OSError:
            return  # it is told of when it is its turn
        if ahead.settle(session.row, verdict) and verdict.best and not self._every:
            self.bests[session] = piece_of(verdict.best)
            ahead.foreseen(self.lookup.foresee(session))

    def _read(self, row: Row, known: int, end: int | None = None) -> Verdict:
        # Who has nothing else to do shows the first ones at once: to work out later what is shown of one is
        # to read it again.
        best = self._alone and not known and len(self.bests) < SHOWN
        return self._looking().session(
            row.path,
            row.dialect,
            known=known,
            best=best,
            every=self._every,
            beat=self._pulse.beat,
            end=end,
        )

    def _looking(self) -> Deep:
        if self._deep is None:
            from app.index.search.deep.session import Deep

            self._deep = Deep(self.plan)
        return self._deep


def _less(left: Sequence[int], slots: Sequence[int], having: Sequence[int]) -> Sequence[int]:
    """`left` without those of `slots` that are not in `having`."""
    if len(left) == len(slots):
        return having
    gone = set(slots).difference(having)
    return [slot for slot in left if slot not in gone]


def _merged(some: list[Session], fresh: list[Session], last: Session) -> list[Session]:
    """`some` with those of `fresh`, the newest at its end, that come before `last`; they are taken off."""
    end = key_of(last)
    taken = []
    while fresh and key_of(fresh[-1]) < end:
        taken.append(fresh.pop())
    return newest_first([*some, *taken]) if taken else some
