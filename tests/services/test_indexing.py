"""The index thread and its messages: before there is a screen, and in pieces that a screen can take."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Any

import pytest

from app.index.batch import Delta
from app.messages import CatalogLoaded, IndexFailed, SessionsChanged
from app.services.indexing import MOST_ROWS, Indexing
from app.setup import Setup
from tests.factory import make_row
from tests.index.helpers import pi_store, session, write
from tests.waiting import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from app.index.row import Row


class Screen:
    """Takes the messages."""

    def __init__(self) -> None:
        self.messages: list[Any] = []
        self._came = threading.Condition()

    def post(self, message: object) -> None:
        with self._came:
            self.messages.append(message)
            self._came.notify_all()

    def wait(self, condition: Callable[[list[Any]], bool]) -> list[Any]:
        with self._came:
            assert self._came.wait_for(lambda: condition(self.messages), PATIENCE), self.messages
            return list(self.messages)


class FakeIndex:
    """Has `stored` rows, then says what is in `deltas`, then waits for its end or fails."""

    stored: list[Row]
    deltas: list[Delta]
    failure: Exception | None
    said: threading.Event
    unread_counts = (0, 0)

    def __init__(self, *_: object, **__: object) -> None:
        pass

    def rows(self) -> list[Row]:
        return self.stored

    def watch(self, on_delta: Callable[[Delta], object], stop: threading.Event) -> None:
        for delta in self.deltas:
            on_delta(delta)
        if self.failure:
            self.said.set()
            raise self.failure
        self.said.set()
        stop.wait(PATIENCE)


@pytest.fixture
def setup(tmp_path: Path) -> Setup:
    store = pi_store(tmp_path / "store")
    cache = str(tmp_path / "cache")
    return Setup(env={}, home=str(tmp_path), here=("/work/app",), stores=[store], cache_folder=cache)


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> type[FakeIndex]:
    for name, value in {"stored": [], "deltas": [], "failure": None, "said": threading.Event()}.items():
        monkeypatch.setattr(FakeIndex, name, value, raising=False)
    monkeypatch.setattr("app.index.index.Index", FakeIndex)
    return FakeIndex


@pytest.fixture
def indexing(setup: Setup) -> Iterator[Indexing]:
    made = Indexing(setup)
    yield made
    made.stop()


def test_what_is_found_before_there_is_a_screen_is_in_the_list_it_gets(
    fake: type[FakeIndex], indexing: Indexing
) -> None:
    fake.deltas = [
        Delta([], [], 0, 3),
        Delta([make_row("a"), make_row("b")], [], 2, 3),
        Delta([make_row("c")], [make_row("a").path], 3, 3),
    ]
    indexing.start()
    assert fake.said.wait(PATIENCE)
    screen = Screen()
    indexing.start(screen.post)
    loaded, changed = screen.wait(lambda messages: len(messages) == 2)
    assert isinstance(loaded, CatalogLoaded)
    assert sorted(row.id for row in loaded.model.rows()) == ["b", "c"]
    assert loaded.cold
    assert isinstance(changed, SessionsChanged)
    assert (changed.changed, changed.removed, changed.done, changed.total) == ([], [], 3, 3)


def test_the_first_rows_are_waited_for_and_stay_in_the_list_for_the_screen(
    fake: type[FakeIndex], indexing: Indexing
) -> None:
    fake.deltas = [Delta([], [], 0, 3), Delta([make_row("a"), make_row("b")], [], 2, 3)]
    indexing.start()
    rows, done, total = indexing.first_rows(PATIENCE)
    assert (sorted(row.id for row in rows), done, total) == (["a", "b"], 2, 3)
    screen = Screen()
    indexing.start(screen.post)
    loaded, _ = screen.wait(lambda messages: len(messages) == 2)
    assert sorted(row.id for row in loaded.model.rows()) == ["a", "b"]


@pytest.mark.parametrize("ends", ["without a session", "with a failure"])
def test_rows_that_never_come_are_not_waited_for(
    ends: str, fake: type[FakeIndex], indexing: Indexing
) -> None:
    # That many files are to be read is no row yet.
    fake.deltas = [Delta([], [], 0, 3)]
    if ends == "with a failure":
        fake.failure = RuntimeError("broken")
    else:
        fake.deltas.append(Delta([], [], 3, 3))
    indexing.start()
    started = time.monotonic()
    assert indexing.first_rows(PATIENCE)[0] == []
    assert time.monotonic() - started < PATIENCE


def test_with_a_screen_the_stored_rows_come_first(fake: type[FakeIndex], indexing: Indexing) -> None:
    fake.stored = [make_row("a")]
    fake.deltas = [Delta([make_row("b")], [], 1, 1)]
    screen = Screen()
    indexing.start(screen.post)
    loaded, changed = screen.wait(lambda messages: len(messages) == 2)
    assert [row.id for row in loaded.model.rows()] == ["a"]
    assert not loaded.cold
    assert [row.id for row in changed.changed] == ["b"]


def test_many_rows_come_in_messages_that_a_screen_takes_at_once(
    fake: type[FakeIndex], indexing: Indexing
) -> None:
    rows = [make_row(f"r{at}") for at in range(2 * MOST_ROWS + 7)]
    fake.deltas = [Delta(rows, ["/gone"], len(rows) + 3, len(rows) + 3)]
    screen = Screen()
    indexing.start(screen.post)
    _, *changes = screen.wait(lambda messages: len(messages) == 4)
    assert [len(change.changed) for change in changes] == [MOST_ROWS, MOST_ROWS, 7]
    assert [row for change in changes for row in change.changed] == rows
    assert [list(change.removed) for change in changes] == [["/gone"], [], []]
    # Only the last one says that it was the last.
    assert [change.done == change.total for change in changes] == [False, False, True]
    assert [change.done for change in changes] == sorted(change.done for change in changes)


@pytest.mark.parametrize("early", [False, True])
def test_a_failure_is_told_once(fake: type[FakeIndex], indexing: Indexing, early: bool) -> None:
    fake.failure = ValueError("no luck")
    screen = Screen()
    if early:
        indexing.start()
        assert fake.said.wait(PATIENCE)
    indexing.start(screen.post)
    messages = screen.wait(lambda messages: any(isinstance(one, IndexFailed) for one in messages))
    assert [type(one) for one in messages] == [CatalogLoaded, IndexFailed]
    assert messages[1].reason == "ValueError: no luck"


def test_real_files_are_read_before_there_is_a_screen(setup: Setup, indexing: Indexing) -> None:
    write(_root(setup) / "a.jsonl", session("first"))
    indexing.start()
    screen = Screen()
    write(_root(setup) / "b.jsonl", session("second", "s2"))
    indexing.start(screen.post)

    def titles(messages: list[Any]) -> set[str]:
        rows: dict[str, Row] = {}
        for message in messages:
            if isinstance(message, CatalogLoaded):
                rows = {row.path: row for row in message.model.rows()}
            else:
                rows |= {row.path: row for row in message.changed}
        return {row.title for row in rows.values()}

    screen.wait(lambda messages: titles(messages) == {"first", "second"})


def _root(setup: Setup) -> Path:
    from pathlib import Path

    return Path(setup.stores[0].root)
