"""Which entries no entry names as its parent, counted as a file grows (issue 2; PERFORMANCE 3.6).

A session has tens of thousands of entries, and one more must not cost a look at all of them, nor writing
down all of them again. So what is stored between two looks is packed: the leaves as one byte string, the
named parents as keys of four bytes, the late ones apart from those that are stored already.
"""

from __future__ import annotations

import zlib
from _blake2 import blake2b  # `hashlib` adds OpenSSL, which takes longer to load than many a file to read

from app.formats.bytes_in import find
from app.sessions.halves import STAMP

_KEY = 4
_FEW = 4

LATE_KEYS = 256
"""So many parents may have been named since the lasting ones were packed; then all are packed anew."""


class NeedsReread(Exception):
    """The stored state cannot tell what a new entry means: the file has to be read whole."""


class Leaves:
    """The entries that are nobody's parent so far, and the parents named so far."""

    __slots__ = (
        *("_fresh", "_ids", "_last", "_named", "_parents", "_waiting"),
        *("lasting", "linear", "old_leaves", "old_named"),
    )

    def __init__(self) -> None:
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
        self.linear = True
        """Whether each entry hangs on the one before it, the first on none, and no id is used twice."""
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

    def entries(self, ids: list[str | None], parents: list[str | None]) -> None:
        """Take in the next entries: their ids, and the parents that they name.

        :raises NeedsReread: as `entry`.
        """
        if self.old_named or self.old_leaves or self.lasting:
            for entry_id, parent in zip(ids, parents, strict=True):
                self.entry(entry_id, parent)
            return
        self._follow(ids, parents)
        # An entry whose child comes next is no leaf, and nearly all are like that.
        named_next = parents[1:]
        if named_next == ids[:-1] and None not in ids:
            self._waiting += ids[-1:]
        else:
            pairs = zip(ids, [*named_next, None], strict=False)
            self._waiting += [one for one, named in pairs if one != named or one is None]
        self._parents += parents

    def entry(self, entry_id: str | None, parent: str | None) -> None:
        """Take in the next entry.

        :raises NeedsReread: its id may have been named, or used, before the stored state was made.
        """
        self._follow([entry_id], [parent])
        fresh = self.fresh
        if parent is not None:
            self.named.add(parent)
            if parent in fresh:
                del fresh[parent]
            if self.old_leaves and _can_be_packed(parent):
                self.old_leaves = self.old_leaves.replace(_packed_leaf(parent), b"")
        if entry_id is not None and (self.old_named or self.lasting):
            key = _key(entry_id)
            if _holds(self.old_named, key) or _holds(self.lasting, key):
                raise NeedsReread
        if entry_id is None or entry_id not in self.named:
            fresh[entry_id] = fresh.get(entry_id, 0) + 1

    def _follow(self, ids: list[str | None], parents: list[str | None]) -> None:
        """See whether the next entries go on in a line."""
        if not self.linear or not ids:
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

    def pack(self) -> tuple[bytes, bytes, bytes] | None:
        """For storage the leaves, the parents named of late, and those before, which are mostly the same as
        they were the last time; None where an id cannot be packed.
        """
        leaves = []
        for entry_id, times in self.fresh.items():
            if entry_id is None or not _can_be_packed(entry_id):
                return None
            leaves.append(_packed_leaf(entry_id) * times)
        parents = [parent for parent in self._parents if parent is not None]
        late, lasting = self.old_named + _keys(parents) + _keys([*self._named]), self.lasting
        if len(late) > LATE_KEYS * _KEY:
            late, lasting = b"", _stamped(lasting[STAMP:] + late)
        return self.old_leaves + b"".join(leaves), late, lasting

    def settle(self) -> bool:
        """Go on as if unpacked from what `pack` gives now; False where that is nothing."""
        packed = self.pack()
        if packed is None:
            return False
        self._fresh, self._named, self._waiting, self._parents = {}, set(), [], []
        self.unpack(*packed)
        self.go_on(self._last, linear=self.linear)
        return True

    def unpack(self, leaves: bytes, late: bytes, lasting: bytes) -> None:
        """Start from what `pack` gave."""
        self.old_leaves = leaves
        self.old_named = late
        self.lasting = lasting

    def go_on(self, last: str | None, *, linear: bool) -> None:
        """What else there is to know of the entries before.

        :param last: the id of the last one.
        """
        self.linear = linear
        self._last = last
        self._ids = {last} if last is not None else set()


def _can_be_packed(entry_id: str) -> bool:
    """False for ids that cannot be told from what stands between two packed leaves."""
    return bool(entry_id) and "\0" not in entry_id


def _packed_leaf(entry_id: str) -> bytes:
    return b"\0" + entry_id.encode() + b"\0"


def _key(entry_id: str) -> bytes:
    """Four bytes for an id: the number itself for the usual eight hex digits, else a checksum."""
    if len(entry_id) == 2 * _KEY:
        try:
            key = bytes.fromhex(entry_id)
        except ValueError:
            key = b""
        if len(key) == _KEY:
            return key
    return zlib.crc32(entry_id.encode()).to_bytes(_KEY, "big")


def _keys(ids: list[str]) -> bytes:
    if not ids:
        return b""
    # One call for all of them, where all look as they usually do: eight letters, a LF, eight letters.
    text = "\n".join(ids)
    if text[2 * _KEY :: 2 * _KEY + 1] == "\n" * (len(ids) - 1) and text.count("\n") == len(ids) - 1:
        try:
            keys = bytes.fromhex(text)
        except ValueError:
            keys = b""
        if len(keys) == len(ids) * _KEY:
            return keys
    return b"".join([_key(entry_id) for entry_id in ids])


def _stamped(keys: bytes) -> bytes:
    return blake2b(keys, digest_size=STAMP).digest() + keys


def _holds(keys: bytes, key: bytes) -> bool:
    at = find(keys, key, 0)
    while at >= 0:
        if at % _KEY == 0:
            return True
        at = find(keys, key, at + 1)
    return False
