"""One project's sessions in threaded order, kept so as they change: a change looks at its own thread
alone.
"""

from __future__ import annotations

from app.view.list_line import ListLine
from app.view.threads import link, names_asked, names_of, thread

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.index.row import Row
    from app.view.list_line import Rank


class Group:
    """The sessions whose header names the same folder.

    cwd, folder   the folder, and as it is written on screen
    head          the line above the sessions
    lines         the sessions in order; empty while only their number is known, as in the first frame
    count         how many sessions there are
    newest        the newest activity in ms
    matching      the lines that a filter leaves; None while it has not looked
    start, shown  the number of the head's line in the list, and how many sessions it speaks of
    moved         whether lines have come, gone or changed places since this was last made false

    After ``come``, ``go`` and ``change`` the lines are in order when ``settle`` has been called.
    """

    __slots__ = (
        "_asked",
        "_by_path",
        "_loose",
        "_unlinked",
        "count",
        "cwd",
        "folder",
        "head",
        "lines",
        "matching",
        "moved",
        "newest",
        "shown",
        "start",
    )

    def __init__(self, cwd: str, folder: str, by_path: dict[str, ListLine]) -> None:
        """:param by_path: the sessions of all groups, kept by the caller."""
        self.cwd = cwd
        self.folder = folder
        self.head = ListLine(self)
        self.lines: list[ListLine] = []
        self.count = 0
        self.newest = 0
        self.matching: list[ListLine] | None = None
        self.start = 0
        self.shown = 0
        self.moved = True
        self._by_path = by_path
        # name -> the forks that call their parent so
        self._asked: dict[str, dict[ListLine, None]] = {}
        # lines that are in no thread at the moment, and forks whose parent has to be looked for
        self._loose: dict[ListLine, None] = {}
        self._unlinked: dict[ListLine, None] = {}

    def come(self, line: ListLine) -> None:
        """A session is new here."""
        self._loose[line] = None
        if self._asked:
            for name in names_of(line):
                for fork in self._asked.get(name, ()):
                    self._loosen(fork)
                    self._unlinked[fork] = None
        names = names_asked(line)
        if names:
            self._unlinked[line] = None
            for name in names:
                self._asked.setdefault(name, {})[line] = None

    def go(self, line: ListLine) -> None:
        """A session is here no more."""
        self._loosen(line)
        del self._loose[line]
        self._unlinked.pop(line, None)
        for name in names_asked(line):
            forks = self._asked[name]
            del forks[line]
            if not forks:
                del self._asked[name]
        line.parent = None
        if self._asked:
            for other in self._loose:
                if other.parent is line:
                    self._unlinked[other] = None
        self.moved = True

    def change(self, line: ListLine, row: Row) -> None:
        """A session is another now."""
        old = line.row
        assert old is not None
        line.folded = ""
        if (old.id, old.parent_session) != (row.id, row.parent_session):
            self.go(line)
            line.row = row
            self.come(line)
            return
        line.row = row
        if old.modified != row.modified and not self._keeps_place(line, row):
            self._loosen(line)

    def settle(self) -> None:
        """Put what has changed in order."""
        if self._unlinked:
            link(self._unlinked, self._by_path, [*self.lines, *self._loose])
            for fork in self._unlinked:
                if fork.parent is not None:
                    self._loosen(fork.parent)
            self._unlinked.clear()
        if self._loose:
            self._insert(thread(list(self._loose)))
            self._loose.clear()
            self.moved = True
        self.matching = None
        self.count = len(self.lines)
        self.newest = -_rank(self.lines[0])[0] if self.lines else 0

    def find(self, line: ListLine, among: Sequence[ListLine]) -> int | None:
        """Where a line is in ``lines`` or ``matching``; None when it is not there."""
        at = _place(among, _rank(line))
        while at < len(among) and among[at].rank is line.rank:
            if among[at] is line:
                return at
            at += 1
        return None

    def _keeps_place(self, line: ListLine, row: Row) -> bool:
        """Give a session that is alone in its thread its new rank, if it stays between the same others."""
        lines = self.lines
        if line.rank is None:
            return True
        at = _place(lines, line.rank)
        after = lines[at + 1].rank if at + 1 < len(lines) else None
        if after is line.rank or lines[at] is not line:
            return False
        rank = (-(row.modified or 0), row.path)
        if (at and _rank(lines[at - 1]) > rank) or (after is not None and after < rank):
            return False
        line.rank = rank
        return True

    def _loosen(self, line: ListLine) -> None:
        """Take the thread of a line out of the order."""
        rank = line.rank
        if rank is None:
            return
        lines = self.lines
        start = end = _place(lines, rank)
        while end < len(lines) and lines[end].rank is rank:
            lines[end].rank = None
            self._loose[lines[end]] = None
            end += 1
        del lines[start:end]

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


def _place(lines: Sequence[ListLine], rank: Rank) -> int:
    """Where a thread of this rank begins, or would."""
    # The first frame, which has every group in order from the start, does without this module.
    from bisect import bisect_left

    return bisect_left(lines, rank, key=_rank)


def _rank(line: ListLine) -> Rank:
    assert line.rank is not None
    return line.rank
