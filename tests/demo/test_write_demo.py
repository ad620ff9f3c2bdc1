"""The example sessions: places, spelling, and that they are the same every time.

Read here with `json` alone, so that a mistake of our own reader cannot hide one in the recorded files.
"""

from __future__ import annotations

import json
import os
import re
import tempfile
from pathlib import Path
from typing import Any

import pytest

from app.demo import GONE, write_demo
from app.formats import parse_time
from app.sessions import ABORTED, DONE, summarise
from app.stores import deeper, name_of, named, read_names, session_files
from app.view.formatting import short_id

NOW = 1_795_000_000_000
READ_ONLY = ("claude", "codex")


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[tuple[str, str]]]:
    folder = tmp_path_factory.mktemp("demo")
    return folder, write_demo(str(folder), NOW)


class File:
    """One session file, taken apart."""

    def __init__(self, agent: str, path: str) -> None:
        self.agent = agent
        self.path = path
        self.data = Path(path).read_bytes()
        self.bad = 0
        self.lines: list[dict[str, Any]] = []
        for line in self.data.splitlines():
            try:
                self.lines.append(json.loads(line))
            except ValueError:
                self.bad += 1
        self.slot = self.lines.pop(0) if self.lines[0].get("type") == "title" else None
        self.header = self.lines[0]
        self.entries = self.lines[1:]


@pytest.fixture(scope="module")
def files(demo: tuple[Path, list[tuple[str, str]]]) -> list[File]:
    found = []
    for store in named(demo[1], {}, "/nonexistent", "/nonexistent"):
        complaints: list[tuple[str, str]] = []
        for _, inside in session_files(store, complaints):
            if store.agent.name not in READ_ONLY:
                found += [File(store.agent.name, entry.path) for entry, _ in inside]
        assert not complaints
    return found


