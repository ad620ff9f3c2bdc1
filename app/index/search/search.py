"""A search under way: pages of hits, the first one as soon as it is full."""

from __future__ import annotations

import time
from threading import Event
from typing import TYPE_CHECKING

from app.formats.collector import Resting
from app.index.query.query import Note
from app.index.search.cancellation import Cancelled, CancelToken
from app.index.search.hit_details import is_told_first
from app.index.search.lookup import asked_of, pieces_of
from app.index.search.originals import Originals
from app.index.search.refinement_cache import RefinementCache
from app.index.search.relevance import score
from app.index.search.results import Hit, Hits, Page
from app.index.search.search_pass import SearchPass
from app.index.search.suggestions import other_spellings
from app.index.search.terms import Plan

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from app.index.query.query import Facts, Query
    from app.index.search.documents import Document
    from app.index.search.grep.ahead import Ahead
    from app.index.search.sessions import Sessions, View
    from app.index.text.mmap_reader import Segments

PAGE = 50
"""Hits of the first page, if so many are found in no time."""

SOON_SECONDS = 0.004
"""Else it comes as soon after this as there is any, or before something that takes longer: few sessions have
a rare word, and the last of them may be the oldest of all."""

_PAUSE_SECONDS = 0.05
"""Later pages come no closer together than this; nobody reads faster."""


_REST_SECONDS = 0.02
"""What comes at once is one page: whoever shows pages would show two of them one after the other."""


