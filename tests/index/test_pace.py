"""How often the listener is called, and how often a growing file is read. The clock is the test's own."""

from __future__ import annotations

import threading
from collections import deque
from typing import TYPE_CHECKING

import pytest

from app.index import Catalog
from app.index.scan import Hints, Scanner, deltas
from app.index.scan.deltas import BURST_SECONDS, DELTA_SECONDS, DeltaThrottle
from app.index.text.store import TextStore
from app.index.watch import follower
from tests.index.helpers import append, fill, message, pi_store

if TYPE_CHECKING:
    from pathlib import Path

    from leafmark import Store

    from app.index import Delta


class Clock:
    """Replaces the module `time`."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(deltas, "time", clock)
    return clock


def test_pauses_between_deltas_grow_with_the_number_of_changes(clock: Clock) -> None:
    pace = DeltaThrottle()
    assert pace.pause() <= 0
    pauses = []
    for entries in (0, 1, 4, 1_000, 1):
        pace.mark(entries)
        pauses.append(pace.pause())
    assert pauses[0] == pytest.approx(DELTA_SECONDS)
    assert pauses[0] < pauses[1] < pauses[2] < pauses[3]
    assert pauses[3] == pytest.approx(BURST_SECONDS)
    assert pauses[4] == pytest.approx(pauses[1])
    clock.now += BURST_SECONDS
    assert pace.pause() <= 0


def scanned(tmp_path: Path) -> tuple[Store, Scanner]:
    """The store of the test's files, and a scanner that has scanned it."""
    store = pi_store(tmp_path / "store")
    catalog = Catalog(str(tmp_path / "cache"), [store])
    scanner = Scanner(catalog, TextStore(catalog), [store], lambda: 0)
    scanner.begin({})
    scanner.scan(None, threading.Event())
    return store, scanner


def test_files_that_change_together_are_in_one_delta(tmp_path: Path, clock: Clock) -> None:
    paths = fill(tmp_path / "store", 12)
    deltas: list[Delta] = []
    _, scanner = scanned(tmp_path)
    for path in paths:
        append(path, message("new", "e0", "more"))
    clock.now += 1
    scanner.refresh({str(path) for path in paths}, deltas.append, threading.Event())
    assert [len(delta.changed) for delta in deltas] == [12]
    assert (deltas[0].done, deltas[0].total) == (12, 12)


class Stop(threading.Event):
    """Records the length of each wait, and moves the test's clock."""

    def __init__(self, order: list[object], clock: Clock) -> None:
        super().__init__()
        self._order = order
        self._clock = clock

    def wait(self, timeout: float | None = None) -> bool:
        assert timeout is not None
        if timeout > 0:
            self._order.append(round(timeout, 2))
            self._clock.now += timeout
        return self.is_set()


class Busy:
    """A watch that notices an append in each of its first five waits."""

    idle_walk_seconds = 3_600.0

    def __init__(self, path: Path, order: list[object]) -> None:
        self.path, self._order, self.left = path, order, 5

    def wait(self, seconds: float, stop: threading.Event) -> Hints:
        hints = Hints()
        if not self.left:
            stop.set()
            return hints
        self.left -= 1
        self._order.append("look")
        append(self.path, "".join(message(f"{self.left}-{number}", "e0", "more") for number in range(20)))
        hints.paths, hints.count = {str(self.path)}, 20
        return hints

    def walked(self, seconds: float, *, missed: bool) -> None:
        pass

    def close(self) -> None:
        pass


def test_a_growing_file_is_read_as_often_as_deltas_are_sent(
    tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = fill(tmp_path / "store", 1)[0]
    store, scanner = scanned(tmp_path)
    order: list[object] = []
    monkeypatch.setattr(follower, "NativeWatch", lambda *_: Busy(path, order))
    deltas: list[Delta] = []

    def record(delta: Delta) -> None:
        order.append("told")
        deltas.append(delta)

    follower.Follower(scanner, [store], deque(), poll=False).run(record, Stop(order, clock))
    # The first look has no pause. Later pauses come before the look, so that each delta is up to date.
    assert order == ["look", "told"] + [BURST_SECONDS, "look", "told"] * 4 + [BURST_SECONDS]
    assert scanner.counts.tails == 5
    assert deltas[-1].changed[0].message_count == 1 + 5 * 20


def test_a_removed_file_is_not_among_the_changed_ones(tmp_path: Path) -> None:
    """The ends of a file were read, and it is gone, or is no session, when it is read completely."""
    path, kept_path = fill(tmp_path / "sessions", 2)
    stores = [pi_store(tmp_path / "sessions")]
    catalog = Catalog(str(tmp_path / "cache"), stores)
    Scanner(catalog, TextStore(catalog), stores, lambda: 0).scan(None, threading.Event())
    rows = {row.path: row for row in catalog.rows()}
    sent: list[Delta] = []
    batch = deltas.DeltaBatch({}, catalog, sent.append, DeltaThrottle(), threading.Event(), 2)
    batch.hint(rows[str(path)])
    batch.hint(rows[str(kept_path)])
    batch.drop([str(path)])
    batch.send()
    assert [row.path for row in sent[0].changed] == [str(kept_path)]
    assert sent[0].removed == [str(path)]
