"""All sessions that are known, each in the group where an arrangement puts it.

A change of some sessions looks at them and at their threads and at nothing else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.index.row import is_empty
from app.view.folders import tilde
from app.view.fork_links import Lineage
from app.view.fork_order import Order
from app.view.group import NOWHERE, Group
from app.view.list_line import ListLine
from app.view.passing import LEFT_OUT, SHOWN, UNKNOWN, Passing
from app.view.row_texts import RowTexts

if TYPE_CHECKING:
    from collections.abc import Iterable

    from app.index.row import Row
    from app.view.arrangement import Arrangement


class Contents:
    """Sessions and groups.

    by_path   every session, listed or not
    texts     what the rows of all of them say
    groups    folder -> its group; one, of the name "", where there are no groups
    standing  how many sessions stand where (`app.view.passing`)
    projects  folder -> how many sessions of it there are, listed or not

    What changes sessions returns the groups that are others now, in order; of those that have become empty
    the caller may `drop` the group.
    """

    def __init__(
        self, here: tuple[str, ...], home: str, arrangement: Arrangement, pins: frozenset[tuple[str, str]]
    ) -> None:
        self.here = here
        self.home = home
        self.arrangement = arrangement
        self.pins = pins
        self.live: frozenset[str] = frozenset()
        self.by_path: dict[str, ListLine] = {}
        self.texts = RowTexts()
        self._lineage = Lineage(self.by_path)
        self._folders: dict[str, str] = {}
        self._empty()

    def _empty(self) -> None:
        arrangement = self.arrangement
        self.groups: dict[str, Group] = {}
        self.standing = [0] * (SHOWN + 1)
        self.projects: dict[str, int] = {}
        self._passing = Passing(arrangement, self.here, self.live)
        self._order = Order(threaded=arrangement.order == "threaded", pinned_first=arrangement.pinned_first)

    def put(self, changed: Iterable[Row], removed: Iterable[str]) -> set[Group]:
        """Take over rows that are new or changed, and paths that are gone."""
        touched: set[Group] = set()
        by_path, lineage = self.by_path, self._lineage
        for path in removed:
            line = by_path.pop(path, None)
            if line is not None:
                self._uncount(line)
                self._move(line, NOWHERE, touched)
                lineage.go(line)
                self.texts.go(line)
        new: list[ListLine] = []
        others: list[ListLine] = []
        for row in changed:
            line = by_path.get(row.path)
            if line is None:
                line = by_path[row.path] = ListLine(NOWHERE, row)
                self._take(line, row)
                new.append(line)
            elif line.standing == UNKNOWN:
                self._take(line, row)
            elif self._change(line, row, touched):
                others.append(line)
        self.texts.come(new)
        lineage.come(new)
        lineage.come(others)
        self._stand_all(new, touched)
        return self._settle(touched)

    def _change(self, line: ListLine, row: Row, touched: set[Group]) -> bool:
        """Whether others may call it otherwise now, or it others, so that it comes anew into the lineage."""
        old, was_pinned = line.row, line.pinned
        assert old is not None
        self._uncount(line)
        # of several parents of one name a fork has the one in its folder
        is_another = (old.id, old.parent_session, old.cwd) != (row.id, row.parent_session, row.cwd)
        if is_another:
            self._lineage.go(line)
        self._take(line, row)
        if not self._stand(line, touched) and line.group is not NOWHERE:
            if is_another:
                line.group.loosen(line)
            else:
                line.group.change(line, old, was_pinned)
        return is_another

    def _take(self, line: ListLine, row: Row) -> None:
        line.row = row
        self.texts.change(line)
        line.pinned = bool(self.pins) and (row.agent, row.id) in self.pins
        folder = self._folders.get(row.cwd)
        if folder is None:
            folder = self._folders[row.cwd] = tilde(row.cwd, self.home)
        line.folder = folder

    def _stand(self, line: ListLine, touched: set[Group]) -> bool:
        """Put a line where it belongs, and count it; whether it has come to another group."""
        row = line.row
        assert row is not None
        line.standing = standing = self._passing.standing(row)
        self.standing[standing] += 1
        self.projects[row.cwd] = self.projects.get(row.cwd, 0) + 1
        return self._move(line, self.group(row.cwd) if standing == SHOWN else NOWHERE, touched)

    def _stand_all(self, lines: Iterable[ListLine], touched: set[Group]) -> None:
        """The same for many lines that are nowhere."""
        standing_of, standing, projects = self._passing.standing, self.standing, self.projects
        is_whole = not self.arrangement.grouped
        members: dict[str, list[ListLine]] = {}
        for line in lines:
            row = line.row
            assert row is not None
            line.standing = at = standing_of(row)
            standing[at] += 1
            cwd = row.cwd
            projects[cwd] = projects.get(cwd, 0) + 1
            if at == SHOWN:
                members.setdefault("" if is_whole else cwd, []).append(line)
        for cwd, some in members.items():
            group = self.group(cwd)
            group.come_all(some)
            touched.add(group)

    def _uncount(self, line: ListLine) -> None:
        row = line.row
        assert row is not None
        self.standing[line.standing] -= 1
        self.projects[row.cwd] -= 1
        if not self.projects[row.cwd]:
            del self.projects[row.cwd]

    def _move(self, line: ListLine, group: Group, touched: set[Group]) -> bool:
        before = line.group
        if group is not NOWHERE:
            touched.add(group)
        if group is before:
            return False
        if before is not NOWHERE:
            before.go(line)
            touched.add(before)
        if group is not NOWHERE:
            group.come(line)
        return True

    def _settle(self, touched: set[Group]) -> set[Group]:
        for fork in self._lineage.settle():
            group = fork.group
            if group is not NOWHERE:
                touched.add(group)
                group.loosen(fork)
                if fork.parent is not None:
                    group.loosen(fork.parent)
        for group in touched:
            group.settle()
        return touched

    def group(self, cwd: str) -> Group:
        """The group of a folder's sessions."""
        is_whole = not self.arrangement.grouped
        name = "" if is_whole else cwd
        group = self.groups.get(name)
        if group is None:
            group = Group(name, tilde(name, self.home), self._order, is_whole=is_whole)
            self.groups[name] = group
        return group

    def drop(self, group: Group) -> None:
        """Have a group no more that is empty."""
        self.groups.pop(group.cwd, None)

    def set_pins(self, pins: frozenset[tuple[str, str]]) -> set[Group]:
        """Other sessions are pinned now: (agent, id) of all of them."""
        others, self.pins = pins ^ self.pins, pins
        touched: set[Group] = set()
        if not others:
            return touched
        for line in self.by_path.values():
            row = line.row
            assert row is not None
            if (row.agent, row.id) in others:
                was_pinned, line.pinned = line.pinned, not line.pinned
                if line.group is not NOWHERE:
                    line.group.change(line, row, was_pinned)
                    touched.add(line.group)
        return self._settle(touched)

    def set_live(self, live: frozenset[str]) -> set[Group]:
        """Other sessions are open somewhere, or may be: paths. Those that are empty are not hidden."""
        others, self.live = live ^ self.live, live
        self._passing.live = live
        touched: set[Group] = set()
        for path in others:
            line = self.by_path.get(path)
            if line is not None and line.row is not None and is_empty(line.row):
                self._uncount(line)
                self._stand(line, touched)
        return self._settle(touched)

    def leave_out(self, paths: Iterable[str]) -> set[Group]:
        """List some sessions no more; they are there, and forks of theirs know it."""
        touched: set[Group] = set()
        for path in paths:
            line = self.by_path[path]
            self.standing[line.standing] -= 1
            line.standing = LEFT_OUT
            self.standing[LEFT_OUT] += 1
            self._move(line, NOWHERE, touched)
        return self._settle(touched)

    def rearrange(self, arrangement: Arrangement, here: tuple[str, ...]) -> None:
        """Put every session where this arrangement has it."""
        self.arrangement, self.here = arrangement, here
        self._empty()
        touched: set[Group] = set()
        lines = self.by_path.values()
        for line in lines:
            line.group, line.rank = NOWHERE, None
        self._stand_all(lines, touched)
        self._settle(touched)
