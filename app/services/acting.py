"""What a user does to sessions, done in a thread one after the other, and what takes it back.

Nothing is dropped and nothing done twice. What was done is kept for `undo` and written to the journal, so
that the command line can take it back as well; once all of it is taken back, `undo` goes on to what the
journal has from before, when the user has seen what that is.
"""

from __future__ import annotations

from queue import SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING, NamedTuple

from app.messages.acting import ActionsDone, EarlierFound, Outcome
from app.services.progress import Courses

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from textual.message import Message

    from app.actions.journal import Intent, Journal
    from app.actions.taking_back import Done, Tried
    from app.index.row import Row
    from app.sessions.manager.change import Change
    from app.setup import Setup
    from app.stores.base import Store

    Action = Callable[[Row, Store, Mapping[str, str], str], Change]
    """Does something to a session: its row and store, the environment of the agents, the state folder."""

_TAKEN_BACK = frozenset(("trash", "restore", "name", "pin", "label", "leaf", "file"))


class _Undoable(NamedTuple):
    """A change, where it is in the journal (0: nowhere), and the store and session it was made in (None: what
    came out of an archive).
    """

    change: Change
    number: int
    row: Row | None


class Acting:
    """Runs actions; answers each call with one ``ActionsDone``. Never touches a widget."""

    def __init__(
        self, setup: Setup, post: Callable[[Message], object], failed: Callable[[BaseException], None]
    ) -> None:
        self._setup = setup
        self._post = post
        self._failed = failed
        self._jobs: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._thread: Thread | None = None
        self._done: list[Done[_Undoable]] = []
        self._courses = Courses(post)

    def do(self, what: str, rows: Sequence[Row], action: Action) -> None:
        """Do `action` to each of `rows`; one that fails does not stop the others. Of how far it is
        ``ActionsWentOn`` tells.

        :param what: comes back in the answer.
        """
        self._put(lambda: self._do(what, list(rows), action))

    def run(self, what: str, work: Callable[[], Change]) -> None:
        """Do something that is done to no session of the list."""

        def job() -> None:
            undoable: list[_Undoable] = []
            with self._intent() as intent:
                outcome = _attempt(None, work)
                notes = self._note_done(intent, outcome, undoable)
            self._remember(undoable)
            self._post(ActionsDone(what, [outcome], notes))

        self._put(job)

    def restore(self, trashed: Change, *, join: bool) -> None:
        """Restore a session whose agent went on writing after it was trashed; answered as `restore`.

        :param join: append what it wrote to the session; else that only goes to the trash.
        """

        def job() -> None:
            from app.actions.continuation import clear_place
            from app.actions.restore import restore

            env = self._setup.agent_env
            undoable: list[_Undoable] = []
            notes: list[str] = []
            with self._intent() as intent:
                for step in (lambda: clear_place(trashed, env, join=join), lambda: restore(trashed)):
                    outcome = _attempt(None, step)
                    notes += self._note_done(intent, outcome, undoable)
                    if outcome.error is not None:
                        break
            self._remember(undoable)
            self._post(ActionsDone("restore", [outcome], notes))

        self._put(job)

    def undo(self) -> None:
        """Take back what was done last, for all the sessions it was done to; answered as `undo`. Where
        nothing is left of it, but something of what was done before this run, the answer is ``EarlierFound``.
        """
        self._put(self._undo)

    def undo_earlier(self, action: int) -> None:
        """Take back what was found so; answered as `undo`.

        :param action: its number in the journal.
        """
        self._put(lambda: self._undo_earlier(action))

    def shares_with(self, other: Acting) -> None:
        """What was done by either can be taken back by both; to be called before anything is done."""
        self._done = other._done

    def stop_at_next(self) -> bool:
        """Stop what is being done to many sessions after the one at hand. False where nothing is."""
        return self._courses.stop()

    @property
    def left(self) -> list[tuple[str, int, int]]:
        """(what, done, total) of what did not come to its end when this ended."""
        return self._courses.left

    def stop(self) -> None:
        """Do what was asked for, and nothing after it; what takes long stops after the session at hand."""
        self._courses.leave()
        self._jobs.put(None)
        if self._thread is not None:
            # a write that has begun comes to its end before the program does
            self._thread.join()

    def _put(self, job: Callable[[], None]) -> None:
        self._jobs.put(job)
        if self._thread is None:
            self._thread = Thread(target=self._run, name="leafmark-act", daemon=True)
            self._thread.start()

    def _run(self) -> None:
        from app.sessions.storage.append_ledger import tell_others

        tell_others(self._setup.cache_folder)
        while (job := self._jobs.get()) is not None:
            try:
                self._settle()
                job()
            except Exception as error:
                self._failed(error)
            finally:
                self._courses.end()

    def _do(self, what: str, rows: Sequence[Row], action: Action) -> None:
        outcomes: list[Outcome] = []
        undoable: list[_Undoable] = []
        notes: list[str] = []
        course = self._courses.begin(what)
        for row in rows:
            if not self._courses.goes_on(course, len(outcomes), len(rows)):
                break
            with self._intent(undoable[0].number if undoable else 0) as intent:
                outcomes.append(self._try(row, action))
                notes += self._note_done(intent, outcomes[-1], undoable)
        self._remember(undoable)
        of = len(rows) if len(outcomes) < len(rows) else 0
        self._post(ActionsDone(what, outcomes, list(dict.fromkeys(notes)), of=of))

    def _settle(self) -> None:
        """Put into the journal what a leafmark did that was killed before it could."""
        from app.actions.earlier import settle_interrupted

        setup = self._setup
        try:
            journal = self._journal
        except OSError:
            return  # the state folder cannot be told, which is said when something is recorded
        settle_interrupted(journal, setup.agent_env, setup.stores, setup.state_folder)

    def _note_done(self, intent: Intent, outcome: Outcome, undoable: list[_Undoable]) -> list[str]:
        """Put a change into the journal and among those of its action; what there is to say of it."""
        change = outcome.change
        if change is None:
            return []
        notes = [change.note]
        if change.kind in _TAKEN_BACK:
            number, note = self._record(intent, change)
            notes.append(note)
            if not change.is_nothing:
                undoable.append(_Undoable(change, number, outcome.row))
        return [note for note in notes if note]

    def _remember(self, undoable: list[_Undoable]) -> None:
        if undoable:
            from app.actions.taking_back import Done

            self._done.append(Done(undoable))

    def _undo(self) -> None:
        from app.actions.earlier import next_earlier
        from app.actions.taking_back import GOES_ON, PASSED, Done, take_back

        self._forget_undone()
        course = self._courses.begin("undo")
        at, tried = take_back(
            self._done, self._take_back, lambda done, total: self._courses.goes_on(course, done, total)
        )
        untried = list(self._done[at].steps[: len(self._done[at].steps) - len(tried)]) if at >= 0 else []
        if untried:
            self._undo_stopped(at, untried, tried)
            return
        is_blocked = at >= 0 and self._done[at].is_told and all(each.waits for each in tried)
        earlier = None
        if at <= 0 or is_blocked:
            own = {step.number for done in self._done for step in done.steps}
            earlier = next_earlier(self._journal, own)
        if earlier is not None and (at < 0 or is_blocked):
            self._post(EarlierFound(earlier))
            return
        outcomes = [Outcome(each.step.row, each.change, each.error, each.step.change) for each in tried]
        notes = [each.change.note for each in tried if each.change is not None and each.change.note]
        left = [each.step for each in reversed(tried) if each.waits]
        for each in tried:
            if each.step.number and each.change is None:
                self._note(each.step.number, is_told=each.waits)
        if at >= 0:
            # what stands in the way may be gone another time
            self._done[at : at + 1] = [Done(left, is_told=True)] if left else []
        if at > 0 or earlier is not None:
            notes += [GOES_ON] if left else [PASSED] if any(each.error for each in tried) else []
        self._post(ActionsDone("undo", outcomes, list(dict.fromkeys(notes))))

    def _undo_stopped(self, at: int, untried: list[_Undoable], tried: Sequence[Tried[_Undoable]]) -> None:
        """Keep what is left of an action that is being taken back, for another undo."""
        from app.actions.taking_back import Done

        waiting = [each.step for each in reversed(tried) if each.waits]
        for each in tried:
            if each.step.number and each.error is not None and not each.waits:
                self._note(each.step.number, is_told=False)
        self._done[at : at + 1] = [Done([*untried, *waiting])]
        outcomes = [Outcome(each.step.row, each.change, each.error, each.step.change) for each in tried]
        notes = [each.change.note for each in tried if each.change is not None and each.change.note]
        of = len(untried) + len(tried)
        self._post(ActionsDone("undo", outcomes, list(dict.fromkeys(notes)), of=of))

    def _forget_undone(self) -> None:
        """What another program has taken back is not tried again."""
        from app.actions.taking_back import Done

        undone = self._journal.undone() if self._done else set()
        kept = [
            Done([step for step in done.steps if step.number not in undone], done.is_told)
            for done in self._done
        ]
        self._done[:] = [done for done in kept if done.steps]

    def _undo_earlier(self, action: int) -> None:
        from app.actions.earlier import take_back_earlier

        setup = self._setup
        course = self._courses.begin("undo")
        tried, notes = take_back_earlier(
            self._journal,
            action,
            setup.agent_env,
            setup.stores,
            setup.state_folder,
            lambda done, total: self._courses.goes_on(course, done, total),
        )
        notes += [each.change.note for each in tried if each.change is not None and each.change.note]
        outcomes = [Outcome(None, each.change, each.error, each.step.change) for each in tried]
        of = course.total if course.is_stopped and len(tried) < course.total else 0
        self._post(ActionsDone("undo", outcomes, list(dict.fromkeys(notes)), of=of))

    def _take_back(self, done: _Undoable) -> tuple[Change | None, Exception | None]:
        if not done.number:
            return self._undone(done)
        with self._intent(undoes=done.number) as intent:
            change, error = self._undone(done)
            if change is not None:
                self._record(intent, change)  # a failure was said when the change itself was recorded
        return change, error

    def _undone(self, done: _Undoable) -> tuple[Change | None, Exception | None]:
        setup = self._setup
        if done.row is None:
            from app.actions.earlier import undo_journalled

            return undo_journalled(done.change, setup.agent_env, setup.stores, setup.state_folder)
        from app.actions.undo import undo

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
            # a write to an open file that fails names no path
            where = error.filename or self._setup.state_folder
            return 0, f"the journal cannot be written: {where}: {error.strerror or error}"

    def _note(self, number: int, *, is_told: bool) -> None:
        """Have the command line know that a change was not undone, and whether another undo is to try it."""
        journal = self._journal
        try:
            if is_told:
                journal.told(number)
            else:
                journal.taken_back(number)
        except OSError:
            # it was said when it was recorded
            return


def _attempt(row: Row | None, work: Callable[[], Change]) -> Outcome:
    from app.sessions.errors import SessionError

    try:
        return Outcome(row, work())
    except (SessionError, OSError) as error:
        return Outcome(row, None, error)
    except Exception as error:
        # a fault of ours: it is said like any other, and the rest is done all the same
        return Outcome(row, None, RuntimeError(f"{type(error).__name__}: {error}"))
