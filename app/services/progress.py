"""How far something has come that is done to many sessions, and stopping it between two of them."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING

from app.messages.acting import ActionsWentOn
from app.view.progress import Course

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.message import Message

LEAVES_WITHIN = 0.5
"""Seconds for which what was asked for is still done when leafmark is left: a few sessions take less."""


class Courses:
    """What is being done, one after the other.

    left   (what, done, total) of what leafmark was left in the middle of
    """

    def __init__(self, post: Callable[[Message], object]) -> None:
        self._post = post
        self._now: Course | None = None
        self._ends_at: float | None = None
        self.left: list[tuple[str, int, int]] = []

    def begin(self, what: str) -> Course:
        """Something is begun."""
        self._now = Course(what)
        return self._now

    def end(self) -> None:
        """It is done, or stopped."""
        course, self._now = self._now, None
        if course is not None and course.total > 1:
            self._post(ActionsWentOn(None))

    def goes_on(self, course: Course, done: int, total: int) -> bool:
        """To be asked before each session: whether that one is to be done. One alone always is."""
        course.done, course.total = done, total
        if total < 2:
            return True
        if not course.is_stopped and self._ends_at is not None and monotonic() >= self._ends_at:
            course.is_stopped = True
            self.left.append((course.what, done, total))
        if course.is_stopped:
            return False
        if course.is_seen:
            course.is_seen = False
            self._post(ActionsWentOn(course))
        return True

    def stop(self) -> bool:
        """Have what is being done to many stop after the session at hand. False where there is nothing."""
        course = self._now
        if course is None or course.total < 2:
            return False
        course.is_stopped = True
        return True

    def leave(self) -> None:
        """leafmark is being left: what has not come to its end in a moment stops."""
        self._ends_at = monotonic() + LEAVES_WITHIN
