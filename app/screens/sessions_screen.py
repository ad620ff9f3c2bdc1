"""The screen with the sessions, which is the browser or the selector: the sessions' pane, the bars, and the
controllers that act on sessions. Each key and each message goes to the controller that handles it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, cast

from textual import on
from textual.actions import SkipAction
from textual.binding import Binding
from textual.containers import Container
from textual.message import Message

from app.commands import COMMANDS, MENUS, command_by_id
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
from app.controllers.transcript_copy import TranscriptCopy, copied_entry_sizes
from app.keys import key_of, keys_of
from app.messages import (
    ActionsDone,
    ActionsProgressed,
    CacheNotSaved,
    CatalogLoaded,
    IndexFailed,
    IndexRenewed,
    SessionsChanged,
    TouchedFilesRead,
)
from app.panes.sessions_pane import SessionsPane
from app.panes.transcript_pane import TranscriptPane
from app.services.action_runner import ActionRunner
from app.services.index_service import IndexService
from app.services.list_facts import ListFacts
from app.services.resume_planner import ResumePlanner
from app.services.touched_reader import TouchedReader
from app.settings import settings_file
from app.view.arrangement import ORDERS, order_words
from app.view.bars import keys_line, lacks, too_small_line
from app.view.formatting import counted
from app.view.frame import closing_line
from app.view.geometry import PANES, PaneLayout, is_too_small
from app.view.line import wrap
from app.view.menus import command_of_words, state_of
from app.view.needs import DAY_MS
from app.view.notifications import settings_messages, stopped_note
from app.view.preset import BROWSER
from app.view.session_row import LEGEND, SCROLLBAR
from app.view.transcript_block import LEGEND as TRANSCRIPT_LEGEND
from app.view.tree_row import LEGEND as TREE_LEGEND
from app.widgets.commands import bindings_of
from app.widgets.inputs import LineInput, SearchBox
from app.widgets.line_list import LineList
from app.widgets.panes import Bar, Divider, HeaderBar, KeysBar, Pane, WordClicked
from app.widgets.session_list import SessionListView
from app.widgets.textual_internals import FirstPictureScreen, LineScroll

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

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
    from app.screens.beside import Beside
    from app.services.index_share import IndexShare
    from app.settings import Settings
    from app.setup import Setup
    from app.view.line import Line
    from app.view.list_model import ListModel
    from app.view.preset import Preset
    from app.widgets.entry_tree import EntryTree

_LEGENDS = {"Sessions": LEGEND, "Tree": TREE_LEGEND, "Transcript": TRANSCRIPT_LEGEND}
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
    """The list of sessions, and beside it the session under the cursor."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings_of("app"), STOP]

    class Ready(Message):
        """The panes are mounted, and the list or its search line has the focus."""

    def __init__(
        self,
        preset: Preset,
        beside: Callable[[SessionsScreen], Beside],
        setup: Setup,
        model: ListModel,
        settings: Settings,
        index_service: IndexService | IndexShare | None = None,
        *,
        query: str = "",
        begin_at: str = "",
        in_tree: bool = False,
    ) -> None:
        """:param beside: makes the panes beside the list.
        :param index_service: of the same setup, if it has begun before the screen or runs for another one.
        :param query: stands in the search line from the start.
        :param begin_at: the path of the session that the cursor is on at first.
        :param in_tree: the tree of that session has the keys.
        """
        super().__init__()
        self.preset = preset
        # Textual focuses it before the search line has a query, which the focus would select.
        self.AUTO_FOCUS = f"#{preset.focus}"  # type: ignore[misc]
        self.setup = setup
        self.settings = settings
        self.model = model
        model.prices, model.now_ms = setup.prices, setup.now_ms
        model.recent_ms = settings.needs_days * DAY_MS
        post = self.post_message
        self.runner = ActionRunner(setup, post)
        self._planner = ResumePlanner(setup, post)
        self.sessions_pane = pane = SessionsPane(
            preset,
            model,
            setup,
            lambda: self.feed.index,
            lambda hit: self.beside.show_hit(hit),
            id="sessions-pane",
        )
        self.host = host = DialogHost(self)
        self.messages = messages = StatusMessages(self)
        self._requested = ResumePlanner(setup, post)
        self.starter = Starter(host, messages, self._requested, lambda row: self.facts.note_opened(row))
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
            follow=lambda row: self.beside.follow(row),
            changed=self.sessions_changed,
        )
        self.prompt = prompt = RowPrompt(
            host,
            messages,
            pane.list,
            is_reading=lambda: self.is_reading,
            bar_region=self._bar_region,
            changed=self.refresh_bars,
        )
        self.actions = SessionActions(
            host, messages, prompt, pane, facts, self.runner, self.starter, setup, settings
        )
        self.places = Places(
            host,
            messages,
            pane,
            self.runner,
            setup,
            go_to=lambda row: self.beside.go_to(row.path, ""),
            all_rows=self.all_rows,
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
            self.starter,
            setup,
            show_tree=lambda: self.beside.show_tree(),
            read=lambda: self.beside.read(),
            changed=self.refresh_bars,
        )
        self._copies = TranscriptCopy(host, messages, setup)
        self._touched = TouchedReader(lambda: self.feed.index, post)
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
        self._begin_at, self._begins_in_tree = begin_at, in_tree
        if query:
            model.begin_with(query)
        self.beside = beside(self)

    # what is offered

    @property
    def is_over_another(self) -> bool:
        """Whether this was opened over a screen of the same kind: the example sessions over the user's own,
        or the browser over the selector.
        """
        return sum(isinstance(screen, SessionsScreen) for screen in self.app.screen_stack) > 1

    def command_target(self, pane: str) -> Widget | Screen[None]:
        """The widget whose action a command of the table runs."""
        targets: dict[str, Widget] = {
            "side": self.sessions_pane,
            "filter": self.sessions_pane.box,
            "sessions": self.sessions_pane.list,
            "list": self.beside.main,
            **self.beside.widgets,
        }
        return targets.get(pane, self)

    def offers(self, command: Command) -> bool:
        """Whether a command of the table does something here."""
        return bool(self.help_of(command))

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
        if command.id == "session.restore":
            return any(row.is_gone for row in self.actions.targets())
        if not self.beside.works_now(command):
            return False
        has_session = self.sessions_pane.list.row is not None or bool(self.model.marked)
        return has_session or command.id.partition(".")[0] not in NEED_SESSION

    def help_section(self) -> str:
        """The name of the pane with the focus in the help; "" for none of them."""
        from app.dialogs.help import SECTIONS

        for section, panes in SECTIONS.items():
            if any(self._has_focus(pane) for pane in panes):
                return section
        return ""

    def _has_focus(self, pane: str) -> bool:
        target, focused = self.command_target(pane), self.focused
        if pane == "right":
            return self._has_focus("tree") or self._has_focus("transcript")
        return target is not self and focused is not None and target in focused.ancestors_with_self

    def help_of(self, command: Command) -> str:
        """The help of a command on this screen; "" if it does nothing here."""
        return self.preset.help_of(command)

    def keys_line(self, cells: int) -> Line:
        """The keys that do something now: a hint for a key that does nothing is worse than none."""
        if not self.is_mounted:
            return keys_line(cells, [])
        answers = self.prompt.keys(cells)
        return answers if answers is not None else self.bars.keys(cells, self.beside.keys())

    @property
    def header_note(self) -> str:
        """The note in the header while there is no activity."""
        if not self.setup.demo:
            return ""
        return "Examples, Esc goes back" if self.is_over_another else "Examples"

    # begin and end

    def compose(self) -> ComposeResult:
        # The popup comes first: Textual paints what stands before a widget that appears again.
        yield self.sessions_pane.popup
        yield HeaderBar(lambda cells: self.bars.header(cells, self.header_note), id="header")
        with _Panes(id="panes"):
            yield self.sessions_pane
            yield Divider(id="divider")
            yield cast("Widget", self.beside)
        yield Bar(self.closing_bar, id="closing")
        self._status_bar = KeysBar(self.beside.status_line, id="resume")
        yield self._status_bar
        yield KeysBar(self.keys_line, id="keys")
        yield Bar(too_small_line, id="too-small")

    def on_mount(self) -> None:
        self.place_panes()
        if self._query:
            self.sessions_pane.box.add_class("shown")
            self.sessions_pane.search_for(self._query)
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
        self.places.look_for_archive()
        self.set_interval(LOOK_EVERY, self.facts.look)
        self.set_interval(TICK_EVERY, self.update_ages)
        self.set_interval(TICK_EVERY, self.facts.find_missing)
        self.set_interval(TICK_EVERY, self.facts.read_recaps)
        self.set_interval(TICK_EVERY, self.facts.read_last_words)
        self.set_interval(TICK_EVERY, self.facts.read_journal)
        self.set_interval(TICK_EVERY, self.facts.read_keeping)

    def _show_settings_problems(self) -> None:
        """Show the problems of the settings, one after the other."""
        file = settings_file(self.setup.env)
        for text in settings_messages(self.settings.problems, file):
            self.messages.warn(text, PROBLEM_SECONDS)

    def on_unmount(self) -> None:
        self.stop_services()

    def stop_services(self) -> None:
        """Stop the services. Requested actions end first; a long action stops, and its progress is printed
        when the terminal is the shell's again.
        """
        if self.preset is BROWSER and not self._begins_in_tree:
            self.facts.remember_place()
        self.feed.stop()
        self.facts.stop()
        self._planner.stop()
        self.runner.stop()
        self._requested.stop()
        self._copies.stop()
        self._touched.stop()
        parting = getattr(self.app, "parting", None)
        if isinstance(parting, list):
            for what, done, total in self.runner.stopped:
                parting.append(f"stopped: {stopped_note(what, done, total, 'run leafmark undo')}")

    # layout and bars

    def on_resize(self) -> None:
        self.place_panes()

    def _place_if_alone(self) -> None:
        """Place the panes anew if the first session has come, or the last one has gone."""
        if self.sessions_pane.is_alone != self._placed_alone:
            self.place_panes()

    def place_panes(self) -> None:
        """Put the panes in their places for the size of the screen. Those without a place are not shown."""
        self._placed_alone = self.sessions_pane.is_alone
        columns, lines = self.size
        places = self.beside.place(columns, lines)
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
        for pane in self.query("#panes Pane"):
            box = places.boxes.get((pane.id or "").removesuffix("-pane"))
            pane.display = box is not None
            if box is not None:
                pane.styles.width = box.width
                pane.styles.height = box.height
        self.query_one("#right").display = len(places.boxes) > (PANES[0] in places.boxes)
        if PANES[0] in places.boxes:
            self.sessions_pane.show_heads(places.boxes[PANES[0]].height)
        divider = self.query_one("#divider", Divider)
        divider.display = places.divider >= 0
        middles = [box.y - places.top for box in places.boxes.values() if box.x > 0 and box.y > places.top]
        divider.set_middle(middles[0] if middles else -1)
        for second in self.query("#second-divider"):
            second.display = places.second >= 0
        self.query_one("#right").styles.layout = "horizontal" if places.second >= 0 else "vertical"
        if not too_small:
            self.query_one("#header").display = places.header
            self.query_one("#closing").display = places.closing
        self.query_one("#panes").styles.layout = "horizontal" if places.divider >= 0 else "vertical"
        self.bars.join(self.header_note, has_header=places.header)
        self.query_one("#closing", Bar).renew()

    def closing_bar(self, cells: int) -> Line:
        """The rule below the panes."""
        figures = {PANES[0]: self.sessions_pane.closing, **self.beside.closing}
        return closing_line(cells, self.pane_layout, figures, focus=self.beside.focused_pane)

    def _bar_region(self) -> Region:
        # A change may still reach an open editor while the screen is closed, when no bar can be queried.
        return self._status_bar.region

    @on(Pane.Closing)
    def refresh_bars(self) -> None:
        """Paint the bars that have changed."""
        self.bars.join(self.header_note, has_header=self.pane_layout.header)
        for bar in self.query(Bar):
            bar.renew()
        self.beside.update(self.sessions_pane.list.row)

    def update_ages(self) -> None:
        """Show the ages of now."""
        self.sessions_pane.list.now_ms = self.setup.now_ms()
        self.sessions_pane.list.redraw_rows()

    def on_descendant_focus(self, event: DescendantFocus) -> None:
        self.messages.focus_moved(isinstance(event.widget, LineInput))
        if self.sessions_pane in event.widget.ancestors:
            self.sessions_pane.focus_moved()
        self.beside.focus_moved(event.widget)
        self._note_opened()
        self.refresh_bars()

    def _note_opened(self) -> None:
        """Note that the user reads the session under the cursor, if a pane that shows it has the focus."""
        row = self.sessions_pane.list.row
        if row is not None and self.beside.focused_pane != PANES[0]:
            self.host.start(self.facts.note_opened(row))

    def on_screen_suspend(self) -> None:
        self.messages.covered()
        self.refresh_bars()

    def on_screen_resume(self) -> None:
        self.refresh_bars()

    # the mouse

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Say once how the terminal selects text, after the first drag over text."""
        if event.button and not self._has_dragged and isinstance(event.widget, LineScroll):
            self._has_dragged = True
            self.messages.show("Shift+drag selects text")

    @on(WordClicked)
    async def _word_clicked(self, event: WordClicked) -> None:
        """Change what is clicked in the header, or in the rule of the list."""
        if event.owner is self.sessions_pane or event.owner.id == "header":
            await self._menu_chosen(command_of_words(event.text) or None)

    @on(Divider.Dragged)
    @on(Pane.Dragged)
    def _border_dragged(self, event: Divider.Dragged | Pane.Dragged) -> None:
        self.beside.dragged(event)

    # the list

    def all_rows(self) -> Sequence[Row]:
        """All sessions, also those that the list leaves out; for any thread."""
        # Those of the search, which are current: reading them again would take 30 MB for 10,000 sessions.
        index = self.feed.index
        return (index.searched_rows if index is not None else ()) or self.model.rows()

    @property
    def is_reading(self) -> bool:
        """Whether files are being read: a session that is missing may appear in a moment."""
        return self.feed.is_reading

    def sessions_changed(self) -> None:
        """Show that other sessions are listed, or in another way."""
        self.sessions_pane.sessions_changed(self.facts.places if self.feed.scanned else None)
        self._place_if_alone()
        self.refresh_bars()

    @on(CatalogLoaded)
    def _catalog_loaded(self, event: CatalogLoaded) -> None:
        if self.feed.catalog_loaded(event, self._begin_at) and self._begins_in_tree:
            self.beside.show_tree()
        self.beside.sessions_changed()

    @on(SessionsChanged)
    async def _sessions_changed(self, event: SessionsChanged) -> None:
        await self.feed.sessions_changed(event)
        # open dialogs may show sessions that were moved, or changed in their files
        self.resume_controller.sessions_changed(is_reading=self.is_reading)
        self.places.renew_history()
        self.beside.sessions_changed()
        if self.feed.scanned:
            self._touched.read(self.facts.rows_without_subagents)

    @on(TouchedFilesRead)
    def _touched_files_read(self) -> None:
        self.sessions_pane.touched_files_read()

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
        self.beside.show_session(row, again=row is not None and pane.list.followed_to == row.path)
        pane.shown = row.path if row is not None else ""
        pane.locate_hit()

    # results of services

    @on(ActionsDone)
    def _actions_done(self, event: ActionsDone) -> None:
        self.actions.done(event)
        self.places.renew_history()
        self.sessions_pane.changed()

    @on(ActionsProgressed)
    def _actions_progressed(self, event: ActionsProgressed) -> None:
        self.actions.progressed(event)
        self.refresh_bars()

    @on(CacheNotSaved)
    def _cache_not_saved(self, event: CacheNotSaved) -> None:
        if event.reason:
            self.messages.warn(event.reason, CACHE_PROBLEM_SECONDS)
        self.refresh_bars()

    @on(IndexRenewed)
    def _index_renewed(self, event: IndexRenewed) -> None:
        self.messages.warn(f"{event.reason[0].upper()}{event.reason[1:]}", CACHE_PROBLEM_SECONDS)

    # commands; those on the session under the cursor wait for the search

    @on(LineList.Activated, "#sessions")
    def _row_clicked_twice(self) -> None:
        if self.sessions_pane.list.project is not None:
            self.sessions_pane.list.action_toggle_fold()
        else:
            self.beside.read()

    def action_resume(self) -> None:
        self.resume_controller.resume()

    @on(SearchBox.BesideScrolled)
    def _beside_scrolled(self, event: SearchBox.BesideScrolled) -> None:
        self.action_scroll_beside(event.lines, event.pages)

    def action_scroll_beside(self, lines: int, pages: int) -> None:
        """Scroll the pane beside the one with the focus."""
        if self.beside.lines is not None:
            self.beside.lines.scroll_by(lines, pages)

    def action_open_filter(self) -> None:
        """Open the search line of the pane with the focus; in a search line a slash is a letter."""
        if isinstance(self.focused, SearchBox):
            raise SkipAction
        self.beside.open_filter()

    async def action_do_from_preview(self, id: str) -> None:
        """Do what a key of the list does, from the preview beside it."""
        command = command_by_id(id)
        if id == "session.resume" and self.sessions_pane.list.row is None and self.sessions_pane.is_answered:
            return  # Enter would fold the project in the list, which is not read here
        await self.app.run_action(command.action, self.command_target(command.pane))

    def action_act(self, what: str) -> None:
        """Act on the sessions by a method of `SessionActions`."""
        self.sessions_pane.once_known(getattr(self.actions, what))

    @on(SessionsPane.QueryUsed)
    def _query_used(self) -> None:
        self.facts.remember_queries()

    def action_explain_trash(self) -> None:
        """Show which key trashes."""
        key = key_of("session.trash")
        if key:
            self.messages.show(f"{key} trashes")

    def action_open_transcript(self, kind: str) -> None:
        """Open the transcript of the session in the "pager" or the "editor"."""
        self.sessions_pane.once_known(lambda: self._copies.open(self.sessions_pane.list.row, kind))

    def action_copy_command(self) -> None:
        self.resume_controller.copy_command()

    def action_undo(self) -> None:
        self.actions.undo()

    def action_redo(self) -> None:
        self.actions.redo()

    async def action_show_menu(self, name: str) -> None:
        """Show a menu of the table of commands."""
        from app.dialogs.menu import MenuDialog, MenuRow

        title, choices = MENUS[name]
        sizes = await self._copied_sizes() if name == "copy" else {}
        rows = []
        for key, ids in choices.items():
            commands = list(filter(self._works_in_menu, map(command_by_id, ids.split())))
            focused = [command for command in commands if self._has_focus(command.pane)]
            for command in (focused or commands)[:1]:
                state = state_of(
                    command.id,
                    self.model,
                    self.sessions_pane.list.row,
                    home=self.setup.home,
                    theme=self.app.theme.removeprefix("leafmark-"),
                )
                if command.id in sizes:
                    state = counted(sizes[command.id], "character")
                rows.append(MenuRow(key, self.help_of(command), state, command.id))
        if not rows:
            return
        await self.app.push_screen(MenuDialog(title, rows), self._menu_chosen)
        # the message stands in the frame of the menu
        self.facts.tell_change(name)

    async def _copied_sizes(self) -> dict[str, int]:
        """The number of characters that commands copy, by their ids."""
        pane, focused = self.query(TranscriptPane).first(), self.focused
        if focused is not None and pane in focused.ancestors_with_self:
            sizes = await pane.copied_sizes()
            return sizes | {id.replace("block.", "entry."): size for id, size in sizes.items()}
        if self._has_focus("tree"):
            return await copied_entry_sizes(cast("EntryTree", self.query_one("#tree")))
        return {}

    def _works_in_menu(self, command: Command) -> bool:
        if command.id == "archive.show":
            return self.places.has_archive
        return self.works_now(command) or command.pane == "list"

    async def _menu_chosen(self, id: str | None) -> None:
        if id is not None:
            command = command_by_id(id)
            await self.app.run_action(command.action, self.command_target(command.pane))

    def action_show_orders(self) -> None:
        """Show the menu of the orders of the list."""
        from app.dialogs.menu import MenuDialog, MenuRow

        now = self.model.arrangement.order
        rows = [
            MenuRow(str(number), order_words(order), "now" if order == now else "", order)
            for number, order in enumerate(ORDERS, 1)
        ]
        self.host.show(MenuDialog("Order", rows), self._order_chosen)

    def _order_chosen(self, order: str | None) -> None:
        if order is not None:
            self.sessions_pane.show_arrangement(self.model.arrangement.changed(order=order))

    def on_key(self, event: events.Key) -> None:
        """Say where the command of a key went that has none any more."""
        if event.key == "s" and not isinstance(self.focused, LineInput):
            self.facts.tell_change("scope")

    def action_show_place(self, place: str) -> None:
        """Show the "history", the "trash", the "archive", the "statistics" or the "disk" space."""
        getattr(self.places, f"show_{place}")()

    def action_show_settings(self) -> None:
        from app.dialogs.settings import SettingsDialog

        self.host.show(SettingsDialog(self.setup, self.settings), lambda _: self.facts.read_keeping())

    def action_stop_acting(self) -> None:
        """Stop an export, an action on several sessions, or the reading of a transcript for another program;
        if there is none, the key keeps its usual effect.
        """
        if not (self.beside.stop_running() or self._copies.cancel() or self.actions.stop_running()):
            raise SkipAction

    def action_rescan(self) -> None:
        """Scan every store again, and say what has changed."""
        self.feed.rescan()
        self.refresh_bars()
        self.beside.retry()

    def action_turn(self, what: str) -> None:
        """Show the sessions in the next way, as `SessionsPane.turn` does."""
        self.sessions_pane.turn(what)
        if what in ("roomy", "paths"):
            self.facts.remember_arrangement()
        if what == "hidden":
            self.facts.subagents_turned()
        if what == "needs":
            self.facts.read_last_words()

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
            self.beside.go_to(offer.row.path, offer.entry_id)
        elif offer is not None:
            command = offer.command
            await self.app.run_action(command.action, self.command_target(command.pane))