def snapshot(folder: Path) -> dict[str, tuple[bytes, int]]:
    return {
        str(path.relative_to(folder)): (path.read_bytes(), path.stat().st_mtime_ns)
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_the_same_bytes_and_times_every_time(tmp_path: Path) -> None:
    """Also when written a second time over the first."""
    write_demo(str(tmp_path), NOW)
    first = snapshot(tmp_path)
    write_demo(str(tmp_path), NOW)
    assert snapshot(tmp_path) == first
    write_demo(str(tmp_path / "later"), NOW + 86_400_000)
    assert {data for data, _ in snapshot(tmp_path / "later").values()} != {data for data, _ in first.values()}


def test_times_move_by_whole_seconds(tmp_path: Path) -> None:
    """A file of nickcecere/agent, whose times are in seconds, is then the same at any millisecond."""
    write_demo(str(tmp_path), NOW)
    first = snapshot(tmp_path)
    write_demo(str(tmp_path), NOW + 999)
    assert snapshot(tmp_path) == first
    write_demo(str(tmp_path / "later"), NOW + 1000)
    later = snapshot(tmp_path / "later")
    assert sorted(time for _, time in later.values()) == sorted(time + 10**9 for _, time in first.values())


def test_nothing_of_the_recording_is_left(tmp_path: Path) -> None:
    """The folder may have any name, also one that is no text."""
    for name in ("a_b", 'quote" and \\', "日本", "\udcff", "demo"):
        folder = tmp_path / name
        write_demo(str(folder), NOW)
        folders = set()
        for path in (folder / "home").rglob("*.*json*"):
            if path.name == "session_index.jsonl":
                continue
            text = path.read_bytes().decode()
            assert '"/demo/' not in text
            assert ">/demo/" not in text
            folders |= {json.loads(f'"{found}"') for found in re.findall(r'"cwd":"((?:[^"\\]|\\.)*)"', text)}
        assert folders == {
            str(folder / "work" / project)
            for project in ("shop", "site", "tidepool", "dotfiles", "weather-bot", GONE)
        }, name


def test_every_agent_project_and_dialect_is_there(files: list[File]) -> None:
    assert len(files) == 22
    assert {file.agent for file in files} == {"pi", "omp", "indusagi", "agent"}
    heads = [file.header for file in files]
    assert [head["kind"] for head in heads if head.get("schema") == "indus/transcript@1"] == ["head"]
    assert len([file for file in files if file.agent == "pi" and "version" not in file.header]) == 1
    assert len([file for file in files if file.agent == "omp" and file.slot is None]) == 1
    assert sum(file.bad for file in files) == 1
    assert max(len(file.entries) for file in files) > 380
    kinds = {entry.get("type") for file in files for entry in file.entries}
    assert kinds >= {
        "message",
        "label",
        "session_info",
        "title_change",
        "compaction",
        "branch_summary",
        "custom",
        "custom_message",
        "model_change",
        "thinking_level_change",
        "mode_change",
        "branch",
    }
    stops = {
        entry["message"].get("stopReason") for file in files for entry in file.entries if "message" in entry
    }
    assert stops >= {"stop", "toolUse", "error", "aborted", "length"}


def test_the_sessions_of_agents_that_are_only_read(demo: tuple[Path, list[tuple[str, str]]]) -> None:
    rows = {}
    for store in named(demo[1], {}, "/nonexistent", "/nonexistent"):
        if store.agent.name not in READ_ONLY:
            continue
        for _, inside in session_files(store, []):
            for entry, status in inside:
                row = summarise(entry.path, (store.agent.name,), 0).summary
                assert row is not None
                assert row.problems == 0
                assert row.modified <= status.st_mtime_ns // 1_000_000
                name = name_of(store, read_names(store.names), entry.path)
                rows[name or row.title] = row
    told = {
        title: (row.agent, row.branch_count, row.ending, row.message_count) for title, row in rows.items()
    }
    assert told == {
        "Forecasts that are a day old": ("claude", 2, DONE, 18),
        "replace the icon font by svg, one file per icon": ("claude", 1, DONE, 8),
        "Locked restic repository": ("codex", 1, DONE, 11),
        "list all pictures without an alt text": ("codex", 1, ABORTED, 6),
    }
    assert {os.path.basename(row.cwd) for row in rows.values()} == {"weather-bot", "site", "dotfiles"}
    assert len(list((demo[0] / "home" / ".claude").rglob("subagents/agent-*.jsonl"))) == 1


def test_ids_parents_and_targets(files: list[File]) -> None:
    """What keeps the real programs from failing
    (formats/README.md, "Rules for every write"): fresh ids, parents and targets before.
    """
    for file in files:
        if file.agent == "pi" and "version" not in file.header:
            assert not [entry for entry in file.entries if "id" in entry or "parentId" in entry]
            continue
        seen: set[str] = set()
        for entry in file.entries:
            assert entry["id"] not in seen, file.path
            for key in ("parentId", "parent_id", "prev", "targetId", "firstKeptEntryId", "fromId"):
                assert entry.get(key) is None or entry[key] in seen, (file.path, key)
            seen.add(entry["id"])
        assert len([entry for entry in file.entries if not _parent(entry)]) <= 2


def test_there_are_branches_and_labels_to_look_at(files: list[File]) -> None:
    branched = 0
    for file in files:
        parents = [_parent(entry) for entry in file.entries if _parent(entry)]
        branched += len(parents) > len(set(parents))
    assert branched >= 5
    assert len([entry for file in files for entry in file.entries if entry.get("type") == "label"]) >= 15


def test_forks_name_files_that_are_there(files: list[File]) -> None:
    by_path = {file.path: file for file in files}
    forks = [
        (file, by_path[file.header["parentSession"]]) for file in files if "parentSession" in file.header
    ]
    assert len(forks) == 2
    assert {child.header["cwd"] == parent.header["cwd"] for child, parent in forks} == {True, False}
    for child, parent in forks:
        assert {entry["id"] for entry in child.entries} & {entry["id"] for entry in parent.entries}
        created = child.header["timestamp"]
        kept = {entry["id"] for entry in parent.entries}
        for entry in child.entries:
            assert (entry["timestamp"] <= created) == (entry["id"] in kept)
    [branch] = [entry for file in files for entry in file.entries if entry.get("type") == "branch"]
    assert branch["parent_session_path"] in by_path
    assert branch["fork_entry_id"] in {
        entry["id"] for entry in by_path[branch["parent_session_path"]].entries
    }


def test_times_are_before_now_and_the_files_bear_them(files: list[File]) -> None:
    for file in files:
        times = [parse_time(entry.get("timestamp") or entry.get("at")) for entry in file.entries]
        known = [time for time in times if time is not None]
        assert len(known) == len(times)
        assert max(known) <= NOW
        assert abs(os.stat(file.path).st_mtime_ns // 1_000_000 - max(known)) < 1_000
    assert min(NOW - os.stat(file.path).st_mtime_ns // 1_000_000 for file in files) == 120_000


def test_files_lie_where_the_agents_would_put_them(
    demo: tuple[Path, list[tuple[str, str]]], files: list[File]
) -> None:
    home = demo[0] / "home"
    for file in files:
        parts = Path(file.path).relative_to(home).parts
        name = parts[-1]
        if file.agent == "agent":
            assert parts[:3] == (".config", "agent", "sessions")
            assert name.endswith(f"-{file.header['id'][:8]}.jsonl")
            continue
        if "schema" in file.header:
            assert parts[:2] == (".pindusagi", "sessions")
            assert name == f"{file.header['sessionId']}.ndjson"
            continue
        assert parts[:3] == (f".{file.agent}", "agent", "sessions")
        stamp = file.header["timestamp"].replace(":", "-").replace(".", "-")
        assert name == f"{stamp}_{file.header['id']}.jsonl"
        cwd = file.header["cwd"]
        # oh-my-pi gives every folder for temporary files the same name.
        below_tmp = "-tmp" + cwd.removeprefix(tempfile.gettempdir()).replace("/", "-")
        assert parts[3] == (below_tmp if file.agent == "omp" else f"-{cwd.replace('/', '-')}--")


def test_the_folders_of_projects_exist_but_one(
    demo: tuple[Path, list[tuple[str, str]]], files: list[File]
) -> None:
    folders = {file.header["cwd"] for file in files if "cwd" in file.header}
    assert {os.path.basename(folder) for folder in folders if not os.path.isdir(folder)} == {GONE}
    assert len(folders) == 6
    assert all(folder.startswith(str(demo[0])) for folder in folders)


def test_sub_agents_lie_beside_and_are_no_sessions(demo: tuple[Path, list[tuple[str, str]]]) -> None:
    omp = next(store for store in named(demo[1], {}, "/", "/") if store.agent.name == "omp")
    [(path, reason)] = deeper(omp)
    assert path.endswith("/0-scout.jsonl")
    assert reason.startswith("belongs to ")


def test_omp_slots_are_256_bytes(files: list[File]) -> None:
    slots = [file for file in files if file.slot is not None]
    assert len(slots) == 4
    assert {file.data.index(b"\n") for file in slots} == {255}
    assert {file.slot["title"] for file in slots if file.slot} >= {"Dark mode", ""}


def test_every_file_ends_with_a_newline(files: list[File]) -> None:
    assert all(file.data.endswith(b"\n") for file in files)


def _parent(entry: dict[str, Any]) -> str | None:
    return entry.get("parentId") or entry.get("parent_id") or entry.get("prev")


def test_the_ids_are_the_same_in_every_run_and_differ_at_their_beginning(tmp_path: Path) -> None:
    """A user copies the short id of one run into a command of the next one."""

    def ids(folder: Path) -> set[str]:
        return {path.stem.rpartition("_")[2] for path in folder.rglob("*Z_*.jsonl")}

    write_demo(str(tmp_path / "today"), NOW)
    write_demo(str(tmp_path / "tomorrow"), NOW + 86_400_000)

    today = ids(tmp_path / "today")
    assert today == ids(tmp_path / "tomorrow")
    assert len({short_id(session_id) for session_id in today}) == len(today) > 10
