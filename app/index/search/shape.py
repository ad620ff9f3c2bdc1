"""How the entries of a session hang together, and nothing else of them.

To open a session takes several times as long as to see on which branch one of its entries is.
"""

from __future__ import annotations

import os
from bisect import bisect_left
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.json import Decoder

from app.formats.decode import BadLine
from app.formats.dialects import named
from app.formats.dialects.base import Mark
from app.formats.silent import SILENT
from app.formats.skim import REFUSALS
from app.index.search.opening import open_stored
from app.sessions.branch_tips import numbers_of_ends
from app.sessions.tree.windows import windows

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from app.sessions.tree.tree import SessionTree

_NEWLINE = 0x0A
_NONE = -1


class _Line(Struct, gc=False):
    type: str | None = None
    id: str | None = None
    parent_id: str | None = None
    version: int | None = None


class _Camel(_Line, gc=False, rename="camel"):
    parent_id: str | None = None


_decode_snake = Decoder(_Line).decode
_decode_camel = Decoder(_Camel).decode


class Shape:
    """Entries by their numbers, in the order of the file.

    ids, offsets   of each, as written, and where its line begins
    branches       how many there are, numbered as in the border of the tree (`sessions.tree.branches`)
    """

    def __init__(
        self,
        ids: Sequence[str | None],
        parents: Sequence[int],
        types: Sequence[str],
        offsets: Sequence[int],
        leaf: int,
    ) -> None:
        """:param parents: the number of each one's parent; negative for none.
        :param leaf: the number of the leaf; negative for none.
        """
        self.ids = ids
        self.offsets = offsets
        self._parents = parents
        ends = numbers_of_ends(parents, types, leaf, SILENT)
        self.branches = len(ends)
        self._active = set(self._path(leaf))
        self._branch = [0] * len(ids)
        for number, end in sorted(enumerate(ends, 1), key=lambda each: each[1] != leaf):
            here = end
            while here >= 0 and not self._branch[here]:
                self._branch[here] = number
                here = parents[here]
        self._hang_silent_ones()

    def is_active(self, entry: int) -> bool:
        """Whether an entry is on the active path."""
        return entry in self._active

    def branch(self, entry: int) -> int:
        """The number of the branch that an entry is on: of several the active one, else the first. That of
        the branch that it hangs on where nobody says anything from there on; 0 where it hangs on none.
        """
        return self._branch[entry]

    def at(self, offset: int) -> range:
        """The entries whose line begins at `offset`."""
        first = last = bisect_left(self.offsets, offset)
        while last < len(self.offsets) and self.offsets[last] == offset:
            last += 1
        return range(first, last)

    def _hang_silent_ones(self) -> None:
        branch, parents = self._branch, self._parents
        done = bytearray(len(branch))
        for entry in range(len(branch)):
            walked, here = [], entry
            while here >= 0 and not branch[here] and not done[here]:
                done[here] = 1
                walked.append(here)
                here = parents[here]
            number = branch[here] if here >= 0 else 0
            for each in walked if number else ():
                branch[each] = number

    def _path(self, leaf: int) -> list[int]:
        path = []
        while leaf >= 0:
            path.append(leaf)
            leaf = self._parents[leaf]
        return path


EMPTY = Shape((), (), (), (), _NONE)


def shape_of(tree: SessionTree) -> Shape:
    """That of a session that was opened."""
    entries = tree.entries
    return Shape(
        [node.id for node in entries],
        [_NONE if node.parent is None else node.parent.index for node in entries],
        [node.type for node in entries],
        [node.offset for node in entries],
        _NONE if tree.leaf is None else tree.leaf.index,
    )


def read_shape(path: str, dialect: str, keep_going: Callable[[], bool]) -> Shape | None:
    """That of the session at `path`; None where anything about it is out of the ordinary, or nobody waits any
    more: then it has to be opened to know.

    Ordinary is a file of whole lines in which each entry has an id of its own, and hangs on nothing or on an
    entry before it, where what it hangs on counts; in pi's family with a header in front, or behind a title
    line.

    :param keep_going: asked all the while.
    :raises OSError: it cannot be read.
    """
    reading = _Reading(dialect)
    take = reading.line if reading.spelling.one_entry_a_line else reading.lines
    base = 0
    descriptor = open_stored(path)
    try:
        for buffer, size, length in windows(descriptor):
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
    except (*REFUSALS, BadLine):
        return None
    finally:
        os.close(descriptor)
    return reading.shape()


class _Reading:
    """What was read of a file so far."""

    def __init__(self, dialect: str) -> None:
        self.spelling = named(dialect)
        self._dialect = dialect
        self._decode = _decode_snake if self.spelling.snake else _decode_camel
        self._numbers: dict[str | None, int] = {None: _NONE}
        self._parents: list[int] = []
        self._types: list[str] = []
        self._offsets: list[int] = []
        self._has_header = self._has_title = False
        self._marked: tuple[str | None] | None = None

    def line(self, line: memoryview, offset: int) -> bool:
        """Take in a line that is one entry, or a header; False where it is out of the ordinary."""
        found = self._decode(line)
        if self._has_header and found.type not in ("session", "title"):
            return self._entry(found.type or "", found.id, found.parent_id, offset)
        if self._has_header:
            return False
        if found.type == "session":
            # As `formats.header` has it. Where entries have no ids, or none that count, others are made up.
            self._has_header = True
            return found.id is not None and (self._dialect == "agent" or (found.version or 1) >= 2)
        if found.type == "title" and found.id is None and not self._has_title:
            self._has_title = True
            return True
        return False

    def lines(self, line: memoryview, offset: int) -> bool:
        """Take in a line that may hold any number of entries; False where it is out of the ordinary."""
        for skim in self.spelling.skims(bytes(line)):
            if type(skim) is Mark:
                if skim.type == "leaf":
                    self._marked = (skim.target_id,)
            elif not self._entry(skim.type or "", skim.id, skim.parent_id, offset):
                return False
        return True

    def _entry(self, kind: str, entry_id: str | None, parent_id: str | None, offset: int) -> bool:
        numbers = self._numbers
        parent = len(self._parents) - 1 if self.spelling.linear else numbers.get(parent_id)
        if parent is None or entry_id in numbers:
            return False
        numbers[entry_id] = len(self._parents)
        self._parents.append(parent)
        self._types.append(kind)
        self._offsets.append(offset)
        return True

    def shape(self) -> Shape:
        """All of it."""
        ids = list(self._numbers)[1:]
        leaf: int | None = len(ids) - 1
        if not self.spelling.one_entry_a_line:
            wanted = self._marked[0] if self._marked else self._deepest(ids)
            leaf = self._numbers.get(wanted)
        leaf = _NONE if leaf is None else leaf
        return Shape(ids, self._parents, self._types, self._offsets, leaf)

    def _deepest(self, ids: Sequence[str | None]) -> str | None:
        from app.sessions.leaf import deepest

        parents = [None if parent < 0 else ids[parent] for parent in self._parents]
        return deepest(list(zip(ids, parents, strict=True)))
