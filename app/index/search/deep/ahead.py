"""Files that another process looks through, the oldest first, while this one does something else or comes
from the other end (PERFORMANCE 2.4 "Deep scan").
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from app.index.search.deep.other_end import begin
from app.index.search.deep.session import Deep, Verdict
from app.index.search.deep.spots import Spot

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from app.index.row import Row
    from app.index.search.deep.other_end import Board, OtherEnd
    from app.index.search.terms import Plan

    Spots = list[tuple[object, ...]]

FROM_BYTES = 32_000_000
"""With less than this to look through, a second process costs more than it saves."""

SHOWN = 50
"""Of so many sessions that match the best place is told as well: who asks shows few at a time. To work it out
takes as long as to look through a file that lacks it all.
"""

_LACKS, _REFUSED, _MATCHES = 1, 2, 3


class Ahead:
    """What another process has found in the files of `rows` so far. `close` in any case."""

    def __init__(self, plan: Plan, rows: Sequence[Row], other: OtherEnd, *, every: bool) -> None:
        self._all = plan.all
        self._every = every
        self._rows = rows
        self._numbers = {row.path: number for number, row in enumerate(rows)}
        self._other = other

    def take(self, row: Row) -> Verdict | None:
        """What is known by now of the file of `row`, as if nothing else was known of the session; None where
        that is nothing, or the row was another one. From now on nobody needs to know of those before it.
        """
        number = self._numbers.get(row.path, -1)
        if number < 0 or self._rows[number] is not row:
            return None
        board = self._other.board
        # What is answered is behind the place where both meet.
        if not board.noted(number):
            board.reached = number
        answer = self._other.take(number)
        if answer is None:
            return None
        if answer == _LACKS:
            return Verdict(False)
        if answer == _REFUSED:
            return Verdict(False, self._all)
        spots = () if answer == _MATCHES else tuple([Spot(*spot) for spot in answer])
        if self._every:
            return Verdict(True, self._all, None, spots)
        return Verdict(True, self._all, spots[0] if spots else None)

    def close(self) -> None:
        """End the other process."""
        self._other.close()


def look_ahead(plan: Plan, rows: Sequence[Row], *, every: bool) -> Ahead | None:
    """Have another process look through the files of `rows` for `plan`, the last one first; None where that
    cannot be had, or would not be worth while.

    :param every: all places are wanted.
    """
    if sum([row.size for row in rows]) < FROM_BYTES:
        return None
    asking = os.getpid()

    def look(board: Board) -> Iterator[tuple[int, int | Spots]]:
        deep = Deep(plan)
        shown = 0
        for number in range(len(rows) - 1, -1, -1):
            if number < board.reached or os.getppid() != asking:
                return
            row = rows[number]
            try:
                verdict = deep.session(row.path, row.dialect, best=shown < SHOWN, every=every)
            except OSError:
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

    other = begin(len(rows), look)
    return Ahead(plan, rows, other, every=every) if other else None
