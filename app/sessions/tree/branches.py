"""The branches of a session: their length, their cost, and where each left the active path.

A branch is a whole path from a root to its tip, so entries that several branches share count in each. A tip
is an entry with no conversation below it, or the leaf of the session. Labels, marks and the like make no
branch of their own: they belong to the branch of their parent.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from app.formats.amounts import finite
from app.formats.entry_types import SILENT
from app.formats.prices import unpriced_of, unpriced_sums
from app.sessions.parent_links import tips_of
from app.sessions.tree.node import path_to

if TYPE_CHECKING:
    from collections.abc import Iterable

    from app.formats.partial_entry import Usage
    from app.formats.prices import Prices, Spending, Unpriced
    from app.sessions.tree.node import Node
    from app.sessions.tree.tree import SessionTree


class UsageTotals(NamedTuple):
    """Tokens, and dollars."""

    input: float = 0
    output: float = 0
    cache_read: float = 0
    cache_write: float = 0
    cost: float = 0.0

    def and_(self, more: UsageTotals) -> UsageTotals:
        """Both together."""
        return UsageTotals(
            self.input + more.input,
            self.output + more.output,
            self.cache_read + more.cache_read,
            self.cache_write + more.cache_write,
            self.cost + more.cost,
        )


NO_USAGE = UsageTotals()


def usage_totals_of(usage: Usage) -> UsageTotals:
    """The usage that a line gives."""
    price = usage.cost
    return UsageTotals(
        finite(usage.input),
        finite(usage.output),
        finite(usage.cache_read),
        finite(usage.cache_write),
        finite(price.total) if price is not None else 0.0,
    )


def spent_on(nodes: Iterable[Node], prices: Prices) -> tuple[UsageTotals, Spending]:
    """The usage of some entries, and its cost with the estimates.

    :param prices: those of tokens without a cost.
    """
    total = NO_USAGE
    unpriced: list[Unpriced] = []
    for node in nodes:
        if node.usage is not None:
            total = total.and_(usage_totals_of(node.usage))
            found = unpriced_of(node.usage, node.model)
            unpriced += () if found is None else (found,)
    return total, prices.spending(total.cost, unpriced)


@dataclass(frozen=True, slots=True, eq=False)
class BranchFacts:
    """One branch.

    :param leaf: its end.
    :param number: its number among the branches, from 1, in the order in which they end in the file; ``of``
        is the number of branches. Both are 0 for a single path (`Branches.of_path`).
    :param turns: messages of the user. ``messages`` counts all messages, ``tools`` calls of tools.
    :param spent: tokens and dollars.
    :param first_ms: the earliest time of an entry of the conversation, ``last_ms`` the latest, in
        milliseconds since the epoch, UTC; None if no such entry has a time.
    :param unpriced: the tokens without a cost.
    :param on_active_path: it ends at the session's leaf.
    """

    leaf: Node
    number: int
    of: int
    turns: int
    messages: int
    tools: int
    spent: UsageTotals
    first_ms: int | None
    last_ms: int | None
    unpriced: tuple[Unpriced, ...]
    on_active_path: bool

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
        """From the earliest time to the latest; 0 if there are none."""
        return 0 if self.first_ms is None or self.last_ms is None else self.last_ms - self.first_ms


class Branches:
    """The branches of a tree that was read whole, kept up to date while it grows."""

    def __init__(self, tree: SessionTree) -> None:
        self._tree = tree
        self._last: tuple[Node | None, _PathTotals] = (None, _PathTotals())

    def all(self) -> list[BranchFacts]:
        """Every branch, in the order in which they end in the file; none if the session has no entries.

        The time is linear in the number of entries.
        """
        ends = branch_ends(self._tree)
        end_indexes = {node.index for node in ends}
        sums: dict[int, _PathTotals] = {}
        stack = [(root, _PathTotals()) for root in self._tree.roots]
        while stack:
            node, total = stack.pop()
            while True:
                total = total.and_(node)
                if node.index in end_indexes:
                    sums[node.index] = total
                children = node.children
                if len(children) != 1:
                    break
                node = children[0]
            stack += [(child, total) for child in children]
        return [
            BranchFacts(end, number, len(ends), *sums[end.index], end is self._tree.leaf)
            for number, end in enumerate(ends, 1)
        ]

    def of_path(self, leaf: Node) -> BranchFacts:
        """The facts of the path to any entry, without a number.

        If that path has only grown since the last call, only the new entries are added up.
        """
        known, total = self._last
        new = []
        node: Node | None = leaf
        while node is not None and node is not known:
            new.append(node)
            node = node.parent
        total = _PathTotals() if node is None else total
        for node in reversed(new):
            total = total.and_(node)
        self._last = leaf, total
        return BranchFacts(leaf, 0, 0, *total, leaf is self._tree.leaf)


def common_ancestor(one: Node | None, other: Node | None) -> Node | None:
    """The last entry that the paths to two entries share; None if they share none."""
    seen = {node.index for node in path_to(one)}
    while other is not None and other.index not in seen:
        other = other.parent
    return other


def branch_ends(tree: SessionTree) -> list[Node]:
    """The tips of the branches of `tree`, in the order of the file. The time is linear in its entries."""
    return tips_of(tree.entries, tree.leaf, SILENT)


def branches_from(tree: SessionTree, picked: Node | None) -> list[Node]:
    """The ends of all branches but that of the leaf: first those through `picked`, then the others, those
    that share most of its path first; among equal ones, the last one in the file first.

    The time is linear in the number of entries.
    """
    depths = {node.index: depth for depth, node in enumerate(path_to(picked))}
    shared: dict[int, int] = {}
    ranked = []
    for end in branch_ends(tree):
        if end is tree.leaf:
            continue
        walked = []
        node: Node | None = end
        while node is not None and node.index not in depths and node.index not in shared:
            walked.append(node.index)
            node = node.parent
        depth = -1 if node is None else depths.get(node.index, shared.get(node.index, -1))
        shared.update(dict.fromkeys(walked, depth))
        ranked.append((-depth, -end.index, end))
    return [end for _, _, end in sorted(ranked, key=lambda rank: rank[:2])]


class _PathTotals(NamedTuple):
    """The totals of the entries of a path so far; the fields are those of `BranchFacts`."""

    turns: int = 0
    messages: int = 0
    tools: int = 0
    spent: UsageTotals = NO_USAGE
    first_ms: int | None = None
    last_ms: int | None = None
    unpriced: tuple[Unpriced, ...] = ()

    def and_(self, node: Node) -> _PathTotals:
        """The same with one more entry."""
        is_message = node.type == "message"
        # A label, a name or a move of the leaf may come months after the conversation.
        time = None if node.shown_type in SILENT else node.timestamp
        found = None if node.usage is None else unpriced_of(node.usage, node.model)
        times = [each for each in (self.first_ms, self.last_ms, time) if each is not None]
        return _PathTotals(
            self.turns + (is_message and node.role == "user"),
            self.messages + is_message,
            self.tools + node.calls,
            self.spent if node.usage is None else self.spent.and_(usage_totals_of(node.usage)),
            min(times, default=None),
            max(times, default=None),
            self.unpriced if found is None else unpriced_sums((*self.unpriced, found)),
        )
