"""One session after the other looked through in its file (PERFORMANCE 2.4 "Deep scan", 3.4).

First it is seen whether the bytes may have all that is wanted; most files do not, and not a line of them is
decoded. Then lines that may have something are decoded, those near the end first, and each of them looked
through up to the first text with a term, until it is decided. Which place is the best one, and what all of
them are, is worked out when it is asked for.
"""

from __future__ import annotations

import json
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from app.formats.fold import fold
from app.formats.kinds import OTHER
from app.index.search.deep.backwards import READ, Backwards
from app.index.search.deep.entries import Entries
from app.index.search.deep.finders import exactly
from app.index.search.deep.glance import Glance
from app.index.search.deep.sieve import Fine, any_of, sieve
from app.index.search.piece import merit
from app.sessions.summarise import open_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from app.index.search.deep.backwards import Slice
    from app.index.search.deep.entries import Piece
    from app.index.search.deep.sieve import Line, Sieve
    from app.index.search.terms import Plan, Seeker

_USER_ROLE = b'"user"'
_OLDER = 1 << 20
_LINES_AT_ONCE = 16
"""So many lines are decoded at most before somebody is asked whether to go on."""


class Spot(NamedTuple):
    """A piece where terms are.

    :param offset: where its line begins in the file; `part` which entry of the line it is from, for lanes.
    :param mask: which of `Plan.wanted` it has.
    :param tool: whose call or result it is.
    """

    kind: int
    offset: int
    part: int
    mask: int
    tool: str


class Verdict(NamedTuple):
    """What is found in a file.

    :param matches: all that is wanted is there, and nothing that is not.
    :param mask: all of `Plan.wanted` but, where it lacks any of them, those that were not found.
    :param best: the best place, where it was asked for; None where it does not match or only by what was
        known before.
    :param spots: all places in the order of the file, where they were asked for.
    """

    matches: bool
    mask: int = 0
    best: Spot | None = None
    spots: tuple[Spot, ...] = ()


class Deep:
    """Looks for what `plan` says in files. One object searches one file at a time.

    decoded   how many lines were decoded so far; `files` how many were read
    """

    def __init__(self, plan: Plan) -> None:
        self.decoded = 0
        self.files = 0
        self._backwards = Backwards(READ)
        self._plan = plan
        self._wanted = [sieve(seeker) for seeker in plan.wanted]
        self._unwanted = [sieve(seeker) for seeker in plan.unwanted]
        self._user = Fine([exactly(_USER_ROLE)], [], 0)
        # What the fewest lines have, the fewest files have.
        rarest = max(self._wanted, key=lambda each: each.weight, default=None)
        self._glance = Glance(rarest.finders) if rarest and rarest.finders else None
        self._glanced = 1 << self._wanted.index(rarest) if rarest else 0

    @property
    def read(self) -> int:
        """How many bytes were read so far."""
        return self._backwards.read + (self._glance.read if self._glance else 0)

    def session(
        self,
        path: str,
        dialect: str,
        *,
        known: int = 0,
        best: bool = True,
        every: bool = False,
        beat: Callable[[], object] = lambda: None,
    ) -> Verdict:
        """Look through the session at `path`.

        :param known: which of `Plan.wanted` it has in its name or elsewhere: not looked for to decide whether
            it matches, but in the places that are given.
        :param best: work out the best place: the piece with most of what is wanted, then what the user said,
            then the latest.
        :param every: give all places.
        :param beat: called every millisecond or so; what it raises ends the search.
        :raises OSError: the file cannot be read.
        """
        descriptor = open_file(path)
        try:
            self.files += 1
            if self._glance and not known & self._glanced and self._glance.lacks(descriptor, beat):
                return Verdict(False, known)
            with self._looking(descriptor, dialect, beat) as look:
                return self._verdict(look, known, best, every)
        finally:
            os.close(descriptor)

    def best(self, path: str, dialect: str, *, beat: Callable[[], object] = lambda: None) -> Spot | None:
        """The best place of the session at `path`, which is known to match; None where it has none.

        :param beat: as above.
        :raises OSError: the file cannot be read.
        """
        descriptor = open_file(path)
        try:
            self.files += 1
            with self._looking(descriptor, dialect, beat) as look:
                return look.best(self._user)
        finally:
            os.close(descriptor)

    @contextmanager
    def _looking(self, descriptor: int, dialect: str, beat: Callable[[], object]) -> Iterator[_Look]:
        self._backwards.open(descriptor)
        look = _Look(self._plan, self._backwards, Entries(dialect), self._wanted, self._unwanted, beat)
        try:
            yield look
        finally:
            self.decoded += look.entries.decoded

    def _verdict(self, look: _Look, known: int, best: bool, every: bool) -> Verdict:
        mask = known | look.have(self._plan.all & ~known)
        if look.refused:
            return Verdict(False, self._plan.all)
        if mask != self._plan.all:
            return Verdict(False, mask)
        if every:
            spots = look.every()
            return Verdict(True, mask, max(spots, key=_merit, default=None), tuple(spots))
        return Verdict(True, mask, look.best(self._user) if best else None)


