"""Forks under their parents: the order of the sessions of one group.

Roots and children come by the newest activity anywhere below them, those with a pinned
session before all others where pins come first; a parent that is not in the group makes a root. What is said
here depends on the sessions alone and never on the order in which they came.
"""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from app.view.list_line import ListLine, Rank

# characters of the lines of a fork's ancestors; a deeper one shows its nearest ones, and its level
DEEPEST = 12


class Order:
    """How the lines of a group are put in order.

    threaded      forks under their parents, else every line for itself
    pinned_first  what is pinned before the rest
    """

    __slots__ = ("pinned_first", "threaded")

    def __init__(self, *, threaded: bool = True, pinned_first: bool = True) -> None:
        self.threaded = threaded
        self.pinned_first = pinned_first

    def rank(self, line: ListLine) -> Rank:
        """The rank of a line that is alone in its thread."""
        row = line.row
        assert row is not None
        late = 0 if self.pinned_first and line.pinned else 1
        return late, -(row.modified or 0), row.path


def thread(lines: list[ListLine], order: Order) -> list[ListLine]:
    """The lines in order, with their depth, prefix and rank. Loops of parents are cut, and every line comes
    once.

    A thread of lines (a root and what is below it) is whole here or not here at all.
    """
    rank_of = order.rank
    parents: dict[ListLine, ListLine] = {}
    if order.threaded:
        for line in lines:
            parent = line.parent
            if parent is not None and parent.group is line.group:
                parents[line] = parent
    if not parents:
        for line in lines:
            line.depth, line.prefix, line.rank = 0, "", rank_of(line)
        return sorted(lines, key=attrgetter("rank"))
    _cut_loops(parents)
    children: dict[ListLine, list[ListLine]] = {}
    for line, parent in parents.items():
        children.setdefault(parent, []).append(line)
    roots = [line for line in lines if line not in parents]
    ranks = {line: rank_of(line) for line in lines}
    for line in reversed(_parents_first([root for root in roots if root in children], children)):
        late, newest, path = ranks[line]
        for child in children[line]:
            below = ranks[child]
            late, newest = min(late, below[0]), min(newest, below[1])
        ranks[line] = late, newest, path
    threaded: list[ListLine] = []
    for root in sorted(roots, key=ranks.__getitem__):
        if root in children:
            threaded += _descend(root, ranks, children)
        else:
            root.rank, root.depth, root.prefix = ranks[root], 0, ""
            threaded.append(root)
    return threaded


def _descend(
    root: ListLine, ranks: Mapping[ListLine, Rank], children: Mapping[ListLine, list[ListLine]]
) -> Iterator[ListLine]:
    """The lines of a thread from top to bottom, as they come to know where they are."""
    rank = ranks[root]
    stack = [(root, 0, "", "")]
    while stack:
        line, depth, prefix, under = stack.pop()
        line.rank, line.depth, line.prefix = rank, depth, prefix
        yield line
        family = sorted(children.get(line, ()), key=ranks.__getitem__, reverse=True)
        under = under[-DEEPEST:]
        beside = under
        if 2 * depth > DEEPEST:
            # as in the tree, a mark for those left out; without the number a child would look like a sibling
            more = f"…{depth + 1} "
            beside = more + under[len(more) :]
        for place, child in enumerate(family):
            last = place == 0
            mark, past = ("└ ", "  ") if last else ("├ ", "│ ")
            stack.append((child, depth + 1, beside + mark, under + past))


def _cut_loops(parents: dict[ListLine, ListLine]) -> None:
    """Of each loop, the session that comes first by path becomes a root."""
    walked: dict[ListLine, ListLine] = {}
    for start in list(parents):
        line = start
        while line in parents and line not in walked:
            walked[line] = start
            line = parents[line]
        if line in parents and walked[line] is start:
            loop = [line]
            while parents[loop[-1]] is not line:
                loop.append(parents[loop[-1]])
            del parents[min(loop, key=lambda one: one.path)]


def _parents_first(roots: list[ListLine], children: Mapping[ListLine, list[ListLine]]) -> list[ListLine]:
    """The lines that have children."""
    order: list[ListLine] = []
    stack = roots
    while stack:
        line = stack.pop()
        order.append(line)
        stack.extend([child for child in children[line] if child in children])
    return order
