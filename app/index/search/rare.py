"""Words that few sessions have: once that shows, they are looked for in all texts at once."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING

from app.index.text.mapped import runs_free

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.index.search.blocks import Block
    from app.index.search.pulse import Pulse
    from app.index.search.sessions import View
    from app.index.search.terms import Seeker
    from app.index.text.mapped import Segments

PROBED = 192
"""After so many sessions, the newest ones, it shows whether a word is rare."""

ONE_OF = 4
"""A word is rare that no more than one of so many of them has."""

MANY = 256
"""With fewer sessions left it is not worth while."""


class Rare:
    """Decides for the words of one search.

    at_once   how often all texts were looked through at once
    is_due    whether that may come next: it takes longer than to look into some sessions
    """

    def __init__(self, view: View, segments: Segments, pulse: Pulse) -> None:
        self.at_once = 0
        self.is_due = False
        self._layout = view.layout
        self._segments = segments
        self._pulse = pulse
        self._age = segments.age
        self._counts: dict[Seeker, tuple[int, int]] = {}
        self._having: dict[Seeker, list[int]] = {}
        self._places: dict[Block, int] = {}
        self._end = 0
        for block in view.blocks:
            self._places[block] = self._end
            self._end += len(block.sessions)

    def having(self, seeker: Seeker, word: bytes, block: Block, slots: Sequence[int]) -> Sequence[int] | None:
        """Those of `slots` of a block whose texts have `word`; None where that is not known and not looked
        for: most sessions have it, or few are left to look into.

        :raises Stopped: the search is not wanted any more.
        """
        place = self._places.get(block)
        if place is None:
            return None
        if self._age != self._segments.age:
            # Other texts may be there now than were looked through.
            self._age = self._segments.age
            self._having.clear()
        known = self._having.get(seeker)
        if known is None and self._is_rare(seeker) and self._is_much(place, block, slots):
            spread = self._layout.spread(self._segments)
            known = self._having[seeker] = spread.having(word, self._pulse, place)
            self.at_once += 1
            self.is_due = False
        if known is None:
            return None
        end = place + len(block.sessions)
        found = [each - place for each in known[bisect_left(known, place) : bisect_left(known, end)]]
        if len(slots) == len(block.sessions) or not found:
            return found
        asked = set(slots)
        return [slot for slot in found if slot in asked]

    def share(self, seeker: Seeker) -> float:
        """Which part of the sessions that were looked into have what is looked for, as far as that shows."""
        looked, found = self._counts.get(seeker, (0, 0))
        return found / looked if looked else 0.5

    def tell(self, seeker: Seeker, looked: int, found: int) -> None:
        """How many more sessions were looked into, and how many of them have what is looked for."""
        before = self._counts.get(seeker, (0, 0))
        self._counts[seeker] = before[0] + looked, before[1] + found
        self.is_due = self._is_rare(seeker)

    def _is_rare(self, seeker: Seeker) -> bool:
        looked, found = self._counts.get(seeker, (0, 0))
        return looked >= PROBED and ONE_OF * found <= looked and runs_free()

    def _is_much(self, place: int, block: Block, slots: Sequence[int]) -> bool:
        return self._end - place >= MANY and 2 * len(slots) >= len(block.sessions)
