"""The search over all sessions, kept current."""

from __future__ import annotations

import time
from threading import Lock
from typing import TYPE_CHECKING

from app.index.query.query import WORD, Facts, Query, Term
from app.index.search.hit_branch import Place, Places
from app.index.search.refinement_cache import RefinementCache
from app.index.search.search import Search
from app.index.search.sessions import Sessions
from app.index.text.mmap_reader import Segments, runs_free

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from app.index.catalog.catalog import Catalog
    from app.index.row import Row
    from app.index.search.grep.ahead import Ahead
    from app.index.search.results import Hit
    from app.stores.base import Store

__all__ = ["Place", "SearchEngine"]


class SearchEngine:
    """Searches the sessions of a catalog. May be used from several threads."""

    def __init__(
        self,
        catalog: Catalog,
        stores: Sequence[Store],
        facts: Facts | None = None,
        home: str = "",
        unread: Callable[[], Mapping[str, str]] = dict,
    ) -> None:
        """:param facts: what filters ask that no row says.
        :param home: the folder that is shown as ``~``: words are looked for in this as well.
        :param unread: path -> why, of the files that may be sessions and cannot be read.
        """
        self.segments = Segments(catalog.text_folder)
        self.sessions = Sessions(catalog, self.segments, home)
        self._facts = facts or Facts()
        self._unread = unread
        self._places = Places({store.root: store.agents for store in stores})
        self._lock = Lock()
        self._placing = Lock()
        self._memory = RefinementCache()
        self._generation = 0

    def load(self, rows: Iterable[Row] | None = None) -> None:
        """Take in all sessions that the catalog has; done by the first search where nobody did.

        :param rows: they, for somebody who has them already.
        """
        self.sessions.load(rows)

    def update(self, changed: Iterable[Row], removed: Iterable[str]) -> None:
        """Take in rows that have changed, and paths that are gone; what they cost does not depend on how many
        sessions there are.
        """
        self.sessions.update(changed, removed)

    def prepare(self, keep_going: Callable[[], bool] = lambda: True) -> None:
        """Take in what has changed, and have everything imported, mapped and worked out that the first search
        needs.

        :param keep_going: asked every two milliseconds; it is given up once it says no.
        """
        query = Query(terms=(Term(WORD, "e"),))
        for number, page in enumerate(self.search(query, keep_going=keep_going)):
            for hit in page.hits[: not number]:
                hit.look_up()
        if not keep_going():
            return
        # Those who look through all texts at once load what they look with.
        runs_free()
        layout = self.sessions.view().layout
        for block in layout.blocks:
            block.said()
            if not keep_going():
                return
        layout.spread(self.segments)

    def rows(self) -> list[Row]:
        """All sessions that are searched, in no order."""
        return self.sessions.rows()

    def search(
        self,
        query: Query,
        facts: Facts | None = None,
        *,
        order: str = "recent",
        every: bool = False,
        keep_going: Callable[[], bool] = lambda: True,
        now_ms: int | None = None,
        alone: bool = False,
        ahead: Ahead | None = None,
    ) -> Search:
        """Look for what `query` asks for.

        :param facts: others than this searcher was made with.
        :param order: "recent": as the list, newest first. "relevance": see `search.relevance`; no hit comes
            before all sessions are looked into.
        :param every: give all places, and not the best one of each session. The places of a session come
            together: names and labels, then texts, the last one first, then folder, id and program.
        :param keep_going: asked every two milliseconds; the search ends without a last page once it says no.
        :param now_ms: the time, for how old sessions are.
        :param alone: this process has nothing else to do, and may be copied so that two look through files.
        :param ahead: that was done already, for the same query.
        :raises QueryError: it has a pattern that cannot be looked for.
        """
        now = time.time_ns() // 1_000_000 if now_ms is None else now_ms
        with self._lock:
            self._generation += 1
            return Search(
                query,
                self.sessions,
                self.segments,
                facts or self._facts,
                self._memory,
                order=order,
                every=every,
                keep_going=keep_going,
                now_ms=now,
                generation=self._generation,
                alone=alone,
                ahead=ahead,
                unread=self._unread(),
                done=self._remember,
            )

    def place(self, hit: Hit, keep_going: Callable[[], bool] = lambda: True) -> Place:
        """Where in its session's tree a hit is. Reads files of sessions with branches; raises nothing.

        :param keep_going: asked all the while; once it says no, the answer is that nobody can tell.
        """
        # Not the lock that a search begins with: whoever types does not wait for a long session to be read.
        with self._placing:
            return self._places.place(hit, keep_going)

    def _remember(self, memory: RefinementCache) -> None:
        self._memory = memory
