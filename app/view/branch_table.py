"""Which branch an entry is on, and what that branch came to, in a few words."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

from app.formats.amounts import finite, whole
from app.view.ages import count, duration

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.sessions.tree.branches import BranchFacts
    from app.sessions.tree.tree import Node


class BranchTable:
    """The branches of a tree by the entries on them. What several share belongs to the active one, else to
    the one that ended first in the file.
    """

    def __init__(self, facts: Sequence[BranchFacts]) -> None:
        self.facts = list(facts)
        self._owners = array("i", [-1]) * (max((each.leaf.index for each in facts), default=-1) + 1)
        for number in sorted(range(len(facts)), key=lambda number: not facts[number].on_active_path):
            node: Node | None = facts[number].leaf
            while node is not None and self._owner(node) < 0:
                self._set(node, number)
                node = node.parent

    def grown(self, active: BranchFacts) -> None:
        """The active branch, and no other, has grown."""
        at = next((at for at, each in enumerate(self.facts) if each.on_active_path), None)
        if at is not None:
            self.facts[at] = active

    @property
    def active(self) -> BranchFacts | None:
        """The branch with the leaf."""
        return next((each for each in self.facts if each.on_active_path), None)

    def of(self, node: Node | None) -> BranchFacts | None:
        """The branch that an entry is on; of one that came later, the branch that it hangs on."""
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


def branch_words(facts: BranchFacts | None, *, short: bool = False, anew: bool = False) -> str:
    """``branch 2 of 3 · 12 turns · 48k tokens · $0.42 · 1 h 20 min``; what is nothing is left out.

    :param short: ``2/3 · 12 turns · 48k · $0.42 · 1h20m``, for half of a terminal of 80 columns.
    :param anew: the agent begins anew, on a branch of which no row is shown: any other is told to be another.
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
    tokens = whole(sum(facts.tokens))
    if tokens:
        words.append(count(tokens) if short else f"{count(tokens)} tokens")
    if finite(facts.cost):
        words.append(f"${facts.cost:,.2f}" if facts.cost >= 0.01 else f"${facts.cost:.4f}")
    if facts.duration_ms:
        took = duration(facts.duration_ms)
        words.append(took.replace("min", "m").replace(" ", "") if short else took)
    return " · ".join(words)
