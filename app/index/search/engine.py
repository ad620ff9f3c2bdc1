"""The search over all sessions of an index, kept current."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING

from app.formats.text_kinds import CONVERSATION
from app.index.query.query import WORD, Facts, Query, Term
from app.index.search.documents import DocumentSet
from app.index.sorting import BEST
from app.index.text.mmap_reader import Segments

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from app.index.catalog.catalog import Catalog
    from app.index.scan.deltas import Delta, OnDelta
    from app.index.search.documents import Touched
    from app.index.search.hit_branch import BranchFinder, Place
    from app.index.search.results import Hit
    from app.index.search.search_run import SearchRun
    from app.index.words.tool_words import Words
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
        state_folder: str = "",
        touched: Callable[[], Touched] | None = None,
        words: Callable[[], Words] | None = None,
    ) -> None:
        """:param home: the folder that is shown as `~`: a folder is found by this form, too.
        :param unread: returns path -> reason for the files that may be sessions and cannot be read.
        :param state_folder: leafmark's state folder, with the tags; "" for none.
        :param touched: returns, at each search, a function that gives the files that a session touched, or
            None if they are not known.
        :param words: returns, at each search, the words of the tools of all sessions.
        """
        self._touched = touched
        self._words = words
        self.segments = Segments(catalog.text_folder)
        self.documents = DocumentSet(catalog, self.segments, home, stores, state_folder)
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
        query = Query(terms=(Term(WORD, "e"),), kinds=CONVERSATION)
        for number, page in enumerate(self.search(query, keep_going=keep_going, says_damage=False)):
            for hit in page.hits[: not number]:
                hit.look_up()
        for block in self.documents.snapshot().blocks:
            if not keep_going():
                return
            block.names()
            block.metadata()

    def search(
        self,
        query: Query,
        facts: Facts | None = None,
        *,
        order: str = BEST,
        every: bool = False,
        live: bool = False,
        typing: bool = False,
        keep_going: Callable[[], bool] = lambda: True,
        alone: bool = False,
        says_damage: bool = True,
    ) -> SearchRun:
        """Search for `query`.

        :param facts: the facts for filters that no row contains.
        :param order: "best": see `ranking`. Others of `index.sorting.SORTS`: by that field.
        :param every: return all hits and not the best one of each session. The hits of a session come
            together: names and labels, then texts, the last one first, then prompts that only the history of
            the agent has, folder, id and agent.
        :param live: the hits are shown as they come. The first page may be provisional, and hits in files
            follow the others in every order.
        :param typing: the last word of the query is being typed.
        :param keep_going: called every two milliseconds; the search ends without a last page when it returns
            False.
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
            live=live,
            typing=typing,
            keep_going=keep_going,
            alone=alone,
            unread=self._unread(),
            take_damage=self._take_damage if says_damage else set,
            touched=self._touched() if self._touched and (query.terms or query.paths) else None,
            words=self._words() if self._words and query.needs_files else None,
        )

    def place(self, hit: Hit, keep_going: Callable[[], bool] = lambda: True) -> Place:
        """The branch of its session that a hit is on. Reads the files of sessions with branches; raises
        nothing.

        :param keep_going: called while a file is read; the branch is unknown when it returns False.
        """
        with self._branch_lock:
            return self._finder().place(hit, keep_going)

    def first_hit(
        self, hit: Hit, offsets: Sequence[int], keep_going: Callable[[], bool] = lambda: True
    ) -> tuple[int, Place]:
        """The first of the hits of a session on its active path (`BranchFinder.first`)."""
        with self._branch_lock:
            return self._finder().first(hit, offsets, keep_going)

    def _finder(self) -> BranchFinder:
        # Imported here, as in `search`.
        from app.index.search.hit_branch import BranchFinder

        if self._branch_finder is None:
            self._branch_finder = BranchFinder(self._agents)
        return self._branch_finder
