"""Works out, in threads, how a session is resumed and how a new one is started."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.actions.resume import EXAMPLE_PROBLEM, EXAMPLE_PROJECT, Plan, plan, plan_new, plan_now
from app.paths import home_folder
from app.services.background import BackgroundService, answered
from app.sessions.errors import SessionError
from app.stores import agent_named
from app.stores.live import look

if TYPE_CHECKING:
    from app.index.row import Row
    from app.services.background import Post
    from app.setup import Setup
    from app.stores.base import Store
    from app.stores.live import Verdict


class ResumePlanner(BackgroundService):
    """Makes plans; each method is awaited."""

    def __init__(self, setup: Setup, post: Post) -> None:
        super().__init__(post)
        self._setup = setup

    @answered()
    def plan_start(self, row: Row) -> Plan:
        """How a session of the agent of `row` would be started in its folder."""
        store = _store_of(self._setup, row)
        if store is None:
            return _plan_without_store(row)
        result = plan_new(row.agent, row.cwd, store, self._setup.env)
        if self._setup.demo:
            result.problem = EXAMPLE_PROJECT
        return result

    @answered()
    def make_plan(self, row: Row) -> tuple[Plan, Verdict | None]:
        """How the session of `row` would be resumed, and what says that an agent may have it open."""
        setup, store = self._setup, _store_of(self._setup, row)
        if store is None:
            return _plan_without_store(row), None
        # The last look at all sessions may be two seconds old, so this one is looked at again.
        processes, now_ms = look(setup.stores), setup.now_ms()
        result, verdict = plan_now(
            *(row.agent, row.path, row.id, row.cwd, store, setup.env),
            *(processes, now_ms, row.grew_ms),
        )
        return _without_demo(setup, result), verdict

    @answered()
    def plan_resume(
        self,
        row: Row,
        path: str,
        session_id: str,
        cwd: str,
        text: str | None = None,
        *,
        sends: bool = False,
        agent: str = "",
    ) -> Plan:
        """How the session at `path` is resumed in the folder `cwd`: `row` itself, or a session made from it.

        :param agent: the agent that it was handed over to; "" for that of `row`.
        :param text: an edited prompt; it is left for the agent's editor if the agent accepts drafts.
        :param sends: send it as the first prompt.
        """
        # Imported here: it loads what writes sessions, for which the first key would wait.
        from app.actions.branch_options import with_first_prompt, write_draft

        setup = self._setup
        agent = agent or row.agent
        store = _store_of(setup, row)
        if agent != row.agent:
            store = agent_named(agent).own_store(setup.env, home_folder(setup.env), cwd)
        if store is None:
            return _plan_without_store(row)
        result = _without_demo(setup, plan(agent, path, session_id, cwd, store, setup.env))
        if text and sends:
            result = with_first_prompt(result, agent, text)
        elif text:
            try:
                write_draft(agent, path, text)
            except SessionError as error:
                result.problem = result.problem or f"{error.reason}; the text is on the clipboard"
        return result


def _store_of(setup: Setup, row: Row) -> Store | None:
    return next((store for store in setup.stores if store.root == row.store), None)


def _plan_without_store(row: Row) -> Plan:
    return Plan([], row.cwd, {}, None, f"its folder, {row.store}, is no store of sessions any more")


def _without_demo(setup: Setup, result: Plan) -> Plan:
    """Refuse to resume an example session."""
    if setup.demo:
        result.problem = EXAMPLE_PROBLEM
    return result
