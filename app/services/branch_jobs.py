"""Jobs of the commands on a tree's entries: branch or fork there, summarise the abandoned branch, compare two
branches. They run in a thread.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from app.actions.resume import EXAMPLE_PROBLEM, in_use_warning
from app.index.live_sessions import verdict_to_resume
from app.services.background import BackgroundService, answered
from app.sessions.errors import SessionError
from app.stores.live import look

if TYPE_CHECKING:
    from collections.abc import Sequence
    from threading import Event

    from app.actions.branch_options import BranchOptions
    from app.actions.compare import Comparison
    from app.actions.handoff import Handed
    from app.index.row import Row
    from app.services.background import Post
    from app.setup import Setup
    from app.stores.base import Store

# The functions below import `app.actions` in the thread, for the reason given in `action_runner`.

WHAT = "go on"
"""The name of branching and forking among the actions (`ActionRunner.do`)."""


class ComparedBranches(NamedTuple):
    """The active path was compared with another branch.

    comparison   both since their last common entry
    at, of       the index of the other branch among those beside the active one, from 0, and their number
    number       its number among all branches, as the tree counts them
    """

    comparison: Comparison
    at: int
    of: int
    number: int


class BranchJobs(BackgroundService):
    """Finds and does what the commands on an entry need; each method is awaited."""

    def __init__(self, setup: Setup, post: Post) -> None:
        super().__init__(post)
        self._setup = setup

    @answered(SessionError)
    def summarise(
        self, question: BranchOptions, command: Sequence[str], cwd: str, cancel: Event, instructions: str
    ) -> str:
        """Run `command` to write a summary of the abandoned branch, until `cancel` is set.

        :param instructions: what the user asks of the summary; "" for nothing.
        :raises SessionError: it made none.
        """
        from app.actions import abandoned_branch, summary_command

        text = abandoned_branch.transcript(question.left)
        try:
            summary = summary_command.run(tuple(command), text, cancel, cwd, self._setup.env, instructions)
        except summary_command.SummaryFailed as error:
            raise SessionError("", 0, str(error)) from None
        return summary + abandoned_branch.file_list(question.left)

    @answered(SessionError, OSError)
    def find_points(self, row: Row, entry_id: str) -> BranchOptions:
        """Find out how the session of `row` can go on from an entry; "" for its leaf."""
        from app.actions.branch_options import find_branch_options
        from app.sessions.manager.session_manager import SessionManager

        setup = self._setup
        store = self._store_of(row)
        manager = SessionManager.open(row.path, env=setup.agent_env, agents=store.agents, new=False)
        question = find_branch_options(manager, entry_id or manager.leaf_id or "", store, setup.env)
        verdict = verdict_to_resume(
            row.agent, row.path, row.id, row.cwd, look(setup.stores), setup.now_ms(), row.grew_ms
        )
        if verdict is not None:
            question.here.plan.asks += (in_use_warning(row.agent, verdict),)
        if setup.demo:
            for plan in (question.here.plan, question.elsewhere.plan, *question.others.values()):
                plan.problem = EXAMPLE_PROBLEM
        return question

    @answered(SessionError, OSError)
    def count_losses(self, row: Row, to: str, entry: str | None) -> Handed:
        """The losses if the session of `row` was handed over to an agent at an entry, None for the
        leaf.
        """
        from app.actions.handoff import Request, hand_over

        setup = self._setup
        return hand_over(
            row.path,
            Request(to, entry, exact=True),
            setup.agent_env,
            store=self._store_of(row),
            stores=setup.stores,
            now_ms=setup.now_ms(),
            dry_run=True,
        )

    def _store_of(self, row: Row) -> Store:
        return next(store for store in self._setup.stores if store.root == row.store).of(row.agent)

    @answered(SessionError)
    def leave_draft(self, row: Row, text: str) -> None:
        """Leave `text` in the editor of the agent that resumes the session of `row`."""
        from app.actions.branch_options import write_draft

        write_draft(row.agent, row.path, text)

    @answered()
    def outline(self, question: BranchOptions) -> str:
        """Outline the abandoned branch, as a draft of its summary."""
        from app.actions.abandoned_branch import outline

        return outline(question.left)

    @answered(SessionError, OSError)
    def compare(self, row: Row, offset: int, number: int = 0) -> ComparedBranches:
        """Compare the active path with a branch of an entry.

        :param offset: where the entry's line begins in the file.
        :param number: the branch, counted from the one that a resume would take; it wraps around.
        :raises SessionError: there is no such entry, or no other branch.
        """
        from app.actions.compare import compare
        from app.sessions.tree.branches import branch_ends, branches_from
        from app.sessions.tree.tree import open_tree

        def keep_going() -> bool:
            return not self._is_stale()

        tree = open_tree(row.path, (row.agent,), keep_going)
        entry = tree.find(None, offset)
        if entry is None:
            raise SessionError(row.path, 0, "the entry is gone: the file was changed")
        branches = branches_from(tree, entry)
        if tree.leaf is None or not branches:
            raise SessionError(row.path, 0, "there is no other branch")
        index = number % len(branches)
        comparison = compare(tree, tree.leaf, branches[index], keep_going, self._setup.prices)
        number = branch_ends(tree).index(branches[index]) + 1
        return ComparedBranches(comparison, index, len(branches), number)
