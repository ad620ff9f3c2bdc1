"""What a query leaves of the list: by the rows themselves at once, and by what a search has found."""

from __future__ import annotations

from app.view.session_filter import haystack, words_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from collections.abc import Set as AbstractSet

    from app.view.group import Group
    from app.view.list_line import ListLine

BLOCK = 64
"""So many lines are asked at once whether any of them matches, which mostly none does."""


class Matching:
    """The query that is on.

    is_on   whether one is
    words   what is marked in the lines, folded
    """

    __slots__ = ("_found", "_is_plain", "_ranks", "is_on", "words")

    def __init__(self) -> None:
        self.is_on = False
        self.words: list[str] = []
        self._is_plain = True
        self._found: AbstractSet[str] = frozenset()
        self._ranks: Mapping[str, int] = {}

    def ask(self, query: str) -> bool:
        """Leave the lines of which the row matches, and those that were found last; an empty query leaves
        all.

        :return: whether this says more than the last query, and so needs to be looked for only in what that
            one left.
        """
        before, was_plain = self.words, self._is_plain and self.is_on
        self.words = words_of(query)
        self.is_on = bool(self.words)
        self._is_plain = True
        if not self.is_on:
            self._found, self._ranks = frozenset(), {}
        return was_plain and all(any(old in new for new in self.words) for old in before)

    def found(
        self, paths: AbstractSet[str], words: list[str], *, is_plain: bool, ranks: Mapping[str, int] | None
    ) -> bool:
        """Leave what a search has found (see `SessionList.set_found`).

        :return: whether rows have to have other words than before.
        """
        are_others = words != self.words
        self._found, self.words, self._is_plain = paths, words, is_plain
        self._ranks = ranks or {}
        self.is_on = True
        return are_others

    @property
    def found_paths(self) -> AbstractSet[str]:
        """What a search has found, shown or not."""
        return self._found

    @property
    def is_ranked(self) -> bool:
        """Whether the search has an order of its own."""
        return bool(self._ranks)

    def match(self, groups: Iterable[Group], *, ranked: bool) -> None:
        """Find the lines of each group that match, where that is not known: in their order, or in that of the
        search; what it does not know comes last.
        """
        found, words, is_plain = self._found, self.words, self._is_plain
        ranks, last = self._ranks if ranked else {}, len(self._ranks)
        # one loop and no calls: there may be a thousand groups, and nothing in nearly all of them
        for group in groups:
            if group.matching is not None:
                continue
            blocks = group.blocks or blocks_of(group)
            matching: list[ListLine] = []
            if is_plain:
                # what is found comes in pages, and no row says more for any of them
                if group.by_row is None:
                    group.by_row = []
                    for block in blocks:
                        for word in words:
                            if word not in block.text:
                                break
                        else:
                            group.by_row += self._among(block.lines)
                matching = group.by_row
            if found and len(matching) < len(group.lines):
                for block in blocks:
                    if not found.isdisjoint(block.paths):
                        matching = _or_found(group.lines, matching, found)
                        break
            if ranks:
                matching = sorted(matching, key=lambda line: ranks.get(line.path, last))
            group.matching = matching

    def best(self, lines: list[ListLine]) -> int:
        """The best place that one of some lines has in the order of the search."""
        ranks, last = self._ranks, len(self._ranks)
        return min((ranks.get(line.path, last) for line in lines), default=last)

    def narrow(self, group: Group) -> None:
        """The query says more than before: a row that did not match does not now."""
        if group.by_row is not None:
            group.by_row = self._among(group.by_row)

    def _among(self, lines: Iterable[ListLine]) -> list[ListLine]:
        """Those of which the row has all the words."""
        for word in self.words:
            lines = [line for line in lines if word in (line.folded or fold_line(line))]
        return list(lines)


def _or_found(lines: list[ListLine], matching: list[ListLine], found: AbstractSet[str]) -> list[ListLine]:
    if not matching:
        return [line for line in lines if line.path in found]
    beside = set(matching)
    return [line for line in lines if line in beside or line.path in found]


class Block:
    """Some lines of a group, one after the other.

    text    what the filter looks at of all of them
    paths   their paths
    """

    __slots__ = ("lines", "paths", "text")

    def __init__(self, lines: list[ListLine]) -> None:
        self.lines = lines
        self.paths = frozenset([line.path for line in lines])
        # no word has a line's end in it
        self.text = "\n".join([line.folded or fold_line(line) for line in lines])


def blocks_of(group: Group) -> list[Block]:
    """A group's lines in blocks, kept until one of its sessions changes."""
    if group.blocks is None:
        lines = group.lines
        group.blocks = [Block(lines[at : at + BLOCK]) for at in range(0, len(lines), BLOCK)]
    return group.blocks


def fold_line(line: ListLine) -> str:
    """What the rows' own filter looks at of a line, kept until its session changes."""
    if not line.folded and line.row is not None:
        line.folded = haystack(line.row, line.folder)
    return line.folded
