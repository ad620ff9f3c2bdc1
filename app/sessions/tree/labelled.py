"""The labelled entries of a session, with what a list of labels says about each."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from app.sessions.tree.branches import branch_ends

if TYPE_CHECKING:
    from collections.abc import Iterable

    from app.sessions.tree.node import Node
    from app.sessions.tree.tree import SessionTree


class LabelledEntry(NamedTuple):
    """An entry that has a label.

    :param text: its row, inert.
    :param kind: its role or type.
    :param time_ms: its time in milliseconds since the epoch; None if it has none.
    :param branch: the number of its branch, from 1; 0 if that is not known.
    :param branches: the number of branches.
    :param is_active: it is on the active path.
    """

    text: str = ""
    kind: str = ""
    time_ms: int | None = None
    branch: int = 0
    branches: int = 0
    is_active: bool = False


def labelled_in(tree: SessionTree, ids: Iterable[str]) -> dict[str, LabelledEntry]:
    """The entries of a tree with these ids, as far as they are there. An entry that several branches share is
    on the active one, else on the one that ends first in the file. The time is linear in the entries.
    """
    nodes = {id: tree.by_id[id] for id in ids if id in tree.by_id}
    tree.read_rows(nodes.values())
    ends = branch_ends(tree)
    active = {node.index for node in tree.active_path()}
    branch_of: dict[int, int] = {}
    for number, end in sorted(enumerate(ends, 1), key=lambda pair: pair[1] is not tree.leaf):
        node: Node | None = end
        while node is not None and node.index not in branch_of:
            branch_of[node.index] = number
            node = node.parent
    return {
        id: LabelledEntry(
            node.row_text.text if node.row_text is not None else "",
            node.role or node.type,
            node.timestamp,
            branch_of.get(node.index, 0),
            len(ends),
            node.index in active,
        )
        for id, node in nodes.items()
    }
