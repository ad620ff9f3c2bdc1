"""The results of a search: pages of hits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, overload

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from app.index.query.query import Note
    from app.index.row import Row
    from app.index.search.documents import Document
    from app.index.search.metadata_fields import Where
    from app.index.search.ranking import Tier

    Range = tuple[int, int]


class Hit:
    """A match in a session; for a query without terms, the session itself (`where` is "row").

    where      what matched: a text of an entry, a field of the session's metadata, or another part of its
               header
    kind       the kind of the text (`formats.text_kinds`); 0 if no text matched
    offset     the offset of the entry's line in the file; -1 if no text matched
    entry_id   None if the file has no ids, no entry matched, or the entry does not exist any more
    role       the message's role as pi spells it ("user", "toolResult"), else the entry's type; "name" or
               "label" if one of those matched
    snippet    one inert line around the match
    ranges     the (start, end) of the matches in `snippet`, in characters
    timestamp  that of the entry, in milliseconds since the epoch UTC
    tier       the tier of the session (`ranking`)
    missing    the words of the query that the session lacks, in a loosened list
    near       it was found by another spelling of a word that nothing matches

    `offsets` gives all hits of the session, and `count` their number.

    `row`, `tier`, `missing` and `near` are known at once. The others are looked up when the first of them is
    read, in the thread that reads it: a line of the session's file is read.
    """

    __slots__ = (
        "_count",
        "_find",
        "_look",
        "_what",
        "entry_id",
        "kind",
        "missing",
        "near",
        "offset",
        "ranges",
        "role",
        "row",
        "snippet",
        "tier",
        "timestamp",
        "where",
    )

    _count: int | None
    _find: Callable[[int], Sequence[int]] | None
    _look: Callable[[Hit, Any], object] | None
    _what: object
    where: Where
    kind: int
    offset: int
    entry_id: str | None
    role: str
    snippet: str
    ranges: tuple[Range, ...]
    timestamp: int | None

    def __init__(
        self,
        row: Row,
        where: Where,
        kind: int = 0,
        offset: int = -1,
        entry_id: str | None = None,
        role: str = "",
        snippet: str = "",
        ranges: tuple[Range, ...] = (),
        timestamp: int | None = None,
        tier: Tier = "",
        missing: tuple[str, ...] = (),
        near: bool = False,
    ) -> None:
        self.row = row
        self.tier = tier
        self.missing = missing
        self.near = near
        self._count, self._find = 0, None
        self.fill(where, kind, offset, entry_id, role, snippet, ranges, timestamp)

    @classmethod
    def later(
        cls,
        row: Row,
        look: Callable[[Hit, Any], object],
        what: object,
        tier: Tier = "",
        missing: tuple[str, ...] = (),
        near: bool = False,
    ) -> Hit:
        """A hit that is looked up when it is needed.

        :param look: called with the hit and `what`, in any thread; it calls `fill`.
        """
        hit = cls.__new__(cls)
        hit.row = row
        hit.tier = tier
        hit.missing = missing
        hit.near = near
        hit._count, hit._find = 0, None
        hit._look = look
        hit._what = what
        return hit

    def fill(
        self,
        where: Where,
        kind: int = 0,
        offset: int = -1,
        entry_id: str | None = None,
        role: str = "",
        snippet: str = "",
        ranges: tuple[Range, ...] = (),
        timestamp: int | None = None,
    ) -> None:
        """Set the fields that are looked up."""
        self.where = where
        self.kind = kind
        self.offset = offset
        self.entry_id = entry_id
        self.role = role
        self.snippet = snippet
        self.ranges = ranges
        self.timestamp = timestamp
        self._look = self._what = None

    def look_up(self) -> None:
        """Look up the fields now, unless they are known."""
        # In this order: another thread, which looks the fields up as well, clears `_look` first.
        what = self._what
        look = self._look
        if look is not None:
            look(self, what)

    def find_with(self, find: Callable[[int], Sequence[int]]) -> Hit:
        """Set the function that finds all hits of the session (`HitDetails.offsets`); the result is this
        hit.
        """
        self._count, self._find = None, find
        return self

    def offsets(self, most: int) -> Sequence[int]:
        """All hits of the session by the offsets of their lines (`HitDetails.offsets`); none if this is one
        of several hits of the session.
        """
        return self._find(most) if self._find is not None else ()

    def count(self, most: int) -> int:
        """The number of `offsets`, counted up to `most`."""
        if self._count is None:
            self._count = min(len(self.offsets(most)), most)
        return self._count

    @property
    def path(self) -> str:
        """The path of the session's file."""
        return self.row.path

    @property
    def is_filled(self) -> bool:
        """Whether the fields have been looked up."""
        return self._look is None

    def __getattr__(self, name: str) -> Any:
        # Called only for a name that has no value yet.
        if name in Hit.__slots__ and name not in ("_count", "_find", "_look", "_what"):
            self.look_up()
        return object.__getattribute__(self, name)

    def __repr__(self) -> str:
        if not self.is_filled:
            return f"Hit({self.row.path!r})"
        return f"Hit({self.row.path!r}, {self.where}, {self.kind} at {self.offset}, {self.snippet!r})"


