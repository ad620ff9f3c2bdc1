"""Which sessions have what a query asks for, in the text store and in what the catalog knows of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.formats.kinds import CONVERSATION
from app.index.search.metadata_fields import is_said, text_of
from app.index.search.passage import next_mark, next_piece, piece_at, piece_from
from app.sessions.passages import HEAD, kind_of

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from app.index.row import Row
    from app.index.search.cancellation import CancelToken
    from app.index.search.cased import Cased
    from app.index.search.documents import Block, Document, Look, Place, Places
    from app.index.search.originals import Originals
    from app.index.search.phrase_matcher import Loose
    from app.index.search.rare import Rare
    from app.index.search.term_matcher import TermMatcher
    from app.index.search.terms import Plan
    from app.index.text.mmap_reader import Segments, Source

_AT_ONCE = 16
"""After so many sessions somebody is asked whether to go on."""

_AT_SIGHT = 128
"""The same where it is only looked for bytes in their texts, which takes four microseconds each at most."""


class Evaluator:
    """Looks for the terms of `plan`.

    looked   how often a session was looked through for a term
    """

    def __init__(
        self,
        plan: Plan,
        segments: Segments,
        originals: Originals,
        pulse: CancelToken,
        rare: Rare | None = None,
    ) -> None:
        """:param rare: knows more of words that few have, where many sessions are gone through."""
        self.plan = plan
        self.looked = 0
        self.takes_all = plan.kinds >= CONVERSATION
        """Whether no kind of piece that is stored is left out."""
        self._segments = segments
        self._originals = originals
        self._pulse = pulse
        self._rare = rare

    @property
    def lost(self) -> Mapping[str, str]:
        """path -> why, of files that could not be read where something was to be looked for."""
        return self._originals.lost

    def sift(
        self, block: Block, slots: Sequence[int], known: Sequence[TermMatcher] = ()
    ) -> tuple[Sequence[int], Sequence[int]]:
        """Of `slots` of a block, sessions that have text: those with all that is wanted, and of these those
        with nothing that is not.

        :param known: what all of them are known to have.
        :raises Stopped: the search is not wanted any more.
        """
        left = slots
        for seeker in self._wanted():
            if left and seeker not in known:
                left = self._having(seeker, block, left)
        clean = left
        for seeker in self.plan.unwanted:
            if clean:
                unwanted = set(self._having(seeker, block, clean))
                clean = [slot for slot in clean if slot not in unwanted]
        return left, clean

    def said(self, seeker: TermMatcher, session: Document) -> bool:
        """Whether what the catalog knows of a session has a term."""
        return self._in_place(seeker, session.row, session.said)

    def takes(self, kind: int) -> bool:
        """Whether pieces of that kind are looked through."""
        return self.takes_all or is_said(kind) or kind in self.plan.kinds

    def confirmed(
        self, seeker: TermMatcher, row: Row, source: Source, mark: int, end: int, nth: int = -1
    ) -> bool:
        """Whether a term is in the piece that begins at `mark`, and whose text goes as far as `end`.

        :param nth: see `Piece`; below 0 where any of its kind in the line is as good.
        """
        begin = mark + HEAD
        if not seeker.in_folded(source, begin, end):
            return False
        if not seeker.exact:
            return True
        kind, offset = kind_of(source.data, mark), source.offset(mark)
        if is_said(kind):
            return seeker.in_text(text_of(row, kind, offset))
        cased = seeker.cased
        line = cased and self._originals.line(row, offset)
        if cased and line and not (cased.is_in(line) and cased.may_be_in(line, source, begin, end)):
            return False
        return self._is_written(seeker, row, kind, offset, nth)

    def _is_written(self, seeker: TermMatcher, row: Row, kind: int, offset: int, nth: int = -1) -> bool:
        """Whether a term is in a text of that kind in the line at `offset`, case and all; `nth` as above."""
        texts = self._originals.texts(row, offset, kind, nth, apart=seeker.apart)
        if any(seeker.in_text(text) for text in texts):
            return True
        # Of a file that cannot be read nobody can say that it lacks what is not wanted.
        return seeker.term.negated and row.path in self.lost

    def _wanted(self) -> Sequence[TermMatcher]:
        """What few have first: the others are looked for in these only."""
        rare, wanted = self._rare, self.plan.wanted
        if rare is None or len(wanted) < 2:
            return wanted
        return sorted(wanted, key=lambda seeker: (seeker.cost[0], rare.share(seeker.sought)))

    def _having(self, seeker: TermMatcher, block: Block, slots: Sequence[int]) -> Sequence[int]:
        """Those of `slots` that have a term."""
        self.looked += len(slots)
        if seeker.only is None or (seeker.loose is None and not self.takes_all):
            return self._one_by_one(seeker, block, slots)
        found = self._with(seeker, block, slots)
        if self.plan.everywhere and len(found) < len(slots):
            called = block.called(seeker, set(slots).difference(found))
            found = _together(found, called, slots)
        # Of what is folded, and of any kind, it is known now who has it.
        is_known = (seeker.simple and self.takes_all) or not found
        return found if is_known else self._one_by_one(seeker, block, found)

    def _with(self, seeker: TermMatcher, block: Block, slots: Sequence[int]) -> Sequence[int]:
        """Those of `slots` whose texts have what a term looks for."""
        rare, only, sought = self._rare, seeker.only, seeker.sought
        assert only is not None
        assert sought is not None
        found = rare.having(sought, block, slots) if rare else None
        if found is None:
            found = self._at_sight(only, block.looks(self._segments), slots)
            if seeker.loose is not None:
                found = self._with_loose(seeker.loose, block, slots, found)
            if rare:
                rare.tell(sought, len(slots), len(found))
        return found

    def _with_loose(
        self, loose: Loose, block: Block, slots: Sequence[int], found: Sequence[int]
    ) -> Sequence[int]:
        """`found`, and those of the other `slots` whose texts have a phrase otherwise than it is typed."""
        if len(found) == len(slots):
            return found
        rare, known = self._rare, set(found)
        others = [slot for slot in slots if slot not in known]
        more = rare.having(loose, block, others) if rare else None
        if more is None:
            more = self._loosely(loose, block.texts(self._segments), others)
            if rare:
                rare.tell(loose, len(others), len(more))
        return _together(found, more, slots)

    def _loosely(self, loose: Loose, texts: Sequence[Places | None], slots: Sequence[int]) -> list[int]:
        found = []
        for number, slot in enumerate(slots):
            if not number % _AT_ONCE:
                self._pulse.beat()
            if any(loose.first(*place) >= 0 for place in texts[slot] or ()):
                found.append(slot)
        return found

    def _at_sight(self, word: bytes, looks: Sequence[Look], slots: Sequence[int]) -> list[int]:
        found: list[int] = []
        for first in range(0, len(slots), _AT_SIGHT):
            self._pulse.beat()
            some = slots[first : first + _AT_SIGHT]
            found += [slot for slot in some if (look := looks[slot])[0](word, look[1], look[2]) >= 0]
        return found

    def _one_by_one(self, seeker: TermMatcher, block: Block, slots: Sequence[int]) -> list[int]:
        segments, sessions, beat = self._segments, block.sessions, self._pulse.beat
        places: Sequence[Places | None]
        places = block.everything(segments) if self.plan.everywhere else block.texts(segments)
        found = []
        for number, slot in enumerate(slots):
            if not number % _AT_ONCE:
                beat()
            row = sessions[slot].row
            if any(self._in_place(seeker, row, place) for place in places[slot] or ()):
                found.append(slot)
        return found

    def _in_place(self, seeker: TermMatcher, row: Row, place: Place) -> bool:
        """Whether a term is in a text."""
        source, start, end = place
        at = seeker.first(source, start, end)
        if at < 0:
            return False
        is_told = is_said(kind_of(source.data, piece_at(source, start, end, start)[0]))
        if seeker.simple and (self.takes_all or is_told):
            return True
        if seeker.cased is not None and not is_told:
            try:
                return self._in_lines(seeker, seeker.cased, row, place, at)
            except OSError:
                pass  # it is told of below
        while at >= 0:
            self._pulse.beat()
            mark, _, stop = piece_at(source, start, end, at)
            kind = kind_of(source.data, mark)
            if self.takes(kind) and self.confirmed(seeker, row, source, mark, stop):
                return True
            if seeker.exact and row.path in self.lost and not is_said(kind):
                # All further places are in the same file.
                return False
            at = seeker.first(source, stop, end) if stop < end else -1
        return False

    def _in_lines(self, seeker: TermMatcher, cased: Cased, row: Row, place: Place, at: int) -> bool:
        """The same for what has capitals. Nearly all sessions have "ef", and next to none "eF": the file is
        looked through for the few lines that may have it, and only what is said in these is read.

        :param at: the first place where the term may be.
        :raises OSError: the file cannot be read.
        """
        source, start, end = place
        beat, lines, originals = self._pulse.beat, cased.lines, self._originals
        originals.look_through(row, lines)
        reached = 0
        while at >= 0:
            beat()
            mark, _, stop = piece_at(source, start, end, at)
            offset = source.offset(mark)
            reached = found = lines.next(max(reached, offset), beat)
            if found < 0:
                return False
            if found != offset:
                # Of one line there are several pieces, one behind the other; of most there is none. What is
                # said between the two lines has it not.
                mark = stop = piece_from(source, stop, end, found)
            while mark < end and source.offset(mark) == found:
                kind, begin = kind_of(source.data, mark), mark + HEAD
                stop = next_mark(source, begin, end)
                if (
                    self.takes(kind)
                    and seeker.in_folded(source, begin, stop)
                    and cased.may_be_in(lines.line(), source, begin, stop)
                ):
                    originals.hold(lines)
                    if self._is_written(seeker, row, kind, found):
                        return True
                mark = next_piece(source, stop, end)
            reached += 1
            at = seeker.first(source, stop, end) if stop < end else -1
        return False


def _together(some: Sequence[int], more: Collection[int], slots: Sequence[int]) -> Sequence[int]:
    """`some` and `more` of `slots`, in their order."""
    if not more:
        return some
    both = {*some, *more}
    return [slot for slot in slots if slot in both]
