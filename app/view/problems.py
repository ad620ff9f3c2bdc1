"""Problems of a session, with line numbers: damaged lines, and entries that are out of the ordinary.

Damaged lines are lines of the file that are no entries. They have no place in the tree, and no entry has one
of them as its parent. Their rows therefore follow the last row of the tree, in file order. Code that counts
entries or moves between them does not see these rows.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from functools import lru_cache
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from app.formats.entry_types import SILENT
from app.formats.text import one_line
from app.sessions.tree.row_text import has_own_row

if TYPE_CHECKING:
    # these load the decoder of entries, which no screen needs before its first session
    from app.formats.header import Fault
    from app.sessions.tree.node import Node
    from app.sessions.tree.tree import SessionTree

SHOWN_IN = frozenset(("default", "all"))
"""The filters that show damaged lines; the others show entries of one kind."""


def line_place(line: int) -> str:
    """The place of a line in a file, in words.

    :param line: number from 1; 0 for the whole file.
    """
    return f"line {line:,}" if line else "the file"


class DamagedLine(NamedTuple):
    """A line that is no entry.

    :param line: number from 1; 0 for the whole file.
    :param offset: the offset of the line in the file.
    :param reason: why it is no entry, inert.
    :param torn: whether it is the unfinished last line, which may still be written to.
    :param length: bytes of an unfinished line so far.
    """

    line: int
    offset: int
    reason: str
    torn: bool
    length: int = 0

    @property
    def place(self) -> str:
        """The place in the file, in words."""
        return line_place(self.line)

    def is_now(self, other: DamagedLine) -> bool:
        """Whether it is the same line as `other`, which may have been unfinished and shorter."""
        return self[:-1] == other[:-1] or (other.torn and self.offset == other.offset)


class DamagedRows:
    """The damaged lines of one tree, in file order. Their texts are made when they are needed."""

    def __init__(self, tree: SessionTree) -> None:
        """:param tree: a tree that is not read to its end has no rows of damaged lines, because their numbers
        are not known.
        """
        self._faults = damaged_problems(tree) if tree.is_whole else []
        self._torn = tree.torn if tree.is_whole else None

    def extend(self, faults: Sequence[Fault], torn: Fault | None) -> None:
        """Add damaged lines, and replace the unfinished last line."""
        self._faults += faults
        self._torn = torn

    def __len__(self) -> int:
        return len(self._faults) + (self._torn is not None)

    def __getitem__(self, index: int) -> DamagedLine:
        if index == len(self._faults) and self._torn is not None:
            return damaged_line(self._torn)
        return damaged_line(self._faults[index])

    def find(self, line: DamagedLine) -> int | None:
        """The index of a damaged line; None if it is no longer damaged."""
        index = bisect_left(self._faults, line.offset, key=attrgetter("offset"))
        while index < len(self):
            damaged = self[index]
            if damaged.offset != line.offset:
                return None
            if damaged.is_now(line):
                return index
            index += 1
        return None


def damaged_line(fault: Fault) -> DamagedLine:
    """The damaged line of a fault."""
    return DamagedLine(fault.line or 0, fault.offset, one_line(fault.reason), fault.torn, fault.length)


def damaged_problems(tree: SessionTree, since: int = 0) -> list[Fault]:
    """The damaged lines among the problems of a tree from number `since` on, without the unfinished one."""
    return [fault for fault in tree.problems[since:] if is_damaged_line(tree, fault)]


def is_damaged_line(tree: SessionTree, fault: Fault) -> bool:
    """Whether a problem of a tree is a damaged line."""
    return tree.find(None, fault.offset) is None


class Gap(NamedTuple):
    """A place at which a damaged line cuts the tree in two.

    :param damaged: the line.
    :param before: the entry of the nearest line above it.
    :param after: the root below it whose parent is not in the file.
    """

    damaged: DamagedLine
    before: Node
    after: Node


def gaps_of(tree: SessionTree) -> list[Gap]:
    """The places at which damaged lines cut a tree, in file order: of each entry whose parent is not in the
    file, the nearest damaged line above it is taken for that parent.

    :param tree: read to its end.
    """
    faults = damaged_problems(tree)
    orphans = [root for root in tree.roots if root.orphan] if faults else []
    gaps = []
    for root in orphans:
        at = bisect_left(faults, root.offset, key=attrgetter("offset"))
        above = bisect_left(tree.entries, faults[at - 1].offset, key=attrgetter("offset")) if at else 0
        if above:
            gaps.append(Gap(damaged_line(faults[at - 1]), tree.entries[above - 1], root))
    return gaps


_STEP = 1_000
"""Entries between two checks whether to go on."""


class TreeProblem(NamedTuple):
    """A problem of a session.

    :param line: number from 1; 0 for the whole file.
    :param node: the entry with the problem, else the entry nearest to the line; None without entries.
    :param damaged: the damaged line, which has a row of its own.
    """

    line: int
    offset: int
    reason: str
    node: Node | None
    damaged: DamagedLine | None = None


def problems_of(tree: SessionTree) -> list[TreeProblem]:
    """All problems of a session, in file order: skipped lines, orphans, loops, ids that are used twice, roots
    after the first, labels on unknown entries, entries without an id, unknown types.

    :param tree: read to its end.
    """
    problems = [*tree.problems] if tree.torn is None else [*tree.problems, tree.torn]
    result = [
        _problem(tree, fault, damaged_line(fault) if is_damaged_line(tree, fault) else None)
        for fault in problems
    ]
    result += [_problem(tree, fault) for fault in tree.lost_labels()]
    for node, reason in EntryProblems(tree).found():
        result.append(TreeProblem(node.line, node.offset, one_line(reason), node))
    return sorted(result, key=lambda problem: problem.line)


def _problem(tree: SessionTree, fault: Fault, damaged: DamagedLine | None = None) -> TreeProblem:
    line = fault.line or 0
    return TreeProblem(line, fault.offset, one_line(fault.reason), _nearest(tree, line), damaged)


class EntryProblems:
    """The problems of the entries of a growing tree; each entry is checked once."""

    def __init__(self, tree: SessionTree) -> None:
        """:param tree: the tree. If new lines change the parents of older entries, the file is read into
        another tree.
        """
        self._tree = tree
        self._found: list[tuple[Node, str]] = []
        # the number of entries that were checked
        self._checked = 0
        self._root: Node | None = None
        self._roots = 0

    def count(self, keep_going: Callable[[], bool]) -> int:
        """The number of problems of complete lines as `problems_of` lists them, without those of roots: a
        root is added whenever a user goes back before the first prompt.

        :param keep_going: called at intervals; if it returns false, the remaining entries are not counted.
        """
        tree = self._tree
        return len(self.found(keep_going)) - self._roots + len(tree.problems) + len(tree.lost_labels())

    def found(self, keep_going: Callable[[], bool] = lambda: True) -> list[tuple[Node, str]]:
        """Each entry with each reason, in file order."""
        entries = self._tree.entries
        for index in range(self._checked, len(entries)):
            if index % _STEP == 0 and not keep_going():
                break
            node = entries[index]
            self._checked = index + 1
            reasons = _reasons(node)
            if is_root(node):
                if self._root is not None:
                    reasons = [*reasons, "hangs on nothing: another root of the tree"]
                    self._roots += 1
                self._root = self._root or node
            self._found += [(node, reason) for reason in reasons]
        return self._found


def _reasons(node: Node) -> Sequence[str]:
    unknown = unknown_type(node.type, node.role)
    if not (unknown or node.id is None or node.orphan or node.loop or node.duplicate):
        return ()
    reasons = {
        "has no id": node.id is None,
        f"its parent {node.parent_id!r} is not in the file": node.orphan,
        f"the parents of {node.id!r} go round": node.loop,
        f"the id {node.id!r} is used more than once": node.duplicate,
        unknown: bool(unknown),
    }
    return [reason for reason, holds in reasons.items() if holds]


def is_root(node: Node) -> bool:
    """Whether an entry is a root by its own parent field."""
    return node.parent is None and not node.orphan and not node.loop


@lru_cache(maxsize=1_000)
def unknown_type(type: str, role: str | None) -> str:
    """Why the type of an entry is unknown; "" if it is known."""
    if has_own_row(type, role) or type in SILENT:
        return ""
    return f"the role {role!r} is not known" if type == "message" else f"the type {type!r} is not known"


def _nearest(tree: SessionTree, line: int) -> Node | None:
    """The entry whose line is nearest to another line; of two equally near ones, the one before it."""
    entries = tree.entries
    position = bisect_left(entries, line, key=lambda node: node.line)
    neighbours = entries[max(0, position - 1) : position + 1]
    return min(neighbours, key=lambda node: abs(node.line - line), default=None)
