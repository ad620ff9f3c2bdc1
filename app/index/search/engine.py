"""The search over all sessions of an index, kept current."""

from __future__ import annotations

import time
from threading import Lock
from typing import TYPE_CHECKING

from app.index.query.query import WORD, Facts, Query, Term
from app.index.search.documents import DocumentSet
from app.index.text.mmap_reader import Segments

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from app.index.catalog.catalog import Catalog
    from app.index.scan.deltas import Delta, OnDelta
    from app.index.search.hit_branch import BranchFinder, Place
    from app.index.search.results import Hit
    from app.index.search.search_run import SearchRun
    from app.stores.base import Store


class SearchEngine:
    """Searches the sessions of a catalog. It may be used from several threads.

    The first search loads the sessions from the catalog, unless `documents` are loaded. From then on the
    deltas of scans keep them current: `listener` and `catch_up` are for the thread that scans.

    segments    the text store
    documents   the sessions
    """

    def __init__(
        self,
        catalog: Catalog,
        stores: Sequence[Store],
        home: str = "",
        unread: Callable[[], Mapping[str, str]] = dict,
    ) -> None:
        """:param home: the folder that is shown as `~`: a folder is found by this form, too.
        :param unread: returns path -> reason for the files that may be sessions and cannot be read.
        """
        self.segments = Segments(catalog.text_folder)
        self.documents = DocumentSet(catalog, self.segments, home, stores)
        self._unread = unread
        self._take_damage = catalog.take_damage
        self._agents = {store.root: store.agents for store in stores}
        self._branch_lock = Lock()
        self._branch_finder: BranchFinder | None = None

    # -- the list of sessions --

    def load(self) -> None:
        """Take in the sessions of the catalog, unless they are known."""
        if not self.documents.loaded:
            self.documents.load()

    @property
    def needs_deltas(self) -> bool:
        """Whether the deltas of a scan have to be given to `listener`; else `catch_up` follows the scan."""
        return self.documents.loaded and self.documents.count > 0

    def listener(self, on_delta: OnDelta | None) -> OnDelta:
        """The receiver of the deltas of a scan: it updates the sessions and calls `on_delta`."""

        def receive(delta: Delta) -> object:
            self.documents.update(delta.changed, delta.removed)
            return on_delta(delta) if on_delta is not None else None

        return receive

    def catch_up(self) -> None:
        """Take in the result of a scan that had no listener, if the sessions were loaded before it ended."""
        if self.documents.loaded:
            self.documents.load()

    # -- searching --

    def prepare(self, keep_going: Callable[[], bool] = lambda: True) -> None:
        """Load the modules, segments and metadata that the first search needs, and take in changed sessions.

        :param keep_going: called every two milliseconds; the preparation ends when it returns False.
        """
        query = Query(terms=(Term(WORD, "e"),))
        for number, page in enumerate(self.search(query, keep_going=keep_going, says_damage=False)):
            for hit in page.hits[: not number]:
                hit.look_up()
        for block in self.documents.snapshot().blocks:
            if not keep_going():
                return
            block.metadata()

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
        says_damage: bool = True,
    ) -> SearchRun:
        """Search for `query`.

        :param facts: the facts for filters that no row contains.
        :param order: "recent": newest session first, as in the list. "relevance": by score, see `search_run`.
            Others of `index.sorting.SORTS`: by that field. Except for "recent", the first hit comes when all
            sessions were searched.
        :param every: return all hits and not the best one of each session. The hits of a session come
            together: names and labels, then texts, the last one first, then prompts that only the history of
            the agent has, folder, id and agent.
        :param keep_going: called every two milliseconds; the search ends without a last page when it returns
            False.
        :param now_ms: the time in milliseconds since the epoch, for the age of sessions; None for now.
        :param alone: the process does nothing else: if a session's file has to be read, its best hit is found
            at once, so that the file is read once.
        :param says_damage: the last page has a note about stored texts that were missing or damaged.
        :raises QueryError: the query has a pattern that cannot be compiled.
        """
        # Imported here: a list runs no search, and these modules take longer to load than the list.
        from app.index.search.search_run import SearchRun

        return SearchRun(
            query,
            self.documents,
            self.segments,
            facts or Facts(),
            order=order,
            every=every,
            keep_going=keep_going,
            now_ms=time.time_ns() // 1_000_000 if now_ms is None else now_ms,
            alone=alone,
            unread=self._unread(),
            take_damage=self._take_damage if says_damage else set,
        )

    def place(self, hit: Hit, keep_going: Callable[[], bool] = lambda: True) -> Place:
        """The branch of its session that a hit is on. Reads the files of sessions with branches; raises
        nothing.

        :param keep_going: called while a file is read; the branch is unknown when it returns False.
        """
        # Imported here, as in `search`.
        from app.index.search.hit_branch import BranchFinder

        with self._branch_lock:
            if self._branch_finder is None:
                self._branch_finder = BranchFinder(self._agents)
            return self._branch_finder.place(hit, keep_going)
