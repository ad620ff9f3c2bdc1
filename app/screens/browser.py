"""The browser: sessions by project, the tree of the one under the cursor, the entry under the tree's
cursor.
"""

from __future__ import annotations

import asyncio
import gc
from typing import ClassVar

from textual import on
from textual.containers import Horizontal
from textual.reactive import Reactive
from textual.screen import Screen

from app.commands import footer, key_name, of_pane
from app.formats.text import one_line
from app.messages import (
    CatalogLoaded,
    IndexFailed,
    PlanMade,
    ScreenReady,
    ServiceFailed,
    SessionsChanged,
    StatesFound,
)
from app.screens.dialogs import HelpDialog, ResumeDialog
from app.screens.reading_side import ReadingSide
from app.screens.sessions_side import SessionsSide
from app.services.indexing import Indexing
from app.services.liveness import Liveness, Planner
from app.view.bars import header_line, keys_line, resume_line
from app.view.folders import tilde
from app.view.geometry import MEDIUM, PANES, place
from app.view.session_row import LEGEND
from app.widgets.bar import Bar
from app.widgets.bindings import bindings_of
from app.widgets.entry_tree import EntryTree
from app.widgets.line_list import LineList
from app.widgets.session_list import SessionListView

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual import events
    from textual.app import ComposeResult
    from textual.binding import BindingType
    from textual.widget import Widget

    from app.actions.resume import Plan
    from app.index.row import Row
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


class _Panes(Horizontal):
    BLANK = True


