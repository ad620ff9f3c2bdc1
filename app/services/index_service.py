"""The thread that keeps the list of sessions current: it scans the stores, then follows them.

It may start before there is a screen: it fills the list for the screen while Textual is being imported.
"""

from __future__ import annotations

from threading import Condition, Event, Thread
from typing import TYPE_CHECKING

from app.services.background import BackgroundService
from app.view.list_model import ListModel

if TYPE_CHECKING:
    from textual.message import Message

    from app.index.index import Index
    from app.index.row import Row
    from app.index.scan.deltas import Delta
    from app.services.background import Post
    from app.setup import Setup
    from app.stores.base import Store
    from app.view.arrangement import Arrangement

MOST_ROWS = 250
"""Rows in one message: the screen adds them to its list in a part of a frame's time."""


class IndexService(BackgroundService):
    """Runs an `Index` and posts what it finds.

    cache_problem   why some of what was read could not be written to the cache; "" if all of it was
    """

    def __init__(self, setup: Setup, arrangement: Arrangement | None = None) -> None:
        """:param arrangement: of the screen's list."""
        super().__init__(self._post_if_shown)
        self._setup = setup
        self._arrangement = arrangement
        self.cache_problem = ""
        self._post_to: Post | None = None
        self._is_started = self._is_running = False
        self._index: Index | None = None
        # The screen's list, from when it holds the stored rows until it is posted.
        self._model: ListModel | None = None
        self._places: list[tuple[str, str, str]] = []
        self._is_cold = False
        self._delta: Delta | None = None
        # why the thread has ended, until it is posted
        self._reason = ""
        self._keeper: Thread | None = None
        # the first reason why a session was not kept, which is posted once
        self._keep_problem = ""
        self._loaded = False
        self._rescan_wanted = False
        self._lock = Condition()
        self._stop = Event()

    def start(self, post: Post | None = None) -> None:
        """Start the thread, unless it runs.

        :param post: receives the messages from now on; None while there is no screen.
        """
        with self._lock:
            self._post_to = post
            self._post_pending()
            if not self._is_started:
                self._is_started = self._is_running = True
                self._worker.submit(lambda is_stale: self._run())

    def first_rows(self, seconds: float, enough: int) -> tuple[list[Row], int, int]:
        """Wait until `enough` sessions are read, there are no more, or the time is over.

        :param seconds: the longest time to wait.
        :return: the sessions that are known; how many files are read, and how many there are to read.
        """

        def is_filled() -> bool:
            is_done = self._delta is not None and self._delta.done >= self._delta.total
            return (
                is_done or not self._is_running or (self._model is not None and self._model.total >= enough)
            )

        with self._lock:
            self._lock.wait_for(is_filled, seconds)
            rows = self._model.rows() if self._model is not None else []
            delta = self._delta
            return rows, delta.done if delta else 0, delta.total if delta else 0

    @property
    def index(self) -> Index | None:
        """The index to search; None until the stored rows are read."""
        return self._index if self._loaded else None

    def rescan(self) -> bool:
        """Scan every store again; the last ``SessionsChanged`` of the scan has ``looked``.

        :return: False if the thread has ended.
        """
        with self._lock:
            self._rescan_wanted = self._index is None
            if self._index is not None:
                self._index.rescan(self._post_rescanned)
        return self._is_running

    def _post_rescanned(self) -> None:
        from app.messages import SessionsChanged  # needs Textual, as below

        with self._lock:
            if self._post_to is not None and not self._stop.is_set():
                self._post_cache_problem()
                self._post(SessionsChanged([], [], 0, 0, looked=True, unread=self._unread()))

    def stop(self) -> None:
        """End the thread and its workers; returns at once."""
        self._is_running = False
        self._stop.set()
        super().stop()

    def _run(self) -> None:
        setup = self._setup
        self._index = setup.open_index(setup.renewals.append)
        model = ListModel(setup.here, setup.home, self._arrangement)
        model.load(self._index.rows())
        model.prepare_filter()
        self._places = [place_of(store) for store in setup.stores]
        self._loaded = True
        with self._lock:
            if self._rescan_wanted:
                self._index.rescan(self._post_rescanned)
            self._model, self._is_cold = model, not model.total
            self._post_pending()
        self._index.scanned = self._keep
        self._index.watch(self._changed, self._stop)

    def _keep(self) -> None:
        """Start a thread that brings kept sessions up to date, unless it runs."""
        if self._keeper is None or not self._keeper.is_alive():
            # A copy that is cut off by the end of the process is not counted as one.
            self._keeper = Thread(target=self._update_copies, daemon=True)
            self._keeper.start()

    def _update_copies(self) -> None:
        # Imported here: the first rows do not wait for these.
        from app.actions.keep import due, keep_all
        from app.sessions.errors import SessionError
        from app.settings import read_settings

        setup, index = self._setup, self._index
        if index is None or setup.demo:
            return
        setting = read_settings(setup.env).keep
        rows = index.rows() if setting in ("expiring", "all") else []
        sessions = due(rows, setup.stores, setting, setup.now_ms())
        problems: list[str] = []

        def done(number: int, path: str, result: object) -> None:
            if isinstance(result, SessionError):
                problems.append(str(result))

        keep_all(sessions, setup.stores, done, lambda: not self._stop.is_set())
        if problems and problems[0] != self._keep_problem:
            with self._lock:
                setup.renewals.append(f"a session was not kept: {problems[0]}")
                self._post_pending()
        self._keep_problem = problems[0] if problems else ""

    def _failed(self, error: BaseException) -> None:
        with self._lock:
            self._is_running = False
            self._reason = f"{type(error).__name__}: {error}"
            self._post_pending()
            self._lock.notify_all()

    def _changed(self, delta: Delta) -> None:
        with self._lock:
            if self._model is not None:
                self._model.apply(delta.changed, delta.removed)
                delta.changed, delta.removed = [], []
            self._delta = delta
            self._post_pending()
            self._lock.notify_all()

    def _post_pending(self) -> None:
        """Post what has changed, if there is a screen. The caller holds the lock."""
        if self._post_to is None or self._stop.is_set():
            return
        # not at the top: the thread starts before Textual is imported, which the messages need
        from app.messages import CatalogLoaded, IndexFailed, IndexRenewed, SessionsChanged

        if self._model is not None:
            self._post(CatalogLoaded(self._model, self._places, self._is_cold))
            self._model = None
        while self._setup.renewals:
            self._post(IndexRenewed(self._setup.renewals.pop(0)))
        self._post_cache_problem()
        if self._delta is not None:
            delta, self._delta = self._delta, None
            rows, removed, unread = delta.changed, delta.removed, self._unread()
            while len(rows) > MOST_ROWS:
                batch, rows = rows[:MOST_ROWS], rows[MOST_ROWS:]
                done = max(0, delta.done - len(rows))
                self._post(SessionsChanged(batch, removed, done, delta.total, unread=unread))
                removed = []
            self._post(SessionsChanged(rows, removed, delta.done, delta.total, unread=unread))
        if self._reason:
            self._post(IndexFailed(self._reason))
            self._reason = ""

    def _post_if_shown(self, message: Message) -> None:
        if self._post_to is not None:
            self._post_to(message)

    def _post_cache_problem(self) -> None:
        """Post once that the cache could not be written, and once that it is written again. The caller holds
        the lock.
        """
        from app.messages import CacheNotSaved  # imported here because it needs Textual

        index = self._index
        reason = (index.catalog.note or index.text_store.note or "") if index is not None else ""
        if reason != self.cache_problem:
            self.cache_problem = reason
            self._post(CacheNotSaved(reason))

    def _unread(self) -> tuple[int, int]:
        return self._index.unread_counts if self._index is not None else (0, 0)


def place_of(store: Store) -> tuple[str, str, str]:
    """(agents, folder, its state) of a store, for a screen without sessions. The state also says how a store
    was found that is not the agent's usual one.
    """
    state = store.problem() or ("empty" if store.is_bare() else "no sessions")
    state = "unreadable" if state == "not readable" else state
    source = "" if store.source == "default" else f" ({store.source})"
    return "+".join(store.agents), store.root, state + source
