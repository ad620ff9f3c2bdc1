"""Where in its session's tree a hit is: on the active path, or on which branch."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from app.index.row import Row
    from app.index.search.results import Hit
    from app.index.search.shape import Shape

_KEPT = 8
"""The places in so many sessions are remembered: hits of one session are looked at together."""


class Place(NamedTuple):
    """Where a hit is.

    on_active_path   None where that cannot be told: what matched is no entry, or the file has changed
    branch           the number of the branch that it is on, of `branches`, as the tree has it: of several the
                     active one, else the first; 0 where it is on none. Branches are numbered by their last
                     entries, in the order of the file
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
        self._known: dict[tuple[object, ...], Shape] = {}

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
        shape = self._known.pop(key, None)
        if shape is None:
            shape = self._open(row, keep_going)
            if shape is None:
                return NOWHERE
            if len(self._known) >= _KEPT:
                del self._known[next(iter(self._known))]
        self._known[key] = shape
        here = shape.at(hit.offset)
        # Of several with one id, a label is on the last.
        for entry in here if hit.where == "text" else reversed(range(len(shape.ids))):
            if shape.ids[entry] == hit.entry_id:
                return _place(shape, entry)
        return _place(shape, here[0]) if here else NOWHERE

    def _open(self, row: Row, keep_going: Callable[[], bool]) -> Shape | None:
        """Without entries where it cannot be read. None where nobody waits any more."""
        from app.formats.errors import SessionError
        from app.index.search.shape import EMPTY, read_shape, shape_of

        try:
            shape = read_shape(row.path, row.dialect, keep_going)
            if shape is None and keep_going():
                from app.sessions.tree.tree import Overtaken, open_tree

                try:
                    shape = shape_of(open_tree(row.path, self._agents.get(row.store, ()), keep_going))
                except Overtaken:
                    return None
        except (OSError, SessionError):
            return EMPTY
        self.opened += shape is not None
        return shape


def _place(shape: Shape, entry: int) -> Place:
    return Place(shape.is_active(entry), shape.branch(entry), shape.branches)
