"""Which action is taken back next: the last one, and all that was done in it together.

One that something stands in the way of, such as a file that has come to a session's place, is kept. Why is
said once; from then on it is tried again each time, and while that is so the one before it is taken back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

from app.sessions.errors import Changed, LiveSession, NoTrash, SessionError, Unreadable, WriteFailed

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from app.sessions.manager.change import Change

Step = TypeVar("Step")

GOES_ON = "another undo tries that again, and while it stays so takes back what was done before it"
"""What is said beside what stands in the way, where there is something before it."""

PASSED = "another undo goes on to what was done before that"
"""What is said beside what never can be taken back."""

_WAITS = (LiveSession, WriteFailed, NoTrash, Changed)


class Done(NamedTuple, Generic[Step]):
    """What was done together.

    :param steps: in the order they were done in.
    :param is_told: it was said what stands in the way of taking it back.
    """

    steps: Sequence[Step]
    is_told: bool = False


class Tried(NamedTuple, Generic[Step]):
    """One step that was to be taken back: what that did, or what went wrong."""

    step: Step
    change: Change | None
    error: Exception | None

    @property
    def waits(self) -> bool:
        """Whether it may go better later; else it is taken back, or never can be."""
        return self.error is not None and waits(self.error)


def waits(error: Exception) -> bool:
    """Whether what stands in the way may be gone a moment later."""
    if isinstance(error, SessionError):
        return isinstance(error, _WAITS) or type(error) is Unreadable
    return True


def take_back(
    actions: Sequence[Done[Step]],
    undo: Callable[[Step], tuple[Change | None, Exception | None]],
    goes_on: Callable[[int, int], bool] = lambda done, total: True,
) -> tuple[int, list[Tried[Step]]]:
    """Take back the last of `actions` that can be.

    :param actions: oldest first.
    :param undo: takes one step back; it raises nothing.
    :param goes_on: see `take_back_all`.
    :return: which action, and what became of its steps, the last first. Where nothing could be done and all
        of that was said before: the last action. (-1, []) without actions.
    """
    blocked: tuple[int, list[Tried[Step]]] = (-1, [])
    for at in range(len(actions) - 1, -1, -1):
        tried = take_back_all(actions[at].steps, undo, goes_on)
        if len(tried) < len(actions[at].steps):
            return at, tried
        if not (actions[at].is_told and all(each.waits for each in tried)):
            return at, tried
        if blocked[0] < 0:
            blocked = at, tried
    return blocked


def take_back_all(
    steps: Sequence[Step],
    undo: Callable[[Step], tuple[Change | None, Exception | None]],
    goes_on: Callable[[int, int], bool] = lambda done, total: True,
) -> list[Tried[Step]]:
    """Take back what was done together, the last first; one that fails does not stop the others.

    :param goes_on: is asked before each step, with how many of how many were tried; where it says no, the
        others are left as they are.
    """
    tried: list[Tried[Step]] = []
    for step in reversed(steps):
        if not goes_on(len(tried), len(steps)):
            break
        tried.append(Tried(step, *undo(step)))
    return tried