class _Look:
    """At one file.

    refused   it has something that is not wanted
    """

    def __init__(
        self,
        plan: Plan,
        backwards: Backwards,
        entries: Entries,
        wanted: Sequence[Sieve],
        unwanted: Sequence[Sieve],
        beat: Callable[[], object],
    ) -> None:
        self.refused = False
        self.entries = entries
        self._plan = plan
        self._backwards = backwards
        self._wanted = wanted
        self._unwanted = unwanted
        self._beat = beat
        self._seen: dict[int, list[Spot]] = {}
        self._read: set[int] = set()
        self._older: Backwards | None = None
        # What lies within a line of text is in one part of a piece.
        self._by_parts = not plan.tools and all(each.apart for each in plan.wanted)

    def have(self, mask: int) -> int:
        """Which of these are in the file, as far as it matters to whether all are. Sets `refused`."""
        if mask.bit_count() > 1 and not self._may_have(mask):
            return 0
        missing = mask
        for slice_ in self._backwards.slices() if missing or self._unwanted else ():
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
        """Whether each of these may be in the file, as far as its bytes tell."""
        missing = mask
        for slice_ in self._backwards.slices():
            self._beat()
            for number, each in enumerate(self._wanted):
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

    def _some_lines(self, sieve: Sieve, slice_: Slice) -> Iterator[Line]:
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

    def best(self, user: Sieve) -> Spot | None:
        """The best of all places."""
        best: Spot | None = None
        count = len(self._wanted)
        for slice_ in self._backwards.slices() if count else ():
            most, by_user, newest = _merit(best)[:3]
            older = slice_.base + slice_.end <= newest
            if most == count and by_user and older:
                break
            if most == count and (older or count == 1):
                # What has them all was met up to the best one, and of the others only what the user said is
                # better: that is less than what has the terms.
                sieves = [] if by_user else [user]
            else:
                # Lines with as many terms as the best one have at least one of any so many.
                sieves = self._rarest(count - max(1, most) + (not (older and by_user)))
            for line in self._lines(sieves, slice_):
                if self._may_be_better(slice_, line, best):
                    best = max((best, *self._spots(slice_, line)), key=_merit)
        return best

    def every(self) -> list[Spot]:
        """All places, in the order of the file."""
        for slice_ in self._backwards.slices():
            for line in self._lines(self._wanted, slice_):
                self._spots(slice_, line)
        return [spot for offset in sorted(self._seen) for spot in self._seen[offset]]

    def _lines(self, sieves: Sequence[Sieve], slice_: Slice) -> Iterator[Line]:
        """The lines of a slice that any of `sieves` lets through, the last one first."""
        self._beat()
        if not sieves:
            return
        found = list(any_of(sieves).lines(slice_.data, slice_.start, slice_.end))
        for number, line in enumerate(reversed(found), 1):
            yield line
            if not number % _LINES_AT_ONCE:
                self._beat()

    def _rarest(self, count: int) -> list[Sieve]:
        return sorted(self._wanted, key=lambda each: -each.weight)[:count]

    def _may_be_better(self, slice_: Slice, line: Line, best: Spot | None) -> bool:
        terms = sum([each.lets_through(slice_.data, *line) for each in self._wanted])
        by_user = slice_.data.find(_USER_ROLE, *line) >= 0
        return terms > 0 and (terms, by_user, slice_.base + line[0]) > _merit(best)[:3]

    def _spots(self, slice_: Slice, line: Line) -> list[Spot]:
        """The places in a line that have anything wanted. Sets `refused` for what is not."""
        begin, end = line
        offset = slice_.base + begin
        spots = self._seen.get(offset)
        if spots is None:
            spots = self._seen[offset] = []
            for piece in self.entries.pieces(bytes(slice_.data[begin:end]), offset):
                tool = piece.tool
                if piece.call and self._plan.tools and piece.kind in self._plan.kinds:
                    tool = self._caller(piece.call, offset)
                if self._plan.takes(piece.kind, tool):
                    self._look_at(piece, offset, tool, spots)
        return spots

    def _look_at(self, piece: Piece, offset: int, tool: str, spots: list[Spot]) -> None:
        folded = fold(piece.text)
        mask = _mask(self._plan.wanted, folded, piece.text)
        if mask:
            spots.append(Spot(piece.kind, offset, piece.part, mask, tool))
        if not self.refused and _mask(self._plan.unwanted, folded, piece.text):
            self.refused = True

    def _caller(self, call: str, offset: int) -> str:
        """The tool of the last call with that id in the lines before `offset`; "" where there is none."""
        written = Fine([exactly(json.dumps(call, ensure_ascii=False).encode("utf-8", "replace"))], [], 0)
        if self._older is None:
            self._older = Backwards(_OLDER)
            self._older.open(self._backwards.descriptor)
        for slice_ in self._older.slices(offset):
            for begin, end in self._lines([written], slice_):
                tool = self.entries.caller(bytes(slice_.data[begin:end]), slice_.base + begin, call)
                if tool:
                    return tool
        return ""


def _mask(seekers: Sequence[Seeker], folded: str, text: str) -> int:
    return sum([1 << number for number, each in enumerate(seekers) if each.in_both(folded, text)])


def _all_of(spots: Sequence[Spot]) -> int:
    mask = 0
    for spot in spots:
        mask |= spot.mask
    return mask


def _merit(spot: Spot | None) -> tuple[int, ...]:
    if spot is None:
        return (0, False, -1, 0, 0)
    return (*merit(spot.kind, spot.offset, spot.mask), spot.part)
