"""What is wrong with a session, or out of the ordinary in it, with the numbers of the lines."""

from __future__ import annotations

from bisect import bisect_left
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from app.formats.one_line import is_known
from app.formats.silent import SILENT
from app.formats.text import one_line
from app.view.damaged_rows import damaged_line, is_apart

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from app.formats.header import Fault
    from app.sessions.tree.tree import Node, SessionTree
    from app.view.damaged_rows import DamagedLine

_STEP = 1_000
"""Entries between two looks at whether to go on."""


class TreeFault(NamedTuple):
    """One of them.

    :param line: from 1; 0 where the whole file is meant.
    :param node: the entry that it is about, else the one that is nearest to the line; None without entries.
    :param damaged: the line, where it is no entry and so has a row of its own.
    """

    line: int
    offset: int
    reason: str
    node: Node | None
    damaged: DamagedLine | None = None


def faults_of(tree: SessionTree) -> list[TreeFault]:
    """All of them, in file order: lines that were skipped, orphans, loops, ids that are used twice, roots
    behind the first, labels on entries that are not there, entries without an id, types that nobody knows.

    :param tree: read to its end.
    """
    problems = [*tree.problems] if tree.torn is None else [*tree.problems, tree.torn]
    found = [_told(tree, fault, damaged_line(fault) if is_apart(tree, fault) else None) for fault in problems]
    found += [_told(tree, fault) for fault in tree.lost_labels()]
    for node, reason in EntryFaults(tree).found():
        found.append(TreeFault(node.line, node.offset, one_line(reason), node))
    return sorted(found, key=lambda fault: fault.line)


def _told(tree: SessionTree, fault: Fault, damaged: DamagedLine | None = None) -> TreeFault:
    line = fault.line or 0
    return TreeFault(line, fault.offset, one_line(fault.reason), _nearest(tree, line), damaged)


class EntryFaults:
    """What is wrong with the entries of a tree that grows; each is looked at once."""

    def __init__(self, tree: SessionTree) -> None:
        """:param tree: where something new changes how older entries hang, it is read anew: another tree."""
        self._tree = tree
        self._found: list[tuple[Node, str]] = []
        self._looked = 0
        self._root: Node | None = None
        self._roots = 0

    def count(self, keep_going: Callable[[], bool]) -> int:
        """How much is wrong: what `faults_of` lists of complete lines, but for roots, of which there is one
        more whenever somebody begins anew before the first prompt.

        :param keep_going: asked now and then; the entries behind which it says no do not count.
        """
        tree = self._tree
        return len(self.found(keep_going)) - self._roots + len(tree.problems) + len(tree.lost_labels())

    def found(self, keep_going: Callable[[], bool] = lambda: True) -> list[tuple[Node, str]]:
        """Each entry with each reason, in file order."""
        entries = self._tree.entries
        for index in range(self._looked, len(entries)):
            if index % _STEP == 0 and not keep_going():
                break
            node = entries[index]
            self._looked = index + 1
            reasons = _of(node)
            if is_root(node):
                if self._root is not None:
                    reasons = [*reasons, "hangs on nothing: another root of the tree"]
                    self._roots += 1
                self._root = self._root or node
            self._found += [(node, reason) for reason in reasons]
        return self._found


def _of(node: Node) -> Sequence[str]:
    unknown = unknown_type(node.type, node.role)
    if not (unknown or node.id is None or node.orphan or node.loop or node.duplicate):
        return ()
    said = {
        "has no id": node.id is None,
        f"its parent {node.parent_id!r} is not in the file": node.orphan,
        f"the parents of {node.id!r} go round": node.loop,
        f"the id {node.id!r} is used more than once": node.duplicate,
        unknown: bool(unknown),
    }
    return [reason for reason, holds in said.items() if holds]


def is_root(node: Node) -> bool:
    """Whether an entry hangs on nothing, as it says itself."""
    return node.parent is None and not node.orphan and not node.loop


@lru_cache(maxsize=1_000)
def unknown_type(type: str, role: str | None) -> str:
    """Why nobody knows what such an entry is; "" where that is known."""
    if is_known(type, role) or type in SILENT:
        return ""
    return f"the role {role!r} is not known" if type == "message" else f"the type {type!r} is not known"


def _nearest(tree: SessionTree, line: int) -> Node | None:
    """The entry whose line is nearest to another line; the one before it where two are as near."""
    entries = tree.entries
    at = bisect_left(entries, line, key=lambda node: node.line)
    around = entries[max(0, at - 1) : at + 1]
    return min(around, key=lambda node: abs(node.line - line), default=None)
