"""What is shown of a hit, worked out when it is asked for."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING

from app.formats.kinds import USER
from app.index.search.best_passage import PassagePicker
from app.index.search.cancellation import CancelToken
from app.index.search.documents import places_of
from app.index.search.evaluator import Evaluator
from app.index.search.hit_details import fill, is_told_first
from app.index.search.originals import Originals
from app.index.search.passage import in_order, piece_of
from app.index.search.results import Hit
from app.index.text.mmap_reader import Source

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from app.index.row import Row
    from app.index.search.documents import Document
    from app.index.search.grep.session import Deep
    from app.index.search.passage import Passage
    from app.index.search.terms import Plan
    from app.index.text.mmap_reader import Segments


def pieces_of(
    session: Document, picker: PassagePicker, reads: Mapping[Document, Iterable[Passage]], segments: Segments
) -> Iterable[Passage]:
    """The pieces of a session that match, see `piece.in_order`.

    :param reads: what was found in files that were read.
    """
    read = reads.get(session)
    if read is None:
        return in_order(picker.pieces(session.row, places_of(session, segments) or ()))
    return in_order(read)


def asked_of(
    session: Document,
    picker: PassagePicker,
    reads: Mapping[Document, Iterable[Passage]],
    segments: Segments,
    terms: int,
) -> int:
    """Which of `terms`, a mask, the user says in a session; the other parameters are those of `pieces_of`."""
    read = reads.get(session)
    if read is None:
        return picker.asked(session.row, places_of(session, segments) or (), terms)
    mask = 0
    for piece in read:
        if piece.kind == USER:
            mask |= piece.mask
    return mask & terms


class Lookup:
    """Looks up hits of `plan`, in any thread. Files that are searched are read once more: only who looks at
    a hit wants to know its best place.
    """

    __slots__ = ("_bests", "_deep", "_known", "_lock", "_plan", "_reads", "_segments")

    def __init__(
        self,
        plan: Plan,
        segments: Segments,
        reads: Mapping[Document, Iterable[Passage]],
        bests: Mapping[Document, Passage],
    ) -> None:
        """:param reads: of the sessions whose files were read, what was found; `bests` the best of it, where
        that is known.
        """
        self._deep: Deep | None = None
        self._known: dict[Document, Hit] = {}
        self._lock = Lock()
        self._plan = plan
        self._segments = segments
        self._reads = reads
        self._bests = bests

    def best(self, hit: Hit, session: Document) -> None:
        """Fill in the best of what matches in `session`."""
        known = self._known.pop(session, None)
        if known is not None:
            hit.fill(
                known.where,
                known.kind,
                known.offset,
                known.entry_id,
                known.role,
                known.snippet,
                known.ranges,
                known.timestamp,
            )
            return
        self._segments.look(session.spans or ())
        originals = Originals()
        try:
            self._fill(hit, self._best(session, originals), originals)
        finally:
            originals.close()

    def foresee(self, session: Document) -> Hit:
        """The hit that `session` will be, looked up: whoever asks for it later need not wait."""
        hit = Hit.later(session.row, self.best, session)
        hit.look_up()
        self._known[session] = hit
        return hit

    def piece(self, hit: Hit, piece: Passage) -> None:
        """Fill in what is in `piece`."""
        self._segments.look()
        if not self._segments.is_safe(piece.source):
            piece = piece._replace(source=Source(b""), begin=0, end=0)
        originals = Originals()
        try:
            self._fill(hit, piece, originals)
        finally:
            originals.close()

    def _best(self, session: Document, originals: Originals) -> Passage | None:
        plan = self._plan
        pulse = CancelToken(_always)
        picker = PassagePicker(Evaluator(plan, self._segments, originals, pulse), pulse)
        told = picker.told(session)
        # Of as many terms, the name, then the first label.
        named = list(filter(is_told_first, told))
        if named:
            return max(named, key=lambda piece: piece.mask.bit_count())
        found = self._bests.get(session)
        if found is None:
            places = None if session in self._reads else places_of(session, self._segments)
            found = self._in_file(session.row) if places is None else picker.best(session.row, places)
        # Where no text has it, the folder does, or the id. Else a text had it that is not there any more.
        return found or next(iter(told), None) or self._as_kept(session, originals)

    def _as_kept(self, session: Document, originals: Originals) -> Passage | None:
        """The best of what is kept of the text, whatever its case."""
        places = places_of(session, self._segments)
        if places is None:
            return None
        pulse = CancelToken(_always)
        picker = PassagePicker(Evaluator(self._plan.caseless(), self._segments, originals, pulse), pulse)
        return picker.best(session.row, places)

    def _in_file(self, row: Row) -> Passage | None:
        """The best of what is in the file: no text is kept of it, or it has been moved since it was searched.
        None where there is nothing any more.
        """
        from app.index.search.grep.session import Deep

        beat = CancelToken(_always).beat
        with self._lock:
            if self._deep is None:
                self._deep = Deep(self._plan)
            try:
                # It matches: what is known elsewhere need not be in it.
                spot = self._deep.best(row.path, row.dialect, beat=beat)
            except OSError:
                return None
        return piece_of(spot) if spot else None

    def _fill(self, hit: Hit, piece: Passage | None, originals: Originals) -> None:
        seekers = self._plan.wanted if piece else []
        if piece and piece.mask != self._plan.all:
            seekers = [seeker for number, seeker in enumerate(seekers) if piece.mask >> number & 1]
        fill(hit, piece, seekers, originals)


def _always() -> bool:
    return True
