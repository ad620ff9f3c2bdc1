"""Sessions in order under one head, kept so as they change: a change looks at its own thread alone."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING

from app.view.fork_order import Order, thread
from app.view.list_line import ListLine

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from app.index.row import Row
    from app.view.list_line import Rank


FEW = 64
"""If no more than one of so many lines is wanted, each is looked for by itself."""


class Group:
    """The sessions whose header names the same folder, or all that are listed where there are no groups.

    cwd, folder   the folder, and as it is written on screen
    is_whole      it is the whole list, and its head is not shown
    head          the line above the sessions
    lines         the sessions in order; empty while only their number is known, as in the first frame
    count         how many sessions there are
    newest        the newest activity in ms
    matching      the lines that a filter leaves; None while there is none
    start, shown  the number of the head's line in the list, and how many sessions it speaks of
    moved         whether lines have come, gone or changed places since this was last made false

    After ``come``, ``go``, ``change`` and ``loosen`` the lines are in order when ``settle`` has been called.
    """

    __slots__ = (
        "_loose",
        "_order",
        "count",
        "cwd",
        "folder",
        "head",
        "is_whole",
        "lines",
        "matching",
        "moved",
        "newest",
        "shown",
        "start",
    )

    def __init__(self, cwd: str, folder: str, order: Order, *, is_whole: bool = False) -> None:
        self.cwd = cwd
        self.folder = folder
        self.is_whole = is_whole
        self.head = ListLine(self)
        self.head.folder = folder
        self.lines: list[ListLine] = []
        self.count = 0
        self.newest = 0
        self.matching: Sequence[ListLine] | None = None
        self.start = 0
        self.shown = 0
        self.moved = True
        self._order = order
        # lines that are in no thread at the moment
        self._loose: dict[ListLine, None] = {}

    def come(self, line: ListLine) -> None:
        """A session is new here."""
        self.come_all((line,))

    def come_all(self, lines: Sequence[ListLine]) -> None:
        """Sessions are new here."""
        for line in lines:
            line.group = self
        self._loose.update(dict.fromkeys(lines))
        if not self.lines:
            return
        for line in lines:
            if line.parent is not None:
                self.loosen(line.parent)
            for fork in line.forks or ():
                self.loosen(fork)

    def go(self, line: ListLine) -> None:
        """A session is here no more."""
        self.loosen(line)
        del self._loose[line]
        line.group = NOWHERE
        self.moved = True

    def change(self, line: ListLine, old: Row, was_pinned: bool) -> None:
        """A session that stays here is another now than it was."""
        row = line.row
        assert row is not None
        if (old.modified, was_pinned) != (row.modified, line.pinned) and not self._keeps_place(line):
            self.loosen(line)

    def loosen(self, line: ListLine) -> None:
        """Take the thread of a line out of the order, to be threaded anew; nothing where the line is in
        another group.
        """
        rank = line.rank
        if rank is None or line.group is not self:
            return
        lines = self.lines
        start = end = _place(lines, rank)
        while end < len(lines) and lines[end].rank is rank:
            lines[end].rank = None
            self._loose[lines[end]] = None
            end += 1
        del lines[start:end]

    def settle(self) -> None:
        """Put what has changed in order."""
        if self._loose:
            self._insert(thread(list(self._loose), self._order))
            self._loose.clear()
            self.moved = True
        self.count = len(self.lines)
        self.newest = self._newest()

    def find(self, line: ListLine, among: Sequence[ListLine]) -> int | None:
        """Where a line is in lines that are in the order of ``lines``; None when it is not there."""
        at = _place(among, _rank(line))
        while at < len(among) and among[at].rank is line.rank:
            if among[at] is line:
                return at
            at += 1
        return None

    def in_order(self, some: list[ListLine]) -> list[ListLine]:
        """Some of the ``lines``, in their order, each once."""
        lines, wanted = self.lines, set(some)
        if len(wanted) == len(lines):
            return lines[:]
        if FEW * len(wanted) < len(lines):
            return sorted(wanted, key=lambda line: self.find(line, lines) or 0)
        return [line for line in lines if line in wanted]

    def _newest(self) -> int:
        if not self.lines:
            return 0
        late, newest, _ = _rank(self.lines[0])
        if not late:
            # behind what is pinned the newest of the others stands
            at = _place(self.lines, (1,))
            if at < len(self.lines):
                newest = min(newest, _rank(self.lines[at])[1])
        return -newest

    def _keeps_place(self, line: ListLine) -> bool:
        """Give a session that is alone in its thread its new rank, if it stays between the same others."""
        lines = self.lines
        if line.rank is None:
            return True
        at = _place(lines, line.rank)
        after = lines[at + 1].rank if at + 1 < len(lines) else None
        if after is line.rank or lines[at] is not line:
            return False
        rank = self._order.rank(line)
        if (at and _rank(lines[at - 1]) > rank) or (after is not None and after < rank):
            return False
        line.rank = rank
        return True

    def _insert(self, threaded: list[ListLine]) -> None:
        if not self.lines:
            self.lines = threaded
            return
        start = 0
        while start < len(threaded):
            rank = threaded[start].rank
            end = start + 1
            while end < len(threaded) and threaded[end].rank is rank:
                end += 1
            at = _place(self.lines, _rank(threaded[start]))
            self.lines[at:at] = threaded[start:end]
            start = end


def _place(lines: Sequence[ListLine], rank: Rank | tuple[int]) -> int:
    """Where a thread of this rank begins, or would."""
    # The first frame, which has every group in order from the start, does without this module.
    from bisect import bisect_left

    return bisect_left(lines, rank, key=_rank)


_rank: Callable[[ListLine], Rank] = attrgetter("rank")


NOWHERE = Group("", "", Order())
"""Where the sessions are that are not listed."""
