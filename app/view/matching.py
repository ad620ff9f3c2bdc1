"""What a query leaves of the list: by the rows themselves at once, and by what a search has found."""

from __future__ import annotations

from app.view.session_filter import haystack, words_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping

    from app.view.group import Group
    from app.view.list_line import ListLine


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
        self._found: Container[str] = ()
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
            self._found, self._ranks = (), {}
        return was_plain and all(any(old in new for new in self.words) for old in before)

    def found(
        self, paths: Container[str], words: list[str], *, is_plain: bool, ranks: Mapping[str, int] | None
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
    def is_ranked(self) -> bool:
        """Whether the search has an order of its own."""
        return bool(self._ranks)

    def of(self, group: Group, *, ranked: bool) -> list[ListLine]:
        """The lines of a group that match, in their order or in that of the search; what it does not know
        comes last.
        """
        matching = self._of(group)
        if ranked and self._ranks:
            ranks, last = self._ranks, len(self._ranks)
            return sorted(matching, key=lambda line: ranks.get(line.path, last))
        return matching

    def best(self, lines: list[ListLine]) -> int:
        """The best place that one of some lines has in the order of the search."""
        ranks, last = self._ranks, len(self._ranks)
        return min((ranks.get(line.path, last) for line in lines), default=last)

    def narrow(self, group: Group) -> None:
        """The query says more than before: a row that did not match does not now."""
        if group.by_row is not None:
            group.by_row = self._among(group.by_row)

    def _of(self, group: Group) -> list[ListLine]:
        found = self._found
        listed = [line for line in group.lines if line.path in found] if found else []
        if not self._is_plain:
            return listed
        # what is found comes in pages, and no row says more for any of them
        if group.by_row is None:
            group.by_row = self._among(group.lines)
        if not listed or not group.by_row:
            return listed or group.by_row
        beside = set(group.by_row)
        return [line for line in group.lines if line in beside or line.path in found]

    def _among(self, lines: Iterable[ListLine]) -> list[ListLine]:
        """Those of which the row has all the words."""
        for word in self.words:
            lines = [line for line in lines if word in (line.folded or fold_line(line))]
        return list(lines)


def fold_line(line: ListLine) -> str:
    """What the rows' own filter looks at of a line, kept until its session changes."""
    if not line.folded and line.row is not None:
        line.folded = haystack(line.row, line.folder)
    return line.folded
