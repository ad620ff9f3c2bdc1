"""Sessions whose files are looked into, one after the other: no text is kept of them, not where it should
be, or not all that is asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.formats.kinds import CONVERSATION
from app.index.search.documents import Block
from app.index.search.grep.verdict import SHOWN, Verdict
from app.index.search.lookup import Lookup
from app.index.search.passage import piece_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from app.index.row import Row
    from app.index.search.best_passage import PassagePicker
    from app.index.search.cancellation import CancelToken
    from app.index.search.documents import Document
    from app.index.search.evaluator import Evaluator
    from app.index.search.grep.ahead import Ahead
    from app.index.search.grep.session import Deep
    from app.index.search.passage import Passage
    from app.index.search.refinement_cache import RefinementCache
    from app.index.search.sessions import Sessions
    from app.index.text.mmap_reader import Segments

    Passes = Callable[[Document], bool]


class FileSearch:
    """Looks into the files of sessions.

    reads     what was found in the files of sessions that match: all pieces, if all are wanted, the last one
              first
    bests     the best of them, where that is known without another look
    as_kept   paths of files that were to be read and cannot be: what is kept of them was looked through
    unread    path -> why, of those of which nothing is kept that was asked for
    lookup    knows what is shown of all these
    """

    def __init__(
        self,
        matcher: Evaluator,
        picker: PassagePicker,
        sessions: Sessions,
        in_order: Callable[[], Iterator[Document]],
        segments: Segments,
        pulse: CancelToken,
        memory: RefinementCache,
        *,
        every: bool,
        alone: bool,
        ahead: Ahead | None,
    ) -> None:
        """:param in_order: all sessions, newest first; the other parameters are those of `Sweep`."""
        self.reads: dict[Document, tuple[Passage, ...]] = {}
        self.bests: dict[Document, Passage] = {}
        self.as_kept: list[str] = []
        self.unread: dict[str, str] = {}
        self.lookup = Lookup(matcher.plan, segments, self.reads, self.bests)
        self.matcher = matcher
        self.plan = matcher.plan
        self.picker = picker
        self._sessions = sessions
        self._in_order = in_order
        self._segments = segments
        self._pulse = pulse
        self._memory = memory
        self._every = every
        self._alone = alone
        self._ahead = ahead
        self._deep: Deep | None = None
        self._is_told = True
        self._answered = 0
        self._by_path: dict[str, Document] | None = None

    @property
    def read(self) -> int:
        """How many were read."""
        return self._answered + (self._deep.files if self._deep else 0)

    def look_ahead(self, passes: Passes | None) -> None:
        """Have a copy of this process look into them as well, if nothing else is to be done here.

        :param passes: whether a session passes the filters.
        """
        if not self._alone or self._ahead is not None or not self.plan.query.is_deep:
            return
        from app.index.search.grep.ahead import look_ahead

        lacking = self._memory.lacking
        rows = [
            session.row
            for session in self._in_order()
            if session not in lacking and (passes is None or passes(session))
        ]
        files = [(row.path, row.signature) for row in rows]
        self._ahead = look_ahead(self.plan, files, lambda number: rows[number].dialect, every=self._every)

    def close(self) -> None:
        """End the copy."""
        if self._ahead:
            self._ahead.close()

    def prepare(self, block: Block) -> None:
        """Before some sessions of `block` are asked for, look through what is known of them all: that
        takes less time than to do so with each.
        """
        plan = self.plan
        self._is_told = plan.everywhere and block.may_say((*plan.wanted, *plan.unwanted))

    def reloaded(self, block: Block, slots: Sequence[int]) -> dict[int, Document]:
        """Those whose text is not any more where it was: it may have been moved."""
        lost = [slot for slot in slots if block.sessions[slot].spans is not None]
        if not lost or self.plan.query.is_deep:
            return {}
        return dict(zip(lost, self._sessions.reload([block.sessions[slot] for slot in lost]), strict=True))

    def matching(self, session: Document) -> Document | None:
        """One session, if it matches: its text where it has any by now, else its file; where that cannot be
        read, the text after all.
        """
        if not self.plan.query.is_deep and session.spans is not None:
            block = Block([session])
            if block.texts(self._segments)[0] is not None:
                having, clean = self.matcher.sift(block, (0,))
                if not having and session.row.path not in self.matcher.lost:
                    self._memory.lacking.add(session)
                return session if clean else None
        try:
            return session if self._file_matches(session) else None
        except OSError as error:
            return self._matching_as_kept(session, error)

    def _matching_as_kept(self, session: Document, error: OSError) -> Document | None:
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

    def _file_matches(self, session: Document) -> bool:
        """Whether the file of a session matches. OSError where it cannot be read."""
        verdict = self._look_into(session)
        if verdict.mask != self.plan.all:
            self._memory.lacking.add(session)
        if verdict.matches:
            self.reads[session] = tuple(map(piece_of, reversed(verdict.spots)))
            if verdict.best:
                self.bests[session] = piece_of(verdict.best)
        return verdict.matches

    def _look_into(self, session: Document) -> Verdict:
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
            from app.index.search.grep.session import Deep

            self._deep = Deep(self.plan)
        return self._deep
