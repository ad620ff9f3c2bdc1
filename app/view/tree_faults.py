"""What is wrong with a session, or out of the ordinary in it, with the numbers of the lines (issue 6 "Bad
input").
"""

from __future__ import annotations

from bisect import bisect_left
from typing import NamedTuple

from app.formats.one_line import is_known
from app.formats.silent import SILENT
from app.formats.text import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.sessions.tree import Node, SessionTree


class TreeFault(NamedTuple):
    """One of them.

    :param line: from 1; 0 where the whole file is meant.
    :param node: the entry that it is about, else the one that is nearest to the line; None without entries.
    """

    line: int
    offset: int
    reason: str
    node: Node | None


def faults_of(tree: SessionTree, *, torn: bool = False) -> list[TreeFault]:
    """All of them, in file order: lines that were skipped, orphans, loops, ids that are used twice, roots
    behind the first, entries without an id, and types that nobody knows.

    :param tree: read to its end.
    :param torn: the last line of the file is unfinished, which a tree does not say.
    """
    found = [
        TreeFault(fault.line or 0, fault.offset, one_line(fault.reason), _nearest(tree, fault.line or 0))
        for fault in tree.problems
    ]
    root: Node | None = None
    for node in tree.entries:
        reasons = list(_of(node))
        if node.parent is None and not node.orphan and not node.loop:
            if root is not None:
                reasons.append("hangs on nothing: another root of the tree")
            root = root or node
        found += [TreeFault(node.line, node.offset, one_line(reason), node) for reason in reasons]
    if torn:
        reason = "the last line is unfinished; it may still be being written"
        found.append(TreeFault(tree.lines + 1, tree.offset, reason, _nearest(tree, tree.lines + 1)))
    return sorted(found, key=lambda fault: fault.line)


def _of(node: Node) -> Iterator[str]:
    if node.id is None:
        yield "has no id"
    if node.orphan:
        yield f"its parent {node.parent_id!r} is not in the file"
    if node.loop:
        yield f"the parents of {node.id!r} go round"
    if node.duplicate:
        yield f"the id {node.id!r} is used more than once"
    if not is_known(node.type, node.role) and node.type not in SILENT:
        what = f"role {node.role!r}" if node.type == "message" else f"type {node.type!r}"
        yield f"the {what} is not known"


def _nearest(tree: SessionTree, line: int) -> Node | None:
    """The entry whose line is nearest to another line; the one before it where two are as near."""
    entries = tree.entries
    at = bisect_left(entries, line, key=lambda node: node.line)
    around = entries[max(0, at - 1) : at + 1]
    return min(around, key=lambda node: abs(node.line - line), default=None)
