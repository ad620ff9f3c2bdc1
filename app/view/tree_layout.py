"""The rows of a tree as segments, computed from chains of entries.

A chain is a sequence of entries without a branch point. Sessions are long chains with few branch points, so
the order, the folds and the connectors are computed for each chain; the rows of a chain differ in their entry
only. A segment joins the chains that have no branch point between them once filtered entries are left out.
There is no recursion, because a tree may be as deep as its file is long.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    # these load the decoder of entries, which no screen needs before its first session
    from app.sessions.tree.node import Node


class Chain:
    """Entries that follow each other without a branch.

    parent    the chain whose last entry is the parent of the first entry; None for a chain with a root
    nodes     the entries, at least one
    children  the chains that begin with the children of the last entry
    """

    __slots__ = ("children", "nodes", "parent")

    def __init__(self, parent: Chain | None, nodes: list[Node]) -> None:
        self.parent = parent
        self.nodes = nodes
        self.children: list[Chain] = []

    @property
    def head(self) -> Node:
        """The first entry of the chain."""
        return self.nodes[0]


class ChainForest:
    """The chains of a whole tree, kept up to date as entries are appended."""

    def __init__(self, roots: Sequence[Node]) -> None:
        self.roots: list[Chain] = []
        self._chain_of: dict[int, Chain] = {}
        for root in roots:
            self._grow(None, root)

    def chain_of(self, node: Node) -> Chain:
        """The chain of an entry."""
        return self._chain_of[node.index]

    def add(self, node: Node) -> None:
        """Add an entry that was appended to the file: a root, or an entry whose parent is in the forest. An
        entry that was added with its parent's branch is not added twice.
        """
        if node.index in self._chain_of:
            return
        if node.parent is None:
            self._grow(None, node)
            return
        chain = self._chain_of[node.parent.index]
        if chain.nodes[-1] is node.parent and not chain.children:
            chain.nodes.append(node)
            self._chain_of[node.index] = chain
            return
        if chain.nodes[-1] is not node.parent:
            self._split(chain, node.parent)
        self._grow(chain, node)

    def _grow(self, parent: Chain | None, head: Node) -> None:
        stack: list[tuple[Chain | None, Node]] = [(parent, head)]
        while stack:
            above, node = stack.pop()
            chain = Chain(above, [])
            (above.children if above else self.roots).append(chain)
            while True:
                chain.nodes.append(node)
                self._chain_of[node.index] = chain
                if len(node.children) != 1:
                    break
                node = node.children[0]
            stack.extend((chain, child) for child in reversed(node.children))

    def _split(self, chain: Chain, last: Node) -> None:
        index = len(chain.nodes) - 1
        while chain.nodes[index] is not last:
            index -= 1
        tail = Chain(chain, chain.nodes[index + 1 :])
        del chain.nodes[index + 1 :]
        tail.children = chain.children
        for child in tail.children:
            child.parent = tail
        chain.children = [tail]
        for node in tail.nodes:
            self._chain_of[node.index] = tail


class Segment:
    """Rows with the same position in the tree: the shown entries from one branch point to the next.

    parent     the segment whose last entry is the nearest shown ancestor; None if there is none
    start      the number of its first row, from 0
    another    for a segment without a parent that is not the first one: "root", or "branch" for a further
               branch of a root that is not shown; else ""
    beside     whether it is one of several segments without a parent
    connector  whether it begins with a connector, as a branch
    depth      the number of connectors from the root to it, with its own
    last       whether it is the last of its siblings
    entries    the number of its entries that pass the filter, with those of folded turns
    hidden     the number of such entries that its fold hides
    """

    def __init__(self, nodes: list[Node], parent: Segment | None) -> None:
        self.nodes = nodes
        self.parent = parent
        self.start = 0
        self.depth = 0
        self.another = ""
        self.beside = False
        self.connector = False
        self.last = True
        self.foldable = False
        self.folded = False
        self.entries = 0
        self.hidden = 0

    @property
    def rows(self) -> int:
        """The number of its rows on screen."""
        return 1 if self.folded else len(self.nodes)


class TreeRow:
    """One row: its entry and its position in the tree.

    first      whether it is the first row of its segment

    The other fields are those of the segment (`Segment`). In a row that is not the first, `another` is "",
    and `beside`, `connector`, `foldable` and `folded` are false.
    """

    def __init__(self, node: Node, segment: Segment, first: bool) -> None:
        self.node = node
        self.first = first
        self.another = segment.another if first else ""
        self.beside = segment.beside and first
        self.connector = segment.connector and first
        self.last = segment.last
        self.foldable = segment.foldable and first
        self.folded = segment.folded and first
        self.hidden = segment.hidden
        self._segment = segment

    @property
    def depth(self) -> int:
        """The number of levels to the left of the row."""
        return self._segment.depth - self.connector

    def gutters(self, most: int) -> list[bool]:
        """The nearest ``most`` levels to the left of the row.

        They are found when the row is drawn, because the rows of a tree of n levels have n * n of them.

        :return: for each level, the outermost first, whether a line runs through it.
        """
        levels: list[bool] = []
        segment: Segment | None = self._segment
        if self.connector and segment is not None:
            segment = segment.parent
        while segment is not None and len(levels) < most:
            if segment.connector:
                levels.append(not segment.last)
            segment = segment.parent
        return levels[::-1]


class TreeLayout:
    """The segments of one tree, in the order of their rows.

    segments          the segments from top to bottom
    starts            the number of the first row of each segment
    segment_of_chain  `id` of a chain -> the segment that shows the chain, or hides it in its fold
    rows              the number of rows
    """

    def __init__(
        self,
        ordered: Callable[[list[Chain]], list[Chain]],
        passing: Mapping[int, list[Node]],
        shown: Mapping[int, list[Node]],
        folded: set[int],
    ) -> None:
        """:param ordered: puts chains with the same parent into the order in which they are drawn.
        :param passing: `id` of a chain -> its entries that pass the filter.
        :param shown: those of them that no folded turn hides.
        :param folded: the indexes of entries whose branch is folded if it can be.
        """
        self.segments: list[Segment] = []
        self.starts: list[int] = []
        self.segment_of_chain: dict[int, Segment] = {}
        self.rows = 0
        self._ordered = ordered
        self._passing = passing
        self._shown = shown
        self._folded = folded

    def lay_out(self, roots: list[Chain]) -> None:
        """Make the segments. Call it once."""
        heads = self._heads(roots)
        many = len(heads) > 1
        another = dict(heads)
        stack: list[tuple[Chain, Segment | None, bool, bool]] = [
            (chain, None, many, place == len(heads) - 1)
            for place, (chain, _) in reversed(list(enumerate(heads)))
        ]
        while stack:
            chain, parent, branched, last = stack.pop()
            segment, heirs = self._segment(chain, parent)
            segment.connector = branched and parent is not None
            segment.depth = (parent.depth if parent is not None else 0) + segment.connector
            segment.last = last
            if parent is None:
                segment.another, segment.beside = another[chain], many
            segment.foldable = (len(segment.nodes) > 1 or bool(heirs)) and (branched or parent is None)
            segment.folded = segment.foldable and segment.nodes[0].index in self._folded
            segment.start = self.rows
            self.segments.append(segment)
            self.starts.append(self.rows)
            self.rows += segment.rows
            if segment.folded:
                segment.hidden = self._below(segment, heirs)
                continue
            stack.extend(
                (heir, segment, True, place == len(heirs) - 1)
                for place, heir in reversed(list(enumerate(heirs)))
            )

    def _heads(self, roots: list[Chain]) -> list[tuple[Chain, str]]:
        """The chains without a parent among the chains with a shown entry, in order, each with its `another`
        (`Segment`).
        """
        heads: list[tuple[Chain, str]] = []
        for root in self._ordered(roots):
            another = "root" if heads else ""
            for chain in self._heirs([root]):
                heads.append((chain, another))
                another = "branch"
        return heads

    def _heirs(self, chains: list[Chain]) -> list[Chain]:
        """The chains in order; instead of a chain without a shown entry, its nearest descendants with
        one.
        """
        heirs: list[Chain] = []
        stack = list(reversed(self._ordered(chains)))
        while stack:
            chain = stack.pop()
            if self._shown[id(chain)]:
                heirs.append(chain)
            else:
                stack.extend(reversed(self._ordered(chain.children)))
        return heirs

    def _segment(self, chain: Chain, parent: Segment | None) -> tuple[Segment, list[Chain]]:
        """The segment that begins with ``chain`` and ends at the next branch point of the shown entries, and
        the chains that follow it.
        """
        segment = Segment(list(self._shown[id(chain)]), parent)
        segment.entries = len(self._passing[id(chain)])
        self.segment_of_chain[id(chain)] = segment
        heirs = self._heirs(chain.children)
        while len(heirs) == 1:
            chain = heirs[0]
            segment.nodes.extend(self._shown[id(chain)])
            segment.entries += len(self._passing[id(chain)])
            self.segment_of_chain[id(chain)] = segment
            heirs = self._heirs(chain.children)
        return segment, heirs

    def _below(self, segment: Segment, heirs: list[Chain]) -> int:
        """The number of entries that the fold of a segment hides."""
        hidden = segment.entries - 1
        stack = list(heirs)
        while stack:
            chain = stack.pop()
            self.segment_of_chain[id(chain)] = segment
            hidden += len(self._passing[id(chain)])
            stack.extend(chain.children)
        return hidden
