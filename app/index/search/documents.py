"""The sessions in the order of the list, in blocks: some are searched, and shown, before the rest is.

Each text is looked through by itself: to start the search takes a sixth of a microsecond, and to go through
the text of a session four. To look through neighbours in one go gains nothing, and what is known to match, or
not to, is not looked at.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from typing import TYPE_CHECKING

from app.index.search.metadata_fields import of_all, said
from app.index.text.mmap_reader import LARGE, Source

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from app.index.row import Row
    from app.index.search.term_matcher import TermMatcher
    from app.index.text.mmap_reader import Find, Segments
    from app.index.text.segment import Span

    Place = tuple[Source, int, int]
    Places = tuple[Place, ...]
    Look = tuple[Find, int, int]
    """`find`, and what it is given besides a word: what it gives back is below 0 where the word is not."""

FIRST = 64
"""So many sessions are in the first block, so that the first page is there at once; twice as many in each
next one."""

MOST = 512
"""But no more than this."""


FEW = 16
"""If no more than one of so many sessions is asked for, each is looked into by itself."""


class Document:
    """A row and where its text is. A session that changes is another object from then on.

    spans   None where no text is kept of it: its file has to be read
    home    the folder that is written as ``~``
    """

    __slots__ = ("_said", "home", "row", "spans")

    def __init__(self, row: Row, spans: tuple[Span, ...] | None, home: str = "") -> None:
        self.row = row
        self.spans = spans
        self.home = home
        self._said: Place | None = None

    @property
    def said(self) -> Place:
        """Where what the catalog knows of it is, packed."""
        if self._said is None:
            Block([self]).said()
            assert self._said is not None
        return self._said

    @said.setter
    def said(self, place: Place) -> None:
        self._said = place

    @property
    def size(self) -> int:
        """Bytes of text."""
        return sum([length for _, _, length in self.spans or ()])


class Block:
    """Some sessions that follow one another in the list. What is worked out is worked out once."""

    def __init__(self, sessions: Sequence[Document]) -> None:
        self.sessions = sessions
        self._texts: list[Places | None] | None = None
        self._all: list[Places] | None = None
        self._looks: list[Look] | None = None
        self._without: frozenset[int] = frozenset()
        self._age = 0
        self._said: Source | None = None
        self._said_starts = array("q")
        self._plain: Source | None = None

    def texts(self, segments: Segments) -> list[Places | None]:
        """Where the texts of each session are; None where there is none, or not all of it."""
        if self._texts is None or self._age != segments.age:
            self._age = segments.age
            self._all = self._looks = None
            self._texts = [places_of(session, segments) for session in self.sessions]
            self._without = frozenset(slot for slot, text in enumerate(self._texts) if text is None)
        return self._texts

    def without(self, segments: Segments) -> frozenset[int]:
        """The slots of those whose `texts` are None."""
        self.texts(segments)
        return self._without

    def looks(self, segments: Segments) -> list[Look]:
        """How to look through the texts of each session."""
        texts = self.texts(segments)
        if self._looks is None:
            self._looks = [_look(text or ()) for text in texts]
        return self._looks

    def everything(self, segments: Segments) -> list[Places]:
        """Where the texts of each session are, and what the catalog knows of it."""
        texts = self.texts(segments)
        if self._all is None:
            self.said()
            self._all = [
                (*(text or ()), session.said) for session, text in zip(self.sessions, texts, strict=True)
            ]
        return self._all

    def said(self) -> Source:
        """What the catalog knows of its sessions, one packed behind the other."""
        if self._said is not None:
            return self._said
        packed = [said(session.row, session.home) for session in self.sessions]
        source = self._said = Source(b"".join(packed))
        start = 0
        for session, each in zip(self.sessions, packed, strict=True):
            session.said = (source, start, start + len(each))
            self._said_starts.append(start)
            start += len(each)
        return source

    def called(self, seeker: TermMatcher, slots: Collection[int]) -> set[int]:
        """Those of `slots` of which the catalog knows something where a term may be."""
        source, starts = self.said(), self._said_starts
        first = seeker.first
        if FEW * len(slots) < len(starts):
            said = ((slot, self.sessions[slot].said) for slot in slots)
            return {slot for slot, place in said if first(*place) >= 0}
        found = set()
        at = first(source, 0, source.size)
        while at >= 0:
            behind = bisect_right(starts, at)
            if behind - 1 in slots:
                found.add(behind - 1)
            at = first(source, starts[behind], source.size) if behind < len(starts) else -1
        return found

    def may_say(self, seekers: Iterable[TermMatcher]) -> bool:
        """Whether what the catalog knows of its sessions may have any of these terms."""
        source = self._said or self._plain
        if source is None:
            rows = [session.row for session in self.sessions]
            source = self._plain = Source(of_all(rows, self.sessions[0].home))
        return any(not each.by_lines or each.first(source, 0, source.size) >= 0 for each in seekers)


def places_of(session: Document, segments: Segments) -> Places | None:
    """Where the texts of a session are; None where there is none, or not all of it."""
    if session.spans is None:
        return None
    places = []
    for span in session.spans:
        source = segments.source(span)
        if source is None:
            return None
        if span[2]:
            places.append((source, span[1], span[1] + span[2]))
    return tuple(places)


def _look(places: Places) -> Look:
    if len(places) != 1:
        return _find_in(places), 0, 0
    source, start, end = places[0]
    # What is small is looked through before anybody else could run.
    return source.find if end - start < LARGE else source.find_far, start, end


def _find_in(places: Places) -> Find:
    def find(word: bytes, start: int, end: int) -> int:
        return 0 if any(source.find_far(word, first, last) >= 0 for source, first, last in places) else -1

    return find


def blocks(sessions: Sequence[Document]) -> list[Block]:
    """The blocks of all sessions, in their order."""
    found = []
    start, size = 0, FIRST
    while start < len(sessions):
        found.append(Block(sessions[start : start + size]))
        start += size
        size = min(2 * size, MOST)
    return found
