"""The texts of all sessions as they lie in the segments.

A word that few sessions have is looked for in whole stretches of text, by two threads at once: that takes
half as long as to go from session to session (PERFORMANCE 2.4).
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from threading import Thread
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from app.index.search.blocks import Block
    from app.index.search.pulse import Pulse
    from app.index.text.mapped import Segments, Source

    Text = tuple[int, int, int]

STRETCH = 8 << 20
"""Bytes that are looked through before it is asked whether to go on: a millisecond. Each time the interpreter
has to be waited for.
"""


class Stretch(NamedTuple):
    """Texts that lie one behind the other, maybe with something between them that nobody wants any more.

    oldest   the place in the list of the oldest of the sessions
    places   in the list of those whose texts these are, one for each
    """

    oldest: int
    source: Source
    places: array[int]
    starts: array[int]
    ends: array[int]

    def having(self, word: bytes) -> Iterator[int]:
        """The places of sessions that have `word`, folded and encoded, there."""
        find, starts, ends = self.source.find_free, self.starts, self.ends
        end = ends[-1]
        at = find(word, starts[0], end)
        while at >= 0:
            number = bisect_right(starts, at) - 1
            if at < ends[number]:
                yield self.places[number]
                after = ends[number]
            else:
                after = starts[number + 1]
            at = find(word, after, end) if after < end else -1


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

    def having(self, word: bytes, pulse: Pulse, first: int = 0) -> list[int]:
        """The places in the list, in order, of sessions that have `word`, folded and encoded, in their texts:
        all of those from `first` on, and some of the others.

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
                found.update(stretch.having(word))

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
            starts, ends, places = zip(*texts[first:number], strict=True)
            yield Stretch(max(places), source, array("q", places), array("q", starts), array("q", ends))
            first = number


def _nothing() -> None:
    pass
