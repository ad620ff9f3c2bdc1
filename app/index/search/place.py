"""Where in its session's tree a hit is: on the active path, or on which branch (DESIGN "active path")."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from app.formats.origin import is_origin

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from app.index.row import Row
    from app.index.search.found import Hit
    from app.sessions.node import Node
    from app.sessions.tree import SessionTree

_KEPT = 8
"""The places in so many sessions are remembered: hits of one session are looked at together."""


class Place(NamedTuple):
    """Where a hit is.

    on_active_path   None where that cannot be told: what matched is no entry, or the file has changed
    branch           the number of the first branch that it is on, of `branches`; branches are numbered by
                     their last entries, in the order of the file. The active path is the last branch unless
                     its agent says otherwise
    """

    on_active_path: bool | None
    branch: int
    branches: int


NOWHERE = Place(None, 0, 0)
_ONLY = Place(True, 1, 1)


class Places:
    """Finds places; opens each session once, and none that has no branches."""

    def __init__(self, agents: Mapping[str, Sequence[str]]) -> None:
        """:param agents: those of each store, by its root."""
        self.opened = 0
        self._agents = agents
        self._known: dict[tuple[object, ...], dict[int, list[tuple[str | None, Place]]]] = {}

    def place(self, hit: Hit, keep_going: Callable[[], bool] = lambda: True) -> Place:
        """Where `hit` is. Reads the session's file where it has branches; raises nothing.

        :param keep_going: asked all the while; once it says no, the answer is that nobody can tell.
        """
        if hit.where not in ("text", "label") or (hit.entry_id is None and hit.row.leaf_id is not None):
            # No entry, or none that is there any more.
            return NOWHERE
        row = hit.row
        if row.linear:
            # One leaf alone does not say so: an id used twice is named for all entries that have it.
            return _ONLY
        key = (row.path, *row.signature)
        found = self._known.pop(key, None)
        if found is None:
            from app.sessions.tree import Overtaken

            try:
                found = self._open(row, keep_going)
            except Overtaken:
                return NOWHERE
            if len(self._known) >= _KEPT:
                del self._known[next(iter(self._known))]
        self._known[key] = found
        here = found.get(hit.offset, ()) if hit.where == "text" else _all(found)
        for entry_id, place in here:
            if entry_id == hit.entry_id:
                return place
        return found[hit.offset][0][1] if hit.offset in found else NOWHERE

    def _open(self, row: Row, keep_going: Callable[[], bool]) -> dict[int, list[tuple[str | None, Place]]]:
        from app.formats.errors import SessionError
        from app.sessions.tree import open_tree

        try:
            tree = open_tree(row.path, self._agents.get(row.store, ()), keep_going)
        except (OSError, SessionError):
            return {}
        self.opened += 1
        return _places(tree)


def _all(found: dict[int, list[tuple[str | None, Place]]]) -> Iterator[tuple[str | None, Place]]:
    """From the last entry on: of several with one id, a label is on the last."""
    for here in reversed(found.values()):
        yield from here


def _places(tree: SessionTree) -> dict[int, list[tuple[str | None, Place]]]:
    """(id, place) of each entry, by the offset of its line."""
    dialect = tree.header.dialect
    ends = [node for node in tree.entries if not node.children]
    leaves = [node for node in ends if node is tree.leaf or not is_origin(node.type, dialect)]
    active = {node.index for node in tree.active_path()}
    if len(leaves) < len(ends):
        # What a fork says of where it comes from stands before all there is.
        active.update({node.index for node in ends}.difference([node.index for node in leaves]))
    branch: dict[int, int] = {}
    for number, leaf in enumerate(leaves, 1):
        node: Node | None = leaf
        while node is not None and node.index not in branch:
            branch[node.index] = number
            node = node.parent
    if tree.leaf is not None:
        # Of the branches of an active entry the active one counts.
        number = branch[tree.leaf.index]
        branch.update(dict.fromkeys(active, number))
    found: dict[int, list[tuple[str | None, Place]]] = {}
    for node in tree.entries:
        place = Place(node.index in active, branch.get(node.index, 0), len(leaves))
        found.setdefault(node.offset, []).append((node.id, place))
    return found
