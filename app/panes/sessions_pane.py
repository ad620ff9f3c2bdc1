"""The pane with the list of sessions and its search box: the browser's left side, and the selector's.

A search answers a moment after a letter was typed. Until then the list shows the sessions that matched
before, so a key that acts on the session under the cursor waits for the answer. It is dropped if the user
does something else meanwhile: types on, moves the cursor, or arranges the list in another way.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING, ClassVar

from textual import on, work
from textual.message import Message

from app.commands import command_by_id
from app.formats.text import one_line
from app.index.query.tokens import asks_for_files
from app.index.sorting import BEST
from app.keys import key_of
from app.messages import SearchFound
from app.panes.listed_hits import ListedHits
from app.panes.query_completer import QueryCompleter
from app.services.session_search import PROVISIONAL_SECONDS, Completer, SessionSearch
from app.startup.key_order import letter_follows
from app.view.arrangement import cycle_field
from app.view.bars import hidden_note, joined_facts, list_facts, list_titles, no_session_keys, search_hint
from app.view.empty_states import (
    LOOSENED,
    nothing_matches,
    nothing_shown,
    searching_for,
    spelling_note,
    unknown_note,
)
from app.view.geometry import has_heads
from app.view.list_filter import rows_decide
from app.view.recent_queries import RecentQueries
from app.view.selection import StableSelection
from app.view.session_row import SCROLLBAR, render_heads
from app.view.welcome import welcome_panel
from app.widgets.commands import bindings_of
from app.widgets.completion_popup import CompletionPopup
from app.widgets.inputs import SearchBox
from app.widgets.panes import Bar, Note, Pane
from app.widgets.session_list import SessionListView

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from textual.app import ComposeResult
    from textual.binding import BindingType

    from app.index.index import Index
    from app.index.row import Row
    from app.setup import Setup
    from app.view.arrangement import Arrangement
    from app.view.hit_line import HitPlace
    from app.view.line import Line
    from app.view.list_model import ListModel
    from app.view.preset import Preset

FILTER_DELAY = 0.1
"""Seconds after which the rows are filtered while the search runs. Most searches end within it, and filtering
would delay them.
"""
_LONGEST_NOTE = 300

_COMMAND_FOR = {
    "only": "view.back",
    "here": "list.scope",
    "named": "list.named",
    "agent": "list.agent",
    "hidden": "list.hidden",
    "needs": "list.needs",
}
"""The reason why sessions are hidden -> the command that shows them."""


@dataclass(slots=True)
class _Waiting:
    """An action on the session under the cursor that waits for the search.

    action     runs it
    is_ready   whether everything that it needs of the session is known (None: there is no session)
    query      the query when it was requested
    steps      how often the user had moved the cursor
    session    the session; None while the answer decides
    """

    action: Callable[[], object]
    is_ready: Callable[[Row | None], bool]
    query: str
    steps: int
    session: StableSelection | None


class SessionsPane(Pane):
    """Lists the sessions that match the query, says why none is shown, and handles the keys of list and box.

    list            the list
    box             the search box
    note            the message below the box
    heads           the heads of the columns
    popup           the list of completions below the box; the screen has it in a layer of its own
    completion      completes the query
    recent          the last queries
    model           the sessions
    preset          that of the screen
    scanned         all sessions are known: until then, more may match
    marked          the marked sessions
    shown           the path of the session that is shown beside the list
    is_searching    more may be found, and the border says so; false while only changed sessions are searched
    is_due          more of the answer is to come
    is_refused      the query cannot be run
    hits            the hits of the search, in the list
    joined          the number of live sessions and the note that stand in the rule, because there is no
                    header; None if there is one
    is_alone        there is no session at all: the list shows a panel about that, and no other pane is shown
    steps_before    how often the user had moved the cursor when the query was last changed
    """

    BINDINGS: ClassVar[list[BindingType]] = [*bindings_of("side")]

    class Changed(Message):
        """Other sessions are shown, or in another way."""

    class QueryUsed(Message):
        """Another query than before was used, see `recent`."""

    def __init__(
        self,
        preset: Preset,
        model: ListModel,
        setup: Setup,
        index: Callable[[], Index | None],
        located: Callable[[HitPlace], None],
        *,
        id: str,
    ) -> None:
        """:param index: gives the index to search; None while it is not ready: call `look_again` then.
        :param located: shows the hit of the session under the cursor, or that it has none.
        """
        title, *shorter = list_titles(model, preset)
        super().__init__(title, tuple(shorter), id=id)
        self.joined: tuple[int, str] | None = None
        self.list = SessionListView(model, setup.now_ms(), id="sessions")
        self.list.once_known = self.once_known
        here = model.arrangement.scope == "here"
        self.box = SearchBox(id="filter", hint=search_hint(preset, here=here))
        self.note = Note(id="search-note")
        self.heads = Bar(self._draw_heads, id="heads")
        self.model = model
        self.preset = preset
        self.scanned = False
        self.marked: Sequence[Row] = ()
        self.shown = ""
        self.is_searching = False
        self.is_due = False
        self.is_refused = False
        self._outcome: SearchFound | None = None
        self._is_typing = False
        self.steps_before = 0
        # the query whose result the list shows
        self._answered: str | None = ""
        # path -> place in the list, of the sessions that the query has found
        self._ranks: dict[str, int] = {}
        # whether these places may still change for a moment
        self._is_provisional = False
        self._typed_at = 0.0
        # the query of the command line has no answer yet
        self._is_first = False
        self._waiting: _Waiting | None = None
        # the folders that were searched for sessions, while there are no sessions
        self._places: Sequence[tuple[str, str, str]] | None = None
        self.is_alone = model.finds_nothing
        self.set_class(self.is_alone, "bare")
        self._home = setup.home
        self._index = index
        self._search = SessionSearch(index, self.post_message)
        self.hits = ListedHits(self.list, index, self.post_message, located)
        self._completer = Completer(setup.home, self.post_message)
        self.popup = CompletionPopup(id="completions")
        self.recent = RecentQueries()
        self.completion = QueryCompleter(
            self.box, self.popup, self._completer, lists_filters=not preset.keeps_box
        )

    def compose(self) -> ComposeResult:
        yield self.box
        yield self.note
        yield self.heads
        yield self.list

    def on_mount(self) -> None:
        if self.preset.keeps_box:
            self.box.add_class("shown")

    def on_resize(self) -> None:
        if self.completion.state == "list":
            # The list has another place now.
            self.call_after_refresh(self.offer_completion)

    def on_unmount(self) -> None:
        for service in (self._search, self.hits, self._completer):
            service.stop()

    # the borders and notices

    @on(SessionListView.MarksChanged)
    @on(SearchBox.Offered)
    def changed(self) -> None:
        """Show that other sessions are listed, or in another way."""
        # in the same picture as the list
        self.sessions_changed(self._places)
        self.post_message(self.Changed())

    def sessions_changed(self, places: Sequence[tuple[str, str, str]] | None = None) -> None:
        """Show how many sessions there are and how they are arranged, or why none is shown.

        :param places: (agents, folder, state) of each store that was scanned; None before that.
        """
        self._places = places
        model = self.model
        self.marked = model.marked_rows() if model.marked else ()
        if places is None and not model.known:
            places = model.searched
        self.scanned = places is not None
        self.is_alone = not model.known and places is not None
        self.set_class(self.is_alone, "bare")
        self.list.show_panel(self._draw_panel if self.is_alone else None)
        if self.is_alone:
            self.list.show_notice([])
        elif not model.lines:
            reason, keys = model.empty(), self._keys_that_show_more()
            if reason == "query" and not self.is_answered:
                notice = searching_for(self.box.value)
            elif reason == "query":
                so_far = self.is_due or not self.scanned
                notice = nothing_matches(
                    self.box.value,
                    model.left_out(),
                    keys,
                    so_far=so_far,
                    here=model.total,
                    hidden=model.found_hidden(),
                    elsewhere=model.found_elsewhere(),
                )
            else:
                notice = nothing_shown(reason, keys, elsewhere=model.found_elsewhere())
            self.list.show_notice(notice)
        else:
            self.list.show_notice([])
        self.update_rule()
        self.run_waiting()

    def _draw_heads(self, cells: int) -> Line:
        return [*render_heads(self.model, cells - SCROLLBAR), (" " * SCROLLBAR, "text")]

    def show_heads(self, height: int) -> None:
        """Show the heads of the columns if the pane is high enough for them.

        :param height: the lines of the pane.
        """
        self.heads.display = has_heads(height) and not self.is_alone

    def _draw_panel(self, cells: int, height: int) -> list[Line]:
        places = self.model.searched if self._places is None else self._places
        keys = no_session_keys(typing=self.preset.keeps_box, typed=bool(self.box.value))
        return welcome_panel(places or (), self._home, cells, height, keys)

    def update_rule(self) -> None:
        """Show in the rule how many sessions there are and how they are arranged."""
        model = self.model
        begins = self._is_first and not self.scanned
        facts = list_facts(
            model,
            searches=self.is_searching,
            answered=self.is_answered,
            begins=begins,
            hits=self.hits.in_all,
        )
        title, *shorter = list_titles(model, self.preset)
        instead: tuple[str, ...] = ()
        if self.joined is not None:
            live, note = self.joined
            instead = joined_facts(
                facts, projects=model.projects if self.preset.grouped else 0, live=live, note=note
            )
        # the header has their number, too
        hidden = hidden_note(model.hidden) if self.joined is not None else ""
        self.say(facts, title, tuple(shorter), instead=instead, closing=hidden)
        self.heads.renew()

    def _keys_that_show_more(self) -> dict[str, str]:
        """For each reason why sessions are hidden, the keys that show them, pressed from here."""
        keys = {reason: self._keys_of(id) for reason, id in _COMMAND_FOR.items()}
        types = self.box.has_focus
        if self.model.arrangement.scope != "here":
            del keys["here"]
        elif self.preset.keeps_box:
            # As in pi, unless the key completes the query.
            keys["here"] = key_of("pane.next", typing=types)
            if types and self.completion.state and keys["here"] == key_of("filter.complete"):
                del keys["here"]
        return keys

    def _keys_of(self, id: str) -> str:
        key = key_of(id)
        if not key or not self.box.has_focus or command_by_id(id).pane == "side":
            return key
        # In the box the key would be a letter.
        to_list = key_of("pane.previous", typing=True) if self.preset.keeps_box else key_of("filter.keep")
        return f"{to_list}, then {key}" if to_list else ""

    def focus_moved(self) -> None:
        """Show the keys that work with the present focus, if a notice stands in place of the sessions."""
        if not self.model.lines:
            self.sessions_changed(self._places)

    # the arrangement

    def show_arrangement(self, arrangement: Arrangement) -> None:
        """Arrange the sessions in another way; the cursor stays on its session if that is still listed."""
        before = self.model.arrangement
        self._waiting = None
        self.list.show_arrangement(arrangement)
        here = arrangement.scope == "here"
        self.box.placeholder = search_hint(self.preset, here=here)
        if before.order != arrangement.order and self.box.value.strip():
            # Keys about a session wait for the answer in this order.
            self._answered = None
            self._ranks = {}
            self.is_searching = True
            self.look_again()
        self.hits.count()
        self.changed()

    def drop_set(self) -> bool:
        """Show all sessions again if only those of a set, or those that need the user, are shown; return
        whether that was so.
        """
        arrangement = self.model.arrangement
        if arrangement.only is None and not arrangement.needs:
            return False
        self.show_arrangement(arrangement.changed(only=None, needs=False))
        return True

    def turn(self, field: str) -> None:
        """Set a field of the `Arrangement` to its next value."""
        arrangement = self.model.arrangement
        agents = sorted({row.agent for row in self.model.rows()}) if field == "agent" else ()
        self.show_arrangement(cycle_field(arrangement, field, agents))

    # search

    def prepare(self) -> None:
        """Load what a search needs before the first letter."""
        self._search.prepare()
        self._collect_values()

    def open_box(self) -> None:
        """Show the search box and focus it."""
        self.box.add_class("shown")
        self.screen.set_focus(self.box)
        self.call_after_refresh(self.prepare)

    def search_for(self, query: str) -> None:
        """Search for the query of the command line."""
        self._is_first = True
        self.box.value = query
        self.box.cursor_position = len(query)
        self.is_searching = bool(query.strip())
        if self.model.empty() in ("", "query"):
            # Any other reason for an empty list is known only when all sessions are.
            self.changed()

    @property
    def is_answered(self) -> bool:
        """Whether the list shows the result of the query in the box."""
        return self._answered == self.box.value

    def look_again(self) -> None:
        """Search again: sessions have changed."""
        if self.box.value:
            self._start_search(self.box.value)

    def touched_files_read(self) -> None:
        """Search again for touched files, which are known now, and offer their paths."""
        is_asked = asks_for_files(self.box.value)
        if is_asked or not self._completer.has_paths:
            self._completer.forget()
        if is_asked:
            self._start_search(self.box.value)
            self.offer_completion()

    def drop(self) -> None:
        """Remove the query; in the browser, hide the box and focus the list."""
        self.box.value = ""
        # At once: the caller may look for a session in the list.
        self.list.set_query("")
        self._answered = ""
        if not self.preset.keeps_box:
            self.screen.set_focus(self.list)
            self.box.remove_class("shown")

    def _start_search(self, query: str) -> None:
        self.is_due = bool(query.strip())
        at_end = self.box.has_focus and self.box.cursor_position == len(query)
        typing = self._is_typing and at_end
        self._search.search(query, order=self.model.arrangement.search_order, typing=typing)

    @on(SearchBox.Changed)
    def _typed(self, event: SearchBox.Changed) -> None:
        query = event.value
        if query != self.box.value or letter_follows(self.app):
            return  # More letters of a paste follow; the whole text is searched.
        self._answered = self._outcome = None
        self._ranks = {}
        self._typed_at = monotonic()
        self._is_typing = not self._is_first
        self.workers.cancel_group(self, "excerpts")
        self.hits.query_changed()
        self.is_refused = False
        self.steps_before = self.list.steps
        self.is_searching = bool(query.strip())
        if not query.strip():
            self._say_note("")
        # The list of completions comes in the picture with the letter.
        self.offer_completion()
        self._start_search(query)
        if query.strip():
            # Not a timer of Textual, which would be a task for each letter.
            later = asyncio.get_running_loop().call_later
            later(FILTER_DELAY, self.call_later, self._filter_rows, query)
        else:
            self._show_deleted(())
            self._filter_rows(query)
            self._is_first = False
            self._answered = query
            self.hits.clear()
            self.locate_hit()

    def _collect_values(self) -> None:
        if not self._completer.is_current:
            index = self._index()
            touched = index.touched_files if index is not None else None
            collected = self._completer.collect(self.model.rows(), self.model.taggings, touched)
            self.run_worker(self._await_values(collected))

    async def _await_values(self, collected: Awaitable[None]) -> None:
        await collected
        self.offer_completion()

    def offer_completion(self) -> None:
        """Show the completions of the word at the cursor."""
        if self.box.has_focus:
            self._collect_values()
            before = self.completion.state
            self.completion.offer()
            if "list" in (before, self.completion.state):
                self.changed()

    def _filter_rows(self, query: str) -> None:
        """Filter the list by its rows until the search has an answer."""
        if query != self.box.value or self._answered == query:
            return
        # Rows that are shown before the search answers would move when it does.
        if rows_decide(query) and (not query.strip() or self._index() is None):
            self.list.set_query(query)
        self.changed()

    @on(SearchFound)
    def _found(self, event: SearchFound) -> None:
        if event.query != self.box.value:
            return
        self._answered = event.query
        self.is_due = not event.done
        self.is_refused = bool(event.refused)
        if self._is_first and (event.paths or event.done):
            self._is_first = False
            if self.list.steps == self.steps_before:
                self.list.forget_place()
            if event.refused:
                self.list.set_query("")
        self.is_searching = not event.done
        if event.done:
            self._outcome = event
            self._say_outcome()
        elif event.notes:
            self._say_notes(event, is_typed=False)
        if not event.refused:  # else the list stays as it is
            self._show_deleted(event.deleted)
            is_unmoved = self.list.steps == self.steps_before
            is_early = self._is_provisional and monotonic() - self._typed_at < PROVISIONAL_SECONDS
            may_move = is_unmoved and (not self._ranks or is_early)
            self._rank(event, may_move=may_move)
            self.list.set_found(
                event.paths,
                list(event.words),
                ranks=self._ranks,
                sort=event.sort,
                hidden=event.hidden,
                to_first=may_move,
            )
            self.hits.show(event.hits, event.query, is_due=self.is_due)
            self.hits.count()
            self.locate_hit()
        self.changed()

    def _rank(self, event: SearchFound, *, may_move: bool) -> None:
        """Give the sessions that were found their places in the list: new ones follow those that are shown.

        :param may_move: those that are shown may get other places.
        """
        order: Sequence[str] = event.order
        if self.preset.keeps_box and self.model.arrangement.search_order == BEST:
            rows, here = self.model.row_at, self.model.here
            elsewhere = {path for path in order if (row := rows(path)) is None or row.cwd not in here}
            order = sorted(order, key=elsewhere.__contains__)
        # A copy: the list has the one before.
        self._ranks = {} if may_move else dict(self._ranks)
        for path in order:
            self._ranks.setdefault(path, len(self._ranks))
        self._is_provisional = event.provisional

    def _show_deleted(self, rows: Sequence[Row]) -> None:
        """Show the deleted sessions that were found beside those that are there, and no others."""
        before, found = self.model.deleted(), {row.path for row in rows}
        if before != found:
            new = [row for row in rows if self.model.row_at(row.path) is None]
            self.list.apply(new, before - found)

    # why sessions are hits

    @on(SessionListView.ExcerptsMissing)
    @work(exclusive=True, group="excerpts")
    async def _excerpts_missing(self, event: SessionListView.ExcerptsMissing) -> None:
        if self.is_due or not self.is_answered:
            return  # The search takes less time alone; the rows are drawn again when it is done.
        await self.hits.find_excerpts(event.paths)
        self.hits.count()
        self.changed()

    def _say_note(self, text: str, style: str = "warning", faults: Sequence[tuple[int, int]] = ()) -> None:
        """Show a message about the search, and underline the parts of the query that it is about."""
        self.note.say(one_line(text, _LONGEST_NOTE), style)
        self.box.mark(faults)

    def _typed_enough(self) -> None:
        """Show the messages about the search: Enter was pressed, or the cursor has left the box."""
        self._is_typing = False
        if self._outcome is not None and not self._outcome.paths:
            # A word that is typed to its end may loosen the query.
            self.look_again()
        self._say_outcome()

    def _say_outcome(self) -> None:
        """Show the messages about the search, unless the cursor is in the word that they are about: it is
        still being typed.
        """
        event = self._outcome
        if event is None:
            return
        cursor = self.box.cursor_position
        is_typed = self._is_typing and any(
            start <= cursor <= start + length for start, length in event.faults
        )
        if event.refused:
            shown = ("", ()) if is_typed else (event.refused, event.faults)
            self._say_note(shown[0], "error", shown[1])
        else:
            self._say_notes(event, is_typed=is_typed)

    def _say_notes(self, event: SearchFound, *, is_typed: bool) -> None:
        key = key_of("help.show", typing=True) if self.preset.keeps_box else key_of("filter.complete")
        remarks = []
        for unknown in () if is_typed else event.unknown:
            name, _, intended = unknown.partition(" ")
            remarks.append(unknown_note(name, intended, key))
        instead = {name: found for name, found in event.instead.items() if found or not is_typed}
        remarks.append(spelling_note(instead, len(event.paths)))
        if event.loosened:
            remarks.append(LOOSENED)
        notes = () if is_typed else event.notes
        style = "warning" if notes else "dim"
        self._say_note("; ".join(filter(None, [*remarks, *notes])), style, () if is_typed else event.faults)

    # the hit of the session under the cursor

    def locate_hit(self) -> None:
        """Find the entry and branch of the hit of the session under the cursor, if that is shown."""
        path = self.list.row.path if self.list.row is not None else ""
        # The screen calls this again when it shows that session.
        if path == self.shown:
            self.hits.locate(self.box.value)

    def locate_again(self) -> None:
        """Find the place of the hit once more, for a pane that has not seen it."""
        self.hits.forget_located()
        self.locate_hit()

    @property
    def has_hit(self) -> bool:
        """Whether the search has a hit in the session under the cursor."""
        return self.hits.has(self.list.row)

    def is_current(self, place: HitPlace) -> bool:
        """Whether a place belongs to the session under the cursor and to the query in the box."""
        row = self.list.row
        return row is not None and row.path == place.path and place.query == self.box.value

    # actions on the session under the cursor, which wait for the search

    def once_known(
        self, action: Callable[[], object], is_ready: Callable[[Row | None], bool] = lambda row: True
    ) -> None:
        """Run an action on the session under the cursor: at once if the list shows the result of the query,
        else as soon as it does. If nothing matches, it runs without a session. If another action waits
        already, neither runs: the second one was meant for the result of the first.

        If the user has moved the cursor since the last letter, the action is meant for that session, and it
        does not run if that does not match.

        :param is_ready: whether everything that the action needs of the session is known; `run_waiting` asks
            again.
        """
        waiting, row = self._waiting, self.list.row
        if waiting is not None and waiting.action != action and self._is_still_wanted(waiting):
            self._waiting = None
            self._say_not_done("another key was pressed before the search had answered")
            return
        is_chosen = self.is_answered or self.list.steps != self.steps_before
        session = StableSelection(self.model, [row]) if row is not None and is_chosen else None
        self._waiting = _Waiting(action, is_ready, self.box.value, self.list.steps, session)
        self._run_if_known(self._waiting)

    def run_waiting(self) -> None:
        """Run the waiting action, if its session is known now."""
        waiting = self._waiting
        if waiting is None:
            return
        # A refused query has no result, and the list still shows the sessions of the query before.
        if self._is_still_wanted(waiting) and (waiting.session is not None or not self.is_refused):
            self._run_if_known(waiting)
        else:
            self._waiting = None

    def _is_still_wanted(self, waiting: _Waiting) -> bool:
        """Whether the user has done nothing else since."""
        state = self.box.value, self.list.steps
        return (waiting.query, waiting.steps) == state and self.screen.is_active

    def _run_if_known(self, waiting: _Waiting) -> None:
        row = self.list.row
        if not self.is_answered or (row is None and self._may_have_rows):
            return
        if waiting.session is not None and (row is None or waiting.session.row is not row):
            self._waiting = None
            self._say_not_done("the session under the cursor is another now")
            return
        waiting.session = StableSelection(self.model, [row]) if row is not None else None
        if waiting.is_ready(row):
            self._waiting = None
            waiting.action()

    def _say_not_done(self, reason: str) -> None:
        self.notify(f"Nothing was done: {reason}", severity="warning", markup=False)

    @property
    def _may_have_rows(self) -> bool:
        """Whether an empty list may still get a session."""
        return not self.model.lines and (self.is_due or not self.scanned)

    # the keys of the search box

    @on(SearchBox.Stepped)
    def _stepped(self, event: SearchBox.Stepped) -> None:
        if not event.pages and (self.completion.step(event.rows) or self._bring_back(event.rows)):
            return
        self.list.step(event.rows, event.pages)

    def _bring_back(self, rows: int) -> bool:
        """Bring back the query before or after the one in the box; return whether there is one. In a selector
        whose cursor is not on the first session, the list moves instead.
        """
        box, is_up = self.box, rows < 0
        if (
            is_up
            and self.preset.keeps_box
            and not box.value
            and self.list.cursor > self.model.first_session()
        ):
            return False
        query = self.recent.older(box.value) if is_up else self.recent.newer(box.value)
        if query is None:
            return False
        box.value = query
        box.cursor_position = len(query)
        return True

    def _use_query(self) -> None:
        """Remember the query in the box."""
        if self.recent.add(self.box.value):
            self.post_message(self.QueryUsed())

    @on(SearchBox.MarkAsked)
    def _mark_asked(self) -> None:
        self.list.action_mark_or_fold()

    @on(SearchBox.TabPressed)
    async def _tab_pressed(self) -> None:
        if self.completion.complete():
            self.changed()
        else:
            await self.run_action("screen.turn('scope')")

    @on(SearchBox.CursorMoved)
    def _cursor_moved(self) -> None:
        if self.box.cursor_position < len(self.box.value):
            self.recent.leave()
        if self.completion.state == "list":
            self.completion.cursor_moved()
            self.changed()
        self._say_outcome()

    @on(SearchBox.Blurred)
    def _box_left(self) -> None:
        self.completion.close()
        self._typed_enough()

    @on(SearchBox.Kept)
    async def _kept(self) -> None:
        if self.completion.take_chosen():
            return
        self.completion.close()
        self._typed_enough()
        self._use_query()
        if self.preset.keeps_box:
            await self.run_action("screen.resume")
            return
        self.list.keep_cursor()
        self.screen.set_focus(self.list)
        if not self.box.value:
            self.box.remove_class("shown")

    @on(SearchBox.Dropped)
    async def _dropped(self) -> None:
        if self.completion.dismiss():
            self.offer_completion()
            self.changed()
        elif self.preset.keeps_box:
            await self.run_action("beside.back")
        elif self.box.value:
            self._clear()
        else:
            self.drop()

    def _clear(self) -> None:
        """Remove the query; the box keeps the focus."""
        self._use_query()
        self.box.value = ""
        self.list.set_query("")
        self._answered = ""

    async def action_edit_or_trash(self) -> None:
        """Delete the last word of the query; without a query, ask to trash."""
        if self.box.value:
            self.box.action_delete_left_word()
        else:
            await self.run_action("screen.act('trash')")
