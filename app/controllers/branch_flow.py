"""Going on from an entry of the tree, question by question: in which file, with which text, and with which
summary of the branch that is left. Nothing is written before the last answer.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from app.actions import row_actions
from app.dialogs.questions import Choice, ChoiceDialog, TextDialog, WaitDialog
from app.formats.text import one_line
from app.services.branch_jobs import WHAT
from app.view.selection import StableSelection

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.actions.branch_options import BranchOptions
    from app.controllers.dialog_host import DialogHost
    from app.controllers.row_prompt import RowPrompt
    from app.controllers.session_actions import SessionActions
    from app.controllers.toasts import Toasts
    from app.index.row import Row
    from app.messages import Outcome, PointsFound, SummaryMade
    from app.services.branch_jobs import BranchJobs
    from app.services.resume_planner import Starter
    from app.settings import Settings
    from app.view.list_model import ListModel

HERE, STAY, ELSEWHERE, OTHER_FOLDER = "here", "stay", "elsewhere", "folder"

_SAFE = {
    "results": "after the results of its tools",
    "before": "after the step before it",
    "prompt": "before its turn, with the prompt to say again",
}


class _Labels(NamedTuple):
    """The labels of the choices: a new file, this session, only the leaf, another folder."""

    file: str
    here: str
    stay: str
    folder: str


_PLAIN = _Labels(
    "Continue in a new session; this one stays as it is",
    "Continue in this session",
    "Move the leaf here and stay in leafmark",
    "Continue in a new session in another folder",
)
# The labels for an entry with a text name the editing first, since the editor opens next. Each fits 80
# columns.
_EDITING = _Labels(
    "Edit the prompt in a new session; this one stays as it is",
    "Edit the prompt in this session",
    "Move the leaf here, copy the prompt and stay in leafmark",
    "Edit the prompt in a new session in another folder",
)


class _Decision(NamedTuple):
    """The answers.

    way       one of the ways above
    folder    the folder of a new session; None for that of this one
    text      the edited text of the entry; None if it has none
    sends     whether the agent sends the text as its first prompt
    """

    way: str
    folder: str | None = None
    text: str | None = None
    sends: bool = False


class BranchFlow:
    """Asks how to go on from an entry, and does it."""

    def __init__(
        self,
        host: DialogHost,
        toasts: Toasts,
        prompt: RowPrompt,
        model: ListModel,
        actions: SessionActions,
        jobs: BranchJobs,
        starter: Starter,
        settings: Settings,
        *,
        compare: Callable[[], None],
    ) -> None:
        """:param model: the sessions.
        :param actions: runs the branch; call `done` with its result.
        :param jobs: finds points and makes summaries; call `found` and `summaries` with its messages.
        :param starter: resumes the session afterwards.
        :param compare: compares the branch of the entry with the active path.
        """
        self._host = host
        self._toasts = toasts
        self._prompt = prompt
        self._model = model
        self._actions = actions
        self._jobs = jobs
        self._starter = starter
        self._compare = compare
        self.summaries = BranchSummaries(host, toasts, jobs, settings)
        self._selection: StableSelection | None = None
        self._entry_id = ""
        # the first dialog while it is open, and the path of the session for which its choices were found
        self._dialog: ChoiceDialog | None = None
        self._asked_at = ""
        self._question: BranchOptions | None = None
        self._outcome: asyncio.Future[Outcome] | None = None

    def begin(self, row: Row, entry_id: str) -> None:
        """Find out what can be done at an entry of the session of `row`, and ask."""
        self._selection, self._entry_id = StableSelection(self._model, [row]), entry_id
        self._find_points(row)

    def sessions_changed(self) -> None:
        """If the session was moved, find out again: the dialog shows its path."""
        row = self._selection.row if self._selection is not None and self._dialog is not None else None
        if row is not None and row.path != self._asked_at:
            self._find_points(row)

    def _find_points(self, row: Row) -> None:
        self._asked_at = row.path
        self._jobs.find_points(row, self._entry_id)

    # the destination

    def found(self, event: PointsFound) -> None:
        """Show the choices, unless another dialog is open by now."""
        question, selection = event.question, self._selection
        if selection is None or event.row.path != self._asked_at:
            return
        if self._dialog is not None:
            if question is not None:
                self._question = question
                self._dialog.tell(*_ways(question))
            return
        if not self._host.is_active:
            return
        row = selection.row
        if row is not None and row.path != event.row.path:
            # it was moved meanwhile
            self._find_points(row)
        elif question is None:
            self._toasts.complain(event.reason)
        elif question.waiting:
            self._offer_safe_points(selection, question)
        elif question.same:
            self._toasts.show("Already at this point")
        else:
            self._question = question
            self._dialog = ChoiceDialog("Continue from here", *_ways(question))
            self._host.start(self._ask(self._dialog, selection))

    def _offer_safe_points(self, selection: StableSelection, question: BranchOptions) -> None:
        tools = ", ".join(list(dict.fromkeys(question.waiting))[:3])
        reason = f"There the calls of {tools} would have no result: no provider takes such a conversation."
        choices = [
            Choice(point.entry_id, str(number), f"{_SAFE[point.kind]}")
            for number, point in enumerate(question.safe[:9], 1)
        ]
        if choices:
            self._host.start(
                self._ask_safe_point(selection, ChoiceDialog("Continue from here", [reason], choices))
            )
        else:
            self._toasts.complain(reason)

    async def _ask_safe_point(self, selection: StableSelection, dialog: ChoiceDialog) -> None:
        entry_id = await self._host.open(dialog)
        if entry_id is not None:
            rows = await self._prompt.rows_of(selection)
            if rows:
                self.begin(rows[0], entry_id)

    async def _ask(self, dialog: ChoiceDialog, selection: StableSelection) -> None:
        way = await self._host.open(dialog) or ""
        self._dialog = None
        # The session may have been moved while the dialog was open, which changes the question.
        question = self._question
        assert question is not None
        if way == "compare":
            self._compare()
        elif way in (HERE, STAY, ELSEWHERE, OTHER_FOLDER):
            decision = await self._decide(way, question)
            if decision is not None:
                await self._go_on(selection, question, decision)

    async def _decide(self, way: str, question: BranchOptions) -> _Decision | None:
        """Ask for the folder and the text; None if the user cancels."""
        folder = None
        if way == OTHER_FOLDER:
            folder = await self._actions.ask_folder()
            if folder is None:
                return None
        if question.target.text is None:
            return _Decision(way, folder)
        does = "move the leaf here" if way == STAY else "continue"
        takes = f"leave it in the editor of {question.agent}" if question.takes_draft else "copy it"
        text = await self._host.open(
            TextDialog("Edit the prompt", question.target.text, f"{does} and {takes}")
        )
        if text is None:
            return None
        self._toasts.copy(text)
        if question.takes_draft or not question.takes_prompt or way == STAY or not text.strip():
            return _Decision(way, folder, text)
        choices = [
            Choice("no", "k", "Copy the prompt (paste it in the agent yourself)"),
            Choice("send", "s", f"Send it as the first prompt of {question.agent}"),
        ]
        answer = await self._host.open(ChoiceDialog("The edited prompt", [], choices))
        return None if answer is None else _Decision(way, folder, text, answer == "send")

    # doing it

    async def _go_on(self, selection: StableSelection, question: BranchOptions, decision: _Decision) -> None:
        """Ask for a summary if a branch is left, write, and resume unless the user wants to stay."""
        is_here, summary = decision.way in (HERE, STAY), ""
        if is_here and question.left:
            cwd = (selection.row or selection.first).cwd
            made = await self.summaries.ask(question, cwd)
            if made is None:
                return
            summary = made
        rows = await self._prompt.rows_of(selection)
        outcome = await self._write(rows[0], question, decision, summary) if rows else None
        change = outcome.change if outcome is not None else None
        if change is None:
            self._keep(summary)
            return
        row = selection.row or selection.first
        if decision.way == STAY:
            self._leave_text(row, question, decision.text)
            return
        path = row.path if is_here else change.after or ""
        session_id = row.id if is_here else change.after_id or ""
        cwd = decision.folder or row.cwd
        self._starter.resume(row, path, session_id, cwd, decision.text, sends=decision.sends)

    async def _write(self, row: Row, question: BranchOptions, decision: _Decision, summary: str) -> Outcome:
        # The choices are about entries; the path of the file may have changed since.
        question = replace(question, path=row.path)
        self._outcome = asyncio.get_running_loop().create_future()
        if decision.way in (HERE, STAY):
            is_draft = question.takes_draft and not (decision.way == HERE and decision.sends)
            draft = (decision.text or "") if is_draft else ""
            self._actions.run(
                WHAT,
                [row],
                lambda *about: row_actions.branch_in_place(
                    *about, question=question, summary=summary, draft=draft
                ),
            )
        else:
            self._actions.run(
                WHAT,
                [row],
                lambda *about: row_actions.branch_to_new_file(*about, question=question, to=decision.folder),
            )
        return await self._outcome

    def done(self, outcome: Outcome) -> None:
        """The branch is written, or has failed."""
        if self._outcome is not None and not self._outcome.done():
            self._outcome.set_result(outcome)

    def _leave_text(self, row: Row, question: BranchOptions, text: str | None) -> None:
        """The leaf has moved and no agent is started: keep the text for the next resume."""
        if not text:
            return
        if question.takes_draft:
            self._jobs.leave_draft(row, text)
        else:
            self._toasts.show("Copied the prompt")

    def _keep(self, summary: str) -> None:
        """Nothing was written: keep the user's summary."""
        if summary:
            self._toasts.copy(summary)
            self._toasts.show("Copied the summary")


