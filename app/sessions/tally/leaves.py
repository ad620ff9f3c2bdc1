"""Which entries no entry names as its parent, counted as a file grows.

A session has tens of thousands of entries, and one more must not cost a look at all of them, nor writing
down all of them again. So what is stored between two looks is packed: the leaves as one byte string, the
named parents as keys of four bytes, the late ones apart from those that are stored already.
"""

from __future__ import annotations

from itertools import compress, count
from operator import ne
from typing import TYPE_CHECKING

from app.sessions.tally.halves import STAMP
from app.sessions.tally.leaf_keys import KEY, can_be_packed, holds, key_of, keys_of, packed_leaf, stamped
from app.sessions.tally.silent_ends import SilentEnds

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.formats.brief import Brief

_FEW = 4

LATE_KEYS = 256
"""So many parents may have been named since the lasting ones were packed; then all are packed anew."""


class NeedsReread(Exception):
    """The stored state cannot tell what a new entry means: the file has to be read whole."""


class Leaves:
    """The entries that are nobody's parent so far, and the parents named so far."""

    __slots__ = (
        *("_fresh", "_ids", "_last", "_missing", "_named", "_parents", "_waiting"),
        *("is_restored", "lasting", "linear", "old_leaves", "old_named", "silent", "silent_ends", "tangled"),
        *("every", "in_a_row", "tip", "told"),
    )

    def __init__(self, silent: frozenset[str] = frozenset(), *, in_a_row: bool = False) -> None:
        """:param silent: the types of entries by which nobody says anything.
        :param in_a_row: each entry goes on from the one before it, whatever parent it names
            (`Dialect.linear`): what is named counts for the leaves, and for nothing else.
        """
        self.silent = silent
        self.in_a_row = in_a_row
        self.silent_ends = SilentEnds()
        self.tangled = False
        """Whether how the entries hang cannot be told without all of them: an id is missing or used twice, or
        an entry names one that comes after it. `silent_ends` knows nothing then."""
        self.told: int | None = None
        """The number of branches where they are `tangled` and it was told; `tip` is the last entry then."""
        self.tip: str | None = None
        self.every: list[tuple[str | None, str | None, str | None]] | None = None
        """Id, parent and type of every entry, where somebody wants to know."""
        # Named as parents, and not there so far.
        self._missing: set[str | None] = set()
        self._fresh: dict[str | None, int] = {}
        self._named: set[str] = set()
        # What the two do not account for yet, as it came: most sessions are stored before they have to.
        self._waiting: list[str | None] = []
        self._parents: list[str | None] = []
        self.old_leaves = b""
        """Leaves from a stored state, each as NUL id NUL."""
        self.old_named = b""
        """Keys of the parents named of late, from a stored state."""
        self.lasting = b""
        """Keys of all that were named before those, behind their stamp (`halves`)."""
        self.is_restored = False
        """Whether it goes on from entries in a stored state."""
        self.linear = True
        """Whether each entry hangs on the one before it, the first on none, and no id is used twice; so it is
        where they are `in_a_row`."""
        self._last: str | None = None
        # Of this process. Older ones are among the named, or the last.
        self._ids: set[str | None] = set()

    @property
    def named(self) -> set[str]:
        """Parents named in this process."""
        if self._parents:
            self._named.update([parent for parent in self._parents if parent is not None])
            self._parents = []
        return self._named

    @property
    def fresh(self) -> dict[str | None, int]:
        """Leaves among the entries of this process: id -> how many entries have it."""
        fresh = self._fresh
        if self._waiting:
            # A look through the list takes less time than making a set of it.
            first = len(self._waiting) <= _FEW and not fresh and not self._named
            named = self._parents if first else self.named
            for leaf in [leaf for leaf in fresh if leaf in named]:
                del fresh[leaf]
            for entry_id in [one for one in self._waiting if one is None or one not in named]:
                fresh[entry_id] = fresh.get(entry_id, 0) + 1
            self._waiting = []
        return fresh

    def entries(self, ids: list[str | None], parents: list[str | None], entries: Sequence[Brief]) -> None:
        """Take in the next entries: their ids, and the parents that they name.

        :raises NeedsReread: as `entry`.
        """
        if self.is_restored:
            for entry_id, parent, entry in zip(ids, parents, entries, strict=True):
                self.entry(entry_id, parent, is_silent=entry.type in self.silent)
            return
        if not ids:
            return
        if self.every is not None:
            self.every += zip(ids, parents, [entry.type for entry in entries], strict=True)
        # An entry whose child comes next is no leaf, and nearly all are like that.
        named_next = parents[1:]
        breaks: list[int] = []
        if named_next != ids[:-1]:
            breaks = [*compress(count(1), map(ne, named_next, ids))]
        if not (self.in_a_row or self.tangled):
            self._hang(ids, parents, entries, breaks)
        if (self.in_a_row or self.tangled) and None in ids:
            pairs = zip(ids, [*named_next, None], strict=False)
            self._waiting += [one for one, named in pairs if one != named or one is None]
        else:
            self._waiting += [ids[at - 1] for at in breaks]
            self._waiting += ids[-1:]
        self._parents += parents

    def _hang(
        self, ids: list[str | None], parents: list[str | None], entries: Sequence[Brief], breaks: list[int]
    ) -> None:
        """See how the next entries hang on each other and on those before, and which of them are silent ends.

        What is between two breaks needs no look, but for what is silent at its end.

        :param breaks: the places of those that do not hang on the one before; the first is not among them.
        """
        known = self._ids
        goes_on = parents[0] == self._last
        if breaks or not goes_on:
            self.linear = False
            self._look_for(ids, parents, breaks if goes_on else [0, *breaks])
        many = len(known) + len(ids)
        known.update(ids)
        self._last = ids[-1]
        if self.tangled or len(known) != many or None in known:
            self.tangled, self.linear = True, False
            self._ids = set()
            return
        ends, silent = self.silent_ends, self.silent
        named: set[str | None] = set()
        looked = 0
        for start, end in zip([0, *breaks], [*breaks, len(ids)], strict=True):
            at = end
            while at > start and entries[at - 1].type in silent:
                at -= 1
            alone = True
            if at > start:
                if ends.hung:
                    ends.said(parents[start])
            elif start or not goes_on:
                named.update(parents[looked:start])
                looked = start
                parent = parents[start]
                alone = parent not in named and parent not in self.named and parent not in self._missing
            for one in range(at, end):
                entry_id = ids[one]
                assert entry_id is not None
                ends.hang(entry_id, parents[one], alone=alone)
                alone = False

    def _look_for(self, ids: list[str | None], parents: list[str | None], breaks: list[int]) -> None:
        """Look for the parents of the entries that do not hang on the one before."""
        if not self._missing.isdisjoint(ids):
            self.tangled = True
        strange = [at for at in breaks if parents[at] is not None and parents[at] not in self._ids]
        if strange:
            places = {entry_id: place for place, entry_id in enumerate(ids)}
            for at in strange:
                place = places.get(parents[at])
                if place is None:
                    self._missing.add(parents[at])
                elif place >= at:
                    self.tangled = True

    def entry(self, entry_id: str | None, parent: str | None, *, is_silent: bool = False) -> None:
        """Take in the next entry.

        :raises NeedsReread: its id may have been named, or used, before the stored state was made, or it has
            none; or what it hangs on is no longer known.
        """
        self._follow([entry_id], [parent])
        fresh = self.fresh
        if self.is_restored and not self.in_a_row:
            self._hang_one(entry_id, parent, is_silent)
        if parent is not None:
            self.named.add(parent)
            if parent in fresh:
                del fresh[parent]
            if self.old_leaves and can_be_packed(parent):
                self.old_leaves = self.old_leaves.replace(packed_leaf(parent), b"")
        if entry_id is not None and (self.old_named or self.lasting):
            key = key_of(entry_id)
            if holds(self.old_named, key) or holds(self.lasting, key):
                raise NeedsReread
        if entry_id is None or entry_id not in self.named:
            fresh[entry_id] = fresh.get(entry_id, 0) + 1

    def _hang_one(self, entry_id: str | None, parent: str | None, is_silent: bool) -> None:
        ends = self.silent_ends
        if entry_id is None or entry_id == parent or entry_id in self.named or self._is_leaf(entry_id):
            raise NeedsReread
        if self.told is not None:
            # What hangs on the leaf, and becomes it, adds no branch and takes none away, whatever there is.
            if parent is None or parent != self.tip:
                raise NeedsReread
            self.tip = entry_id
            return
        if not ends.hung and not is_silent:
            return
        alone = parent is not None and self._is_leaf(parent)
        known = parent is None or alone or parent in ends.hung or parent in ends.only
        if ends.skipped and not known:
            raise NeedsReread
        if is_silent:
            ends.hang(entry_id, parent, alone=alone)
        else:
            ends.said(parent)

    def _is_leaf(self, entry_id: str) -> bool:
        return entry_id in self.fresh or (
            bool(self.old_leaves) and can_be_packed(entry_id) and packed_leaf(entry_id) in self.old_leaves
        )

    def _follow(self, ids: list[str | None], parents: list[str | None]) -> None:
        """See whether the next entries go on in a line."""
        if self.in_a_row or not self.linear or not ids:
            return
        many = len(self._ids) + len(ids)
        self._ids.update(ids)
        self.linear = (
            parents[0] == self._last
            and parents[1:] == ids[:-1]
            and len(self._ids) == many
            and None not in self._ids
        )
        self._last = ids[-1]

    def count(self) -> int:
        """How many entries are leaves."""
        return sum(self.fresh.values()) + self.old_leaves.count(b"\0") // 2

    def branches(self, leaf: str | None) -> int:
        """How many branches a tree of the entries has; where they are `tangled`, as it was `told`.

        :param leaf: the last entry.
        """
        if self.in_a_row:
            return 1
        if self.told is not None:
            return self.told
        return self.silent_ends.branches(self.count(), leaf)

    def pack(self) -> tuple[bytes, bytes, bytes] | None:
        """For storage the leaves, the parents named of late, and those before, which are mostly the same as
        they were the last time; None where an id cannot be packed, or they are `tangled` and nobody `told`.
        """
        if self.tangled and self.told is None:
            return None
        self.silent_ends.shorten()
        leaves = []
        for entry_id, times in self.fresh.items():
            if entry_id is None or not can_be_packed(entry_id):
                return None
            leaves.append(packed_leaf(entry_id) * times)
        parents = [parent for parent in self._parents if parent is not None]
        late, lasting = self.old_named + keys_of(parents) + keys_of([*self._named]), self.lasting
        if len(late) > LATE_KEYS * KEY:
            late, lasting = b"", stamped(lasting[STAMP:] + late)
        return self.old_leaves + b"".join(leaves), late, lasting

    def settle(self) -> bool:
        """Go on as if unpacked from what `pack` gives now; False where that is nothing."""
        packed = self.pack()
        if packed is None:
            return False
        self._fresh, self._named, self._waiting, self._parents = {}, set(), [], []
        self._missing = set()
        self.unpack(*packed)
        self.go_on(self._last, linear=self.linear)
        return True

    def unpack(self, leaves: bytes, late: bytes, lasting: bytes) -> None:
        """Start from what `pack` gave."""
        self.old_leaves = leaves
        self.old_named = late
        self.lasting = lasting
        self.is_restored = bool(leaves or late or lasting)

    def go_on(self, last: str | None, *, linear: bool) -> None:
        """What else there is to know of the entries before.

        :param last: the id of the last one.
        """
        self.linear = linear
        self._last = last
        self._ids = {last} if last is not None else set()
