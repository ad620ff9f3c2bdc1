"""The parts that browser and selector share: the list with its search box, the bars, and the layout of the
panes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import on

from app.commands import COMMANDS, command_by_id, pane_commands
from app.dialogs.questions import HelpDialog
from app.formats.text import one_line
from app.messages import CacheNotSaved, ListStateNotSaved, ServiceFailed, SubagentsRead
from app.panes.sessions_pane import SessionsPane
from app.screens.keeping_screen import KeepingScreen
from app.screens.under_way_screen import STOP
from app.settings import settings_file
from app.stores import agent_named
from app.view.arrangement import saved_fields
from app.view.bars import (
    header_line,
    labels_for_marks,
    list_keys,
    preview_keys,
    search_keys,
    unkept_note,
    unread_note,
)
from app.view.formatting import tilde
from app.view.notifications import settings_toast
from app.view.session_row import LEGEND
from app.widgets.commands import bindings_of
from app.widgets.line_list import LineList
from app.widgets.panes import Bar
from app.widgets.session_list import SessionListView

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from textual.binding import BindingType
    from textual.screen import Screen
    from textual.widget import Widget

    from app.commands import Command
    from app.index.row import Row
    from app.view.geometry import Box
    from app.view.line import Line


FAULT_S = 5.0
"""Seconds for which a toast stays for each problem of the settings that it names."""
UNKEPT_S = 10.0
"""Seconds for which the toast stays that says why the cache cannot be written."""


class SessionsScreen(KeepingScreen):
    """The base of browser and selector. A subclass shows the session under the cursor beside the list."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings_of("app"), STOP]

    # for subclasses

    def show_session(self, row: Row | None, *, again: bool) -> None:
        """Show the session under the cursor.

        :param again: it is the one that was shown, at another place.
        """
        raise NotImplementedError

    def command_target(self, pane: str) -> Widget | Screen[None]:
        """The widget whose action a command of the table runs."""
        raise NotImplementedError

    def begin(self) -> None:
        """Follow the stores, and show what is there; when the panes are mounted."""
        self._say_settings()
        self._show_session()
        # behind the keys that were typed before the first picture: they say what is to be read first
        self.call_later(self.keep)

    def _say_settings(self) -> None:
        """Show all problems of the settings in one toast: several would not fit."""
        problems = self.settings.problems
        if not problems:
            return
        file = settings_file(self.setup.env)
        text = settings_toast(problems, file, tilde(file, self.setup.home), *self.size)
        self.notify(text, severity="warning", markup=False, timeout=FAULT_S * len(problems))

    def put_panes(self, names: Iterable[str], boxes: Mapping[str, Box]) -> None:
        """Show the panes that have a box, in its size, and no others.

        :param names: of all panes.
        """
        for name in names:
            pane = self.query_one(f"#{name}-pane")
            box = boxes.get(name)
            pane.display = box is not None
            if box is not None:
                pane.styles.width = box.width
                pane.styles.height = box.height

    # bars

    def header_bar(self, cells: int, note: str) -> Line:
        """The header: totals, activity and current folder.

        :param note: the text while there is no activity.
        """
        lasting = filter(None, (unread_note(*self.unread), unkept_note(self._indexing.unkept)))
        return header_line(
            cells,
            total=self.model.known,
            projects=self.model.projects,
            live=self._live_sessions(),
            note=self.doing or note or " · ".join(lasting),
            here=tilde(self.setup.here[0], self.setup.home),
        )

    def _live_sessions(self) -> int:
        states: Mapping[str, str] = self.side.list.states if self.is_mounted else {}
        return sum(
            1 for path, state in states.items() if state == "live" and self.model.row_at(path) is not None
        )

    def side_keys(self, *, in_preview: bool = False) -> list[tuple[str, str]]:
        """The keys of the side that do something now, for the footer.

        :param in_preview: the selector's preview has the keys.
        """
        row, pairs = self.side.list.row, self._side_keys(in_preview=in_preview)
        if row is not None and agent_named(row.agent).why_not("name", row.path):
            label = command_by_id("session.rename").label
            pairs = [pair for pair in pairs if pair[1] != label]
        return self.with_stop(pairs)

    def _side_keys(self, *, in_preview: bool) -> list[tuple[str, str]]:
        here = self.model.arrangement.scope == "here"
        if self.side.box.has_focus:
            box = self.side.box
            return search_keys(
                selects=self.side.selects,
                here=here,
                typed=bool(box.value),
                completing=box.completing_key,
                has_row=self.side.list.row is not None,
                has_marks=bool(self.model.marked),
            )
        pairs = preview_keys(here=here) if in_preview else list_keys(selects=self.side.selects, here=here)
        # until it is known that there is nothing, as in the first frame
        if self.side.list.row is not None or not (self.model.known or self.side.scanned):
            return pairs
        without = {command.label for pane in ("sessions", "side") for command in pane_commands(pane)}
        if self.model.marked:
            without -= labels_for_marks()
        pairs = [pair for pair in pairs if pair[1] not in without]
        group = self.side.list.group
        if group is not None and not in_preview:
            # a query has them all open
            turns = (
                []
                if self.model.is_filtered
                else [("Enter", "fold" if self.model.is_open(group) else "unfold")]
            )
            # In a narrow footer the key for marked sessions stays.
            first = [pair for pair in pairs if pair[1] in labels_for_marks()][:1]
            return [*first, *turns, *(pair for pair in pairs if pair not in first)]
        return pairs if self.model.known else [("F6", "examples"), ("F5", "look again"), *pairs]

    def refresh_bars(self) -> None:
        """Paint the bars that say something else now."""
        for bar in self.query(Bar):
            bar.renew()

    # sessions

    def sessions_changed(self) -> None:
        self.side.sessions_changed(self._places if self.scanned else None)
        self.refresh_bars()

    @on(SessionsPane.Changed)
    def _shown_otherwise(self) -> None:
        self.refresh_bars()

    @on(SessionListView.FoldsChanged)
    def _folds_changed(self) -> None:
        self.refresh_bars()

    @on(ListStateNotSaved)
    def _unremembered(self, event: ListStateNotSaved) -> None:
        self.notify(f"This is not remembered: {one_line(event.reason)}", severity="warning", markup=False)

    @on(CacheNotSaved)
    def _not_kept(self, event: CacheNotSaved) -> None:
        if event.reason:
            self.notify(one_line(event.reason, 500), severity="warning", markup=False, timeout=UNKEPT_S)
        self.refresh_bars()

    @on(LineList.Moved, "#sessions")
    def _session_moved(self) -> None:
        # the step first: what the threads do for the rest of it would hold up its picture
        self.call_after_refresh(self._show_session)

    def _show_session(self) -> None:
        row = self.side.list.row
        self.refresh_bars()
        if row is not None:
            self.make_plan(row)
        # If its agent moved the file, the cursor stays on its entry.
        again = row is not None and self.side.list.followed_to == row.path
        self.show_session(row, again=again)
        self.side.shown = row.path if row is not None else ""
        self.side.locate_hit()

    # commands

    def action_turn(self, what: str) -> None:
        """Show the sessions in the next way; see `SessionsPane.turn`."""
        self.side.turn(what)
        if what in ("roomy", "paths"):
            self._list_facts.remember(saved_fields(self.model.arrangement))
        if what == "hidden":
            self._turn_subagents()

    def _turn_subagents(self) -> None:
        """Read the sub-agents if they are shown now; else remove them from the list and its totals."""
        if self.model.arrangement.hidden:
            self.read_subagents()
        elif self._subagents:
            self.side.list.apply((), self._subagents)
            self._subagents = set()
            self.sessions_changed()

    @on(SubagentsRead)
    def _subagents_came(self, event: SubagentsRead) -> None:
        if self.model.arrangement.hidden:
            # the base class lists them first
            self.call_later(self.side.list.come_back)
        else:
            event.prevent_default()

    @on(SessionsPane.TrashAsked)
    def _trash_asked(self) -> None:
        self.action_trash()

    def action_show_help(self) -> None:
        """Show the keys."""
        offered = [command for command in COMMANDS if self.offers(command)]
        self.app.push_screen(HelpDialog(LEGEND, offered, self.told))

    def offers(self, command: Command) -> bool:
        """Whether a command of the table does something here."""
        return True

    def told(self, command: Command) -> str:
        """The help of a command on this screen."""
        return command.help

    def service_failed(self, error: BaseException) -> None:
        self.post_message(ServiceFailed(f"{type(error).__name__}: {error}"))

    @on(ServiceFailed)
    def _say_failure(self, event: ServiceFailed) -> None:
        self.notify(one_line(event.reason), severity="error", markup=False)