class BrowserScreen(Screen[None]):
    """Puts the panes together; what takes time is asked of the services and comes back as a message."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings_of("app")]
    AUTO_FOCUS = "#sessions"
    # All of it is covered: what it would paint itself is worked out for every picture all the same, and a
    # change of the focus would paint everything.
    BLANK = True
    focused: Reactive[Widget | None] = Reactive(None, repaint=False)

    def __init__(self, setup: Setup, model: SessionList, indexing: Indexing | None = None) -> None:
        """:param indexing: of the same setup, where it has begun before the screen."""
        super().__init__()
        self.setup = setup
        self._model = model
        self._folded: frozenset[str] = frozenset()
        self._pane = PANES[0]
        self._progress = ""
        self._scanned = False
        self._kept = 0
        self._cold = False
        self._reasons: dict[str, str] = {}
        self._places: Sequence[tuple[str, str, str]] = ()
        self._plan: Plan | None = None
        self._holder = ""
        self.planned = ""
        self._resume_waits = False
        self._liveness = Liveness(setup, self.post_message, self._service_failed)
        self._planner = Planner(setup, self.post_message, self._service_failed)
        self._indexing = indexing or Indexing(setup)
        self._side = SessionsSide(
            model, setup, lambda: self._indexing.index, self._service_failed, id="sessions-pane"
        )
        self._sessions = self._side.list
        self._filter = self._side.box

    def compose(self) -> ComposeResult:
        yield Bar(self._header, id="header")
        with _Panes(id="panes"):
            yield self._side
            yield ReadingSide(self.setup, self._service_failed, id="right")
        yield Bar(self._resume_bar, id="resume")
        yield Bar(self._keys, id="keys")

    def on_mount(self) -> None:
        self._reading = self.query_one("#right", ReadingSide)
        self._place_panes(self.size.width, self.size.height)
        self._indexing.start(self.post_message)
        self.set_interval(LOOK_EVERY, self._look)
        self.set_interval(TICK_EVERY, self._tick)
        self._session_moved()
        self.set_focus(self._sessions)
        self.post_message(ScreenReady())

    def on_unmount(self) -> None:
        for service in (self._indexing, self._liveness, self._planner):
            service.stop()

    # layout

    def on_resize(self, event: events.Resize) -> None:
        self._place_panes(event.size.width, event.size.height)

    def _place_panes(self, columns: int, lines: int) -> None:
        boxes = place(columns, lines, self._pane, self._folded)
        for name in PANES:
            pane = self.query_one(f"#{name}-pane")
            box = boxes.get(name)
            pane.display = box is not None
            if box is not None:
                pane.styles.width = box.width
                pane.styles.height = box.height
        right = self.query_one("#right")
        right.display = "tree" in boxes or "entry" in boxes

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        pane = {"sessions": "sessions", "filter": "sessions", "tree": "tree", "entry": "entry"}.get(
            event.widget.id or ""
        )
        if pane is not None and pane != self._pane:
            self._pane = pane
            self._place_panes(self.size.width, self.size.height)
        self._refresh_bars()

    def _focus_pane(self, pane: str) -> None:
        # a widget that is not displayed cannot take the focus: open the pane and make room for it first
        self._folded -= {pane}
        self._pane = pane
        self._place_panes(self.size.width, self.size.height)
        # at once, so that no key that is typed meanwhile goes to the pane that was left
        self.set_focus(self._widget(pane))

    def _widget(self, pane: str) -> Widget:
        return self.query_one(f"#{pane}")

    # bars

    def _header(self, cells: int) -> Line:
        model = self._model
        note = self._progress or self._demo_note
        live = sum(
            1 for path, state in self._states().items() if state == "live" and model.row_at(path) is not None
        )
        return header_line(
            cells,
            total=model.total,
            projects=model.projects,
            live=live,
            note=note,
            here=tilde(self.setup.here[0], self.setup.home),
        )

    @property
    def _demo_note(self) -> str:
        if not self.setup.demo:
            return ""
        return "example sessions, Esc goes back" if self._is_over_another else "example sessions"

    def _states(self) -> dict[str, str]:
        return self._sessions.states if self.is_mounted else {}

    def _keys(self, cells: int) -> Line:
        """The keys that do something now: a hint for a key that does nothing is worse than none."""
        if self.is_mounted and self._filter.has_focus:
            return keys_line(cells, [*footer("filter")[:2], ("↑ ↓", "move"), ("Ctrl+Q", "quit")])
        pairs = footer(self._pane)
        if self._pane == "sessions" and self.is_mounted and self._sessions.row is None:
            without = {command.label for command in of_pane("sessions")}
            pairs = [pair for pair in pairs if pair[1] not in without]
            if self._sessions.group is not None:
                pairs = [("Enter", "fold"), *pairs]
            elif not self._model.total:
                pairs = [("F6", "examples"), ("F5", "look again"), *pairs]
        elif self._pane in ("tree", "entry") and self.is_mounted and not self._reading.has_entry:
            without = {command.label for command in of_pane(self._pane)} - {"filter"}
            pairs = [pair for pair in pairs if pair[1] not in without]
        return keys_line(cells, pairs)

    def _resume_bar(self, cells: int) -> Line:
        row = self._sessions.row if self.is_mounted else None
        plan = self._plan
        if row is None or plan is None or self.planned != row.path:
            return resume_line(cells, key="", command=[], folder="", problem="", warning="")
        return resume_line(
            cells,
            key=key_name(of_pane("sessions")[0].keys[0]) if self._pane == "sessions" else "",
            command=[one_line(word, 2_000) for word in plan.argv],
            folder=tilde(plan.cwd, self.setup.home),
            problem=one_line(plan.problem or ""),
            warning=one_line(self._reasons.get(row.path, "")),
        )

    def _refresh_bars(self) -> None:
        for bar in self.query(Bar):
            bar.renew()

    # sessions

    @on(CatalogLoaded)
    def _catalog_loaded(self, event: CatalogLoaded) -> None:
        self._places = event.places
        self._cold = event.cold
        self._sessions.adopt(event.model)
        self._keep_rows()
        if self._cold:
            self._sessions.open_first()
        self._side.look_again()
        self._sessions_changed()
        self._look()

    @on(SessionsChanged)
    async def _changed_on_disk(self, event: SessionsChanged) -> None:
        row = self._sessions.row
        if row is not None and any(row.path == new.path for new in event.changed):
            # its tree first, for a moment: then one picture shows both
            await self._reading.follow(row)
        changed, removed = list(event.changed), list(event.removed)
        while changed or removed:
            # the new ones first: among them is what only moved
            gone = [] if len(changed) > SLICE else removed[:SLICE]
            self._sessions.apply(changed[:SLICE], gone)
            del changed[:SLICE], removed[: len(gone)]
            if self._cold:
                self._sessions.open_first()
            # keys and paints come between the slices, and between two of these messages
            await asyncio.sleep(0)
        self._progress = f"reading {event.done:,} of {event.total:,}" if event.done < event.total else ""
        if not self._scanned and event.done >= event.total:
            self._scanned = True
            self._side.prepare()
            self._look()
        self._cold = self._cold and not self._scanned
        if self._model.total - self._kept >= KEPT_FROM:
            self._keep_rows()
        self._side.look_again()
        self._sessions_changed()
        row = self._sessions.row
        if (
            row is not None
            and self._plan is not None
            and self.planned == row.path
            and row.cwd != self._plan.cwd
        ):
            self._planner.ask(row)

    def _keep_rows(self) -> None:
        """Sessions stay to the end, and looking at ten thousand holds up the screen (app.browser)."""
        gc.freeze()
        self._kept = self._model.total

    @on(IndexFailed)
    def _index_failed(self, event: IndexFailed) -> None:
        self._progress = f"changes are not followed (F5 looks again): {one_line(event.reason)}"
        self._refresh_bars()

    @on(LineList.Moved, "#sessions")
    def _session_moved(self) -> None:
        row = self._sessions.row
        self._refresh_bars()
        if row is not None:
            self._resume_waits = False
            self._planner.ask(row)
        # where its agent moved it, the cursor stays on its entry
        again = row is not None and self._sessions.followed_to == row.path
        self._reading.show(row, again=again)

    @on(LineList.Activated, "#sessions")
    @on(SessionListView.ResumeAsked)
    def _resume_asked(self) -> None:
        row = self._sessions.row
        if row is None:
            return
        if self._plan is None or self.planned != row.path:
            self._resume_waits = True
            return
        self._resume(row, self._plan)

    def _resume(self, row: Row, plan: Plan) -> None:
        self._resume_waits = False
        reason = self._holder or self._reasons.get(row.path, "")
        is_live = bool(self._holder) or self._sessions.states.get(row.path) == "live"
        if plan.problem is None and not is_live:
            self.app.exit(plan)
            return
        dialog = ResumeDialog(
            title=f"{row.agent}: {one_line(row.title, 50)}",
            folder=plan.cwd or "none",
            command=plan.shell,
            reason=plan.problem
            or f"This session is in use: {reason}. Two programs in one session lose work.",
            possible=plan.problem is None,
        )
        self.app.push_screen(dialog, lambda go_on: self.app.exit(plan) if go_on else None)

    @on(SessionListView.CopyAsked)
    def _copy_asked(self) -> None:
        row = self._sessions.row
        if row is not None and self._plan is not None and self.planned == row.path:
            self.app.copy_to_clipboard(self._plan.shell)
            self.notify("Command copied", markup=False)

    @on(PlanMade)
    def _plan_made(self, event: PlanMade) -> None:
        row = self._sessions.row
        if event.generation != self._planner.generation or row is None or row.path != event.path:
            return
        self._plan, self.planned, self._holder = event.plan, event.path, event.holder
        self._refresh_bars()
        if self._resume_waits:
            self._resume(row, event.plan)

    def _look(self) -> None:
        self._liveness.look(self._model.rows())

    @on(StatesFound)
    def _states_found(self, event: StatesFound) -> None:
        self._reasons = dict(event.reasons)
        if dict(event.states) != self._sessions.states:
            self._sessions.set_states(event.states)
            self._refresh_bars()

    def _tick(self) -> None:
        self._sessions.now_ms = self.setup.now_ms()
        self._sessions.redraw_rows()

    # tree and entry

    @on(LineList.Moved, "#tree")
    def _entry_moved(self) -> None:
        self.query_one("#keys", Bar).renew()

    @on(LineList.Activated, "#tree")
    @on(EntryTree.EntryAsked)
    def _entry_asked(self) -> None:
        self._focus_pane("entry")

    @on(SessionsSide.Changed)
    def _sessions_changed(self) -> None:
        self._side.sessions_changed(self._places if self._scanned else None)
        self._refresh_bars()

    # commands

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        # in the filter a slash is a letter
        return not (action == "open_filter" and self._filter.has_focus)

    def action_open_filter(self) -> None:
        self._focus_pane("sessions")
        self._side.open_box()

    def action_back(self) -> None:
        if self._filter.value:
            self._side.drop()
        elif self._pane == "entry":
            self._focus_pane("tree")
        elif self._pane == "sessions" and self._is_over_another:
            self.app.pop_screen()
        else:
            self._focus_pane("sessions")

    @property
    def _is_over_another(self) -> bool:
        """Whether these are the example sessions, opened over the user's own."""
        return sum(isinstance(screen, BrowserScreen) for screen in self.app.screen_stack) > 1

    def action_next_pane(self) -> None:
        self._step_pane(1)

    def action_previous_pane(self) -> None:
        self._step_pane(-1)

    def _step_pane(self, step: int) -> None:
        panes = [pane for pane in PANES if pane == self._pane or pane not in self._folded]
        self._focus_pane(panes[(panes.index(self._pane) + step) % len(panes)])

    def action_fold_pane(self, pane: str) -> None:
        shown = place(self.size.width, self.size.height, self._pane, self._folded)
        if pane in self._folded:
            self._folded -= {pane}
            if self.size.width < MEDIUM:
                self._focus_pane(pane)
        elif pane not in shown:
            # open, but the screen is too narrow for it beside the others
            self._focus_pane(pane)
        elif len(shown) > 1:
            self._folded |= {pane}
        if self._pane in self._folded:
            self._focus_pane(next(name for name in PANES if name not in self._folded))
        self._place_panes(self.size.width, self.size.height)

    def action_rescan(self) -> None:
        if not self._indexing.rescan():
            self._indexing = Indexing(self.setup)
            self._indexing.start(self.post_message)
            self._progress = ""
        self._reading.retry()
        self._look()

    def action_show_help(self) -> None:
        self.app.push_screen(HelpDialog(LEGEND))

    def command_target(self, pane: str) -> Widget | Screen[None]:
        """The widget whose action a command of the table runs."""
        if pane == "app":
            return self
        if pane == "filter":
            return self._filter
        return self._widget(self._pane if pane == "list" else pane)

    def _service_failed(self, error: BaseException) -> None:
        self.post_message(ServiceFailed(f"{type(error).__name__}: {error}"))

    @on(ServiceFailed)
    def _say_failure(self, event: ServiceFailed) -> None:
        self.notify(one_line(event.reason), severity="error", markup=False)
