"""The sessions that can be searched: kept up to date row by row, laid out in blocks now and then."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING

from app.index.search.documents import Block, Document, blocks
from app.index.search.spread import Spread

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from app.index.catalog.catalog import Catalog
    from app.index.row import Row
    from app.index.text.mmap_reader import Segments
    from app.index.text.segment import Span

MOST_FRESH = 256
"""So many sessions may have changed before all are laid out anew: that takes a hundredth of a second."""


class Layout:
    """The sessions as they were laid out last."""

    def __init__(self, sessions: Sequence[Document]) -> None:
        self.blocks = blocks(sessions)
        self._spread: Spread | None = None

    def spread(self, segments: Segments) -> Spread:
        """Where their texts are; worked out when it is asked for first."""
        spread = self._spread
        if spread is None or spread.age != segments.age:
            spread = self._spread = Spread(self.blocks, segments)
        return spread


class View:
    """All sessions as they are at one moment; does not change.

    layout   the sessions as they were laid out last; `blocks` they, newest first
    stale    those of `blocks` that have changed since, or are gone
    fresh    those that have changed since, newest first; in one block, or none
    away     paths of those that are known as they were before their files were out of reach, sorted
    """

    __slots__ = ("away", "blocks", "count", "fresh", "layout", "stale")

    def __init__(
        self,
        layout: Layout,
        stale: frozenset[Document],
        fresh: list[Document],
        count: int,
        away: Sequence[str],
    ) -> None:
        self.away = away
        self.blocks = layout.blocks
        self.stale = stale
        self.fresh = Block(fresh) if fresh else None
        self.layout = layout
        self.count = count

    def all_blocks(self) -> list[Block]:
        """Fresh ones first."""
        return [self.fresh, *self.blocks] if self.fresh else self.blocks


class Sessions:
    """May be used from several threads."""

    def __init__(self, catalog: Catalog, segments: Segments, home: str = "") -> None:
        """:param home: the folder that is written as ``~``."""
        self._home = home
        self._catalog = catalog
        self._segments = segments
        self._lock = Lock()
        self._by_path: dict[str, Document] = {}
        self._laid = Layout([])
        self._in_blocks: dict[str, Document] = {}
        self._changed: set[str] = set()
        self._unasked: set[str] = set()
        self._away: set[str] = set()
        self._view: View | None = None
        self.loaded = False
        self._has_texts = False
        self._is_laid = True
        self.asked = 0
        """How many sessions' texts the catalog was asked for."""

    def load(self, rows: Iterable[Row] | None = None) -> None:
        """Take in all that the catalog has, besides what was told of before.

        :param rows: the rows, for somebody who has them already.
        """
        with self._lock:
            told = self._by_path
            stored = {row.path: row for row in (self._catalog.rows() if rows is None else rows)}
            # What was read is stored before it is told of: what is told only is new, or not read yet.
            stored.update((path, session.row) for path, session in told.items() if path not in stored)
            self._by_path = {path: self._session(row) for path, row in stored.items()}
            self._away = {path for path, row in stored.items() if row.is_out_of_reach}
            self.loaded = True
            self._has_texts = self._is_laid = False
            self._view = None

    def update(self, changed: Iterable[Row], removed: Iterable[str]) -> None:
        """Take in what has changed."""
        with self._lock:
            for row in changed:
                self._by_path[row.path] = self._session(row)
                self._changed.add(row.path)
                self._away.discard(row.path)
                if row.is_out_of_reach:
                    self._away.add(row.path)
                if not row.provisional:
                    # Asked where its text is when somebody searches: a burst costs one question.
                    self._unasked.add(row.path)
            for path in removed:
                if self._by_path.pop(path, None) is not None:
                    self._changed.add(path)
                self._unasked.discard(path)
                self._away.discard(path)
            self._view = None

    def _session(self, row: Row, spans: tuple[Span, ...] | None = None) -> Document:
        return Document(row, spans, self._home)

    def reload(self, sessions: Sequence[Document]) -> list[Document]:
        """Ask the catalog anew where the texts of these are, and give them as they are now. Where a text was
        looked for and not found, and the catalog knows no other place, there is none.
        """
        texts = self._catalog.texts([session.row.path for session in sessions])
        fresh = []
        for session in sessions:
            spans = texts.get(session.row.path)
            spans = None if spans == session.spans else spans
            fresh.append(self._session(session.row, spans))
        with self._lock:
            self.asked += len(sessions)
            for before, now in zip(sessions, fresh, strict=True):
                if self._by_path.get(now.row.path) is before:
                    self._by_path[now.row.path] = now
                    self._changed.add(now.row.path)
            self._view = None
        return fresh

    def rows(self) -> list[Row]:
        """Of all sessions that have been taken in, in no order."""
        with self._lock:
            return [session.row for session in self._by_path.values()]

    def view(self, *, texts: bool = True) -> View:
        """The sessions as they are now.

        :param texts: somebody looks through their texts. Of files alone it is not asked where those are.
        """
        if not self.loaded:
            self.load()
        if texts:
            self._ask()
        with self._lock:
            if self._view is None:
                if not self._is_laid or len(self._changed) > MOST_FRESH:
                    self._lay_out()
                self._view = self._make_view()
            return self._view

    def _ask(self) -> None:
        with self._lock:
            if not self._has_texts:
                self._ask_of_all()
            asked = [self._by_path[path] for path in self._unasked]
            self._unasked.clear()
        if asked:
            self.reload(asked)

    def _ask_of_all(self) -> None:
        texts = self._catalog.texts()
        self.asked += len(self._by_path)
        self._by_path = {
            path: self._session(session.row, texts.get(path)) for path, session in self._by_path.items()
        }
        self._unasked.clear()
        self._has_texts, self._is_laid = True, False
        self._view = None

    def _lay_out(self) -> None:
        ordered = newest_first(self._by_path.values())
        self._laid = Layout(ordered)
        self._is_laid = True
        self._in_blocks = dict(self._by_path)
        self._changed.clear()
        self._view = None
        self._segments.keep({span[0] for session in ordered for span in session.spans or ()})

    def _make_view(self) -> View:
        stale = frozenset(self._in_blocks[path] for path in self._changed if path in self._in_blocks)
        fresh = [self._by_path[path] for path in self._changed if path in self._by_path]
        return View(self._laid, stale, newest_first(fresh), len(self._by_path), sorted(self._away))


def key_of(session: Document) -> tuple[int, str]:
    """Sorts as the list does: newest first, then by path."""
    return -session.row.modified, session.row.path


def newest_first(sessions: Iterable[Document]) -> list[Document]:
    """In the order of the list."""
    return sorted(sessions, key=key_of)
