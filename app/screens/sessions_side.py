"""The list of sessions and the line in which it is searched: the browser's left side, and the selector's."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.message import Message

from app.commands import key_name, named
from app.formats.text import one_line
from app.key_order import letter_follows
from app.messages import HitPlaced, SearchFound
from app.services.completing import Completing
from app.services.searching import Searching
from app.services.spotting import Spotter
from app.view.arrangement import turned
from app.view.notices import nothing_found, nothing_shown
from app.view.session_filter import is_plain
from app.widgets.bindings import bindings_of
from app.widgets.line_list import LineList
from app.widgets.pane import Pane
from app.widgets.search_box import SearchBox
from app.widgets.session_list import SessionListView

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from textual.app import ComposeResult
    from textual.binding import BindingType

    from app.index.index import Index
    from app.index.search.found import Hit
    from app.setup import Setup
    from app.view.arrangement import Arrangement
    from app.view.session_list import SessionList

_SEARCHING = "…"


class SessionsSide(Pane):
    """Shows what matches the query in its line: of the rows at once, of what was said when it is found."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings_of("side")]

    class Changed(Message):
        """Other sessions are shown, or in another way."""

    class Chosen(Message):
        """Enter in the line of a selector."""

    class Left(Message):
        """Escape in the line of a selector."""

    class TabPressed(Message):
        """Tab in the line, where there is nothing to complete."""

    class TrashAsked(Message):
        """A key that deletes was pressed where there is nothing to edit."""

    def __init__(
        self,
        model: SessionList,
        setup: Setup,
        index: Callable[[], Index | None],
        failed: Callable[[BaseException], None],
        *,
        id: str,
        selects: bool = False,
    ) -> None:
        """:param index: what is searched; None while there is nothing to search yet: `look_again` then.
        :param failed: gets what goes wrong in a thread; called in that thread.
        :param selects: the line is always there, and Enter in it chooses.
        """
        super().__init__("sessions", id=id)
        self.selects = selects
        self.list = SessionListView(model, setup.now_ms(), id="sessions")
        self.box = SearchBox(id="filter")
        self.everywhere = False
        self._setup = setup
        self._model = model
        self._search_said = ""
        # the query of which the list shows what was found
        self._answered: str | None = None
        self._nowhere: Sequence[tuple[str, str, str]] | None = None
        self._hits: Mapping[str, Hit] = {}
        self._spotted = ("", "", False)
        self._searching = Searching(index, self.post_message, failed)
        self._spotter = Spotter(index, self.post_message, failed)
        self._completing = Completing(model.rows, setup.home, failed)

    def compose(self) -> ComposeResult:
        yield self.box
        yield self.list

    def on_mount(self) -> None:
        if self.selects:
            self.box.add_class("shown")

    def on_unmount(self) -> None:
        for service in (self._searching, self._spotter, self._completing):
            service.stop()

    # what is said

    def sessions_changed(self, nowhere: Sequence[tuple[str, str, str]] | None = None) -> None:
        """Say how many there are and how they are shown, or why there is nothing to see.

        :param nowhere: where it was looked, once that is done (see `CatalogLoaded`).
        """
        self._nowhere = nowhere
        model = self._model
        if not model.known and nowhere is not None:
            self.list.show_notice(nothing_found(nowhere, self._setup.home))
        elif not model.lines:
            why = model.empty()
            keys = {name: key_name(named(name).keys[0]) for name in _WAY_OUT.values()}
            if self.selects:
                keys["list.scope"] = key_name("tab")
            way_out = _WAY_OUT.get(why, "")
            if why == "query" and self.selects and model.arrangement.scope == "here":
                way_out = "list.scope"
            self.list.show_notice(nothing_shown(why, self.box.value, keys.get(way_out, "")))
        else:
            self.list.show_notice([])
        said = [self._search_said]
        if model.is_filtered or model.arrangement.narrows:
            said.insert(0, f"{model.matched:,} of {model.total:,}")
        if model.hidden:
            said.append(f"{model.hidden:,} hidden")
        how = model.arrangement.words()
        if self.everywhere:
            how.append("tools as well")
        self.say(" · ".join(filter(None, said)), " · ".join(["sessions", *how]))

    # the search

    def prepare(self) -> None:
        """Have the search ready before anybody types."""
        self._searching.prepare()
        self._completing.prepare()

    def open_box(self) -> None:
        """Show the line and give it the keys."""
        self.prepare()
        self.box.add_class("shown")
        self.screen.set_focus(self.box)

    def search_for(self, query: str) -> None:
        """Put a query into the line."""
        self.box.value = query
        self.box.cursor_position = len(query)

    @property
    def is_searching(self) -> bool:
        """Whether more may be found."""
        return self._search_said == _SEARCHING

    def look_again(self) -> None:
        """Sessions have changed: what was found may be more now, or less."""
        if self.box.value:
            self._ask(self.box.value)

    def action_turn_everywhere(self) -> None:
        """Search in what tools were asked and gave back as well, or no longer."""
        self.everywhere = not self.everywhere
        if self.box.value.strip():
            self._search_said = _SEARCHING
            self._ask(self.box.value)
        self.post_message(self.Changed())

    def _ask(self, query: str) -> None:
        order = "relevance" if self._model.arrangement.order == "relevance" else "recent"
        self._searching.ask(query, order=order, everywhere=self.everywhere)

    @on(SearchBox.Changed)
    def _typed(self, event: SearchBox.Changed) -> None:
        query = event.value
        if query != self.box.value or letter_follows(self.app):
            return  # of what is pasted, or typed while a page is drawn, the whole is looked for at once
        self.box.offer(self._completing.completed(query) if self.box.cursor_at_end else "")
        self._answered = None
        self._search_said = _SEARCHING if query.strip() else ""
        self._ask(query)
        if query.strip():
            # the letter first: going through ten thousand rows takes longer than painting it
            self.call_after_refresh(self._narrow, query)
        else:
            self._narrow(query)
            self._hits = {}
            self.spot()

    def _narrow(self, query: str) -> None:
        """Leave the sessions of which the row matches, until it is known which others do."""
        if query != self.box.value:
            return
        if is_plain(query) and self._answered != query:
            self.list.set_query(query)
        self.post_message(self.Changed())

    @on(SearchFound)
    def _found(self, event: SearchFound) -> None:
        if event.query != self.box.value:
            return
        if event.refused:
            # the rows stay as they are
            self._search_said = one_line(event.refused, 200)
        else:
            fits_best = self._model.arrangement.order == "relevance"
            ranks = {path: rank for rank, path in enumerate(event.order)} if fits_best else None
            self._answered = event.query
            self.list.set_found(event.paths, list(event.words), is_plain=is_plain(event.query), ranks=ranks)
            self._search_said = one_line("; ".join(event.notes), 200) if event.done else _SEARCHING
            self._hits = event.hits
            self.spot()
        self.post_message(self.Changed())

    def spot(self) -> None:
        """Have it found out where in its session the hit of the row under the cursor is; answered with
        `HitPlaced`, at once and without a place where there is none.
        """
        row = self.list.row
        path = row.path if row is not None else ""
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

    # the keys of the line

    @on(SearchBox.Stepped)
    def _stepped(self, event: SearchBox.Stepped) -> None:
        self.list.step(event.rows, event.pages)

    @on(SearchBox.MarkAsked)
    def _mark_asked(self) -> None:
        self.list.action_mark_or_fold()

    @on(SearchBox.TabPressed)
    def _tab_pressed(self, event: SearchBox.TabPressed) -> None:
        event.stop()
        self.post_message(self.TabPressed())

    @on(SearchBox.Kept)
    def _kept(self) -> None:
        if self.selects:
            self.post_message(self.Chosen())
            return
        self.screen.set_focus(self.list)
        if not self.box.value:
            self.box.remove_class("shown")

    @on(SearchBox.Dropped)
    def _dropped(self) -> None:
        if self.selects:
            self.post_message(self.Left())
        else:
            self.drop()

    def drop(self) -> None:
        """Show all sessions again, and in the browser give the list the keys."""
        self.box.value = ""
        if not self.selects:
            self.screen.set_focus(self.list)
            self.box.remove_class("shown")

    def action_edit_or_trash(self) -> None:
        """Delete the last word of what is searched for; where there is none, ask to trash."""
        if self.box.value:
            self.box.action_delete_left_word()
        else:
            self.post_message(self.TrashAsked())

    # how the sessions are shown

    def show_arrangement(self, arrangement: Arrangement) -> None:
        """Show the sessions in another way; the cursor stays on its session where that is still shown."""
        before = self._model.arrangement
        self.list.show_arrangement(arrangement)
        if before.order != arrangement.order and "relevance" in (before.order, arrangement.order):
            self.look_again()
        self.post_message(self.Changed())

    def turn(self, what: str) -> None:
        """Go on to the next way in which something can be shown.

        :param what: a field of `Arrangement`.
        """
        now = self._model.arrangement
        agents = sorted({row.agent for row in self._model.rows()}) if what == "agent" else ()
        self.show_arrangement(turned(now, what, agents))

    @on(LineList.Moved, "#sessions")
    def _moved(self) -> None:
        self.spot()

    @on(SessionListView.MarksChanged)
    def _marks_changed(self) -> None:
        self.post_message(self.Changed())


_WAY_OUT = {"here": "list.scope", "named": "list.named", "agent": "list.agent", "hidden": "list.hidden"}
"""Why nothing is shown -> the command that shows more."""
