"""The branches of a tree: which branch an entry is on, and the facts about it in a few words."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import TYPE_CHECKING

from app.formats.amounts import finite, token_count
from app.formats.prices import LIST_PRICES, NO_COST, Prices, Spending
from app.view.formatting import count, counted, span, spent

if TYPE_CHECKING:
    # these load the decoder of entries, which no screen needs before its first session
    from app.sessions.tree.branches import BranchFacts
    from app.sessions.tree.node import Node


class BranchTable:
    """The branch of each entry of a tree. A shared entry belongs to the active branch, else to the
    branch that ended first in the file.
    """

    def __init__(self, facts: Sequence[BranchFacts]) -> None:
        self.facts = list(facts)
        self._owners = array("i", [-1]) * (max((branch.leaf.index for branch in facts), default=-1) + 1)
        for number in sorted(range(len(facts)), key=lambda number: not facts[number].on_active_path):
            node: Node | None = facts[number].leaf
            while node is not None and self._owner(node) < 0:
                self._set(node, number)
                node = node.parent

    def grown(self, active: BranchFacts) -> None:
        """Replace the facts of the active branch, the only one that has grown."""
        number = next((number for number, branch in enumerate(self.facts) if branch.on_active_path), None)
        if number is not None:
            self.facts[number] = active

    @property
    def active(self) -> BranchFacts | None:
        """The branch with the leaf."""
        return next((branch for branch in self.facts if branch.on_active_path), None)

    def of(self, node: Node | None) -> BranchFacts | None:
        """The branch of an entry; for an entry newer than the table, the branch of its nearest known
        ancestor.
        """
        while node is not None:
            owner = self._owner(node)
            if owner >= 0:
                return self.facts[owner]
            node = node.parent
        return None

    def _owner(self, node: Node) -> int:
        return self._owners[node.index] if node.index < len(self._owners) else -1

    def _set(self, node: Node, owner: int) -> None:
        # a parent may stand behind its child in the file
        if node.index >= len(self._owners):
            self._owners.extend([-1] * (node.index + 1 - len(self._owners)))
        self._owners[node.index] = owner


def branch_text(
    facts: BranchFacts | None,
    *,
    short: bool = False,
    anew: bool = False,
    total: Spending = NO_COST,
    prices: Prices = LIST_PRICES,
) -> str:
    """``branch 2 of 3 · 12 turns · 48k tokens · $0.42 of $0.50 · 1h 20m``; zero values are left out.

    :param short: without tokens and time.
    :param anew: whether the agent begins anew, on a branch without a row. Every branch but the active one is
        then marked as not active.
    :param total: the cost of the whole session.
    :param prices: those of tokens without a cost.
    """
    if facts is None:
        return ""
    words = [f"branch {facts.number:,} of {facts.of:,}"] if facts.of > 1 else []
    if anew and not facts.on_active_path:
        words = [", ".join([*words, "not on the active path"])]
    words.append(counted(facts.turns, "turn"))
    tokens = token_count(facts.tokens)
    if tokens and not short:
        words.append(f"{count(tokens)} tokens")
    own = spent(prices.spending(finite(facts.cost), facts.unpriced))
    if own:
        whole = spent(total._replace(dollars=finite(total.dollars)))
        words.append(f"{own} of {whole}" if whole and whole != own else own)
    if facts.duration_ms and not short:
        words.append(span(facts.duration_ms))
    return " · ".join(words)
