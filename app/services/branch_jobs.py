"""Jobs of the commands on a tree's entries: branch or fork there, summarise the abandoned branch, compare two
branches. They run in a thread.
"""

from __future__ import annotations

from threading import Event
from typing import TYPE_CHECKING

from app.actions.resume import EXAMPLE_PROBLEM, in_use_warning
from app.formats.errors import Cancelled
from app.index.live_sessions import verdict_to_resume
from app.messages import BranchesCompared, DraftLeft, OutlineMade, PointsFound, SummaryMade
from app.services.background import BackgroundService, LatestOnlyWorker, in_thread
from app.sessions.errors import SessionError
from app.stores.live import look
from app.view.notifications import reason_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.actions.branch_options import BranchOptions
    from app.index.row import Row
    from app.services.background import Post
    from app.setup import Setup

# The functions below import `app.actions` in the thread, for the reason given in `action_runner`.

WHAT = "go on"
"""The name of branching and forking among the actions (`ActionRunner.do`)."""


class BranchJobs(BackgroundService):
    """Posts ``PointsFound``, ``OutlineMade``, ``SummaryMade``, ``BranchesCompared`` and ``DraftLeft``."""

    thread_name = "branch"

    def __init__(self, setup: Setup, post: Post) -> None:
        super().__init__(post)
        self._setup = setup
        self._cancel = Event()
        # A summary command runs for minutes, and other jobs do not wait for it.
        self._summaries = LatestOnlyWorker("summary", self._failed)

    def summarise(
        self, question: BranchOptions, command: Sequence[str], cwd: str, instructions: str = ""
    ) -> None:
        """Run `command` to write a summary of the abandoned branch, until `cancel`.

        :param instructions: what the user asks of the summary.
        """
        self.cancel()
        self._cancel = cancel = Event()
        self._summaries.submit(
            lambda is_stale: self._summarise(question, tuple(command), cwd, cancel, instructions)
        )

    def cancel(self) -> None:
        """End the summary command."""
        self._cancel.set()

    def stop(self) -> None:
        """End the threads."""
        self.cancel()
        self._summaries.stop()
        super().stop()

    @in_thread
    def find_points(self, row: Row, entry_id: str) -> None:
        """Find out how the session of `row` can go on from an entry."""
        from app.actions.branch_options import find_branch_options
        from app.actions.session_edits import open_session

        setup = self._setup
        try:
            store = next(store for store in setup.stores if store.root == row.store).of(row.agent)
            manager = open_session(row.path, "branch", setup.agent_env, store)
            question = find_branch_options(manager, entry_id, store, setup.env)
        except (SessionError, OSError) as error:
            self._post(PointsFound(row, None, reason_of(error)))
            return
        verdict = verdict_to_resume(
            row.agent, row.path, row.id, row.cwd, look(setup.stores), setup.now_ms(), row.grew_ms
        )
        if verdict is not None:
            question.here.plan.asks += (in_use_warning(row.agent, verdict),)
        if setup.demo:
            for way in (question.here, question.elsewhere):
                way.plan.problem = EXAMPLE_PROBLEM
        self._post(PointsFound(row, question, ""))

    @in_thread
    def leave_draft(self, row: Row, text: str) -> None:
        """Leave `text` in the editor of the agent that resumes the session of `row`."""
        from app.actions.branch_options import write_draft

        try:
            write_draft(row.agent, row.path, text)
        except SessionError as error:
            self._post(DraftLeft(f"{error.reason}; the text is on the clipboard"))
            return
        self._post(DraftLeft(""))

    @in_thread
    def outline(self, question: BranchOptions) -> None:
        """Outline the abandoned branch, as a draft of its summary."""
        from app.actions.abandoned_branch import outline

        self._post(OutlineMade(outline(question.left)))

    def _summarise(
        self,
        question: BranchOptions,
        command: tuple[str, ...],
        cwd: str,
        cancel: Event,
        instructions: str,
    ) -> None:
        from app.actions import summary_command
        from app.actions.abandoned_branch import file_list, transcript

        try:
            text = summary_command.run(
                command, transcript(question.left), cancel, cwd, self._setup.env, instructions
            )
        except summary_command.Cancelled:
            return
        except summary_command.SummaryFailed as error:
            self._post(SummaryMade("", str(error)))
            return
        self._post(SummaryMade(text + file_list(question.left), ""))

    @in_thread
    def compare(self, row: Row, offset: int, number: int = 0) -> None:
        """Compare the active path with a branch of an entry.

        :param offset: where the entry's line begins in the file.
        :param number: the branch, counted from the one that a resume would take; it wraps around.
        """
        from app.actions.compare import compare
        from app.sessions.tree.branches import branch_ends, branches_from
        from app.sessions.tree.tree import open_tree

        def keep_going() -> bool:
            return not self._is_stale()

        try:
            tree = open_tree(row.path, (row.agent,), keep_going)
            entry = tree.find(None, offset)
            if entry is None:
                self._post(BranchesCompared(row, "the entry is gone: the file was changed"))
                return
            branches = branches_from(tree, entry)
            if tree.leaf is None or not branches:
                self._post(BranchesCompared(row, "there is no other branch"))
                return
            index = number % len(branches)
            comparison = compare(tree, tree.leaf, branches[index], keep_going, self._setup.prices)
            number = branch_ends(tree).index(branches[index]) + 1
        except Cancelled:
            return
        except (SessionError, OSError) as error:
            self._post(BranchesCompared(row, reason_of(error)))
            return
        self._post(BranchesCompared(row, "", comparison, index, len(branches), number))
