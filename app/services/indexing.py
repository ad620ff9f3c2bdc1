"""The thread that keeps the list current: it scans the stores, then follows them until it is stopped.

It may begin before there is a screen. Until then what it finds is put into the list that the screen will be
given, so that reading goes on while the screen library is being imported.
"""

from __future__ import annotations

from threading import Event, Lock, Thread
from typing import TYPE_CHECKING

from app.view.session_list import SessionList

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from textual.message import Message

    from app.index.index import Index
    from app.index.row import Row
    from app.index.scan.deltas import Delta
    from app.setup import Setup
    from app.stores.base import Store
    from app.view.arrangement import Arrangement

    Post = Callable[[Message], object]

MOST_ROWS = 250
"""So many rows go into one message: the screen takes them over in a part of a frame's time."""


class Indexing:
    """Runs an :class:`Index` and posts what it finds; never touches a widget."""

    def __init__(self, setup: Setup, arrangement: Arrangement | None = None) -> None:
        """:param arrangement: of the list for the screen."""
        self._setup = setup
        self._arrangement = arrangement
        # One line why not all is kept on disk, as it was posted last; "" while all is.
        self.unkept = ""
        self._post: Post | None = None
        self._index: Index | None = None
        # the list for the screen, from when it holds what is stored until the screen has it
        self._model: SessionList | None = None
        self._places: list[tuple[str, str, str]] = []
        self._cold = False
        self._delta: Delta | None = None
        self._failed = ""
        self._loaded = False
        self._again = False
        self._wanted: tuple[int, Row | None] | None = None
        self._lock = Lock()
        self._said = Event()
        self._stop = Event()
        self._thread = Thread(target=self._run, name="leafmark-index", daemon=True)

    def start(self, post: Post | None = None) -> None:
        """Begin, unless it has begun.

        :param post: where to post from now on; None while there is nowhere.
        """
        with self._lock:
            self._post = post
            self._hand_over()
            if self._thread.ident is None:
                self._thread.start()

    def first_rows(self, seconds: float) -> tuple[list[Row], int, int]:
        """Wait until the newest sessions are read, or there are none, or for so long.

        :return: the sessions that are known by then; how many files are read, and how many there are to read.
        """
        self._said.wait(seconds)
        with self._lock:
            rows = self._model.rows() if self._model is not None else []
            delta = self._delta
            return rows, delta.done if delta else 0, delta.total if delta else 0

    def arrange(self, arrangement: Arrangement, first: tuple[int, Row | None] | None = None) -> None:
        """The list for the screen is to be arranged so, where it is not made yet.

        :param first: what comes first in it is to be told before the rest is ready, with `FirstPageRead`: so
            many lines, from this session on where there is one. For a list without groups, of all folders.
        """
        self._arrangement, self._wanted = arrangement, first

    @property
    def index(self) -> Index | None:
        """What is searched; None until the stored rows are read."""
        return self._index if self._loaded else None

    def rescan(self) -> bool:
        """Look at every store again, soon; the last ``SessionsChanged`` of that says so. False when the
        thread has ended and nobody will.
        """
        with self._lock:
            self._again = self._index is None
            if self._index is not None:
                self._index.rescan(self._looked)
        return self._thread.is_alive()

    def _looked(self) -> None:
        from app.messages.sessions import SessionsChanged

        with self._lock:
            if self._post is not None and not self._stop.is_set():
                self._say_unkept(self._post)
                self._post(SessionsChanged([], [], 0, 0, looked=True, unread=self._unread()))

    def stop(self) -> None:
        """End the thread and its workers; returns at once."""
        self._stop.set()

    def _run(self) -> None:
        try:
            # imported here: the screen is up before the index has anything to say
            from app.index.index import Index

            setup = self._setup
            self._index = Index(
                setup.stores,
                setup.cache_folder,
                setup.now_ms,
                home=setup.home,
                state_folder=setup.state_folder,
            )
            if self._wanted is not None:
                # what waits for them need not wait for what else is made of them
                rows = self._index.rows(seen=self._show_first)
            else:
                rows = self._index.rows()
                self._show_first(rows)
            model = SessionList(self._setup.here, self._setup.home, self._arrangement)
            model.load(rows)
            model.prepare_filter()
            self._places = [place_of(store) for store in self._setup.stores]
            self._loaded = True
            with self._lock:
                if self._again:
                    self._index.rescan(self._looked)
                self._model, self._cold = model, not model.total
                self._hand_over()
            self._index.watch(self._changed, self._stop)
        except Exception as error:
            with self._lock:
                self._failed = f"{type(error).__name__}: {error}"
                self._hand_over()
            self._said.set()

    def _show_first(self, rows: Sequence[Row]) -> None:
        wanted, arrangement, setup = self._wanted, self._arrangement, self._setup
        if wanted is None or arrangement is None:
            return
        from app.actions.pin import pins
        from app.messages.sessions import FirstPageRead
        from app.view.first_page import first_page

        lines, row = wanted
        pinned = pins(setup.stores, setup.state_folder)
        page = first_page(rows, arrangement, lines, row, here=setup.here, home=setup.home, pins=pinned)
        with self._lock:
            if page is not None and self._post is not None and not self._stop.is_set():
                self._post(FirstPageRead(page, "" if row is None else row.path))

    def _changed(self, delta: Delta) -> None:
        with self._lock:
            if delta.changed or delta.done >= delta.total:
                self._said.set()
            if self._model is not None:
                self._model.apply(delta.changed, delta.removed)
                delta.changed, delta.removed = [], []
            self._delta = delta
            self._hand_over()

    def _hand_over(self) -> None:
        """Post what there is to say, if there is anybody to post to. With the lock held."""
        if self._post is None or self._stop.is_set():
            return
        from app.messages.sessions import CatalogLoaded, IndexFailed, SessionsChanged

        if self._model is not None:
            self._post(CatalogLoaded(self._model, self._places, self._cold))
            self._model = None
        self._say_unkept(self._post)
        if self._delta is not None:
            delta, self._delta = self._delta, None
            rows, removed, unread = delta.changed, delta.removed, self._unread()
            while len(rows) > MOST_ROWS:
                now, rows = rows[:MOST_ROWS], rows[MOST_ROWS:]
                done = max(0, delta.done - len(rows))
                self._post(SessionsChanged(now, removed, done, delta.total, unread=unread))
                removed = []
            self._post(SessionsChanged(rows, removed, delta.done, delta.total, unread=unread))
        if self._failed:
            self._post(IndexFailed(self._failed))
            self._failed = ""

    def _say_unkept(self, post: Post) -> None:
        """Say why not all is kept on disk, and when all is again: once. With the lock held."""
        from app.messages.sessions import Unkept

        why = (self._index.catalog.note if self._index is not None else None) or ""
        if why != self.unkept:
            self.unkept = why
            post(Unkept(why))

    def _unread(self) -> tuple[int, int]:
        return self._index.unread_counts if self._index is not None else (0, 0)


def place_of(store: Store) -> tuple[str, str, str]:
    """(agents, folder, what is there and how it was found) of a store, for a screen that has nothing to
    list.
    """
    return "+".join(store.agents), store.root, f"{store.problem() or 'no sessions there'} ({store.source})"
