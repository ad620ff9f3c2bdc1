"""Migrations happen on disk only with a real write."""

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
    """A session of version 1 or 2, with a line that is none and a blank one."""
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
        for at, line in enumerate(lines):
            line |= {"id": f"e{at}", "parentId": f"e{at - 1}" if at else None}
        lines[2] = {**lines[2], "firstKeptEntryId": "e1"}
        del lines[2]["firstKeptEntryIndex"]
    first = json.dumps(lines[0]).replace("1.5", "1.50")
    return [head, first, "not json", "", *lines[1:]]


@pytest.fixture(params=[None, 2])
def path(request: pytest.FixtureRequest, home: Home) -> Path:
    found = write_session(home.folder / "old.jsonl", *old(request.param))
    found.chmod(0o640)
    os.utime(found, ns=(1, 2))
    return found


def test_an_old_file_reads_as_version_3(home: Home, path: Path) -> None:
    manager = home.open(path)
    entries = manager.get_entries()
    assert [found.parent_id for found in entries] == [None, *(found.id for found in entries[:-1])]
    assert len({found.id for found in entries}) == 4
    assert entries[1].raw["message"]["role"] == "custom"
    assert entries[2].raw["firstKeptEntryId"] == entries[1].id
    assert [said["role"] for said in manager.build_session_context().messages] == [
        "compactionSummary",
        "custom",
        "assistant",
    ]


def test_opening_it_writes_nothing(home: Home, path: Path) -> None:
    before = path.read_bytes()
    home.open(path).get_tree()
    assert (path.read_bytes(), path.stat().st_mtime_ns) == (before, 2)


def test_a_write_makes_it_a_file_of_version_3_with_nothing_lost(home: Home, path: Path) -> None:
    manager = home.open(path)
    before = [found.raw for found in manager.get_entries()]
    added = manager.append_message(USER)
    lines = content(str(path)).split(b"\n")
    assert json.loads(lines[0])["version"] == 3
    assert lines[2:4] == [b"not json", b""]
    assert b"1.50" in lines[1]
    assert json.loads(lines[1]).get("parentId", "missing") is None
    assert str(2**70).encode() in lines[4]
    assert path.stat().st_mode & 0o777 == 0o640
    again = home.open(path)
    assert [found.raw for found in again.get_entries()][:-1] == before
    assert again.leaf_id == added
    assert os.listdir(home.folder) == ["old.jsonl"]


def test_it_is_written_anew_only_once(home: Home, path: Path) -> None:
    manager = home.open(path)
    manager.append_message(USER)
    inode, size = path.stat().st_ino, path.stat().st_size
    manager.append_message(USER)
    home.open(path).append_message(USER)
    assert path.stat().st_ino == inode
    assert path.stat().st_size > size


def test_a_branch_of_an_old_file_is_one_of_version_3(home: Home, path: Path) -> None:
    manager = home.open(path)
    before = path.read_bytes()
    new = manager.create_branched_session(manager.leaf_id or "")
    assert path.read_bytes() == before
    again = home.open(new or "")
    assert again.header["version"] == 3
    assert again.get_entries()[1].raw["message"] == {"role": "custom", "content": "hook", "big": 2**70}


def test_a_fork_of_an_old_file_is_one_of_version_3(home: Home, path: Path) -> None:
    fork = type(home.open(path)).fork_from(str(path), "/w2", env=home.env)
    assert fork.header["version"] == 3
    assert len(fork.get_branch()) == 4