def _ways(question: BranchOptions) -> tuple[list[str], list[Choice]]:
    """The messages above the question how to go on, and its choices."""
    here, elsewhere = question.here, question.elsewhere
    labels = _PLAIN if question.target.text is None else _EDITING
    choices = [
        Choice(ELSEWHERE, "n", labels.file, why_not=elsewhere.problem, command=elsewhere.plan.argv),
        Choice(HERE, "h", labels.here, why_not=here.problem, command=here.plan.argv),
        Choice(STAY, "l", labels.stay, _appended(question), here.problem),
        Choice(OTHER_FOLDER, "f", labels.folder, "asks which", elsewhere.problem),
        Choice("compare", "c", "Compare with the active path", "nothing is written"),
        Choice("cancel", "x", "Cancel", "nothing is written"),
    ]
    said = [here.problem] if here.problem and not elsewhere.problem else []
    if not here.problem:
        said += [f"In this session: {reason}" for reason in here.plan.asks]
    if here.plan.problem:
        # the leaf can be moved and a file be made all the same
        said.append(f"The agent cannot be started: {here.plan.problem}")
    return said, choices


def _appended(question: BranchOptions) -> str:
    """The effect of moving only the leaf."""
    if question.target.text is None:
        return "one appended entry"
    return "one appended entry; the text " + (
        f"waits in the editor of {question.agent}" if question.takes_draft else "is copied"
    )


