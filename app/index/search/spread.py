"""The texts of all sessions as they lie in the segments.

A word that few sessions have is looked for in whole stretches of text, by two threads at once: that takes
half as long as to go from session to session.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from threading import Thread
from typing import TYPE_CHECKING

from app.index.search.blanks import beginnings
from app.index.search.passage import next_mark

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import TypeAlias

    from app.index.search.cancellation import CancelToken
    from app.index.search.documents import Block
    from app.index.search.phrase_matcher import Loose
    from app.index.text.mmap_reader import Segments, Source

    Sought: TypeAlias = bytes | Loose
    Text = tuple[int, int, int]

BLOCK = 1 << 20
"""Bytes that are looked through for one thing after the other: so many the processor keeps at hand."""

STRETCH = 8 << 20
"""Bytes that are looked through before it is asked whether to go on: a millisecond. Each time the interpreter
has to be waited for.
"""


class Stretch:
    """Texts that lie one behind the other, maybe with something between them that nobody wants any more.

    oldest   the place in the list of the oldest of the sessions
    """

    def __init__(self, source: Source, texts: Sequence[Text]) -> None:
        """:param texts: in order."""
        starts, ends, places = zip(*texts, strict=True)
        self.oldest = max(places)
        self._source = source
        self._starts, self._ends, self._places = array("q", starts), array("q", ends), array("q", places)
        self._blocks: list[tuple[int, int, tuple[bytes, ...]]] | None = None

    def having(self, sought: Sought) -> Iterator[int]:
        """The places in the list of sessions that have it there, some of them more than once."""
        if isinstance(sought, bytes):
            yield from self._with(sought, self._starts[0], self._ends[-1])
            return
        for start, end, there in self._in_blocks():
            for literal in sought.literals(self._source, there, start, end):
                yield from self._with(literal, start, end, sought.is_at)

    def _with(
        self, literal: bytes, start: int, end: int, is_at: Callable[[Source, int, int], bool] | None = None
    ) -> Iterator[int]:
        source, starts, ends = self._source, self._starts, self._ends
        find = source.find_free
        at = find(literal, start, end)
        while at >= 0:
            number = bisect_right(starts, at) - 1
            if at >= ends[number]:
                after = starts[number + 1]
            elif is_at is not None and not is_at(source, at, end):
                after = at + 1
            else:
                yield self._places[number]
                after = ends[number]
            at = find(literal, after, end) if after < end else -1

    def _in_blocks(self) -> list[tuple[int, int, tuple[bytes, ...]]]:
        """(start, end, `blanks.beginnings`) of its parts; worked out when a phrase is looked for first."""
        if self._blocks is None:
            source, start, end = self._source, self._starts[0], self._ends[-1]
            blocks = []
            while start < end:
                # No phrase lies across the end of a piece.
                stop = next_mark(source, start + BLOCK, end)
                blocks.append((start, stop, beginnings(source, start, stop)))
                start = stop
            self._blocks = blocks
        return self._blocks


class Spread:
    """Where the texts of sessions are. May be used from several threads."""

    def __init__(self, blocks: Iterable[Block], segments: Segments) -> None:
        """:param blocks: of the sessions, newest first; those without a text are in none of it."""
        self.age = segments.age
        """`Segments.age` as it was."""
        lying: dict[Source, list[Text]] = {}
        place = 0
        for block in blocks:
            for text in block.texts(segments):
                for source, start, end in text or ():
                    lying.setdefault(source, []).append((start, end, place))
                place += 1
        self._stretches = [each for source, texts in lying.items() for each in _stretches(source, texts)]

    def having(self, sought: Sought, pulse: CancelToken, first: int = 0) -> list[int]:
        """The places in the list, in order, of sessions that have it in their texts: all of those from
        `first` on, and some of the others.

        :param sought: folded and encoded.
        :raises Stopped: the search is not wanted any more.
        """
        pulse.beat()
        found: set[int] = set()
        left = [stretch for stretch in self._stretches if stretch.oldest >= first]

        def work(beat: Callable[[], object]) -> None:
            while left:
                beat()
                try:
                    stretch = left.pop()
                except IndexError:  # the other thread took the last one
                    break
                found.update(stretch.having(sought))

        other = Thread(target=work, args=(_nothing,), name="leafmark-search", daemon=True)
        other.start()
        try:
            work(pulse.beat)
        finally:
            left.clear()
            other.join()
        return sorted(found)


def _stretches(source: Source, texts: Sequence[Text]) -> Iterator[Stretch]:
    texts = sorted(texts)
    first = 0
    for number, (_, end, _) in enumerate(texts, 1):
        if end - texts[first][0] >= STRETCH or number == len(texts):
            yield Stretch(source, texts[first:number])
            first = number


def _nothing() -> None:
    pass