class Hits(Sequence[Hit]):
    """The hits of a page. Each is made when it is needed: of ten thousand hits a handful is shown."""

    __slots__ = ("_items", "_make")

    def __init__(
        self, items: Sequence[Document | Hit] = (), make: Callable[[Document], Hit] | None = None
    ) -> None:
        """:param items: hits, or sessions; `make` makes the hit of a session."""
        self._items = list(items)
        self._make = make

    def rows(self) -> list[Row]:
        """The rows of the hits. No hit is made."""
        return [item.row for item in self._items]

    def __len__(self) -> int:
        return len(self._items)

    @overload
    def __getitem__(self, index: int) -> Hit: ...
    @overload
    def __getitem__(self, index: slice) -> list[Hit]: ...
    def __getitem__(self, index: int | slice) -> Hit | list[Hit]:
        if isinstance(index, slice):
            return [self._at(number) for number in range(*index.indices(len(self._items)))]
        return self._at(index)

    def __iter__(self) -> Iterator[Hit]:
        return map(self._at, range(len(self._items)))

    def extend(self, hits: Hits) -> None:
        """Add the hits of another page of the same search."""
        self._items += hits._items
        self._make = hits._make or self._make

    def _at(self, number: int) -> Hit:
        item = self._items[number]
        if isinstance(item, Hit):
            return item
        assert self._make is not None
        hit = self._items[number] = self._make(item)
        return hit


class HitsByPath(Mapping[str, Hit]):
    """The hits of several pages by the path of their session. Each is made when it is needed."""

    # Numbers instead of hits: garbage collection would visit ten thousand of them.
    __slots__ = ("_hits", "_numbers")

    def __init__(self) -> None:
        self._hits = Hits()
        self._numbers: dict[str, int] = {}

    def add(self, hits: Hits) -> None:
        """Add the hits of another page of the same search, one per session."""
        end = len(self._hits)
        self._numbers.update(zip([row.path for row in hits.rows()], range(end, end + len(hits)), strict=True))
        self._hits.extend(hits)

    def copy(self) -> HitsByPath:
        """A copy that gets no further hits."""
        copied = HitsByPath()
        copied._hits, copied._numbers = self._hits, self._numbers.copy()
        return copied

    def __getitem__(self, path: str) -> Hit:
        return self._hits[self._numbers[path]]

    def __contains__(self, path: object) -> bool:
        return path in self._numbers

    def __iter__(self) -> Iterator[str]:
        return iter(self._numbers)

    def __len__(self) -> int:
        return len(self._numbers)


@dataclass(slots=True)
class Page:
    """The next hits, in the order of the search, and its progress.

    hits       the hits that no page before has, except for a provisional one
    total      sessions that match so far; exact when `done`
    searched   sessions that were searched so far
    of         all sessions
    done       this is the last page
    notes      messages about the query so far, such as near spellings; the last page also has the files that
               could not be read
    instead    the name of a term that nothing matches (`matchers.name_of`) -> what was searched for instead
    as_kept    paths of files that cannot be read any more; their stored text was searched
    unread     paths of files that cannot be read and were not searched
    loosened   no session has all words: the hits have some of them (`ranking`)
    is_provisional
               the next page has these hits again, in their final order
    """

    hits: Hits = field(default_factory=Hits)
    total: int = 0
    searched: int = 0
    of: int = 0
    done: bool = False
    notes: tuple[Note, ...] = ()
    instead: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    as_kept: Sequence[str] = ()
    unread: Sequence[str] = ()
    loosened: bool = False
    is_provisional: bool = False
