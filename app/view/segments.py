"""Rows of a session's tree that belong together, and one of them as it hangs in the picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.sessions.tree.tree import Node


class Stretch:
    """Rows that share their place in the picture: the shown entries from one branching to the next.

    ``another`` says of one that hangs on nothing what it is beside those above it: "root", or "branch" of a
    root that is not shown; "" for the first. ``beside``: there are several that hang on nothing.
    """

    __slots__ = (
        "another",
        "beside",
        "connector",
        "foldable",
        "folded",
        "gutters",
        "hidden",
        "indent",
        "last",
        "nodes",
        "parent",
        "start",
    )

    def __init__(self, nodes: list[Node], parent: Stretch | None) -> None:
        self.nodes = nodes
        self.parent = parent
        self.start = 0
        self.indent = 0
        self.another = ""
        self.beside = False
        self.connector = False
        self.last = True
        self.foldable = False
        self.folded = False
        self.hidden = 0

    @property
    def rows(self) -> int:
        """How many rows are on screen."""
        return 1 if self.folded else len(self.nodes)


class TreeRow:
    """One row: its entry and how it hangs in the tree.

    ``connector`` says that the row starts a branch, and ``last`` that it is the last of its siblings.
    ``hidden`` counts the rows that a fold hides. ``another`` and ``beside`` are those of a stretch that
    begins with the row.
    """

    __slots__ = (
        "_stretch",
        "another",
        "beside",
        "connector",
        "first",
        "foldable",
        "folded",
        "hidden",
        "last",
        "node",
    )

    def __init__(self, node: Node, stretch: Stretch, first: bool) -> None:
        self.node = node
        self.first = first
        self.another = stretch.another if first else ""
        self.beside = stretch.beside and first
        self.connector = stretch.connector and first
        self.last = stretch.last
        self.foldable = stretch.foldable and first
        self.folded = stretch.folded and first
        self.hidden = stretch.hidden
        self._stretch = stretch

    def gutters(self, most: int) -> tuple[list[bool], bool]:
        """The nearest ``most`` levels to the left of the row, outermost first, true where a line runs past;
        and whether there are more. Looked up when the row is drawn: a tree of n levels has n * n of them.
        """
        levels: list[bool] = []
        stretch: Stretch | None = self._stretch
        if self.connector and stretch is not None:
            stretch = stretch.parent
        while stretch is not None and len(levels) <= most:
            if stretch.connector:
                levels.append(not stretch.last)
            stretch = stretch.parent
        more = len(levels) > most
        return levels[:most][::-1], more
