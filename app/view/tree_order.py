"""The entries of a tree in the order of their rows, whatever is folded or filtered away."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.sessions.tree.tree import Node


class TreeOrder:
    """A walk of the whole tree. The rows that a filter leaves are in the same order.

    :param nodes: the entries, each once.
    """

    __slots__ = ("_places", "nodes")

    def __init__(self, nodes: Sequence[Node]) -> None:
        self.nodes = nodes
        last = max((node.index for node in nodes), default=-1)
        self._places = array("i", [-1]) * (last + 1)
        places = self._places
        for place, node in enumerate(nodes):
            places[node.index] = place

    def place(self, node: Node | None) -> int:
        """The number of an entry in the walk, from 0; -1 where it is not in it."""
        if node is None or node.index >= len(self._places):
            return -1
        return self._places[node.index]

    def after(self, at: int, marks: bytearray, step: int) -> Node | None:
        """The entry with a mark that is next behind place ``at`` (``step`` 1) or before it (-1), and round
        the end; None where none is marked. ``marks`` has a byte for each place, 1 for a mark.
        """
        if step > 0:
            found = marks.find(1, at + 1)
            found = marks.find(1) if found < 0 else found
        else:
            found = marks.rfind(1, 0, max(at, 0))
            found = marks.rfind(1) if found < 0 else found
        return self.nodes[found] if found >= 0 else None
