"""Where the branches of a session end (`sessions.branches`), for whoever has its entries hung together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from msgspec import Struct

from app.sessions.links import Links

if TYPE_CHECKING:
    from collections.abc import Sequence


class Hung(Protocol):
    """An entry: its number in the file, its type, and how it hangs."""

    index: int
    type: str
    parent: Any
    children: list[Any]


Entry = TypeVar("Entry", bound=Hung)


class _Light(Struct, eq=False, gc=False):
    """An entry of which no more is known than that."""

    index: int
    id: str | None
    parent_id: str | None
    type: str
    parent: _Light | None = None
    children: list[_Light] = []
    orphan: bool = False
    loop: bool = False
    duplicate: bool = False


def ends_of(
    entries: Sequence[Entry], roots: Sequence[Entry], leaf: Entry | None, silent: frozenset[str]
) -> list[Entry]:
    """The entries after which nobody says anything, in the order of the file; the leaf is one.

    Takes time linear in the entries.

    :param silent: types of entries by which nobody says anything.
    """
    loud = bytearray(len(entries))
    for node in entries:
        if node is leaf or node.type not in silent:
            above: Any = node
            while above is not None and not loud[above.index]:
                loud[above.index] = 1
                above = above.parent
    found: set[int] = set() if leaf is None else {leaf.index}
    for node in entries:
        if loud[node.index] and node is not leaf and not any(loud[child.index] for child in node.children):
            found.add(_last_of(node))
    if not found and entries:
        found = {_last_of(root) for root in roots[-1:]}
    return [entries[index] for index in sorted(found)]


def count_ends(
    entries: Sequence[tuple[str | None, str | None, str | None]],
    leaf_id: str | None,
    silent: frozenset[str],
    *,
    last_is_leaf: bool,
) -> int:
    """How many there are.

    :param entries: id, parent and type of each.
    :param leaf_id: the leaf's, where that is not the last entry.
    """
    nodes = [_Light(at, *entry[:2], entry[2] or "") for at, entry in enumerate(entries)]
    links: Links[_Light] = Links()
    links.link(nodes)
    leaf = None if leaf_id is None else links.by_id.get(leaf_id)
    try:
        return len(ends_of(nodes, links.roots, nodes[-1] if last_is_leaf else leaf, silent))
    finally:
        for node in nodes:
            node.parent = None
            node.children.clear()


def _last_of(node: Any) -> int:
    """What was hung on the end of a branch last, though nobody says anything there."""
    while node.children:
        node = node.children[-1]
    index: int = node.index
    return index
