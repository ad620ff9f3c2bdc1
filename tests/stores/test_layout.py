"""Which files of a store are sessions (formats/README.md, "pi")."""

from __future__ import annotations

import os
import socket
from typing import TYPE_CHECKING

import pytest
from leafmark import Store

from app.stores import agent_named, deeper, listed_folders, session_files

if TYPE_CHECKING:
    from pathlib import Path


def listed(root: Path, agent: str = "pi") -> tuple[list[str], dict[str, str]]:
    """Return the paths of the sessions and the complaints, relative to the root."""
    complaints: list[tuple[str, str]] = []
    folders = list(session_files(Store(agent_named(agent), str(root)), complaints))
    assert all(os.path.dirname(entry.path) == folder for folder, files in folders for entry, _ in files)
    paths = sorted(os.path.relpath(entry.path, root) for _, files in folders for entry, _ in files)
    return paths, {os.path.relpath(path, root): reason for path, reason in complaints}


def make(root: Path, *names: str) -> None:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("x")


def test_only_two_levels_of_folders_are_listed(tmp_path: Path) -> None:
    make(tmp_path, "flat.jsonl", "--a--/one.jsonl", "--a--/note.txt", "--a--/deep/two.jsonl", "x.ndjson")
    assert listed(tmp_path) == (["--a--/one.jsonl", "flat.jsonl"], {})
    assert listed(tmp_path, "indusagi")[0] == ["--a--/one.jsonl", "flat.jsonl", "x.ndjson"]
    store = Store(agent_named("pi"), str(tmp_path))
    assert list(deeper(store)) == [(str(tmp_path / "--a--/deep/two.jsonl"), "deeper than the agents look")]


def test_each_session_is_listed_with_its_stat(tmp_path: Path) -> None:
    make(tmp_path, "one.jsonl")
    os.utime(tmp_path / "one.jsonl", ns=(1, 7))
    [(folder, [(entry, status)])] = session_files(Store(agent_named("pi"), str(tmp_path)), [])
    assert (folder, entry.name) == (str(tmp_path), "one.jsonl")
    assert (status.st_mtime_ns, status.st_size) == (7, 1)


def test_artifacts_of_a_session_are_not_sessions(tmp_path: Path) -> None:
    make(tmp_path, "s.jsonl", "s/0-scout.jsonl", "-w/t.jsonl", "-w/t/0-scout.jsonl", "-w/t/more/1.jsonl")
    assert listed(tmp_path, "omp") == (["-w/t.jsonl", "s.jsonl"], {})
    reasons = {os.path.relpath(path, tmp_path): reason for path, reason in deeper(_store(tmp_path))}
    assert reasons == {
        "s/0-scout.jsonl": "belongs to s.jsonl",
        "-w/t/0-scout.jsonl": "belongs to t.jsonl",
        "-w/t/more/1.jsonl": "belongs to t.jsonl",
    }


def test_links_are_followed_once_and_loops_end(tmp_path: Path) -> None:
    root = tmp_path / "sessions"
    make(root, "--a--/one.jsonl")
    make(tmp_path, "outside/two.jsonl")
    for name in ("linked", "linked-again"):
        (root / name).symlink_to(tmp_path / "outside")
    (root / "self").symlink_to(root)
    (root / "inside").symlink_to(root / "--a--")
    (root / "--a--" / "up").symlink_to(root)
    (root / "--a--" / "loop.jsonl").symlink_to("loop.jsonl")
    (root / "gone.jsonl").symlink_to("nowhere")
    paths, complaints = listed(root)
    assert [path for path in paths if "two" not in path] == ["--a--/one.jsonl"]
    assert len([path for path in paths if path.endswith("two.jsonl")]) == 1
    twice = {
        path for path, reason in complaints.items() if reason == "a link to a folder that is listed already"
    }
    assert {"self", "inside"} < twice
    assert len(twice & {"linked", "linked-again"}) == 1
    assert {path: reason for path, reason in complaints.items() if path not in twice} == {
        "--a--/loop.jsonl": "a link that leads back to itself",
        "gone.jsonl": "a link that leads nowhere",
    }
    assert not list(deeper(_store(root)))


