"""Words that few sessions have: once that shows, they are looked for in all texts at once."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING

from app.index.text.mmap_reader import runs_free

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.index.search.cancellation import CancelToken
    from app.index.search.documents import Block
    from app.index.search.sessions import View
    from app.index.search.spread import Sought
    from app.index.text.mmap_reader import Segments

PROBED = 192
"""After so many sessions, the newest ones, it shows whether a word is rare."""

ONE_OF = 4
"""A word is rare that no more than one of so many of them has."""

MANY = 256
"""With fewer sessions left it is not worth while."""

WORTH = 2
"""Nor is it where fewer than one of so many sessions are asked for."""
WORTH_LOOSE = 12
"""The same where a look into one takes several times as long."""


class Rare:
    """Decides for the words of one search.

    at_once   how often all texts were looked through at once
    """

    def __init__(self, view: View, segments: Segments, pulse: CancelToken) -> None:
        self.at_once = 0
        self._due: set[Sought] = set()
        self._layout = view.layout
        self._segments = segments
        self._pulse = pulse
        self._age = segments.age
        self._counts: dict[Sought, tuple[int, int]] = {}
        self._having: dict[Sought, list[int]] = {}
        self._places: dict[Block, int] = {}
        self._end = 0
        for block in view.blocks:
            self._places[block] = self._end
            self._end += len(block.sessions)

    @property
    def is_due(self) -> bool:
        """Whether that may come next: it takes longer than to look into some sessions."""
        return bool(self._due)

    def having(self, sought: Sought, block: Block, slots: Sequence[int]) -> Sequence[int] | None:
        """Those of `slots` of a block whose texts have it; None where that is not known and not looked for:
        most sessions have it, or few are left to look into.

        :param sought: see `Spread.having`.
        :raises Stopped: the search is not wanted any more.
        """
        place = self._places.get(block)
        if place is None:
            return None
        if self._age != self._segments.age:
            # Other texts may be there now than were looked through.
            self._age = self._segments.age
            self._having.clear()
        known = self._having.get(sought)
        if known is None and self._is_rare(sought) and self._is_much(sought, place, block, slots):
            spread = self._layout.spread(self._segments)
            known = self._having[sought] = spread.having(sought, self._pulse, place)
            self.at_once += 1
            self._due.discard(sought)
        if known is None:
            return None
        end = place + len(block.sessions)
        found = [each - place for each in known[bisect_left(known, place) : bisect_left(known, end)]]
        if len(slots) == len(block.sessions) or not found:
            return found
        asked = set(slots)
        return [slot for slot in found if slot in asked]

    def share(self, sought: Sought | None) -> float:
        """Which part of the sessions that were looked into have it, as far as that shows."""
        looked, found = self._counts.get(sought, (0, 0)) if sought else (0, 0)
        return found / looked if looked else 0.5

    def tell(self, sought: Sought, looked: int, found: int) -> None:
        """How many more sessions were looked into, and how many of them have it."""
        before = self._counts.get(sought, (0, 0))
        self._counts[sought] = before[0] + looked, before[1] + found
        if self._is_rare(sought):
            self._due.add(sought)
        else:
            self._due.discard(sought)

    def _is_rare(self, sought: Sought) -> bool:
        looked, found = self._counts.get(sought, (0, 0))
        return looked >= PROBED and ONE_OF * found <= looked and runs_free()

    def _is_much(self, sought: Sought, place: int, block: Block, slots: Sequence[int]) -> bool:
        share = WORTH if isinstance(sought, bytes) else WORTH_LOOSE
        return self._end - place >= MANY and share * len(slots) >= len(block.sessions)
