"""The thread that keeps the list current: it scans the stores, then follows them until it is stopped."""

from __future__ import annotations

from threading import Event, Thread

from app.messages import CatalogLoaded, IndexFailed, SessionsChanged
from app.view.session_list import SessionList

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.message import Message

    from app.index.batch import Delta
    from app.index.index import Index
    from app.setup import Setup
    from app.stores.base import Store


class Indexing:
    """Runs an :class:`Index` and posts what it finds; never touches a widget."""

    def __init__(self, setup: Setup, post: Callable[[Message], object]) -> None:
        self._setup = setup
        self._post = post
        self._index: Index | None = None
        self._stop = Event()
        self._thread = Thread(target=self._run, name="leafmark-index", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def rescan(self) -> bool:
        """Look at every store again, soon. False when the thread has ended and nobody will."""
        if self._index is not None:
            self._index.rescan()
        return self._thread.is_alive()

    def stop(self) -> None:
        """End the thread and its workers; returns at once."""
        self._stop.set()

    def _run(self) -> None:
        # imported here: the screen is up before the index has anything to say
        from app.index.index import Index

        try:
            self._index = Index(self._setup.stores, self._setup.cache_folder, self._setup.now_ms)
            places = [_place(store) for store in self._setup.stores]
            model = SessionList(self._setup.here, self._setup.home)
            model.load(self._index.rows())
            model.prepare_filter()
            self._post(CatalogLoaded(model, places))
            self._index.follow(self._changed, self._stop)
        except Exception as error:
            if not self._stop.is_set():
                self._post(IndexFailed(f"{type(error).__name__}: {error}"))

    def _changed(self, delta: Delta) -> None:
        if not self._stop.is_set():
            self._post(SessionsChanged(delta.changed, delta.removed, delta.done, delta.total))


def _place(store: Store) -> tuple[str, str, str]:
    """(agents, folder, what is there and how it was found) of a store, for a screen that has nothing to
    list.
    """
    return "+".join(store.agents), store.root, f"{store.problem() or 'no sessions there'} ({store.source})"
