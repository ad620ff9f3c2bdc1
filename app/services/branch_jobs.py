"""What it takes to go on from an entry, to summarise what is left behind, and to lay two branches side by
side: read off the screen's thread.
"""

from __future__ import annotations

from threading import Event, Thread
from typing import TYPE_CHECKING

from app.messages.acting import BranchesCompared, DraftLeft, OutlineMade, PointsFound, SummaryMade
from app.services.latest import LatestOnlyWorker

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from textual.message import Message

    from app.actions.go_on import Question
    from app.index.row import Row
    from app.setup import Setup

    Post = Callable[[Message], object]

WHAT = "go on"
"""What going on is called among the actions."""


class BranchJobs:
    """Answers with ``PointsFound``, ``OutlineMade``, ``SummaryMade``, ``BranchesCompared``, ``DraftLeft``."""

    def __init__(self, setup: Setup, post: Post, failed: Callable[[BaseException], None]) -> None:
        self._setup = setup
        self._post = post
        self._failed = failed
        self._latest = LatestOnlyWorker("go", failed)
        self._cancel = Event()

    def ask(self, row: Row, entry_id: str) -> None:
        """What can be done at an entry."""
        self._latest.ask(lambda overtaken: self._ask(row, entry_id))

    def outline(self, question: Question) -> None:
        """What is left behind, as a text to write a summary from."""
        self._latest.ask(lambda overtaken: self._outline(question))

    def summarise(self, question: Question, command: Sequence[str], cwd: str) -> None:
        """Have `command` write a summary of what is left behind, until `cancel`."""
        self.cancel()
        self._cancel = Event()
        job = Thread(
            target=self._summarise,
            args=(question, tuple(command), cwd, self._cancel),
            name="leafmark-summary",
            daemon=True,
        )
        job.start()

    def cancel(self) -> None:
        """Nobody waits for the summary any more."""
        self._cancel.set()

    def compare(self, row: Row, offset: int, other: int = 0) -> None:
        """The active path beside the branch of an entry.

        :param offset: where the entry's line begins.
        :param other: so many branches on from the one that would be taken; round and round.
        """
        self._latest.ask(lambda overtaken: self._compare(row, offset, other, overtaken))

    def leave_draft(self, row: Row, text: str) -> None:
        """Leave `text` for the editor of whoever continues the session of `row`."""
        self._latest.ask(lambda overtaken: self._leave_draft(row, text))

    def stop(self) -> None:
        """End the threads."""
        self.cancel()
        self._latest.stop()

    def _ask(self, row: Row, entry_id: str) -> None:
        from app.actions.go_on import points
        from app.actions.opened import opened
        from app.actions.resume import in_use
        from app.index.live_sessions import verdict_to_resume
        from app.sessions.errors import SessionError
        from app.stores.live import look

        setup = self._setup
        try:
            store = next(store for store in setup.stores if store.root == row.store).of(row.agent)
            manager = opened(row.path, "branch", setup.agent_env, store)
            question = points(manager, entry_id, store, setup.env)
        except (SessionError, OSError) as error:
            self._post(PointsFound(row, None, str(error)))
            return
        found = verdict_to_resume(
            row.agent, row.path, row.id, row.cwd, look(setup.stores), setup.now_ms(), row.grew_ms
        )
        if found is not None:
            question.here.plan.asks += (in_use(row.agent, found),)
        if setup.demo:
            for way in (question.here, question.elsewhere):
                way.plan.problem = "an example session: there is nothing to resume"
        self._post(PointsFound(row, question, ""))

    def _leave_draft(self, row: Row, text: str) -> None:
        from app.actions.go_on import write_draft
        from app.sessions.errors import SessionError

        try:
            write_draft(row.agent, row.path, text)
        except SessionError as error:
            self._post(DraftLeft(f"{error}; the text is on the clipboard"))
            return
        self._post(DraftLeft(""))

    def _outline(self, question: Question) -> None:
        from app.actions.abandoned import outline

        self._post(OutlineMade(outline(question.left)))

    def _summarise(self, question: Question, command: tuple[str, ...], cwd: str, cancel: Event) -> None:
        from app.actions.abandoned import files_listed, transcript
        from app.actions.summary_command import Cancelled, SummaryFailed, run

        try:
            text = run(command, transcript(question.left), cancel, cwd, self._setup.env)
        except Cancelled:
            return
        except SummaryFailed as error:
            self._post(SummaryMade("", str(error)))
            return
        except Exception as error:
            self._failed(error)
            return
        self._post(SummaryMade(text + files_listed(question.left), ""))

    def _compare(self, row: Row, offset: int, other: int, overtaken: Callable[[], bool]) -> None:
        from app.actions.compare import compare
        from app.formats.errors import SessionError
        from app.sessions.tree.branches import branches_from
        from app.sessions.tree.tree import Overtaken, open_tree

        def goes_on() -> bool:
            return not overtaken()

        try:
            tree = open_tree(row.path, (row.agent,), goes_on)
            picked = tree.find(None, offset)
            if picked is None:
                self._post(BranchesCompared(row, None, 0, 0, "the entry is gone: the file was changed"))
                return
            found = branches_from(tree, picked)
            if tree.leaf is None or not found:
                self._post(BranchesCompared(row, None, 0, 0, "there is no other branch"))
                return
            at = other % len(found)
            made = compare(tree, tree.leaf, found[at], goes_on)
        except Overtaken:
            return
        except (SessionError, OSError) as error:
            self._post(BranchesCompared(row, None, 0, 0, str(error)))
            return
        self._post(BranchesCompared(row, made, at, len(found), ""))
