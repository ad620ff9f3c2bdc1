"""What the browser and the selector have in common: the sessions, kept current, who is live, and how the one
under the cursor would be resumed.
"""

from __future__ import annotations

import asyncio
import gc
import os
from typing import ClassVar

from textual import on
from textual.reactive import Reactive

from app.commands import COMMANDS, footer, key_name, named, of_pane
from app.formats.text import one_line
from app.messages import (
    CatalogLoaded,
    HereFound,
    IndexFailed,
    PinsRead,
    ServiceFailed,
    SessionsChanged,
    StatesFound,
    SubagentsRead,
    Unremembered,
)
from app.screens.dialogs import HelpDialog
from app.screens.resuming_screen import ResumingScreen
from app.screens.sessions_side import SessionsSide
from app.services.indexing import Indexing
from app.services.liveness import Liveness
from app.services.surroundings import Surroundings
from app.stores import agent_named
from app.view.arrangement import remembered
from app.view.bars import header_line, reading_note
from app.view.folders import tilde
from app.view.hints import line_keys
from app.view.session_row import LEGEND
from app.widgets.bar import Bar
from app.widgets.bindings import bindings_of
from app.widgets.lean_compositor import LeanCompositor
from app.widgets.line_list import LineList

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from textual.binding import BindingType
    from textual.screen import Screen
    from textual.widget import Widget

    from app.commands import Command
    from app.index.row import Row
    from app.settings import Settings
    from app.setup import Setup
    from app.view.line import Line
    from app.view.session_list import SessionList

# seconds
LOOK_EVERY = 2.0
TICK_EVERY = 30.0

SLICE = 100
"""So many changes are put into the list at a time; a few milliseconds."""

KEPT_FROM = 1_000
"""After so many new sessions the collector is told that they stay."""


