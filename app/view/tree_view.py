"""The rows of a session's tree as the screen shows them.

The branch with the leaf comes first. Chains are not indented; a branch point indents its children by one, and
the entries after the first of a branch by one more. A filter may hide entries: the children of a hidden entry
are drawn under the nearest shown ancestor. The first row of a segment can be folded if it is a root or has
siblings. Each root but the first is marked as a root, so that it does not look like a continuation of the
previous one.

A turn is a prompt with the entries below it, up to the next prompts. The entries of a folded turn are left
out as a filter leaves entries out, so that a branch that starts inside of it hangs on its prompt.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from app.formats.entry_types import SILENT
from app.view.formatting import duration
from app.view.problems import SHOWN_IN, DamagedLine, DamagedRows
from app.view.tree_filter import TREE_FILTERS, TURN_FILTERS, filter_nodes, is_quiet, shows
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


class TurnSummary(NamedTuple):
    """The row of a prompt says this of the entries below it: those of the active path, else the newest ones.

    :param tools: the number of tool calls.
    :param answer: the last answer that has text or failed; None for none.
    :param labels: the labels of the entries, raw.
    """

    tools: int
    answer: Node | None
    labels: tuple[str, ...]


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
    folded_turns the indexes of the prompts whose turns are folded
    """

    def __init__(self, tree: SessionTree, tree_filter: str = "default", *, turns: bool = False) -> None:
        """:param turns: all turns but that of the leaf are folded at first."""
        self.tree = tree
        self.leaf = tree.leaf
        self.tree_filter = tree_filter
        self.forest = ChainForest(tree.roots)
        self.damage = DamagedRows(tree)
        self.kept: Node | None = None
        self.folded: set[int] = set()
        self.folded_turns: set[int] = set()
        self.active: set[int] = set()
        self.segments: list[Segment] = []
        self.starts: list[int] = []
        self._segment_of_chain: dict[int, Segment] = {}
        self._shown: dict[int, list[Node]] = {}
        self._order: TreeOrder | None = None
        self._folds_turns = turns
        # `id` of a chain -> its entries that pass the filter by turns; None until a turn is folded
        self._turns: dict[int, list[tuple[Node | None, list[Node]]]] | None = None
        self._turn_of_prompt: dict[int, TurnSummary] = {}
        self.count = 0
        self.shown = 0
        self.begins_anew = False
        self.refresh()
        self._fold_turns(self.leaf)
        self._lay_out()

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

    def set_filter(self, tree_filter: str, node: Node | None = None) -> None:
        """Set the filter. Folds of branches are cleared, as in pi.

        :param node: an entry whose turn stays unfolded.
        """
        self.tree_filter = tree_filter
        self.kept = None
        self.folded.clear()
        self.folded_turns.clear()
        self._choose()
        self._fold_turns(node)
        self._lay_out()

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
        self._turn_of_prompt.clear()
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
        if before is None or node.parent is not before or self._is_in_folded_turn(before):
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
        self._order = self._turns = None
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

    def fold_turn(self, prompt: Node, folded: bool) -> None:
        """Fold or unfold the turn of a prompt."""
        if folded:
            self.folded_turns.add(prompt.index)
        else:
            self.folded_turns.discard(prompt.index)
        self._lay_out()

    def _fold_turns(self, node: Node | None) -> None:
        """Fold every turn except that of ``node``, if the filter does not promise to show more."""
        if not self._folds_turns or self.tree_filter not in TURN_FILTERS:
            return
        above = self.prompt_of(node)
        self.folded_turns = {
            prompt.index
            for turns in self._by_turn().values()
            for prompt, nodes in turns
            if prompt is not None and prompt is not above and nodes[-1] is not prompt
        }

    def unfold_to(self, node: Node) -> bool:
        """Unfold every branch and the turn that hide ``node``; whether one did."""
        hiding: set[int] = set()
        above: Node | None = node.parent if self.folded else None
        while above is not None:
            if above.index in self.folded:
                hiding.add(above.index)
            above = above.parent
        prompt = self.prompt_of(node)
        is_in_turn = prompt is not None and prompt is not node and prompt.index in self.folded_turns
        if not hiding and not is_in_turn:
            return False
        self.folded -= hiding
        if prompt is not None and is_in_turn:
            self.folded_turns.discard(prompt.index)
        self._lay_out()
        return True

    def fold_others(self) -> None:
        """Fold every branch that is not on the active path, and the turns, except that of the leaf."""
        self.folded = {
            segment.nodes[0].index
            for segment in self.segments
            if segment.foldable and segment.nodes[0].index not in self.active
        }
        self._fold_turns(self.leaf)
        self._lay_out()

    def unfold_branches(self) -> None:
        """Show every branch."""
        self.folded.clear()
        self._lay_out()

    def unfold_all(self) -> None:
        """Show every branch and every turn."""
        self.folded_turns.clear()
        self.unfold_branches()

    def refresh(self) -> None:
        """Compute the rows again after the tree or the leaf has changed."""
        self._order = None
        self._turn_of_prompt.clear()
        self.active = set()
        node = self.leaf
        while node is not None:
            self.active.add(node.index)
            node = node.parent
        self.begins_anew = begins_anew(self.tree, self.leaf)
        self._choose()

    def _choose(self) -> None:
        tree_filter, leaf = self.tree_filter, self.leaf
        self._turns = None
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

    def _by_turn(self) -> dict[int, list[tuple[Node | None, list[Node]]]]:
        """`id` of a chain -> its entries that pass the filter, each group with its prompt, which is its first
        entry or stands in a chain above; None before the first prompt.
        """
        if self._turns is None:
            self._turns = {}
            last: dict[int, Node | None] = {}
            for chain in self._preorder():
                prompt = last[id(chain.parent)] if chain.parent is not None else None
                nodes = self._shown[id(chain)]
                starts = [place for place, node in enumerate(nodes) if node.role == "user"]
                groups = [(prompt, nodes[: starts[0]] if starts else nodes)] if nodes else []
                for start, end in pairwise([*starts, len(nodes)]):
                    prompt = nodes[start]
                    groups.append((prompt, nodes[start:end]))
                self._turns[id(chain)] = [group for group in groups if group[1]]
                last[id(chain)] = prompt
        return self._turns

    def _rows_of_turns(self) -> dict[int, list[Node]]:
        """The entries of each chain that have a row although some turns are folded."""
        if not self.folded_turns:
            return self._shown
        folded = self.folded_turns
        rows: dict[int, list[Node]] = {}
        for key, groups in self._by_turn().items():
            rows[key] = nodes = []
            for prompt, group in groups:
                if prompt is None or prompt.index not in folded:
                    nodes += group
                elif group[0] is prompt:
                    nodes.append(prompt)
        return rows

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
        layout = TreeLayout(self._ordered, self._shown, self._rows_of_turns(), self.folded)
        layout.lay_out(self.forest.roots)
        self.segments, self.starts = layout.segments, layout.starts
        self._segment_of_chain = layout.segment_of_chain
        self.count = layout.rows
        self.shown = sum(map(len, self._shown.values()))

    # turns

    def prompt_of(self, node: Node | None) -> Node | None:
        """The prompt of the turn of an entry: the entry itself, or the nearest one above; None for none."""
        while node is not None and node.role != "user":
            node = node.parent
        return node

    def _is_in_folded_turn(self, node: Node) -> bool:
        prompt = self.prompt_of(node) if self.folded_turns else None
        return prompt is not None and prompt.index in self.folded_turns

    def is_open_turn(self, index: int) -> bool:
        """Whether row ``index`` is a prompt, and the row below it an entry of its turn. The filter of labels
        does not fold turns, because it shows entries without their prompts.
        """
        node, below = self.node(index), self.node(index + 1)
        if node is None or below is None or node.role != "user" or self.tree_filter == "labelled":
            return False
        return below.role != "user" and self.prompt_of(below) is node

    def turn_of(self, prompt: Node) -> TurnSummary:
        """The turn of a prompt in short. The time is linear in its entries, once until the tree changes."""
        found = self._turn_of_prompt.get(prompt.index)
        if found is None:
            found = self._turn_of_prompt[prompt.index] = self._summary_of(prompt)
        return found

    def _summary_of(self, prompt: Node) -> TurnSummary:
        tools, answer, labels = 0, None, []
        node: Node | None = prompt
        while node is not None:
            below = [child for child in node.children if child.role != "user"]
            node = next(
                (child for child in below if child.index in self.active), below[-1] if below else None
            )
            if node is not None:
                tools += node.calls
                answer = answer if is_quiet(node) else node
                labels += [node.label] if node.label is not None else []
        return TurnSummary(tools, answer, tuple(labels))

    def with_answers(self, nodes: Sequence[Node]) -> list[Node]:
        """Entries, and the answers that the rows of prompts among them show."""
        answers = (self.turn_of(node).answer for node in nodes if node.role == "user")
        return [*nodes, *(answer for answer in answers if answer is not None)]

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
        if node is not None and self._is_in_folded_turn(node):
            node = self.prompt_of(node)
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
