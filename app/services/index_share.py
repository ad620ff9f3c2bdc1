"""The list of a screen over another one, kept current by the index service of the lower screen."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING

from app.messages import CatalogLoaded, IndexFailed, SessionsChanged
from app.services.background import BackgroundService
from app.view.list_model import ListModel

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from textual.message import Message

    from app.index.index import Index
    from app.index.row import Row
    from app.services.background import Post
    from app.services.index_service import IndexService
    from app.setup import Setup
    from app.view.arrangement import Arrangement


class IndexShare(BackgroundService):
    """Replaces `IndexService` on the upper screen and posts the same messages. The lower screen calls `load`
    once and `forward` for each message that it receives.
    """

    def __init__(
        self,
        indexing: Callable[[], IndexService | IndexShare],
        setup: Setup,
        arrangement: Arrangement,
    ) -> None:
        """:param indexing: gives the lower screen's service; that screen may replace it by a new one.
        :param arrangement: of the upper screen's list.
        """
        super().__init__(self._post_when_started)
        self._indexing = indexing
        self._setup = setup
        self._arrangement = arrangement
        self._post_to: Post | None = None
        self._lock = Lock()
        # Messages that came before the list is filled, in order; None: it is filled.
        self._early: list[Message] | None = []
        self._ready: list[Message] = []

    # for the upper screen

    def start(self, post: Post | None = None) -> None:
        """Post the messages so far, and those to come."""
        with self._lock:
            self._post_to = post
            self._flush()

    @property
    def index(self) -> Index | None:
        """The index to search; None until the stored rows are read."""
        return self._indexing().index

    @property
    def cache_problem(self) -> str:
        """Why some of what was read could not be written to the cache; "" if all of it was."""
        return self._indexing().cache_problem

    def rescan(self) -> bool:
        """Scan every store again; False if the thread has ended."""
        return self._indexing().rescan()

    def stop(self) -> None:
        """Post nothing more; the index runs on for the lower screen."""
        with self._lock:
            self._post_to = None
        super().stop()

    # for the lower screen

    def load(
        self,
        rows: Sequence[Row],
        places: Sequence[tuple[str, str, str]],
        *,
        scanned: bool,
        unread: tuple[int, int] = (0, 0),
    ) -> None:
        """Fill the list with all sessions; messages from now on are changes to it.

        :param places: (agents, folder, state) of each store.
        :param scanned: every store has been scanned.
        :param unread: numbers of files and folders that cannot be read.
        """
        with self._lock:
            self.generation += 1
            generation = self.generation
            self._early = [SessionsChanged([], [], 0, 0, unread=unread)] if scanned else []
        self._worker.submit(lambda is_stale: self._load(generation, rows, places))

    def forward(self, event: SessionsChanged) -> None:
        """Post a change of sessions."""
        changed, removed, done, total = event.changed, event.removed, event.done, event.total
        self._add(SessionsChanged(changed, removed, done, total, looked=event.looked, unread=event.unread))

    def forward_failure(self, reason: str) -> None:
        """Post that changes are not followed any more."""
        self._add(IndexFailed(reason))

    def _add(self, message: Message) -> None:
        with self._lock:
            if self._early is not None:
                self._early.append(message)
                return
        self._post(message)

    def _load(self, generation: int, rows: Sequence[Row], places: Sequence[tuple[str, str, str]]) -> None:
        model = ListModel(self._setup.here, self._setup.home, self._arrangement)
        model.load(rows)
        model.prepare_filter()
        with self._lock:
            if generation != self.generation:
                return
            self._ready += [CatalogLoaded(model, places, False), *(self._early or ())]
            self._early = None
            self._flush()

    def _post_when_started(self, message: Message) -> None:
        with self._lock:
            self._ready.append(message)
            self._flush()

    def _flush(self) -> None:
        """Post the ready messages, if there is a screen. The caller holds the lock."""
        if self._post_to is None:
            return
        for message in self._ready:
            self._post_to(message)
        self._ready = []
