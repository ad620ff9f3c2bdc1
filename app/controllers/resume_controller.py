"""Resuming the session under the cursor: the bar shows the command before Enter is pressed, and a dialog asks
if something stands in the way.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING

from app.actions.resume import EXAMPLE_PROBLEM, EXAMPLE_PROJECT, continued_note
from app.controllers.dialog_host import started
from app.controllers.row_prompt import Question
from app.formats.text import one_line
from app.keys import key_of
from app.stores import agent_named
from app.stores.live import LIVE
from app.view.fork_order import newer_of
from app.view.formatting import tilde
from app.view.prompts import restore_question, resume_only_question
from app.view.selection import StableSelection
from app.view.status_line import guide_line, in_use_line, resume_line, shown_command, start_line
from app.view.toy_agent import toy_agent_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.timer import Timer

    from app.actions.resume import Plan
    from app.controllers.dialog_host import DialogHost
    from app.controllers.facts_feed import FactsFeed
    from app.controllers.row_prompt import RowPrompt
    from app.controllers.session_actions import SessionActions
    from app.controllers.starter import Starter
    from app.controllers.status_messages import StatusMessages
    from app.dialogs.questions import ResumeDialog, Standing
    from app.index.row import Row
    from app.panes.sessions_pane import SessionsPane
    from app.services.resume_planner import ResumePlanner
    from app.setup import Setup
    from app.stores.live import Verdict
    from app.view.line import Line

PATIENCE = 0.3
"""Seconds for which the bar keeps the command of the session before. The next one is mostly known sooner, and
an empty bar at each step of the cursor would flicker.
"""
RESTORES_FIRST = "its file is gone: its copy is restored first"
"""The text of the bar about a kept session whose file is gone."""


@dataclass(eq=False, repr=False)
class ResumeController:
    """Plans how the session under the cursor is resumed, and resumes it.

    plan      the newest plan; None before the first
    planned   the path of its session; "" while Enter has to wait for a new plan

    :param planner: makes the plans that are shown.
    :param starter: resumes without a plan.
    :param show_tree: shows the tree of the session under the cursor; ``read`` its transcript.
    :param changed: paints the bars.
    """

    _host: DialogHost
    _messages: StatusMessages
    _prompt: RowPrompt
    _pane: SessionsPane
    _facts: FactsFeed
    _actions: SessionActions
    _planner: ResumePlanner
    _starter: Starter
    _setup: Setup
    _: KW_ONLY
    show_tree: Callable[[], None]
    read: Callable[[], None]
    changed: Callable[[], None]

    def __post_init__(self) -> None:
        self.plan: Plan | None = None
        self.planned = ""
        # the newest session of the project under the cursor, and the plan to start another one like it
        self._start: tuple[Row, Plan | None] | None = None
        # path and id of the session of the plan
        self._session = ("", "")
        # who may have it open
        self._in_use: Verdict | None = None
        # the state of the planned session and its reason when the plan was made
        self._planned_use = ("", "")
        # whether the bar shows a command: of this session or, for a moment, of the one before
        self._shows_command = False
        self._timer: Timer | None = None
        # the dialog that asks before a resume, and its session
        self._dialog: tuple[ResumeDialog, StableSelection] | None = None

    # the bar

    def bar(self, cells: int, *, shows_key: bool) -> Line:
        """The command that Enter would run, for the bar.

        :param shows_key: whether Enter runs it in the pane with the focus.
        """
        row = self._pane.list.row if self._host.is_mounted else None
        plan = self.plan
        newest = self._newest
        if newest is not None:
            self._shows_command = False
            return self._start_bar(newest, cells)
        if row is None or not self._pane.is_answered:
            self._shows_command = False
        elif self.planned == row.path:
            self._shows_command = True
        is_example = plan is not None and plan.problem == EXAMPLE_PROBLEM
        if plan is None or not self._shows_command or (is_example and not shows_key):
            return resume_line(cells, key="", command=[], folder="", problem="", warning="")
        if row is not None and self.planned == row.path and self._asks_about_use(plan):
            assert self._in_use is not None
            folder = tilde(row.cwd, self._setup.home)
            return in_use_line(cells, row.agent, folder, self._in_use, forks=_can_fork(row))
        reason = self._facts.reasons.get(self.planned, "")
        is_plain = shows_key and not (reason or plan.asks or plan.problem)
        if self._facts.guides and is_plain and not self._pane.box.has_focus:
            return guide_line(cells, *map(key_of, ("filter.open", "session.read", "session.resume")))
        command = shown_command(plan.argv, *self._session)
        return resume_line(
            cells,
            key=key_of("session.resume") if shows_key else "",
            command=["a", "toy", "agent", "instead", "of", *command[:1]] if is_example else command,
            folder=tilde(plan.cwd, self._setup.home),
            problem="" if is_example else problem_sentence(plan, key_of("session.resume")),
            warning=one_line(reason or "; ".join(plan.asks) or (RESTORES_FIRST if plan.restores else "")),
        )

    @property
    def _newest(self) -> Row | None:
        """The newest session of the project under the cursor; None on a session."""
        project = self._pane.list.project if self._host.is_mounted else None
        return project.latest.row if project is not None and project.latest is not None else None

    def _start_bar(self, newest: Row, cells: int) -> Line:
        """The bar of a project."""
        planned, plan = self._start or (None, None)
        is_planned = plan is not None and planned is not None and planned.cwd == newest.cwd
        return start_line(
            cells,
            key=key_of("session.new"),
            agent=newest.agent,
            folder=tilde(newest.cwd, self._setup.home),
            problem=start_problem(plan) if plan is not None and is_planned else "",
        )

    # the plan

    def plan_start(self) -> None:
        """Plan how a session is started in the project under the cursor."""
        newest = self._newest
        self._start = None
        if newest is not None:
            self._start = newest, None
            self._plan_start(newest)

    @started
    async def _plan_start(self, newest: Row) -> None:
        plan = await self._planner.plan_start(newest)
        if self._start is not None:
            self._start = newest, plan
            self.changed()

    def make_plan(self, row: Row) -> None:
        """Plan how the session under the cursor is resumed."""
        self._make_plan(row)
        if self._timer is not None:
            self._timer.stop()
        self._timer = self._host.set_timer(PATIENCE, self._hide_command)

    def _hide_command(self) -> None:
        row = self._pane.list.row
        if row is not None and self.planned != row.path:
            self._shows_command = False
            self.changed()

    def sessions_changed(self, *, is_reading: bool) -> None:
        """Make a new plan if that of a session is out of date after a change on disk.

        :param is_reading: files are being read: a missing session may appear in a moment.
        """
        if self._dialog is not None:
            dialog, selection = self._dialog
            session = selection.row
            if session is None:
                if not is_reading:
                    dialog.show_standing(dialog.standing, is_gone=True)
            elif session.path != dialog.standing.path:
                self._make_plan(session)
                return
            else:
                dialog.show_standing(dialog.standing)
        row, plan = self._pane.list.row, self.plan
        if row is not None and plan is not None and self.planned == row.path and row.cwd != plan.cwd:
            self._make_plan(row)

    def states_changed(self) -> None:
        """Make a new plan if the session under the cursor was opened or closed since the last one."""
        row = self._pane.list.row
        if row is not None and self.planned == row.path and self._planned_use != self._use_of(row.path):
            # Enter waits for the new plan.
            self.planned = ""
            self.make_plan(row)

    def _use_of(self, path: str) -> tuple[str, str]:
        """The live state of a session in the list, and the reason for it."""
        return self._pane.list.states.get(path, ""), self._facts.reasons.get(path, "")

    @started
    async def _make_plan(self, planned: Row) -> None:
        """Show a new plan in the bar or in the dialog, and run the action that waits for it."""
        plan, in_use = await self._planner.make_plan(planned)
        row = self._pane.list.row
        is_shown = row is not None and row.path == planned.path
        if row is not None and is_shown:
            newer = self._newer(row)
            if newer is not None:
                plan.asks += (continued_note(newer.id),)
            self.plan, self.planned, self._in_use = plan, row.path, in_use
            self._session = row.path, row.id
            self._planned_use = self._use_of(row.path)
        if self._dialog is not None:
            dialog, selection = self._dialog
            session = selection.row
            if session is not None and session.path == planned.path:
                dialog.show_standing(self._standing(session, plan))
        if is_shown:
            self.changed()
            self._pane.run_waiting()

    # resume

    def resume(self) -> None:
        """Resume the session under the cursor as soon as it is planned, after a question while others are
        marked; fold or unfold a project.
        """
        self._pane.once_known(self._resume_known, self._is_planned)

    def copy_command(self) -> None:
        """Copy the command that resumes the session under the cursor."""
        self._pane.once_known(self._copy_known, self._is_planned)

    def _is_planned(self, row: Row | None) -> bool:
        return row is None or (self.plan is not None and self.planned == row.path)

    def _copy_known(self) -> None:
        row = self._pane.list.row
        if row is not None and self.plan is not None:
            self._messages.copy(self.plan.shell, "command", row.title)

    def _resume_known(self) -> None:
        row, plan = self._pane.list.row, self.plan
        if row is None:
            self._facts.tell_change("project")
            self._pane.list.action_toggle_fold()
        elif plan is not None and self._pane.model.marked - {row.path}:
            self._host.start(self._ask_to_resume_only(row))
        elif plan is not None:
            self.resume_session(row, plan)

    async def _ask_to_resume_only(self, row: Row) -> None:
        """Ask whether the session under the cursor is to be resumed, although others are marked."""
        question = Question(lambda cells: resume_only_question(row.title, cells), (("enter", "resume"),))
        selection = StableSelection(self._pane.model, [row])
        if not await self._prompt.confirm(question, selection):
            return
        rows = await self._prompt.rows_of(selection)
        plan = self.plan
        if rows and plan is not None and self.planned == rows[0].path:
            self.resume_session(rows[0], plan)
        elif rows:
            # It was moved a moment ago.
            self._starter.resume(rows[0], rows[0].path, rows[0].id, rows[0].cwd)

    def resume_session(self, row: Row, plan: Plan) -> None:
        """Resume a session with its plan; ask first if something stands in the way. An example is resumed by
        a toy agent.
        """
        if plan.problem == EXAMPLE_PROBLEM:
            text = toy_agent_text(row.agent, row.title, tilde(row.cwd, self._setup.home), plan.shell)
            self._host.run_toy_agent(f"\n{text}\n  Press Enter to return to leafmark. ")
        elif self._in_use is not None and plan is self.plan and self._asks_about_use(plan):
            self._host.start(self._ask_about_use(row, plan, self._in_use))
        elif plan.problem or plan.asks:
            self._host.start(self._ask(row, plan))
        elif plan.restores:
            self._host.start(self._ask_to_restore(row, plan))
        else:
            self._host.exit(plan)

    def _asks_about_use(self, plan: Plan) -> bool:
        """Whether another agent that may have the session open is the only thing in the way."""
        return self._in_use is not None and len(plan.asks) == 1 and not plan.problem

    async def _ask_about_use(self, row: Row, plan: Plan, in_use: Verdict) -> None:
        """Ask how to go on with a session that another agent may have open."""
        from app.dialogs import questions

        selection = StableSelection(self._pane.model, [row])
        harm = agent_named(row.agent).dangers["resume"][1]
        ways = questions.ways_to_resume(row.agent, in_use, forks=_can_fork(row))
        dialog = questions.InUseDialog(in_use.reason, harm, ways, is_sure=in_use.state == LIVE)
        answer = await self._host.open(dialog)
        rows = await self._prompt.rows_of(selection) if answer is not None else []
        if not rows:
            return
        session = rows[0]
        if answer == questions.FORK:
            self._actions.fork_and_resume(session)
        elif answer == questions.READ:
            if self._pane.list.row is not session:
                self._pane.list.go_to(session.path)
            self.read()
        elif answer == questions.OPEN and session.path == row.path:
            # The user has answered: nothing is left to ask.
            plan.asks = ()
            self._host.exit(plan)
        elif answer == questions.OPEN:
            # It was moved a moment ago.
            self._starter.resume(session, session.path, session.id, session.cwd)

    async def _ask_to_restore(self, row: Row, plan: Plan) -> None:
        """Ask before a kept session, whose file is gone, is restored and resumed."""
        question = Question(
            lambda cells: restore_question(row.title, cells), (("enter", "restore and resume"),)
        )
        if await self._prompt.confirm(question, StableSelection(self._pane.model, [row])):
            self._host.exit(plan)

    async def _ask(self, row: Row, plan: Plan) -> None:
        """Ask how to go on with a session that cannot simply be resumed."""
        from app.dialogs.questions import ResumeDialog

        selection = StableSelection(self._pane.model, [row])
        dialog = ResumeDialog(one_line(row.title, 50), self._standing(row, plan))
        self._dialog = dialog, selection
        answer = await self._host.open(dialog)
        self._dialog = None
        rows = await self._prompt.rows_of(selection) if answer is not None else []
        if not rows:
            return
        session, standing = rows[0], dialog.standing
        if answer == "fork":
            self._actions.fork_to_resume(session)
        elif answer == "elsewhere":
            self._actions.resume_elsewhere(session)
        elif answer == "newer":
            self._resume_newer(session)
        elif answer == "read":
            if self._pane.list.row is not session:
                self._pane.list.go_to(session.path)
            self.show_tree()
        elif standing.path == session.path:
            # The user has answered: nothing is left to ask.
            standing.plan.asks = ()
            self._host.exit(standing.plan)
        else:
            # It was moved a moment ago.
            self._starter.resume(session, session.path, session.id, session.cwd)

    def _newer(self, row: Row) -> Row | None:
        """The session in which the agent went on with the one of `row`."""
        return newer_of(row, self._pane.model.rows_with_id(row.continued_in))

    def _resume_newer(self, row: Row) -> None:
        """Resume the session that goes on with `row`, as if Enter were pressed on it."""
        newer = self._newer(row)
        if newer is not None and self._pane.list.go_to(newer.path):
            self.resume()
        elif newer is not None:
            # It is not listed.
            self._starter.resume(newer, newer.path, newer.id, newer.cwd)

    def _standing(self, row: Row, plan: Plan) -> Standing:
        """The content of the dialog."""
        from app.dialogs.questions import Standing

        return Standing(
            row.path,
            plan,
            folder=tilde(plan.cwd, self._setup.home) or "none",
            reason=plan.problem or "\n".join(plan.asks),
            has_newer=self._newer(row) is not None,
        )


def _can_fork(row: Row) -> bool:
    return not agent_named(row.agent).why_not("fork", row.path)


def problem_sentence(plan: Plan, key: str) -> str:
    """Why a session cannot be resumed, in a few words; "" if it can.

    :param key: the key that shows the details.
    """
    if not plan.problem:
        return ""
    return f"Cannot resume: {_reason(plan)}" + (f" ({key}: what you can do)" if key else "")


def start_problem(plan: Plan) -> str:
    """Why no session can be started in a project, in a few words; "" if one can."""
    if not plan.problem:
        return ""
    if plan.problem == EXAMPLE_PROJECT:
        return "Example project: no new sessions"
    return f"Cannot start a session: {_reason(plan)}."


def _reason(plan: Plan) -> str:
    problem = plan.problem or ""
    reasons = ["its folder is gone"] if problem.startswith("the folder ") else []
    if plan.program is None and plan.argv:
        reasons.append(f"{plan.argv[0]} not on PATH")
    return one_line(", ".join(reasons) or problem, 500)
