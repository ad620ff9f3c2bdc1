"""The index as the rest of the program sees it: rows at once, then what changes."""

from __future__ import annotations

import os
import threading
import time
from typing import TYPE_CHECKING

from app.index.catalog.catalog import Catalog
from app.index.own_searcher import OwnSearcher
from app.index.row import unread
from app.index.scan.retry import Scanned
from app.index.scan.scan import Scanner

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeVar

    from app.index.query.query import Facts
    from app.index.row import Row
    from app.index.scan.deltas import OnDelta
    from app.index.scan.metrics import Metrics
    from app.index.search.grep.ahead import Ahead
    from app.index.search.hit_branch import Place
    from app.index.search.results import Hit
    from app.index.search.search import Search
    from app.index.watch.follower import Follower
    from app.stores.base import Store
    from app.stores.layout import Complaint

    Result = TypeVar("Result")


def _wall_clock() -> int:
    return time.time_ns() // 1_000_000


class Index:
    """The sessions of `stores`, kept in a cache folder and kept current.

    One thread calls `scan` or `watch`; `rows`, `problem_files`, `note`, `rescan`, `query` and `place` may be
    used from others. Nothing is written but the catalog and the texts in the cache folder. All that is
    given and raised can be imported from `app.index`.
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
    ) -> None:
        """:param now: the time in milliseconds, for when a file was seen to grow, and for ages in queries.
        :param poll: look for changes instead of being told; None: as the variable LEAFMARK_POLL says.
        :param home: the folder that `~` stands for, in a query and where folders are shown.
        :param facts: what queries ask that no row says; None: as it is when a query begins (`index.facts`).
        :param state_folder: where leafmark keeps the pins of agents that know none; "" for nowhere.
        """
        self.catalog = Catalog(cache_folder, stores)
        self._stores = stores
        self._now = now
        self._scanner = Scanner(self.catalog, stores, now)
        self._scanned = Scanned(self.catalog, self._scanner)
        self._texts = True
        self._poll = os.environ.get("LEAFMARK_POLL", "") not in ("", "0") if poll is None else poll
        self._follower: Follower | None = None
        self._begun = False
        self._rescan = threading.Event()
        self._rescanned: list[Callable[[], object]] = []
        self._home = home
        self._facts = facts
        self._state_folder = state_folder
        self._own = OwnSearcher(self.catalog, stores, home, lambda: self.unread)
        self._lock = threading.Lock()
        self._search: Search | None = None
        self._ahead: Ahead | None = None
        self._foreseen: tuple[object, ...] | None = None

    @property
    def counts(self) -> Metrics:
        """What scanning has cost so far."""
        return self._scanner.counts

    @property
    def note(self) -> str | None:
        """One line about what does not work as it should here, else None."""
        behind = "the catalog was lost: all files are being read again" if self._scanner.is_behind else None
        return self.catalog.note or behind or (self._follower.note if self._follower else None)

    def rows(self, full: bool = False, seen: Callable[[list[Row]], object] | None = None) -> list[Row]:
        """The sessions as stored, newest first; before the first scan they may be out of date.

        The deltas of a later `scan` or `watch` are against what this returned the first time; without it,
        against what is stored when the scan begins.

        When the catalog turns out to be damaged after a scan, all files are read again, and this waits for
        them; for `again.PATIENCE_SECONDS` where another thread does that, and not at all in what that thread
        calls. While there may be more than this returned, `note` says so.

        :param full: with their first messages.
        :param seen: is called with them in no order, as soon as they are read.
        """
        generation = self.catalog.generation
        rows = self._ask(lambda: self.catalog.rows(full, seen))
        if not self._begun:
            self._begun = True
            if not full:
                self._own.give(rows)
            known = {row.path: row.signature for row in (*rows, *self.catalog.refused())}
            if self.catalog.generation != generation:
                # They may have been lost after they were read.
                known = {path: unread(signature) for path, signature in known.items()}
            self._scanner.begin(known)
        return rows

    def newest(self, limit: int) -> tuple[list[Row], int]:
        """The newest sessions as stored, without their first messages, and the number of all."""
        return self._ask(lambda: self.catalog.newest(limit))

    def _ask(self, read: Callable[[], Result], *, waits: bool = True) -> Result:
        """What `read` finds in the catalog; see `Scanned.ask` for when that was lost."""
        return self._scanned.ask(lambda: self._scan(None, None, texts=self._texts), read, waits=waits)

    def scan(
        self,
        on_delta: OnDelta | None = None,
        stop: threading.Event | None = None,
        *,
        gentle: bool = False,
        texts: bool = True,
    ) -> None:
        """Bring the catalog up to date once, reading the newest files first.

        :param on_delta: is called in this thread at most every 50 ms while there are results, and at the end
            of the first scan in any case.
        :param stop: set by another thread to end soon; what has been read is kept.
        :param gentle: leave room for the thread of the screen.
        :param texts: see `Scanner.scan`.
        """
        with self._scanned:
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
        tell = self._own.listening(on_delta)

        ending = stop or threading.Event()

        def scan() -> None:
            self._scanner.scan(tell, ending, gentle, texts=texts)

        def settle() -> None:
            if tell is None:
                self._own.catch_up()
            self.catalog.tidy(self._now())

        self._scanned.read(scan, settle, scan_first=True)

    def watch(self, on_delta: OnDelta, stop: threading.Event) -> None:
        """`scan`, then keep current until `stop` is set."""
        # A list that is printed once needs nothing of what follows files.
        from app.index.watch.follower import Follower

        follower = self._follower = Follower(self._scanner, self._stores, poll=self._poll)
        with self._scanned:
            try:
                self._scan(on_delta, stop, gentle=True)
                if not stop.is_set():
                    follower.run(self._own.telling(on_delta), stop, self._rescan, self._asked)
                    # who has a screen will start another
                    self.catalog.keep_groups()
            finally:
                self.catalog.close()

    def rescan(self, done: Callable[[], object] | None = None) -> None:
        """Have `watch` look at every file again, soon.

        :param done: is called in the thread that watches, when all that was found has been told.
        """
        if done is not None:
            self._rescanned.append(done)
        self._rescan.set()

    def _asked(self) -> list[Callable[[], object]]:
        asked, self._rescanned = self._rescanned, []
        return asked

    def look_ahead(
        self,
        text: str,
        *,
        order: str = "recent",
        all_text: bool = False,
        every: bool = False,
        foreseen: Callable[[Hit], object] | None = None,
    ) -> None:
        """Have a copy of this process look through files for `text`, the oldest first, while this one brings
        the catalog up to date. For a process that does nothing but that, and then asks for the same with
        `query(alone=True)`. Where it would save nothing, nothing happens.

        :param foreseen: is called by that query with hits that are none yet: whoever asks something about
            each of them can do so before it is their turn, while the copy goes on.
        :raises QueryError: the query cannot be run.
        """
        from app.index.query.grammar import parse

        now_ms = self._now()
        query = parse(text, now_ms, home=self._home, all_text=all_text)
        if not query.is_deep:
            return
        from app.index.search.grep.ahead import look_ahead
        from app.index.search.terms import Plan

        plan = Plan(query)
        if query.filters:
            from app.index.filter_context import facts_of

            rows = self.rows()
            facts = self._facts or facts_of(self._stores, lambda: rows, now_ms, self._state_folder)
            rows = [row for row in rows if query.passes(row, facts)]
            files = [(row.path, row.signature) for row in rows]
            dialect: Callable[[int], str] = lambda number: rows[number].dialect  # noqa: E731
        else:
            # Rows take longer, and are not needed to look through files.
            stored = self.catalog.files()
            files, dialect = stored.listed, stored.dialect
            if not self._begun:
                self._begun = True
                self._scanner.begin(dict([*files, *stored.refused]))
        self._ahead = look_ahead(plan, files, dialect, every=every or order != "recent")
        if self._ahead and foreseen:
            self._ahead.foreseen = foreseen
        self._foreseen = (text, order, all_text, every)

    def query(
        self,
        text: str,
        *,
        order: str = "recent",
        all_text: bool = False,
        every: bool = False,
        alone: bool = False,
        keep_going: Callable[[], bool] = lambda: True,
    ) -> Search:
        """Look for what `text` asks for (see `index.query.grammar`), in all sessions that are known by now.
        The search that was begun last is cancelled. The first one may have to wait as `rows` does, and finds
        less where `note` says so; later ones know all sessions and need not.

        :param order: "recent" or "relevance", see `Searcher.search`, which also says what `every` does.
        :param all_text: look everywhere where the query does not say where, not in the conversation alone.
        :param alone: this process has nothing else to do, see `Searcher.search`, as for `keep_going`.
        :raises QueryError: the query cannot be run; the search before goes on.
        :raises ValueError: there is no such order.
        """
        from app.index.query.grammar import parse

        if order not in ("recent", "relevance"):
            raise ValueError(f"no such order: {order!r}")
        now_ms = self._now()
        query = parse(text, now_ms, home=self._home, all_text=all_text)
        searcher = self._ask(self._own.searcher, waits=not self._own.has_rows)
        facts = self._facts
        if query.filters and facts is None:
            from app.index.filter_context import facts_of

            facts = facts_of(self._stores, searcher.rows, now_ms, self._state_folder)
        ahead = None
        if alone and self._foreseen == (text, order, all_text, every):
            ahead, self._foreseen = self._ahead, None
        search = searcher.search(
            query,
            facts,
            order=order,
            every=every,
            keep_going=keep_going,
            now_ms=now_ms,
            alone=alone,
            ahead=ahead,
        )
        with self._lock:
            older = self._search
            if older is not None and older.generation > search.generation:
                # Another thread has been quicker with a newer one.
                older = search
            else:
                self._search = search
        if older is not None:
            older.cancel()
        return search

    def prepare(self, keep_going: Callable[[], bool] = lambda: True) -> None:
        """Make ready for the first query, which would otherwise wait for what it looks through.

        :param keep_going: asked all the while; the rest is left to the first query once it says no.
        """
        # They are not needed yet, but load as slowly.
        import app.index.filter_context
        import app.index.query.grammar  # noqa: F401

        self._own.searcher().prepare(keep_going)

    def place(self, hit: Hit, keep_going: Callable[[], bool] = lambda: True) -> Place:
        """Where in its session's tree a hit is, see `Searcher.place`."""
        return self._own.searcher().place(hit, keep_going)

    def problem_files(self) -> list[Row]:
        """The files that are no sessions, with the reason in `refused`, by path."""
        return self._ask(self.catalog.refused)

    @property
    def complaints(self) -> list[Complaint]:
        """(path, reason) of folders and files that the last scan passed over or could not read."""
        return list(self._scanner.complaints)

    @property
    def unread(self) -> dict[str, str]:
        """Path -> why, of the files that could not be read when they were last looked at, and of which
        nothing is known: nobody can say whether they are sessions.
        """
        return self._scanner.out_of_reach.unread()

    @property
    def unread_counts(self) -> tuple[int, int]:
        """How many files of which nothing is known could not be read when they were last looked at, and how
        many folders, in which there may be sessions.
        """
        return self._scanner.out_of_reach.counts()

    def close(self) -> None:
        """Let go of the catalog's file, when `scan` and `watch` have come back: another thread that has not
        is told to by its `stop` first.
        """
        if self._ahead:
            self._ahead.close()
        self.catalog.close()
