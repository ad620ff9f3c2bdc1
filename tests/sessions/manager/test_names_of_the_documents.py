"""The documented names of the agents' class exist here and do the same."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest
from leafmark import SessionManager

from app.sessions import NotASession, ReadOnly, WriteFailed
from app.sessions.manager import listing
from tests.factory import agents_session, chain, write_session
from tests.sessions.manager.conftest import ANSWER, USER, content

if TYPE_CHECKING:
    from pathlib import Path

    from tests.sessions.manager.conftest import Home


def test_get_path_equals_get_branch(home: Home) -> None:
    manager = home.answered()
    first, second = manager.get_entries()
    manager.branch(first.id)
    third = manager.append_message(USER)
    assert [entry.id for entry in manager.get_path()] == [first.id, third]
    assert manager.get_path(second.id) == manager.get_branch(second.id) == [first, second]
    assert manager.get_path("nope") == []


def sessions(folder: Path, count: int) -> list[str]:
    """Write sessions and return their paths, newest file time first; the times in the files are in the
    opposite order.
    """
    made = []
    for number in range(count):
        path = write_session(
            folder / f"{number}.jsonl",
            *chain("one"),
            {"type": "session_info", "id": "n", "name": f"n{number}"},
        )
        os.utime(path, ns=(0, (100 - number) * 10**9))
        made.append(str(path))
    return made


def test_recent_sessions_are_sorted_by_file_time(home: Home) -> None:
    folder = home.folder / "some"
    made = sessions(folder, 4)
    (folder / "newest.jsonl").write_text("no session\n")
    (folder / "notes.txt").write_text("none either\n")
    find = SessionManager.find_most_recent_session
    assert find(str(folder), env=home.env) == made[0]
    recent = SessionManager.get_recent_sessions(str(folder), 3, env=home.env)
    assert [(info.path, info.name) for info in recent] == [
        (path, f"n{number}") for number, path in enumerate(made[:3])
    ]
    assert SessionManager.get_recent_sessions(str(folder), 0, env=home.env) == []
    assert len(SessionManager.get_recent_sessions(str(folder), 99, env=home.env)) == 4
    for missing in (home.folder / "none", folder / "notes.txt"):
        assert find(str(missing), env=home.env) is None
        assert SessionManager.get_recent_sessions(str(missing), 3, env=home.env) == []


def test_only_the_requested_number_of_files_is_read(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    made = sessions(home.folder / "some", 9)
    read: list[str] = []
    real = listing.summarise
    monkeypatch.setattr(listing, "summarise", lambda path, *more: read.append(path) or real(path, *more))
    SessionManager.get_recent_sessions(str(home.folder / "some"), 2, env=home.env)
    assert read == made[:2]


def test_a_folder_in_a_store_has_sessions_of_its_agent(home: Home) -> None:
    made = home.answered("omp")
    (info,) = SessionManager.get_recent_sessions(made.session_dir, 5, env=home.env)
    assert (info.agent, info.path) == ("omp", made.session_file)
    (info,) = SessionManager.get_recent_sessions(made.session_dir, 5, agents=("pi",), env=home.env)
    assert info.path == made.session_file


def test_a_flush_writes_nothing_and_repeats_a_write_error(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    manager = home.create()
    manager.append_thinking_level_change("high")
    manager.flush()
    assert not os.path.exists(manager.session_file or "")
    manager.append_message(ANSWER)
    before = content(manager.session_file)
    manager.flush()
    assert content(manager.session_file) == before
    with monkeypatch.context() as patch:
        patch.setattr("os.write", lambda *_: (_ for _ in ()).throw(OSError(5, "bad disk")))
        with pytest.raises(WriteFailed):
            manager.append_message(USER)
    with pytest.raises(WriteFailed, match="bad disk"):
        manager.flush()
    SessionManager.in_memory("/x").flush()


def test_a_fork_records_its_reason(home: Home) -> None:
    folder = home.folder / ".config/agent/sessions"
    path = write_session(folder / "20260226-143012-a3f7c901.jsonl", *agents_session())
    reason = "Exploring alternative approach"
    fork = SessionManager.fork_from(
        str(path), "/w", str(home.folder / "new"), last=10, summary=reason, env=home.env
    )
    branch = json.loads(content(fork.session_file).splitlines()[1])
    assert (branch["type"], branch["branch_summary"]) == ("branch", reason)
    assert branch["parent_session_path"] == str(path)
    plain = SessionManager.fork_from(str(path), "/w", str(home.folder / "new"), env=home.env)
    assert "branch_summary" not in json.loads(content(plain.session_file).splitlines()[1])


def test_a_fork_without_a_place_for_its_reason_is_refused(home: Home) -> None:
    source = home.answered().session_file or ""
    with pytest.raises(ReadOnly, match="no place for a summary"):
        SessionManager.fork_from(source, "/w", str(home.folder / "new"), summary="why", env=home.env)
    assert not (home.folder / "new").exists()


def test_an_empty_file_opened_without_new_stays_empty(home: Home) -> None:
    path = home.folder / "empty.jsonl"
    path.touch()
    os.utime(path, ns=(1, 2))
    for call in (
        lambda: SessionManager.open(str(path), env=home.env, new=False),
        lambda: SessionManager.fork_from(str(path), "/w", env=home.env),
    ):
        with pytest.raises(NotASession):
            call()
    assert (path.read_bytes(), path.stat().st_mtime_ns) == (b"", 2)
