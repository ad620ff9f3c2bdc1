"""The choice of the action that is undone next."""

from __future__ import annotations

from app.actions import UndoableAction, undo_last
from app.actions.undo import CannotUndo
from app.sessions import AlreadyThere, Change, LiveSession, NotThere, Unreadable


class World:
    """Undoes every step without an error in `errors`, and records the requests."""

    def __init__(self, **errors: Exception) -> None:
        self.errors = errors
        self.requests: list[str] = []

    def undo(self, step: str) -> tuple[Change | None, Exception | None]:
        self.requests.append(step)
        error = self.errors.get(step)
        return (None, error) if error else (Change("name", step, "e"), None)


def test_all_steps_of_the_last_action_are_undone_the_last_step_first() -> None:
    world = World()
    index, attempts = undo_last([UndoableAction(["a"]), UndoableAction(["b", "c"])], world.undo)
    assert (index, world.requests) == (1, ["c", "b"])
    assert not any(attempt.can_retry for attempt in attempts)


def test_without_actions_nothing_is_done() -> None:
    assert undo_last([], World().undo) == (-1, [])


def test_a_blocked_action_is_reported_once_and_then_skipped_while_it_is_blocked() -> None:
    world = World(b=AlreadyThere("/b", "is there already"))
    index, attempts = undo_last([UndoableAction(["a"]), UndoableAction(["b"])], world.undo)
    assert (index, attempts[0].can_retry, world.requests) == (1, True, ["b"])
    index, attempts = undo_last([UndoableAction(["a"]), UndoableAction(["b"], is_reported=True)], world.undo)
    assert (index, attempts[0].change is not None, world.requests) == (0, True, ["b", "b", "a"])
    world.errors.clear()
    index, attempts = undo_last([UndoableAction(["a"]), UndoableAction(["b"], is_reported=True)], world.undo)
    assert (index, world.requests[3:]) == (1, ["b"])


def test_if_all_actions_are_blocked_the_last_one_is_reported_again() -> None:
    world = World(a=LiveSession("/a", "in use", 7), b=AlreadyThere("/b", "is there already"))
    index, attempts = undo_last(
        [UndoableAction(["a"], is_reported=True), UndoableAction(["b"], is_reported=True)], world.undo
    )
    assert (index, str(attempts[0].error)) == (1, "/b: is there already")


def test_the_steps_that_are_not_blocked_are_undone() -> None:
    world = World(b=AlreadyThere("/b", "is there already"))
    index, attempts = undo_last(
        [UndoableAction(["a"]), UndoableAction(["b", "c"], is_reported=True)], world.undo
    )
    assert (index, [(attempt.step, attempt.can_retry) for attempt in attempts]) == (
        1,
        [("c", False), ("b", True)],
    )


def test_only_an_error_that_may_pass_can_be_retried() -> None:
    for error, waits in (
        (CannotUndo("/s", 0, "gone on"), False),
        (NotThere("/s", 0, "no such file"), False),
        (Unreadable("/s", 0, "may not be read"), True),
        (RuntimeError("a fault"), True),
    ):
        _, attempts = undo_last([UndoableAction(["a"], is_reported=False)], World(a=error).undo)
        assert attempts[0].can_retry is waits, error
