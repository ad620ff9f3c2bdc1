"""Going back into the session under the cursor: what it takes is said before Enter is pressed, and what
stands in the way is asked about.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import on

from app.dialogs.questions import ResumeDialog, Standing
from app.formats.text import one_line
from app.keys import key_of
from app.messages import PlanMade
from app.panes.sessions_pane import SessionsPane
from app.screens.acting_screen import ActingScreen
from app.services.resume_planner import ResumePlanner
from app.view.bars import resume_line
from app.view.formatting import tilde
from app.view.selection import StableSelection
from app.widgets.line_list import LineList
from app.widgets.session_list import SessionListView

if TYPE_CHECKING:
    from textual.timer import Timer

    from app.actions.resume import Plan
    from app.dialogs.questions import ResumeDialog, Standing
    from app.index.row import Row
    from app.view.line import Line


PATIENCE = 0.3
"""Seconds for which the bar goes on saying what it said of the session before: mostly it is known sooner what
comes in its place, and at each step of the cursor it would go out and come back.
"""


class ResumingScreen(ActingScreen):
    """Has a plan for the session under the cursor, and becomes its agent."""

    def begin_resuming(self) -> None:
        """Nothing is planned yet."""
        self.reasons: dict[str, str] = {}
        self.plan: Plan | None = None
        self.planned = ""
        # who had the planned session open as the list knew it then
        self._planned_use = ("", "")
        # whether the bar says what Enter would do, with this session or, for a moment, the one before
        self._bar_tells = False
        self._bar_timer: Timer | None = None
        # the dialog that asks before a resume, and its session
        self._dialog: tuple[ResumeDialog, StableSelection] | None = None
        self._planner = ResumePlanner(self.setup, self.post_message, self.service_failed)

    def end_resuming(self) -> None:
        """End the service."""
        self._planner.stop()

    def action_show_tree(self) -> None:
        """Go to the tree of the session under the cursor."""
        raise NotImplementedError

    def resume_bar(self, cells: int, *, shows_key: bool) -> Line:
        """The command that Enter would run, for the bar."""
        asking = self.asking_bar(cells)
        if asking is not None:
            return asking
        row = self.side.list.row if self.is_mounted else None
        plan = self.plan
        if row is None or not self.side.is_answered:
            self._bar_tells = False
        elif self.planned == row.path:
            self._bar_tells = True
        if plan is None or not self._bar_tells:
            return resume_line(cells, key="", command=[], folder="", problem="", warning="")
        return resume_line(
            cells,
            key=key_of("session.resume") if shows_key else "",
            command=[one_line(word, 2_000) for word in plan.argv],
            folder=tilde(plan.cwd, self.setup.home),
            problem=one_line(plan.problem or ""),
            warning=one_line(self.reasons.get(self.planned, "") or "; ".join(plan.asks) or plan.warning),
        )

    # the plan

    def make_plan(self, row: Row) -> None:
        """Have it found out how to resume the session under the cursor."""
        self._planner.make_plan(row)
        if self._bar_timer is not None:
            self._bar_timer.stop()
        self._bar_timer = self.set_timer(PATIENCE, self._tell_no_more)

    def _tell_no_more(self) -> None:
        row = self.side.list.row
        if row is not None and self.planned != row.path:
            self._bar_tells = False
            self.refresh_bars()

    def check_plan(self) -> None:
        """Sessions have changed: make the plan anew if it is not right any more."""
        if self._dialog is not None:
            dialog, meant = self._dialog
            there = meant.row
            if there is None:
                if not self.is_reading:
                    dialog.tell_gone()
            elif there.path != dialog.standing.path:
                self._planner.make_plan(there)
                return
            else:
                dialog.tell_back()
        row = self.side.list.row
        if (
            row is not None
            and self.plan is not None
            and self.planned == row.path
            and row.cwd != self.plan.cwd
        ):
            self._planner.make_plan(row)

    # resume

    @on(LineList.Activated, "#sessions")
    @on(SessionListView.ResumeAsked)
    @on(SessionsPane.Chosen)
    def _resume_asked(self) -> None:
        self.side.once_known(self._resume_known, self._is_planned)

    def _resume_known(self) -> None:
        row = self.side.list.row
        if row is None:
            self.side.list.action_toggle_fold()
        elif self.plan is not None:
            self._resume(row, self.plan)

    def _is_planned(self, row: Row | None) -> bool:
        return row is None or (self.plan is not None and self.planned == row.path)

    def _resume(self, row: Row, plan: Plan) -> None:
        if not (plan.problem or plan.asks or plan.warning):
            self.app.exit(plan)
            return
        meant = StableSelection(self.side.model, [row])
        dialog = ResumeDialog(f"{row.agent}: {one_line(row.title, 50)}", self._standing(row, plan))

        def answered(answer: str | None) -> None:
            self._dialog = None
            if answer is not None:
                self.once_there(meant, lambda rows: do(answer, rows[0]))

        def do(answer: str, there: Row) -> None:
            standing = dialog.standing
            if answer == "fork":
                self.fork_elsewhere(there, "fork and resume")
            elif answer == "read":
                self._read(there)
            elif standing.path == there.path:
                # The user has answered: nothing is left to ask.
                standing.plan.asks = ()
                self.app.exit(standing.plan)
            else:
                # it was moved a moment ago
                self.go_on(there, there.path, there.id, there.cwd)

        self._dialog = dialog, meant
        self.app.push_screen(dialog, answered)

    def _standing(self, row: Row, plan: Plan) -> Standing:
        """The content of the dialog about a session that cannot simply be resumed."""
        return Standing(
            row.path,
            plan,
            folder=tilde(plan.cwd, self.setup.home) or "none",
            reason=plan.problem or "\n".join(plan.asks) or plan.warning,
        )

    def _read(self, row: Row) -> None:
        if self.side.list.row is not row:
            self.side.list.go_to(row.path)
        self.action_show_tree()

    def action_copy_command(self) -> None:
        """Copy the command that resumes the session under the cursor."""
        self.side.once_known(self._copy_command, self._is_planned)

    def _copy_command(self) -> None:
        if self.side.list.row is not None and self.plan is not None:
            self.copy(self.plan.shell, "Command")

    def _use_of(self, path: str) -> tuple[str, str]:
        """Who has the session at `path` open, as the list knows it."""
        return self.side.list.states.get(path, ""), self.reasons.get(path, "")

    def use_changed(self) -> None:
        """Other sessions are open: make the plan anew if this one was opened or closed since."""
        row = self.side.list.row
        if row is not None and self.planned == row.path and self._planned_use != self._use_of(row.path):
            # Enter waits for the new plan.
            self.planned = ""
            self.make_plan(row)

    @on(PlanMade)
    def _plan_made(self, event: PlanMade) -> None:
        if event.generation != self._planner.generation:
            return
        row = self.side.list.row
        if row is not None and row.path == event.path:
            self.plan, self.planned = event.plan, event.path
            self._planned_use = self._use_of(event.path)
        if self._dialog is not None:
            dialog, meant = self._dialog
            there = meant.row
            if there is not None and there.path == event.path:
                dialog.tell(self._standing(there, event.plan))
        if row is None or row.path != event.path:
            return
        self.refresh_bars()
        self.side.go_on()
