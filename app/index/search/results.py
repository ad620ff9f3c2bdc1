"""The results of a search: pages of hits."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, overload

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from app.index.query.query import Note
    from app.index.row import Row
    from app.index.search.documents import Document
    from app.index.search.metadata_fields import Where

    Range = tuple[int, int]


class Hit:
    """A match in a session; for a query without terms, the session itself (`where` is "row").

    where      what matched: a text of an entry, a field of the session's metadata, or another part of its
               header
    kind       who says the text (`formats.text_kinds`); 0 if no text matched
    offset     the offset of the entry's line in the file; -1 if no text matched
    entry_id   None if the file has no ids, no entry matched, or the entry does not exist any more
    role       the message's role as pi spells it ("user", "toolResult"), else the entry's type; "name" or
               "label" if one of those matched
    snippet    one inert line around the match
    ranges     the (start, end) of the matches in `snippet`, in characters
    timestamp  that of the entry, in milliseconds since the epoch UTC
    score      the higher, the more relevant; 0 in another order than by relevance
    near       it was found by another spelling of a word that nothing matches

    `count` gives the number of texts of the session that match.

    `row`, `score` and `near` are known at once. The others are looked up when the first of them is read, in
    the thread that reads it: a line of the session's file is read.
    """

    __slots__ = (
        "_count",
        "_look",
        "_what",
        "entry_id",
        "kind",
        "near",
        "offset",
        "ranges",
        "role",
        "row",
        "score",
        "snippet",
        "timestamp",
        "where",
    )

    _count: Callable[[int], int] | int
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
        score: float = 0.0,
        near: bool = False,
    ) -> None:
        self.row = row
        self.score = score
        self.near = near
        self._count = 0
        self.fill(where, kind, offset, entry_id, role, snippet, ranges, timestamp)

    @classmethod
    def later(
        cls,
        row: Row,
        look: Callable[[Hit, Any], object],
        what: object,
        score: float = 0.0,
        near: bool = False,
    ) -> Hit:
        """A hit that is looked up when it is needed.

        :param look: called with the hit and `what`, in any thread; it calls `fill`.
        """
        hit = cls.__new__(cls)
        hit.row = row
        hit.score = score
        hit.near = near
        hit._count = 0
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

    def count_with(self, count: Callable[[int], int]) -> Hit:
        """Set the function that counts the texts that match, up to a number; the result is this hit."""
        self._count = count
        return self

    def count(self, most: int) -> int:
        """The number of texts of the session that match, counted up to `most`; 0 if none does, or if this is
        one of several hits of the session.
        """
        if not isinstance(self._count, int):
            self._count = self._count(most)
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
        if name in Hit.__slots__ and name not in ("_count", "_look", "_what"):
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

    def _at(self, number: int) -> Hit:
        item = self._items[number]
        if isinstance(item, Hit):
            return item
        assert self._make is not None
        hit = self._items[number] = self._make(item)
        return hit


class HitsByPath(Mapping[str, Hit]):
    """The hits of several pages by the path of their session. Each is made when it is needed."""

    # Numbers instead of pairs: garbage collection would visit ten thousand pairs.
    __slots__ = ("_begins", "_end", "_numbers", "_pages")

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._pages: list[Hits] = []
        self._begins: list[int] = []
        self._end = 0

    def add(self, hits: Hits) -> None:
        """Add the hits of another page, one per session."""
        begin = self._end
        self._end += len(hits)
        self._pages.append(hits)
        self._begins.append(begin)
        self._numbers.update(zip([row.path for row in hits.rows()], range(begin, self._end), strict=True))

    def copy(self) -> HitsByPath:
        """An independent copy."""
        copied = HitsByPath()
        copied._numbers = self._numbers.copy()
        copied._pages = self._pages.copy()
        copied._begins = self._begins.copy()
        copied._end = self._end
        return copied

    def __getitem__(self, path: str) -> Hit:
        number = self._numbers[path]
        page = bisect_right(self._begins, number) - 1
        return self._pages[page][number - self._begins[page]]

    def __contains__(self, path: object) -> bool:
        return path in self._numbers

    def __iter__(self) -> Iterator[str]:
        return iter(self._numbers)

    def __len__(self) -> int:
        return len(self._numbers)


class Page:
    """The next hits, in the order of the search, and its progress.

    hits       the hits that no page before has
    total      sessions that match so far; exact when `done`
    searched   sessions that were searched so far
    of         all sessions
    done       this is the last page
    notes      messages about the query so far, such as near spellings; the last page also has the files that
               could not be read
    instead    the name of a term that nothing matches (`matchers.name_of`) -> what was searched for instead
    as_kept    paths of files that cannot be read any more; their stored text was searched
    unread     paths of files that cannot be read and were not searched
    """

    __slots__ = ("as_kept", "done", "hits", "instead", "notes", "of", "searched", "total", "unread")

    def __init__(
        self,
        hits: Hits | Sequence[Hit] = (),
        total: int = 0,
        searched: int = 0,
        of: int = 0,
        done: bool = False,
        notes: tuple[Note, ...] = (),
        instead: Mapping[str, tuple[str, ...]] | None = None,
        as_kept: Sequence[str] = (),
        unread: Sequence[str] = (),
    ) -> None:
        self.hits = hits if isinstance(hits, Hits) else Hits(hits)
        self.total = total
        self.searched = searched
        self.of = of
        self.done = done
        self.notes = notes
        self.instead = instead or {}
        self.as_kept = as_kept
        self.unread = unread

    def __repr__(self) -> str:
        # Only the number of hits, because the repr of a hit would look up its fields.
        hits = f"{len(self.hits)} hit{'' if len(self.hits) == 1 else 's'}"
        return f"Page({hits}, total={self.total}, {self.searched}/{self.of}, done={self.done})"