def test_entries_that_are_not_files_are_reported(tmp_path: Path) -> None:
    make(tmp_path, "dir.jsonl/one.jsonl", "-dir.jsonl/one.jsonl", "a/b.jsonl/c.txt")
    os.mkfifo(tmp_path / "pipe.jsonl")
    with socket.socket(socket.AF_UNIX) as server:
        here = os.getcwd()
        os.chdir(tmp_path)  # The path of a socket must be short.
        try:
            server.bind("socket.jsonl")
        finally:
            os.chdir(here)
        paths, complaints = listed(tmp_path)
    assert paths == ["-dir.jsonl/one.jsonl", "dir.jsonl/one.jsonl"]
    assert complaints == {
        "dir.jsonl": "a folder, not a file",
        "a/b.jsonl": "a folder, not a file",
        "pipe.jsonl": "not a regular file",
        "socket.jsonl": "not a regular file",
    }


def test_a_root_that_cannot_be_listed_is_reported(tmp_path: Path) -> None:
    assert listed(tmp_path / "nowhere") == ([], {})
    make(tmp_path, "file")
    assert listed(tmp_path / "file") == ([], {".": "not a folder"})


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_an_unreadable_folder_is_reported(tmp_path: Path) -> None:
    make(tmp_path, "a/one.jsonl", "b/two.jsonl")
    (tmp_path / "a").chmod(0)
    try:
        assert listed(tmp_path) == (["b/two.jsonl"], {"a": "not readable"})
    finally:
        (tmp_path / "a").chmod(0o700)


def test_a_folder_that_fails_for_any_user_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(tmp_path, "a/one.jsonl", "b/two.jsonl")
    scan = os.scandir

    def refusing(path: str) -> object:
        if path.endswith("/a"):
            raise PermissionError(13, "Permission denied", path)
        return scan(path)

    monkeypatch.setattr("app.stores.layout.os.scandir", refusing)
    assert listed(tmp_path) == (["b/two.jsonl"], {"a": "not readable"})


def _store(root: Path) -> Store:
    return Store(agent_named("omp"), str(root))


def test_a_store_of_codex_has_a_folder_for_each_day(tmp_path: Path) -> None:
    day, older = "2026/02/23", "archived_sessions"
    make(tmp_path, f"{day}/one.jsonl", "2026/02/two.jsonl", "flat.jsonl", f"{day}/deep/three.jsonl")
    make(tmp_path, f"{day}/old.jsonl.zst", f"{older}/four.jsonl")
    paths, complaints = listed(tmp_path, "codex")
    assert paths == [f"{day}/one.jsonl", "2026/02/two.jsonl", f"{older}/four.jsonl", "flat.jsonl"]
    assert complaints == {
        f"{day}/old.jsonl.zst": "compressed, and leafmark does not read compressed sessions"
    }
    store = Store(agent_named("codex"), str(tmp_path))
    assert [os.path.relpath(path, tmp_path) for path, _ in deeper(store)] == [f"{day}/deep/three.jsonl"]
    assert {os.path.relpath(folder, tmp_path) for folder in listed_folders(store)} == {
        *(".", "2026", "2026/02", day, older)
    }
    assert [
        path for path in (*paths, f"{day}/deep/three.jsonl") if store.may_list(str(tmp_path / path))
    ] == paths


def test_files_of_sub_agents_among_the_sessions_of_claude_are_none(tmp_path: Path) -> None:
    make(tmp_path, "-w/s.jsonl", "-w/agent-1.jsonl", "-w/s/subagents/agent-2.jsonl", "-w/memory/x.md")
    assert listed(tmp_path, "claude") == (["-w/s.jsonl"], {})
    store = Store(agent_named("claude"), str(tmp_path))
    assert [reason for _, reason in deeper(store)] == ["belongs to s.jsonl"]
    assert not store.may_list(str(tmp_path / "-w/agent-1.jsonl"))
