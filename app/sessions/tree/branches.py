"""The branches of a session: how long, how dear, and where each left the active path.

A branch is the whole way from a root to an end, so what several of them share counts in each. An end is an
entry after which nobody says anything; the leaf is one, whatever comes after it. Labels, marks and the like
make no branch of their own: they belong to the one they hang on.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.formats.silent import SILENT
from app.sessions.branch_tips import ends_of
from app.sessions.tree.costs import NOTHING, Spent, UsageBook
from app.sessions.tree.node import path_to

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.sessions.tree.tree import Node, SessionTree


@dataclass(frozen=True, slots=True, eq=False)
class BranchFacts:
    """One branch.

    :param leaf: its end.
    :param number: its place among the branches, from 1, in the order in which they ended in the file; ``of``
        is how many there are. Both are 0 for a path that was asked for alone.
    :param turns: messages of the user. ``messages`` are all messages, ``tools`` calls of tools.
    :param spent: tokens and dollars.
    :param first_ms: the earliest time of an entry that is no bookkeeping, ``last_ms`` the latest, in
        milliseconds since the epoch, UTC; None where no such entry has a time.
    :param on_active_path: it ends at the session's leaf.
    :param common: the last entry that it shares with the active path; None where it shares none.
    """

    leaf: Node
    number: int
    of: int
    turns: int
    messages: int
    tools: int
    spent: Spent
    first_ms: int | None
    last_ms: int | None
    on_active_path: bool
    common: Node | None

    @property
    def tokens(self) -> tuple[float, float, float, float]:
        """Input, output, cache read, cache write."""
        return self.spent[:4]

    @property
    def cost(self) -> float:
        """In dollars."""
        return self.spent.cost

    @property
    def duration_ms(self) -> int:
        """From the earliest time to the latest; 0 where there is none."""
        return 0 if self.first_ms is None or self.last_ms is None else self.last_ms - self.first_ms


class Branches:
    """The branches of a tree that was read whole, kept up to date while it grows.

    What an entry cost is read from the file once; the rest is in the tree.
    """

    def __init__(self, tree: SessionTree) -> None:
        self._tree = tree
        self._book = UsageBook(tree)
        self._last: tuple[Node | None, _Sum] = (None, _Sum())

    def read(self, keep_going: Callable[[], bool] = lambda: True) -> None:
        """Read what the tree's new entries cost; `all` and `of_path` do it, too.

        :param keep_going: asked all the while.
        :raises Overtaken: it said no.
        :raises Changed: the file is no longer the one that the tree was read from.
        :raises OSError: it cannot be read.
        """
        self._book.read(keep_going)

    def all(self) -> list[BranchFacts]:
        """Every branch, in the order in which they ended in the file; none of a session without entries.

        Takes time linear in the entries. Raises as `read`.
        """
        self.read()
        wanted = ends(self._tree)
        left = {node.index for node in wanted}
        active = {node.index for node in self._tree.active_path()}
        sums: dict[int, tuple[_Sum, Node | None]] = {}
        stack: list[tuple[Node, _Sum, Node | None]] = [(root, _Sum(), None) for root in self._tree.roots]
        while stack:
            node, total, common = stack.pop()
            while True:
                total.add(node, self._book)
                if node.index in active:
                    common = node
                if node.index in left:
                    sums[node.index] = total.copy(), common
                children = node.children
                if len(children) != 1:
                    break
                node = children[0]
            stack += [(child, total.copy(), common) for child in children]
        found = enumerate(wanted, 1)
        return [self._facts(node, *sums[node.index], number, len(wanted)) for number, node in found]

    def of_path(self, leaf: Node) -> BranchFacts:
        """The same of the path to any entry, which is not numbered.

        Asked for again and again while that path grows, it adds up only what is new. Raises as `read`.
        """
        self.read()
        known, total = self._last
        new = []
        node: Node | None = leaf
        while node is not None and node is not known:
            new.append(node)
            node = node.parent
        total = _Sum() if node is None else total
        for node in reversed(new):
            total.add(node, self._book)
        self._last = leaf, total
        common = leaf if leaf is self._tree.leaf else common_of(self._tree.leaf, leaf)
        return self._facts(leaf, total, common, 0, 0)

    def _facts(self, leaf: Node, total: _Sum, common: Node | None, number: int, of: int) -> BranchFacts:
        return BranchFacts(
            leaf,
            number,
            of,
            total.turns,
            total.messages,
            total.tools,
            total.spent,
            total.first,
            total.last,
            leaf is self._tree.leaf,
            common,
        )


def branch_facts(tree: SessionTree) -> list[BranchFacts]:
    """Every branch of `tree`; see `Branches.all`."""
    return Branches(tree).all()


def common_of(one: Node | None, other: Node | None) -> Node | None:
    """The last entry that the paths to two entries share; None where they share none."""
    seen = {node.index for node in path_to(one)}
    while other is not None and other.index not in seen:
        other = other.parent
    return other


def ends(tree: SessionTree) -> list[Node]:
    """Where the branches of `tree` end, in the order of the file.

    Takes time linear in the entries.
    """
    return ends_of(tree.entries, tree.leaf, SILENT)


def branches_from(tree: SessionTree, picked: Node | None) -> list[Node]:
    """The ends of all branches but the one of the leaf: those that go through `picked` first, then those that
    part from the path to it latest; of equals the latest in the file.

    Takes time linear in the entries.
    """
    depths = {node.index: depth for depth, node in enumerate(path_to(picked))}
    shared: dict[int, int] = {}
    found = []
    for end in ends(tree):
        if end is tree.leaf:
            continue
        walked = []
        node: Node | None = end
        while node is not None and node.index not in depths and node.index not in shared:
            walked.append(node.index)
            node = node.parent
        depth = -1 if node is None else depths.get(node.index, shared.get(node.index, -1))
        shared.update(dict.fromkeys(walked, depth))
        found.append((-depth, -end.index, end))
    return [end for _, _, end in sorted(found, key=lambda one: one[:2])]


class _Sum:
    """What the entries of a path so far come to."""

    __slots__ = ("first", "last", "messages", "spent", "tools", "turns")

    def __init__(self) -> None:
        self.turns = self.messages = self.tools = 0
        self.spent = NOTHING
        self.first: int | None = None
        self.last: int | None = None

    def copy(self) -> _Sum:
        twin = _Sum()
        for name in self.__slots__:
            setattr(twin, name, getattr(self, name))
        return twin

    def add(self, node: Node, book: UsageBook) -> None:
        if node.type == "message":
            self.messages += 1
            if node.role == "user":
                self.turns += 1
            elif node.role == "assistant":
                self.tools += book.calls.get(node.index, 0)
        spent = book.spent.get(node.index)
        if spent is not None:
            self.spent = self.spent.and_(spent)
        # a label, a name or a move of the leaf may come months after the last word
        time = None if node.type in SILENT else node.timestamp
        if time is not None:
            if self.first is None or time < self.first:
                self.first = time
            if self.last is None or time > self.last:
                self.last = time
