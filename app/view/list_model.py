"""The sessions of the list in groups: one group for each project, or one for all of them.

A change sorts the groups of the changed sessions anew and leaves the others alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from app.index.row import Row, is_empty
from app.view.arrangement import Arrangement
from app.view.fork_order import Rank, in_threads, parents_of
from app.view.formatting import tilde
from app.view.list_filter import HIDDEN, SHOWN, ArrangementFilter, haystack


class ListLine:
    """A line of the list: the head of a group (``row`` is None), or a session.

    The object stays while its session changes; the fields below are what changes.

    row       the session as it is now
    path      of the session's file, which never changes; "" for a head
    group     the group that lists the session; `UNLISTED` for a session that is not listed
    folder    the session's folder as it is written on screen
    standing  why the session is listed or not (`app.view.list_filter`)
    pinned    whether a user has pinned it
    parent    the line of the session that this one is a fork of, listed or not; None if there is none
    forks     the lines of which this one is the parent
    depth     0 for a root of a thread
    prefix    the connectors before the title
    """

    __slots__ = (
        "_haystack",
        "depth",
        "folder",
        "forks",
        "group",
        "parent",
        "path",
        "pinned",
        "prefix",
        "row",
        "standing",
    )

    def __init__(self, group: Group, row: Row | None = None) -> None:
        self.group = group
        self.row = row
        self.path = row.path if row is not None else ""
        self.folder = ""
        self.standing = HIDDEN
        self.pinned = False
        self.parent: ListLine | None = None
        self.forks: list[ListLine] = []
        self.depth = 0
        self.prefix = ""
        self._haystack = ""

    @property
    def session(self) -> Row:
        """The session of a line that is not the head of a group."""
        assert self.row is not None
        return self.row

    @session.setter
    def session(self, row: Row) -> None:
        self.row = row
        self._haystack = ""

    @property
    def haystack(self) -> str:
        """The folded text that a filter searches, kept until the session changes."""
        if not self._haystack and self.row is not None:
            self._haystack = haystack(self.row, self.folder)
        return self._haystack

    @property
    def is_orphan(self) -> bool:
        """Whether the session is a fork of a session that is not known."""
        return self.parent is None and self.row is not None and bool(self.row.parent_session)


class Group:
    """The listed sessions with the same folder in their header, or all listed sessions if there are no
    groups.

    cwd, folder  the folder, and its spelling on screen
    is_whole     whether it is the whole list, whose head is not shown
    head         the line above the sessions
    lines        the sessions in order; empty while only their number is known, as in the first frame
    count        the number of sessions
    newest       the newest activity in ms
    shown        the number of sessions that the head gives: those that match the query, if there is one
    start        the number of the group's first line in the list
    """

    __slots__ = (
        "_members",
        "count",
        "cwd",
        "folder",
        "head",
        "is_whole",
        "lines",
        "newest",
        "shown",
        "start",
    )

    def __init__(self, cwd: str, folder: str, *, is_whole: bool = False) -> None:
        self.cwd = cwd
        self.folder = folder
        self.is_whole = is_whole
        self.head = ListLine(self)
        self.head.folder = folder
        self.lines: list[ListLine] = []
        self.count = 0
        self.newest = 0
        self.shown = 0
        self.start = 0
        self._members: dict[str, ListLine] = {}

    def add(self, line: ListLine) -> None:
        """List a session here; `sort` puts it into its place."""
        line.group = self
        self._members[line.path] = line

    def remove(self, line: ListLine) -> None:
        """Remove a session from the group; `sort` removes it from the lines."""
        line.group = UNLISTED
        del self._members[line.path]

    def sort(self, arrangement: Arrangement) -> None:
        """Put the sessions in the order of an arrangement, with their depth and connectors."""
        members = self._members
        ranks = {path: _rank(line, arrangement) for path, line in members.items()}
        parents: dict[str, str] = {}
        if arrangement.order == "threaded":
            for path, line in members.items():
                if line.parent is not None and line.parent.group is self:
                    parents[path] = line.parent.path
        self.lines = []
        for path, depth, prefix in in_threads(ranks, parents):
            line = members[path]
            line.depth, line.prefix = depth, prefix
            self.lines.append(line)
        self.count = len(self.lines)
        self.newest = max((line.session.modified or 0 for line in self.lines), default=0)


def _rank(line: ListLine, arrangement: Arrangement) -> Rank:
    comes_first = arrangement.pinned_first and line.pinned
    return 0 if comes_first else 1, -(line.session.modified or 0), line.path


UNLISTED = Group("", "")
"""The group of the sessions that are not listed."""


class ListModel:
    """All known sessions, each in the group where the arrangement puts it.

    by_path   every session, listed or not
    groups    folder -> its group; one, with the name "", if there are no groups
    standing  the number of sessions by standing (`app.view.list_filter`)
    projects  folder -> the number of its sessions, listed or not

    A method that changes sessions returns the groups that are different now. The caller may `drop` an empty
    one.

    :param here: the folders that count as "this folder".
    :param home: the home folder, for ``~`` on screen.
    :param pins: (agent, id) of the pinned sessions.
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
        self._folders: dict[str, str] = {}
        self._clear_groups()

    def _clear_groups(self) -> None:
        self.groups: dict[str, Group] = {}
        self.standing = [0] * (SHOWN + 1)
        self.projects: dict[str, int] = {}
        self._filter = ArrangementFilter(self.arrangement, self.here, self.live)

    def put(self, changed: Sequence[Row], removed: Sequence[str]) -> set[Group]:
        """Take over rows that are new or changed, and drop the sessions with the removed paths."""
        if len(changed) == 1 and not removed:
            # Most changes are appends to the newest session. Sorting 10,000 sessions for each takes 16 ms.
            line = self.by_path.get(changed[0].path)
            if line is not None and self._stays_first(line, changed[0]):
                line.session = changed[0]
                line.group.newest = changed[0].modified or 0
                return {line.group}
        touched: set[Group] = set()
        links_changed = False
        for path in removed:
            line = self.by_path.pop(path, None)
            if line is not None:
                self._uncount(line)
                self._move(line, UNLISTED, touched)
                links_changed = True
        for row in changed:
            line = self.by_path.get(row.path)
            if line is None:
                line = self.by_path[row.path] = ListLine(UNLISTED, row)
                links_changed = True
            else:
                self._uncount(line)
                links_changed = links_changed or _link_fields(line.session) != _link_fields(row)
            line.session = row
            line.folder = self._folder(row.cwd)
            line.pinned = (row.agent, row.id) in self.pins
            self._place(line, touched)
        if links_changed:
            self._link_forks(touched)
        return self._sort(touched)

    def _stays_first(self, line: ListLine, row: Row) -> bool:
        """Whether the line is the first of its group, and the changed row leaves the order as it is."""
        before = line.session
        return (
            line.group.lines[:1] == [line]
            and (row.modified or 0) >= line.group.newest
            and (row.cwd, row.agent, row.id) == (before.cwd, before.agent, before.id)
            and _link_fields(row) == _link_fields(before)
            and self._filter.standing(row) == line.standing
        )

    def _folder(self, cwd: str) -> str:
        folder = self._folders.get(cwd)
        if folder is None:
            folder = self._folders[cwd] = tilde(cwd, self.home)
        return folder

    def _link_forks(self, touched: set[Group]) -> None:
        """Set the parent and the forks of every line."""
        parents = parents_of([line.session for line in self.by_path.values()])
        for line in self.by_path.values():
            line.forks = []
        for path, line in self.by_path.items():
            parent_path = parents.get(path)
            parent = self.by_path[parent_path] if parent_path is not None else None
            if parent is not None:
                parent.forks.append(line)
            if parent is not line.parent:
                line.parent = parent
                if line.group is not UNLISTED:
                    touched.add(line.group)

    def _place(self, line: ListLine, touched: set[Group]) -> None:
        """Count a session, and list it where it belongs."""
        row = line.session
        line.standing = self._filter.standing(row)
        self.standing[line.standing] += 1
        self.projects[row.cwd] = self.projects.get(row.cwd, 0) + 1
        self._move(line, self.group(row.cwd) if line.standing == SHOWN else UNLISTED, touched)

    def _uncount(self, line: ListLine) -> None:
        self.standing[line.standing] -= 1
        cwd = line.session.cwd
        self.projects[cwd] -= 1
        if not self.projects[cwd]:
            del self.projects[cwd]

    def _move(self, line: ListLine, group: Group, touched: set[Group]) -> None:
        """List a session in a group, which is sorted anew even if the session was there before."""
        before = line.group
        if before is not group and before is not UNLISTED:
            before.remove(line)
            touched.add(before)
        if group is not UNLISTED:
            touched.add(group)
            group.add(line)

    def _sort(self, touched: set[Group]) -> set[Group]:
        for group in touched:
            group.sort(self.arrangement)
        return touched

    def group(self, cwd: str) -> Group:
        """The group of a folder's sessions, made if there is none yet."""
        name = cwd if self.arrangement.grouped else ""
        group = self.groups.get(name)
        if group is None:
            group = Group(name, tilde(name, self.home), is_whole=not self.arrangement.grouped)
            self.groups[name] = group
        return group

    def drop(self, group: Group) -> None:
        """Remove an empty group."""
        self.groups.pop(group.cwd, None)

    def set_pins(self, pins: frozenset[tuple[str, str]]) -> set[Group]:
        """Replace the pins: (agent, id) of all pinned sessions."""
        changed, self.pins = pins ^ self.pins, pins
        touched: set[Group] = set()
        if changed:
            for line in self.by_path.values():
                if (line.session.agent, line.session.id) in changed:
                    line.pinned = not line.pinned
                    if line.group is not UNLISTED:
                        touched.add(line.group)
        return self._sort(touched)

    def set_live(self, live: frozenset[str]) -> set[Group]:
        """Replace the paths of the sessions that are live, or may be: an empty one of them is not hidden."""
        changed, self.live = live ^ self.live, live
        self._filter.live = live
        touched: set[Group] = set()
        for path in changed:
            line = self.by_path.get(path)
            if line is not None and is_empty(line.session):
                self._uncount(line)
                self._place(line, touched)
        return self._sort(touched)

    def rearrange(self, arrangement: Arrangement, here: tuple[str, ...]) -> None:
        """Put every session where this arrangement has it."""
        self.arrangement, self.here = arrangement, here
        self._clear_groups()
        touched: set[Group] = set()
        for line in self.by_path.values():
            line.group = UNLISTED
            self._place(line, touched)
        self._sort(touched)


