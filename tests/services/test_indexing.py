"""The index thread and its messages: before there is a screen, and in pieces that a screen can take."""

from __future__ import annotations

import threading
import time
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from app.index.scan.deltas import Delta
from app.messages.sessions import CatalogLoaded, FirstPageRead, IndexFailed, SessionsChanged, Unkept
from app.services.indexing import MOST_ROWS, Indexing
from app.setup import Setup
from app.stores.pins import set_own_pin
from app.view.arrangement import Arrangement
from app.view.session_list import SessionList
from tests.factory import make_row
from tests.index.helpers import pi_store, session, write
from tests.waiting import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
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
    catalog = SimpleNamespace(note=None)

    def __init__(self, *_: object, **__: object) -> None:
        pass

    def rows(self, *, seen: Callable[[list[Row]], object] | None = None) -> list[Row]:
        if seen is not None:
            seen(self.stored)
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
    env = {"LEAFMARK_STATE_DIR": str(tmp_path / "state")}
    return Setup(env=env, home=str(tmp_path), here=("/work/app",), stores=[store], cache_folder=cache)


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


def test_why_not_all_is_kept_is_said_once_and_when_all_is_again(
    fake: type[FakeIndex], indexing: Indexing, monkeypatch: pytest.MonkeyPatch
) -> None:
    catalog = SimpleNamespace(note="the list is kept in memory only: /c: full")
    monkeypatch.setattr(fake, "catalog", catalog)
    fake.deltas = [Delta([], [], 0, 2), Delta([make_row("a")], [], 2, 2)]
    screen = Screen()
    indexing.start(screen.post)
    assert fake.said.wait(PATIENCE)
    catalog.note = None
    indexing.start(screen.post)
    said = [message.reason for message in screen.messages if isinstance(message, Unkept)]
    assert said == ["the list is kept in memory only: /c: full", ""]


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


# what comes first in a list of all folders


ALL = Arrangement(grouped=False)


@pytest.fixture
def hundred(fake: type[FakeIndex], monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """A hundred sessions s0, s1, ... are stored, the newest first; "old" is a fork of the third and "pinned"
    the oldest. How many rows have been put into lists when one is filled, each time.
    """
    fake.stored = [make_row(f"s{number}", modified=1_000 - number, cwd="/p") for number in range(98)]
    fake.stored.append(make_row("old", modified=2, cwd="/p", parent_session="s2"))
    fake.stored.append(make_row("pinned", modified=1))
    filled: list[int] = []
    load = SessionList.load

    def loaded(model: SessionList, rows: Iterable[Row]) -> None:
        some = list(rows)
        filled.append(len(some))
        load(model, some)

    monkeypatch.setattr(SessionList, "load", loaded)
    return filled


def shown(message: FirstPageRead) -> list[str]:
    return [line.row.id for line in message.model.lines if line.row is not None]


def test_what_comes_first_is_there_before_all_are_put_in_order(
    indexing: Indexing, hundred: list[int]
) -> None:
    indexing.arrange(ALL, (5, None))
    screen = Screen()
    indexing.start(screen.post)
    first, loaded, *_ = screen.wait(lambda messages: len(messages) == 2)
    assert isinstance(first, FirstPageRead)
    assert (shown(first), first.path) == (["s0", "s1", "s2", "old", *(f"s{at}" for at in range(3, 10))], "")
    assert hundred == [11, 100]
    assert isinstance(loaded, CatalogLoaded)
    # nothing is left for the screen to arrange
    assert loaded.model.arrangement is ALL
    assert [line.path for line in loaded.model.lines[:11]] == [line.path for line in first.model.lines]


def test_it_reaches_to_the_session_with_the_cursor_and_what_is_in_sight_behind_it(
    indexing: Indexing, hundred: list[int]
) -> None:
    row = make_row("s40", modified=960)
    indexing.arrange(ALL, (5, row))
    screen = Screen()
    indexing.start(screen.post)
    first, _ = screen.wait(lambda messages: len(messages) == 2)
    assert first.path == row.path
    assert shown(first)[41:] == [f"s{at}" for at in range(40, 51)]


def test_what_is_pinned_comes_first_however_old(setup: Setup, indexing: Indexing, hundred: list[int]) -> None:
    set_own_pin(setup.state_folder, "pi", "pinned", True)
    indexing.arrange(ALL, (5, None))
    screen = Screen()
    indexing.start(screen.post)
    first, _ = screen.wait(lambda messages: len(messages) == 2)
    assert shown(first)[:3] == ["pinned", "s0", "s1"]


@pytest.mark.parametrize(
    ("arrangement", "first"),
    [
        (ALL, None),
        # too few have a name
        (ALL.changed(named_only=True), (1, make_row("s3", modified=997))),
    ],
)
def test_what_is_not_asked_for_or_cannot_be_told_is_not_answered(
    indexing: Indexing,
    hundred: list[int],
    arrangement: Arrangement,
    first: tuple[int, Row | None] | None,
) -> None:
    indexing.arrange(arrangement, first)
    screen = Screen()
    indexing.start(screen.post)
    (loaded,) = screen.wait(lambda messages: len(messages) == 1)
    assert isinstance(loaded, CatalogLoaded)
    assert len(hundred) == (2 if first else 1)
