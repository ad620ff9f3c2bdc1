"""Which action is taken back next."""

from __future__ import annotations

from app.actions.undo import CannotUndo, UndoableAction, undo_last
from app.sessions.errors import AlreadyThere, LiveSession, NotThere, Unreadable
from app.sessions.manager.change import Change


class World:
    """Undoes what is not in the way, and remembers what it was asked for."""

    def __init__(self, **errors: Exception) -> None:
        self.errors = errors
        self.asked: list[str] = []

    def undo(self, step: str) -> tuple[Change | None, Exception | None]:
        self.asked.append(step)
        error = self.errors.get(step)
        return (None, error) if error else (Change("name", step, "e"), None)


def test_the_last_action_is_taken_back_whole_its_last_step_first() -> None:
    world = World()
    at, tried = undo_last([UndoableAction(["a"]), UndoableAction(["b", "c"])], world.undo)
    assert (at, world.asked) == (1, ["c", "b"])
    assert not any(each.can_retry for each in tried)


def test_without_actions_nothing_is_done() -> None:
    assert undo_last([], World().undo) == (-1, [])


def test_what_stands_in_the_way_is_said_once_and_then_passed_over_while_it_is_there() -> None:
    world = World(b=AlreadyThere("/b", "is there already"))
    at, tried = undo_last([UndoableAction(["a"]), UndoableAction(["b"])], world.undo)
    assert (at, tried[0].can_retry, world.asked) == (1, True, ["b"])
    at, tried = undo_last([UndoableAction(["a"]), UndoableAction(["b"], is_reported=True)], world.undo)
    assert (at, tried[0].change is not None, world.asked) == (0, True, ["b", "b", "a"])
    world.errors.clear()
    at, tried = undo_last([UndoableAction(["a"]), UndoableAction(["b"], is_reported=True)], world.undo)
    assert (at, world.asked[3:]) == (1, ["b"])


def test_where_all_is_blocked_the_last_is_said_again() -> None:
    world = World(a=LiveSession("/a", "in use", 7), b=AlreadyThere("/b", "is there already"))
    at, tried = undo_last(
        [UndoableAction(["a"], is_reported=True), UndoableAction(["b"], is_reported=True)], world.undo
    )
    assert (at, str(tried[0].error)) == (1, "/b: is there already")


def test_a_part_that_can_be_taken_back_is() -> None:
    world = World(b=AlreadyThere("/b", "is there already"))
    at, tried = undo_last([UndoableAction(["a"]), UndoableAction(["b", "c"], is_reported=True)], world.undo)
    assert (at, [(each.step, each.can_retry) for each in tried]) == (1, [("c", False), ("b", True)])


def test_what_never_can_be_taken_back_waits_for_nothing() -> None:
    for error, waits in (
        (CannotUndo("/s", 0, "gone on"), False),
        (NotThere("/s", 0, "no such file"), False),
        (Unreadable("/s", 0, "may not be read"), True),
        (RuntimeError("a fault"), True),
    ):
        _, tried = undo_last([UndoableAction(["a"], is_reported=False)], World(a=error).undo)
        assert tried[0].can_retry is waits, error
