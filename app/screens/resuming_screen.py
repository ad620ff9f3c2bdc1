"""Going back into the session under the cursor: what it takes is said before Enter is pressed, and what
stands in the way is asked about.
"""

from __future__ import annotations

from textual import on

from app.commands import key_name, named
from app.formats.text import one_line
from app.messages import PlanMade
from app.screens.acting_screen import ActingScreen
from app.screens.sessions_side import SessionsSide
from app.services.liveness import Planner
from app.view.bars import resume_line
from app.view.folders import tilde
from app.widgets.line_list import LineList
from app.widgets.session_list import SessionListView

TYPE_CHECKING = False
if TYPE_CHECKING:
    from app.actions.resume import Plan
    from app.index.row import Row
    from app.view.line import Line


class ResumingScreen(ActingScreen):
    """Has a plan for the session under the cursor, and becomes its agent."""

    def begin_resuming(self) -> None:
        """Make the service, once the fields of `ActingScreen` are there."""
        self.reasons: dict[str, str] = {}
        self.plan: Plan | None = None
        self.planned = ""
        self._holder = ""
        self._resume_waits = False
        self._planner = Planner(self.setup, self.post_message, self.service_failed)

    def end_resuming(self) -> None:
        """End the service."""
        self._planner.stop()

    def refresh_bars(self) -> None:
        """Paint the bars that say something else now."""
        raise NotImplementedError

    def action_show_tree(self) -> None:
        """Go to the tree of the session under the cursor."""
        raise NotImplementedError

    def resume_bar(self, cells: int, *, shows_key: bool) -> Line:
        """What Enter would do."""
        row = self.side.list.row if self.is_mounted else None
        plan = self.plan
        if row is None or plan is None or self.planned != row.path:
            return resume_line(cells, key="", command=[], folder="", problem="", warning="")
        return resume_line(
            cells,
            key=key_name(named("session.resume").keys[0]) if shows_key else "",
            command=[one_line(word, 2_000) for word in plan.argv],
            folder=tilde(plan.cwd, self.setup.home),
            problem=one_line(plan.problem or ""),
            warning=one_line(self.reasons.get(row.path, "")),
        )

    # the plan

    def forget_resume(self) -> None:
        """The cursor is on another session: one that was to be resumed as soon as it is known how is not."""
        self._resume_waits = False

    def make_plan(self, row: Row) -> None:
        """Have it found out how to resume the session under the cursor."""
        self._planner.ask(row)

    def check_plan(self) -> None:
        """Sessions have changed: make the plan anew if it is not right any more."""
        row = self.side.list.row
        if (
            row is not None
            and self.plan is not None
            and self.planned == row.path
            and row.cwd != self.plan.cwd
        ):
            self._planner.ask(row)

    # resume

    @on(LineList.Activated, "#sessions")
    @on(SessionListView.ResumeAsked)
    @on(SessionsSide.Chosen)
    def _resume_asked(self) -> None:
        row = self.side.list.row
        if row is None:
            return
        if self.plan is None or self.planned != row.path:
            self._resume_waits = True
            return
        self._resume(row, self.plan)

    def _resume(self, row: Row, plan: Plan) -> None:
        self._resume_waits = False
        reason = self._holder or self.reasons.get(row.path, "")
        is_live = bool(self._holder) or self.side.list.states.get(row.path) == "live"
        if plan.problem is None and not is_live:
            self.app.exit(plan)
            return
        from app.screens.dialogs import ResumeDialog

        dialog = ResumeDialog(
            title=f"{row.agent}: {one_line(row.title, 50)}",
            folder=tilde(plan.cwd, self.setup.home) or "none",
            command=plan.shell,
            reason=plan.problem
            or f"This session is in use: {reason}. Two programs in one session lose work.",
            possible=plan.problem is None,
            folder_gone=plan.folder_gone,
        )

        def answered(answer: str | None) -> None:
            if answer == "resume":
                self.app.exit(plan)
            elif answer == "fork":
                self.fork_elsewhere(row, "fork and resume")
            elif answer == "read":
                self.action_show_tree()

        self.app.push_screen(dialog, answered)

    def action_copy_command(self) -> None:
        """Copy the command that resumes the session under the cursor."""
        row = self.side.list.row
        if row is not None and self.plan is not None and self.planned == row.path:
            self.copy(self.plan.shell, "Command")

    @on(PlanMade)
    def _plan_made(self, event: PlanMade) -> None:
        row = self.side.list.row
        if event.generation != self._planner.generation or row is None or row.path != event.path:
            return
        self.plan, self.planned, self._holder = event.plan, event.path, event.holder
        self.refresh_bars()
        if self._resume_waits:
            self._resume(row, event.plan)
