"""Which sessions of Claude Code are open: each process that has one notes it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from app.index.live_sessions import live_sessions, verdict_to_resume
from tests.factory import make_row
from tests.stores.test_live import NOW, Proc, judge, processes_in


@pytest.fixture
def proc(tmp_path: Path) -> Proc:
    return Proc(tmp_path / "proc")


@pytest.fixture
def work(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    return folder


def note(tmp_path: Path, process: int, **fields: Any) -> Path:
    path = tmp_path / f"home/.claude/sessions/{process}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"pid": process, "sessionId": "id", **fields}))
    return path


def started(proc: Proc, pid: int, ticks: int) -> None:
    """Write the facts of a process, whose name has brackets and spaces."""
    (proc.root / str(pid) / "stat").write_text(f"{pid} (a ) b) S {'1 ' * 18}{ticks} 0 0")


def state(tmp_path: Path, proc: Proc, work: Path, session_id: str = "id") -> str:
    """The state of a session of the folder `work` that changed just now and is its newest."""
    found = processes_in(tmp_path, proc)
    given = {"agent": "claude", "session_id": session_id, "mtime_ms": NOW, "newest_of_cwd": True}
    return judge(found, f"/s/{session_id}.jsonl", work, **given).state


def test_a_process_notes_its_session(tmp_path: Path, proc: Proc, work: Path) -> None:
    note(tmp_path, 41, sessionId="own", cwd="/w")
    proc.add(41, "claude", work)
    found = judge(processes_in(tmp_path, proc), "/s/own.jsonl", work, agent="claude", session_id="own")
    assert (found.state, found.reason, found.pid) == ("live", "process 41 notes that it has it open", 41)
    assert state(tmp_path, proc, work, "another") == "idle"


@pytest.mark.parametrize(
    ("fields", "activity"),
    [
        ({"status": "busy"}, "busy"),
        ({"status": "idle", "waitingFor": "input needed"}, "idle"),
        ({"status": "waiting", "waitingFor": "permission\x1b[1m prompt"}, "waiting: permission␛[1m prompt"),
        ({"status": "waiting", "waitingFor": 5}, "waiting"),
        ({"status": ["busy"]}, ""),
        ({"status": "shell"}, ""),
        ({}, ""),
    ],
)
def test_a_process_notes_what_it_does(
    tmp_path: Path, proc: Proc, work: Path, fields: dict[str, Any], activity: str
) -> None:
    note(tmp_path, 41, sessionId="own", **fields)
    proc.add(41, "claude", work)
    found = judge(processes_in(tmp_path, proc), "/s/own.jsonl", work, agent="claude", session_id="own")
    assert (found.state, found.activity) == ("live", activity)


def test_a_process_without_a_note_has_no_session(tmp_path: Path, proc: Proc, work: Path) -> None:
    proc.add(41, "claude", work)
    assert state(tmp_path, proc, work) == "maybe"
    # Versions that write notes make their folder, and other processes of these versions have no session.
    note(tmp_path, 40).unlink()
    assert state(tmp_path, proc, work) == "idle"
    note(tmp_path, 40, sessionId="id")
    assert state(tmp_path, proc, work) == "idle"


@pytest.mark.parametrize("content", ["[", "[]", '{"sessionId":5}', "{}", "[" * 100_000])
def test_a_note_that_cannot_be_read_tells_nothing(
    tmp_path: Path, proc: Proc, work: Path, content: str
) -> None:
    note(tmp_path, 41).write_text(content)
    proc.add(41, "claude", work)
    assert state(tmp_path, proc, work) == "maybe"


def test_the_note_of_a_process_that_crashed_does_not_count(tmp_path: Path, proc: Proc, work: Path) -> None:
    note(tmp_path, 41, procStart="900")
    assert state(tmp_path, proc, work) == "idle"
    proc.add(41, "claude", work)
    started(proc, 41, 901)
    assert state(tmp_path, proc, work) == "idle"
    started(proc, 41, 900)
    assert state(tmp_path, proc, work) == "live"
    note(tmp_path, 41, pid=7)
    assert state(tmp_path, proc, work) == "idle"


@pytest.mark.parametrize("facts", ["", "41", "41 (claude) S 1", "41 (claude)"])
def test_a_note_counts_if_the_start_of_its_process_is_not_known(
    tmp_path: Path, proc: Proc, work: Path, facts: str
) -> None:
    note(tmp_path, 41, procStart="900")
    proc.add(41, "claude", work)
    (proc.root / "41/stat").write_text(facts)
    assert state(tmp_path, proc, work) == "live"
    note(tmp_path, 41, procStart=["900"])
    started(proc, 41, 901)
    assert state(tmp_path, proc, work) == "live"


def test_a_session_that_is_open_in_another_folder_is_live(tmp_path: Path, proc: Proc, work: Path) -> None:
    note(tmp_path, 41)
    proc.add(41, "claude", work)
    row = make_row("id", agent="claude", cwd="/elsewhere", path="/s/id.jsonl")
    verdicts = live_sessions([row], processes_in(tmp_path, proc), NOW)
    assert [verdict.state for verdict in verdicts.values()] == ["live"]


def test_a_session_in_the_background_is_resumed_without_a_question(
    tmp_path: Path, proc: Proc, work: Path
) -> None:
    session = tmp_path / "id.jsonl"
    session.touch()
    proc.add(41, "claude", work, fds={7: session})
    asked = []
    for fields in ({}, {"kind": "interactive", "jobId": "j1"}, {"kind": "bg", "jobId": "j1"}):
        note(tmp_path, 41, **fields)
        found = processes_in(tmp_path, proc)
        asked.append(verdict_to_resume("claude", str(session), "id", str(work), found, NOW) is not None)
        assert state(tmp_path, proc, work) == "live"
    assert asked == [True, True, False]
