"""The branch of its session that a hit is on: the active path or another branch."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING, NamedTuple

from app.formats.errors import Cancelled, SessionError
from app.sessions.tree.branches import branch_ends
from app.sessions.tree.tree import open_tree

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from app.index.row import Row
    from app.index.search.results import Hit
    from app.sessions.tree.tree import SessionTree

_CACHED = 8
"""Sessions whose structures are kept, because the hits of a session are looked up one after the other."""
_NONE = -1


class Place(NamedTuple):
    """The place of a hit in its session.

    on_active_path   whether it is on the active path; None if no entry matched, or the file has changed
    branch           the number of its branch, as in the tree: if it is on several, the active one, else the
                     first; 0 if it is on none. Branches are numbered by their last entries, in the order of
                     the file
    branches         the number of branches
    """

    on_active_path: bool | None
    branch: int
    branches: int


NOWHERE = Place(None, 0, 0)
_ONLY_PATH = Place(True, 1, 1)


class BranchFinder:
    """Finds the places of hits. Each session is read once, and sessions without branches are not read.

    opened   how many sessions were read
    """

    def __init__(self, agents: Mapping[str, Sequence[str]]) -> None:
        """:param agents: root of a store -> its agents."""
        self.opened = 0
        self._agents = agents
        self._structures: dict[tuple[object, ...], Structure] = {}

    def place(self, hit: Hit, keep_going: Callable[[], bool] = lambda: True) -> Place:
        """The place of `hit`. Reads the session's file if it has branches; raises nothing.

        :param keep_going: called while the file is read; the place is unknown when it returns False.
        """
        if hit.where not in ("text", "label") or (hit.entry_id is None and hit.row.leaf_id is not None):
            # No entry matched, or it does not exist any more.
            return NOWHERE
        row = hit.row
        if row.linear:
            # A session with one leaf need not be linear: several entries can have one id.
            return _ONLY_PATH
        structure = self._structure(row, keep_going)
        if structure is None:
            return NOWHERE
        in_line = structure.at(hit.offset)
        # If several entries have one id, the last one has the label.
        for entry in in_line if hit.where == "text" else reversed(range(len(structure.ids))):
            if structure.ids[entry] == hit.entry_id:
                return _place(structure, entry)
        return _place(structure, in_line[0]) if in_line else NOWHERE

    def first(
        self, hit: Hit, offsets: Sequence[int], keep_going: Callable[[], bool] = lambda: True
    ) -> tuple[int, Place]:
        """The first of the hits of a session that is on the active path, else the first of all: the offset of
        its line, and its place. Reads as `place`.

        :param hit: the hit of the session, which is the answer if its place cannot be found.
        :param offsets: all hits, in the order of the file.
        """
        if not offsets:
            return hit.offset, self.place(hit, keep_going)
        if hit.row.linear:
            return offsets[0], _ONLY_PATH
        structure = self._structure(hit.row, keep_going)
        if structure is None:
            return hit.offset, NOWHERE
        in_lines = [structure.at(offset) for offset in offsets]
        active = next((lines for lines in in_lines if any(map(structure.is_active, lines))), in_lines[0])
        if not active:
            return hit.offset, NOWHERE
        entry = next(filter(structure.is_active, active), active[0])
        return structure.offsets[entry], _place(structure, entry)

    def _structure(self, row: Row, keep_going: Callable[[], bool]) -> Structure | None:
        """The structure of a session; None if it cannot be read, or is not wanted any more."""
        key = (row.path, *row.signature)
        structure = self._structures.pop(key, None)
        if structure is None:
            try:
                structure = read_structure(row.path, self._agents.get(row.store, ()), keep_going)
            except (OSError, ValueError, SessionError, Cancelled):
                # A path from a damaged catalog may be no path.
                return None
            self.opened += 1
            if len(self._structures) >= _CACHED:
                del self._structures[next(iter(self._structures))]
        self._structures[key] = structure
        return structure


def _place(structure: Structure, entry: int) -> Place:
    return Place(structure.is_active(entry), structure.branch(entry), structure.branches)


class Structure:
    """The entries of a session by their numbers, in the order of the file, and how they are connected.

    ids        the id of each entry as it is written
    offsets    the offset of its line
    branches   the number of branches, as in the border of the tree (`sessions.tree.branches`)
    """

    def __init__(self, tree: SessionTree) -> None:
        self.ids = [node.id for node in tree.entries]
        self.offsets = [node.offset for node in tree.entries]
        self._parents = [_NONE if node.parent is None else node.parent.index for node in tree.entries]
        leaf = _NONE if tree.leaf is None else tree.leaf.index
        self._active = set(self._path(leaf))
        tips = [tip.index for tip in branch_ends(tree)]
        self.branches = len(tips)
        self._branch = [0] * len(self.ids)
        # An entry that is on several branches belongs to the active one.
        for number, tip in sorted(enumerate(tips, 1), key=lambda numbered: numbered[1] != leaf):
            for entry in self._path(tip):
                if self._branch[entry]:
                    break
                self._branch[entry] = number

    def is_active(self, entry: int) -> bool:
        """Whether an entry is on the active path."""
        return entry in self._active

    def branch(self, entry: int) -> int:
        """The number of the branch of an entry; if it is on several, the active one, else the first. An entry
        below the tip of a branch belongs to that branch. 0 if it belongs to none.
        """
        return next((self._branch[ancestor] for ancestor in self._path(entry) if self._branch[ancestor]), 0)

    def at(self, offset: int) -> range:
        """The entries whose line begins at `offset`."""
        return range(bisect_left(self.offsets, offset), bisect_right(self.offsets, offset))

    def _path(self, entry: int) -> Iterator[int]:
        """An entry and its ancestors, the nearest first."""
        while entry >= 0:
            yield entry
            entry = self._parents[entry]


def read_structure(
    path: str, agents: Sequence[str], keep_going: Callable[[], bool] = lambda: True
) -> Structure:
    """The structure of the session at `path`; the parameters and errors are those of `open_tree`."""
    return Structure(open_tree(path, agents, keep_going))
