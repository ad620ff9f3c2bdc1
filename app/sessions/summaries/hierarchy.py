"""Counts the leaves and branches of a session while it grows; a new entry costs the same however many there
are.
"""

from __future__ import annotations

from itertools import compress, count
from operator import ne
from typing import TYPE_CHECKING

from app.formats.entry_types import SILENT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.formats.summary_fields import SummaryFields


class SilentLeaves:
    """Leaves whose types carry no conversation (`entry_types.SILENT`), with the silent entries above them.

    A branch ends at an entry of the conversation, or at the leaf of the session. A silent entry (a label, a
    name, a move of the leaf) therefore makes no branch of its own; its parent ends one if it has no other
    children. A session has few such entries, and only those are kept. Every id must be unique, and a parent
    must precede its children.

    parents      id -> parent of each silent entry with no conversation below it
    only_silent  the entries, not among `parents`, whose children are all among `parents`
    """

    __slots__ = ("only_silent", "parents")

    def __init__(self) -> None:
        self.parents: dict[str, str | None] = {}
        self.only_silent: set[str] = set()

    def add_visible(self, parent: str | None) -> None:
        """Add an entry of the conversation with this parent."""
        while parent is not None and parent in self.parents:
            parent = self.parents.pop(parent)
        if parent is not None:
            self.only_silent.discard(parent)

    def add_silent(self, entry_id: str, parent: str | None, *, is_first_child: bool) -> None:
        """Add a silent entry.

        :param is_first_child: `parent` is an entry that had no children before.
        """
        if is_first_child and parent is not None and parent not in self.parents:
            self.only_silent.add(parent)
        self.parents[entry_id] = parent

    def branch_count(self, leaves: int, leaf: str | None) -> int:
        """The number of branches.

        :param leaves: the number of entries without children.
        :param leaf: the leaf of the session, which has no children.
        """
        parents = self.parents
        if not parents:
            return leaves
        # An entry with only silent children ends a branch in their place.
        number = leaves - len(parents.keys() - set(parents.values())) + len(self.only_silent)
        if leaf in parents:
            above: str | None = leaf
            while above in parents:
                above = parents[above]
            number += above not in self.only_silent
        return number


