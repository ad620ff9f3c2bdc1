"""The steps of an action that is undone: which action comes next, and what became of each step.

If an action cannot be undone now, for example because another file has the path of its session, the action is
kept, and the reason is reported once. From then on each undo tries that action again; if it still fails, the
action before it is undone.

The browser loads this module with its screen, so it imports nothing that writes sessions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, NamedTuple, TypeVar

from app.sessions.errors import Changed, LiveSession, NoTrash, SessionError, Unreadable, WriteFailed
from app.sessions.manager.change import Change

Step = TypeVar("Step")

RETRY_NOTE = "the next undo tries that again; while it cannot, it undoes the change before"
"""Follows the reason if an action cannot be undone now and there is an earlier action."""

SKIP_NOTE = "another undo goes on to what was done before that"
"""Follows the reason if an action can never be undone."""

_RETRIABLE = (LiveSession, WriteFailed, NoTrash, Changed)


class UndoableAction(NamedTuple, Generic[Step]):
    """An action of the user.

    :param steps: its changes, in order.
    :param is_reported: the user was told why it cannot be undone now.
    """

    steps: Sequence[Step]
    is_reported: bool = False


class UndoAttempt(NamedTuple, Generic[Step]):
    """The attempt to undo or redo one step: the change that it made, or the error."""

    step: Step
    change: Change | None
    error: Exception | None

    @property
    def can_retry(self) -> bool:
        """Whether it failed, and a later attempt may succeed: the reason of the failure may be gone then."""
        if isinstance(self.error, SessionError):
            return isinstance(self.error, _RETRIABLE) or type(self.error) is Unreadable
        return self.error is not None

    @property
    def reason(self) -> str:
        """Why the step was not undone, without the path of the session; "" if it was."""
        return "" if self.error is None else getattr(self.error, "reason", None) or str(self.error)


def undo_last(
    actions: Sequence[UndoableAction[Step]],
    undo: Callable[[Step], tuple[Change | None, Exception | None]],
    keep_going: Callable[[int, int], bool] = lambda done, total: True,
) -> tuple[int, list[UndoAttempt[Step]]]:
    """Undo the last of `actions` that can be undone.

    :param actions: oldest first.
    :param undo: undoes one step and returns the change or the error; it raises nothing.
    :param keep_going: see `attempt_all`.
    :return: the index of the action, and the attempts on its steps, the last step first. If nothing could be
        undone and every reason was reported before: the last action. (-1, []) without actions.
    """
    blocked: tuple[int, list[UndoAttempt[Step]]] = (-1, [])
    for index in range(len(actions) - 1, -1, -1):
        action = actions[index]
        tried = attempt_all(action.steps[::-1], undo, keep_going)
        if len(tried) < len(action.steps):
            return index, tried
        if not (action.is_reported and all(attempt.can_retry for attempt in tried)):
            return index, tried
        if blocked[0] < 0:
            blocked = index, tried
    return blocked


def attempt_all(
    steps: Sequence[Step],
    act: Callable[[Step], tuple[Change | None, Exception | None]],
    keep_going: Callable[[int, int], bool],
) -> list[UndoAttempt[Step]]:
    """Undo or redo the steps of one action, in this order. A step that fails does not stop the others.

    :param act: undoes or redoes one step; see `undo_last`.
    :param keep_going: called before each step with the number of attempts and the number of steps. If it
        returns False, the remaining steps stay as they are.
    """
    tried: list[UndoAttempt[Step]] = []
    for step in steps:
        if not keep_going(len(tried), len(steps)):
            break
        tried.append(UndoAttempt(step, *act(step)))
    return tried


class JournalAction(NamedTuple):
    """An action in the journal.

    :param action: its number there.
    :param at_ms: when it was done, milliseconds since the epoch.
    :param changes: its changes, in order; at least one.
    :param title: the raw title of the session if the only change moved it to the trash, else "".
    """

    action: int
    at_ms: int
    changes: Sequence[Change]
    title: str
