"""Keeps the list of sessions as they are on disk, from the messages of the index. They are forwarded to a
screen over this one.
"""

from __future__ import annotations

import asyncio
import gc
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING

from app.formats.text import one_line
from app.keys import key_of
from app.services.index_service import IndexService
from app.services.index_share import IndexShare
from app.view.bars import reading_note
from app.view.notifications import RESCANNING, RescanReport

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from app.controllers.facts_feed import FactsFeed
    from app.controllers.status_messages import StatusMessages
    from app.index.index import Index
    from app.index.row import Row
    from app.messages import CatalogLoaded, IndexFailed, SessionsChanged
    from app.panes.sessions_pane import SessionsPane
    from app.services.background import Post
    from app.setup import Setup
    from app.view.arrangement import Arrangement

SLICE = 100
"""Changes that are put into the list at a time: more would block the keys."""

FAILURE_SECONDS = 10.0
"""Seconds for which the message stays that changes are not followed."""

FROZEN_FROM = 1_000
"""The number of new sessions after which all are exempted from garbage collection, because they stay."""


@dataclass(eq=False, repr=False)
class IndexFeed:
    """Puts what the index finds into the list of a pane.

    is_reading   whether files are being read: a session that is missing may appear in a moment
    scanned      every store was scanned
    unread       numbers of files and of folders that cannot be read

    :param service: finds the sessions.
    :param post: receives its messages.
    :param follow: shows what came to the file of the session under the cursor.
    :param changed: shows that other sessions are listed.
    """

    _setup: Setup
    _pane: SessionsPane
    _facts: FactsFeed
    _messages: StatusMessages
    _service: IndexService | IndexShare
    _: KW_ONLY
    post: Post
    follow: Callable[[Row], Awaitable[None]]
    changed: Callable[[], None]

    def __post_init__(self) -> None:
        self._model = self._pane.model
        self.is_reading = False
        self.scanned = False
        self.unread = (0, 0)
        # as the first frame has it on the screen
        self._progress = reading_note(*self._model.reading)
        # sessions added and removed since the rescan was requested
        self._report: RescanReport | None = None
        self._frozen = 0
        self._is_cold = False
        self._above: IndexShare | None = None

    @property
    def index(self) -> Index | None:
        """The index to search; None until the stored rows are read."""
        return self._service.index

    @property
    def cache_problem(self) -> str:
        """The reason why the cache cannot be written; "" if it can."""
        return self._service.cache_problem

    @property
    def activity(self) -> str:
        """The activity of the index, for the header; "" for none."""
        return self._progress or ("" if self._report is None else RESCANNING)

    def start(self) -> None:
        """Follow the stores."""
        self._service.start(self.post)

    def stop(self) -> None:
        """End the service."""
        self._service.stop()

    # the screen above

    def share(self, arrangement: Arrangement) -> IndexShare:
        """Share the index with a screen over this one, one at a time.

        :param arrangement: of that list.
        """
        self._above = IndexShare(lambda: self._service, self._setup, arrangement)
        self._load_above(self._above)
        return self._above

    def _load_above(self, above: IndexShare) -> None:
        above.load(
            self._facts.rows_without_subagents, self._facts.places, scanned=self.scanned, unread=self.unread
        )

    def take_back(self) -> None:
        """Take the index back from the screen over this one, which is gone."""
        self._above = None
        # A search of that screen may have ended the one here, and none was made for changes meanwhile.
        self._search_again()

    def _search_again(self) -> None:
        """Search again after sessions have changed. An index runs one search: while it is shared, that is the
        upper screen's, and a search for this hidden screen might end it.
        """
        if self._above is None:
            self._pane.look_again()

    # messages of the index

    def catalog_loaded(self, event: CatalogLoaded, begin_at: str = "") -> bool:
        """Show the stored sessions.

        :param begin_at: the path of the session that gets the cursor; "" leaves it.
        :return: whether that session has the cursor.
        """
        sessions = self._pane.list
        self._facts.places = event.places
        self._is_cold = event.cold
        sessions.adopt(event.model)
        self._freeze_rows()
        if self._is_cold:
            sessions.open_first()
        has_begun = bool(begin_at) and sessions.go_to(begin_at)
        if begin_at and not has_begun:
            # Without a catalog it comes with the files.
            sessions.expect(begin_at)
        self._search_again()
        self.changed()
        if self._above is not None:
            self._load_above(self._above)
        self._facts.find_here()
        self._facts.look()
        return has_begun

    async def sessions_changed(self, event: SessionsChanged) -> None:
        """Show changes on disk."""
        sessions, model = self._pane.list, self._model
        if self._report is not None:
            known = {row.path for row in event.changed if model.row_at(row.path) is not None}
            self._report.add([row.path for row in event.changed], known, event.removed)
        path = sessions.row.path if sessions.row is not None else ""
        shown = next((row for row in event.changed if row.path == path), None)
        if shown is not None:
            # Wait a moment for the new entries: then one picture shows both.
            await self.follow(shown)
        changed, removed = list(event.changed), [*event.removed, *self._facts.gone_with(event.removed)]
        shows_hidden = model.arrangement.hidden
        are_new = shows_hidden and any(model.row_at(row.path) is None for row in changed)
        while changed or removed:
            # the new ones first: among them is what only moved
            gone = [] if len(changed) > SLICE else removed[:SLICE]
            sessions.apply(changed[:SLICE], gone)
            del changed[:SLICE], removed[: len(gone)]
            if self._is_cold:
                sessions.open_first()
            # keys and paints come between the slices, and between two of these messages
            await asyncio.sleep(0)
        self._progress = reading_note(event.done, event.total)
        self.is_reading = bool(self._progress)
        self.unread = event.unread
        if not self.scanned and event.done >= event.total:
            self.scanned = True
            are_new = shows_hidden
            self._pane.prepare()
            # By now all rows are on the screen, and the first keys have had their effect.
            self._facts.read_journal()
            self._facts.read_keeping()
            self._facts.find_here()
            self._facts.look()
        if are_new and self.scanned:
            # a session that came back has brought its sub-agents along
            self._facts.read_subagents()
        if event.looked and self._report is not None:
            self._messages.show(self._report.words())
            self._report = None
        self._is_cold = self._is_cold and not self.scanned
        if not model.known:
            self._facts.find_places()
        if model.known - self._frozen >= FROZEN_FROM:
            self._freeze_rows()
        self._search_again()
        self.changed()
        if self._above is not None:
            # Last: this list had only a part of these changes when the screen above was filled from it.
            self._above.forward(event)

    def _freeze_rows(self) -> None:
        """Exempt the sessions from garbage collection: they stay to the end, and looking at ten thousand
        blocks the screen (`app.gc_policy`).
        """
        gc.freeze()
        self._frozen = self._model.known

    def index_failed(self, event: IndexFailed) -> None:
        """Say that changes are not followed any more."""
        key = key_of("index.rescan")
        again = f" ({key} looks again)" if key else ""
        self.is_reading = False
        self._progress = f"changes are not followed{again}: {one_line(event.reason)}"
        # The rule of a screen without a header has no room for the reason.
        self._messages.warn(self._progress[0].upper() + self._progress[1:], FAILURE_SECONDS)
        self._report = None
        self._facts.read_journal()
        if self._above is not None:
            self._above.forward_failure(event.reason)

    def rescan(self) -> None:
        """Scan every store again, and say what has changed."""
        self._report = RescanReport()
        if not self._service.rescan():
            self._service = IndexService(self._setup, self._model.arrangement)
            self._service.rescan()
            self._service.start(self.post)
            self._progress = ""
        self._facts.read_pins()
        self._facts.read_journal()
        self._facts.look()
