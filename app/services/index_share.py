"""The list of a screen over another one, kept current by what the index tells that one: one index runs."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING

from app.messages.sessions import CatalogLoaded, IndexFailed, SessionsChanged
from app.services.latest import LatestOnlyWorker
from app.view.session_list import SessionList

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from textual.message import Message

    from app.index.index import Index
    from app.index.row import Row
    from app.services.indexing import Indexing
    from app.setup import Setup
    from app.view.arrangement import Arrangement


class IndexShare:
    """Stands in for `Indexing` on the upper screen, and posts the same; the lower one `load`s and `tell`s it
    what it was told itself.
    """

    def __init__(
        self,
        indexing: Callable[[], Indexing | IndexShare],
        setup: Setup,
        arrangement: Arrangement,
        failed: Callable[[BaseException], None],
    ) -> None:
        """:param indexing: the lower screen's; another one when that has begun anew.
        :param arrangement: of the upper screen's list.
        :param failed: gets what goes wrong in the thread; called in that thread.
        """
        self._indexing = indexing
        self._setup = setup
        self._arrangement = arrangement
        self._post: Callable[[Message], object] | None = None
        self._latest = LatestOnlyWorker("follow", failed)
        self._lock = Lock()
        self._loads = 0
        # what comes before the list is there, in order
        self._waiting: list[Message] | None = []
        self._ready: list[Message] = []

    # for the upper screen

    def start(self, post: Callable[[Message], object] | None = None) -> None:
        """Post from now on, and what was said until now."""
        with self._lock:
            self._post = post
            self._flush()

    @property
    def index(self) -> Index | None:
        """What is searched; None until the stored rows are read."""
        return self._indexing().index

    @property
    def unkept(self) -> str:
        """Why not all is kept on disk, as the lower screen was told; "" while all is."""
        return self._indexing().unkept

    def rescan(self) -> bool:
        """Look at every store again, soon. False when nobody will."""
        return self._indexing().rescan()

    def stop(self) -> None:
        """Post nothing more; the index runs on for the lower screen."""
        with self._lock:
            self._post = None
        self._latest.stop()

    # for the lower screen

    def load(
        self,
        rows: Sequence[Row],
        places: Sequence[tuple[str, str, str]],
        *,
        scanned: bool,
        unread: tuple[int, int] = (0, 0),
    ) -> None:
        """These are the sessions now; what is told from here on comes on top.

        :param places: see `CatalogLoaded`.
        :param scanned: every store has been looked at; `unread`: so many files and folders cannot be read.
        """
        with self._lock:
            self._loads += 1
            number = self._loads
            self._waiting = [SessionsChanged([], [], 0, 0, unread=unread)] if scanned else []
        self._latest.ask(lambda overtaken: self._load(number, rows, places))

    def tell(self, event: SessionsChanged) -> None:
        """Sessions have changed."""
        changed, removed, done, total = event.changed, event.removed, event.done, event.total
        self._say(SessionsChanged(changed, removed, done, total, looked=event.looked, unread=event.unread))

    def tell_failed(self, reason: str) -> None:
        """Changes are not followed any more."""
        self._say(IndexFailed(reason))

    def _say(self, message: Message) -> None:
        with self._lock:
            if self._waiting is not None:
                self._waiting.append(message)
            else:
                self._ready.append(message)
                self._flush()

    def _load(self, number: int, rows: Sequence[Row], places: Sequence[tuple[str, str, str]]) -> None:
        model = SessionList(self._setup.here, self._setup.home, self._arrangement)
        model.load(rows)
        model.prepare_filter()
        with self._lock:
            if number != self._loads:
                return
            self._ready += [CatalogLoaded(model, places, False), *(self._waiting or ())]
            self._waiting = None
            self._flush()

    def _flush(self) -> None:
        """Post what is ready, if there is anybody to post to. With the lock held."""
        if self._post is None:
            return
        for message in self._ready:
            self._post(message)
        self._ready = []
