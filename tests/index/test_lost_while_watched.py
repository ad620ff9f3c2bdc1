"""All that was stored is lost while a thread follows the files: it is read again soon, and until then no
answer is told as whole (`app.index.scan.retry`, `app.index.watch.follower`).
"""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from app.index.catalog.catalog import Catalog
from app.index.index import Index
from app.index.scan import retry
from app.index.scan.scan import Scanner
from app.index.watch import polling
from app.index.watch.polling import PollWatch
from tests.index.helpers import Listener, append, facts, fill, fresh, message, pi_store
from tests.index.test_lost import spoil
from tests.waiting import PATIENCE, ends

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.index.scan.deltas import Delta
    from app.stores.base import Store

COUNT = 12
MANY = 300
"""So many are not stored in one go."""


@pytest.fixture(autouse=True)
def no_idle_walks(monkeypatch: pytest.MonkeyPatch) -> None:
    """All files are looked at only when something has happened."""
    monkeypatch.setattr(PollWatch, "idle_walk_seconds", 10_000.0)
    for name in ("WALK_SECONDS", "_SOONEST_WALK_SECONDS"):
        monkeypatch.setattr(polling, name, 10_000.0)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    fill(tmp_path / "store", COUNT)
    return pi_store(tmp_path / "store")


def lose(index: Index, store: Store) -> None:
    """Have the thread that follows meet damage by its own writing."""
    spoil(Path(index.catalog.path).parent, "UPDATE sessions SET row = x'00'")
    append(Path(store.root) / "--project-0--/session-0.jsonl", message("n", "e0", "more"))


def test_it_is_read_again_though_nobody_asks(store: Store, tmp_path: Path) -> None:
    index = Index([store], str(tmp_path / "cache"), poll=True)
    with Listener(index) as listener:
        lose(index, store)
        listener.until(lambda: index.counts.whole >= 2 * COUNT)
        listener.until(lambda: index.note is None)
    assert index.catalog.generation == 1
    assert facts(index.rows(full=True)) == fresh(store, tmp_path / "other")


QUESTIONS: list[Callable[[Index], int]] = [
    lambda index: len(index.rows()),
    lambda index: len(index.rows(full=True)),
    lambda index: index.newest(3)[1],
    lambda index: [page.total for page in index.query("prompt")][-1],
    lambda index: [page.total for page in index.query("")][-1],
]


@pytest.mark.parametrize("number", range(len(QUESTIONS)))
def test_who_asks_meanwhile_waits_for_it(
    store: Store, tmp_path: Path, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = Index([store], str(tmp_path / "cache"), poll=True)
    index.scan()
    asked = threading.Event()
    scan = Scanner.scan
    ask = Catalog._read

    def late(self: Scanner, *args: object, **named: object) -> None:
        if index.catalog.generation:
            assert asked.wait(PATIENCE)
        scan(self, *args, **named)  # type: ignore[arg-type]

    def early(self: Catalog, *args: object, **named: object) -> object:
        try:
            return ask(self, *args, **named)  # type: ignore[arg-type]
        finally:
            if is_told and threading.current_thread() is not watching:
                asked.set()

    is_told = False
    monkeypatch.setattr(Scanner, "scan", late)
    monkeypatch.setattr(Catalog, "_read", early)
    with Listener(index) as listener:
        watching = listener._thread
        lose(index, store)
        listener.until(lambda: index.catalog.generation == 1 and index.catalog.rows() != [])
        assert len(index.catalog.rows()) < COUNT
        is_told = True
        assert ends(lambda: QUESTIONS[number](index)) == COUNT
        assert asked.is_set()


def test_the_question_that_meets_the_damage_is_answered_in_full(store: Store, tmp_path: Path) -> None:
    index = Index([store], str(tmp_path / "cache"), poll=True)
    index.scan()
    with Listener(index):
        spoil(tmp_path / "cache", "UPDATE sessions SET row = x'00' WHERE key = 3")
        assert len(index.rows()) == COUNT
        assert (index.catalog.generation, index.note) == (1, None)


def test_who_is_told_can_ask_at_once_and_sees_that_more_will_come(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retry, "PATIENCE_SECONDS", 10 * PATIENCE)
    fill(tmp_path / "store", MANY)
    store = pi_store(tmp_path / "store")
    index = Index([store], str(tmp_path / "cache"), poll=True)
    seen: list[tuple[int, bool]] = []

    class Asking(Listener):
        def _changed(self, delta: Delta) -> None:
            if self.index.catalog.generation:
                rows = len(self.index.rows())
                seen.append((rows, self.index.note is None))
            super()._changed(delta)

    with Asking(index) as listener:
        lose(index, store)
        listener.until(lambda: index.counts.whole >= 2 * MANY and index.note is None)
    assert any(rows < MANY for rows, _ in seen)
    assert all(rows == MANY for rows, is_whole in seen if is_whole)


def test_an_answer_that_could_not_wait_is_not_told_as_whole(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retry, "PATIENCE_SECONDS", 0.0)
    index = Index([store], str(tmp_path / "cache"), poll=True)
    index.scan()
    go_on = threading.Event()
    scan = Scanner.scan

    def late(self: Scanner, *args: object, **named: object) -> None:
        if index.catalog.generation:
            assert go_on.wait(PATIENCE)
        scan(self, *args, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(Scanner, "scan", late)
    with Listener(index) as listener:
        spoil(tmp_path / "cache", "UPDATE sessions SET row = x'00' WHERE key = 3")
        assert index.rows() == []
        assert index.note == "the catalog was lost: all files are being read again"
        go_on.set()
        listener.until(lambda: index.note is None)
        assert len(index.rows()) == COUNT


def test_what_is_lost_with_each_look_is_not_looked_at_for_ever(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = Index([store], str(tmp_path / "cache"), poll=True)
    scan = Scanner.scan
    is_bad = False

    def losing(self: Scanner, *args: object, **named: object) -> None:
        scan(self, *args, **named)  # type: ignore[arg-type]
        if is_bad:
            spoil(tmp_path / "cache", "UPDATE sessions SET row = x'00'")
            index.catalog.rows()

    def is_read(number: int) -> bool:
        return index.counts.tails + index.counts.whole > number

    monkeypatch.setattr(Scanner, "scan", losing)
    with Listener(index) as listener:
        is_bad = True
        lose(index, store)
        follower = index._follower
        assert follower is not None
        listener.until(lambda: follower._in_vain > retry.TIMES and follower._walk_at > time.monotonic() + 100)
        walks = index.counts.walks
        for _ in range(3):
            read = index.counts.tails + index.counts.whole
            append(tmp_path / "store/--project-1--/session-1.jsonl", message("n", "e0", "more"))
            listener.until(lambda: is_read(read))  # noqa: B023
        assert index.counts.walks == walks
