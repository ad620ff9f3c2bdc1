"""Where the branches of a session end (`sessions.tree.branches`), for whoever has its entries hung
together.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from msgspec import Struct

from app.sessions.parent_links import Links

if TYPE_CHECKING:
    from collections.abc import Sequence


class Hung(Protocol):
    """An entry: its number in the file, its type, and what it hangs on."""

    index: int
    type: str
    parent: Any


Entry = TypeVar("Entry", bound=Hung)

_NONE = -1


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


def ends_of(entries: Sequence[Entry], leaf: Entry | None, silent: frozenset[str]) -> list[Entry]:
    """The entries after which nobody says anything, in the order of the file; the leaf is one.

    Takes time linear in the entries.

    :param silent: types of entries by which nobody says anything.
    """
    parents = [_NONE if node.parent is None else node.parent.index for node in entries]
    last = _NONE if leaf is None else leaf.index
    return [entries[at] for at in numbers_of_ends(parents, [node.type for node in entries], last, silent)]


def numbers_of_ends(
    parents: Sequence[int], types: Sequence[str], leaf: int, silent: frozenset[str]
) -> list[int]:
    """The same of entries that are known by their numbers in the file alone.

    :param parents: the number of each one's parent; negative for none.
    :param leaf: the number of the leaf; negative for none.
    """
    loud = bytearray(len(parents))
    for number, kind in enumerate(types):
        if number == leaf or kind not in silent:
            above = number
            while above >= 0 and not loud[above]:
                loud[above] = 1
                above = parents[above]
    goes_on = bytearray(len(parents))
    last_child = [_NONE] * len(parents)
    last_root = _NONE
    for number, parent in enumerate(parents):
        if parent < 0:
            last_root = number
        else:
            last_child[parent] = number
            goes_on[parent] |= loud[number]
    found = set() if leaf < 0 else {leaf}
    starts = [number for number in range(len(parents)) if loud[number] and not goes_on[number]]
    if not starts and not found and parents:
        starts = [last_root]
    for end in starts:
        if end == leaf:
            continue
        # what was hung on the end of a branch last, though nobody says anything there
        while last_child[end] >= 0:
            end = last_child[end]
        found.add(end)
    return sorted(found)


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
        return len(ends_of(nodes, nodes[-1] if last_is_leaf else leaf, silent))
    finally:
        for node in nodes:
            node.parent = None
            node.children.clear()
