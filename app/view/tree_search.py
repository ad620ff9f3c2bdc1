"""What is found in the tree that is shown: which entries have all the words, and the way from one to the
next.

Nothing is hidden by a search. Entries that the filter hides are counted apart.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.formats.fold import fold
from app.view.tree_filter import chosen

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from app.sessions.tree.tree import Node
    from app.view.tree_order import TreeOrder
    from app.view.tree_view import TreeView


def words_of(typed: str) -> tuple[str, ...]:
    """The words that are looked for, folded, each once; all of them are to be in an entry."""
    return tuple(dict.fromkeys(fold(typed).split()))


class TreeHits:
    """Entries that have all the ``words``, as they come in from the thread that looks for them.

    done      every entry was looked at
    """

    def __init__(self, words: Sequence[str]) -> None:
        self.words = tuple(words)
        self.done = False
        self._found: dict[int, Node] = {}
        self._marks = bytearray()
        self._order: TreeOrder | None = None
        self._mode = ""
        self._leaf: Node | None = None

    def add(self, nodes: Sequence[Node]) -> None:
        """Take in more of them; one that is known is not counted twice."""
        fresh = [node for node in nodes if node.index not in self._found]
        self._found.update((node.index, node) for node in fresh)
        if self._order is not None:
            self._mark(fresh)

    def has(self, node: Node) -> bool:
        """Whether an entry was found."""
        return node.index in self._found

    def next(self, view: TreeView, node: Node | None, step: int) -> Node | None:
        """The hit that is nearest behind an entry (``step`` 1) or before it (-1) among those that the filter
        shows, in the order of the rows and round the end; None where there is none.
        """
        order = self._arranged(view)
        return order.after(order.place(node), self._marks, step)

    def first(self, view: TreeView, node: Node | None) -> Node | None:
        """The hit that one sees first from an entry: itself, or the next."""
        order = self._arranged(view)
        return order.after(order.place(node) - 1, self._marks, 1)

    def counted(self, view: TreeView, node: Node | None) -> tuple[int, int, int]:
        """Which of the hits that the filter shows an entry is (0: none), how many there are, and how many
        the filter hides.
        """
        order = self._arranged(view)
        place = order.place(node)
        number = self._marks.count(1, 0, place + 1) if place >= 0 and self._marks[place] else 0
        shown = self._marks.count(1)
        return number, shown, len(self._found) - shown

    def said(self, view: TreeView, node: Node | None) -> str:
        """The same in words: ``3 of 17``."""
        number, shown, hidden = self.counted(view, node)
        if not (shown or hidden):
            return "nothing found" if self.done else "searching…"
        words = f"{number:,} of {shown:,}" if number else f"{shown:,} found"
        if hidden:
            words += f", {hidden:,} filtered out"
        return words if self.done else words + "…"

    def _arranged(self, view: TreeView) -> TreeOrder:
        order = view.order()
        if order is not self._order or view.mode != self._mode or view.leaf is not self._leaf:
            self._order, self._mode, self._leaf = order, view.mode, view.leaf
            self._marks = bytearray(len(order.nodes))
            self._mark(self._found.values())
        return order

    def _mark(self, nodes: Iterable[Node]) -> None:
        order, marks = self._order, self._marks
        if order is None:
            return
        for node in chosen(self._mode, nodes, self._leaf):
            place = order.place(node)
            if place >= 0:
                marks[place] = 1
