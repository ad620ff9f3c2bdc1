"""The sessions of sub-agents are read from the artifact folders of their parent sessions (formats/README.md,
"oh-my-pi").
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest
from leafmark import Index

from app.index import provisional_row, subagents
from app.index.subagents import subagent_rows
from app.sessions.summaries import quick_summary
from app.stores import named
from app.view import Arrangement
from app.view.list_filter import HIDDEN, SHOWN, ArrangementFilter, is_subagent
from tests.factory import chain, header, write_session

if TYPE_CHECKING:
    from pathlib import Path

    from leafmark import Row, Store


def store_at(tmp_path: Path, agent: str = "omp") -> Store:
    [store] = named([(agent, str(tmp_path / agent))], {}, str(tmp_path), "/")
    return store


def rows_of(store: Store, tmp_path: Path) -> list[Row]:
    index = Index([store], str(tmp_path / "cache"))
    index.scan()
    rows = index.rows()
    index.close()
    return rows


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """The store's folder for one working folder, with one session."""
    work = tmp_path / "omp" / "-work"
    write_session(work / "a.jsonl", *chain("hello", id="top"))
    return work


def test_each_subagent_has_its_parent_session(tmp_path: Path, work: Path) -> None:
    write_session(work / "a" / "Scout.jsonl", *chain("look around", id="scout"))
    write_session(work / "a" / "Scout" / "Deep.jsonl", *chain("look closer", id="deep"))
    write_session(work / "a" / "local" / "x" / "Far.jsonl", *chain("look far", id="far"))
    store = store_at(tmp_path)
    rows = rows_of(store, tmp_path)
    subagents_by_id = {row.id: row for row in subagent_rows([store], rows)}
    top, scout = str(work / "a.jsonl"), str(work / "a" / "Scout.jsonl")
    assert {id: row.parent_session for id, row in subagents_by_id.items()} == {
        "scout": top,
        "deep": scout,
        "far": top,
    }
    row = subagents_by_id["scout"]
    assert (row.title, row.agent, row.store, row.path) == ("look around", "omp", store.root, scout)
    assert row.provisional
    assert (row.size, row.ino) == (os.stat(scout).st_size, os.stat(scout).st_ino)


def test_rows_of_subagents_are_recognised(tmp_path: Path, work: Path) -> None:
    write_session(work / "a" / "Scout.jsonl", *chain("x", id="scout"))
    write_session(work / "a" / "Scout" / "Deep.jsonl", *chain("x", id="deep"))
    store = store_at(tmp_path)
    rows = rows_of(store, tmp_path)
    assert [is_subagent(row) for row in rows] == [False]
    assert [is_subagent(row) for row in subagent_rows([store], rows)] == [True, True]


def test_a_rollout_of_a_subagent_is_hidden_below_its_parent(tmp_path: Path) -> None:
    day = tmp_path / "codex" / "2026" / "11" / "27"
    day.mkdir(parents=True)
    spawn = {"subagent": {"thread_spawn": {"parent_thread_id": "main", "depth": 1}}}
    for meta in (
        {"id": "main", "source": "cli"},
        {"id": "scout", "source": spawn},
        {"id": "fork", "forked_from_id": "main"},
    ):
        text = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hi"}]}
        lines = [
            {"type": "session_meta", "payload": {"cwd": "/w", **meta}},
            {"type": "response_item", "payload": text},
        ]
        (day / f"rollout-{meta['id']}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    rows = rows_of(store_at(tmp_path, "codex"), tmp_path)
    provisional = [quick_row(row) for row in rows]
    for each in (rows, provisional):
        assert {row.id: (row.parent_session, is_subagent(row)) for row in each} == {
            "main": (None, False),
            "scout": ("main", True),
            "fork": ("main", False),
        }
    shown = ArrangementFilter(Arrangement(), (), ())
    assert {row.id: shown.standing(row) for row in rows} == {"main": SHOWN, "scout": HIDDEN, "fork": SHOWN}
    with_hidden = ArrangementFilter(Arrangement(hidden=True), (), ())
    assert {with_hidden.standing(row) for row in rows} == {SHOWN}


def quick_row(row: Row) -> Row:
    """The row that the two ends of the file give."""
    summary = quick_summary.quick_summary(row.path, (row.agent,), 0)
    assert summary is not None
    return provisional_row(row.path, row.store, summary.values(), row.signature)


def test_known_subagents_are_returned_again(tmp_path: Path, work: Path) -> None:
    write_session(work / "a" / "Scout.jsonl", *chain("x", id="scout"))
    write_session(work / "a" / "Scout" / "Deep.jsonl", *chain("x", id="deep"))
    store = store_at(tmp_path)
    rows = rows_of(store, tmp_path)
    first = subagent_rows([store], rows)
    second = subagent_rows([store], [*first, *rows])
    assert sorted((row.id, row.parent_session) for row in second) == sorted(
        (row.id, row.parent_session) for row in first
    )


def test_other_files_are_left_out(tmp_path: Path, work: Path) -> None:
    write_session(work / "a" / "__advisor.jsonl", *chain("x", id="advice"))
    write_session(work / "a" / "notes.jsonl", '{"no":"header"}')
    write_session(work / "a" / "notes.md", *chain("x"))
    (work / "a" / "folder.jsonl").mkdir()
    (work / "a" / "link.jsonl").symlink_to(work / "a.jsonl")
    (work / "a" / "round").symlink_to(work / "a")
    store = store_at(tmp_path)
    assert subagent_rows([store], rows_of(store, tmp_path)) == []


def test_other_agents_have_no_subagents(tmp_path: Path) -> None:
    folder = tmp_path / "pi" / "--work--"
    write_session(folder / "a.jsonl", *chain("hello", id="top"))
    write_session(folder / "a" / "Scout.jsonl", *chain("x", id="scout"))
    store = store_at(tmp_path, "pi")
    assert subagent_rows([store], rows_of(store, tmp_path)) == []


def test_the_number_of_files_is_limited_and_only_their_ends_are_read(
    tmp_path: Path, work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []
    real = quick_summary.quick_summary

    def counted(path: str, agents: tuple[str, ...], mtime_ms: int) -> object:
        read.append(path)
        return real(path, agents, mtime_ms)

    for number in range(9):
        lines = chain("x", id=f"s{number}") if number % 3 else [header(id=""), "{}"]
        write_session(work / "a" / f"{number}.jsonl", *lines)
    store = store_at(tmp_path)
    rows = rows_of(store, tmp_path)
    monkeypatch.setattr(quick_summary, "quick_summary", counted)
    monkeypatch.setattr(subagents, "MOST", 5)
    assert {row.id for row in subagent_rows([store], rows)} <= {"", "s1", "s2", "s4"}
    assert len(read) == 5


def test_a_deleted_session_has_no_subagents(tmp_path: Path, work: Path) -> None:
    store = store_at(tmp_path)
    rows = rows_of(store, tmp_path)
    (work / "a.jsonl").unlink()
    assert subagent_rows([store], rows) == []
    assert subagent_rows([], rows) == []
