"""In which pieces of a session the terms of a query are, and which of them is the best."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.formats.kinds import USER
from app.index.search.piece import Piece, best, merit, piece_at
from app.sessions.pieces import HEAD, MARK, read_head

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from app.index.row import Row
    from app.index.search.blocks import Places, Session
    from app.index.search.matcher import Matcher
    from app.index.search.pulse import Pulse
    from app.index.search.terms import Seeker
    from app.index.text.mapped import Source


class Picker:
    """Picks pieces of sessions that match."""

    def __init__(self, matcher: Matcher, pulse: Pulse) -> None:
        self._matcher = matcher
        self._plan = matcher.plan
        self._pulse = pulse

    def told(self, session: Session) -> list[Piece]:
        """What the catalog knows of a session that has any of the terms wanted: name, labels, folder, id."""
        return list(self.pieces(session.row, (session.said,)))[::-1] if self._plan.everywhere else []

    def pieces(self, row: Row, places: Places) -> Iterator[Piece]:
        """The pieces of a session that have any of the terms wanted, the last one that was packed first."""
        look = self._backwards if self._plan.backwards else self._forwards
        for source, start, end in reversed(places if self._plan.wanted else ()):
            yield from look(row, source, start, end)

    def best(self, row: Row, places: Places) -> Piece | None:
        """The best of `pieces`, see `piece.best`."""
        wanted = self._plan.wanted
        if not self._matcher.takes_all or not all(seeker.simple for seeker in wanted):
            return best(self.pieces(row, places), self._plan.all)
        # A piece with all words has the longest of them: where there is one, no other is looked for.
        found = self._best_of_words(wanted[:1], places)
        if found is not None and found.mask == self._plan.all:
            return found
        return self._best_of_words(wanted, places)

    def _best_of_words(self, leading: Sequence[Seeker], places: Places) -> Piece | None:
        """The same of the pieces with any of the first words that are wanted. Next to no head is read."""
        others = list(enumerate(self._plan.wanted))[len(leading) :]
        found: Piece | None = None
        rank = (0, False, -1, 0)
        for source, start, end in reversed(places):
            data, rfind = source.data, source.rfind
            lasts = [seeker.last(source, start, end) for seeker in leading]
            while (at := max(lasts)) >= 0:
                mark = rfind(MARK, start, at)
                mask = sum([(last > mark) << number for number, last in enumerate(lasts)])
                if others:
                    stop = source.find(MARK, at, end)
                    for number, seeker in others:
                        mask |= (seeker.last(source, mark, stop if stop >= 0 else end) >= 0) << number
                here = (mask.bit_count(), data[mark + len(MARK)] == USER)
                if here >= rank[:2]:
                    stop = source.find(MARK, at, end)
                    stop = stop if stop >= 0 else end
                    piece = Piece(*read_head(data, mark), mask, source, mark + HEAD, stop)
                    merits = merit(piece.kind, piece.offset, mask)
                    if merits > rank:
                        found, rank = piece, merits
                    if rank[:2] == (len(self._plan.wanted), True):
                        return found
                end = mark
                for number, last in enumerate(lasts):
                    if last > end:
                        lasts[number] = leading[number].last(source, start, end)
        return found

    def _backwards(self, row: Row, source: Source, start: int, end: int) -> Iterator[Piece]:
        wanted = self._plan.wanted
        lasts = [seeker.last(source, start, end) for seeker in wanted]
        while (at := max(lasts)) >= 0:
            mark, begin, stop = piece_at(source, start, end, at)
            piece = self._piece(row, source, mark, begin, stop, [last >= begin for last in lasts])
            if piece is not None:
                yield piece
            end = mark
            for number, last in enumerate(lasts):
                if last >= end:
                    lasts[number] = wanted[number].last(source, start, end)

    def _forwards(self, row: Row, source: Source, start: int, end: int) -> Iterator[Piece]:
        wanted = self._plan.wanted
        found = []
        firsts = [seeker.first(source, start, end) for seeker in wanted]
        while True:
            at = min((first for first in firsts if first >= 0), default=-1)
            if at < 0:
                break
            mark, begin, stop = piece_at(source, start, end, at)
            piece = self._piece(row, source, mark, begin, stop, [0 <= first < stop for first in firsts])
            if piece is not None:
                found.append(piece)
            for number, first in enumerate(firsts):
                if 0 <= first < stop:
                    firsts[number] = wanted[number].first(source, stop, end) if stop < end else -1
        yield from reversed(found)

    def _piece(
        self, row: Row, source: Source, mark: int, begin: int, end: int, maybe: Sequence[bool]
    ) -> Piece | None:
        """The piece there, if any of the terms that may be in it is in it."""
        self._pulse.beat()
        kind, offset = read_head(source.data, mark)
        matcher = self._matcher
        if not matcher.takes(kind):
            return None
        mask = 0
        for number, seeker in enumerate(self._plan.wanted):
            if maybe[number] and (
                seeker.simple or matcher.confirmed(seeker, row, source, begin, end, kind, offset)
            ):
                mask |= 1 << number
        return Piece(kind, offset, mask, source, begin, end) if mask else None
