"""The index thread before there is a screen, and its messages, which have a limited size."""

from __future__ import annotations

import gzip
import threading
import time
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from app.actions.keep import keep
from app.index import Delta
from app.messages import CacheNotSaved, CatalogLoaded, IndexFailed, IndexRenewed, SessionsChanged
from app.services.index_service import MOST_ROWS, IndexService
from app.setup import Setup
from app.stores import Claude
from app.view import Arrangement
from tests import claude_lines
from tests.factory import make_row
from tests.index.helpers import pi_store, session, write
from tests.waiting import PATIENCE, until

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from leafmark import Row


class Screen:
    """Collects the messages."""

    def __init__(self) -> None:
        self.messages: list[Any] = []
        self.came = threading.Condition()

    def post(self, message: object) -> None:
        with self.came:
            self.messages.append(message)
            self.came.notify_all()

    def wait(self, condition: Callable[[list[Any]], bool]) -> list[Any]:
        with self.came:
            assert self.came.wait_for(lambda: condition(self.messages), PATIENCE), self.messages
            return list(self.messages)


class FakeIndex:
    """Has `stored` rows, reports the `deltas`, and then waits for its end or fails."""

    stored: list[Row]
    deltas: list[Delta]
    failure: Exception | None
    said: threading.Event
    unread_counts = (0, 0)
    catalog = SimpleNamespace(note=None)
    text_store = SimpleNamespace(note=None)

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
    env = {"LEAFMARK_STATE_DIR": str(tmp_path / "state")}
    return Setup(env=env, home=str(tmp_path), here=("/work/app",), stores=[store], cache_folder=cache)


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> type[FakeIndex]:
    for name, value in {"stored": [], "deltas": [], "failure": None, "said": threading.Event()}.items():
        monkeypatch.setattr(FakeIndex, name, value, raising=False)
    monkeypatch.setattr("app.index.index.Index", FakeIndex)
    return FakeIndex


@pytest.fixture
def indexing(setup: Setup) -> Iterator[IndexService]:
    service = IndexService(setup)
    yield service
    service.stop()


