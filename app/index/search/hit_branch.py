"""The branch of its session that a hit is on: the active path or another branch.

Only the ids and parents of the entries are read, which is several times as fast as opening the session.
"""

from __future__ import annotations

import os
from bisect import bisect_left
from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct
from msgspec.json import Decoder

from app.formats.dialects import dialect_named
from app.formats.dialects.base import MetadataRecord
from app.formats.entry_types import SILENT
from app.formats.errors import Cancelled, SessionError
from app.formats.json_codec import DECODE_ERRORS, BadLine
from app.formats.lines import line_windows
from app.index.search.documents import open_session
from app.sessions.parent_links import deepest_leaf, tip_indexes
from app.sessions.tree.tree import open_tree

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from app.index.row import Row
    from app.index.search.results import Hit
    from app.sessions.tree.tree import SessionTree

_CACHED = 8
"""Sessions whose structures are kept, because the hits of a session are looked up one after the other."""
_NEWLINE = 0x0A
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
        key = (row.path, *row.signature)
        structure = self._structures.pop(key, None)
        if structure is None:
            structure = self._read(row, keep_going)
            if structure is None:
                return NOWHERE
            if len(self._structures) >= _CACHED:
                del self._structures[next(iter(self._structures))]
        self._structures[key] = structure
        in_line = structure.at(hit.offset)
        # If several entries have one id, the last one has the label.
        for entry in in_line if hit.where == "text" else reversed(range(len(structure.ids))):
            if structure.ids[entry] == hit.entry_id:
                return _place(structure, entry)
        return _place(structure, in_line[0]) if in_line else NOWHERE

    def _read(self, row: Row, keep_going: Callable[[], bool]) -> Structure | None:
        """The structure of a session, without entries if it cannot be read; None if it was cancelled."""
        try:
            structure = read_structure(row.path, row.dialect, keep_going)
            if structure is None and keep_going():
                try:
                    tree = open_tree(row.path, self._agents.get(row.store, ()), keep_going)
                except Cancelled:
                    return None
                structure = structure_of(tree)
        except (OSError, SessionError):
            return EMPTY
        self.opened += structure is not None
        return structure


def _place(structure: Structure, entry: int) -> Place:
    return Place(structure.is_active(entry), structure.branch(entry), structure.branches)


class Structure:
    """The entries of a session by their numbers, in the order of the file, and how they are connected.

    ids        the id of each entry as it is written
    offsets    the offset of its line
    branches   the number of branches, as in the border of the tree (`sessions.tree.branches`)
    """

    def __init__(
        self,
        ids: Sequence[str | None],
        parents: Sequence[int],
        types: Sequence[str],
        offsets: Sequence[int],
        leaf: int,
    ) -> None:
        """:param parents: the number of the parent of each entry; negative for none.
        :param leaf: the number of the leaf; negative for none.
        """
        self.ids = ids
        self.offsets = offsets
        self._parents = parents
        tips = tip_indexes(parents, types, leaf, SILENT)
        self.branches = len(tips)
        self._active = set(self._path(leaf))
        self._branch = [0] * len(ids)
        for number, tip in sorted(enumerate(tips, 1), key=lambda numbered: numbered[1] != leaf):
            entry = tip
            while entry >= 0 and not self._branch[entry]:
                self._branch[entry] = number
                entry = parents[entry]
        self._add_silent_entries()

    def is_active(self, entry: int) -> bool:
        """Whether an entry is on the active path."""
        return entry in self._active

    def branch(self, entry: int) -> int:
        """The number of the branch of an entry; if it is on several, the active one, else the first. An entry
        below the tip of a branch belongs to that branch. 0 if it belongs to none.
        """
        return self._branch[entry]

    def at(self, offset: int) -> range:
        """The entries whose line begins at `offset`."""
        first = last = bisect_left(self.offsets, offset)
        while last < len(self.offsets) and self.offsets[last] == offset:
            last += 1
        return range(first, last)

    def _add_silent_entries(self) -> None:
        branch, parents = self._branch, self._parents
        done = bytearray(len(branch))
        for entry in range(len(branch)):
            walked, ancestor = [], entry
            while ancestor >= 0 and not branch[ancestor] and not done[ancestor]:
                done[ancestor] = 1
                walked.append(ancestor)
                ancestor = parents[ancestor]
            number = branch[ancestor] if ancestor >= 0 else 0
            for descendant in walked if number else ():
                branch[descendant] = number

    def _path(self, leaf: int) -> list[int]:
        path = []
        while leaf >= 0:
            path.append(leaf)
            leaf = self._parents[leaf]
        return path


