"""Runs what a user does to sessions in one thread, one action after the other, and undoes it.

No action is dropped or run twice. Each change is kept for `undo` and written to the journal, so that the
command line can undo it too. When all changes of this run are undone, `undo` offers the last change in the
journal that an earlier run made.
"""

from __future__ import annotations

from functools import partial
from queue import Empty, Queue
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple

from app.actions.outcome import Outcome
from app.actions.undo_steps import (
    RETRY_NOTE,
    SKIP_NOTE,
    JournalAction,
    UndoableAction,
    undo_last,
)
from app.messages import ActionsDone, ActionsProgressed
from app.services.background import BackgroundService, promised
from app.sessions.errors import SessionError
from app.view.notifications import ActionProgress

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    from app.actions.journal import Intent, Journal
    from app.actions.undo_steps import UndoAttempt
    from app.index.row import Row
    from app.services.background import Post
    from app.sessions.manager.change import Change
    from app.setup import Setup
    from app.stores.base import Store

    Action = Callable[[Row, Store, Mapping[str, str], str], Change]
    """Changes a session: its row and store, the environment of the agents, the state folder."""

# The functions below import what writes sessions in the thread: loading it takes 35 ms, which would delay the
# first key.

_UNDOABLE_KINDS = frozenset(
    ("trash", "restore", "name", "pin", "label", "leaf", "file", "tags", "note", "keep")
)

EXIT_SECONDS = 0.5
"""Seconds for which actions go on when leafmark exits: a few sessions take less."""


class _Undoable(NamedTuple):
    """A change, its number in the journal (0: it is not there), and the row that was changed (None: the
    session came out of an archive).
    """

    change: Change
    number: int
    row: Row | None


class ProgressReporter:
    """The progress of the action that runs, and stopping it between two sessions.

    stopped   (action, done, total) of the actions that leafmark's end stopped
    """

    def __init__(self, post: Post) -> None:
        self._post = post
        self._progress: ActionProgress | None = None
        self._deadline: float | None = None
        self.stopped: list[tuple[str, int, int]] = []

    def begin(self, action: str) -> ActionProgress:
        """Begin an action; return its progress, which the caller updates."""
        self._progress = ActionProgress(action)
        return self._progress

    def end(self) -> None:
        """End the action, which is done or was stopped."""
        progress, self._progress = self._progress, None
        if progress is not None and progress.total > 1:
            self._post(ActionsProgressed(None))

    def keep_going(self, done: int, total: int) -> bool:
        """Whether to go on with the next session; call it before each. A single session is never stopped."""
        progress = self._progress
        assert progress is not None
        progress.done, progress.total = done, total
        if total < 2:
            return True
        if not progress.is_stopped and self._deadline is not None and monotonic() >= self._deadline:
            progress.is_stopped = True
            self.stopped.append((progress.what, done, total))
        if progress.is_stopped:
            return False
        if progress.is_seen:
            progress.is_seen = False
            self._post(ActionsProgressed(progress))
        return True

    def stop(self) -> bool:
        """Stop an action on several sessions after the current one. False: there is no such action."""
        progress = self._progress
        if progress is None or progress.total < 2:
            return False
        progress.is_stopped = True
        return True

    def set_deadline(self) -> None:
        """Stop the actions that take longer than `EXIT_SECONDS`: leafmark is about to exit."""
        self._deadline = monotonic() + EXIT_SECONDS


