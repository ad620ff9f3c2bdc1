"""The pane beside the list of the selector (`leafmark resume`): the transcript."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.containers import Vertical

from app.panes.transcript_pane import TranscriptPane
from app.screens.sessions_screen import SessionsScreen
from app.view.arrangement import initial
from app.view.geometry import PANES, USUAL
from app.view.list_model import ListModel
from app.view.preset import BROWSER

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.widget import Widget

    from app.commands import Command
    from app.index.row import Row
    from app.view.geometry import PaneLayout
    from app.view.hit_line import HitPlace
    from app.view.line import Line
    from app.widgets.line_list import LineList
    from app.widgets.panes import Divider, Pane
    from app.widgets.session_list import SessionListView
    from app.widgets.transcript_lines import TranscriptLines


class PreviewSide(Vertical):
    """The transcript of the session under the cursor of the list."""

    BLANK = True

    def __init__(self, owner: SessionsScreen) -> None:
        super().__init__(id="right")
        self._owner = owner
        self._list_pane = owner.sessions_pane
        self._preview = TranscriptPane(owner.setup, id="preview", previews=True)
        self.lines: TranscriptLines = self._preview.lines
        self.action_go_prompt = self.lines.action_go_prompt
        self.widgets: dict[str, LineList] = {"transcript": self.lines}
        self.retry = self._preview.retry
        self.update = self._preview.update

    def compose(self) -> ComposeResult:
        yield self._preview

    def on_mount(self) -> None:
        self._preview.expect_session(self.main.row)

    # layout and bars

    def place(self, columns: int, lines: int) -> PaneLayout:
        preset = self._owner.preset
        if self._list_pane.is_alone:
            places = preset.place_alone(columns, lines)
        else:
            places = preset.place(columns, lines, PANES[0], USUAL, False)
        self._preview.show_figures(in_rule=not places.closing)
        return places

    @property
    def closing(self) -> dict[str, str]:
        return {"preview": self._preview.closing}

    @property
    def focused_pane(self) -> str:
        return "preview" if self.lines.has_focus else "sessions"

    @property
    def main(self) -> SessionListView:
        return self._list_pane.list

    def status_line(self, cells: int) -> Line:
        hidden = "" if self._owner.pane_layout.closing else self._list_pane.closing
        return self._owner.bars.status(cells, shows_key=True, hidden=hidden)

    def keys(self) -> list[tuple[str, str]]:
        return self._owner.bars.session_keys(in_preview=self.lines.has_focus)

    def works_now(self, command: Command) -> bool:
        return True

    # the session under the cursor

    def show_session(self, row: Row | None, *, again: bool) -> None:
        self._preview.show_session(row, waits=self._list_pane.has_hit, again=again)

    def show_hit(self, hit: HitPlace) -> None:
        if self._list_pane.is_current(hit):
            self._preview.show_hit(hit)

    async def follow(self, row: Row) -> None:
        self._preview.follow(row)

    def sessions_changed(self) -> None: ...
    def focus_moved(self, widget: Widget) -> None: ...
    def dragged(self, event: Divider.Dragged | Pane.Dragged) -> None: ...

    def stop_running(self) -> bool:
        return False

    def go_to(self, path: str, entry_id: str) -> None:
        self._list_pane.list.go_to(path)

    # commands

    def open_filter(self) -> None:
        self._list_pane.open_box()

    def action_show_transcript(self) -> None:
        self.read()

    def read(self) -> None:
        if self.lines.focusable:
            self._owner.set_focus(self.lines)

    def action_show_tree(self) -> None:
        self._list_pane.once_known(self.show_tree)

    def show_tree(self) -> None:
        """Open the browser, with this session under its cursor."""
        # Imported here: the selector needs nothing of the tree until then.
        from app.screens.tree_side import TreeSide

        row, owner = self._list_pane.list.row, self._owner
        if row is not None:
            setup, settings = owner.setup, owner.settings
            everything = ListModel(
                setup.here, setup.home, initial({}, sizes=settings.show_size, wanted=settings.arranged())
            )
            index = owner.feed.share(everything.arrangement)
            browser = SessionsScreen(
                BROWSER, TreeSide, setup, everything, settings, index, begin_at=row.path, in_tree=True
            )
            browser.runner.shares_with(owner.runner)
            self.app.push_screen(browser, self._take_back)

    def _take_back(self, result: None) -> None:
        # Changed pins are the only change of the browser that is not posted to this screen.
        self._owner.feed.take_back()
        self._owner.facts.read_pins()
        self._owner.facts.read_journal()

    def action_back(self) -> None:
        """One step back: marks, the query, the program."""
        if self._owner.model.marked:
            self._list_pane.list.clear_marks()
            self._owner.refresh_bars()
        elif self._list_pane.box.value:
            self._list_pane.drop()
        elif self._list_pane.drop_set():
            self._owner.refresh_bars()
        else:
            self.app.exit()

    def action_next_pane(self) -> None:
        """Turn between this folder and all folders, as the key does in pi."""
        self._owner.action_turn("scope")

    def action_previous_pane(self) -> None:
        """Focus the next of the search line, the list and the preview."""
        ring: list[Widget] = [self._list_pane.box, self._list_pane.list, self.lines]
        ring = [widget for widget in ring if widget.focusable]
        focused = self._owner.focused
        at = ring.index(focused) if focused in ring else 0
        self._owner.set_focus(ring[(at + 1) % len(ring)])
