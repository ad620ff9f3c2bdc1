"""The rows of a session's tree as the screen shows them.

The branch with the leaf comes first. Chains are not indented; a branch point indents its children by one, and
the entries after the first of a branch by one more. A filter may hide entries: the children of a hidden entry
are drawn under the nearest shown ancestor. The first row of a segment can be folded if it is a root or has
siblings. Each root but the first is marked as a root, so that it does not look like a continuation of the
previous one.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Sequence
from typing import TYPE_CHECKING

from app.formats.entry_types import SILENT
from app.view.formatting import duration
from app.view.problems import SHOWN_IN, DamagedLine, DamagedRows
from app.view.tree_filter import TREE_FILTERS, filter_nodes, shows
from app.view.tree_layout import Chain, ChainForest, Segment, TreeLayout, TreeRow

if TYPE_CHECKING:
    # these load the decoder of entries, which no screen needs before its first session
    from app.formats.header import Fault
    from app.sessions.tree.node import Node
    from app.sessions.tree.tree import SessionTree

ANEW = "the agent begins anew"
"""The words for the state of `begins_anew` in all texts."""


def begins_anew(tree: SessionTree, leaf: Node | None) -> bool:
    """Whether the default filter shows entries of a tree, but none on the path to its leaf.

    It checks entries until one is shown, which mostly is the leaf.

    :param tree: the result is False for a tree that is not read to its end.
    """
    node = leaf
    while node is not None:
        if shows(TREE_FILTERS[0], node, leaf):
            return False
        node = node.parent
    return tree.is_whole and any(shows(TREE_FILTERS[0], node, leaf) for node in tree.entries)


class TreeOrder:
    """All entries of a tree in the order of their rows, folded or filtered ones included.

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
        """The position of an entry, from 0; -1 if it is not in the order."""
        if node is None or node.index >= len(self._places):
            return -1
        return self._places[node.index]

    def after(self, position: int, marks: bytearray, step: int) -> Node | None:
        """The next marked entry behind a position (``step`` 1) or before it (-1), and round the end; None if
        none is marked.

        :param marks: a byte for each position, 1 for a mark.
        """
        if step > 0:
            marked = marks.find(1, position + 1)
            marked = marks.find(1) if marked < 0 else marked
        else:
            marked = marks.rfind(1, 0, max(position, 0))
            marked = marks.rfind(1) if marked < 0 else marked
        return self.nodes[marked] if marked >= 0 else None