def _link_fields(row: Row) -> tuple[str, str | None, str]:
    """The fields that decide which session is a fork of which."""
    return row.id, row.parent_session, row.cwd


class ListQuery:
    """The query of the list: words that rows have to contain, and the sessions that a search has found.

    is_on  whether there is a query
    words  the folded words that are highlighted in the lines
    found  paths of the sessions that a search has found, listed or not
    """

    __slots__ = ("_by_rows", "_ranks", "found", "is_on", "words")

    def __init__(self) -> None:
        self.is_on = False
        self.words: list[str] = []
        self.found: frozenset[str] | set[str] = frozenset()
        self._by_rows = True
        self._ranks: Mapping[str, int] = {}

    def match_rows(self, words: list[str]) -> None:
        """Match rows with all of these folded words, and the sessions found last; no words end the query."""
        self.words = words
        self.is_on = bool(words)
        self._by_rows = True
        if not words:
            self.found, self._ranks = frozenset(), {}

    def match_found(
        self, paths: Iterable[str], words: list[str], *, by_rows: bool, ranks: Mapping[str, int]
    ) -> None:
        """Match the sessions that a search has found (see `SessionList.set_found`)."""
        self.found, self.words, self._by_rows, self._ranks = frozenset(paths), words, by_rows, ranks
        self.is_on = True

    @property
    def is_ranked(self) -> bool:
        """Whether the search has ordered its results."""
        return bool(self._ranks)

    def filter(self, lines: list[ListLine]) -> list[ListLine]:
        """The lines that match, in the same order."""
        if not self._by_rows:
            return [line for line in lines if line.path in self.found]
        matching = lines
        for word in self.words:
            matching = [line for line in matching if word in line.haystack]
        if not self.found:
            return matching
        by_row = set(matching)
        return [line for line in lines if line in by_row or line.path in self.found]

    def rank(self, line: ListLine) -> int:
        """The position of a session in the results of the search; other sessions come last."""
        return self._ranks.get(line.path, len(self._ranks))

    def best_rank(self, lines: Iterable[ListLine]) -> int:
        """The lowest `rank` of some sessions."""
        return min(map(self.rank, lines), default=len(self._ranks))
