"""Damaged lines are skipped and reported with a class for each cause, and the rest of the file is read."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from leafmark import SessionError

from app.sessions import (
    BadEncoding,
    DamagedLine,
    DuplicateId,
    LongLine,
    NulBytes,
    ParentLoop,
    TornLine,
    UnknownLabelTarget,
    UnknownParent,
)
from tests.factory import chain, entry
from tests.sessions.manager.conftest import USER, content

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from leafmark import SessionManager

    from tests.sessions.manager.conftest import Home

    Make = Callable[..., SessionManager]


def write(folder: Path, *extra: bytes) -> Path:
    path = folder / "damaged.jsonl"
    import json

    path.write_bytes(
        b"".join(json.dumps(line).encode() + b"\n" for line in chain("one", "two")) + b"".join(extra)
    )
    # The file is old, because a write waits for the end of a new unfinished line.
    os.utime(path, (1, 1))
    return path


def test_each_damage_has_its_class_and_its_line(home: Home) -> None:
    path = write(
        home.folder,
        b"not json\n",
        b"\0\0\0\n",
        b'{"type":"custom","id":"u","parentId":null,"data":"\xff"}\n',
        b'{"type":"custom","id":"u","parentId":"u"}\n',
        b'{"type":"custom","id":"o","parentId":"gone"}\n',
        b'{"type":"custom","id":"x","parentId":"y"}\n',
        b'{"type":"custom","id":"y","parentId":"x"}\n',
        b'{"type":"label","id":"l","parentId":"o","targetId":"gone","label":"L"}\n',
        b'{"type":"mess',
    )
    manager = home.open(path)
    assert [(type(problem), problem.line) for problem in manager.problems] == [
        (DamagedLine, 4),
        (NulBytes, 5),
        (BadEncoding, 6),
        (DuplicateId, 6),
        (DuplicateId, 7),
        (UnknownParent, 8),
        (ParentLoop, 9),
        (UnknownLabelTarget, 11),
        (TornLine, 12),
    ]
    assert all(
        isinstance(problem, SessionError) and problem.path == str(path) for problem in manager.problems
    )
    assert str(manager.problems[0]).startswith(f"{path}:4: ")
    assert len(manager.get_entries()) == 8


def test_a_whole_file_has_no_problems(home: Home) -> None:
    assert home.open(write(home.folder)).problems == []


def test_a_line_of_100_megabytes_is_read(home: Home) -> None:
    path = write(
        home.folder, b'{"type":"custom","id":"b","parentId":"00000002","data":"', b"x" * 100_000_000, b'"}\n'
    )
    manager = home.open(path)
    assert manager.leaf_id == "b"
    manager.append_message(USER)
    assert home.open(path).leaf_id == manager.leaf_id
    assert [type(problem) for problem in manager.problems] == [LongLine]


def test_unknown_types_and_fields_are_kept(session: Make) -> None:
    odd = {**entry("from_the_future", "f", "00000001"), "field": {"deep": [1]}}
    manager = session(*chain("one"), odd)
    assert manager.get_entries()[1].raw == odd
    manager.create_branched_session("f")
    assert {**manager.get_entries()[1].raw, "parentId": odd["parentId"]} == odd


def test_a_torn_last_line_is_ended_and_kept(home: Home) -> None:
    path = write(home.folder, b'{"type":"mess')
    manager = home.open(path)
    added = manager.append_message(USER)
    assert content(str(path)).split(b"\n")[3] == b'{"type":"mess'
    again = home.open(path)
    assert again.leaf_id == added == manager.leaf_id
    entry_read = again.get_entry(added)
    assert entry_read is not None
    assert entry_read.parent_id == "00000002"
    assert [type(problem) for problem in again.problems] == [DamagedLine]


def test_a_whole_last_line_without_a_newline_is_an_entry(home: Home) -> None:
    path = write(home.folder, b'{"type":"custom","id":"c","parentId":"00000002"}')
    manager = home.open(path)
    assert (manager.leaf_id, manager.problems) == ("c", [])
    added = manager.append_message(USER)
    entry_read = home.open(path).get_entry(added)
    assert entry_read is not None
    assert entry_read.parent_id == "c"
    assert len(manager.get_entries()) == 4


def test_a_line_that_is_finished_later_is_no_problem(home: Home) -> None:
    path = write(home.folder, b'{"type":"custom","id":"c",')
    manager = home.open(path)
    assert [type(problem) for problem in manager.problems] == [TornLine]
    with path.open("ab") as file:
        file.write(b'"parentId":"00000002"}\n{"type":"cus')
    assert manager.refresh()
    assert manager.leaf_id == "c"
    assert [(type(problem), problem.line) for problem in manager.problems] == [(TornLine, 5)]
