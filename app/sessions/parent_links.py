"""Entries hung on their parents: orphans, loops and ids used twice included (formats/README.md, "pi").

Without recursion: a chain may be as deep as the file is long.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Sequence


class Linked(Protocol):
    """What is hung: an entry's id and parent, its number in the file, and room for what is found out."""

    parent: Any
    children: list[Any]
    orphan: bool
    loop: bool
    duplicate: bool

    @property
    def id(self) -> str | None:
        """The entry's id."""

    @property
    def parent_id(self) -> str | None:
        """The id its parent should have."""

    @property
    def index(self) -> int:
        """Its number among the entries."""


Node = TypeVar("Node", bound=Linked)


class Links(Generic[Node]):
    """The forest of a session. Roots and children are in the order of the file."""

    def __init__(self) -> None:
        self.roots: list[Node] = []
        self.by_id: dict[str, Node] = {}
        """The last entry with each id."""
        self.missing: set[str] = set()
        """Ids that orphans name as their parents."""

    def chain(self, nodes: Sequence[Node], last: Node | None = None) -> bool:
        """Hang each node below the one before it, whatever it names: files without ids are lines of entries,
        and so is every file of a linear format. False where an id is used twice.
        """
        by_id = self.by_id
        used_once = True
        for node in nodes:
            if node.id is not None:
                twin = by_id.get(node.id)
                if twin is not None:
                    twin.duplicate = node.duplicate = True
                    used_once = False
                by_id[node.id] = node
            node.parent = last
            (last.children if last else self.roots).append(node)
            last = node
        return used_once

    def link(self, nodes: Sequence[Node]) -> None:
        """Hang all nodes of a file.

        A child belongs to the nearest entry before it that has the id it names, else to the first one after
        it. An entry whose parent is nowhere, and the first entry of a loop, become roots and are flagged.
        """
        by_id = self.by_id
        first: dict[str, Node] = {}
        waiting: list[Node] = []
        for node in nodes:
            wanted = node.parent_id
            if wanted is not None:
                parent = by_id.get(wanted)
                if parent is None:
                    waiting.append(node)
                else:
                    node.parent = parent
                    parent.children.append(node)
            entry_id = node.id
            if entry_id is not None:
                twin = by_id.get(entry_id)
                if twin is not None:
                    twin.duplicate = node.duplicate = True
                    first.setdefault(entry_id, twin)
                by_id[entry_id] = node
        self._link_forward(waiting, first)
        self.roots = [node for node in nodes if node.parent is None]

    def _link_forward(self, waiting: list[Node], first: dict[str, Node]) -> None:
        forward: list[Node] = []
        for node in waiting:
            wanted = node.parent_id
            assert wanted is not None
            parent = first.get(wanted) or self.by_id.get(wanted)
            if parent is None:
                node.orphan = True
                self.missing.add(wanted)
                continue
            node.parent = parent
            parent.children.append(node)
            forward.append(node)
        _cut_loops(forward)
        for parent in {id(node.parent): node.parent for node in forward if node.parent}.values():
            parent.children.sort(key=lambda child: child.index)

    def append(self, node: Node) -> bool:
        """Hang one node that was appended to the file; False where that would change how others hang."""
        if node.id is not None and (node.id in self.by_id or node.id in self.missing):
            return False
        parent = None if node.parent_id is None else self.by_id.get(node.parent_id)
        if parent is not None:
            node.parent = parent
            parent.children.append(node)
        else:
            if node.parent_id is not None:
                node.orphan = True
                self.missing.add(node.parent_id)
                if node.parent_id == node.id:
                    return False
            self.roots.append(node)
        if node.id is not None:
            self.by_id[node.id] = node
        return True


def _cut_loops(forward: Sequence[Linked]) -> None:
    """Cut every loop at its earliest entry. Each has at least one entry that names a later one, or itself."""
    done: set[int] = set()
    for start in forward:
        walk: dict[int, Linked] = {}
        node: Linked | None = start
        while node is not None and node.index not in done and node.index not in walk:
            walk[node.index] = node
            node = node.parent
        if node is not None and node.index in walk:
            places = list(walk)
            loop = places[places.index(node.index) :]
            earliest = walk[min(loop)]
            parent = earliest.parent
            assert parent is not None
            parent.children.remove(earliest)
            earliest.parent = None
            earliest.loop = True
        done.update(walk)