class Hierarchy:
    """The entries without children so far, and the parents that entries have named so far.

    is_tangled    the number of branches cannot be counted entry by entry: an id is missing or used twice, or
                  an entry names a parent that comes after it. `silent_leaves` is not valid then
    is_linear     each entry is the child of the one before it, the first has no parent, and no id is used
                  twice; or the format is linear
    all_entries   id, parent and type of every entry, if they are to be collected; else None
    """

    __slots__ = (
        *("_ids", "_last", "_leaves", "_missing", "_new_ids", "_new_parents", "_parents"),
        *("all_entries", "is_linear", "is_linear_format", "is_tangled", "silent_leaves"),
    )

    def __init__(self, *, is_linear_format: bool = False) -> None:
        """:param is_linear_format: each entry continues the one before it, whatever parent it names
        (`Dialect.linear`). Named parents then count for the leaves only.
        """
        self.is_linear_format = is_linear_format
        self.silent_leaves = SilentLeaves()
        self.is_tangled = False
        self.is_linear = True
        self.all_entries: list[tuple[str | None, str | None, str | None]] | None = None
        self._ids: set[str | None] = set()
        self._last: str | None = None
        # Parents that were named, but have not been read yet.
        self._missing: set[str | None] = set()
        self._leaves: dict[str | None, int] = {}
        self._parents: set[str] = set()
        # Entries in the order of the file that the two above do not contain yet.
        self._new_ids: list[str | None] = []
        self._new_parents: list[str | None] = []

    @property
    def parents(self) -> set[str]:
        """The parents named so far."""
        if self._new_parents:
            self._parents.update([parent for parent in self._new_parents if parent is not None])
            self._new_parents = []
        return self._parents

    @property
    def leaves(self) -> dict[str | None, int]:
        """The entries without children: id -> how many entries have it."""
        leaves = self._leaves
        if self._new_ids:
            named = self.parents
            for leaf in [leaf for leaf in leaves if leaf in named]:
                del leaves[leaf]
            for entry_id in [new_id for new_id in self._new_ids if new_id is None or new_id not in named]:
                leaves[entry_id] = leaves.get(entry_id, 0) + 1
            self._new_ids = []
        return leaves

    def add(self, ids: list[str | None], parents: list[str | None], entries: Sequence[SummaryFields]) -> None:
        """Add the next entries, with their ids and their parents."""
        if not ids:
            return
        if self.all_entries is not None:
            self.all_entries += zip(ids, parents, [entry.type for entry in entries], strict=True)
        # An entry is no leaf if its child comes next, as with nearly all entries.
        named_next = parents[1:]
        breaks: list[int] = []
        if named_next != ids[:-1]:
            breaks = [*compress(count(1), map(ne, named_next, ids))]
        if not (self.is_linear_format or self.is_tangled):
            self._link(ids, parents, entries, breaks)
        if (self.is_linear_format or self.is_tangled) and None in ids:
            pairs = zip(ids, [*named_next, None], strict=False)
            self._new_ids += [entry_id for entry_id, named in pairs if entry_id != named or entry_id is None]
        else:
            self._new_ids += [ids[position - 1] for position in breaks]
            self._new_ids += ids[-1:]
        self._new_parents += parents

    def _link(
        self,
        ids: list[str | None],
        parents: list[str | None],
        entries: Sequence[SummaryFields],
        breaks: list[int],
    ) -> None:
        """Link the next entries to each other and to earlier ones, and find the silent leaves.

        Only the silent entries at the end of each run between two breaks need to be looked at.

        :param breaks: the positions of the entries that are not a child of the one before, without the first.
        """
        known = self._ids
        continues = parents[0] == self._last
        if breaks or not continues:
            self.is_linear = False
            self._find_parents(ids, parents, breaks if continues else [0, *breaks])
        expected = len(known) + len(ids)
        known.update(ids)
        self._last = ids[-1]
        if self.is_tangled or len(known) != expected or None in known:
            self.is_tangled, self.is_linear = True, False
            self._ids = set()
            return
        silent_leaves = self.silent_leaves
        named: set[str | None] = set()
        seen_up_to = 0
        for start, end in zip([0, *breaks], [*breaks, len(ids)], strict=True):
            first_silent = end
            while first_silent > start and entries[first_silent - 1].type in SILENT:
                first_silent -= 1
            is_first_child = True
            if first_silent > start:
                if silent_leaves.parents:
                    silent_leaves.add_visible(parents[start])
            elif start or not continues:
                named.update(parents[seen_up_to:start])
                seen_up_to = start
                parent = parents[start]
                is_first_child = (
                    parent not in named and parent not in self.parents and parent not in self._missing
                )
            for position in range(first_silent, end):
                entry_id = ids[position]
                assert entry_id is not None
                silent_leaves.add_silent(entry_id, parents[position], is_first_child=is_first_child)
                is_first_child = False

    def _find_parents(self, ids: list[str | None], parents: list[str | None], breaks: list[int]) -> None:
        """Find the parents of the entries that are not a child of the one before."""
        if not self._missing.isdisjoint(ids):
            self.is_tangled = True
        unknown = [at for at in breaks if parents[at] is not None and parents[at] not in self._ids]
        if unknown:
            positions = {entry_id: position for position, entry_id in enumerate(ids)}
            for child in unknown:
                position = positions.get(parents[child])
                if position is None:
                    self._missing.add(parents[child])
                elif position >= child:
                    self.is_tangled = True

    def leaf_count(self) -> int:
        """The number of entries without children."""
        return sum(self.leaves.values())

    def branch_count(self, leaf: str | None) -> int:
        """The number of branches of the tree, unless `is_tangled`.

        :param leaf: the last entry.
        """
        return 1 if self.is_linear_format else self.silent_leaves.branch_count(self.leaf_count(), leaf)
