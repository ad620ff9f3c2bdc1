"""Link entries to their parents, and find orphans, loops, branch tips and the deepest leaf
(formats/README.md, "Entries").

Nothing here is recursive: a chain of entries may be as long as the file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Sequence


class Linked(Protocol):
    """An entry that is linked: its id and parent id as written, its number in the file, and fields for the
    results.
    """

    id: str | None
    parent_id: str | None
    index: int
    parent: Any
    children: list[Any]
    orphan: bool
    loop: bool
    duplicate: bool


class WithParent(Protocol):
    """A linked entry: its number in the file, its parent, and its type or what it counts as."""

    index: int
    parent: Any

    @property
    def shown_type(self) -> str: ...


Node = TypeVar("Node", bound=Linked)
Entry = TypeVar("Entry", bound=WithParent)

_NONE = -1


class Links(Generic[Node]):
    """The forest of a session. Roots and children are in the order of the file.

    roots     the entries without a parent
    by_id     the last entry with each id
    missing   the ids that orphans name as their parents
    """

    def __init__(self) -> None:
        self.roots: list[Node] = []
        self.by_id: dict[str, Node] = {}
        self.missing: set[str] = set()

    def chain(self, nodes: Sequence[Node], last: Node | None = None) -> bool:
        """Make each node the child of the one before it, whatever parent it names: for files without ids,
        and for linear formats.

        :param last: the entry before the first of `nodes`.
        :return: False if an id is used twice.
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
        """Link all nodes of a file to their parents.

        The parent is the nearest entry before the child that has the id it names, else the first one after
        it. An entry whose parent is not in the file, and the first entry of a loop, are flagged and become
        roots.
        """
        by_id = self.by_id
        first: dict[str, Node] = {}
        waiting: list[Node] = []
        for node in nodes:
            parent_id = node.parent_id
            if parent_id is not None:
                parent = by_id.get(parent_id)
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
        """Link nodes whose parents are not before them.

        :param first: the first entry with each id that is used more than once.
        """
        forward: list[Node] = []
        for node in waiting:
            parent_id = node.parent_id
            assert parent_id is not None
            parent = first.get(parent_id) or self.by_id.get(parent_id)
            if parent is None:
                node.orphan = True
                self.missing.add(parent_id)
                continue
            node.parent = parent
            parent.children.append(node)
            forward.append(node)
        _cut_loops(forward)
        for parent in {id(node.parent): node.parent for node in forward if node.parent}.values():
            parent.children.sort(key=lambda child: child.index)

    def append(self, node: Node) -> bool:
        """Link one node that was appended to the file; return False if it would change other links."""
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
    """Cut every loop at its earliest entry.

    :param forward: the entries that name a later one, or themselves; each loop has at least one.
    """
    done: set[int] = set()
    for start in forward:
        walk: dict[int, Linked] = {}
        node: Linked | None = start
        while node is not None and node.index not in done and node.index not in walk:
            walk[node.index] = node
            node = node.parent
        if node is not None and node.index in walk:
            indexes = list(walk)
            loop = indexes[indexes.index(node.index) :]
            earliest = walk[min(loop)]
            parent = earliest.parent
            assert parent is not None
            parent.children.remove(earliest)
            earliest.parent = None
            earliest.loop = True
        done.update(walk)


def deepest_leaf(ids: Sequence[tuple[str | None, str | None]]) -> str | None:
    """Return the id at the end of the longest chain of parents, the largest of several: the leaf of a
    transcript that names none (formats/README.md, "indusagi").

    :param ids: id and parent id of every entry. A loop counts each of its entries once.
    """
    parents = {entry_id: parent for entry_id, parent in ids if entry_id is not None}
    depths: dict[str, int] = {}
    for start in parents:
        chain: dict[str, None] = {}
        entry_id: str | None = start
        while entry_id in parents and entry_id not in depths and entry_id not in chain:
            chain[entry_id] = None
            entry_id = parents[entry_id]
        below = depths.get(entry_id, 0) if entry_id is not None else 0
        depths |= {chain_id: depth for depth, chain_id in enumerate(reversed(chain), below + 1)}
    return max(depths, key=lambda entry_id: (depths[entry_id], entry_id), default=None)


# branch tips


class _LinkedEntry(Struct, eq=False, gc=False):
    """An entry with its links and its type alone."""

    index: int
    id: str | None
    parent_id: str | None
    shown_type: str
    parent: _LinkedEntry | None = None
    children: list[_LinkedEntry] = []
    orphan: bool = False
    loop: bool = False
    duplicate: bool = False


def tips_of(entries: Sequence[Entry], leaf: Entry | None, silent: frozenset[str]) -> list[Entry]:
    """Return the tips of the branches of a session, in file order. The leaf is one.

    A branch ends with the last entry that is not silent, and the silent ones below it belong to it. The time
    is linear in the number of entries.

    :param silent: types of entries that are no part of the conversation.
    """
    parents = [_NONE if node.parent is None else node.parent.index for node in entries]
    last = _NONE if leaf is None else leaf.index
    loud = bytearray(len(parents))
    """Whether an entry, or one below it, is not silent."""
    for number, node in enumerate(entries):
        if number == last or node.shown_type not in silent:
            ancestor = number
            while ancestor >= 0 and not loud[ancestor]:
                loud[ancestor] = 1
                ancestor = parents[ancestor]
    continues = bytearray(len(parents))
    last_child = [_NONE] * len(parents)
    last_root = _NONE
    for number, parent in enumerate(parents):
        if parent < 0:
            last_root = number
        else:
            last_child[parent] = number
            continues[parent] |= loud[number]
    tips = set() if last < 0 else {last}
    ends = [number for number in range(len(parents)) if loud[number] and not continues[number]]
    if not ends and not tips and parents:
        ends = [last_root]
    for end in ends:
        if end == last:
            continue
        # Follow the silent entries that were added last below the end.
        while last_child[end] >= 0:
            end = last_child[end]
        tips.add(end)
    return [entries[tip] for tip in sorted(tips)]


def count_tips(
    entries: Sequence[tuple[str | None, str | None, str | None]],
    leaf_id: str | None,
    silent: frozenset[str],
    *,
    last_is_leaf: bool,
) -> int:
    """Return the number of branches; see `tips_of`.

    :param entries: id, parent id and type of each entry.
    :param leaf_id: the leaf's id.
    :param last_is_leaf: the leaf is the last entry, whatever `leaf_id` is.
    """
    nodes = [_LinkedEntry(index, *entry[:2], entry[2] or "") for index, entry in enumerate(entries)]
    links: Links[_LinkedEntry] = Links()
    links.link(nodes)
    leaf = None if leaf_id is None else links.by_id.get(leaf_id)
    try:
        return len(tips_of(nodes, nodes[-1] if last_is_leaf else leaf, silent))
    finally:
        # The links form cycles, and the collector of cycles does not track these objects.
        for node in nodes:
            node.parent = None
            node.children.clear()
