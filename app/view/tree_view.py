"""The rows of a session's tree as the screen shows them.

The branch with the leaf comes first; straight chains are not indented; a branch point indents its children by
one and the entries after a branch's first by one more. A filter may hide entries: what is below a hidden
entry hangs on the nearest shown one. A run's first row can be folded when it is a root or has siblings. Of
several roots each but the first is told as one, or the end of one would read on in the next.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

from app.view.chains import Run, RunForest
from app.view.damaged_rows import SHOWN_IN, DamagedLine, DamagedRows
from app.view.root_leaf import begins_anew
from app.view.segments import Stretch, TreeRow
from app.view.tree_filter import MODES, chosen, shows
from app.view.tree_layout import TreeLayout
from app.view.tree_order import TreeOrder

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.formats.header import Fault
    from app.sessions.tree.tree import Node, SessionTree


class TreeView:
    """Rows, folds and the filter of one tree. Entries cross this boundary as nodes, never as row numbers.

    count   rows of entries, which come first
    damage  the lines that are no entry, whose rows follow where the filter shows them

    begins_anew  whether the leaf is before all that is shown (`app.view.root_leaf`)
    """

    def __init__(self, tree: SessionTree, mode: str = "default") -> None:
        self.tree = tree
        self.leaf = tree.leaf
        self.mode = mode
        self.forest = RunForest(tree.roots)
        self.damage = DamagedRows(tree)
        self.folded: set[int] = set()
        self.active: set[int] = set()
        self.stretches: list[Stretch] = []
        self.starts: list[int] = []
        self._of_run: dict[int, Stretch] = {}
        self._shown: dict[int, list[Node]] = {}
        self._order: TreeOrder | None = None
        self.count = 0
        self.shown = 0
        self.begins_anew = False
        self.refresh()

    # changes

    def set_mode(self, mode: str) -> None:
        """Another filter; folds are cleared, as pi does."""
        self.mode = mode
        self.folded.clear()
        self._choose()

    def extend(
        self, nodes: list[Node], leaf: Node | None, faults: Sequence[Fault] = (), torn: Fault | None = None
    ) -> None:
        """Take in what was appended to the file: entries, and the leaf after them; lines that are none, and
        the last one where it is unfinished.

        The tree itself may be further along already: it grows in another thread, and this view moves when it
        is told.
        """
        self.damage.extend(faults, torn)
        for at, node in enumerate(nodes):
            if not self._append(node):
                for rest in nodes[at:]:
                    self.forest.add(rest)
                break
        else:
            if self.leaf is leaf:
                return
        self.leaf = leaf
        self.refresh()

    def _append(self, node: Node) -> bool:
        """The common case, at the cost of a row: the agent went on from the leaf, where nothing else hangs.

        False, with nothing changed, when it is another case.
        """
        before = self.leaf
        if before is None or node.parent is not before:
            return False
        run = self.forest.run_of(before)
        stretch = self._of_run.get(id(run))
        if run.children or run.nodes[-1] is not before or stretch is None or stretch.folded:
            return False
        added = shows(self.mode, node, node)
        # an answer that only calls tools has a row while it is the leaf, and no longer
        dropped = stretch.nodes[-1] is before and not shows(self.mode, before, node)
        if dropped and len(stretch.nodes) == 1:
            return False
        self.forest.add(node)
        self._order = None
        self.leaf = node
        self.active.add(node.index)
        self.begins_anew = self.begins_anew and not shows(MODES[0], node, node)
        if dropped:
            stretch.nodes.pop()
            self._shown[id(run)].pop()
        if added:
            stretch.nodes.append(node)
            self._shown[id(run)].append(node)
            stretch.foldable = len(stretch.nodes) > 1 and (stretch.connector or stretch.parent is None)
        self._shift(stretch, int(added) - int(dropped))
        return True

    def _shift(self, changed: Stretch, rows: int) -> None:
        """Make room for rows that came, or close up after some that went, at the end of a stretch."""
        if not rows:
            return
        self.count += rows
        self.shown += rows
        for at in range(bisect_right(self.starts, changed.start), len(self.stretches)):
            self.stretches[at].start += rows
            self.starts[at] += rows

    def fold(self, node: Node, folded: bool) -> None:
        """Fold or unfold the branch that starts at ``node``."""
        if folded:
            self.folded.add(node.index)
        else:
            self.folded.discard(node.index)
        self._lay_out()

    def unfold_to(self, node: Node) -> None:
        """Unfold every branch that hides ``node``."""
        if not self.folded:
            return
        hiding: set[int] = set()
        above: Node | None = node.parent
        while above is not None:
            if above.index in self.folded:
                hiding.add(above.index)
            above = above.parent
        if hiding:
            self.folded -= hiding
            self._lay_out()

    def fold_others(self) -> None:
        """Fold every branch that is not on the active path."""
        self.folded = {
            stretch.nodes[0].index
            for stretch in self.stretches
            if stretch.foldable and stretch.nodes[0].index not in self.active
        }
        self._lay_out()

    def unfold_all(self) -> None:
        """Show every branch."""
        self.folded.clear()
        self._lay_out()

    def refresh(self) -> None:
        """Work out the rows again after the tree or the leaf changed."""
        self._order = None
        self.active = set()
        node = self.leaf
        while node is not None:
            self.active.add(node.index)
            node = node.parent
        self.begins_anew = begins_anew(self.tree, self.leaf)
        self._choose()

    def _choose(self) -> None:
        mode, leaf = self.mode, self.leaf
        self._shown = {id(run): chosen(mode, run.nodes, leaf) for run in self._preorder()}
        self._lay_out()

    def _preorder(self) -> list[Run]:
        order: list[Run] = []
        stack = list(self.forest.roots)
        while stack:
            run = stack.pop()
            order.append(run)
            stack.extend(run.children)
        return order

    def order(self) -> TreeOrder:
        """All entries in the order of their rows; the same object until one comes or the leaf moves.

        Some ten milliseconds for 80,000 entries, once.
        """
        if self._order is None:
            nodes: list[Node] = []
            stack = self._ordered(self.forest.roots)[::-1]
            while stack:
                run = stack.pop()
                nodes += run.nodes
                stack += self._ordered(run.children)[::-1]
            self._order = TreeOrder(nodes)
        return self._order

    def _ordered(self, runs: list[Run]) -> list[Run]:
        if len(runs) < 2:
            return runs
        return sorted(runs, key=lambda run: run.head.index not in self.active)

    def _lay_out(self) -> None:
        """Put the stretches together anew; what of them is shown is known, so a fold looks at no entry."""
        laid = TreeLayout(self._ordered, self._shown, self.folded)
        laid.lay_out(self.forest.roots)
        self.stretches, self.starts, self._of_run = laid.stretches, laid.starts, laid.of_run
        self.count = laid.rows
        self.shown = sum(map(len, self._shown.values()))

    # rows

    def number_of_stretch(self, index: int) -> int:
        """Which of the stretches row ``index`` is in. ``index`` must be a row."""
        return bisect_right(self.starts, index) - 1

    def stretch_at(self, index: int) -> Stretch:
        """The stretch that row ``index`` is in. ``index`` must be a row."""
        return self.stretches[self.number_of_stretch(index)]

    def shows(self, node: Node) -> bool:
        """Whether an entry passes the filter, folded or not."""
        return shows(self.mode, node, self.leaf)

    def row(self, index: int) -> TreeRow:
        """Row ``index``, from 0."""
        stretch = self.stretch_at(index)
        offset = index - stretch.start
        return TreeRow(stretch.nodes[offset], stretch, offset == 0)

    def node(self, index: int) -> Node | None:
        """The entry of a row, None when there is no such row."""
        if not 0 <= index < self.count:
            return None
        stretch = self.stretch_at(index)
        return stretch.nodes[index - stretch.start]

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return self.count + (len(self.damage) if self.mode in SHOWN_IN else 0)

    def damaged(self, index: int) -> DamagedLine | None:
        """The line that is no entry whose row it is; None where it is another's, or there is no such row."""
        return self.damage[index - self.count] if self.count <= index < self.rows else None

    def index_of_damaged(self, line: DamagedLine) -> int | None:
        """The row of a line that is no entry; None where it has none."""
        at = self.damage.find(line) if self.mode in SHOWN_IN else None
        return None if at is None else self.count + at

    def nodes_around(self, index: int | None, rows: int) -> list[Node]:
        """The entries of row ``index`` and of as many as ``rows`` before and after it, nearest first; without
        an index those of the last rows, or of the first where the leaf is before them.
        """
        at = (0 if self.begins_anew else self.count - 1) if index is None else index
        steps = range(1, min(rows, self.count) + 1)
        places = [at, *(place for step in steps for place in (at - step, at + step))]
        return [node for node in map(self.node, places) if node is not None]

    def index_of(self, node: Node | None) -> int | None:
        """The row of an entry, or of its nearest ancestor that has one; None when nothing is left to point
        at.
        """
        while node is not None:
            stretch = self._of_run.get(id(self.forest.run_of(node)))
            if stretch is not None and stretch.folded:
                return stretch.start
            if stretch is not None and shows(self.mode, node, self.leaf):
                return stretch.start + _find(stretch.nodes, node)
            node = node.parent
        return None

    def leaf_row(self) -> int | None:
        """The row that stands for the leaf: its own, or its nearest shown ancestor's."""
        return self.index_of(self.leaf)


def _find(nodes: list[Node], node: Node) -> int:
    """Where a node is in a stretch; the later it was written the likelier it is looked for."""
    at = len(nodes) - 1
    while nodes[at] is not node:
        at -= 1
    return at
