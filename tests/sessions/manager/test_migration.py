"""An old file is migrated on disk only when an entry is written."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest

from tests.factory import write_session
from tests.sessions.manager.conftest import USER, content

if TYPE_CHECKING:
    from pathlib import Path

    from tests.sessions.manager.conftest import Home


def old(version: int | None) -> list[dict[str, Any] | str]:
    """Return the lines of a session of version 1 or 2, with a damaged line and a blank one."""
    head: dict[str, Any] = {"type": "session", "id": "s1", "timestamp": "2025-01-01T00:00:00Z", "cwd": "/w"}
    if version:
        head["version"] = version
    lines: list[dict[str, Any]] = [
        {"type": "message", "message": {"role": "user", "content": "one"}, "odd": 1.5},
        {"type": "message", "message": {"role": "hookMessage", "content": "hook", "big": 2**70}},
        {"type": "compaction", "summary": "s", "firstKeptEntryIndex": 2, "tokensBefore": 5},
        {"type": "message", "message": {"role": "assistant", "content": []}},
    ]
    if version == 2:
        for index, line in enumerate(lines):
            line |= {"id": f"e{index}", "parentId": f"e{index - 1}" if index else None}
        lines[2] = {**lines[2], "firstKeptEntryId": "e1"}
        del lines[2]["firstKeptEntryIndex"]
    first = json.dumps(lines[0]).replace("1.5", "1.50")
    return [head, first, "not json", "", *lines[1:]]


@pytest.fixture(params=[None, 2])
def path(request: pytest.FixtureRequest, home: Home) -> Path:
    path = write_session(home.folder / "old.jsonl", *old(request.param))
    path.chmod(0o640)
    os.utime(path, ns=(1, 2))
    return path


def test_an_old_file_reads_as_version_3(home: Home, path: Path) -> None:
    manager = home.open(path)
    entries = manager.get_entries()
    assert [entry.parent_id for entry in entries] == [None, *(entry.id for entry in entries[:-1])]
    assert len({entry.id for entry in entries}) == 4
    assert entries[1].raw["message"]["role"] == "custom"
    assert entries[2].raw["firstKeptEntryId"] == entries[1].id
    assert [message["role"] for message in manager.build_session_context().messages] == [
        "compactionSummary",
        "custom",
        "assistant",
    ]


def test_opening_an_old_file_writes_nothing(home: Home, path: Path) -> None:
    before = path.read_bytes()
    home.open(path).get_tree()
    assert (path.read_bytes(), path.stat().st_mtime_ns) == (before, 2)


def test_a_write_migrates_an_old_file_and_loses_nothing(home: Home, path: Path) -> None:
    manager = home.open(path)
    before = [entry.raw for entry in manager.get_entries()]
    added = manager.append_message(USER)
    lines = content(str(path)).split(b"\n")
    assert json.loads(lines[0])["version"] == 3
    assert lines[2:4] == [b"not json", b""]
    assert b"1.50" in lines[1]
    assert json.loads(lines[1]).get("parentId", "missing") is None
    assert str(2**70).encode() in lines[4]
    assert path.stat().st_mode & 0o777 == 0o640
    again = home.open(path)
    assert [entry.raw for entry in again.get_entries()][:-1] == before
    assert again.leaf_id == added
    assert os.listdir(home.folder) == ["old.jsonl"]


def test_an_old_file_is_rewritten_only_once(home: Home, path: Path) -> None:
    manager = home.open(path)
    manager.append_message(USER)
    inode, size = path.stat().st_ino, path.stat().st_size
    manager.append_message(USER)
    home.open(path).append_message(USER)
    assert path.stat().st_ino == inode
    assert path.stat().st_size > size


def test_a_branched_session_of_an_old_file_has_version_3(home: Home, path: Path) -> None:
    manager = home.open(path)
    before = path.read_bytes()
    new = manager.create_branched_session(manager.leaf_id or "")
    assert path.read_bytes() == before
    again = home.open(new or "")
    assert again.header["version"] == 3
    assert again.get_entries()[1].raw["message"] == {"role": "custom", "content": "hook", "big": 2**70}


def test_a_fork_of_an_old_file_has_version_3(home: Home, path: Path) -> None:
    fork = type(home.open(path)).fork_from(str(path), "/w2", env=home.env)
    assert fork.header["version"] == 3
    assert len(fork.get_branch()) == 4