class ActionRunner(BackgroundService):
    """Runs actions; posts one ``ActionsDone`` for each call."""

    def __init__(self, setup: Setup, post: Post) -> None:
        super().__init__(post)
        self._setup = setup
        self._jobs: Queue[Callable[[], None]] = Queue()
        self._done: list[UndoableAction[_Undoable]] = []
        self._undone: set[int] = set()
        self._progress = ProgressReporter(post)

    def do(self, what: str, rows: Sequence[Row], action: Action) -> None:
        """Run `action` on each of `rows`; if it fails on one, the others follow all the same. Also posts
        ``ActionsProgressed``.

        :param what: the name of the action, which comes back in the message.
        """
        attempts = [partial(self._try, row, action) for row in rows]
        self._put(lambda: self._attempt_each(what, attempts))

    def run_each(self, what: str, works: Sequence[tuple[str, Change | None, Callable[[], Change]]]) -> None:
        """Run an action on several sessions that are not listed; if it fails on one, the others follow all
        the same. Also posts ``ActionsProgressed``.

        :param works: for each session its raw title, the change that is undone with it, or None, and the
            action.
        """

        def attempt(title: str, undone: Change | None, work: Callable[[], Change]) -> Outcome:
            return _attempt(None, work)._replace(undone=undone, title=title)

        attempts = [partial(attempt, *work) for work in works]
        self._put(lambda: self._attempt_each(what, attempts))

    def restore(self, trashed: Change, *, join: bool) -> None:
        """Restore a session whose agent went on writing after it was trashed. The answer is named "restore".

        :param join: append what the agent wrote to the session; else that is trashed.
        """

        def job() -> None:
            from app.actions.restore import recover

            undoable: list[_Undoable] = []
            notes: list[str] = []
            with self._intent() as intent:

                def work() -> Change:
                    change = trashed
                    for change in recover(trashed, self._setup.agent_env, join=join):
                        notes.extend(self._record_outcome(intent, Outcome(None, change), undoable))
                    return change

                outcome = _attempt(None, work)
            if outcome.error is not None:
                # A file that was moved back needs no undo.
                undoable = [step for step in undoable if step.change.kind != "restore"]
            self._keep(undoable)
            self._post(ActionsDone("restore", [outcome], notes))

        self._put(job)

    def undo(self) -> Awaitable[JournalAction | None]:
        """Undo the last action, for all of its sessions. The answer is named "undo".

        :return: if no action of this run can be undone, the last one of an earlier run; nothing was done.
        """
        earlier, job = promised(self._undo)
        self._put(job)
        return earlier

    def undo_earlier(self, action: int) -> None:
        """Undo an action of an earlier run. The answer is named "undo".

        :param action: its number in the journal.
        """
        self._put(lambda: self._undo_earlier(action))

    def redo(self) -> Awaitable[JournalAction | None]:
        """Redo the action that was undone last. The answer is named "redo".

        :return: that action, if an earlier run undid it, and nothing was done.
        """
        earlier, job = promised(self._redo)
        self._put(job)
        return earlier

    def redo_earlier(self, action: int) -> None:
        """Redo an action that was undone, by this run or an earlier one. The answer is named "redo".

        :param action: its number in the journal.
        """
        self._put(lambda: self._redo_action(action))

    def shares_with(self, other: ActionRunner) -> None:
        """Let either undo and redo what the other has done. Call it before the first action."""
        self._done = other._done
        self._undone = other._undone

    @property
    def has_unrecorded(self) -> bool:
        """Whether this run can undo a change that the journal does not have, because it could not be
        written.
        """
        return any(not step.number for done in self._done for step in done.steps)

    def stop_at_next(self) -> bool:
        """Stop an action on several sessions after the current one. False: there is no such action."""
        return self._progress.stop()

    @property
    def stopped(self) -> list[tuple[str, int, int]]:
        """(action, done, total) of the actions that `stop` ended early."""
        return self._progress.stopped

    def stop(self) -> None:
        """Finish the requested actions and end the thread; a long action stops after the current session."""
        self._progress.set_deadline()
        # A write that has begun must end before the program does.
        self._jobs.join()
        super().stop()

    def _put(self, job: Callable[[], None]) -> None:
        self._jobs.put(job)
        # The newest request runs all jobs that wait, so none is lost when it replaces another one.
        self._worker.submit(lambda is_stale: self._run_jobs(), interrupts=False)

    def _run_jobs(self) -> None:
        from app.sessions.storage.append_ledger import share_notes

        share_notes(self._setup.cache_folder)
        while True:
            try:
                job = self._jobs.get_nowait()
            except Empty:
                return
            try:
                self._settle()
                job()
            except Exception as error:
                self._failed(error)
            finally:
                self._progress.end()
                self._jobs.task_done()

    def _attempt_each(self, what: str, attempts: Sequence[Callable[[], Outcome]]) -> None:
        """Run an action on several sessions, and post what came of it."""
        outcomes: list[Outcome] = []
        undoable: list[_Undoable] = []
        notes: list[str] = []
        self._progress.begin(what)
        for attempt in attempts:
            if not self._progress.keep_going(len(outcomes), len(attempts)):
                break
            with self._intent(undoable[0].number if undoable else 0) as intent:
                outcomes.append(attempt())
                notes += self._record_outcome(intent, outcomes[-1], undoable)
        self._keep(undoable)
        of = len(attempts) if len(outcomes) < len(attempts) else 0
        self._post(ActionsDone(what, outcomes, list(dict.fromkeys(notes)), of=of))

    def _settle(self) -> None:
        """Complete the journal of a leafmark that was killed during an action."""
        from app.actions.undo import settle_interrupted

        setup = self._setup
        try:
            journal = self._journal
        except OSError:
            return  # The state folder is unknown, which is reported when a change is recorded.
        settle_interrupted(journal, setup.agent_env, setup.stores, setup.state_folder)

    def _record_outcome(self, intent: Intent, outcome: Outcome, undoable: list[_Undoable]) -> list[str]:
        """Write a change to the journal and add it to `undoable`; the result is notes for the user."""
        change = outcome.change
        if change is None:
            return []
        notes = [change.note]
        if change.kind in _UNDOABLE_KINDS:
            number, note = self._record(intent, change)
            notes.append(note)
            if not change.is_nothing:
                undoable.append(_Undoable(change, number, outcome.row))
        return [note for note in notes if note]

    def _keep(self, undoable: list[_Undoable]) -> None:
        if undoable:
            self._done.append(UndoableAction(undoable))

    def _undo(self) -> JournalAction | None:
        self._drop_undone()
        self._progress.begin("undo")
        position, tried = undo_last(self._done, self._undo_one, self._progress.keep_going)
        untried: list[_Undoable] = []
        if position >= 0:
            steps = self._done[position].steps
            untried = list(steps[: len(steps) - len(tried)])
        if untried:
            self._undo_stopped(position, untried, tried)
            return None
        is_blocked = (
            position >= 0 and self._done[position].is_reported and all(attempt.can_retry for attempt in tried)
        )
        earlier = None
        if position <= 0 or is_blocked:
            from app.actions.undo import next_journal_action

            own = {step.number for done in self._done for step in done.steps}
            earlier = next_journal_action(self._journal, own)
        if earlier is not None and (position < 0 or is_blocked):
            return earlier
        outcomes, notes = _undo_outcomes(tried)
        waiting = [attempt.step for attempt in reversed(tried) if attempt.can_retry]
        for attempt in tried:
            if attempt.step.number and attempt.change is None:
                self._note_failure(attempt.step.number, attempt.reason, can_retry=attempt.can_retry)
        if position >= 0:
            # The obstacle may be gone at the next undo.
            self._done[position : position + 1] = (
                [UndoableAction(waiting, is_reported=True)] if waiting else []
            )
        if position > 0 or earlier is not None:
            if waiting:
                notes.append(RETRY_NOTE)
            elif any(attempt.error for attempt in tried):
                notes.append(SKIP_NOTE)
        self._post(ActionsDone("undo", outcomes, list(dict.fromkeys(notes))))
        return None

    def _undo_stopped(
        self, position: int, untried: list[_Undoable], tried: Sequence[UndoAttempt[_Undoable]]
    ) -> None:
        """Keep the rest of an action for another undo: the user stopped this one."""
        waiting = [attempt.step for attempt in reversed(tried) if attempt.can_retry]
        for attempt in tried:
            if attempt.step.number and attempt.error is not None and not attempt.can_retry:
                self._note_failure(attempt.step.number, attempt.reason, can_retry=False)
        self._done[position : position + 1] = [UndoableAction([*untried, *waiting])]
        outcomes, notes = _undo_outcomes(tried)
        of = len(untried) + len(tried)
        self._post(ActionsDone("undo", outcomes, list(dict.fromkeys(notes)), of=of))

    def _drop_undone(self) -> None:
        """Drop the changes that another program has undone."""
        undone = self._journal.undone() if self._done else set()
        remaining = [
            UndoableAction([step for step in done.steps if step.number not in undone], done.is_reported)
            for done in self._done
        ]
        self._done[:] = [done for done in remaining if done.steps]

    def _undo_earlier(self, action: int) -> None:
        from app.actions.undo import undo_journal_action

        setup = self._setup
        progress = self._progress.begin("undo")
        tried, notes = undo_journal_action(
            self._journal,
            action,
            setup.agent_env,
            setup.stores,
            setup.state_folder,
            self._progress.keep_going,
        )
        notes += [attempt.change.note for attempt in tried if attempt.change is not None]
        self._undone.update(attempt.step.number for attempt in tried if attempt.change is not None)
        outcomes = [Outcome(None, attempt.change, attempt.error, attempt.step.change) for attempt in tried]
        of = progress.total if progress.is_stopped and len(tried) < progress.total else 0
        self._post(ActionsDone("undo", outcomes, list(dict.fromkeys(filter(None, notes))), of=of))

    def _redo(self) -> JournalAction | None:
        actions = self._journal.redoable()
        if not actions:
            self._post(ActionsDone("redo", [], []))
            return None
        steps = actions[0]
        if all(step.number in self._undone for step in steps):
            self._redo_action(steps[0].action)
            return None
        at_ms = max(step.undone_ms for step in steps)
        return JournalAction(steps[0].action, at_ms, [step.change for step in steps], "")

    def _redo_action(self, action: int) -> None:
        from app.actions.redo import redo_journal_action

        setup = self._setup
        progress = self._progress.begin("redo")
        attempts, numbers, notes = redo_journal_action(
            self._journal,
            action,
            setup.agent_env,
            setup.stores,
            setup.state_folder,
            self._progress.keep_going,
        )
        self._keep(
            [
                _Undoable(attempt.change, numbers.get(attempt.step.number, 0), None)
                for attempt in attempts
                if attempt.change is not None and not attempt.change.is_nothing
            ]
        )
        outcomes = [
            Outcome(None, attempt.change, attempt.error, attempt.step.by or attempt.step.change)
            for attempt in attempts
        ]
        of = progress.total if progress.is_stopped and len(attempts) < progress.total else 0
        self._post(ActionsDone("redo", outcomes, notes, of=of))

    def _undo_one(self, done: _Undoable) -> tuple[Change | None, Exception | None]:
        if not done.number:
            return self._attempt_undo(done)
        with self._intent(undoes=done.number) as intent:
            change, error = self._attempt_undo(done)
            if change is not None:
                # A failure was reported when the change itself was recorded.
                self._record(intent, change)
                self._undone.add(done.number)
        return change, error

    def _attempt_undo(self, done: _Undoable) -> tuple[Change | None, Exception | None]:
        from app.actions.undo import undo, undo_journal_change

        setup = self._setup
        if done.row is None:
            return undo_journal_change(done.change, setup.agent_env, setup.stores, setup.state_folder)
        outcome = self._try(
            done.row, lambda row, store, env, state: undo(done.change, env, store, state_folder=state)
        )
        return outcome.change, outcome.error

    def _try(self, row: Row, action: Action) -> Outcome:
        setup = self._setup
        return _attempt(row, lambda: action(row, self._store(row), setup.agent_env, setup.state_folder))

    def _store(self, row: Row) -> Store:
        for store in self._setup.stores:
            if store.root == row.store:
                return store.of(row.agent)
        raise FileNotFoundError(f"{row.store} is no store any more")

    @property
    def _journal(self) -> Journal:
        from app.actions.journal import Journal

        return Journal(self._setup.state_folder)

    def _intent(self, action: int = 0, undoes: int = 0) -> Intent:
        from app.actions.journal import Intent

        return Intent(lambda: self._journal, action, undoes)

    def _record(self, intent: Intent, change: Change) -> tuple[int, str]:
        try:
            return intent.done(change), ""
        except OSError as error:
            # If a write to an open file fails, the error names no path.
            where = error.filename or self._setup.state_folder
            return 0, f"the journal cannot be written: {where}: {error.strerror or error}"

    def _note_failure(self, number: int, reason: str, *, can_retry: bool) -> None:
        """Write to the journal why a change was not undone; see `Journal.mark_failed`."""
        try:
            self._journal.mark_failed(number, reason, can_retry=can_retry)
        except OSError:
            # The problem was reported when the change was recorded.
            return


def _undo_outcomes(tried: Sequence[UndoAttempt[_Undoable]]) -> tuple[list[Outcome], list[str]]:
    """The outcomes of an undo and the notes of its changes."""
    outcomes = [
        Outcome(attempt.step.row, attempt.change, attempt.error, attempt.step.change) for attempt in tried
    ]
    notes = [attempt.change.note for attempt in tried if attempt.change is not None and attempt.change.note]
    return outcomes, notes


def _attempt(row: Row | None, work: Callable[[], Change]) -> Outcome:
    try:
        return Outcome(row, work())
    except (SessionError, OSError) as error:
        return Outcome(row, None, error)
    except Exception as error:
        # A fault of leafmark is reported like any other error, and the next session follows.
        return Outcome(row, None, RuntimeError(f"{type(error).__name__}: {error}"))
