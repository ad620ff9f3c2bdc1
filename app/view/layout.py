"""The lines of the session list, put together from groups that are in order: heads, folds, and where a
session stands.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection

    from app.view.contents import Contents
    from app.view.group import Group
    from app.view.list_filter import Matching
    from app.view.list_line import ListLine


class Layout:
    """The lines, and the folds that they were put together with.

    lines     heads and sessions from top to bottom
    matched   how many sessions there are under the heads, folded or not
    order     all groups in order, also those of which nothing matches
    opened    the folders that are not folded

    :param matching: the query, kept by the caller. While one is on no group is folded.
    """

    __slots__ = ("_here", "_matching", "_met", "_ranked", "lines", "matched", "opened", "order")

    def __init__(self, matching: Matching) -> None:
        self.lines: list[ListLine] = []
        self.matched = 0
        self.order: list[Group] = []
        self.opened: set[str] = set()
        self._matching = matching
        self._here: Collection[str] = ()
        # folders that are "this folder" and were unfolded once for that
        self._met: set[str] = set()
        self._ranked = False

    def put_in_order(self, groups: Collection[Group], here: Collection[str], *, ranked: bool) -> None:
        """Other groups, or others of them are newest.

        :param here: the folders that come first, and are unfolded when they are first seen.
        :param ranked: what matches a query comes in the order of the search.
        """
        self._here, self._ranked = here, ranked
        self.order = sorted(groups, key=self._rank)
        if len(self._met) < len(here):
            new = [group.cwd for group in groups if group.cwd in here and group.cwd not in self._met]
            self._met.update(new)
            self.opened.update(new)

    def build(self, contents: Contents) -> None:
        """Put the lines together.

        :param contents: whose groups are in order here.
        """
        members = self._match(contents) if self._matching.is_on else None
        lines: list[ListLine] = []
        self.matched = 0
        for group in self.order:
            group.moved = False
            group.matching = None
            shown, group.shown = group.lines, group.count
            if members is not None:
                shown = members.get(group, [])
                group.matching, group.shown = shown, len(shown)
                if not shown:
                    continue
            self.matched += group.shown
            group.start = len(lines)
            if not group.is_whole:
                lines.append(group.head)
            if self.is_open(group):
                lines.extend(shown)
        self.lines = lines

    def _match(self, contents: Contents) -> dict[Group, list[ListLine]]:
        matching = self._matching
        members = matching.match(contents, ranked=self._ranked)
        if self._ranked and matching.is_ranked:
            self.order.sort(key=lambda group: matching.best(members.get(group, ())))
        return members

    def is_open(self, group: Group) -> bool:
        """Whether the group's sessions are shown."""
        return group.is_whole or self._matching.is_on or group.cwd in self.opened

    def is_in_place(self, group: Group) -> bool:
        """Whether a group that has changed still belongs where it is."""
        at = self.order.index(group)
        around = [self._rank(each) for each in self.order[max(0, at - 1) : at + 2]]
        return around == sorted(around)

    def _rank(self, group: Group) -> tuple[bool, int, str]:
        return group.cwd not in self._here, -group.newest, group.cwd

    # where things are

    def first_session(self) -> int:
        """The first line that is a session, else the first line."""
        for at, line in enumerate(self.lines):
            if line.row is not None:
                return at
        return 0

    def index_of(self, line: ListLine) -> int | None:
        """The line number of a session, None when it is not shown."""
        group = line.group
        if not self._has(group) or not self.is_open(group):
            return None
        if group.matching is None:
            at = group.find(line, group.lines)
        elif self._ranked:
            at = group.matching.index(line) if line in group.matching else None
        else:
            at = group.find(line, group.matching)
        return None if at is None else group.start + (not group.is_whole) + at

    def index_of_head(self, group: Group) -> int | None:
        """The line number of a group's head, None when it is not shown."""
        return group.start if self._has(group) and not group.is_whole else None

    def _has(self, group: Group) -> bool:
        if group.start >= len(self.lines):
            return False
        first = self.lines[group.start]
        return first.group is group if group.is_whole else first is group.head
