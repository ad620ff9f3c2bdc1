"""The branches of a tree: which branch an entry is on, and the facts about it in a few words."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import TYPE_CHECKING

from app.formats.partial_entry import finite, finite_int
from app.view.formatting import count, duration

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


def branch_text(facts: BranchFacts | None, *, short: bool = False, anew: bool = False) -> str:
    """``branch 2 of 3 · 12 turns · 48k tokens · $0.42 · 1 h 20 min``; zero values are left out.

    :param short: ``2/3 · 12 turns · 48k · $0.42 · 1h20m``, for half of a terminal of 80 columns.
    :param anew: whether the agent begins anew, on a branch without a row. Every branch but the active one is
        then marked as not active.
    """
    if facts is None:
        return ""
    words = []
    if facts.of > 1:
        words = [f"{facts.number:,}/{facts.of:,}" if short else f"branch {facts.number:,} of {facts.of:,}"]
    if anew and not facts.on_active_path:
        apart = "not active" if short else "not on the active path"
        words = [" ".join([*words, apart]) if short else ", ".join([*words, apart])]
    words.append(f"{facts.turns:,} turn{'' if facts.turns == 1 else 's'}")
    tokens = finite_int(sum(facts.tokens))
    if tokens:
        words.append(count(tokens) if short else f"{count(tokens)} tokens")
    if finite(facts.cost):
        words.append(f"${facts.cost:,.2f}" if facts.cost >= 0.01 else f"${facts.cost:.4f}")
    if facts.duration_ms:
        time = duration(facts.duration_ms)
        words.append(time.replace("min", "m").replace(" ", "") if short else time)
    return " · ".join(words)
