"""How far something is that is done to many sessions: the header says it, and Esc stops it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import on
from textual.actions import SkipAction
from textual.binding import Binding

from app.messages import ActionsProgressed
from app.screens.asking_screen import CANCEL
from app.screens.trashing_screen import TrashingScreen
from app.view.notifications import progress_note

if TYPE_CHECKING:
    from app.view.notifications import ActionProgress

STOP = Binding("escape", "stop_acting", "Stop what is done to many sessions", show=False, priority=True)
"""Before whatever else the key does in a pane."""


class UnderWayScreen(TrashingScreen):
    """Knows what is being done."""

    _course: ActionProgress | None = None

    @property
    def acting_note(self) -> str:
        """How far that is what is being done to many sessions, "" where nothing is."""
        course = self._course
        return "" if course is None else progress_note(course.what, course.done, course.total)

    def with_stop(self, pairs: list[tuple[str, str]]) -> list[tuple[str, str]]:
        """The keys of the footer with the one that stops it, while there is something to be stopped."""
        return pairs if self._course is None else [(CANCEL, "stop"), *pairs]

    @on(ActionsProgressed)
    def _actions_went_on(self, event: ActionsProgressed) -> None:
        self._course = event.course
        if event.course is not None:
            event.course.is_seen = True
        self.refresh_bars()

    def action_stop_acting(self) -> None:
        """Stop what is being done to many sessions after the one at hand; else the key does what it does
        otherwise.
        """
        if self._course is None or not self.actions.stop_at_next():
            raise SkipAction
