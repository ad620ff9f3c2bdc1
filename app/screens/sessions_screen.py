"""The base class of browser and selector: the sessions' pane, the bars, and the controllers that act on
sessions. Each key and each message goes to the controller that handles it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.actions import SkipAction
from textual.binding import Binding
from textual.containers import Container
from textual.message import Message

from app.commands import COMMANDS
from app.controllers.dialog_host import DialogHost
from app.controllers.facts_feed import FactsFeed
from app.controllers.index_feed import IndexFeed
from app.controllers.places import Places
from app.controllers.resume_controller import ResumeController
from app.controllers.row_prompt import RowPrompt
from app.controllers.session_actions import SessionActions
from app.controllers.starter import Starter
from app.controllers.status_bars import StatusBars
from app.controllers.status_messages import StatusMessages
from app.controllers.transcript_copy import TranscriptCopy
from app.keys import key_of, keys_of
from app.messages import (
    ActionsDone,
    ActionsProgressed,
    CacheNotSaved,
    CatalogLoaded,
    IndexFailed,
    IndexRenewed,
    SessionsChanged,
)
from app.panes.sessions_pane import SessionsPane
from app.services.action_runner import ActionRunner
from app.services.index_service import IndexService
from app.services.list_facts import ListFacts
from app.services.resume_planner import ResumePlanner
from app.settings import settings_file
from app.view.bars import lacks, too_small_line
from app.view.frame import closing_line
from app.view.geometry import PaneLayout, is_too_small
from app.view.line import wrap
from app.view.needs import DAY_MS
from app.view.notifications import settings_messages, stopped_note
from app.view.session_row import LEGEND, SCROLLBAR
from app.view.transcript_block import LEGEND as TRANSCRIPT_LEGEND
from app.view.tree_row import LEGEND as TREE_LEGEND
from app.widgets.commands import bindings_of
from app.widgets.inputs import LineInput, SearchBox
from app.widgets.line_list import LineList
from app.widgets.panes import Bar, Divider, KeysBar, Pane
from app.widgets.session_list import SessionListView
from app.widgets.textual_internals import FirstPictureScreen, LineScroll
from app.widgets.transcript_lines import TranscriptLines

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from textual import events
    from textual.app import ComposeResult
    from textual.binding import BindingType
    from textual.events import DescendantFocus
    from textual.geometry import Region
    from textual.screen import Screen
    from textual.widget import Widget

    from app.commands import Command
    from app.dialogs.palette import Offer
    from app.index.row import Row
    from app.services.index_share import IndexShare
    from app.settings import Settings
    from app.setup import Setup
    from app.view.hit_line import HitPlace
    from app.view.line import Line
    from app.view.list_model import ListModel

_LEGENDS = {"Sessions": LEGEND, "Tree": TREE_LEGEND, "Entry": TREE_LEGEND, "Transcript": TRANSCRIPT_LEGEND}
"""The marks in the panes of each section of the help."""
LOOK_EVERY = 2.0
"""Seconds between two looks for running agents."""
TICK_EVERY = 30.0
"""Seconds between two updates of the ages on the screen."""
PROBLEM_SECONDS = 5.0
"""Seconds for which a problem of the settings stays in the status line."""
CACHE_PROBLEM_SECONDS = 10.0
"""Seconds for which the status line says why the cache cannot be written."""
NEED_SESSION = frozenset(("session", "entry", "branch", "leaf", "turn", "shown", "tree"))
"""The nouns of commands that do nothing without a session."""
STOP = Binding("escape", "stop_acting", "Stop the action", show=False, priority=True)
"""The key stops the action before it does anything else in a pane."""


class _Panes(Container):
    # The panes cover all of it.
    BLANK = True


class SessionsScreen(FirstPictureScreen[None]):
    """A screen with the list of sessions. A subclass shows the session under the cursor beside it."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings_of("app"), STOP]

    class Ready(Message):
        """The panes are mounted, and the list or its search line has the focus."""

    def __init__(
        self,
        setup: Setup,
        model: ListModel,
        settings: Settings,
        index_service: IndexService | IndexShare | None = None,
        *,
        query: str = "",
        selects: bool = False,
    ) -> None:
        """:param index_service: of the same setup, if it has begun before the screen.
        :param query: stands in the search line from the start.
        :param selects: see `SessionsPane`.
        """
        super().__init__()
        self.setup = setup
        self.settings = settings
        self.model = model
        model.prices, model.now_ms = setup.prices, setup.now_ms
        model.recent_ms = settings.needs_days * DAY_MS
        post = self.post_message
        self.runner = ActionRunner(setup, post)
        self._planner = ResumePlanner(setup, post)
        self.sessions_pane = pane = SessionsPane(
            model, setup, lambda: self.feed.index, self.show_hit, id="sessions-pane", selects=selects
        )
        self._host = host = DialogHost(self)
        self._messages = messages = StatusMessages(self)
        self._requested = ResumePlanner(setup, post)
        self._starter = Starter(host, messages, self._requested, lambda row: self.facts.note_opened(row))
        self.facts = facts = FactsFeed(
            host,
            messages,
            pane,
            ListFacts(setup, post),
            setup,
            changed=self.sessions_changed,
            states_changed=self._states_changed,
            bars_changed=self.refresh_bars,
        )
        self.feed = IndexFeed(
            setup,
            pane,
            facts,
            messages,
            index_service or IndexService(setup, model.arrangement),
            post=post,
            follow=self.follow_session,
            changed=self.sessions_changed,
        )
        self._prompt = prompt = RowPrompt(
            host,
            messages,
            pane.list,
            is_reading=lambda: self.is_reading,
            bar_region=self._bar_region,
            changed=self.refresh_bars,
        )
        self.actions = SessionActions(
            host, messages, prompt, pane, facts, self.runner, self._starter, setup, settings
        )
        self.places = Places(
            host,
            messages,
            pane,
            self.runner,
            setup,
            go_to=lambda row: self.go_to(row.path, ""),
            all_rows=self._all_rows,
            is_reading=lambda: self.is_reading,
            ascii_only=settings.draws_plain(setup.env, setup.encoding),
        )
        self.resume_controller = ResumeController(
            host,
            messages,
            prompt,
            pane,
            facts,
            self.actions,
            self._planner,
            self._starter,
            setup,
            show_tree=self.show_tree,
            read=self.action_show_transcript,
            changed=self.refresh_bars,
        )
        self._copies = TranscriptCopy(host, messages, setup)
        self.pane_layout = PaneLayout({}, -1, header=True, closing=False)
        self._is_too_small = False
        self._has_dragged = False
        # whether the panes were placed for a screen without any session
        self._placed_alone = False
        # the widget with the focus before the screen became too small
        self._focused_before: Widget | None = None
        self.bars = StatusBars(
            host, setup, pane, self.feed, prompt, self.actions, self.resume_controller, messages.line
        )
        self._query = query
        if query:
            model.begin_with(query)

    # for subclasses

    @property
    def header_note(self) -> str:
        """The note in the header while there is no activity."""
        return "Examples" if self.setup.demo else ""

    @property
    def hidden_note(self) -> str:
        """The number of hidden rows, for the status line of a screen without a rule below the panes."""
        return "" if self.pane_layout.closing else self.sessions_pane.closing

    @property
    def focused_pane(self) -> str:
        """The name of the pane with the focus."""
        raise NotImplementedError

    @property
    def closing_pane(self) -> Pane | None:
        """The pane whose figures are in the rule below the panes, beside those of the list."""
        return None

    def show_session(self, row: Row | None, *, again: bool) -> None:
        """Show the session under the cursor.

        :param again: it is the one that was shown, at another place.
        """
        raise NotImplementedError

    def show_hit(self, hit: HitPlace) -> None:
        """Show the hit of the session under the cursor."""
        raise NotImplementedError

    async def follow_session(self, row: Row) -> None:
        """Show what has changed in the file of a session."""
        raise NotImplementedError

    def retry_session(self) -> None:
        """Read the session again if it could not be read."""
        raise NotImplementedError

    def show_tree(self) -> None:
        """Go to the tree of the session under the cursor."""
        raise NotImplementedError

    @property
    def beside(self) -> LineList:
        """The lines that can be scrolled from the list and its search line."""
        raise NotImplementedError

    def action_show_transcript(self) -> None:
        """Show the transcript of the session under the cursor."""
        raise NotImplementedError

    def command_target(self, pane: str) -> Widget | Screen[None]:
        """The widget whose action a command of the table runs."""
        raise NotImplementedError

    def offers(self, command: Command) -> bool:
        """Whether a command of the table does something here."""
        return True

    def lacks(self, command: Command) -> bool:
        """Whether the agent of the session under the cursor lacks the ability that the command needs."""
        return lacks(self.sessions_pane.list.row, command)

    def works_now(self, command: Command) -> bool:
        """Whether the command does something now, apart from keys that only move a cursor."""
        if not self.offers(command) or self.lacks(command) or command.pane in ("list", "filter", "project"):
            return False
        if not self.model.known and command.pane != "app":
            return False
        if command.id in ("change.undo", "change.redo"):
            return self.actions.can_undo if command.id == "change.undo" else self.facts.can_redo
        has_session = self.sessions_pane.list.row is not None or bool(self.model.marked)
        return has_session or command.id.partition(".")[0] not in NEED_SESSION

    def help_section(self) -> str:
        """The section of the help about the pane with the focus."""
        from app.dialogs.help import ALL, SECTIONS

        for section, panes in SECTIONS.items():
            if any(self._has_focus(pane) for pane in panes):
                return section
        return ALL

    def _has_focus(self, pane: str) -> bool:
        target, focused = self.command_target(pane), self.focused
        return target is not self and focused is not None and target in focused.ancestors_with_self

    def go_to(self, path: str, entry_id: str) -> None:
        """Go to a session, or to one of its entries.

        :param entry_id: "" for the session itself.
        """
        self.sessions_pane.list.go_to(path)

    def help_of(self, command: Command) -> str:
        """The help of a command on this screen."""
        return command.help

    def compose_beside(self) -> ComposeResult:
        """The panes beside the list."""
        raise NotImplementedError

    def expect_session(self, row: Row | None) -> None:
        """Show the title of the session that will be read."""
        raise NotImplementedError

    def status_line(self, cells: int) -> Line:
        """The status line, which stands above that of the keys."""
        raise NotImplementedError

    def keys_line(self, cells: int) -> Line:
        """The keys that do something now."""
        raise NotImplementedError

    def focus_moved(self, widget: Widget) -> None:
        """Take note that another widget has the focus."""

    def uncovered(self) -> None:
        """Take note that the screen over this one is gone."""

    # begin and end

    def compose(self) -> ComposeResult:
        # The popup comes first: Textual paints what stands before a widget that appears again.
        yield self.sessions_pane.popup
        yield Bar(lambda cells: self.bars.header(cells, self.header_note), id="header")
        with _Panes(id="panes"):
            yield self.sessions_pane
            yield Divider(id="divider")
            yield from self.compose_beside()
        yield Bar(self.closing_bar, id="closing")
        self._status_bar = KeysBar(self.status_line, id="resume")
        yield self._status_bar
        yield KeysBar(self.keys_line, id="keys")
        yield Bar(too_small_line, id="too-small")

    def on_mount(self) -> None:
        self.place_panes()
        if self._query:
            self.sessions_pane.box.add_class("shown")
            self.sessions_pane.search_for(self._query)
        self.expect_session(self.sessions_pane.list.row)
        self.set_focus(self.query_one(str(self.AUTO_FOCUS)))
        self.post_message(self.Ready())
        # Imports in the threads would delay the first picture, and the keys that wait for it.
        self.call_after_refresh(self.begin)
        # In the first picture, as in the first frame. Other reasons for an empty list are not known before
        # all sessions are read.
        if self.model.lines:
            self.sessions_pane.sessions_changed()
        elif self.model.searched is not None:
            self.sessions_pane.sessions_changed()
            self._wrap_notice()

    def _wrap_notice(self) -> None:
        """Wrap the notice for the first picture, in which the list has no size yet."""
        pane = self.sessions_pane
        if pane.styles.width is not None:
            cells = int(pane.styles.width.value) - SCROLLBAR
            notice = pane.list.notice
            pane.list.show_notice([piece for line in notice for piece in wrap(line, max(4, cells - 2))])

    def begin(self) -> None:
        """Follow the stores, and show what is there; when the panes are mounted."""
        self._show_settings_problems()
        self._show_session()
        # Behind the keys that were typed before the first picture: they decide what is read first.
        self.call_later(self._follow_stores)

    def _follow_stores(self) -> None:
        self.feed.start()
        self.facts.read_pins()
        self.facts.read_opened()
        self.facts.read_recaps()
        self.facts.read_queries()
        self.set_interval(LOOK_EVERY, self.facts.look)
        self.set_interval(TICK_EVERY, self.update_ages)
        self.set_interval(TICK_EVERY, self.facts.find_missing)
        self.set_interval(TICK_EVERY, self.facts.read_recaps)
        self.set_interval(TICK_EVERY, self.facts.read_journal)

    def _show_settings_problems(self) -> None:
        """Show the problems of the settings, one after the other."""
        file = settings_file(self.setup.env)
        for text in settings_messages(self.settings.problems, file):
            self._messages.warn(text, PROBLEM_SECONDS)

    def on_unmount(self) -> None:
        self.stop_services()

    def stop_services(self) -> None:
        """Stop the services. Requested actions end first; a long action stops, and its progress is printed
        when the terminal is the shell's again.
        """
        self.feed.stop()
        self.facts.stop()
        self._planner.stop()
        self.runner.stop()
        self._requested.stop()
        self._copies.stop()
        parting = getattr(self.app, "parting", None)
        if isinstance(parting, list):
            for what, done, total in self.runner.stopped:
                parting.append(f"stopped: {stopped_note(what, done, total, 'run leafmark undo')}")

    # layout and bars

    def place_panes(self) -> None:
        """Put the panes in their places for the size of the screen."""
        raise NotImplementedError

    def on_resize(self) -> None:
        self.place_panes()

    def _place_if_alone(self) -> None:
        """Place the panes anew if the first session has come, or the last one has gone."""
        if self.sessions_pane.is_alone != self._placed_alone:
            self.place_panes()

    def put_panes(self, names: Iterable[str], places: PaneLayout) -> None:
        """Show the panes and rules that have a place, and no others.

        :param names: of all panes.
        """
        self._placed_alone = self.sessions_pane.is_alone
        columns, lines = self.size
        too_small = is_too_small(columns, lines)
        if too_small != self._is_too_small:
            self._is_too_small = too_small
            if too_small:
                self._focused_before = self.focused
            self.query_one("#too-small").display = too_small
            for name in ("header", "panes", "closing", "resume", "keys"):
                self.query_one(f"#{name}").display = not too_small
            if not too_small and self._focused_before is not None:
                self.set_focus(self._focused_before)
        self.pane_layout = places
        for name in names:
            pane = self.query_one(f"#{name}-pane")
            box = places.boxes.get(name)
            pane.display = box is not None
            if box is not None:
                pane.styles.width = box.width
                pane.styles.height = box.height
        if "sessions" in places.boxes:
            self.sessions_pane.show_heads(places.boxes["sessions"].height)
        divider = self.query_one("#divider", Divider)
        divider.display = places.divider >= 0
        middles = [box.y - places.top for box in places.boxes.values() if box.x > 0 and box.y > places.top]
        divider.set_middle(middles[0] if middles else -1)
        if not too_small:
            self.query_one("#header").display = places.header
            self.query_one("#closing").display = places.closing
        self.query_one("#panes").styles.layout = "horizontal" if places.divider >= 0 else "vertical"
        self.bars.join(self.header_note, has_header=places.header)

    def closing_bar(self, cells: int) -> Line:
        """The rule below the panes."""
        lower = self.closing_pane
        return closing_line(
            cells,
            self.pane_layout,
            self.sessions_pane.closing,
            lower.closing if lower is not None else "",
            focus=self.focused_pane,
        )

    def _bar_region(self) -> Region:
        # A change may still reach an open editor while the screen is closed, when no bar can be queried.
        return self._status_bar.region

    @on(Pane.Closing)
    def refresh_bars(self) -> None:
        """Paint the bars that have changed."""
        self.bars.join(self.header_note, has_header=self.pane_layout.header)
        for bar in self.query(Bar):
            bar.renew()

    def update_ages(self) -> None:
        """Show the ages of now."""
        self.sessions_pane.list.now_ms = self.setup.now_ms()
        self.sessions_pane.list.redraw_rows()

    def on_descendant_focus(self, event: DescendantFocus) -> None:
        self._messages.focus_moved(isinstance(event.widget, LineInput))
        if self.sessions_pane in event.widget.ancestors:
            self.sessions_pane.focus_moved()
        self.focus_moved(event.widget)
        self._note_opened()
        self.refresh_bars()

    def _note_opened(self) -> None:
        """Note that the user reads the session under the cursor, if a pane that shows it has the focus."""
        row = self.sessions_pane.list.row
        if row is not None and self.focused_pane != "sessions":
            self._host.start(self.facts.note_opened(row))

    def on_screen_suspend(self) -> None:
        self._messages.covered()
        self.refresh_bars()

    def on_screen_resume(self) -> None:
        self.refresh_bars()
        self.uncovered()

    # the mouse

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Say once how the terminal selects text, after the first drag over text."""
        if event.button and not self._has_dragged and isinstance(event.widget, LineScroll):
            self._has_dragged = True
            self._messages.show("Shift+drag selects text")

    # the list

    def _all_rows(self) -> Sequence[Row]:
        """All sessions, also those that the list leaves out; for any thread."""
        index = self.feed.index
        return index.rows() if index is not None else self.model.rows()

    @property
    def is_reading(self) -> bool:
        """Whether files are being read: a session that is missing may appear in a moment."""
        return self.feed.is_reading

    def sessions_changed(self) -> None:
        """Show that other sessions are listed, or in another way."""
        self.sessions_pane.sessions_changed(self.facts.places if self.feed.scanned else None)
        self._place_if_alone()
        self.refresh_bars()

    def files_changed(self) -> None:
        """Show in open dialogs that sessions were moved, or changed in their files."""
        self.resume_controller.sessions_changed(is_reading=self.is_reading)
        self.places.renew_history()

    @on(CatalogLoaded)
    def _catalog_loaded(self, event: CatalogLoaded) -> None:
        self.show_catalog(event)

    def show_catalog(self, event: CatalogLoaded) -> None:
        """Show the stored sessions."""
        self.feed.catalog_loaded(event)

    @on(SessionsChanged)
    async def _sessions_changed(self, event: SessionsChanged) -> None:
        await self.feed.sessions_changed(event)
        self.files_changed()

    @on(IndexFailed)
    def _index_failed(self, event: IndexFailed) -> None:
        self.feed.index_failed(event)
        self.refresh_bars()

    def _states_changed(self) -> None:
        self.refresh_bars()
        self.resume_controller.states_changed()

    @on(SessionsPane.Changed)
    @on(SessionListView.FoldsChanged)
    def _shown_otherwise(self) -> None:
        self._place_if_alone()
        self.refresh_bars()

    @on(LineList.Moved, "#sessions")
    def _session_moved(self) -> None:
        # the step first: what the threads do for the rest of it would hold up its picture
        self.call_after_refresh(self._show_session)

    def _show_session(self) -> None:
        pane = self.sessions_pane
        row = pane.list.row
        self.refresh_bars()
        if row is not None:
            self.resume_controller.make_plan(row)
        else:
            self.resume_controller.plan_start()
        # If its agent moved the file, the cursor stays on its entry.
        self.show_session(row, again=row is not None and pane.list.followed_to == row.path)
        pane.shown = row.path if row is not None else ""
        pane.locate_hit()

    # results of services

    @on(ActionsDone)
    def _actions_done(self, event: ActionsDone) -> None:
        self.action_done(event)
        self.sessions_pane.changed()

    def action_done(self, event: ActionsDone) -> None:
        """Show the result of an action."""
        self.actions.done(event)
        self.places.renew_history()

    @on(ActionsProgressed)
    def _actions_progressed(self, event: ActionsProgressed) -> None:
        self.actions.progressed(event)
        self.refresh_bars()

    @on(CacheNotSaved)
    def _cache_not_saved(self, event: CacheNotSaved) -> None:
        if event.reason:
            self._messages.warn(event.reason, CACHE_PROBLEM_SECONDS)
        self.refresh_bars()

    @on(IndexRenewed)
    def _index_renewed(self, event: IndexRenewed) -> None:
        self._messages.warn(f"{event.reason[0].upper()}{event.reason[1:]}", CACHE_PROBLEM_SECONDS)

    # commands; those on the session under the cursor wait for the search

    @on(LineList.Activated, "#sessions")
    def _row_clicked_twice(self) -> None:
        if self.sessions_pane.list.project is not None:
            self.sessions_pane.list.action_toggle_fold()
        else:
            self.resume_controller.resume()

    @on(SessionListView.ResumeAsked)
    @on(SessionsPane.Chosen)
    def _resume_asked(self) -> None:
        self.resume_controller.resume()

    @on(SearchBox.BesideScrolled)
    def _beside_scrolled(self, event: SearchBox.BesideScrolled) -> None:
        self.action_scroll_beside(event.lines, event.pages)

    def action_scroll_beside(self, lines: int, pages: int) -> None:
        """Scroll the pane beside the list."""
        self.beside.scroll_by(lines, pages)

    def action_go_prompt_beside(self, step: int) -> None:
        """Put the cursor of the transcript beside the list on its next prompt (1), or on the one before."""
        lines = self.beside
        if isinstance(lines, TranscriptLines):
            lines.action_go_prompt(step)

    def action_act(self, what: str) -> None:
        """Act on the sessions by a method of `SessionActions`."""
        self.sessions_pane.once_known(getattr(self.actions, what))

    @on(SessionsPane.QueryUsed)
    def _query_used(self) -> None:
        self.facts.remember_queries()

    @on(SessionsPane.TrashAsked)
    def _trash_asked(self) -> None:
        self.action_act("trash")

    def action_explain_trash(self) -> None:
        """Show which key trashes."""
        key = key_of("session.trash")
        if key:
            self._messages.show(f"{key} trashes")

    def action_open_transcript(self, kind: str) -> None:
        """Open the transcript of the session in the "pager" or the "editor"."""
        self.sessions_pane.once_known(lambda: self._copies.open(self.sessions_pane.list.row, kind))

    def action_copy_command(self) -> None:
        self.resume_controller.copy_command()

    def action_undo(self) -> None:
        self.actions.undo()

    def action_redo(self) -> None:
        self.actions.redo()

    def action_show_place(self, place: str) -> None:
        """Show the "history", the "trash", the "archive" or the "statistics"."""
        getattr(self.places, f"show_{place}")()

    def action_show_settings(self) -> None:
        from app.dialogs.settings import SettingsDialog

        self.app.push_screen(SettingsDialog(self.setup, self.settings))

    def action_stop_acting(self) -> None:
        """Stop an action on several sessions, or the reading of a transcript for another program; if there is
        none, the key keeps its usual effect.
        """
        if not self._copies.cancel() and not self.actions.stop_running():
            raise SkipAction

    def action_rescan(self) -> None:
        """Scan every store again, and say what has changed."""
        self.feed.rescan()
        self.refresh_bars()
        self.retry_session()

    def action_turn(self, what: str) -> None:
        """Show the sessions in the next way, as `SessionsPane.turn` does."""
        self.sessions_pane.turn(what)
        if what in ("roomy", "paths"):
            self.facts.remember_arrangement()
        if what == "hidden":
            self.facts.subagents_turned()

    def action_show_help(self) -> None:
        """Show the keys."""
        from app.dialogs.help import HelpDialog

        offered = [command for command in COMMANDS if self.offers(command) and not self.lacks(command)]
        self.app.push_screen(HelpDialog(_LEGENDS, offered, self.help_of, self.help_section()))

    def open_palette(self) -> None:
        """Open the palette: commands of the pane with the focus come first."""
        from app.dialogs.palette import CommandOffer, PaletteDialog

        sentences: dict[str, CommandOffer] = {}
        for command in filter(self.works_now, COMMANDS):
            description = self.help_of(command)
            sentences.setdefault(description, CommandOffer(command, description, keys_of(command)))
        offers = sorted(sentences.values(), key=lambda offer: not self._has_focus(offer.command.pane))
        self.app.push_screen(PaletteDialog(offers, self.model.rows(), self.setup.now_ms()), self._chosen)

    async def _chosen(self, offer: Offer | None) -> None:
        from app.dialogs.palette import Place

        if isinstance(offer, Place):
            self.go_to(offer.row.path, offer.entry_id)
        elif offer is not None:
            command = offer.command
            await self.app.run_action(command.action, self.command_target(command.pane))
