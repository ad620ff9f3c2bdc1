"""In which pieces of a session the terms of a query are, and which of them is the best."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.formats.dialects import named
from app.formats.kinds import USER
from app.index.search.metadata_fields import FOLDER, SHORT, is_said
from app.index.search.passage import Passage, best, merit, numbers_at, piece_at, piece_before
from app.sessions.passages import HEAD, HEADS, MARK, kind_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from app.index.row import Row
    from app.index.search.cancellation import CancelToken
    from app.index.search.documents import Document, Place, Places
    from app.index.search.evaluator import Evaluator
    from app.index.search.term_matcher import TermMatcher
    from app.index.text.mmap_reader import Source

_BY_USER = HEADS[USER]


class PassagePicker:
    """Picks pieces of sessions that match."""

    def __init__(self, matcher: Evaluator, pulse: CancelToken) -> None:
        self._matcher = matcher
        self._plan = matcher.plan
        self._pulse = pulse
        self._numbers: tuple[Source | None, dict[int, int]] = None, {}

    def told(self, session: Document) -> list[Passage]:
        """What the catalog knows of a session that has any of the terms wanted, see `said`."""
        if not self._plan.everywhere:
            return []
        source, start, end = session.said
        for seeker in self._plan.wanted:
            if seeker.first(source, start, end) >= 0:
                return _folder_once(list(self.pieces(session.row, (session.said,)))[::-1])
        return []

    def pieces(self, row: Row, places: Places) -> Iterator[Passage]:
        """The pieces of a session that have any of the terms wanted, the last one that was packed first."""
        look = self._backwards if self._plan.backwards else self._forwards
        for source, start, end in reversed(places if self._plan.wanted else ()):
            yield from look(row, source, start, end)

    def asked(self, row: Row, places: Places, terms: int) -> int:
        """Which of `terms`, a mask, the user says in a session."""
        if not self._matcher.takes(USER):
            return 0
        found = 0
        for number, seeker in enumerate(self._plan.wanted):
            if terms >> number & 1 and any(self._is_asked(seeker, row, *place) for place in places):
                found |= 1 << number
        return found

    def best(self, row: Row, places: Places) -> Passage | None:
        """The best of `pieces`, see `piece.best`."""
        wanted, everything = self._plan.wanted, self._plan.all
        if not self._matcher.takes_all or not all(seeker.simple for seeker in wanted):
            return best(self.pieces(row, places), everything.bit_count())
        found = _best_with(wanted, everything, places)
        if found is None and len(wanted) > 2:
            # No piece has all of them.
            return best(self.pieces(row, places), len(wanted) - 1)
        if found is None and len(wanted) == 2:
            singles = [_best_with([each], 1 << number, places) for number, each in enumerate(wanted)]
            found = max([each for each in singles if each], key=lambda each: merit(*each[:3]), default=None)
        return found and self._numbered(row, places, found)

    def _numbered(self, row: Row, places: Places, piece: Passage) -> Passage:
        """The same piece with its `nth`."""
        for source, start, end in places:
            if source is piece.source and start < piece.begin <= end:
                return piece._replace(nth=self._nth(row, source, start, end, piece.begin - HEAD))
        return piece

    def _nth(self, row: Row, source: Source, start: int, end: int, mark: int) -> int:
        """How many pieces of its kind stand before the one at `mark` in its line."""
        if named(row.dialect).one_entry_a_line:
            return 0
        if self._numbers[0] is not source or mark not in self._numbers[1]:
            # Most often several of one line are asked for.
            self._numbers = source, numbers_at(source, start, end, mark)
        return self._numbers[1].get(mark, 0)

    def _is_asked(self, seeker: TermMatcher, row: Row, source: Source, start: int, end: int) -> bool:
        """Whether the user says a term there. Of what others say one piece is looked at before each of the
        user's, however many there are.
        """
        at = seeker.first(source, start, end)
        while at >= 0:
            self._pulse.beat()
            mark, _, stop = piece_at(source, start, end, at)
            if kind_of(source.data, mark) != USER:
                stop = source.find(_BY_USER, stop, end)
                if stop < 0:
                    return False
            elif seeker.simple or self._matcher.confirmed(seeker, row, source, mark, stop):
                return True
            at = seeker.first(source, stop, end) if stop < end else -1
        return False

    def _backwards(self, row: Row, source: Source, start: int, end: int) -> Iterator[Passage]:
        wanted, place = self._plan.wanted, (source, start, end)
        lasts = [seeker.last(source, start, end) for seeker in wanted]
        while (at := max(lasts)) >= 0:
            mark, begin, stop = piece_at(source, start, end, at)
            piece = self._piece(row, place, mark, begin, stop, [last >= begin for last in lasts])
            if piece is not None:
                yield piece
            # It lies in no piece where a table is damaged.
            end = min(mark, at)
            for number, last in enumerate(lasts):
                if last >= end:
                    lasts[number] = wanted[number].last(source, start, end)

    def _forwards(self, row: Row, source: Source, start: int, end: int) -> Iterator[Passage]:
        wanted, place = self._plan.wanted, (source, start, end)
        found = []
        firsts = [seeker.first(source, start, end) for seeker in wanted]
        while True:
            at = min((first for first in firsts if first >= 0), default=-1)
            if at < 0:
                break
            mark, begin, stop = piece_at(source, start, end, at)
            piece = self._piece(row, place, mark, begin, stop, [0 <= first < stop for first in firsts])
            if piece is not None:
                found.append(piece)
            for number, first in enumerate(firsts):
                if 0 <= first < stop:
                    firsts[number] = wanted[number].first(source, stop, end) if stop < end else -1
        yield from reversed(found)

    def _piece(
        self, row: Row, place: Place, mark: int, begin: int, end: int, maybe: Sequence[bool]
    ) -> Passage | None:
        """The piece there, if any of the terms that may be in it is in it.

        :param place: where the session's pieces are.
        """
        self._pulse.beat()
        source = place[0]
        kind = kind_of(source.data, mark)
        matcher = self._matcher
        if not matcher.takes(kind):
            return None
        nth = 0 if is_said(kind) else self._nth(row, *place, mark)
        mask = 0
        for number, seeker in enumerate(self._plan.wanted):
            if maybe[number] and (seeker.simple or matcher.confirmed(seeker, row, source, mark, end, nth)):
                mask |= 1 << number
        return Passage(kind, source.offset(mark), mask, source, begin, end, nth) if mask else None


def _folder_once(told: list[Passage]) -> list[Passage]:
    """Without the one form of a folder that has no term which the other has not."""
    masks = {piece.kind: piece.mask for piece in told}
    whole, short = masks.get(FOLDER), masks.get(SHORT)
    if whole is None or short is None or (whole & ~short and short & ~whole):
        return told
    needless = FOLDER if short & ~whole else SHORT
    return [piece for piece in told if piece.kind != needless]


def _best_with(seekers: Sequence[TermMatcher], mask: int, places: Places) -> Passage | None:
    """The best piece that has all of `seekers`, words that need not be confirmed; None where none has.

    :param mask: of these.
    """
    found: Passage | None = None
    for source, start, end in reversed(places):
        if found is None:
            found = _last_with(seekers, mask, source, start, end)
            if found is None:
                continue
            found = _of_its_line(found, seekers, start)
            end = found.begin - HEAD
        if found.kind == USER:
            break
        # Only what the user said is better.
        found = _last_with(seekers, mask, source, start, end, by_user=True) or found
    return found


def _of_its_line(found: Passage, seekers: Sequence[TermMatcher], start: int) -> Passage:
    """The best of the pieces of a line with all of `seekers`, of which `found` is the last one."""
    source, mark = found.source, found.begin - HEAD
    best = found
    while mark > start:
        end, mark = mark, piece_before(source, start, mark)
        if mark < 0 or source.offset(mark) != found.offset:
            break
        piece = _last_with(seekers, found.mask, source, mark, end)
        if piece is not None and merit(*piece[:3]) > merit(*best[:3]):
            best = piece
    return best


def _last_with(
    seekers: Sequence[TermMatcher], mask: int, source: Source, start: int, end: int, *, by_user: bool = False
) -> Passage | None:
    """The last piece there that has all of `seekers`. None of them is looked for behind a piece before which
    another is: the rarest decides how long it takes.
    """
    rfind, find = source.rfind, source.find
    mark = stop = end
    number = agreed = 0
    while agreed < len(seekers):
        at = seekers[number].last(source, start, stop)
        if at < 0:
            return None
        if at >= mark:
            agreed += 1
        else:
            agreed = 1
            mark = max(start, rfind(MARK, start, at))
            if by_user and source.data[mark : mark + len(_BY_USER)] != _BY_USER:
                mark = rfind(_BY_USER, start, mark)
                if mark < 0:
                    return None
                agreed, at = 0, mark + HEAD
            stop = find(MARK, at, end)
            stop = stop if stop >= 0 else end
        number = (number + 1) % len(seekers)
    return Passage(kind_of(source.data, mark), source.offset(mark), mask, source, mark + HEAD, stop)
