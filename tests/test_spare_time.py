"""When the garbage collector runs."""

from __future__ import annotations

import pytest

from app import gc_policy
from app.gc_policy import BACKSTOP, FULL_EVERY, QUIET_SECONDS, YOUNG_OBJECTS, IdleCollector


class Collector:
    """Replaces `gc`, whose runs cannot be observed."""

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


def test_objects_of_the_start_are_never_collected(collector: Collector, clock: list[float]) -> None:
    IdleCollector().begin()
    assert collector.done == ["freeze", (BACKSTOP, 10, 10)]
    assert collector.isenabled()


def test_new_objects_are_collected_while_the_program_is_idle(
    collector: Collector, clock: list[float]
) -> None:
    spare = IdleCollector()
    spare.begin()
    collector.done.clear()
    clock[0] += QUIET_SECONDS
    spare.look()
    assert collector.done == [], "there is too little to look at"
    collector.young = YOUNG_OBJECTS
    spare.used()
    clock[0] += QUIET_SECONDS / 2
    spare.look()
    assert collector.done == [], "a key has just been pressed"
    clock[0] += QUIET_SECONDS / 2
    spare.look()
    assert collector.done == [1]
    collector.rests = True
    spare.look()
    assert collector.done == [1], "it rests while many are made"


def test_a_full_collection_runs_from_time_to_time(collector: Collector, clock: list[float]) -> None:
    spare = IdleCollector()
    spare.begin()
    collector.done.clear()
    collector.young = YOUNG_OBJECTS
    clock[0] += QUIET_SECONDS
    for _ in range(FULL_EVERY):
        spare.look()
    assert collector.done == [1] * (FULL_EVERY - 1) + [2]
