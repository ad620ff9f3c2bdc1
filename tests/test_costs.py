"""Cost of operations, counted and never timed: files opened, bytes read and written, sessions checked.

These tests count the calls of functions inside the program, and have to change when such a function moves.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest
from leafmark import Index, Row, Store

from app.index import facts_of, live_sessions
from app.index.text.segment import Segment
from app.sessions import summarise
from app.stores import Process, Processes, agent_named, named, session_files, verdict
from tests.cases import cases
from tests.factory import MINUTE, NOW, chain, make_row, write_session
from tests.index.helpers import append, message, pi_store, session, write
from tests.index.text.helpers import assert_right

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from app.index import Span
    from app.sessions.passages import PackedText

WITHIN = 4 << 20  # bytes within which a header ends

SCAN_LIMIT = 1 << 20  # bytes within which a header begins


# Files and bytes


def test_one_scan_a_folder_and_nothing_is_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(100):
        write(tmp_path / f"--{number // 5}--" / f"{number % 5}.jsonl", "x")
    scans: list[str] = []
    scan = os.scandir
    monkeypatch.setattr("app.stores.layout.os.scandir", lambda path: (scans.append(path), scan(path))[1])
    monkeypatch.setattr("builtins.open", lambda *_: pytest.fail("opened"))
    monkeypatch.setattr("app.stores.layout.os.open", lambda *_: pytest.fail("opened"))
    complaints: list[tuple[str, str]] = []
    store = Store(agent_named("omp"), str(tmp_path))
    files = [file for _, inside in session_files(store, complaints) for file in inside]
    monkeypatch.undo()
    assert (len(files), len(scans)) == (100, 21)


@cases("text", [b"\0", b" "])
def test_a_file_without_a_header_is_not_read_to_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: bytes
) -> None:
    """A crash of the machine can leave a file with its length but without its bytes."""
    path = tmp_path / "a.jsonl"
    path.write_bytes(text * SCAN_LIMIT)
    with path.open("ab") as file:
        file.truncate(20 * WITHIN)
    really, counts = os.pread, []

    def counting(descriptor: int, size: int, offset: int) -> bytes:
        data = really(descriptor, size, offset)
        counts.append(len(data))
        return data

    monkeypatch.setattr(os, "pread", counting)
    outcome = summarise(str(path), ("pi",), 0)
    assert outcome.refused
    assert sum(counts) <= 2 * WITHIN


def test_an_append_to_a_large_session_writes_only_the_new_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = pi_store(tmp_path / "store")
    large = write(tmp_path / "store/large.jsonl", session("x" * 3_000_000))
    plain = write(tmp_path / "store/other.jsonl", session())
    written = []
    really = Segment.append

    def append_to(segment: Segment, text: PackedText) -> Span:
        written.append(len(text.folded))
        return really(segment, text)

    monkeypatch.setattr(Segment, "append", append_to)
    index = Index([store], str(tmp_path / "cache"))
    index.scan()
    written.clear()
    read = index.counts.bytes
    size = 0
    for number in range(100):
        for path in (large, plain):
            added = message(f"n{number}", "e0", f"more {number}")
            size += len(added)
            append(path, added)
        index.scan()
    assert index.counts.bytes - read == size
    # Now and then, the last few texts are copied into one span.
    assert max(written) < 5_000
    assert sum(written) < size
    index.close()
    assert_right(tmp_path / "cache", store)


# Processes, and the sessions that they may have open


def test_processes_are_listed_once_and_only_on_request(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: list[object] = []

    def list_processes(stores: object) -> Processes:
        looks.append(stores)
        processes_found = Processes()
        processes_found.claim(str(tmp_path / "pi" / "-work" / "a.jsonl"), 1, "has it open")
        return processes_found

    monkeypatch.setattr("app.index.filter_context.look", list_processes)
    write_session(tmp_path / "pi" / "-work" / "a.jsonl", *chain("hello", id="one"))
    write_session(tmp_path / "pi" / "-work" / "b.jsonl", *chain("hello", id="two"))
    stores = named([("pi", str(tmp_path / "pi"))], {}, str(tmp_path), str(tmp_path))
    index = Index(stores, str(tmp_path / "cache"))
    index.scan()
    rows: list[Row] = index.rows()
    index.close()
    facts = facts_of(stores, lambda: rows, 0)
    assert not looks
    assert {row.id: facts.live(row) for row in rows} == {"one": True, "two": False}
    assert len(looks) == 1


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
def checked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    paths: list[str] = []

    def counting(agent: str, path: str, *arguments: Any) -> object:
        paths.append(path)
        return verdict(agent, path, *arguments)

    monkeypatch.setattr(live_sessions, "verdict", counting)
    return paths


def running(cwd: str) -> Process:
    process = Process(7, "pi")
    process.cwd = cwd
    return process


def test_without_a_running_agent_no_session_is_checked(checked: list[str]) -> None:
    assert live_sessions.live_sessions(ROWS, Processes(), NOW) == {}
    assert checked == []


def test_an_agent_concerns_the_sessions_of_its_folder(checked: list[str]) -> None:
    states = live_sessions.live_sessions(ROWS, Processes([running("/work/5")]), NOW)
    assert {path: verdict_.state for path, verdict_ in states.items()} == {"/store/s0005.jsonl": "maybe"}
    assert len(checked) == 20


def test_a_folder_is_compared_by_its_real_path(checked: list[str]) -> None:
    real = {"/work/5": "/disk/work/5"}
    processes = Processes([running("/disk/work/5")])
    processes._real._known.update(real)
    states = live_sessions.live_sessions(ROWS, processes, NOW, lambda folder: real.get(folder, folder))
    assert list(states) == ["/store/s0005.jsonl"]


def test_open_named_and_growing_sessions_are_checked(checked: list[str]) -> None:
    processes = Processes()
    processes.claim("/store/s0100.jsonl", 8, "it has it open")
    processes.session_ids["s0200"] = 9
    rows = [*ROWS, make_row("grown", grew_ms=NOW - 10)]
    states = live_sessions.live_sessions(rows, processes, NOW)
    assert {path: verdict_.pid for path, verdict_ in states.items()} == {
        "/store/s0100.jsonl": 8,
        "/store/s0200.jsonl": 9,
        "/store/grown.jsonl": None,
    }
    assert len(checked) == 3


class Counted(list[Row]):
    """A list that counts how often it is iterated."""

    times = 0

    def __iter__(self) -> Iterator[Row]:
        self.times += 1
        return super().__iter__()


def test_sessions_are_not_iterated_again_while_the_same_agents_run() -> None:
    rows = Counted([*ROWS, make_row("grown", cwd="", grew_ms=NOW - 10)])
    candidates = live_sessions.LiveCandidates(rows)
    processes = Processes([running("/work/5")])
    processes.claim("/store/s0100.jsonl", 8, "it has it open")
    first = live_sessions.live_sessions(candidates, processes, NOW)
    assert set(first) == {"/store/s0005.jsonl", "/store/s0100.jsonl", "/store/grown.jsonl"}
    times = rows.times
    for _ in range(10):
        second = live_sessions.live_sessions(candidates, processes, NOW)
        assert {path: verdict_.state for path, verdict_ in second.items()} == {
            path: verdict_.state for path, verdict_ in first.items()
        }
    assert rows.times == times
    # A process that has ended is still noticed.
    assert set(live_sessions.live_sessions(candidates, processes, NOW + 60_000)) == first.keys() - {
        "/store/grown.jsonl"
    }
    assert live_sessions.live_sessions(candidates, Processes(), NOW + 60_000) == {}
    other_processes = Processes([running("/work/8")])
    assert list(live_sessions.live_sessions(candidates, other_processes, NOW + 60_000)) == [
        "/store/s0008.jsonl"
    ]
