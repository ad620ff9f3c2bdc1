"""The list of sessions by project: groups, threads, folds, filter and the cursor's place, without a screen.

The lines are plain objects in a list. A change of some sessions puts their threads in order anew and no
others; where lines have moved the list is put together from the groups' lines again, which is cheap beside
drawing one screen of it.
"""

from __future__ import annotations

from app.view.folders import tilde
from app.view.group import Group
from app.view.list_line import ListLine
from app.view.session_filter import haystack, words_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterable

    from app.index.row import Row


class SessionList:
    """Sessions grouped by project, this folder's project first, then by newest activity.

    :param here: folders that count as "this folder" (the working directory as the shell and as the system
        spell it).
    :param home: the home folder, for ``~`` on screen.
    """

    def __init__(self, here: tuple[str, ...] = (), home: str = "") -> None:
        self.here = here
        self.home = home
        self.lines: list[ListLine] = []
        self.words: list[str] = []
        self.is_filtered = False
        self.total = 0
        self.matched = 0
        self._is_plain = True
        self._found: Container[str] = ()
        self._groups: dict[str, Group] = {}
        self._order: list[Group] = []
        self._open: set[str] = set()
        self._by_path: dict[str, ListLine] = {}

    # what is in it

    def preview(self, counts: Iterable[tuple[str, int, int]], rows: Iterable[Row]) -> None:
        """Fill the list from the numbers of each project and the rows of the open ones alone.

        :param counts: (folder, number of sessions, newest activity in ms) of every project.
        """
        for cwd, number, newest in counts:
            group = self._group(cwd)
            group.count, group.newest = number, newest
        self._put(rows, ())
        self._refresh()

    def load(self, rows: Iterable[Row]) -> None:
        """Replace all sessions; folds and query stay."""
        self._groups, self._by_path = {}, {}
        self._put(rows, ())
        self._refresh()

    def adopt(self, other: SessionList) -> None:
        """Take over the sessions of a list that was filled in another thread; folds and query stay."""
        self._groups, self._by_path = other._groups, other._by_path
        self._open.update(cwd for cwd in self.here if cwd in self._groups)
        self._refresh()

    def prepare_filter(self) -> None:
        """Fold what the filter looks at beforehand, so that the first key of a filter costs no more than
        others.
        """
        for line in self._by_path.values():
            _fold(line)

    def apply(self, changed: Iterable[Row], removed: Iterable[str]) -> None:
        """Take over rows that are new or changed, and paths that are gone."""
        touched = self._put(changed, removed)
        for group in touched:
            if not group.count:
                del self._groups[group.cwd]
        if self.is_filtered or any(group.moved or not self._in_place(group) for group in touched):
            self._refresh()

    def _put(self, changed: Iterable[Row], removed: Iterable[str]) -> set[Group]:
        """The groups whose sessions are others now, with their lines in order."""
        touched: set[Group] = set()
        by_path = self._by_path
        for path in removed:
            line = by_path.pop(path, None)
            if line is not None:
                line.group.go(line)
                touched.add(line.group)
        for row in changed:
            line = by_path.get(row.path)
            if line is not None and line.group.cwd == row.cwd:
                line.group.change(line, row)
            else:
                if line is not None:
                    line.group.go(line)
                    touched.add(line.group)
                line = by_path[row.path] = ListLine(self._group(row.cwd), row)
                line.group.come(line)
            touched.add(line.group)
        for group in touched:
            group.settle()
        return touched

    def rows(self) -> list[Row]:
        """Every session that is loaded, in no order."""
        return [line.row for line in self._by_path.values() if line.row is not None]

    def _group(self, cwd: str) -> Group:
        group = self._groups.get(cwd)
        if group is None:
            group = self._groups[cwd] = Group(cwd, tilde(cwd, self.home), self._by_path)
            if cwd in self.here:
                self._open.add(cwd)
        return group

    # what is shown

    @property
    def projects(self) -> int:
        """How many projects there are."""
        return len(self._groups)

    def is_open(self, group: Group) -> bool:
        """Whether the group's sessions are shown; while a filter is on all groups are."""
        return self.is_filtered or group.cwd in self._open

    def set_open(self, group: Group, is_open: bool) -> None:
        """Unfold or fold one group."""
        if is_open:
            self._open.add(group.cwd)
        else:
            self._open.discard(group.cwd)
        self._refresh()

    def open_all(self, is_open: bool) -> None:
        """Unfold or fold every group."""
        self._open = set(self._groups) if is_open else set()
        self._refresh()

    def open_first(self, height: int) -> None:
        """Unfold what a person wants to see first: this folder's project, or the newest one where it has
        none; all of them when everything fits ``height`` lines.
        """
        groups = self._ordered()
        if sum(group.count + 1 for group in groups) <= height:
            self._open = {group.cwd for group in groups}
        elif groups:
            self._open = {groups[0].cwd}
        self._refresh()

    def first_groups(self) -> list[str]:
        """The folders of the groups that are open, in order."""
        return [group.cwd for group in self._ordered() if group.cwd in self._open]

    def set_query(self, query: str) -> None:
        """Show only the sessions of which the row matches, and those that were found last (`set_found`);
        an empty query shows all.
        """
        before, was_plain = self.words, self._is_plain and self.is_filtered
        self.words = words_of(query)
        self.is_filtered = bool(self.words)
        self._is_plain = True
        if not self.is_filtered:
            self._found = ()
        # a query that says more than the last one is looked for in what that one left
        narrower = was_plain and all(any(old in new for new in self.words) for old in before)
        for group in self._groups.values():
            group.matching = self._matching(group, group.matching if narrower else None)
        self._refresh()

    def set_found(self, paths: Container[str], words: list[str], *, is_plain: bool) -> None:
        """Show the sessions that a search has found.

        :param words: what is to be marked in the lines, folded.
        :param is_plain: the query is words and nothing else: sessions of which the row matches are shown
            beside them.
        """
        self._found, self.words, self._is_plain = paths, words, is_plain
        self.is_filtered = True
        for group in self._groups.values():
            group.matching = self._matching(group)
        self._refresh()

    def _matching(self, group: Group, among: list[ListLine] | None = None) -> list[ListLine] | None:
        """The lines of a group that match, of some that are known to hold them or of all."""
        if not self.is_filtered:
            return None
        lines = group.lines if among is None else among
        found = self._found
        if not self._is_plain:
            return [line for line in lines if line.path in found]
        listed = lines
        for word in self.words:
            listed = [line for line in listed if word in (line.folded or _fold(line))]
        if not found:
            return listed
        matching = set(listed)
        return [line for line in lines if line in matching or line.path in found]

    def _rank(self, group: Group) -> tuple[bool, int, str]:
        return group.cwd not in self.here, -group.newest, group.cwd

    def _ordered(self) -> list[Group]:
        return sorted(self._groups.values(), key=self._rank)

    def _in_place(self, group: Group) -> bool:
        """Whether a group that is shown belongs where it is."""
        at = self._order.index(group)
        around = [self._rank(each) for each in self._order[max(0, at - 1) : at + 2]]
        return around == sorted(around)

    def _refresh(self) -> None:
        lines: list[ListLine] = []
        self.total = self.matched = 0
        filtered = self.is_filtered
        self._order = self._ordered()
        for group in self._order:
            group.moved = False
            self.total += group.count
            shown = group.lines
            if filtered:
                if group.matching is None:
                    group.matching = self._matching(group)
                shown = group.matching or []
                if not shown:
                    continue
            group.start = len(lines)
            group.shown = len(shown) if filtered else group.count
            self.matched += group.shown
            lines.append(group.head)
            if filtered or group.cwd in self._open:
                lines.extend(shown)
        self.lines = lines

    # the cursor

    def first_session(self) -> int:
        """The first line that is a session, else the first line."""
        for at, line in enumerate(self.lines):
            if line.row is not None:
                return at
        return 0

    def row_at(self, path: str) -> Row | None:
        """The session with this path."""
        line = self._by_path.get(path)
        return line.row if line is not None else None

    def same_session(self, agent: str, session_id: str) -> Row | None:
        """A session with this id, for when its file was moved: agents rename their folders (FORMATS 1.2)."""
        for row in self.rows():
            if row.id == session_id and row.agent == agent:
                return row
        return None

    def index_of(self, path: str) -> int | None:
        """The line of a session, None when it is not shown."""
        line = self._by_path.get(path)
        if line is None or not self.is_open(line.group) or self.index_of_group(line.group.cwd) is None:
            return None
        group = line.group
        shown = group.lines if group.matching is None else group.matching
        at = group.find(line, shown)
        return None if at is None else group.start + 1 + at

    def index_of_group(self, cwd: str) -> int | None:
        """The line of a group's head, None when it is not shown."""
        group = self._groups.get(cwd)
        if group is None or group.start >= len(self.lines) or self.lines[group.start] is not group.head:
            return None
        return group.start


def _fold(line: ListLine) -> str:
    if not line.folded and line.row is not None:
        line.folded = haystack(line.row, line.group.folder)
    return line.folded
