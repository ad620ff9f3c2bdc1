"""Files that another process looks through, the oldest first, while this one does something else or comes
from the other end.

It begins before what decodes lines is loaded: nearly all files are passed over at a glance. The few that are
not are left to this process, which needs that in any case.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from app.index.search.grep.glance import glance_for
from app.index.search.grep.other_end import begin
from app.index.search.grep.prefilter import sieve
from app.index.search.grep.verdict import SHOWN, Spot, Verdict
from app.index.search.opening import open_stored
from app.index.workers.worker import load_decoder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from app.index.row import Row, Signature
    from app.index.search.grep.glance import Glance
    from app.index.search.grep.other_end import Board, OtherEnd
    from app.index.search.grep.session import Deep
    from app.index.search.results import Hit
    from app.index.search.terms import Plan

    Spots = list[tuple[object, ...]]
    Answer = int | Spots
    """One of the numbers below, the places, or `~end` of a file that is left."""
    File = tuple[str, Signature]
    """Its path, and how it was when the catalog was read."""

FROM_BYTES = 32_000_000
"""With less than this to look through, a second process costs more than it saves."""

FEW, SELDOM = 16, 16
"""So many files that are not passed over at a glance, and later one of so many of all, are left to the
process that asks. Of a word that is everywhere it could not look into half of those that have it.
"""

_LACKS, _REFUSED, _MATCHES = 1, 2, 3
_LACKING = Verdict(False)


class Ahead:
    """What another process has found in `files` so far. `close` in any case.

    foreseen   is told of hits before it is their turn, while the other process goes on
    """

    def __init__(self, plan: Plan, files: Sequence[File], other: OtherEnd, *, every: bool) -> None:
        self.foreseen: Callable[[Hit], object] = _nothing
        self._all = plan.all
        self._every = every
        self._files = files
        self._numbers = {path: number for number, (path, _) in enumerate(files)}
        self._other = other
        self._verdicts: dict[int, Verdict] = {}
        self._left: list[tuple[int, int]] = []
        self._taken = -1

    def take(self, row: Row) -> Verdict | None:
        """What is known by now of the file of `row`, as if nothing else was known of the session; None where
        that is nothing, or the file has changed. From now on nobody needs to know of those before it.
        """
        number = self._numbers.get(row.path, -1)
        if number < 0 or self._files[number][1] != row.signature:
            return None
        board = self._other.board
        self._taken = number
        noted = board.noted(number)
        if noted == _LACKS:
            # Most of them, and at the end one after the other.
            return _LACKING
        # What is answered is behind the place where both meet.
        if not noted:
            board.reached = number
        answer = self._other.take(number)
        if answer is None:
            return None
        if answer == _LACKS:
            return _LACKING
        if answer == _REFUSED:
            return Verdict(False, self._all)
        if isinstance(answer, int) and answer < 0:
            return self._verdicts.pop(number, None)
        spots = () if answer == _MATCHES else tuple([Spot(*spot) for spot in answer])
        if self._every:
            return Verdict(True, self._all, None, spots)
        return Verdict(True, self._all, spots[0] if spots else None)

    def left(self) -> tuple[str, int] | None:
        """The path of a file that is left to this process, and what `Glance.end` says of it; None where there
        is none by now. Each is given once.
        """
        self._left += [(number, ~answer) for number, answer in self._other.news() if isinstance(answer, int)]
        while self._left:
            number, end = self._left.pop()
            if number > self._taken:
                return self._files[number][0], end
        return None

    def settle(self, row: Row, verdict: Verdict) -> bool:
        """Keep what was found in a file that was left to this process until it is taken; False where it will
        not be.
        """
        number = self._numbers[row.path]
        if self._files[number][1] != row.signature:
            return False
        self._verdicts[number] = verdict
        return True

    def close(self) -> None:
        """End the other process."""
        self._other.close()


def look_ahead(
    plan: Plan, files: Sequence[File], dialect: Callable[[int], str], *, every: bool
) -> Ahead | None:
    """Have another process look through `files` for `plan`, the last one first; None where that cannot be
    had, or would not be worth while.

    :param dialect: that of a file by its number; raises ValueError. Asked by the other process.
    :param every: all places are wanted.
    """
    if sum([signature[1] for _, signature in files]) < FROM_BYTES:
        return None
    asking = os.getpid()

    def look(board: Board) -> Iterator[tuple[int, Answer]]:
        glance, _ = glance_for([sieve(each) for each in plan.wanted])
        deep: Deep | None = None
        found = shown = 0
        for looked, number in enumerate(range(len(files) - 1, -1, -1)):
            if number < board.reached or os.getppid() != asking:
                return
            path = files[number][0]
            try:
                if glance is not None and _lacks(glance, path):
                    yield number, _LACKS
                    continue
                found += 1
                if glance is not None and (found <= FEW or found * SELDOM <= looked):
                    yield number, ~glance.end
                    continue
                if deep is None:
                    load_decoder()
                    from app.index.search.grep.session import Deep

                    deep = Deep(plan)
                verdict = deep.session(
                    path,
                    dialect(number),
                    best=shown < SHOWN,
                    every=every,
                    end=glance.end if glance is not None else None,
                )
            except (OSError, ValueError):
                # It is told of by whoever tries again.
                continue
            if not verdict.matches:
                yield number, _REFUSED if verdict.mask == plan.all else _LACKS
            elif every:
                yield number, [tuple(spot) for spot in verdict.spots]
            elif verdict.best:
                shown += 1
                yield number, [tuple(verdict.best)]
            else:
                yield number, _MATCHES

    other = begin(len(files), look)
    return Ahead(plan, files, other, every=every) if other else None


def _lacks(glance: Glance, path: str) -> bool:
    descriptor = open_stored(path)
    try:
        return glance.lacks(descriptor, _nothing)
    finally:
        os.close(descriptor)


def _nothing(*_: object) -> None:
    """Nobody wants to know."""
