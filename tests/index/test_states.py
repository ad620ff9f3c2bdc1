"""Whom the question "is it live?" is asked about: a few sessions of ten thousand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from app.index import states
from app.index.row import Row
from app.stores.live import Processes, verdict
from app.stores.processes import Process
from tests.factory import MINUTE, NOW, make_row

if TYPE_CHECKING:
    from collections.abc import Iterator

ROWS = [
    make_row(
        f"s{at:04}",
        cwd=f"/work/{at % 100}",
        mtime_ns=(NOW - at * 60 * MINUTE) * 1_000_000,
        agent="omp" if at % 7 == 6 else "pi",
    )
    for at in range(2_000)
]


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    paths: list[str] = []

    def counting(agent: str, path: str, *others: Any) -> object:
        paths.append(path)
        return verdict(agent, path, *others)

    monkeypatch.setattr(states, "verdict", counting)
    return paths


def running(cwd: str) -> Process:
    process = Process(7, "pi")
    process.cwd = cwd
    return process


def test_with_no_agent_running_nobody_is_asked_about(asked: list[str]) -> None:
    assert states.live_sessions(ROWS, Processes(), NOW) == {}
    assert asked == []


def test_an_agent_concerns_the_sessions_of_its_folder(asked: list[str]) -> None:
    found = states.live_sessions(ROWS, Processes([running("/work/5")]), NOW)
    assert {path: said.state for path, said in found.items()} == {"/store/s0005.jsonl": "maybe"}
    assert len(asked) == 20


def test_a_folder_is_compared_by_its_real_path(asked: list[str]) -> None:
    real = {"/work/5": "/disk/work/5"}
    processes = Processes([running("/disk/work/5")])
    processes._real._known.update(real)
    found = states.live_sessions(ROWS, processes, NOW, lambda folder: real.get(folder, folder))
    assert list(found) == ["/store/s0005.jsonl"]


def test_what_is_held_open_what_a_child_names_and_what_grew_is_asked_about(asked: list[str]) -> None:
    processes = Processes()
    processes.claim("/store/s0100.jsonl", 8, "it has it open")
    processes.session_ids["s0200"] = 9
    rows = [*ROWS, make_row("grown", grew_ms=NOW - 10)]
    found = states.live_sessions(rows, processes, NOW)
    assert {path: said.pid for path, said in found.items()} == {
        "/store/s0100.jsonl": 8,
        "/store/s0200.jsonl": 9,
        "/store/grown.jsonl": None,
    }
    assert len(asked) == 3


class Counted(list[Row]):
    """Counts how often all of them are gone through."""

    times = 0

    def __iter__(self) -> Iterator[Row]:
        self.times += 1
        return super().__iter__()


def test_while_the_same_agents_run_the_sessions_are_not_gone_through_again() -> None:
    rows = Counted([*ROWS, make_row("grown", cwd="", grew_ms=NOW - 10)])
    kept = states.Asked(rows)
    processes = Processes([running("/work/5")])
    processes.claim("/store/s0100.jsonl", 8, "it has it open")
    first = states.live_sessions(kept, processes, NOW)
    assert set(first) == {"/store/s0005.jsonl", "/store/s0100.jsonl", "/store/grown.jsonl"}
    times = rows.times
    for _ in range(10):
        again = states.live_sessions(kept, processes, NOW)
        assert {path: said.state for path, said in again.items()} == {
            path: said.state for path, said in first.items()
        }
    assert rows.times == times
    # what is no more is seen all the same
    assert set(states.live_sessions(kept, processes, NOW + 60_000)) == first.keys() - {"/store/grown.jsonl"}
    assert states.live_sessions(kept, Processes(), NOW + 60_000) == {}
    other = Processes([running("/work/8")])
    assert list(states.live_sessions(kept, other, NOW + 60_000)) == ["/store/s0008.jsonl"]
