"""Where the agent begins anew: the leaf is before all that anybody said.

Then no row can be marked as the leaf, for those of the path to it, if there are any, are of bookkeeping.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.view.tree_filter import MODES, shows

if TYPE_CHECKING:
    from app.sessions.tree.tree import Node, SessionTree

ANEW = "the agent begins anew"
"""In the words of which it is told everywhere."""


def begins_anew(tree: SessionTree, leaf: Node | None) -> bool:
    """Whether the filter that is mostly on shows entries of a tree and none on the path to its leaf.

    It looks at entries until there is one that is shown, mostly the leaf.

    :param tree: of one that is not whole nobody knows.
    """
    node = leaf
    while node is not None:
        if shows(MODES[0], node, leaf):
            return False
        node = node.parent
    return tree.is_whole and any(shows(MODES[0], node, leaf) for node in tree.entries)
