"""One pass over all sessions, newest first: which of them match, and by what."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.index.search.best_passage import PassagePicker
from app.index.search.evaluator import Evaluator
from app.index.search.file_search import FileSearch
from app.index.search.rare import Rare
from app.index.search.sessions import key_of, newest_first

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    from app.index.search.cancellation import CancelToken
    from app.index.search.documents import Block, Document
    from app.index.search.grep.ahead import Ahead
    from app.index.search.originals import Originals
    from app.index.search.refinement_cache import RefinementCache
    from app.index.search.sessions import Sessions, View
    from app.index.search.term_matcher import TermMatcher
    from app.index.search.terms import Plan
    from app.index.text.mmap_reader import Segments

    Passes = Callable[[Document], bool]


class SearchPass:
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
        pulse: CancelToken,
        memory: RefinementCache,
        passes: Passes | None,
        *,
        every: bool,
        alone: bool,
        ahead: Ahead | None,
    ) -> None:
        """:param passes: whether a session passes the filters; None where there are none.
        :param alone: this process has nothing else to do and may be copied (`deep.other_end`).
        :param ahead: the same was begun before. It is closed at the end.
        """
        self.plan = plan
        self.searched = 0
        self.total = 0
        self._rare = Rare(view, segments, pulse)
        self.matcher = Evaluator(plan, segments, originals, pulse, self._rare)
        self.picker = PassagePicker(self.matcher, pulse)
        self.files = FileSearch(
            self.matcher,
            self.picker,
            sessions,
            self._in_order,
            segments,
            pulse,
            memory,
            every=every,
            alone=alone,
            ahead=ahead,
        )
        self._view = view
        self._segments = segments
        self._pulse = pulse
        self._memory = memory
        self._passes = passes
        self._known = [seeker for seeker in plan.wanted if memory.knew(seeker.term)]

    @property
    def is_leap_due(self) -> bool:
        """Whether nothing may come for a while now: a word is looked for in all texts at once."""
        return self._rare.is_due

    @property
    def leaps(self) -> int:
        """How often that was done. What it leads to comes at once, or not at all."""
        return self._rare.at_once

    def run(self) -> Iterator[list[Document]]:
        """The sessions that match, newest first, some at a time; none now and then.

        :raises Stopped: the search is not wanted any more.
        """
        try:
            self.files.look_ahead(self._passes)
            yield from self._run()
        finally:
            self.files.close()

    def _in_order(self) -> Iterator[Document]:
        """Of those that were laid out, those that are so still."""
        stale = self._view.stale
        for block in self._view.blocks:
            for session in block.sessions:
                if session not in stale:
                    yield session

    def _run(self) -> Iterator[list[Document]]:
        fresh: list[Document] = []
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

    def _counted(self, some: list[Document]) -> list[Document]:
        self.total += len(some)
        return some

    def _in(self, block: Block) -> Iterator[list[Document]]:
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
    ) -> Iterator[list[Document]]:
        """Those that match, and of `others`, which cannot be looked through together, those that do."""
        alone = set(others)
        files = self.files
        reloaded = files.reloaded(block, others)
        files.prepare(block)
        pulse = self._pulse
        asked = pulse.asked
        for slot in slots:
            session = reloaded.get(slot, block.sessions[slot])
            if slot in alone:
                self.searched += 1
                pulse.beat()
                found = files.matching(session)
                if found is not None:
                    yield [found]
                elif asked != pulse.asked:
                    asked = pulse.asked
                    yield []
            elif slot in matching:
                yield [session]

    def _sift(self, block: Block, slots: Sequence[int]) -> Sequence[int]:
        """Those that match. What is found out is remembered, and what is known is not looked for."""
        memory = self._memory
        known: Sequence[TermMatcher] = ()
        if self._known and block in memory.had and set(memory.had[block]).issuperset(slots):
            known = self._known
        having, clean = self.matcher.sift(block, slots, known)
        lost = self.matcher.lost
        if lost and any(block.sessions[slot].row.path in lost for slot in slots):
            # Of what cannot be read nothing is known: the next search tries again.
            return clean
        if len(having) < len(slots):
            memory.left[block] = _less(self._left(block), slots, having)
        memory.having[block] = having
        return clean

    def _left(self, block: Block) -> Sequence[int]:
        """Which of its sessions are not known to lack anything, apart from `RefinementCache.lacking`."""
        left = self._memory.left.get(block)
        return range(len(block.sessions)) if left is None else left

    def _slots(self, block: Block) -> Sequence[int]:
        """Which of its sessions may match."""
        sessions, slots = block.sessions, self._left(block)
        lacking, passes = self._memory.lacking, self._passes
        stale: Collection[Document] = ()
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


def _less(left: Sequence[int], slots: Sequence[int], having: Sequence[int]) -> Sequence[int]:
    """`left` without those of `slots` that are not in `having`."""
    if len(left) == len(slots):
        return having
    gone = set(slots).difference(having)
    return [slot for slot in left if slot not in gone]


def _merged(some: list[Document], fresh: list[Document], last: Document) -> list[Document]:
    """`some` with those of `fresh`, the newest at its end, that come before `last`; they are taken off."""
    end = key_of(last)
    taken = []
    while fresh and key_of(fresh[-1]) < end:
        taken.append(fresh.pop())
    return newest_first([*some, *taken]) if taken else some
