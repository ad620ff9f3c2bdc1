"""The lines of the session list: heads of groups and sessions, the groups that put the sessions in order, and
the query that selects lines.

They are apart from the list model because they know nothing of folds and marks, and because drawing a row
needs no more than its line.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from app.index.row import Row
from app.stores.tags import NOTHING, Tagging
from app.view.arrangement import Arrangement
from app.view.fork_order import Rank, in_threads
from app.view.list_filter import HIDDEN, haystack


class ListLine:
    """A line of the list: the head of a group (``row`` is None), or a session.

    The object stays while its session changes.

    row       the session as it is now
    path      of the session's file, which stays the same; "" for a head
    group     the group that lists the session; `UNLISTED` for a session that is not listed
    folder    the session's folder as it is written on screen
    standing  why the session is listed or not (`app.view.list_filter`)
    pinned    whether a user has pinned it
    tagging   its tags and note
    parent    the line of the session that this one is a fork of, listed or not; None if there is none
    forks     the lines of which this one is the parent
    depth     0 for a root of a thread
    prefix    the connectors before the title
    """

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
        self._tagging = NOTHING

    @property
    def tagging(self) -> Tagging:
        """The tags and the note of the session."""
        return self._tagging

    @tagging.setter
    def tagging(self, tagging: Tagging) -> None:
        if tagging != self._tagging:
            self._tagging = tagging
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
            self._haystack = haystack(self.row, self.folder, self._tagging)
        return self._haystack

    @property
    def is_orphan(self) -> bool:
        """Whether the session is a fork of a session that is not known."""
        return self.parent is None and self.row is not None and bool(self.row.parent_session)


class Group:
    """The listed sessions with the same folder in their header, or in the same section, or all listed
    sessions if there are no groups.

    cwd, folder  the folder, and its spelling on screen; for a section the words of its head
    is_section   whether it is a section of `app.view.needs`
    is_whole     whether it is the whole list, whose head is not shown
    head         the line above the sessions
    lines        the sessions in order; empty while only their number is known, as in the first frame
    count        the number of sessions
    newest       the newest activity, in milliseconds since the epoch
    latest       the line of the session with the newest activity; None while only the number is known
    shown        the number of sessions that the head gives: those that match the query, if there is one
    start        the number of the group's first line in the list
    """

    def __init__(self, cwd: str, folder: str, *, is_whole: bool = False, is_section: bool = False) -> None:
        self.is_section = is_section
        self.cwd = cwd
        self.folder = folder
        self.is_whole = is_whole
        self.head = ListLine(self)
        self.head.folder = folder
        self.lines: list[ListLine] = []
        self.count = 0
        self.newest = 0
        self.latest: ListLine | None = None
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

    def sort(self, arrangement: Arrangement, key: Callable[[Row], str | float] | None = None) -> None:
        """Put the sessions in the order of an arrangement, with their depth and connectors.

        :param key: the key of the order if a field decides it (`index.sorting.sort_key`), else None.
        """
        members = self._members
        pins_first = arrangement.pinned_first and not arrangement.is_by_field
        ranks: dict[str, Rank] = {
            path: (0 if pins_first and line.pinned else 1, -(line.session.modified or 0), path)
            for path, line in members.items()
        }
        parents: dict[str, str] = {}
        if arrangement.order == "threaded" and not arrangement.needs:
            for path, line in members.items():
                if line.parent is not None and line.parent.group is self:
                    parents[path] = line.parent.path
        # In this order, they are sorted the next time in a third of the time.
        self._members = ordered = {}
        for path, depth, prefix in in_threads(ranks, parents):
            ordered[path] = line = members[path]
            line.depth, line.prefix = depth, prefix
        self.lines = list(ordered.values())
        self.count = len(self.lines)
        if key is not None:
            self.lines.sort(key=lambda line: key(line.session))
        newest, latest = min([rank[1:] for rank in ranks.values()], default=(0, ""))
        self.newest, self.latest = -newest, members.get(latest)

    def bring_first(self, line: ListLine, newest: int, arrangement: Arrangement) -> bool:
        """Move a session to the front with its thread, without sorting the others: its activity is about to
        be the newest of the group.

        :param newest: that activity, in milliseconds since the epoch.
        :return: whether that is its place. Pinned sessions may come before it.
        """
        if arrangement.is_by_field:
            return False
        lines = self.lines
        is_first = lines[0] is line
        if newest < self.newest or (is_first and newest == self.newest and line is not self.latest):
            return False
        if not is_first:
            if arrangement.pinned_first and any(other.pinned for other in lines):
                return False
            root = line
            while root.depth and root.parent is not None:
                root = root.parent
            if newest == self.newest and root.path >= lines[0].path:
                return False
            start = lines.index(root)
            end = start + 1
            while end < len(lines) and lines[end].depth:
                end += 1
            thread = {member.path: member for member in lines[start:end]}
            ranks = {path: (1, -(member.session.modified or 0), path) for path, member in thread.items()}
            ranks[line.path] = 1, -newest, line.path
            parents = {
                path: member.parent.path for path, member in thread.items() if member.depth and member.parent
            }
            del lines[start:end]
            places = in_threads(ranks, parents)
            lines[:0] = [thread[path] for path, _, _ in places]
            for path, depth, prefix in places:
                thread[path].depth, thread[path].prefix = depth, prefix
        if newest > self.newest or self.latest is None or line.path < self.latest.path:
            self.newest, self.latest = newest, line
        return True


UNLISTED = Group("", "")
"""The group of the sessions that are not listed."""


class ListQuery:
    """The query of the list: words that rows have to contain, and the sessions that a search has found.

    is_on        whether there is a query
    words        the folded words that are highlighted in the lines
    found        paths of the sessions that a search has found, listed or not
    asks_hidden  whether the query asks for sub-agents or empty sessions
    sort         the order that the query names; "" for none
    """

    __slots__ = ("_by_rows", "_ranks", "asks_hidden", "found", "is_on", "sort", "words")

    def __init__(self) -> None:
        self.is_on = self.asks_hidden = False
        self.words: list[str] = []
        self.found: frozenset[str] | set[str] = frozenset()
        self._by_rows = True
        self._ranks: Mapping[str, int] = {}
        self.sort = ""

    def match_rows(self, words: list[str]) -> None:
        """Match rows with all of these folded words, and the sessions found last; no words end the query."""
        self.words = words
        self.is_on = bool(words)
        self._by_rows = True
        self.asks_hidden = False
        if not words:
            self.found, self._ranks = frozenset(), {}

    def match_found(
        self,
        paths: Iterable[str],
        words: list[str],
        *,
        ranks: Mapping[str, int],
        sort: str = "",
        asks_hidden: bool = False,
    ) -> None:
        """Match the sessions that a search has found (see `ListModel.set_found`)."""
        self.found, self.words, self._by_rows, self._ranks = frozenset(paths), words, False, ranks
        self.sort = sort
        self.is_on, self.asks_hidden = True, asks_hidden

    @property
    def is_ranked(self) -> bool:
        """Whether the search has ordered its results."""
        return self.is_on and bool(self._ranks)

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