def test_sessions_found_before_the_screen_starts_are_in_its_list(
    fake: type[FakeIndex], indexing: IndexService
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


def test_first_rows_waits_for_rows_which_stay_in_the_list_of_the_screen(
    fake: type[FakeIndex], indexing: IndexService
) -> None:
    fake.deltas = [Delta([], [], 0, 3), Delta([make_row("a")], [], 1, 3), Delta([make_row("b")], [], 2, 3)]
    indexing.start()
    rows, done, total = indexing.first_rows(PATIENCE, 2)
    assert (sorted(row.id for row in rows), done, total) == (["a", "b"], 2, 3)
    screen = Screen()
    indexing.start(screen.post)
    loaded, _ = screen.wait(lambda messages: len(messages) == 2)
    assert sorted(row.id for row in loaded.model.rows()) == ["a", "b"]


@pytest.mark.parametrize("ends", ["without a session", "with a failure"])
def test_first_rows_returns_when_the_scan_ends_without_rows(
    ends: str, fake: type[FakeIndex], indexing: IndexService
) -> None:
    # the number of files to read is not a row
    fake.deltas = [Delta([], [], 0, 3)]
    if ends == "with a failure":
        fake.failure = RuntimeError("broken")
    else:
        fake.deltas.append(Delta([], [], 3, 3))
    indexing.start()
    started = time.monotonic()
    assert indexing.first_rows(PATIENCE, 2)[0] == []
    assert time.monotonic() - started < PATIENCE


def test_a_screen_gets_the_stored_rows_first(fake: type[FakeIndex], indexing: IndexService) -> None:
    fake.stored = [make_row("a")]
    fake.deltas = [Delta([make_row("b")], [], 1, 1)]
    screen = Screen()
    indexing.start(screen.post)
    loaded, changed = screen.wait(lambda messages: len(messages) == 2)
    assert [row.id for row in loaded.model.rows()] == ["a"]
    assert not loaded.cold
    assert [row.id for row in changed.changed] == ["b"]


def test_many_rows_come_in_messages_of_limited_size(fake: type[FakeIndex], indexing: IndexService) -> None:
    rows = [make_row(f"r{number}") for number in range(2 * MOST_ROWS + 7)]
    fake.deltas = [Delta(rows, ["/gone"], len(rows) + 3, len(rows) + 3)]
    screen = Screen()
    indexing.start(screen.post)
    _, *changes = screen.wait(lambda messages: len(messages) == 4)
    assert [len(change.changed) for change in changes] == [MOST_ROWS, MOST_ROWS, 7]
    assert [row for change in changes for row in change.changed] == rows
    assert [list(change.removed) for change in changes] == [["/gone"], [], []]
    # only in the last message, all files are done
    assert [change.done == change.total for change in changes] == [False, False, True]
    assert [change.done for change in changes] == sorted(change.done for change in changes)


def test_an_unsaved_cache_is_reported_once_and_so_is_its_recovery(
    fake: type[FakeIndex], indexing: IndexService, monkeypatch: pytest.MonkeyPatch
) -> None:
    catalog = SimpleNamespace(note="the list is kept in memory only: /c: full")
    monkeypatch.setattr(fake, "catalog", catalog)
    fake.deltas = [Delta([], [], 0, 2), Delta([make_row("a")], [], 2, 2)]
    screen = Screen()
    indexing.start(screen.post)
    assert fake.said.wait(PATIENCE)
    catalog.note = None
    indexing.start(screen.post)
    reasons = [message.reason for message in screen.messages if isinstance(message, CacheNotSaved)]
    assert reasons == ["the list is kept in memory only: /c: full", ""]


@pytest.mark.parametrize("early", [False, True])
def test_a_failure_is_posted_once(fake: type[FakeIndex], indexing: IndexService, early: bool) -> None:
    fake.failure = ValueError("no luck")
    screen = Screen()
    if early:
        indexing.start()
        assert fake.said.wait(PATIENCE)
    indexing.start(screen.post)
    messages = screen.wait(lambda messages: any(isinstance(message, IndexFailed) for message in messages))
    assert [type(message) for message in messages] == [CatalogLoaded, IndexFailed]
    assert messages[1].reason == "ValueError: no luck"


def test_files_are_read_before_there_is_a_screen(setup: Setup, indexing: IndexService) -> None:
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


def test_the_screen_gets_an_arranged_list(fake: type[FakeIndex], setup: Setup) -> None:
    fake.stored = [make_row(f"s{number}", modified=1_000 - number, cwd="/p") for number in range(10)]
    arrangement = Arrangement(grouped=False)
    indexing = IndexService(setup, arrangement)
    screen = Screen()
    indexing.start(screen.post)
    (loaded,) = screen.wait(lambda messages: len(messages) == 1)
    indexing.stop()
    assert isinstance(loaded, CatalogLoaded)
    assert loaded.model.arrangement is arrangement
    assert [line.row.id for line in loaded.model.lines if line.row] == [f"s{number}" for number in range(10)]


def test_copies_follow_their_sessions(tmp_path: Path) -> None:
    home = tmp_path / "home"
    path = claude_lines.write(home, claude_lines.line("user", "u", None, "prompt"), name="one")
    (store,) = Claude().stores({}, str(home), "/")
    store.kept = str(tmp_path / "state/kept")
    setup = Setup(
        env={"HOME": str(home), "LEAFMARK_STATE_DIR": str(tmp_path / "state")},
        home=str(home),
        here=("/",),
        stores=[store],
        cache_folder=str(tmp_path / "cache"),
    )
    keep(str(path), store, [store])
    screen = Screen()
    service = IndexService(setup)
    service.start(screen.post)
    try:
        copy = tmp_path / f"state/kept{path}.gz"
        with path.open("a") as file:
            file.write(claude_lines.line("user", "more", "u", "grown") + "\n")
        service.rescan()
        until(lambda: gzip.decompress(copy.read_bytes()) == path.read_bytes())
        assert not any(isinstance(message, IndexRenewed) for message in screen.messages)
    finally:
        service.stop()
