"""The catalog is damaged while a thread follows the files: it is rebuilt at once, and until then no answer
counts as complete (`app.index.scan.retry`, `app.index.watch.follower`).
"""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from leafmark import Index

from app.index import Catalog
from app.index.scan import Scanner, retry
from app.index.watch import polling
from app.index.watch.polling import PollWatch
from tests.index.helpers import Listener, append, facts, fill, fresh, message, pi_store
from tests.index.test_lost import spoil
from tests.waiting import PATIENCE, ends

if TYPE_CHECKING:
    from collections.abc import Callable

    from leafmark import Store

    from app.index import Delta

COUNT = 12
MANY = 300
"""More sessions than one transaction stores."""


@pytest.fixture(autouse=True)
def no_idle_walks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Switch off periodic walks: all files are looked at only after an event."""
    monkeypatch.setattr(PollWatch, "idle_walk_seconds", 10_000.0)
    for name in ("WALK_SECONDS", "_SOONEST_WALK_SECONDS"):
        monkeypatch.setattr(polling, name, 10_000.0)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    fill(tmp_path / "store", COUNT)
    return pi_store(tmp_path / "store")


def lose(index: Index, store: Store) -> None:
    """Damage the catalog and make the following thread notice it by writing to it."""
    spoil(Path(index.catalog.path).parent, "UPDATE sessions SET row = x'00'")
    append(Path(store.root) / "--project-0--/session-0.jsonl", message("n", "e0", "more"))


def test_the_catalog_is_rebuilt_without_a_query(store: Store, tmp_path: Path) -> None:
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
def test_a_query_waits_for_the_rebuild(
    store: Store, tmp_path: Path, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = Index([store], str(tmp_path / "cache"), poll=True)
    index.scan()
    was_read = threading.Event()
    scan = Scanner.scan
    real_read = Catalog._read

    def scan_after_query(self: Scanner, *args: object, **options: object) -> None:
        if index.catalog.generation:
            assert was_read.wait(PATIENCE)
        scan(self, *args, **options)  # type: ignore[arg-type]

    def read_and_note(self: Catalog, *args: object, **options: object) -> object:
        try:
            return real_read(self, *args, **options)  # type: ignore[arg-type]
        finally:
            if is_querying and threading.current_thread() is not watching:
                was_read.set()

    is_querying = False
    monkeypatch.setattr(Scanner, "scan", scan_after_query)
    monkeypatch.setattr(Catalog, "_read", read_and_note)
    with Listener(index) as listener:
        watching = listener.thread
        lose(index, store)
        listener.until(lambda: index.catalog.generation == 1 and index.catalog.rows() != [])
        assert len(index.catalog.rows()) < COUNT
        is_querying = True
        assert ends(lambda: QUESTIONS[number](index)) == COUNT
        assert was_read.is_set()


def test_the_query_that_finds_the_damage_is_answered_completely(store: Store, tmp_path: Path) -> None:
    index = Index([store], str(tmp_path / "cache"), poll=True)
    index.scan()
    with Listener(index):
        spoil(tmp_path / "cache", "UPDATE sessions SET row = x'00' WHERE key = 3")
        assert len(index.rows()) == COUNT
        assert (index.catalog.generation, index.note) == (1, None)


def test_queries_during_the_rebuild_know_that_more_rows_will_come(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retry, "PATIENCE_SECONDS", 10 * PATIENCE)
    fill(tmp_path / "store", MANY)
    store = pi_store(tmp_path / "store")
    index = Index([store], str(tmp_path / "cache"), poll=True)
    answers: list[tuple[int, bool]] = []

    class QueryingListener(Listener):
        def changed(self, delta: Delta) -> None:
            if self.index.catalog.generation:
                rows = len(self.index.rows())
                answers.append((rows, self.index.note is None))
            super().changed(delta)

    with QueryingListener(index) as listener:
        lose(index, store)
        listener.until(lambda: index.counts.whole >= 2 * MANY and index.note is None)
    assert any(rows < MANY for rows, _ in answers)
    assert all(rows == MANY for rows, is_complete in answers if is_complete)


def test_an_answer_that_could_not_wait_is_not_complete(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retry, "PATIENCE_SECONDS", 0.0)
    index = Index([store], str(tmp_path / "cache"), poll=True)
    index.scan()
    go_on = threading.Event()
    scan = Scanner.scan

    def scan_later(self: Scanner, *args: object, **options: object) -> None:
        if index.catalog.generation:
            assert go_on.wait(PATIENCE)
        scan(self, *args, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(Scanner, "scan", scan_later)
    with Listener(index) as listener:
        spoil(tmp_path / "cache", "UPDATE sessions SET row = x'00' WHERE key = 3")
        assert index.rows() == []
        assert index.note == "the catalog was lost: all files are being read again"
        go_on.set()
        listener.until(lambda: index.note is None)
        assert len(index.rows()) == COUNT


def test_repeated_damage_does_not_cause_endless_walks(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = Index([store], str(tmp_path / "cache"), poll=True)
    scan = Scanner.scan
    damages = False

    def scan_then_damage(self: Scanner, *args: object, **options: object) -> None:
        scan(self, *args, **options)  # type: ignore[arg-type]
        if damages:
            spoil(tmp_path / "cache", "UPDATE sessions SET row = x'00'")
            index.catalog.rows()

    def is_read(number: int) -> bool:
        return index.counts.tails + index.counts.whole > number

    monkeypatch.setattr(Scanner, "scan", scan_then_damage)
    with Listener(index) as listener:
        damages = True
        lose(index, store)
        follower = index._follower
        assert follower is not None
        listener.until(lambda: follower._in_vain > retry.TIMES and follower._walk_at > time.monotonic() + 100)
        walks = index.counts.walks
        for _ in range(3):
            bytes_before = index.counts.tails + index.counts.whole
            append(tmp_path / "store/--project-1--/session-1.jsonl", message("n", "e0", "more"))
            listener.until(lambda: is_read(bytes_before))  # noqa: B023
        assert index.counts.walks == walks
