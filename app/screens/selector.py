"""The selector: find a session, look at it, tidy it, go on with it (`leafmark resume`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import on

from app.commands import command_by_id
from app.panes.sessions_pane import SessionsPane
from app.panes.transcript_pane import TranscriptPane
from app.screens.sessions_screen import SessionsScreen
from app.view.arrangement import initial
from app.view.bars import keys_line
from app.view.geometry import SELECTOR_PANES, place_alone, place_selector
from app.view.list_model import ListModel
from app.widgets.panes import Pane

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.screen import Screen
    from textual.widget import Widget

    from app.commands import Command
    from app.index.row import Row
    from app.services.index_service import IndexService
    from app.settings import Settings
    from app.setup import Setup
    from app.view.hit_line import HitPlace
    from app.view.line import Line
    from app.widgets.line_list import LineList


class SelectorScreen(SessionsScreen):
    """The list with its search box, and the transcript of the session under the cursor."""

    AUTO_FOCUS = "#filter"

    def __init__(
        self,
        setup: Setup,
        model: ListModel,
        settings: Settings,
        index_service: IndexService | None = None,
        *,
        query: str = "",
    ) -> None:
        """:param index_service: of the same setup, if it has begun before the screen.
        :param query: stands in the line from the start.
        """
        super().__init__(setup, model, settings, index_service, query=query, selects=True)
        self._is_covered = False
        self._preview = TranscriptPane(setup, id="preview", previews=True)

    def compose_beside(self) -> ComposeResult:
        yield self._preview

    def expect_session(self, row: Row | None) -> None:
        self._preview.expect_session(row)

    # layout

    def place_panes(self) -> None:
        columns, lines = self.size
        is_alone = self.sessions_pane.is_alone
        places = place_alone(columns, lines, selects=True) if is_alone else place_selector(columns, lines)
        self.put_panes(SELECTOR_PANES, places)
        self._preview.show_figures(in_rule=not places.closing)

    @property
    def focused_pane(self) -> str:
        return "preview" if self._preview.lines.has_focus else "sessions"

    @property
    def closing_pane(self) -> Pane | None:
        return self._preview

    # bars

    def keys_line(self, cells: int) -> Line:
        if not self.is_mounted:
            return keys_line(cells, [])
        answers = self._prompt.keys(cells)
        if answers is not None:
            return answers
        pairs = self.bars.session_keys(in_preview=self._preview.lines.has_focus)
        return self.bars.keys(cells, pairs)

    def status_line(self, cells: int) -> Line:
        return self.bars.status(cells, shows_key=True, hidden=self.hidden_note)

    # the session under the cursor

    def show_session(self, row: Row | None, *, again: bool) -> None:
        self._preview.show_session(row, waits=self.sessions_pane.has_hit)

    def refresh_bars(self) -> None:
        super().refresh_bars()
        self._preview.update(self.sessions_pane.list.row)

    async def follow_session(self, row: Row) -> None:
        self._preview.follow(row)

    def retry_session(self) -> None:
        self._preview.retry()

    def show_hit(self, hit: HitPlace) -> None:
        if self.sessions_pane.is_current(hit):
            self._preview.show_hit(hit)

    # commands

    def offers(self, command: Command) -> bool:
        return bool(command.selector)

    def help_of(self, command: Command) -> str:
        return command.selector

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        # in the line a slash is a letter
        if action == "open_filter":
            return not self.sessions_pane.box.has_focus
        return action not in ("focus_pane", "move_divider", "move_rule", "at_entry")

    def action_open_filter(self) -> None:
        """Give the line the keys."""
        self.sessions_pane.open_box()

    async def action_do_from_preview(self, id: str) -> None:
        """Do what a key of the list does, from the preview beside it."""
        command = command_by_id(id)
        if id == "session.resume" and self.sessions_pane.list.row is None and self.sessions_pane.is_answered:
            return  # Enter would start a session in the project, of which nothing is read
        await self.app.run_action(command.action, self.command_target(command.pane))

    @property
    def beside(self) -> LineList:
        return self._preview.lines

    def action_show_transcript(self) -> None:
        """Give the preview the keys."""
        if self._preview.lines.focusable:
            self.set_focus(self._preview.lines)

    def action_show_tree(self) -> None:
        self.sessions_pane.once_known(self.show_tree)

    def show_tree(self) -> None:
        """Open the browser, with this session under its cursor."""
        # Imported here: the selector needs nothing of the tree until then.
        from app.screens.browser import BrowserScreen

        row = self.sessions_pane.list.row
        if row is not None:
            everything = ListModel(
                self.setup.here, self.setup.home, initial({}, sizes=self.settings.show_size)
            )
            index = self.feed.share(everything.arrangement)
            browser = BrowserScreen(self.setup, everything, self.settings, index, begin_at=row.path)
            browser.runner.shares_with(self.runner)
            self._is_covered = True
            self.app.push_screen(browser)

    def uncovered(self) -> None:
        if self._is_covered:
            # Changed pins are the only change of the browser that is not posted to this screen.
            self._is_covered = False
            self.feed.take_back()
            self.facts.read_pins()
            self.facts.read_journal()

    @on(SessionsPane.Left)
    def action_back(self) -> None:
        """One step back: marks, the query, the program."""
        if self.model.marked:
            self.sessions_pane.list.clear_marks()
            self.refresh_bars()
        elif self.sessions_pane.box.value:
            self.sessions_pane.drop()
        elif self.sessions_pane.drop_set():
            self.refresh_bars()
        else:
            self.app.exit()

    @on(SessionsPane.TabPressed)
    def action_next_pane(self) -> None:
        """Turn between this folder and all folders, as the key does in pi."""
        self.action_turn("scope")

    def action_previous_pane(self) -> None:
        """Focus the next of the search line, the list and the preview."""
        ring: list[Widget] = [self.sessions_pane.box, self.sessions_pane.list, self._preview.lines]
        ring = [widget for widget in ring if widget.focusable]
        at = ring.index(self.focused) if self.focused in ring else 0
        self.set_focus(ring[(at + 1) % len(ring)])

    def command_target(self, pane: str) -> Widget | Screen[None]:
        """The widget whose action a command of the table runs."""
        if pane == "side":
            return self.sessions_pane
        if pane == "filter":
            return self.sessions_pane.box
        if pane == "transcript":
            return self._preview.lines
        if pane in ("sessions", "list"):
            return self.sessions_pane.list
        return self
