"""Starting an agent on request: leafmark ends, and its process becomes the agent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.controllers.dialog_host import started

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from app.actions.resume import Plan
    from app.controllers.dialog_host import DialogHost
    from app.controllers.status_messages import StatusMessages
    from app.index.row import Row
    from app.services.resume_planner import ResumePlanner


@dataclass(eq=False, repr=False)
class Starter:
    """Ends leafmark for the agent of a requested session, or says why that cannot be started.

    :param planner: its own, since a plan that only the bar shows must not replace a requested one.
    :param opened: notes that the user opens a session.
    """

    _host: DialogHost
    _messages: StatusMessages
    _planner: ResumePlanner
    _opened: Callable[[Row], Awaitable[None]] | None = None

    @started
    async def start_new(self, row: Row) -> None:
        """Start a new session of the agent of `row`, in its folder."""
        self._exit(await self._planner.plan_start(row))

    @started
    async def resume(
        self,
        row: Row,
        path: str,
        session_id: str,
        cwd: str,
        text: str | None = None,
        *,
        sends: bool = False,
        agent: str = "",
    ) -> None:
        """Resume a session, as `ResumePlanner.plan_resume` says."""
        if self._opened is not None:
            await self._opened(row)
        self._exit(
            await self._planner.plan_resume(row, path, session_id, cwd, text, sends=sends, agent=agent)
        )

    def _exit(self, plan: Plan) -> None:
        if plan.problem:
            self._messages.complain(plan.problem[:1].upper() + plan.problem[1:])
        else:
            self._host.exit(plan)
