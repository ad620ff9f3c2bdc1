"""The line in which the sessions are searched, and the list of what is found: of the rows at once, of what
was said when it is found.
"""

from __future__ import annotations

import asyncio
from functools import cached_property
from typing import TYPE_CHECKING

from textual import on
from textual.message import Message

from app.formats.text import one_line
from app.messages.searching import HitPlaced, SearchFound
from app.services.made import stop_made
from app.startup.key_order import letter_follows
from app.view.session_filter import rows_tell
from app.widgets.pane import Pane
from app.widgets.search_box import SearchBox
from app.widgets.search_note import SearchNote
from app.widgets.session_list import SessionListView

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from textual.app import ComposeResult

    from app.index.index import Index
    from app.index.search.results import Hit
    from app.services.completing import Completing
    from app.services.hit_locator import HitLocator
    from app.services.searching import Searching
    from app.setup import Setup
    from app.view.session_list import SessionList

PATIENCE = 0.1
"""Seconds after which the rows are gone through for what is typed: most searches have been answered by then,
and would only be held up.
"""
_LONGEST = 300


class SearchingSide(Pane):
    """Narrows the list to what matches the query in the line, and finds where in a session that is."""

    class Changed(Message):
        """Other sessions are shown, or in another way."""

    def __init__(
        self,
        model: SessionList,
        setup: Setup,
        index: Callable[[], Index | None],
        failed: Callable[[BaseException], None],
        *,
        id: str,
    ) -> None:
        """:param index: what is searched; None while there is nothing to search yet: `look_again` then.
        :param failed: gets what goes wrong in a thread; called in that thread.
        """
        title, *shorter = model.arrangement.titles()
        super().__init__(title, tuple(shorter), id=id)
        self.list = SessionListView(model, setup.now_ms(), id="sessions")
        self.box = SearchBox(id="filter")
        self.note = SearchNote(id="search-note")
        self.everywhere = False
        self.model = model
        # more may be found, and it is said so; of what is asked anew for news alone it is not
        self.is_searching = False
        # the query of which the list shows what was found; whether more of it is to come, and whether it
        # cannot be run; how often the user had moved the list's cursor when the line was changed last
        self._answered: str | None = ""
        self.is_due = False
        self.is_refused = False
        # what tools said was not looked through for it, and can be
        self.leaves_tools = False
        self.steps_before = 0
        # nothing was answered yet of what the run began with: the list shows what cannot be wrong
        self._is_first = False
        self._hits: Mapping[str, Hit] = {}
        self._spotted = ("", "", False)
        # the path of the session that is shown beside the list: a hit in another would be told to nobody
        self.shown = ""
        self._setup = setup
        self._index = index
        self._failed = failed

    # imports hold up the first key: these come with their first use
    @cached_property
    def _searching(self) -> Searching:
        from app.services.searching import Searching

        return Searching(self._index, self.post_message, self._failed)

    @cached_property
    def _spotter(self) -> HitLocator:
        from app.services.hit_locator import HitLocator

        return HitLocator(self._index, self.post_message, self._failed)

    @cached_property
    def _completing(self) -> Completing:
        from app.services.completing import Completing

        return Completing(self.model.rows, self._setup.home, self._failed)

    def compose(self) -> ComposeResult:
        yield self.box
        yield self.note
        yield self.list

    def on_unmount(self) -> None:
        stop_made(self, "_searching", "_spotter", "_completing")

    def prepare(self) -> None:
        """Have the search ready before anybody types."""
        self._searching.prepare()
        self._completing.prepare()

    def open_box(self) -> None:
        """Show the line and give it the keys."""
        self.box.add_class("shown")
        self.screen.set_focus(self.box)
        self.call_after_refresh(self.prepare)

    def search_for(self, query: str) -> None:
        """Put the query into the line that the run begins with."""
        self._is_first = True
        self.box.value = query
        self.box.cursor_position = len(query)
        self.is_searching = bool(query.strip())
        if self.model.empty() in ("", "query"):
            # why else nothing is shown, nobody knows before all are read
            self.changed()

    @property
    def is_answered(self) -> bool:
        """Whether the list shows what matches the query in the line, and no other."""
        return self._answered == self.box.value

    def look_again(self) -> None:
        """Sessions have changed: what was found may be more now, or less."""
        if self.box.value:
            self._ask(self.box.value)

    def changed(self) -> None:
        """Other sessions are shown, or in another way: say so."""
        self.post_message(self.Changed())

    def action_turn_everywhere(self) -> None:
        """Search in what tools were asked and gave back as well, or no longer."""
        self.everywhere = not self.everywhere
        if self.box.value.strip():
            self._answered = None
            self.is_searching = True
            self._ask(self.box.value)
        self.changed()

    def _ask(self, query: str) -> None:
        self.is_due = bool(query.strip())
        order = "relevance" if self.model.arrangement.order == "relevance" else "recent"
        self._searching.ask(query, order=order, everywhere=self.everywhere)

    @on(SearchBox.Changed)
    def _typed(self, event: SearchBox.Changed) -> None:
        query = event.value
        if query != self.box.value or letter_follows(self.app):
            return  # of what is pasted, or typed while a page is drawn, the whole is looked for at once
        self._answered = None
        self.is_refused = False
        self.steps_before = self.list.steps
        self.is_searching = bool(query.strip())
        if not query.strip():
            self._tell("")
        self._ask(query)
        # the letter is painted first
        self.call_after_refresh(self._offer, query)
        self.call_after_refresh(self._look_ahead, query)
        if query.strip():
            # not Textual's timer: each is a task
            later = asyncio.get_running_loop().call_later
            later(PATIENCE, self.call_later, self._narrow, query)
        else:
            self._narrow(query)
            self._is_first = False
            self._answered = query
            self._hits = {}
            self.spot()

    def _offer(self, query: str) -> None:
        if query == self.box.value:
            self.offer_completion()

    def _look_ahead(self, query: str) -> None:
        if query.strip() and query == self.box.value and not self.is_answered:
            self.model.look_ahead(query)

    def offer_completion(self) -> None:
        """Offer what the last word may become. Tab completes what is a filter by its colon, and else goes on
        to what it means elsewhere: any word may begin as the name of a filter does.
        """
        completed, is_filter = self._completing.completed(self.box.value)
        self.box.offer(completed, "tab" if is_filter else "right")

    def _narrow(self, query: str) -> None:
        """Leave the sessions of which the row matches, until it is known which others do."""
        if query != self.box.value or self._answered == query:
            return
        if rows_tell(query):
            self.list.set_query(query)
        self.changed()

    @on(SearchFound)
    def _found(self, event: SearchFound) -> None:
        if event.query != self.box.value or event.everywhere != self.everywhere:
            return
        self._answered = event.query
        self.is_due = not event.done
        self.is_refused = bool(event.refused)
        self.leaves_tools = event.leaves_tools
        if self._is_first and (event.paths or event.done):
            self._is_first = False
            if self.list.steps == self.steps_before:
                self.list.forget_place()
            if event.refused:
                self.list.set_query("")
        self.is_searching = not event.done
        if event.done:
            said, style = (event.refused, "error") if event.refused else ("; ".join(event.notes), "warning")
            self._tell(said, style, event.faults)
        if not event.refused:  # else the rows stay as they are
            fits_best = self.model.arrangement.order == "relevance"
            ranks = {path: rank for rank, path in enumerate(event.order)} if fits_best else None
            self.list.set_found(event.paths, list(event.words), by_rows=rows_tell(event.query), ranks=ranks)
            self._hits = event.hits
            self.spot()
        self.changed()

    def _tell(self, said: str, style: str = "warning", faults: Sequence[tuple[int, int]] = ()) -> None:
        """Say something about the search, and mark in the line what it is about."""
        self.note.say(one_line(said, _LONGEST), style)
        self.box.mark(faults)

    def spot(self) -> None:
        """Have it found out where in its session the hit of the row under the cursor is; answered with
        `HitPlaced`, at once and without a place where there is none.
        """
        row = self.list.row
        path = row.path if row is not None else ""
        if path != self.shown:
            return  # who shows it asks then
        hit = self._hits.get(path)
        wanted = (path, self.box.value if hit else "", self.everywhere)
        if wanted == self._spotted:
            return
        self._spotted = wanted
        if hit is not None:
            self._spotter.ask(path, hit, self.box.value)
        else:
            self.post_message(HitPlaced(path, self.box.value, None, -1, (), ""))

    @property
    def has_hit(self) -> bool:
        """Whether something was found in the session under the cursor."""
        return self.list.row is not None and self.list.row.path in self._hits

    def is_current(self, event: HitPlaced) -> bool:
        """Whether a place is that of the row under the cursor, for what is typed now."""
        row = self.list.row
        return row is not None and row.path == event.path and event.query == self.box.value