class Search:
    """The answer to one query: iterate over it once, in one thread, for its pages. `cancel` is for others.

    query        what is looked for
    generation   a number; the search with the highest is the last one that was begun
    looked       how often a session's texts were looked through for a term; `read` how many files were
    """

    def __init__(
        self,
        query: Query,
        sessions: Sessions,
        segments: Segments,
        facts: Facts,
        memory: RefinementCache,
        *,
        order: str,
        every: bool,
        keep_going: Callable[[], bool],
        now_ms: int,
        generation: int,
        alone: bool,
        ahead: Ahead | None,
        unread: Mapping[str, str],
        done: Callable[[RefinementCache], object],
    ) -> None:
        """:param memory: what the last search found out.
        :param alone: this process has nothing else to do and may be copied.
        :param ahead: it was copied, and the copy looks for the same.
        :param unread: path -> why, of the files that may be sessions and are none of them.
        :param done: is called with what this one found out, at its end, or when it is given up.
        :raises QueryError: a pattern cannot be looked for.
        """
        self.query = query
        self.generation = generation
        self.looked = 0
        self.read = 0
        self._plan = Plan(query)
        self._sessions = sessions
        self._segments = segments
        self._facts = facts
        self._before = memory
        self._order = order
        self._every = every
        self._alone = alone
        self._ahead = ahead
        self._unread = unread
        self._now_ms = now_ms
        self._done = done
        self._cancelled = Event()
        self._pulse = CancelToken(lambda: not self._cancelled.is_set() and keep_going())
        self._originals = Originals()
        self._notes: list[Note] = []
        self._spelt: dict[str, tuple[str, ...]] = {}

    def cancel(self) -> None:
        """Have the iteration end soon, without a last page."""
        self._cancelled.set()

    @property
    def is_cancelled(self) -> bool:
        """Whether `cancel` was called."""
        return self._cancelled.is_set()

    def __iter__(self) -> Iterator[Page]:
        """The pages in order; the last one is `done`. Ends early, without one, when nobody waits any more."""
        self._segments.look()
        view = self._sessions.view(texts=not self.query.is_deep)
        memory = self._before.then(self.query, view.all_blocks())
        try:
            sweep = self._sweep(self._plan, view, memory, self._passes())
            yield from self._pages(sweep, view, last=False)
            instead = {}
            if not sweep.total:
                # Other spellings take longer than what is asked for.
                yield self._page(Hits(), sweep, view)
                view = self._sessions.view()
                instead = self._instead(view)
            if any(instead.values()):
                near = self._sweep(Plan(self.query, instead), view, RefinementCache(), self._passes())
                yield from self._pages(near, view, last=True)
            elif not sweep.total:
                yield self._page(Hits(), sweep, view, done=True)
        except Cancelled:
            return
        finally:
            self._originals.close()
            self._done(memory)

    def _instead(self, view: View) -> dict[str, tuple[str, ...]]:
        """By the name of each term that is nowhere, how else it is spelt."""
        spelt, notes = other_spellings(self.query, view, self._segments, self._pulse, self._has_any)
        self._spelt.update(spelt)
        self._notes += notes
        return self._spelt

    def _has_any(self, query: Query, view: View) -> bool:
        """Whether any session matches."""
        return any(self._sweep(Plan(query), view, RefinementCache(), None).run())

    def _passes(self) -> Callable[[Document], bool] | None:
        if not self.query.filters:
            return None
        query, facts = self.query, self._facts
        return lambda session: query.passes(session.row, facts)

    def _sweep(
        self, plan: Plan, view: View, memory: RefinementCache, passes: Callable[[Document], bool] | None
    ) -> SearchPass:
        # What it is told is of the first plan.
        ahead, self._ahead = self._ahead, None
        return SearchPass(
            plan,
            view,
            self._sessions,
            self._segments,
            self._originals,
            self._pulse,
            memory,
            passes,
            every=self._every or self._order != "recent",
            alone=self._alone,
            ahead=ahead,
        )

    # -- pages --

    def _pages(self, sweep: SearchPass, view: View, *, last: bool) -> Iterator[Page]:
        """All pages of a sweep. But for the last one they come when there is something new to say.

        :param last: nothing comes after them, even if nothing matches.
        """
        found: list[Document | Hit] = []
        scores: dict[Document, float] = {}
        make = self._making(sweep, scores)
        told = time.perf_counter()
        first, leaps = True, 0
        try:
            steps = self._found(sweep, scores)
            while True:
                # What is made of ten thousand sessions is no garbage.
                with Resting():
                    some = next(steps, None)
                if some is None:
                    break
                found += some
                if sweep.leaps > leaps:
                    # Of most there is nothing left to find out.
                    leaps, told = sweep.leaps, time.perf_counter() + _REST_SECONDS
                passed = time.perf_counter() - told
                is_due = len(found) >= PAGE or (found and (passed > SOON_SECONDS or sweep.is_leap_due))
                if (first and is_due and passed > 0) or passed > _PAUSE_SECONDS:
                    yield self._page(Hits(found, make), sweep, view)
                    first = first and not found
                    found, told = [], time.perf_counter()
        finally:
            self.looked += sweep.matcher.looked
            self.read += sweep.files.read
        if last or sweep.total:
            yield self._page(Hits(found, make), sweep, view, done=True)

    def _page(self, hits: Hits, sweep: SearchPass, view: View, *, done: bool = False) -> Page:
        if self.is_cancelled:
            raise Cancelled
        # What is kept is folded, and not what was to be read in the originals: where case counts.
        unread = {**self._unread, **sweep.files.unread, **self._originals.lost}
        as_kept = {*(sweep.files.as_kept if self.query.is_deep else view.away)}.difference(unread)
        # Of files the last page tells: until then there are more of them with each.
        notes = (*self._notes, *(self._about(as_kept, unread) if done else _on_the_way(sweep.plan)))
        return Page(
            hits,
            sweep.total,
            sweep.searched,
            view.count,
            done,
            notes,
            dict(self._spelt),
            sorted(as_kept),
            sorted(unread),
        )

    def _about(self, as_kept: set[str], unread: Mapping[str, str]) -> Iterator[Note]:
        """What is to be said of sessions whose files are out of reach, see `Page`; of each once."""
        less = ", but not what tools said" if self.query.is_deep else ""
        yield from _said_of(as_kept, f"searched as before{less}")
        if unread:
            first = min(unread)
            which = first if len(unread) == 1 else f"{len(unread):,} files, {first} among them"
            yield Note(f"cannot be read: {which}: {unread[first]}", 0, 0)

    def _found(self, sweep: SearchPass, scores: dict[Document, float]) -> Iterator[Sequence[Document | Hit]]:
        """What is found in the order that was asked for, some at a time; none now and then.

        :param scores: where the scores are put.
        """
        if self._order == "recent":
            for some in sweep.run():
                yield self._of(some, sweep, scores)
            return
        for some in sweep.run():
            for session in some:
                self._pulse.beat()
                scores[session] = self._score(session, sweep)
            yield ()
        # Sorted as they were found: newest first where scores are equal.
        ranked = sorted(scores, key=lambda session: -scores[session])
        for start in range(0, len(ranked), PAGE):
            yield self._of(ranked[start : start + PAGE], sweep, scores)

    def _of(
        self, some: list[Document], sweep: SearchPass, scores: dict[Document, float]
    ) -> Sequence[Document | Hit]:
        """All hits of sessions that match, if all are wanted; else of each session its best, made later."""
        if not self._every or not sweep.plan.wanted:
            return some
        return [hit for session in some for hit in self._every_of(session, sweep, scores)]

    def _making(self, sweep: SearchPass, scores: dict[Document, float]) -> Callable[[Document], Hit]:
        """What makes the one hit of a session."""
        if not sweep.plan.wanted:
            return lambda session: Hit(session.row, "row")
        later, near, look, score = Hit.later, sweep.plan.near, sweep.files.lookup.best, scores.get
        return lambda session: later(session.row, look, session, score(session, 0.0), near)

    def _every_of(self, session: Document, sweep: SearchPass, scores: dict[Document, float]) -> Iterator[Hit]:
        plan = sweep.plan
        told = sweep.picker.told(session)
        shown = [piece for piece in told if is_told_first(piece)]
        shown += pieces_of(session, sweep.picker, sweep.files.reads, self._segments)
        shown += [piece for piece in told if not is_told_first(piece)]
        look = sweep.files.lookup.piece
        for piece in shown:
            yield Hit.later(session.row, look, piece, scores.get(session, 0.0), plan.near)

    def _score(self, session: Document, sweep: SearchPass) -> float:
        picker, reads = sweep.picker, sweep.files.reads
        pieces = pieces_of(session, picker, reads, self._segments)
        size = session.row.size if session in reads else session.size
        age = self._now_ms - session.row.modified

        def asked(terms: int) -> int:
            return asked_of(session, picker, reads, self._segments, terms)

        return score(picker.told(session), pieces, asked, len(sweep.plan.wanted), size, age)


def _on_the_way(plan: Plan) -> Iterator[Note]:
    """Why it takes so long."""
    for seeker in (*plan.wanted, *plan.unwanted):
        if seeker.is_slow:
            yield Note("this pattern is slow: it takes a while", 0, 0)


def _said_of(paths: Collection[str], how: str) -> Iterator[Note]:
    """A note about files that are out of reach, if there are any."""
    if paths:
        first = min(paths)
        which = first if len(paths) == 1 else f"{len(paths):,} sessions, {first} among them"
        yield Note(f"cannot be read any more, and {how}: {which}", 0, 0)
