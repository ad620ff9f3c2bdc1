"""Everything that is wrong with a session that could still be read."""

from __future__ import annotations

from typing import TYPE_CHECKING

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
from app.sessions.manager.nested_tree import plant

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from app.formats.header import Fault
    from app.sessions.manager.entry import Entry
    from app.sessions.manager.entry_store import EntryStore
    from app.sessions.manager.nested_tree import TreeNode

LONG_LINE = 64 << 20
"""Bytes of a line that is worth a word: agents hold the whole of it in memory several times over."""


def damage_of(book: EntryStore, faults: Sequence[Fault] = ()) -> list[Damage]:
    """What is wrong, in file order. Nothing of it stopped the rest from being read.

    :param faults: what the header is to blame for.
    """
    path = book.file
    found: list[Damage] = [DamagedLine(path, fault.line or 0, fault.reason) for fault in faults]
    found += book.skipped
    for entry in book.entries:
        found += _of_line(path, entry)
    if not book.numbered:
        for node in _all(plant(book)):
            found += _of_node(path, node)
    for entry in book.entries:
        target = entry.spelt.get("targetId") if entry.type == "label" else None
        if isinstance(target, str) and target not in book.by_id:
            found.append(
                UnknownLabelTarget(path, entry.line, f"a label on {target!r}, which is nowhere in the file")
            )
    return sorted(found, key=lambda damage: damage.line)


def _of_line(path: str, entry: Entry) -> Iterator[Damage]:
    line = entry.source
    if len(line) > LONG_LINE:
        yield LongLine(path, entry.line, f"a line of {len(line):,} bytes")
    if not line.isascii():
        try:
            line.decode()
        except UnicodeDecodeError as error:
            yield BadEncoding(path, entry.line, f"not UTF-8 from byte {error.start} of the line on")


def _of_node(path: str, node: TreeNode) -> Iterator[Damage]:
    entry = node.entry
    if node.duplicate:
        yield DuplicateId(path, entry.line, f"the id {entry.id!r} is used more than once")
    if node.orphan:
        yield UnknownParent(path, entry.line, f"its parent {entry.parent_id!r} is nowhere in the file")
    if node.loop:
        yield ParentLoop(path, entry.line, f"the parents of {entry.id!r} go round")


def _all(roots: list[TreeNode]) -> Iterator[TreeNode]:
    waiting = list(roots)
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(node.children)
