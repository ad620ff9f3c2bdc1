"""Nest the entries of a session as tree nodes, and find the problems of its lines and links
(formats/README.md, "Behaviour of SessionManager").
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from app.sessions.errors import (
    BadEncoding,
    Damage,
    DamagedLine,
    DuplicateId,
    LongLine,
    ParentLoop,
    UnknownLabelTarget,
    UnknownParent,
)
from app.sessions.parent_links import Links

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from app.formats.header import Fault
    from app.sessions.manager.entry_store import Entry, EntryStore

LONG_LINE = 64 << 20
"""Bytes of a line that are reported as a problem: agents hold it in memory several times over."""


class TreeNode(Struct, eq=False):
    """An entry, its children (oldest first; those of one time in file order) and its label, or None.

    orphan      its parent is not in the file, so it is a root
    loop        its parents form a loop, which was cut here
    duplicate   another entry has the same id
    """

    entry: Entry
    label: str | None
    id: str | None
    parent_id: str | None
    index: int
    parent: TreeNode | None = None
    children: list[TreeNode] = []
    orphan: bool = False
    loop: bool = False
    duplicate: bool = False

    def __repr__(self) -> str:
        return f"TreeNode({self.entry!r}, {len(self.children)} children)"


def nested_tree(entry_store: EntryStore) -> list[TreeNode]:
    """Return the roots of the tree in file order: entries without a parent, orphans, and the entries at which
    loops were cut.

    The time is linear in the number of entries, however deep the tree is.
    """
    label = entry_store.labels.get
    links: Links[TreeNode] = Links()
    nodes = [
        TreeNode(entry, label(entry.id), entry.id or None, entry.parent_id, entry.index)
        for entry in entry_store.entries
    ]
    if entry_store.dialect.linear:
        links.chain(nodes)
    else:
        links.link(nodes)
    for node in nodes:
        if len(node.children) > 1:
            _sort(node.children)
    return links.roots


def _sort(children: list[TreeNode]) -> None:
    times = [child.entry.time_ms for child in children]
    known = [time for time in times if time is not None]
    if len(known) < len(times) or known == sorted(known):
        # An entry without a time cannot be compared: the order of the file stays.
        return
    children.sort(key=lambda child: child.entry.time_ms or 0)


def find_problems(entry_store: EntryStore, faults: Sequence[Fault]) -> list[Damage]:
    """Return the problems of a session, in file order. The rest of the file was read nevertheless.

    :param faults: the faults of the header.
    """
    path = entry_store.file
    problems: list[Damage] = [DamagedLine(path, fault.line or 0, fault.reason) for fault in faults]
    problems += entry_store.skipped
    for entry in entry_store.entries:
        problems += _line_problems(path, entry)
    if not entry_store.numbered:
        for node in _all_nodes(nested_tree(entry_store)):
            problems += _node_problems(path, node)
    for entry in entry_store.entries:
        target = entry.normalized.get("targetId") if entry.type == "label" else None
        if isinstance(target, str) and target not in entry_store.by_id:
            reason = f"a label on {target!r}, which is nowhere in the file"
            problems.append(UnknownLabelTarget(path, entry.line, reason))
    return sorted(problems, key=lambda problem: problem.line)


def _line_problems(path: str, entry: Entry) -> Iterator[Damage]:
    line = entry.source
    if len(line) > LONG_LINE:
        yield LongLine(path, entry.line, f"a line of {len(line):,} bytes")
    if not line.isascii():
        try:
            line.decode()
        except UnicodeDecodeError as error:
            yield BadEncoding(path, entry.line, f"not UTF-8 from byte {error.start} of the line on")


def _node_problems(path: str, node: TreeNode) -> Iterator[Damage]:
    entry = node.entry
    if node.duplicate:
        yield DuplicateId(path, entry.line, f"the id {entry.id!r} is used more than once")
    if node.orphan:
        yield UnknownParent(path, entry.line, f"its parent {entry.parent_id!r} is nowhere in the file")
    if node.loop:
        yield ParentLoop(path, entry.line, f"the parents of {entry.id!r} go round")


def _all_nodes(roots: list[TreeNode]) -> Iterator[TreeNode]:
    pending = list(roots)
    while pending:
        node = pending.pop()
        yield node
        pending.extend(node.children)