EMPTY = Structure((), (), (), (), _NONE)


def structure_of(tree: SessionTree) -> Structure:
    """The structure of an open session."""
    entries = tree.entries
    return Structure(
        [node.id for node in entries],
        [_NONE if node.parent is None else node.parent.index for node in entries],
        [node.type for node in entries],
        [node.offset for node in entries],
        _NONE if tree.leaf is None else tree.leaf.index,
    )


def read_structure(path: str, dialect: str, keep_going: Callable[[], bool]) -> Structure | None:
    """The structure of the session at `path`; None if it has to be opened because anything in it is unusual,
    or if it was cancelled.

    A usual file has whole lines. Each entry has an id of its own and no parent or an earlier one, if its
    parent counts. A file of pi's family begins with a header, or a title line and a header.

    :param keep_going: called while the file is read; cancels when it returns False.
    :raises OSError: it cannot be read.
    """
    reader = _StructureReader(dialect)
    take = reader.take_line if reader.dialect.one_entry_a_line else reader.take_transaction
    base = 0
    descriptor = open_session(path)
    try:
        for buffer, size, length in line_windows(descriptor):
            if not keep_going() or buffer[size - 1] != _NEWLINE:
                return None
            find, view = buffer.find, memoryview(buffer)
            start = 0
            while start < size:
                end = find(b"\n", start, size)
                if not take(view[start:end], base + start):
                    return None
                start = end + 1
            base += length
    except (*DECODE_ERRORS, BadLine):
        return None
    finally:
        os.close(descriptor)
    return reader.structure()


class _Line(Struct, gc=False):
    type: str | None = None
    id: str | None = None
    parent_id: str | None = None
    version: int | None = None


class _CamelLine(_Line, gc=False, rename="camel"):
    parent_id: str | None = None


_decode_snake = Decoder(_Line).decode
_decode_camel = Decoder(_CamelLine).decode


class _StructureReader:
    """Collects the entries of a file."""

    def __init__(self, dialect: str) -> None:
        self.dialect = dialect_named(dialect)
        self._name = dialect
        self._decode = _decode_snake if self.dialect.snake else _decode_camel
        self._numbers: dict[str | None, int] = {None: _NONE}
        self._parents: list[int] = []
        self._types: list[str] = []
        self._offsets: list[int] = []
        self._has_header = self._has_title = False
        self._marked_leaf: tuple[str | None] | None = None

    def take_line(self, line: memoryview, offset: int) -> bool:
        """Take in a line that is one entry or a header; False if it is unusual."""
        entry = self._decode(line)
        if self._has_header and entry.type not in ("session", "title"):
            return self._take(entry.type or "", entry.id, entry.parent_id, offset)
        if self._has_header:
            return False
        if entry.type == "session":
            # As in `formats.header`: entries of older versions have no ids, or ids that do not count.
            self._has_header = True
            return entry.id is not None and (self._name == "agent" or (entry.version or 1) >= 2)
        if entry.type == "title" and entry.id is None and not self._has_title:
            self._has_title = True
            return True
        return False

    def take_transaction(self, line: memoryview, offset: int) -> bool:
        """Take in a line with any number of entries; False if it is unusual."""
        for skim in self.dialect.partial_entries(bytes(line)):
            if type(skim) is MetadataRecord:
                if skim.type == "leaf":
                    self._marked_leaf = (skim.target_id,)
            elif not self._take(skim.type or "", skim.id, skim.parent_id, offset):
                return False
        return True

    def _take(self, kind: str, entry_id: str | None, parent_id: str | None, offset: int) -> bool:
        numbers = self._numbers
        parent = len(self._parents) - 1 if self.dialect.linear else numbers.get(parent_id)
        if parent is None or entry_id in numbers:
            return False
        numbers[entry_id] = len(self._parents)
        self._parents.append(parent)
        self._types.append(kind)
        self._offsets.append(offset)
        return True

    def structure(self) -> Structure:
        """The structure of all entries so far."""
        ids = list(self._numbers)[1:]
        leaf: int | None = len(ids) - 1
        if not self.dialect.one_entry_a_line:
            leaf_id = self._marked_leaf[0] if self._marked_leaf else self._deepest(ids)
            leaf = self._numbers.get(leaf_id)
        return Structure(ids, self._parents, self._types, self._offsets, _NONE if leaf is None else leaf)

    def _deepest(self, ids: Sequence[str | None]) -> str | None:
        parents = [None if parent < 0 else ids[parent] for parent in self._parents]
        return deepest_leaf(list(zip(ids, parents, strict=True)))
