"""Where in one file the terms are.

First it is seen whether the bytes may have all that is wanted. Then lines that may have something are
decoded, those near the end first, and each of them looked through up to the first text with a term, until it
is decided. Which spot is the best one, and what all of them are, is worked out when it is asked for.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from app.formats.fold import fold
from app.formats.kinds import OTHER
from app.index.search.grep.finders import exactly
from app.index.search.grep.prefilter import Fine, any_of
from app.index.search.grep.reverse_reader import ReverseReader
from app.index.search.grep.verdict import Spot
from app.index.search.passage import merit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from app.index.search.grep.entries import Entries, Piece
    from app.index.search.grep.prefilter import Line, Prefilter
    from app.index.search.grep.reverse_reader import Slice
    from app.index.search.term_matcher import TermMatcher
    from app.index.search.terms import Plan

USER_ROLE = b'"user"'
"""A line without it is nothing that the user said."""

_OLDER = 1 << 20
_LINES_AT_ONCE = 16
"""So many lines are decoded at most before somebody is asked whether to go on."""


class Spots:
    """Of the file that `backwards` has open.

    refused   it has something that is not wanted
    """

    def __init__(
        self,
        plan: Plan,
        backwards: ReverseReader,
        entries: Entries,
        wanted: Sequence[Prefilter],
        unwanted: Sequence[Prefilter],
        beat: Callable[[], object],
        end: int = -1,
        tools: Prefilter | None = None,
    ) -> None:
        """:param end: behind it is nothing of what is wanted or unwanted, and a line begins there; -1 where
        that is not known.
        :param tools: lets lines through that may name a tool whose texts are asked for; None where those of
        all are.
        """
        self.refused = False
        self.entries = entries
        self._plan = plan
        self._backwards = backwards
        self._wanted = wanted
        self._unwanted = unwanted
        self._beat = beat
        self._end = end
        self._tools = tools
        self._seen: dict[int, list[Spot]] = {}
        self._read: set[int] = set()
        self._older: ReverseReader | None = None
        # What lies within a line of text is in one part of a piece.
        self._by_parts = not plan.tools and all(each.apart for each in plan.wanted)

    def have(self, mask: int) -> int:
        """Which of these are in the file, as far as it matters to whether all are. Sets `refused`."""
        if mask and (mask.bit_count() > 1 or self._tools) and not self._may_have(mask):
            return 0
        missing = mask
        for slice_ in self._slices() if missing or self._unwanted else ():
            for each in self._unwanted:
                for line in self._some_lines(each, slice_):
                    self._spots(slice_, line)
                    if self.refused:
                        return mask
            for number in range(len(self._wanted)):
                if missing >> number & 1:
                    missing = self._missing(slice_, number, missing)
            if not (missing or self._unwanted):
                break
        return mask & ~missing

    def _may_have(self, mask: int) -> bool:
        """Whether each of these may be in the file, and in texts of the tools, as far as its bytes tell."""
        wanted = self._wanted
        missing = mask
        if self._tools:
            # Where none of them is named, nothing is of them.
            missing |= 1 << len(wanted)
            wanted = [*wanted, self._tools]
        for slice_ in self._slices():
            self._beat()
            for number, each in enumerate(wanted):
                if missing >> number & 1 and each.lets_through(slice_.data, slice_.start, slice_.end):
                    missing &= ~(1 << number)
            if not missing:
                break
        return not missing

    def _missing(self, slice_: Slice, number: int, missing: int) -> int:
        """What of `missing` is not found in a slice before term `number` of it is."""
        for line in self._some_lines(self._wanted[number], slice_):
            missing &= ~self._has(slice_, line, missing)
            if not missing >> number & 1:
                break
        return missing

    def _some_lines(self, sieve: Prefilter, slice_: Slice) -> Iterator[Line]:
        """The lines of a slice that a sieve lets through, from top to bottom."""
        self._beat()
        for number, line in enumerate(sieve.lines(slice_.data, slice_.start, slice_.end), 1):
            yield line
            if not number % _LINES_AT_ONCE:
                self._beat()

    def _has(self, slice_: Slice, line: Line, missing: int) -> int:
        """Which of `missing` a line has; reads no more of it than decides it."""
        begin, end = line
        offset = slice_.base + begin
        if offset in self._read:
            # Looked at for all that was missing then.
            return 0
        self._read.add(offset)
        if not self._by_parts:
            return _all_of(self._spots(slice_, line))
        found = 0
        kinds = self._plan.kinds
        wanted = [
            (1 << number, each) for number, each in enumerate(self._plan.wanted) if missing >> number & 1
        ]
        for kind, text, _ in self.entries.parts(bytes(slice_.data[begin:end]), offset, other=OTHER in kinds):
            if kind in kinds:
                folded = fold(text)
                for bit, seeker in wanted:
                    if not found & bit and seeker.in_both(folded, text):
                        found |= bit
                if found == missing:
                    return found
        return found

    def best(self, user: Prefilter) -> Spot | None:
        """The best of all places."""
        best: Spot | None = None
        count = len(self._wanted)
        for slice_ in self._slices() if count else ():
            most, by_user, newest = rank(best)[:3]
            older = slice_.base + slice_.end <= newest
            if most == count and by_user and older:
                break
            if most == count and (older or count == 1):
                # What has them all was met up to the best one, and of the others only what the user said is
                # better: that is less than what has the terms.
                sieves = [user] if not by_user and self._may_have_all(slice_) else []
            else:
                # Lines with as many terms as the best one have at least one of any so many.
                sieves = self._rarest(count - max(1, most) + (not (older and by_user)))
            for line in self._lines(sieves, slice_):
                if self._may_be_better(slice_, line, best):
                    best = max((best, *self._spots(slice_, line)), key=rank)
        return best

    def every(self) -> list[Spot]:
        """All places, in the order of the file."""
        for slice_ in self._slices():
            for line in self._lines(self._wanted, slice_):
                self._spots(slice_, line)
        return [spot for offset in sorted(self._seen) for spot in self._seen[offset]]

    def _slices(self) -> Iterator[Slice]:
        return self._backwards.slices(self._end)

    def _lines(self, sieves: Sequence[Prefilter], slice_: Slice) -> Iterator[Line]:
        """The lines of a slice that any of `sieves` lets through, the last one first."""
        self._beat()
        if not sieves:
            return
        found = list(any_of(sieves).lines(slice_.data, slice_.start, slice_.end))
        for number, line in enumerate(reversed(found), 1):
            yield line
            if not number % _LINES_AT_ONCE:
                self._beat()

    def _rarest(self, count: int) -> list[Prefilter]:
        return sorted(self._wanted, key=lambda each: -each.weight)[:count]

    def _may_have_all(self, slice_: Slice) -> bool:
        """Whether all that is wanted may be in a slice: most have nothing of what the fewest lines have."""
        (rarest,) = self._rarest(1)
        return rarest.lets_through(slice_.data, slice_.start, slice_.end)

    def _may_be_better(self, slice_: Slice, line: Line, best: Spot | None) -> bool:
        terms = sum([each.lets_through(slice_.data, *line) for each in self._wanted])
        by_user = slice_.data.find(USER_ROLE, *line) >= 0
        return terms > 0 and (terms, by_user, slice_.base + line[0]) > rank(best)[:3]

    def _spots(self, slice_: Slice, line: Line) -> list[Spot]:
        """The places in a line that have anything wanted. Sets `refused` for what is not."""
        begin, end = line
        offset = slice_.base + begin
        spots = self._seen.get(offset)
        if spots is None:
            spots = self._seen[offset] = []
            counts: dict[int, int] = {}
            for piece in self.entries.pieces(bytes(slice_.data[begin:end]), offset):
                nth = counts.get(piece.kind, 0)
                counts[piece.kind] = nth + 1
                tool = piece.tool
                if piece.call and self._plan.tools and piece.kind in self._plan.kinds:
                    tool = self._caller(piece.call, offset)
                if self._plan.takes(piece.kind, tool):
                    self._look_at(piece, offset, tool, nth, spots)
        return spots

    def _look_at(self, piece: Piece, offset: int, tool: str, nth: int, spots: list[Spot]) -> None:
        folded = fold(piece.text)
        mask = _mask(self._plan.wanted, folded, piece.text)
        if mask:
            spots.append(Spot(piece.kind, offset, piece.part, mask, tool, nth))
        if not self.refused and _mask(self._plan.unwanted, folded, piece.text):
            self.refused = True

    def _caller(self, call: str, offset: int) -> str:
        """The tool of the last call with that id in the lines before `offset`; "" where there is none."""
        written = Fine([exactly(json.dumps(call, ensure_ascii=False).encode("utf-8", "replace"))], [], 0)
        if self._older is None:
            self._older = ReverseReader(_OLDER)
            self._older.open(self._backwards.descriptor)
        for slice_ in self._older.slices(offset):
            for begin, end in self._lines([written], slice_):
                tool = self.entries.caller(bytes(slice_.data[begin:end]), slice_.base + begin, call)
                if tool:
                    return tool
        return ""


def _mask(seekers: Sequence[TermMatcher], folded: str, text: str) -> int:
    return sum([1 << number for number, each in enumerate(seekers) if each.in_both(folded, text)])


def _all_of(spots: Sequence[Spot]) -> int:
    mask = 0
    for spot in spots:
        mask |= spot.mask
    return mask


def rank(spot: Spot | None) -> tuple[int, ...]:
    """What makes a spot the best, the more the better; see `piece.merit`."""
    if spot is None:
        return (0, False, -1, 0, 0)
    return (*merit(spot.kind, spot.offset, spot.mask), spot.part)
