"""Who is live, and how a session would be resumed: questions to the system, asked off the screen's thread."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING

from app.actions.resume import Plan, in_use, plan
from app.index.live_sessions import Asked, live_sessions, verdict_to_resume
from app.messages.acting import PlanMade, PlanReady
from app.messages.sessions import StatesFound
from app.services.latest import LatestOnlyWorker
from app.stores.live import RealPaths, look

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from textual.message import Message

    from app.index.row import Row
    from app.setup import Setup
    from app.stores.base import Store

    Post = Callable[[Message], object]

KNOWN_FOR = 60.0
"""Seconds for which the real paths of projects are taken as known: of a thousand, links change seldom."""


class Liveness:
    """Looks at the running agents; answers with ``StatesFound``."""

    def __init__(self, setup: Setup, post: Post, failed: Callable[[BaseException], None]) -> None:
        self._setup = setup
        self._post = post
        self._latest = LatestOnlyWorker("live", failed)
        self._real = RealPaths()
        self._real_since = 0.0
        self._sessions = Asked([])

    def look(self, rows: Sequence[Row]) -> None:
        """Look once, for these sessions."""
        self._latest.ask(lambda overtaken: self._look(rows))

    def stop(self) -> None:
        """End the thread."""
        self._latest.stop()

    def _look(self, rows: Sequence[Row]) -> None:
        if monotonic() - self._real_since > KNOWN_FOR:
            self._real, self._real_since = RealPaths(), monotonic()
        # The same sessions mostly, each of which is told by its place in memory: a row never changes.
        if self._sessions.rows != rows:
            self._sessions = Asked([*rows])
        verdicts = live_sessions(self._sessions, look(self._setup.stores), self._setup.now_ms(), self._real)
        states = {path: said.state for path, said in verdicts.items()}
        self._post(StatesFound(states, {path: said.reason for path, said in verdicts.items()}))


class Planner:
    """Works out how a session would be resumed; answers with ``PlanMade``."""

    def __init__(self, setup: Setup, post: Post, failed: Callable[[BaseException], None]) -> None:
        self._setup = setup
        self._post = post
        self._latest = LatestOnlyWorker("plan", failed)
        self.generation = 0

    def ask(self, row: Row) -> None:
        """Make the plan for this session."""
        self.generation += 1
        generation = self.generation
        self._latest.ask(lambda overtaken: self._plan(generation, row))

    def stop(self) -> None:
        """End the thread."""
        self._latest.stop()

    def _plan(self, generation: int, row: Row) -> None:
        store = _store(self._setup, row)
        if store is None:
            self._post(PlanMade(generation, row.path, _of_no_store(row)))
            return
        made = plan(row.agent, row.path, row.id, row.cwd, store, self._setup.env, row.dialect)
        made = _of_demo(self._setup, made)
        # asked again for this one session: the last look at all of them may be two seconds old
        found = verdict_to_resume(
            row.agent, row.path, row.id, row.cwd, look(self._setup.stores), self._setup.now_ms(), row.grew_ms
        )
        if found is not None:
            made.asks += (in_use(row.agent, found),)
        self._post(PlanMade(generation, row.path, made))


class Starter:
    """Works out how what was just asked for is begun; answers with ``PlanReady``."""

    def __init__(self, setup: Setup, post: Post, failed: Callable[[BaseException], None]) -> None:
        self._setup = setup
        self._post = post
        self._latest = LatestOnlyWorker("start", failed)

    def begin(self, row: Row) -> None:
        """A new session of the agent of `row`, in its folder."""
        self._latest.ask(lambda overtaken: self._begin(row))

    def resume(
        self, row: Row, path: str, session_id: str, cwd: str, text: str | None = None, *, sends: bool = False
    ) -> None:
        """The session at `path`, which is `row` or was made of it, in the folder `cwd`.

        :param text: what the user has edited: it is left for the agent's editor where that takes drafts.
        :param sends: it is sent as the first prompt.
        """
        self._latest.ask(lambda overtaken: self._resume(row, path, session_id, cwd, text, sends=sends))

    def stop(self) -> None:
        """End the thread."""
        self._latest.stop()

    def _begin(self, row: Row) -> None:
        from app.actions.start import plan_new

        store = _store(self._setup, row)
        if store is None:
            self._post(PlanReady(_of_no_store(row)))
            return
        made = plan_new(row.agent, row.cwd, store, self._setup.env)
        self._post(PlanReady(_of_demo(self._setup, made)))

    def _resume(
        self, row: Row, path: str, session_id: str, cwd: str, text: str | None, *, sends: bool
    ) -> None:
        from app.actions.go_on import sending, write_draft
        from app.sessions.errors import SessionError

        store = _store(self._setup, row)
        if store is None:
            self._post(PlanReady(_of_no_store(row)))
            return
        made = plan(row.agent, path, session_id, cwd, store, self._setup.env)
        note = ""
        if text and sends:
            made = sending(made, row.agent, text)
        elif text:
            try:
                write_draft(row.agent, path, text)
            except SessionError as error:
                note = f"{error}; the text is on the clipboard"
        self._post(PlanReady(_of_demo(self._setup, made), note))


def _store(setup: Setup, row: Row) -> Store | None:
    return next((store for store in setup.stores if store.root == row.store), None)


def _of_no_store(row: Row) -> Plan:
    """Nobody can say how to begin the agent for this session."""
    return Plan([], row.cwd, {}, None, f"its folder, {row.store}, is no store of sessions any more", "")


def _of_demo(setup: Setup, made: Plan) -> Plan:
    if setup.demo:
        made.problem = "an example session: there is nothing to resume"
    return made
