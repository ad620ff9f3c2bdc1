"""When the collector of garbage looks."""

from __future__ import annotations

import pytest

from app import gc_policy
from app.gc_policy import BACKSTOP, QUIET, YOUNG_LOOKS, YOUNG_OBJECTS, SpareTime


class Collector:
    """Stands in for `gc`, whose looks cannot be seen."""

    def __init__(self) -> None:
        self.young = 0
        self.rests = True
        self.done: list[object] = []

    def freeze(self) -> None:
        self.done.append("freeze")

    def get_threshold(self) -> tuple[int, int, int]:
        return 700, 10, 10

    def set_threshold(self, *thresholds: int) -> None:
        self.done.append(thresholds)

    def enable(self) -> None:
        self.rests = False

    def isenabled(self) -> bool:
        return not self.rests

    def get_count(self) -> tuple[int, int, int]:
        return self.young, 0, 0

    def collect(self, generation: int) -> int:
        self.done.append(generation)
        return 0


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [100.0]
    monkeypatch.setattr(gc_policy, "monotonic", lambda: now[0])
    return now


@pytest.fixture
def collector(monkeypatch: pytest.MonkeyPatch) -> Collector:
    fake = Collector()
    monkeypatch.setattr(gc_policy, "gc", fake)
    return fake


def test_what_is_there_at_first_is_never_looked_at(collector: Collector, clock: list[float]) -> None:
    SpareTime().begin()
    assert collector.done == ["freeze", (BACKSTOP, 10, 10)]
    assert collector.isenabled()


def test_it_looks_at_what_is_new_while_nobody_waits(collector: Collector, clock: list[float]) -> None:
    spare = SpareTime()
    spare.begin()
    collector.done.clear()
    clock[0] += QUIET
    spare.look()
    assert collector.done == [], "there is too little to look at"
    collector.young = YOUNG_OBJECTS
    spare.used()
    clock[0] += QUIET / 2
    spare.look()
    assert collector.done == [], "a key has just been pressed"
    clock[0] += QUIET / 2
    spare.look()
    assert collector.done == [1]
    collector.rests = True
    spare.look()
    assert collector.done == [1], "it rests while many are made"


def test_now_and_then_it_looks_at_everything(collector: Collector, clock: list[float]) -> None:
    spare = SpareTime()
    spare.begin()
    collector.done.clear()
    collector.young = YOUNG_OBJECTS
    clock[0] += QUIET
    for _ in range(YOUNG_LOOKS):
        spare.look()
    assert collector.done == [1] * (YOUNG_LOOKS - 1) + [2]