class SessionsScreen(ResumingScreen):
    """Keeps the list current; what takes time is asked of the services and comes back as a message. A
    subclass puts the side beside what shows the session under its cursor.
    """

    BINDINGS: ClassVar[list[BindingType]] = [*bindings_of("app")]
    # All of it is covered: what it would paint itself is worked out for every picture all the same, and a
    # change of the focus would paint everything.
    BLANK = True
    focused: Reactive[Widget | None] = Reactive(None, repaint=False)

    def __init__(
        self,
        setup: Setup,
        model: SessionList,
        settings: Settings,
        indexing: Indexing | None = None,
        *,
        selects: bool = False,
    ) -> None:
        """:param indexing: of the same setup, where it has begun before the screen.
        :param selects: see `SessionsSide`.
        """
        super().__init__()
        self._compositor = LeanCompositor()
        self.setup = setup
        self.settings = settings
        self.model = model
        self.progress = ""
        self.scanned = False
        self._kept = 0
        self._subagents: set[str] = set()
        self._cold = False
        self._places: Sequence[tuple[str, str, str]] = ()
        self._liveness = Liveness(setup, self.post_message, self.service_failed)
        self._surroundings = Surroundings(setup, self.post_message, self.service_failed)
        self._indexing = indexing or Indexing(setup, model.arrangement)
        self.side = SessionsSide(
            model,
            setup,
            lambda: self._indexing.index,
            self.service_failed,
            id="sessions-pane",
            selects=selects,
        )
        self.begin_resuming()
        self.begin_acting()

    # what a subclass shows

    def show_session(self, row: Row | None, *, again: bool) -> None:
        """Show the session under the cursor.

        :param again: it is the one that was shown, at another place.
        """
        raise NotImplementedError

    async def follow_session(self, row: Row) -> None:
        """The file of a session changed."""
        raise NotImplementedError

    def retry_session(self) -> None:
        """Read the session again if it could not be read."""
        raise NotImplementedError

    def catalog_loaded(self) -> None:
        """The sessions that are known so far are in the list."""

    def command_target(self, pane: str) -> Widget | Screen[None]:
        """The widget whose action a command of the table runs."""
        raise NotImplementedError

    # begin and end

    def begin(self) -> None:
        """Follow the stores, and show what is there; when the panes are mounted."""
        for problem in self.settings.problems:
            self.notify(one_line(problem, 500), severity="warning", markup=False)
        self._indexing.start(self.post_message)
        self._surroundings.read_pins()
        self.set_interval(LOOK_EVERY, self._look)
        self.set_interval(TICK_EVERY, self._tick)
        self._session_moved()

    def on_unmount(self) -> None:
        for service in (self._indexing, self._liveness, self._surroundings):
            service.stop()
        self.end_resuming()
        self.end_acting()

    # bars

    def header_bar(self, cells: int, note: str) -> Line:
        """What there is, what is going on, and where the user stands.

        :param note: is said while nothing is going on.
        """
        return header_line(
            cells,
            total=self.model.known,
            projects=self.model.projects,
            live=self._live_sessions(),
            note=self.progress or note,
            here=tilde(self.setup.here[0], self.setup.home),
        )

    def _live_sessions(self) -> int:
        states: Mapping[str, str] = self.side.list.states if self.is_mounted else {}
        return sum(
            1 for path, state in states.items() if state == "live" and self.model.row_at(path) is not None
        )

    def side_keys(self) -> list[tuple[str, str]]:
        """The keys of the side that do something now, for the footer."""
        row = self.side.list.row
        if row is not None and agent_named(row.agent).why_not("name", row.path):
            label = named("session.rename").label
            return [pair for pair in self._side_keys() if pair[1] != label]
        return self._side_keys()

    def _side_keys(self) -> list[tuple[str, str]]:
        if self.side.box.has_focus:
            here = self.model.arrangement.scope == "here"
            pairs = line_keys(selects=self.side.selects, here=here, typed=bool(self.side.box.value))
            if self.side.list.row is not None:
                return pairs
            without = {"resume", *(command.label for command in of_pane("side"))}
            return [pair for pair in pairs if pair[1] not in without]
        pairs = footer("sessions")
        if self.side.list.row is not None:
            return pairs
        without = {command.label for pane in ("sessions", "side") for command in of_pane(pane)}
        pairs = [pair for pair in pairs if pair[1] not in without]
        if self.side.list.group is not None:
            return [("Enter", "fold"), *pairs]
        return pairs if self.model.known else [("F6", "examples"), ("F5", "look again"), *pairs]

    def refresh_bars(self) -> None:
        """Paint the bars that say something else now."""
        for bar in self.query(Bar):
            bar.renew()

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
        self.side.look_again()
        self._sessions_changed()
        self._surroundings.find_here([row.cwd for row in self.model.rows()])
        self._look()

    @on(SessionsChanged)
    async def _changed_on_disk(self, event: SessionsChanged) -> None:
        sessions = self.side.list
        row = sessions.row
        if row is not None and any(row.path == new.path for new in event.changed):
            # what it says first, for a moment: then one picture shows both
            await self.follow_session(row)
        changed, removed = list(event.changed), [*event.removed, *self._subagents_of(event.removed)]
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
        if not self.scanned and event.done >= event.total:
            self.scanned = True
            self.side.prepare()
            self._surroundings.find_here([row.cwd for row in self.model.rows()])
            self._look()
        self._cold = self._cold and not self.scanned
        if self.model.known - self._kept >= KEPT_FROM:
            self._keep_rows()
        self.side.look_again()
        self._sessions_changed()
        self.check_plan()

    def _keep_rows(self) -> None:
        """Sessions stay to the end, and looking at ten thousand holds up the screen (app.browser)."""
        gc.freeze()
        self._kept = self.model.known

    @on(IndexFailed)
    def _index_failed(self, event: IndexFailed) -> None:
        key = key_name(named("index.rescan").keys[0])
        self.progress = f"changes are not followed ({key} looks again): {one_line(event.reason)}"
        self.refresh_bars()

    @on(SessionsSide.Changed)
    def _sessions_changed(self) -> None:
        self.side.sessions_changed(self._places if self.scanned else None)
        self.refresh_bars()

    @on(Unremembered)
    def _unremembered(self, event: Unremembered) -> None:
        self.notify(f"This is not remembered: {one_line(event.reason)}", severity="warning", markup=False)

    @on(LineList.Moved, "#sessions")
    def _session_moved(self) -> None:
        row = self.side.list.row
        self.refresh_bars()
        if row is not None:
            self.make_plan(row)
        # where its agent moved it, the cursor stays on its entry
        again = row is not None and self.side.list.followed_to == row.path
        self.show_session(row, again=again)

    def _look(self) -> None:
        self._liveness.look(self.model.rows())

    @on(StatesFound)
    def _states_found(self, event: StatesFound) -> None:
        self.reasons = dict(event.reasons)
        if dict(event.states) != self.side.list.states:
            self.side.list.set_states(event.states)
            self.refresh_bars()

    def _tick(self) -> None:
        self.side.list.now_ms = self.setup.now_ms()
        self.side.list.redraw_rows()

    # what is known besides

    def pins_changed(self) -> None:
        self._surroundings.read_pins()

    @on(PinsRead)
    def _pins_read(self, event: PinsRead) -> None:
        self.side.list.set_pins(event.pins)

    @on(HereFound)
    def _here_found(self, event: HereFound) -> None:
        self.side.list.also_here(event.folders)
        self._sessions_changed()

    # commands

    def action_turn(self, what: str) -> None:
        """Show the sessions in the next way; see `SessionsSide.turn`."""
        self.side.turn(what)
        if what in ("roomy", "paths"):
            self._surroundings.remember(remembered(self.model.arrangement))
        if what == "hidden" and self.model.arrangement.hidden:
            self._surroundings.read_subagents(self.model.rows())

    @on(SubagentsRead)
    def _subagents_read(self, event: SubagentsRead) -> None:
        found = {row.path for row in event.rows}
        self.side.list.apply(event.rows, self._subagents - found)
        self._subagents = found
        self._sessions_changed()

    def _subagents_of(self, paths: Sequence[str]) -> list[str]:
        """The listed sub-agents of sessions that are gone: nobody follows their files, which went along."""
        if not (paths and self._subagents):
            return []
        folders = tuple(os.path.splitext(path)[0] + os.sep for path in paths)
        gone = [path for path in self._subagents if path.startswith(folders)]
        self._subagents.difference_update(gone)
        return gone

    @on(SessionsSide.TrashAsked)
    def _trash_asked(self) -> None:
        self.action_trash()

    def action_rescan(self) -> None:
        """Look at every store again."""
        if not self._indexing.rescan():
            self._indexing = Indexing(self.setup, self.model.arrangement)
            self._indexing.start(self.post_message)
            self.progress = ""
        self._surroundings.read_pins()
        self.retry_session()
        self._look()

    def action_show_help(self) -> None:
        """Show the keys."""
        self.app.push_screen(HelpDialog(LEGEND, [command for command in COMMANDS if self.offers(command)]))

    def offers(self, command: Command) -> bool:
        """Whether a command of the table does something here."""
        return True

    def service_failed(self, error: BaseException) -> None:
        self.post_message(ServiceFailed(f"{type(error).__name__}: {error}"))

    @on(ServiceFailed)
    def _say_failure(self, event: ServiceFailed) -> None:
        self.notify(one_line(event.reason), severity="error", markup=False)
