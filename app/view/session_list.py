"""The list of sessions by project: groups, threads, folds, filter and the cursor's place, without a screen.

The lines are plain objects in a list. A change of some sessions threads their groups anew and no others; the
list itself is put together from the groups' lines again, which is cheap beside drawing one screen of it.
"""

from __future__ import annotations

from app.view.folders import tilde
from app.view.session_filter import haystack, matches, words_of
from app.view.threads import ThreadRow, thread

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from app.index.row import Row


class Group:
    """One project: the sessions whose header names the same folder.

    ``rows`` is None while only the number of its sessions is known (the first frame reads no more).
    """

    __slots__ = ("count", "cwd", "folder", "newest", "rows", "shown", "start", "threads")

    def __init__(self, cwd: str, folder: str) -> None:
        self.cwd = cwd
        self.folder = folder
        self.rows: dict[str, Row] | None = None
        self.count = 0
        self.newest = 0
        self.threads: list[ListLine] = []
        self.start = 0
        self.shown = 0

    def arrange(self) -> None:
        """Thread the rows again after one of them changed."""
        rows = list(self.rows.values()) if self.rows else []
        self.count = len(rows)
        self.newest = max((row.modified or 0 for row in rows), default=0)
        self.threads = [ListLine(self, threaded) for threaded in thread(rows)]


class ListLine:
    """One line of the list: the head of a group (``thread`` is None) or a session."""

    __slots__ = ("group", "thread")

    def __init__(self, group: Group, threaded: ThreadRow | None = None) -> None:
        self.group = group
        self.thread = threaded

    @property
    def row(self) -> Row | None:
        """The session of this line, None for the head of a group."""
        return self.thread.row if self.thread else None


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
        self.total = 0
        self.matched = 0
        self._groups: dict[str, Group] = {}
        self._heads: dict[str, ListLine] = {}
        self._open: set[str] = set()
        self._by_path: dict[str, Row] = {}
        self._haystacks: dict[str, str] = {}

    # what is in it

    def preview(self, counts: Iterable[tuple[str, int, int]], rows: Iterable[Row]) -> None:
        """Fill the list from the numbers of each project and the rows of the open ones alone.

        :param counts: (folder, number of sessions, newest activity in ms) of every project.
        """
        for cwd, number, newest in counts:
            group = self._group(cwd)
            group.count, group.newest = number, newest
        for row in rows:
            self._put(row)
        for group in self._groups.values():
            if group.rows is not None:
                group.arrange()
        self._refresh()

    def load(self, rows: Iterable[Row]) -> None:
        """Replace all sessions; folds and query stay."""
        self._groups.clear()
        self._heads.clear()
        self._by_path.clear()
        self._haystacks.clear()
        for row in rows:
            self._put(row)
        for group in self._groups.values():
            group.arrange()
        self._refresh()

    def adopt(self, other: SessionList) -> None:
        """Take over the sessions of a list that was filled in another thread; folds and query stay."""
        self._groups, self._heads = other._groups, other._heads
        self._by_path, self._haystacks = other._by_path, other._haystacks
        self._open.update(cwd for cwd in self.here if cwd in self._groups)
        self._refresh()

    def prepare_filter(self) -> None:
        """Fold what the filter looks at beforehand, so that the first key of a filter costs no more than
        others.
        """
        for group in self._groups.values():
            for line in group.threads:
                self._folded(line)

    def apply(self, changed: Iterable[Row], removed: Iterable[str]) -> None:
        """Take over rows that are new or changed, and paths that are gone."""
        touched: set[str] = set()
        for path in removed:
            touched.update(self._drop(path))
        for row in changed:
            touched.update(self._drop(row.path))
            self._put(row)
            touched.add(row.cwd)
        for cwd in touched:
            group = self._groups.get(cwd)
            if group is None:
                continue
            group.arrange()
            if not group.count:
                del self._groups[cwd]
                del self._heads[cwd]
        self._refresh()

    def rows(self) -> list[Row]:
        """Every session that is loaded, in no order."""
        return list(self._by_path.values())

    def _put(self, row: Row) -> None:
        group = self._group(row.cwd)
        if group.rows is None:
            group.rows = {}
        group.rows[row.path] = row
        self._by_path[row.path] = row
        self._haystacks.pop(row.path, None)

    def _drop(self, path: str) -> set[str]:
        old = self._by_path.pop(path, None)
        self._haystacks.pop(path, None)
        if old is None:
            return set()
        rows = self._groups[old.cwd].rows
        if rows is not None:
            rows.pop(path, None)
        return {old.cwd}

    def _group(self, cwd: str) -> Group:
        group = self._groups.get(cwd)
        if group is None:
            group = self._groups[cwd] = Group(cwd, tilde(cwd, self.home))
            self._heads[cwd] = ListLine(group)
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
        return bool(self.words) or group.cwd in self._open

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
        """Show only the sessions that match; an empty query shows all."""
        self.words = words_of(query)
        self._refresh()

    def _ordered(self) -> list[Group]:
        here = self.here
        return sorted(
            self._groups.values(), key=lambda group: (group.cwd not in here, -group.newest, group.cwd)
        )

    def _refresh(self) -> None:
        lines: list[ListLine] = []
        self.total = self.matched = 0
        words = self.words
        for group in self._ordered():
            self.total += group.count
            threads = group.threads
            if words:
                threads = [line for line in threads if self._matches(line)]
                if not threads:
                    continue
            group.start = len(lines)
            group.shown = len(threads) if words else group.count
            self.matched += group.shown
            lines.append(self._heads[group.cwd])
            if words or group.cwd in self._open:
                lines.extend(threads)
        self.lines = lines

    def _matches(self, line: ListLine) -> bool:
        return matches(self._folded(line), self.words)

    def _folded(self, line: ListLine) -> str:
        row = line.row
        if row is None:
            return ""
        folded = self._haystacks.get(row.path)
        if folded is None:
            folded = self._haystacks[row.path] = haystack(row, line.group.folder)
        return folded

    # the cursor

    def first_session(self) -> int:
        """The first line that is a session, else the first line."""
        for at, line in enumerate(self.lines):
            if line.thread is not None:
                return at
        return 0

    def row_at(self, path: str) -> Row | None:
        """The session with this path."""
        return self._by_path.get(path)

    def same_session(self, agent: str, session_id: str) -> Row | None:
        """A session with this id, for when its file was moved: agents rename their folders (FORMATS 1.2)."""
        for row in self._by_path.values():
            if row.id == session_id and row.agent == agent:
                return row
        return None

    def index_of(self, path: str) -> int | None:
        """The line of a session, None when it is not shown."""
        row = self._by_path.get(path)
        if row is None:
            return None
        group = self._groups[row.cwd]
        end = self._end(group)
        for at in range(group.start + 1, end):
            if self.lines[at].row is row:
                return at
        return None

    def index_of_group(self, cwd: str) -> int | None:
        """The line of a group's head, None when it is not shown."""
        group = self._groups.get(cwd)
        if group is None or group.start >= len(self.lines) or self.lines[group.start].group is not group:
            return None
        return group.start

    def _end(self, group: Group) -> int:
        at = group.start
        if at >= len(self.lines) or self.lines[at].group is not group:
            return 0
        at += 1
        while at < len(self.lines) and self.lines[at].group is group:
            at += 1
        return at
