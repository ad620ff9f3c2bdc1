"""One session after the other looked through in its file.

Most files have nothing of what is looked for: that is seen at a glance, and not a line of them is decoded.
The others are looked into, see `deep.spots`.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

from app.formats.kinds import CALL, RESULT
from app.index.search.grep.entries import Entries
from app.index.search.grep.finders import exactly
from app.index.search.grep.glance import glance_for
from app.index.search.grep.prefilter import Fine, of_names, sieve
from app.index.search.grep.reverse_reader import READ, ReverseReader
from app.index.search.grep.spots import USER_ROLE, Spots, rank
from app.index.search.grep.verdict import Verdict
from app.index.search.opening import open_stored

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from app.index.search.grep.verdict import Spot
    from app.index.search.terms import Plan


class Deep:
    """Looks for what `plan` says in files. One object searches one file at a time.

    decoded   how many lines were decoded so far; `files` how many were read
    """

    def __init__(self, plan: Plan) -> None:
        self.decoded = 0
        self.files = 0
        self._backwards = ReverseReader(READ)
        self._plan = plan
        self._wanted = [sieve(seeker) for seeker in plan.wanted]
        self._unwanted = [sieve(seeker) for seeker in plan.unwanted]
        # Other texts are of no tool.
        self._tools = of_names(plan.tools) if plan.tools and plan.kinds <= {CALL, RESULT} else None
        self._user = Fine([exactly(USER_ROLE)], [], 0)
        self._glance, self._glanced = glance_for(self._wanted)
        # What a glance does not find is all there is to find.
        self._is_all = self._glanced == plan.all and not plan.unwanted

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
        end: int | None = None,
    ) -> Verdict:
        """Look through the session at `path`.

        :param known: which of `Plan.wanted` it has in its name or elsewhere: not looked for to decide whether
            it matches, but in the places that are given.
        :param best: work out the best place: the piece with most of what is wanted, then what the user said,
            then the latest.
        :param every: give all places.
        :param beat: called every millisecond or so; what it raises ends the search.
        :param end: of somebody who has glanced at it in vain, what `Glance.end` says.
        :raises OSError: the file cannot be read.
        """
        descriptor = open_stored(path)
        try:
            self.files += 1
            if end is None and self._glance and not known & self._glanced:
                if self._glance.lacks(descriptor, beat):
                    return Verdict(False, known)
                end = self._glance.end
            if end is None or not self._is_all:
                end = -1
            with self._looking(descriptor, dialect, beat, end) as look:
                return self._verdict(look, known, best, every)
        finally:
            os.close(descriptor)

    def best(self, path: str, dialect: str, *, beat: Callable[[], object] = lambda: None) -> Spot | None:
        """The best place of the session at `path`, which is known to match; None where it has none.

        :param beat: as above.
        :raises OSError: the file cannot be read.
        """
        descriptor = open_stored(path)
        try:
            self.files += 1
            with self._looking(descriptor, dialect, beat) as look:
                return look.best(self._user)
        finally:
            os.close(descriptor)

    @contextmanager
    def _looking(
        self, descriptor: int, dialect: str, beat: Callable[[], object], end: int = -1
    ) -> Iterator[Spots]:
        self._backwards.open(descriptor)
        entries = Entries(dialect)
        look = Spots(
            self._plan, self._backwards, entries, self._wanted, self._unwanted, beat, end, self._tools
        )
        try:
            yield look
        finally:
            self.decoded += look.entries.decoded

    def _verdict(self, look: Spots, known: int, best: bool, every: bool) -> Verdict:
        mask = known | look.have(self._plan.all & ~known)
        if look.refused:
            return Verdict(False, self._plan.all)
        if mask != self._plan.all:
            return Verdict(False, mask)
        if every:
            spots = look.every()
            return Verdict(True, mask, max(spots, key=rank, default=None), tuple(spots))
        return Verdict(True, mask, look.best(self._user) if best else None)