class TreeView:
    """The rows, the folds and the filter of one tree. A caller names an entry by its node, not by the number
    of its row.

    count        the number of rows of entries, which come first
    shown        the number of entries that pass the filter, folded or not
    kept         an entry that has a row although the filter hides it; None for none
    damage       the damaged lines; if the filter shows them, their rows follow those of the entries
    begins_anew  whether the agent begins anew (the function `begins_anew`)
    """

    def __init__(self, tree: SessionTree, tree_filter: str = "default") -> None:
        self.tree = tree
        self.leaf = tree.leaf
        self.tree_filter = tree_filter
        self.forest = ChainForest(tree.roots)
        self.damage = DamagedRows(tree)
        self.kept: Node | None = None
        self.folded: set[int] = set()
        self.active: set[int] = set()
        self.segments: list[Segment] = []
        self.starts: list[int] = []
        self._segment_of_chain: dict[int, Segment] = {}
        self._shown: dict[int, list[Node]] = {}
        self._order: TreeOrder | None = None
        self.count = 0
        self.shown = 0
        self.begins_anew = False
        self.refresh()

    def newer(self) -> tuple[Node | None, str]:
        """The last message in the file if it is on another branch than the leaf, else None; and how much
        later it is than the last one on the active path, for example "12 min later".
        """
        last = next((node for node in reversed(self.tree.entries) if node.shown_type not in SILENT), None)
        reached = self.leaf
        while reached is not None and reached.shown_type in SILENT:
            reached = reached.parent
        if last is None or last.index in self.active:
            return None, ""
        begin, end = reached.timestamp if reached is not None else None, last.timestamp
        if begin is None or end is None or end <= begin:
            return last, ""
        return last, f"{' '.join(duration(end - begin).split()[:2])} later"

    # changes

    def set_filter(self, tree_filter: str) -> None:
        """Set the filter. Folds are cleared, as in pi."""
        self.tree_filter = tree_filter
        self.kept = None
        self.folded.clear()
        self._choose()

    def keep(self, node: Node | None) -> None:
        """Add the row of one entry that the filter hides, in place of the one before; None adds none."""
        if node is not self.kept:
            self.kept = node
            self._choose()

    def extend(
        self, nodes: list[Node], leaf: Node | None, faults: Sequence[Fault] = (), torn: Fault | None = None
    ) -> None:
        """Add what was appended to the file.

        The tree itself may have more entries already: it grows in another thread, and this view changes only
        when this method is called.

        :param nodes: the entries.
        :param leaf: the leaf after them.
        :param faults: the damaged lines.
        :param torn: the last line if it is unfinished.
        """
        self.damage.extend(faults, torn)
        for number, node in enumerate(nodes):
            if not self._append(node):
                for rest in nodes[number:]:
                    self.forest.add(rest)
                break
        else:
            if self.leaf is leaf:
                return
        self.leaf = leaf
        self.refresh()

    def _append(self, node: Node) -> bool:
        """Add an entry at the cost of one row, in the common case: its parent is the leaf, which has no other
        child. In other cases, change nothing and return False.
        """
        before = self.leaf
        if before is None or node.parent is not before:
            return False
        chain = self.forest.chain_of(before)
        segment = self._segment_of_chain.get(id(chain))
        if chain.children or chain.nodes[-1] is not before or segment is None or segment.folded:
            return False
        added = shows(self.tree_filter, node, node)
        # an answer that only calls tools has a row only while it is the leaf
        is_hidden = before is not self.kept and not shows(self.tree_filter, before, node)
        dropped = segment.nodes[-1] is before and is_hidden
        if dropped and len(segment.nodes) == 1:
            return False
        self.forest.add(node)
        self._order = None
        self.leaf = node
        self.active.add(node.index)
        self.begins_anew = self.begins_anew and not shows(TREE_FILTERS[0], node, node)
        if dropped:
            segment.nodes.pop()
            self._shown[id(chain)].pop()
        if added:
            segment.nodes.append(node)
            self._shown[id(chain)].append(node)
            segment.foldable = len(segment.nodes) > 1 and (segment.connector or segment.parent is None)
        self._shift(segment, int(added) - int(dropped))
        return True

    def _shift(self, changed: Segment, rows: int) -> None:
        """Shift the segments behind a segment whose end has changed.

        :param rows: the number of added rows; negative for removed ones.
        """
        if not rows:
            return
        self.count += rows
        self.shown += rows
        for number in range(bisect_right(self.starts, changed.start), len(self.segments)):
            self.segments[number].start += rows
            self.starts[number] += rows

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
            segment.nodes[0].index
            for segment in self.segments
            if segment.foldable and segment.nodes[0].index not in self.active
        }
        self._lay_out()

    def unfold_all(self) -> None:
        """Show every branch."""
        self.folded.clear()
        self._lay_out()

    def refresh(self) -> None:
        """Compute the rows again after the tree or the leaf has changed."""
        self._order = None
        self.active = set()
        node = self.leaf
        while node is not None:
            self.active.add(node.index)
            node = node.parent
        self.begins_anew = begins_anew(self.tree, self.leaf)
        self._choose()

    def _choose(self) -> None:
        tree_filter, leaf = self.tree_filter, self.leaf
        self._shown = {id(chain): filter_nodes(tree_filter, chain.nodes, leaf) for chain in self._preorder()}
        if self.kept is not None and not shows(tree_filter, self.kept, leaf):
            chain = self.forest.chain_of(self.kept)
            rows = {node.index for node in self._shown[id(chain)]} | {self.kept.index}
            self._shown[id(chain)] = [node for node in chain.nodes if node.index in rows]
        self._lay_out()

    def _preorder(self) -> list[Chain]:
        order: list[Chain] = []
        stack = list(self.forest.roots)
        while stack:
            chain = stack.pop()
            order.append(chain)
            stack.extend(chain.children)
        return order

    def order(self) -> TreeOrder:
        """All entries in the order of their rows; the same object until an entry is added or the leaf moves.

        The first call takes some ten milliseconds for 80,000 entries.
        """
        if self._order is None:
            nodes: list[Node] = []
            stack = self._ordered(self.forest.roots)[::-1]
            while stack:
                chain = stack.pop()
                nodes += chain.nodes
                stack += self._ordered(chain.children)[::-1]
            self._order = TreeOrder(nodes)
        return self._order

    def _ordered(self, chains: list[Chain]) -> list[Chain]:
        if len(chains) < 2:
            return chains
        return sorted(chains, key=lambda chain: chain.head.index not in self.active)

    def _lay_out(self) -> None:
        """Lay the segments out again. The shown entries are known, so a fold checks no entry."""
        layout = TreeLayout(self._ordered, self._shown, self.folded)
        layout.lay_out(self.forest.roots)
        self.segments, self.starts = layout.segments, layout.starts
        self._segment_of_chain = layout.segment_of_chain
        self.count = layout.rows
        self.shown = sum(map(len, self._shown.values()))

    # rows

    def segment_number(self, index: int) -> int:
        """The number of the segment of row ``index``, which must be a row."""
        return bisect_right(self.starts, index) - 1

    def segment_at(self, index: int) -> Segment:
        """The segment of row ``index``, which must be a row."""
        return self.segments[self.segment_number(index)]

    def shows(self, node: Node) -> bool:
        """Whether an entry has a row, folded or not: it passes the filter, or is kept."""
        return node is self.kept or shows(self.tree_filter, node, self.leaf)

    def row(self, index: int) -> TreeRow:
        """Row ``index``, from 0."""
        segment = self.segment_at(index)
        offset = index - segment.start
        return TreeRow(segment.nodes[offset], segment, offset == 0)

    def node(self, index: int) -> Node | None:
        """The entry of a row; None if there is no such row."""
        if not 0 <= index < self.count:
            return None
        segment = self.segment_at(index)
        return segment.nodes[index - segment.start]

    @property
    def rows(self) -> int:
        """The number of rows."""
        return self.count + (len(self.damage) if self.tree_filter in SHOWN_IN else 0)

    def damaged(self, index: int) -> DamagedLine | None:
        """The damaged line of a row; None if the row has none, or if there is no such row."""
        return self.damage[index - self.count] if self.count <= index < self.rows else None

    def index_of_damaged(self, line: DamagedLine) -> int | None:
        """The row of a damaged line; None if it has none."""
        number = self.damage.find(line) if self.tree_filter in SHOWN_IN else None
        return None if number is None else self.count + number

    def nodes_around(self, index: int | None, rows: int) -> list[Node]:
        """The entries of row ``index`` and of up to ``rows`` rows before and behind it, the nearest first. If
        ``index`` is None, the entries of the last rows, or of the first rows if the agent begins anew.
        """
        center = (0 if self.begins_anew else self.count - 1) if index is None else index
        steps = range(1, min(rows, self.count) + 1)
        places = [center, *(place for step in steps for place in (center - step, center + step))]
        return [node for node in map(self.node, places) if node is not None]

    def index_of(self, node: Node | None) -> int | None:
        """The row of an entry, or of its nearest ancestor with a row; None if there is none."""
        while node is not None:
            segment = self._segment_of_chain.get(id(self.forest.chain_of(node)))
            if segment is not None and segment.folded:
                return segment.start
            if segment is not None and self.shows(node):
                return segment.start + _find(segment.nodes, node)
            node = node.parent
        return None

    def leaf_row(self) -> int | None:
        """The row of the leaf, or of its nearest shown ancestor."""
        return self.index_of(self.leaf)


def _find(nodes: list[Node], node: Node) -> int:
    """The index of a node in a segment, searched from the end: later entries are needed more often."""
    index = len(nodes) - 1
    while nodes[index] is not node:
        index -= 1
    return index
