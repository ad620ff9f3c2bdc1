"""A path of a session that is known because its whole tree was read."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from app.formats.lines import open_file
from app.sessions.tree.known_file import KnownFile
from app.sessions.tree.node import path_to
from app.sessions.tree.tree import open_tree

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from app.sessions.tree.anchor import EntryRef
    from app.sessions.tree.node import Node
    from app.sessions.tree.tree import SessionTree


class WholePath(NamedTuple):
    """One path, from a root to an end.

    steps         its entries
    through       the entry that it was to lead through; None where none was named, or it is not there
    active        it is the one to the leaf
    known         the file that was read
    unfinished    the last entry has no newline
    """

    steps: list[Node]
    through: Node | None
    active: bool
    known: KnownFile
    unfinished: bool


class OpenFile:
    """An open file, closed at the end."""

    def __init__(self, path: str) -> None:
        """:raises OSError: it cannot be opened."""
        self._descriptor = open_file(path)

    def __enter__(self) -> int:
        return self._descriptor

    def __exit__(self, *_: object) -> None:
        os.close(self._descriptor)


def whole_path(
    path: str,
    agents: Sequence[str],
    through: EntryRef | None,
    keep_going: Callable[[], bool],
) -> WholePath:
    """The active path of the session at `path`, or that through an entry: from there on to the branch's first
    end, in the order of the file.

    :param through: the entry; see `SessionTree.find`.
    :raises NotASession: it is none; `line` and `reason` say why.
    :raises Overtaken: `keep_going` said no.
    :raises OSError: it cannot be read.
    """
    tree = open_tree(path, agents, keep_going)
    node = None if through is None else tree.find(*through)
    steps = tree.active_path()
    active = node is None or node in steps
    if node is not None and not active:
        steps = path_to(_first_end(tree, node))
    # an entry without a LF is in the tree, and not before its offset
    unfinished = any(step.offset >= tree.offset for step in tree.entries[-1:])
    with OpenFile(path) as descriptor:
        known = KnownFile.of(descriptor, tree.offset)
    return WholePath(steps, node, active, known, unfinished)


def _first_end(tree: SessionTree, node: Node) -> Node:
    """The first entry of the file that is at or below `node` and has nothing below itself."""
    below: set[int] = {node.index}
    stack = [node]
    while stack:
        for child in stack.pop().children:
            below.add(child.index)
            stack.append(child)
    return next(each for each in tree.entries if each.index in below and not each.children)
