"""Give the rest of leafmark the index: the stored rows at once, then the changes."""

from __future__ import annotations

import os
import threading
import time
from collections import deque
from typing import TYPE_CHECKING

from app.formats.prices import LIST_PRICES
from app.index.catalog.catalog import Catalog
from app.index.row import unread
from app.index.scan.retry import RescanningReader
from app.index.scan.scan import Scanner
from app.index.search.engine import SearchEngine
from app.index.sorting import BEST, SORTS
from app.index.text.store import TextStore
from app.index.touched_files import TouchedFiles
from app.index.truncation import guard_database
from app.index.words.tool_words import ToolWords

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Self, TypeVar

    from app.formats.prices import Prices
    from app.index.query.query import Facts
    from app.index.row import Row
    from app.index.scan.deltas import OnDelta
    from app.index.scan.scan import Metrics
    from app.index.search.hit_branch import Place
    from app.index.search.results import Hit
    from app.index.search.search_run import SearchRun
    from app.index.watch.follower import Follower
    from app.stores.base import Store
    from app.stores.layout import Complaint

    Result = TypeVar("Result")


def _wall_clock() -> int:
    return time.time_ns() // 1_000_000


class Index:
    """The sessions of `stores`, stored in a cache folder and kept current. A `with` statement closes it.

    One thread calls `scan` or `watch`; other threads may use `rows`, `problem_files`, `note`, `rescan`,
    `query` and `place`. The index writes only the catalog and the texts in the cache folder. All types that
    the methods return and raise can be imported from `app.index`.

    scanned   called in the thread of `watch` after each look at all files; set it before
    """

    def __init__(
        self,
        stores: Sequence[Store],
        cache_folder: str,
        now: Callable[[], int] = _wall_clock,
        *,
        poll: bool | None = None,
        home: str = "",
        facts: Facts | None = None,
        state_folder: str = "",
        prices: Prices = LIST_PRICES,
        on_renewed: Callable[[str], object] = lambda _: None,
    ) -> None:
        """Open the catalog; read no session file yet.

        :param now: returns the time in milliseconds since the epoch, for the time of growth of a file and for
            ages in queries.
        :param poll: poll for changes instead of using the system's notices; None: use the variable
            LEAFMARK_POLL.
        :param home: the folder that `~` stands for, in queries and in folders that are shown.
        :param facts: the facts for filters that no row contains; None: look them up when a query begins
            (`index.filter_context`).
        :param state_folder: the folder with leafmark's own pins, for agents that have no pins, and the tags;
            "" for none.
        :param prices: those of tokens without a cost, for the filter `cost:`.
        :param on_renewed: called with one line, in any thread, when the stored rows were damaged, or of
            another version, and are deleted. It must not use the index.
        """
        self.catalog = Catalog(cache_folder, stores, on_renewed)
        self.scanned: Callable[[], object] = lambda: None
        self._stores = stores
        self._now = now
        self.text_store = TextStore(self.catalog)
        self._scanner = Scanner(self.catalog, self.text_store, stores, now)
        self._reader = RescanningReader(self.catalog, self._scanner)
        self._texts = True
        self._poll = os.environ.get("LEAFMARK_POLL", "") not in ("", "0") if poll is None else poll
        self._follower: Follower | None = None
        self._begun = False
        self._rescans: deque[Callable[[], object]] = deque()
        self._home = home
        self._facts = facts
        self._state_folder = state_folder
        self._prices = prices
        self.cache_folder = cache_folder
        self.touched_files = TouchedFiles(cache_folder)
        self.tool_words = ToolWords(cache_folder)
        self._engine = SearchEngine(
            self.catalog,
            stores,
            home,
            lambda: self.unread,
            state_folder,
            self.touched_files.lookup,
            self.tool_words.current,
        )
        self._lock = threading.Lock()
        self._search: SearchRun | None = None

    @property
    def counts(self) -> Metrics:
        """The cost of scanning so far."""
        return self._scanner.counts

    @property
    def note(self) -> str | None:
        """One line about a part of the index that does not work as it should, else None."""
        behind = "the catalog was lost: all files are being read again" if self._scanner.is_behind else None
        return (
            self.catalog.note
            or self.text_store.note
            or behind
            or (self._follower.note if self._follower else None)
        )

    def rows(self, full: bool = False, seen: Callable[[list[Row]], object] | None = None) -> list[Row]:
        """Return the stored sessions, newest first; before the first scan they may be out of date.

        The deltas of a later `scan` or `watch` are relative to the first result of this method; without one,
        to the rows that are stored when the scan begins.

        When the catalog turns out to be damaged after a scan, all files are read again, and this method waits
        for them: at most `retry.PATIENCE_SECONDS` while another thread reads them, and not at all when that
        thread itself calls it. While rows may be missing from the result, `note` says so.

        :param full: include the first messages.
        :param seen: called with the rows, unordered, as soon as they are read.
        """
        generation = self.catalog.generation
        rows = self._ask(lambda: self.catalog.rows(full, seen))
        if not self._begun:
            self._begun = True
            if not full:
                self._engine.documents.load(rows)
            known = {row.path: row.signature for row in (*rows, *self.catalog.refused())}
            if self.catalog.generation != generation:
                # The catalog may have been lost after the rows were read.
                known = {path: unread(signature) for path, signature in known.items()}
            self._scanner.begin(known)
        return rows

    def newest(self, limit: int) -> tuple[list[Row], int]:
        """Return the newest `limit` stored sessions, without first messages, and the number of all."""
        return self._ask(lambda: self.catalog.newest(limit))

    def _ask(self, read: Callable[[], Result], *, waits: bool = True) -> Result:
        """Return the result of `read`; see `RescanningReader.ask` for a catalog that was lost."""
        return self._reader.ask(lambda: self._scan(None, None, texts=self._texts), read, waits=waits)

    def scan(
        self,
        on_delta: OnDelta | None = None,
        stop: threading.Event | None = None,
        *,
        gentle: bool = False,
        texts: bool = True,
    ) -> None:
        """Bring the catalog up to date once, reading the newest files first.

        :param on_delta: called in this thread at most every 50 ms while there are results, and at the end of
            the first scan in any case.
        :param stop: set by another thread to end the scan soon; the files that were read stay stored.
        :param gentle: pause now and then, so that the thread of the screen can run.
        :param texts: see `Scanner.scan`.
        """
        with self._reader:
            self._scan(on_delta, stop, gentle, texts)

    def _scan(
        self,
        on_delta: OnDelta | None,
        stop: threading.Event | None,
        gentle: bool = False,
        texts: bool = True,
    ) -> None:
        if not self._begun:
            self._begun = True
            self._scanner.begin(self.catalog.signatures())
        self._texts = texts
        needs_listener = on_delta is not None or self._engine.needs_deltas
        listener = self._engine.listener(on_delta) if needs_listener else None

        stop_event = stop or threading.Event()

        def scan() -> None:
            self._scanner.scan(listener, stop_event, gentle, texts=texts)

        def settle() -> None:
            if listener is None:
                self._engine.catch_up()
            self.catalog.tidy(self._now())

        self._reader.read(scan, settle, scan_first=True)

    def watch(self, on_delta: OnDelta, stop: threading.Event) -> None:
        """Scan, then keep the catalog current until `stop` is set."""
        # Imported here: a list that is printed once does not follow files.
        from app.index.watch.follower import Follower

        guard_database(self.catalog.path)
        follower = self._follower = Follower(
            self._scanner, self._stores, self._rescans, poll=self._poll, scanned=self.scanned
        )
        with self._reader:
            try:
                self._scan(on_delta, stop, gentle=True)
                if not stop.is_set():
                    follower.run(self._engine.listener(on_delta), stop)
            finally:
                self.close()

    def rescan(self, done: Callable[[], object] | None = None) -> None:
        """Make `watch` look at every file again soon.

        :param done: called in the thread of `watch` after all changes have been reported.
        """
        self._rescans.append(done or (lambda: None))

    def look_ahead(
        self,
        text: str,
        *,
        order: str = "best",
        every: bool = False,
        foreseen: Callable[[Hit], object] | None = None,
    ) -> None:
        """Check that `query` can run `text`, without a search. The other parameters have no effect.

        :raises QueryError: the query cannot be run.
        """
        # Imported here, as in `query`.
        from app.index.query.grammar import parse
        from app.index.search.matchers import QueryPlan

        QueryPlan(parse(text, self._now(), home=self._home))

    def query(
        self,
        text: str,
        *,
        order: str = "best",
        every: bool = False,
        live: bool = False,
        typing: bool = False,
        alone: bool = False,
        keep_going: Callable[[], bool] = lambda: True,
    ) -> SearchRun:
        """Search for `text` (see `index.query.grammar`) in all sessions that are known. Cancel the previous
        search. The first search may wait as `rows` does, and misses sessions if `note` says so; later ones
        search all sessions.

        :param order: "best", or one of `index.sorting.SORTS`; `sort:` in the query comes before it.
            "relevance" is an older name of "best". See `SearchEngine.search` for it, `every`, `live`,
            `typing`, `alone` and `keep_going`.
        :raises QueryError: the query cannot be run; the previous search continues.
        :raises ValueError: `order` is unknown.
        """
        # Imported here: a list runs no query.
        from app.index.query.grammar import parse

        order = BEST if order == "relevance" else order
        if order not in (BEST, *SORTS):
            raise ValueError(f"no such order: {order!r}")
        now_ms = self._now()
        query = parse(text, now_ms, home=self._home)
        order = query.sort or order
        guard_database(self.catalog.path)
        self._ask(self._engine.load, waits=not self._engine.documents.loaded)
        rows = self._engine.documents.rows
        if (query.files or query.needs_files) and self._follower is None:
            # On the screen, they are read in the background.
            self.touched_files.update(rows())
        facts = self._facts
        if facts is None and (query.filters or order == "cost"):
            # Imported here: only filters need the live sessions and the pins, and an order the prices.
            from app.index.filter_context import facts_of

            touched = self.touched_files if query.files else None
            facts = facts_of(self._stores, rows, now_ms, self._state_folder, self._prices, touched)
        with self._lock:
            search = self._engine.search(
                query,
                facts,
                order=order,
                every=every,
                live=live,
                typing=typing,
                keep_going=keep_going,
                alone=alone,
            )
            older, self._search = self._search, search
        if older is not None:
            older.cancel()
        return search

    def search(self, text: str, *, order: str = "best") -> Iterator[Hit]:
        """Search as `query` does, and return the hits one by one. They are looked up while the index is open.

        :raises QueryError, ValueError: as `query`, at once.
        """
        return (hit for page in self.query(text, order=order) for hit in page.hits)

    @property
    def searched_rows(self) -> list[Row]:
        """The rows of the sessions that `query` searches, in no order; none before the first query."""
        return self._engine.documents.rows()

    def prepare(self, keep_going: Callable[[], bool] = lambda: True) -> None:
        """Load the data that the first query searches, so that the query does not wait for it.

        :param keep_going: called repeatedly; when it returns False, the first query loads the rest.
        """
        # These modules are not needed yet, but they load slowly.
        import app.index.filter_context
        import app.index.query.grammar  # noqa: F401

        self._engine.prepare(keep_going)

    def place(self, hit: Hit, keep_going: Callable[[], bool] = lambda: True) -> Place:
        """Return the position of a hit in its session's tree, see `SearchEngine.place`."""
        return self._engine.place(hit, keep_going)

    def first_hit(
        self, hit: Hit, offsets: Sequence[int], keep_going: Callable[[], bool] = lambda: True
    ) -> tuple[int, Place]:
        """Return the offset and the position of the first of the hits of a session that is on its active path
        (`Hit.offsets`).
        """
        return self._engine.first_hit(hit, offsets, keep_going)

    def problem_files(self) -> list[Row]:
        """Return the files that are no sessions, by path, with the reason in `refused`."""
        return self._ask(self.catalog.refused)

    @property
    def complaints(self) -> list[Complaint]:
        """(path, reason) of folders and files that the last scan passed over or could not read."""
        return list(self._scanner.complaints)

    @property
    def unread(self) -> dict[str, str]:
        """Path -> reason for the files that could not be read at the last look and were never read before: it
        is not known whether they are sessions.
        """
        return self._scanner.unreadable.unread()

    @property
    def unread_counts(self) -> tuple[int, int]:
        """The number of files that are in `unread`, are compressed or are no sessions, and the number of
        folders that could not be read at the last look and may contain sessions.
        """
        compressed, folders = self._scanner.unreadable.counts()
        return len({*self.unread, *self.refused_paths}) + compressed, folders

    @property
    def refused_paths(self) -> list[str]:
        """The paths of the files that are no sessions, as far as they are known without waiting."""
        return self._ask(self.catalog.refused_paths, waits=False)

    def close(self) -> None:
        """Close the catalog. First set `stop` and wait until `scan` and `watch` have returned."""
        self.catalog.close()
        self.text_store.close()
        self.touched_files.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()