class BranchSummaries:
    """Asks for the summary of the branch that is left."""

    def __init__(self, host: DialogHost, toasts: Toasts, jobs: BranchJobs, settings: Settings) -> None:
        """:param jobs: makes outlines and summaries; call `outlined` and `made` with its messages."""
        self._host = host
        self._toasts = toasts
        self._jobs = jobs
        self._settings = settings
        self._outline: asyncio.Future[str] | None = None
        # the dialog that waits for the command, and its result
        self._dialog: WaitDialog | None = None
        self._made: SummaryMade | None = None

    async def ask(self, question: BranchOptions, cwd: str) -> str | None:
        """Ask which summary to write of the branch that `question` would leave.

        :param cwd: the session's working folder, in which the command runs.
        :return: the summary, "" for none; None if the user cancels.
        """
        command = self._settings.summary_command
        choices = [
            Choice("none", "n", "No summary"),
            Choice("write", "w", "Write one (an outline is prepared)"),
            Choice(
                "command",
                "c",
                "Run summary_command",
                why_not="" if command else "no summary_command is set in config.toml",
                command=command,
            ),
        ]
        while True:
            answer = await self._host.open(ChoiceDialog("Summarize the branch you leave?", [], choices))
            if answer == "none":
                return ""
            if answer == "write":
                self._outline = asyncio.get_running_loop().create_future()
                self._jobs.outline(question)
                return await self._edit(await self._outline)
            if answer != "command":
                return None
            made = await self._run_command(question, cwd)
            if made is None:
                return None
            if not made.reason:
                return await self._edit(made.text)
            self._toasts.complain(made.reason)

    async def _edit(self, text: str) -> str | None:
        return await self._host.open(TextDialog("Summary of the branch you leave", text, "continue"))

    async def _run_command(self, question: BranchOptions, cwd: str) -> SummaryMade | None:
        """Run the user's command; None if the user cancels it."""
        command = self._settings.summary_command
        self._made = None
        self._jobs.summarise(question, command, cwd)
        self._dialog = WaitDialog("summary", f"{one_line(' '.join(command), 200)} writes the summary…")
        await self._host.open(self._dialog)
        self._dialog = None
        if self._made is None:
            self._jobs.cancel()
        return self._made

    def outlined(self, text: str) -> None:
        """The outline of the branch is made."""
        if self._outline is not None and not self._outline.done():
            self._outline.set_result(text)

    def made(self, event: SummaryMade) -> None:
        """The command has ended."""
        dialog, self._dialog = self._dialog, None
        if dialog is not None:
            self._made = event
            dialog.dismiss(None)
