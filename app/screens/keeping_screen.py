"""Keeping the list of sessions as they are on disk, from the messages of the index. They are forwarded to a
screen over this one.
"""

from __future__ import annotations

import asyncio
import gc
from typing import TYPE_CHECKING

from textual import on

from app.formats.text import one_line
from app.keys import key_of
from app.messages import CatalogLoaded, IndexFailed, SessionsChanged
from app.panes.sessions_pane import SessionsPane
from app.screens.surroundings_screen import SurroundingsScreen
from app.services.index_service import IndexService
from app.services.index_share import IndexShare
from app.view.bars import reading_note
from app.view.line import wrap
from app.view.notifications import LOOKING_AGAIN, RescanReport

if TYPE_CHECKING:
    from app.index.row import Row
    from app.settings import Settings
    from app.setup import Setup
    from app.view.arrangement import Arrangement
    from app.view.session_list import SessionList

SLICE = 100
"""Changes that are put into the list at a time: more would block the keys."""

BESIDE_ROWS = 3
"""Cells of the list's pane beside its rows: two borders and the scrollbar."""

KEPT_FROM = 1_000
"""New sessions after which they are exempted from garbage collection, because they stay."""


class KeepingScreen(SurroundingsScreen):
    """Has the sessions in `side`, as they are on disk now."""

    def __init__(
        self,
        setup: Setup,
        model: SessionList,
        settings: Settings,
        indexing: IndexService | IndexShare | None = None,
        *,
        selects: bool = False,
    ) -> None:
        """:param indexing: of the same setup, if it has begun before the screen.
        :param selects: see `SessionsPane`.
        """
        super().__init__()
        self.setup = setup
        self.settings = settings
        self.model = model
        # as the first frame has it on the screen
        self.progress = reading_note(*model.reading)
        self.unread = (0, 0)
        self.scanned = False
        # sessions added and removed since the rescan was requested
        self._seen_again: RescanReport | None = None
        self._kept = 0
        self._cold = False
        self._above: IndexShare | None = None
        self._indexing: IndexService | IndexShare = indexing or IndexService(setup, model.arrangement)
        self.side = SessionsPane(
            model,
            setup,
            lambda: self._indexing.index,
            self.service_failed,
            id="sessions-pane",
            selects=selects,
        )
        self.begin_surroundings()
        self.begin_resuming()
        self.begin_acting()

    # for subclasses

    async def follow_session(self, row: Row) -> None:
        """The file of a session changed."""
        raise NotImplementedError

    def retry_session(self) -> None:
        """Read the session again if it could not be read."""
        raise NotImplementedError

    def catalog_loaded(self) -> None:
        """The sessions that are known so far are in the list."""

    # begin and end

    def keep(self) -> None:
        """Follow the stores; when the panes are mounted."""
        self._indexing.start(self.post_message)
        self.keep_looking()

    def on_mount(self) -> None:
        # In the first picture, as in the first frame. Other reasons for an empty list are not known before
        # all sessions are read.
        if self.model.lines:
            self.side.sessions_changed()
        elif self.model.searched is not None:
            self.side.sessions_changed()
            self._wrap_notice()

    def _wrap_notice(self) -> None:
        """Wrap the notice for the first picture, in which the list has no size yet."""
        width = self.side.styles.width
        if width is not None:
            cells = int(width.value) - BESIDE_ROWS
            notice = self.side.list.notice
            self.side.list.show_notice([piece for line in notice for piece in wrap(line, max(4, cells - 2))])

    def on_unmount(self) -> None:
        self._indexing.stop()
        self.end_surroundings()
        self.end_resuming()
        self.end_acting()

    def lend_index(self, arrangement: Arrangement) -> IndexShare:
        """Share the index with a screen over this one, one at a time.

        :param arrangement: of that list.
        """
        self._above = IndexShare(lambda: self._indexing, self.setup, arrangement, self.service_failed)
        self._above.load(self._indexed(), self._places, scanned=self.scanned, unread=self.unread)
        return self._above

    def take_index_back(self) -> None:
        """The screen over this one is gone."""
        self._above = None
        # a search over this one may have ended the one here, and of news nothing was asked meanwhile
        self.side.look_again()

    def _search_again(self) -> None:
        """Search again after sessions have changed. An index runs one search: while it is shared, that is the
        upper screen's, and a search for this hidden screen might end it.
        """
        if self._above is None:
            self.side.look_again()

    def _indexed(self) -> list[Row]:
        return [row for row in self.model.rows() if row.path not in self._subagents]

    @property
    def doing(self) -> str:
        """The activity that the header shows, "" for none."""
        return self.acting_note or self.progress or ("" if self._seen_again is None else LOOKING_AGAIN)

    # sessions

    @on(CatalogLoaded)
    def _catalog_loaded(self, event: CatalogLoaded) -> None:
        self._places = event.places
        self._cold = event.cold
        self.side.list.adopt(event.model)
        self._keep_rows()
        if self._cold:
            self.side.list.open_first()
        self.catalog_loaded()
        self._search_again()
        self.sessions_changed()
        if self._above is not None:
            self._above.load(self._indexed(), self._places, scanned=self.scanned, unread=self.unread)
        self._list_facts.find_here(self.model.folders())
        self.look()

    @on(SessionsChanged)
    async def _changed_on_disk(self, event: SessionsChanged) -> None:
        sessions = self.side.list
        if self._seen_again is not None:
            known = {row.path for row in event.changed if self.model.row_at(row.path) is not None}
            self._seen_again.add([row.path for row in event.changed], known, event.removed)
        row = sessions.row
        if row is not None and any(row.path == new.path for new in event.changed):
            # Wait a moment for the new entries: then one picture shows both.
            await self.follow_session(row)
        changed, removed = list(event.changed), [*event.removed, *self.gone_with(event.removed)]
        shows_hidden = self.model.arrangement.hidden
        are_new = shows_hidden and any(self.model.row_at(row.path) is None for row in changed)
        while changed or removed:
            # the new ones first: among them is what only moved
            gone = [] if len(changed) > SLICE else removed[:SLICE]
            sessions.apply(changed[:SLICE], gone)
            del changed[:SLICE], removed[: len(gone)]
            if self._cold:
                sessions.open_first()
            # keys and paints come between the slices, and between two of these messages
            await asyncio.sleep(0)
        self.progress = reading_note(event.done, event.total)
        self.is_reading = bool(self.progress)
        self.unread = event.unread
        if not self.scanned and event.done >= event.total:
            self.scanned = True
            are_new = shows_hidden
            self.side.prepare()
            self._list_facts.find_here(self.model.folders())
            self.look()
        if are_new and self.scanned:
            # a session that came back has brought its sub-agents along
            self.read_subagents()
        if event.looked and self._seen_again is not None:
            self.notify(self._seen_again.words(), markup=False)
            self._seen_again = None
        self._cold = self._cold and not self.scanned
        if not self.model.known:
            self._list_facts.find_places()
        if self.model.known - self._kept >= KEPT_FROM:
            self._keep_rows()
        self._search_again()
        self.sessions_changed()
        self.check_plan()
        if self._above is not None:
            # at the end: what was only half in this list when it was lent is told in whole
            self._above.forward(event)

    def _keep_rows(self) -> None:
        """Sessions stay to the end, and looking at ten thousand holds up the screen (app.browser)."""
        gc.freeze()
        self._kept = self.model.known

    @on(IndexFailed)
    def _index_failed(self, event: IndexFailed) -> None:
        key = key_of("index.rescan")
        again = f" ({key} looks again)" if key else ""
        self.is_reading = False
        self.progress = f"changes are not followed{again}: {one_line(event.reason)}"
        self.refresh_bars()
        self._seen_again = None
        if self._above is not None:
            self._above.forward_failure(event.reason)

    def action_rescan(self) -> None:
        """Look at every store again, and say so, and what came of it."""
        self._seen_again = RescanReport()
        if not self._indexing.rescan():
            self._indexing = IndexService(self.setup, self.model.arrangement)
            self._indexing.rescan()
            self._indexing.start(self.post_message)
            self.progress = ""
        self.refresh_bars()
        self._list_facts.read_pins()
        self.retry_session()
        self.look()
