"""What a search gives: pages of hits.

Plain classes: see `index.query.query`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, overload

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any, Literal

    from app.index.query.query import Note
    from app.index.row import Row
    from app.index.search.documents import Document

    Where = Literal["text", "name", "label", "folder", "id", "program", "header", "row"]
    Range = tuple[int, int]


class Hit:
    """One place where a session matches; of a query without terms, the session itself (`where` is "row").

    where      what matched: a text of an entry, what the catalog knows of the session, or something else in
               its header
    kind       who says the text (`formats.kinds`); 0 for what is no text
    offset     where the entry's line begins in the file; -1 for what is no text
    entry_id   None where the file has no ids, what matched is no entry, or the entry is there no more
    role       the message's role as pi spells it ("user", "toolResult"), else the entry's type; "name" or
               "label" where one of those matched
    snippet    one inert line around the match; `ranges` are (start, end) in it, in characters
    timestamp  of the entry, in milliseconds since the epoch UTC
    score      the higher, the more relevant; 0 unless that is the order
    near       it was found by another spelling of a word that is nowhere

    A hit looks these up when one of them is asked for, in the thread that asks, but for `row`, `score` and
    `near`: that reads a line of the session's file.
    """

    __slots__ = (
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
        """A hit that is looked up when it is asked for.

        :param look: calls `fill` of the hit it is given, and is given `what`, too. May be called in any
            thread.
        """
        hit = cls.__new__(cls)
        hit.row = row
        hit.score = score
        hit.near = near
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
        """All that is looked up."""
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
        """See that nothing is left to look up."""
        look, what = self._look, self._what
        if look is not None:
            look(self, what)

    @property
    def path(self) -> str:
        """Of the session's file."""
        return self.row.path

    @property
    def is_filled(self) -> bool:
        """Whether nothing is left to look up."""
        return self._look is None

    def __getattr__(self, name: str) -> Any:
        # Asked for only what has no value yet.
        if name in Hit.__slots__ and name not in ("_look", "_what"):
            self.look_up()
        return object.__getattribute__(self, name)

    def __repr__(self) -> str:
        if not self.is_filled:
            return f"Hit({self.row.path!r})"
        return f"Hit({self.row.path!r}, {self.where}, {self.kind} at {self.offset}, {self.snippet!r})"


class Hits(Sequence[Hit]):
    """The hits of a page. Of ten thousand a handful is looked at: each is made when it is asked for first."""

    __slots__ = ("_items", "_make")

    def __init__(
        self, items: Sequence[Document | Hit] = (), make: Callable[[Document], Hit] | None = None
    ) -> None:
        """:param items: sessions, each of which `make` makes the hit of, or hits."""
        self._items = list(items)
        self._make = make

    def rows(self) -> list[Row]:
        """The row of each, for who wants no more than that."""
        return [item.row for item in self._items]

    def __len__(self) -> int:
        return len(self._items)

    @overload
    def __getitem__(self, index: int) -> Hit: ...
    @overload
    def __getitem__(self, index: slice) -> list[Hit]: ...
    def __getitem__(self, index: int | slice) -> Hit | list[Hit]:
        if isinstance(index, slice):
            return [self._at(place) for place in range(*index.indices(len(self._items)))]
        return self._at(index)

    def __iter__(self) -> Iterator[Hit]:
        return map(self._at, range(len(self._items)))

    def _at(self, place: int) -> Hit:
        item = self._items[place]
        if isinstance(item, Hit):
            return item
        assert self._make is not None
        hit = self._items[place] = self._make(item)
        return hit


class HitsByPath(Mapping[str, Hit]):
    """The hits of several pages by the paths of their sessions, each made when it is asked for."""

    # Numbers and no pairs: the collector would look at ten thousand of these, in the middle of a picture.
    __slots__ = ("_begins", "_end", "_numbers", "_pages")

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._pages: list[Hits] = []
        self._begins: list[int] = []
        self._end = 0

    def add(self, hits: Hits) -> None:
        """Take in those of one page more, one of each session."""
        begin = self._end
        self._end += len(hits)
        self._pages.append(hits)
        self._begins.append(begin)
        self._numbers.update(zip([row.path for row in hits.rows()], range(begin, self._end), strict=True))

    def copy(self) -> HitsByPath:
        """What there is now; more can be added to one and not to the other."""
        other = HitsByPath()
        other._numbers = self._numbers.copy()
        other._pages = self._pages.copy()
        other._begins = self._begins.copy()
        other._end = self._end
        return other

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
    """The next hits, in the order that was asked for, and how far the search is.

    total      sessions that match so far; exact when `done`
    searched   sessions looked into, of `of`
    notes      what there is to say so far: near spellings that were used; when `done`, files that could not
               be read, too
    instead    by a term that is nowhere (`terms.name_of`), what was looked for instead
    as_kept    paths of files that cannot be read any more, of which what was kept was looked through
    unread     paths of files that cannot be read, of which nothing was
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
        # A count: to spell hits out would look each of them up, and take a screen for each.
        hits = f"{len(self.hits)} hit{'' if len(self.hits) == 1 else 's'}"
        return f"Page({hits}, total={self.total}, {self.searched}/{self.of}, done={self.done})"
