"""The list of a screen over another one is kept by the one index that runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from app.messages.sessions import CatalogLoaded, IndexFailed, SessionsChanged
from app.services.index_share import IndexShare
from app.setup import Setup
from app.view.arrangement import Arrangement
from tests.factory import make_row
from tests.services.test_indexing import Screen

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class Below:
    """The lower screen's index."""

    index = None

    def rescan(self) -> bool:
        return True


@pytest.fixture
def following(tmp_path: Path) -> Iterator[IndexShare]:
    setup = Setup(env={}, home=str(tmp_path), here=(), stores=[], cache_folder=str(tmp_path))
    below: Any = Below()
    made = IndexShare(lambda: below, setup, Arrangement(), lambda error: pytest.fail(str(error)))
    yield made
    made.stop()


def kinds(messages: list[Any]) -> list[type]:
    return [type(message) for message in messages]


def test_it_begins_with_the_sessions_that_are_known_and_goes_on_with_what_changes(
    following: IndexShare,
) -> None:
    screen = Screen()
    following.load([make_row("one"), make_row("two")], [("pi", "/s", "there")], scanned=True)
    following.tell(SessionsChanged([make_row("three")], [], 3, 3))
    following.start(screen.post)
    loaded, scanned, changed = screen.wait(lambda messages: len(messages) == 3)
    assert isinstance(loaded, CatalogLoaded)
    assert (loaded.model.known, loaded.places, loaded.cold) == (2, [("pi", "/s", "there")], False)
    assert (scanned.done, scanned.total) == (0, 0)
    assert [row.path for row in changed.changed] == [make_row("three").path]
    following.tell_failed("gone")
    following.tell(SessionsChanged([], ["/x"], 3, 3))
    assert kinds(screen.messages[3:]) == [IndexFailed, SessionsChanged]


def test_that_every_store_was_looked_at_again_is_passed_on(following: IndexShare) -> None:
    screen = Screen()
    following.load([], [], scanned=True)
    following.start(screen.post)
    following.tell(SessionsChanged([], [], 0, 0, looked=True))
    messages = screen.wait(lambda messages: len(messages) == 3)
    assert [message.looked for message in messages[1:]] == [False, True]


def test_how_many_files_cannot_be_read_is_passed_on(following: IndexShare) -> None:
    screen = Screen()
    following.load([], [], scanned=True, unread=(2, 0))
    following.start(screen.post)
    following.tell(SessionsChanged([], [], 0, 0, unread=(3, 1)))
    messages = screen.wait(lambda messages: len(messages) == 3)
    assert [message.unread for message in messages[1:]] == [(2, 0), (3, 1)]


def test_a_list_that_was_overtaken_is_not_shown(following: IndexShare) -> None:
    screen = Screen()
    following.load([make_row("one")], [], scanned=False)
    following.load([make_row("one"), make_row("two")], [], scanned=False)
    following.start(screen.post)
    screen.wait(lambda messages: bool(messages) and messages[-1].model.known == 2)
    assert kinds(screen.messages) == [CatalogLoaded]


def test_a_screen_that_is_gone_is_told_nothing(following: IndexShare) -> None:
    screen = Screen()
    following.load([], [], scanned=False)
    following.start(screen.post)
    screen.wait(lambda messages: len(messages) == 1)
    following.stop()
    following.tell(SessionsChanged([make_row("one")], [], 1, 1))
    assert len(screen.messages) == 1
