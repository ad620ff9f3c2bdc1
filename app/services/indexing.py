"""The thread that keeps the list current: it scans the stores, then follows them until it is stopped."""

from __future__ import annotations

from threading import Event, Thread

from app.messages import CatalogLoaded, IndexFailed, SessionsChanged

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.message import Message

    from app.index.index import Index
    from app.index.scan import Delta


class Indexing:
    """Runs an :class:`Index` and posts what it finds; never touches a widget."""

    def __init__(self, index: Index, post: Callable[[Message], object]) -> None:
        self._index = index
        self._post = post
        self._stop = Event()
        self._thread = Thread(target=self._run, name="leafmark-index", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def rescan(self) -> None:
        """Look at every store again, soon."""
        self._index.rescan()

    def stop(self) -> None:
        """End the thread and its workers; returns at once."""
        self._stop.set()

    def join(self, seconds: float) -> None:
        """Wait for the thread to end."""
        self._thread.join(seconds)

    def _run(self) -> None:
        try:
            self._post(CatalogLoaded(self._index.rows()))
            self._index.follow(self._changed, self._stop)
        except Exception as error:
            if not self._stop.is_set():
                self._post(IndexFailed(f"{type(error).__name__}: {error}"))

    def _changed(self, delta: Delta) -> None:
        if not self._stop.is_set():
            self._post(SessionsChanged(delta.changed, delta.removed, delta.done, delta.total))
