"""What a query leaves of the list: by the rows themselves at once, and by what a search has found."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.view.group import NOWHERE
from app.view.session_filter import words_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from collections.abc import Set as AbstractSet

    from app.view.contents import Contents
    from app.view.group import Group
    from app.view.list_line import ListLine

ONE_OF = 16
"""Where no more than one of so many sessions was found, the others are not looked at."""


class Matching:
    """The query that is on.

    is_on   whether one is
    words   what is marked in the lines, folded
    """

    __slots__ = ("_by_rows", "_found", "_ranks", "is_on", "words")

    def __init__(self) -> None:
        self.is_on = False
        self.words: list[str] = []
        self._by_rows = True
        self._found: AbstractSet[str] = frozenset()
        self._ranks: Mapping[str, int] = {}

    def ask(self, query: str) -> None:
        """Leave the lines of which the row matches, and those that were found last; an empty query leaves
        all.
        """
        self.words = words_of(query)
        self.is_on = bool(self.words)
        self._by_rows = True
        if not self.is_on:
            self._found, self._ranks = frozenset(), {}

    def found(
        self, paths: AbstractSet[str], words: list[str], *, by_rows: bool, ranks: Mapping[str, int] | None
    ) -> None:
        """Leave what a search has found (see `SessionList.set_found`)."""
        self._found, self.words, self._by_rows = paths, words, by_rows
        self._ranks = ranks or {}
        self.is_on = True

    @property
    def found_paths(self) -> AbstractSet[str]:
        """What a search has found, shown or not."""
        return self._found

    @property
    def is_ranked(self) -> bool:
        """Whether the search has an order of its own."""
        return bool(self._ranks)

    def match(self, contents: Contents, *, ranked: bool) -> dict[Group, list[ListLine]]:
        """The lines of each group that match, in their order, or in that of the search; what it does not know
        comes last. Groups in which none does are left out.
        """
        having = contents.texts.having(self.words) if self._by_rows else []
        found, by_path = self._found, contents.by_path
        if ONE_OF * len(found) < len(by_path):
            by_row = _by_group(having)
            also = _by_group([line for path in found if (line := by_path.get(path)) is not None])
            members = {
                group: group.in_order([*by_row.get(group, ()), *also.get(group, ())])
                for group in by_row | also
            }
        else:
            # One set for all: the collector would look at one for each group.
            also_there = set(having)
            members = {
                group: some
                for group in contents.groups.values()
                if (some := [line for line in group.lines if line.path in found or line in also_there])
            }
        if ranked and self._ranks:
            ranks, last = self._ranks, len(self._ranks)
            for some in members.values():
                some.sort(key=lambda line: ranks.get(line.path, last))
        return members

    def best(self, lines: Iterable[ListLine]) -> int:
        """The best place that one of some lines has in the order of the search."""
        ranks, last = self._ranks, len(self._ranks)
        return min((ranks.get(line.path, last) for line in lines), default=last)


def _by_group(lines: Iterable[ListLine]) -> dict[Group, list[ListLine]]:
    """Those that are listed."""
    members: dict[Group, list[ListLine]] = {}
    for line in lines:
        group = line.group
        if group in members:
            members[group].append(line)
        else:
            members[group] = [line]
    members.pop(NOWHERE, None)
    return members
