"""The bars outside the panes: the header above them, the command of Enter and the keys below them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.commands import pane_commands
from app.controllers.row_prompt import CANCEL
from app.view.bars import (
    cache_note,
    header_line,
    keys_line,
    labels_for_marks,
    list_keys,
    mark_keys,
    no_session_keys,
    order_note,
    preview_keys,
    project_keys,
    search_keys,
    stuck_note,
    unread_note,
    without_lacking,
    without_undo,
)
from app.view.cells import shorten
from app.view.formatting import tilde
from app.view.line import fit_line
from app.view.status_line import marks_line, with_right

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.controllers.dialog_host import DialogHost
    from app.controllers.index_feed import IndexFeed
    from app.controllers.resume_controller import ResumeController
    from app.controllers.row_prompt import RowPrompt
    from app.controllers.session_actions import SessionActions
    from app.panes.sessions_pane import SessionsPane
    from app.setup import Setup
    from app.view.line import Line

Keys = list[tuple[str, str]]
"""(key, label) of commands."""


@dataclass(eq=False, repr=False)
class StatusBars:
    """Draws the bars from the state of the controllers.

    :param message: gives the current message for a width in cells; None for none.
    """

    _host: DialogHost
    _setup: Setup
    _pane: SessionsPane
    _feed: IndexFeed
    _prompt: RowPrompt
    _actions: SessionActions
    _resume: ResumeController
    _message: Callable[[int], Line | None]

    def header(self, cells: int, note: str) -> Line:
        """The header: totals, activity and current folder.

        :param note: the text while there is no activity.
        """
        model = self._pane.model
        return header_line(
            cells,
            total=model.total,
            projects=model.projects,
            hidden=model.hidden,
            live=self._live,
            note=self._note(note),
            here=tilde(self._setup.here[0], self._setup.home),
            order=order_note(model.arrangement),
            waiting=model.waiting,
            warnings=() if self.activity else model.keeping.warnings(self._setup.now_ms()),
        )

    def join(self, note: str, *, has_header: bool) -> None:
        """Show the facts of the header in the rule above the list if there is no header. The number of hits
        is more important there than what lasts.

        :param note: the text while there is no activity.
        """
        shown = self.activity or note if self._pane.model.is_filtered else self._note(note)
        warnings = self._pane.model.keeping.warnings(self._setup.now_ms())
        if warnings and not (self.activity or self._pane.model.is_filtered):
            shown = f"{shown} · {warnings[-1]}" if shown else warnings[1]
        self._pane.joined = None if has_header else (self._live, shown)
        self._pane.update_rule()

    @property
    def _live(self) -> int:
        """The number of live sessions."""
        states = self._pane.list.states if self._host.is_mounted else {}
        model = self._pane.model
        return sum(state == "live" and model.row_at(path) is not None for path, state in states.items())

    def _note(self, note: str) -> str:
        stuck = stuck_note(self._pane.model.stuck_agents)
        lasting = filter(None, (unread_note(*self._feed.unread), cache_note(self._feed.cache_problem), stuck))
        return self.activity or note or " · ".join(lasting)

    @property
    def activity(self) -> str:
        """The activity that the header shows; "" for none."""
        return self._actions.progress_note or self._feed.activity

    def status(self, cells: int, *, shows_key: bool, hidden: str = "", hit: str = "") -> Line:
        """The question of a prompt, else the current message, else the marked sessions, else the hit, else
        the command that Enter would run and the note of the session.

        :param shows_key: whether Enter runs the command in the pane with the focus.
        :param hidden: what is hidden, for the right side.
        :param hit: the hit of a search; "" for none.
        """
        question = self._prompt.bar(cells)
        if question is not None:
            return question
        message = self._message(cells)
        if message is not None:
            return message
        if self._pane.marked:
            return with_right(marks_line(cells, self._pane.marked), cells, hidden=hidden)
        if hit:
            line: Line = [(f" {shorten(hit, max(0, cells - 2))}", "dim")]
            return with_right(fit_line(line, cells), cells, hidden=hidden)
        row = self._pane.list.row
        note = self._pane.model.tagging(row).note if row is not None else ""
        line = self._resume.bar(cells, shows_key=shows_key)
        return with_right(line, cells, note=note, hidden=hidden)

    def keys(self, cells: int, pairs: Keys) -> Line:
        """The keys of the pane with the focus; Esc stops an action on several sessions first. Undo is among
        them if there is something to undo, and what needs an ability if the agent of the session has it.
        """
        pairs = without_lacking(pairs, self._pane.list.row)
        if not self._actions.can_undo:
            pairs = without_undo(pairs)
        if self._actions.progress_note:
            pairs = [(CANCEL, "stop"), *pairs]
        return keys_line(cells, pairs)

    def session_keys(self, *, in_preview: bool = False) -> Keys:
        """The keys of the sessions' pane that do something now.

        :param in_preview: the selector's preview has the focus.
        """
        pane, model = self._pane, self._pane.model
        here, row, box = model.arrangement.scope == "here", pane.list.row, pane.box
        if pane.is_alone:
            return no_session_keys(typing=box.has_focus, typed=bool(box.value))
        if box.has_focus:
            return search_keys(
                pane.preset,
                here=here,
                typed=bool(box.value),
                completion=pane.completion.state,
                has_row=row is not None,
                has_marks=bool(model.marked),
            )
        if model.marked and not in_preview:
            return mark_keys(pane.preset, len(model.marked))
        pairs = preview_keys(here=here) if in_preview else list_keys(pane.preset, here=here)
        # until it is known that there is nothing, as in the first frame
        if row is not None or not (model.known or pane.scanned):
            return pairs
        without = {command.label for name in ("sessions", "side") for command in pane_commands(name)}
        if model.marked:
            without -= labels_for_marks()
        pairs = [pair for pair in pairs if pair[1] not in without]
        group = pane.list.project
        if group is not None and not in_preview:
            return [*project_keys(model, group), *pairs]
        return pairs
