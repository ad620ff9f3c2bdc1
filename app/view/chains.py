"""A session's tree as runs: straight chains of entries between branch points.

Sessions are long chains with few branch points, so what the screen needs (order, folds, connectors) is worked
out per run; the rows of a run differ by their entry alone. No recursion: a chain may be as deep as the file
is long.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.sessions.tree.tree import Node


class Run:
    """Entries that follow each other without a branch. ``children`` start at the last one's children."""

    __slots__ = ("children", "nodes", "parent")

    def __init__(self, parent: Run | None, nodes: list[Node]) -> None:
        self.parent = parent
        self.nodes = nodes
        self.children: list[Run] = []

    @property
    def head(self) -> Node:
        """The first entry of the run."""
        return self.nodes[0]


class RunForest:
    """The runs of a whole tree, kept up to date as entries are appended."""

    def __init__(self, roots: Sequence[Node] = ()) -> None:
        self.roots: list[Run] = []
        self._run_of: dict[int, Run] = {}
        for root in roots:
            self._grow(None, root)

    def run_of(self, node: Node) -> Run:
        """The run an entry is in."""
        return self._run_of[node.index]

    def add(self, node: Node) -> None:
        """Take in an entry that was appended to the file; its parent is in the tree already (or it is a
        root).

        An entry that came in with its parent's branch is not taken twice.
        """
        if node.index in self._run_of:
            return
        if node.parent is None:
            self._grow(None, node)
            return
        run = self._run_of[node.parent.index]
        if run.nodes[-1] is node.parent and not run.children:
            run.nodes.append(node)
            self._run_of[node.index] = run
            return
        if run.nodes[-1] is not node.parent:
            self._split(run, node.parent)
        self._grow(run, node)

    def _grow(self, parent: Run | None, head: Node) -> None:
        stack: list[tuple[Run | None, Node]] = [(parent, head)]
        while stack:
            above, node = stack.pop()
            run = Run(above, [])
            (above.children if above else self.roots).append(run)
            while True:
                run.nodes.append(node)
                self._run_of[node.index] = run
                if len(node.children) != 1:
                    break
                node = node.children[0]
            stack.extend((run, child) for child in reversed(node.children))

    def _split(self, run: Run, last: Node) -> None:
        at = len(run.nodes) - 1
        while run.nodes[at] is not last:
            at -= 1
        tail = Run(run, run.nodes[at + 1 :])
        del run.nodes[at + 1 :]
        tail.children = run.children
        for child in tail.children:
            child.parent = tail
        run.children = [tail]
        for node in tail.nodes:
            self._run_of[node.index] = tail
