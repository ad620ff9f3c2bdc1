"""Continuing from an entry of the tree: one dialog asks in which file, with which prompt, and with which
summary of the branch that is left. Nothing is written before it is answered.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, replace
from functools import partial
from threading import Event
from typing import TYPE_CHECKING

from app.actions import row_actions
from app.controllers.dialog_host import started
from app.formats.text import inert, one_line
from app.services.branch_jobs import WHAT
from app.sessions.errors import SessionError
from app.view.branch_choices import (
    COMMAND,
    FOLDER,
    HERE,
    NEW,
    NONE,
    WRITE,
    Choice,
    as_agent,
    first_possible,
    is_sent,
    loss_lines,
    option_of,
    places,
    summaries,
)
from app.view.notifications import reason_of
from app.view.selection import StableSelection

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from app.actions.branch_options import BranchOptions
    from app.actions.outcome import Outcome
    from app.controllers.dialog_host import DialogHost
    from app.controllers.row_prompt import RowPrompt
    from app.controllers.session_actions import SessionActions
    from app.controllers.starter import Starter
    from app.controllers.status_messages import StatusMessages
    from app.dialogs.continue_from_here import ContinueDialog
    from app.dialogs.questions import WaitDialog
    from app.index.row import Row
    from app.services.branch_jobs import BranchJobs
    from app.settings import Settings
    from app.setup import Setup
    from app.view.list_model import ListModel

_SAFE = {
    "results": "after the tool results, so that no call is left without one",
    "before": "after the step before it, so that no call is left without a result",
    "prompt": "before its turn, so that no call is left without a result",
}


@dataclass(eq=False, repr=False)
class BranchFlow:
    """Asks how to continue from an entry, and does it.

    :param model: the sessions.
    :param actions: runs the branch; call `done` with its result.
    :param jobs: finds points and makes summaries.
    :param starter: resumes the session afterwards.
    :param resume: resumes the session under the cursor as it is.
    """

    _host: DialogHost
    _messages: StatusMessages
    _prompt: RowPrompt
    _model: ListModel
    _actions: SessionActions
    _jobs: BranchJobs
    _starter: Starter
    _setup: Setup
    _settings: Settings
    _: KW_ONLY
    resume: Callable[[], None]

    def __post_init__(self) -> None:
        self._selection: StableSelection | None = None
        self._entry_id = ""
        self._by_command = self._to_other = False
        # the remark about an entry that stands in for the picked one
        self._note = ""
        # the dialog while it is open, and the path of the session for which its choices were found
        self._dialog: ContinueDialog | None = None
        self._asked_at = ""
        self._question: BranchOptions | None = None

    def begin(self, row: Row, entry_id: str, *, by_command: bool = False, to_other: bool = False) -> None:
        """Find out what can be done at an entry of the session of `row`, and ask.

        :param entry_id: "" for the leaf.
        :param by_command: choose this session and a summary by command at first.
        :param to_other: choose another agent at first.
        """
        self._note, self._by_command, self._to_other = "", by_command, to_other
        self._begin(row, entry_id)

    def _begin(self, row: Row, entry_id: str) -> None:
        self._selection, self._entry_id = StableSelection(self._model, [row]), entry_id
        self._find_points(row)

    def sessions_changed(self) -> None:
        """If the session was moved, find out again: the dialog shows its path."""
        row = self._selection.row if self._selection is not None and self._dialog is not None else None
        if row is not None and row.path != self._asked_at:
            self._find_points(row)

    @started
    async def _find_points(self, row: Row) -> None:
        """Show the choices, unless another dialog is open by then."""
        self._asked_at = row.path
        question, reason = None, ""
        try:
            question = await self._jobs.find_points(row, self._entry_id)
        except (SessionError, OSError) as error:
            reason = reason_of(error)
        if self._dialog is not None:
            if question is not None:
                self._question = question
                self._dialog.set_options(question)
            return
        selection = self._selection
        if selection is None or not self._host.is_active:
            return
        now = selection.row
        if now is not None and now.path != row.path:
            # it was moved meanwhile
            self._find_points(now)
        elif question is None:
            self._messages.complain(reason)
        elif question.waiting and not self._to_other:
            self._take_safe_point(row, question)
        elif question.same and not self._to_other:
            self.resume()
        else:
            self._question = question
            self._host.start(self._ask(selection, question))

    def _take_safe_point(self, row: Row, question: BranchOptions) -> None:
        """Continue from the best entry that a provider takes."""
        if question.safe:
            self._note = f"Goes on {_SAFE[question.safe[0].kind]}"
            self._begin(row, question.safe[0].entry_id)
        else:
            tools = ", ".join(list(dict.fromkeys(question.waiting))[:3])
            self._messages.complain(f"Not continued: the calls of {tools} would have no result there")

    # the dialog

    async def _ask(self, selection: StableSelection, question: BranchOptions) -> None:
        """Ask until the user cancels, or what was chosen is done."""
        from app.dialogs.continue_from_here import ContinueDialog

        choice = self._first_choice(question)
        while True:
            self._dialog = ContinueDialog(
                question,
                home=self._setup.home,
                here=self._setup.here[0],
                command=self._settings.summary_command,
                asks_summary=self._settings.ask_summary,
                choice=choice,
                outline=self._outline,
                losses=self._find_losses,
                copy=self._messages.copy,
                note=self._note,
                now_ms=self._setup.now_ms(),
            )
            choice = await self._host.open(self._dialog)
            self._dialog = None
            if choice is None:
                return
            # The session may have been moved while the dialog was open, which changes the question.
            question = self._question or question
            if choice.text.strip():
                # The text is not lost if a later step fails.
                self._messages.copy(choice.text)
            summary = choice.outline if choice.summary == WRITE else ""
            if choice.summary == COMMAND:
                made = await self._run_command(question, choice, (selection.row or selection.first).cwd)
                if made is None:
                    continue
                summary = made
            await self._go_on(selection, question, choice, summary)
            return

    def _first_choice(self, question: BranchOptions) -> Choice | None:
        """The first choice of the dialog; None for its own."""
        if self._to_other:
            text = inert(question.target.text or "")
            return Choice(NEW, "", text, agent=next(iter(question.others), ""))
        if not self._by_command:
            return None
        where = first_possible(places(question), HERE)
        summary = first_possible(summaries(question, where, self._settings.summary_command), COMMAND)
        return Choice(
            where, "", inert(question.target.text or ""), summary if self._settings.ask_summary else NONE
        )

    @started
    async def _outline(self) -> None:
        """Show the outline of the branch that is left."""
        text = await self._jobs.outline(self._question) if self._question is not None else ""
        if self._dialog is not None:
            self._dialog.set_outline(text)

    @started
    async def _find_losses(self, agent: str) -> None:
        """Show what is lost if another agent continues."""
        question, selection = self._question, self._selection
        row = selection.row if selection is not None else None
        if question is None or row is None:
            return
        try:
            lines = loss_lines(await self._jobs.count_losses(row, agent, _picked(question)))
        except (SessionError, OSError) as error:
            lines = [reason_of(error)]
        if self._dialog is not None:
            self._dialog.set_losses(agent, lines)

    async def _run_command(self, question: BranchOptions, choice: Choice, cwd: str) -> str | None:
        """Run the user's command; None if it fails, or the user cancels it."""
        from app.dialogs.questions import WaitDialog

        command = self._settings.summary_command
        dialog = WaitDialog(f"{one_line(' '.join(command), 200)} writes the summary…")
        cancel = Event()
        self._end_with(dialog, self._jobs.summarise(question, command, cwd, cancel, choice.instructions))
        try:
            return await self._host.open(dialog)
        finally:
            cancel.set()

    @started
    async def _end_with(self, dialog: WaitDialog, made: Awaitable[str]) -> None:
        """Close the dialog when the command has ended."""
        try:
            dialog.end(await made)
        except SessionError as error:
            dialog.end(None)
            self._messages.complain(error.reason)

    # doing it

    async def _go_on(
        self, selection: StableSelection, question: BranchOptions, choice: Choice, summary: str
    ) -> None:
        """Write, and resume if the agent can be started."""
        question = as_agent(question, choice.agent)
        rows = await self._prompt.rows_of(selection)
        outcome = await self._write(rows[0], question, choice, summary) if rows else None
        change = outcome.change if outcome is not None else None
        if change is None:
            self._keep(summary)
            return
        if option_of(question, choice.where).plan.problem and choice.where != FOLDER:
            if choice.text.strip():
                await self._leave_text(selection.row or selection.first, question, choice)
            return
        row, is_here = selection.row or selection.first, choice.where == HERE
        path = row.path if is_here else change.after or ""
        session_id = row.id if is_here else change.after_id or ""
        sends = is_sent(question, choice.text)
        text = choice.text if choice.text.strip() else None
        folder = choice.folder or row.cwd
        self._starter.resume(row, path, session_id, folder, text, sends=sends, agent=question.agent)

    async def _leave_text(self, row: Row, question: BranchOptions, choice: Choice) -> None:
        """No agent is started: keep the text for the next resume."""
        if not question.takes_draft or choice.where != HERE:
            self._messages.show("Copied the prompt")
            return
        try:
            await self._jobs.leave_draft(row, choice.text)
            self._messages.show("Copied the prompt, and kept it as a draft for the next session")
        except SessionError as error:
            self._messages.complain(f"{error.reason}; the text is on the clipboard")

    async def _write(self, row: Row, question: BranchOptions, choice: Choice, summary: str) -> Outcome:
        # The choices are about entries; the path of the file may have changed since.
        question = replace(question, path=row.path)
        if question.agent != row.agent:
            action = partial(
                row_actions.hand_over,
                to=question.agent,
                entry=_picked(question),
                folder=choice.folder or None,
                stores=self._setup.stores,
                now_ms=self._setup.now_ms(),
            )
        elif choice.where == HERE:
            draft = choice.text if question.takes_draft and choice.text.strip() else ""
            action = partial(row_actions.branch_in_place, question=question, summary=summary, draft=draft)
        else:
            action = partial(row_actions.branch_to_new_file, question=question, to=choice.folder or None)
        return await self._actions.run_one(WHAT, row, action)

    def _keep(self, summary: str) -> None:
        """Nothing was written: keep the user's summary."""
        if summary:
            self._messages.copy(summary)
            self._messages.show("Copied the summary")


def _picked(question: BranchOptions) -> str | None:
    """The entry that a hand-over goes on from; None for the leaf itself, and not the place before it."""
    return None if question.entry_id == question.leaf_id else question.entry_id
