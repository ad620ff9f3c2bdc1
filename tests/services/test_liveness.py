"""How a session would be resumed, asked off the screen's thread."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from app.services import liveness
from app.services.liveness import Liveness, Planner, Starter
from app.setup import Setup
from tests.factory import make_row
from tests.services.test_indexing import Screen

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def failed(error: BaseException) -> None:
    pytest.fail(str(error))


def answers(number: int) -> Callable[[list[Any]], bool]:
    """Whether there are so many."""
    return lambda messages: len(messages) == number


def test_of_a_session_of_no_known_store_it_is_said_why_it_cannot_be_resumed(tmp_path: Path) -> None:
    screen, row = Screen(), make_row("one", store="/gone")
    setup = Setup(env={}, home=str(tmp_path), here=(), stores=[], cache_folder=str(tmp_path))
    planner, starter = Planner(setup, screen.post, failed), Starter(setup, screen.post, failed)
    asks: list[Any] = [
        lambda: planner.ask(row),
        lambda: starter.begin(row),
        lambda: starter.resume(row, row.path, row.id, row.cwd),
    ]
    for number, ask in enumerate(asks, 1):
        ask()
        answer = screen.wait(answers(number))[-1]
        assert answer.plan.problem == "its folder, /gone, is no store of sessions any more"
    planner.stop()
    starter.stop()


def test_the_same_sessions_are_not_gone_through_at_each_look(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The screen hands over a new list each time, of the same rows mostly."""
    asked: list[Any] = []
    monkeypatch.setattr(liveness, "live_sessions", lambda rows, *_: (asked.append(rows), {})[1])
    setup = Setup(env={}, home=str(tmp_path), here=(), stores=[], cache_folder=str(tmp_path))
    screen = Screen()
    looker = Liveness(setup, screen.post, failed)
    rows = [make_row("one"), make_row("two")]
    for number, now in enumerate([rows[:], rows[:], [*rows, make_row("three")], rows[:1]], 1):
        looker.look(now)
        screen.wait(answers(number))
        assert list(asked[-1]) == now
    looker.stop()
    assert asked[0] is asked[1]
    assert len({id(each) for each in asked}) == 3
