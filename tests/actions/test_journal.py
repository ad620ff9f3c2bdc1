"""What leafmark did is noted, so that another run can take it back (issue 5)."""

from __future__ import annotations

import json
import os
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from app.actions import journal as module
from app.actions.journal import NAME, Journal
from app.sessions.change import Change
from tests.waiting import ends

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "state"


def named(name: str) -> Change:
    """A change of a name."""
    return Change("name", "/s.jsonl", "e1", before="old", after=name, agent="pi", session_id="s")


def last(journal: Journal) -> tuple[int, Change] | None:
    standing = journal.standing()
    return (standing[-1].number, standing[-1].change) if standing else None


def test_the_last_that_stands_is_the_last(folder: Path) -> None:
    journal = Journal(str(folder))
    assert last(journal) is None
    moved = Change("trash", "/s\udc80.jsonl", "", before="/s", after="/t", moves=(("/s", "/t"), ("/a", "")))
    numbers = [journal.record(change) for change in (named("one"), named("\x1b[1m"), moved)]
    assert len(set(numbers)) == 3
    for number, change in zip(reversed(numbers), (moved, named("\x1b[1m"), named("one")), strict=True):
        assert last(Journal(str(folder))) == (number, change)
        journal.taken_back(number)
    assert last(journal) is None
    assert journal.record(named("again")) not in numbers


def test_it_is_the_users_own(folder: Path) -> None:
    Journal(str(folder)).record(named("one"))
    assert folder.stat().st_mode & 0o077 == 0
    assert (folder / NAME).stat().st_mode & 0o077 == 0


def test_what_was_so_before_is_not_noted(folder: Path) -> None:
    journal = Journal(str(folder))
    for change in (
        Change("label", "/s", "", before="x", after="x", target_id="e"),
        Change("pin", "/pins.json", "", before="pinned", after="pinned"),
    ):
        assert change.is_nothing
        assert journal.record(change) == 0
    assert last(journal) is None
    for change in (
        Change("label", "/s", "", before=None, after="x", target_id="e"),
        Change("file", "/s", "", before="/r", after="/s"),
        Change("delete", "/s", "", before="/s", moves=(("/s", ""),)),
    ):
        assert not change.is_nothing
        assert journal.record(change) > 0


def test_what_is_damaged_or_of_another_version_is_passed_over(folder: Path) -> None:
    journal = Journal(str(folder))
    number = journal.record(named("one"))
    strange = [
        b"\xff\xfe",
        b"null",
        b"[" * 100_000,
        b'{"number": "x"}',
        json.dumps({"number": 7, "at": 1, "change": {"kind": "name", "path": "/s", "new": 1}}).encode(),
        json.dumps({"number": 8, "at": 1, "change": {"kind": "trash", "path": "/s", "moves": [1]}}).encode(),
        b'{"taken_back": 99}',
        b'{"number": 9, "at": 1, "chan',
    ]
    with open(folder / NAME, "ab") as file:
        file.write(b"\n".join(strange))
    assert last(journal) == (number, named("one"))
    journal.record(named("two"))
    assert journal.standing()[-1].change == named("two")


def test_it_does_not_grow_for_ever(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "KEPT", 20)
    monkeypatch.setattr(module, "_MORE", 10)
    journal = Journal(str(folder))
    for at in range(100):
        number = journal.record(named(str(at)))
        if at % 3 == 0:
            journal.taken_back(number)
    assert len((folder / NAME).read_bytes().splitlines()) <= 31
    standing = [recorded.change.after for recorded in journal.standing()]
    assert standing == [str(at) for at in range(100) if at % 3][-len(standing) :]
    assert len(standing) > 10
    assert sorted(os.listdir(folder)) == [NAME, f"{NAME}.lock"]


def test_what_was_done_together_stands_together(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal = Journal(str(folder))
    alone = journal.record(named("alone"))
    first = journal.record(named("one"))
    between = journal.record(named("between"))
    second = journal.record(named("two"), first)
    numbers = [[each.number for each in action] for action in journal.actions()]
    assert numbers == [[alone], [between], [first, second]]
    journal.taken_back(first)
    journal.told(second)
    monkeypatch.setattr(module, "_MORE", -module.KEPT)  # so that it is written anew
    journal.record(named("last"))
    assert [(each.number, each.is_told) for each in journal.actions()[2]] == [(second, True)]


def test_lines_of_before_there_were_actions_stand_alone(folder: Path) -> None:
    journal = Journal(str(folder))
    journal.record(named("one"))
    line = json.loads((folder / NAME).read_text())
    del line["action"], line["told"]
    (folder / NAME).write_text(json.dumps(line) + "\n" + json.dumps({**line, "number": 2}) + "\n")
    assert [len(action) for action in journal.actions()] == [1, 1]
    assert not journal.standing()[0].is_told


def test_several_at_once_lose_nothing_and_share_no_number(folder: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        numbers = list(pool.map(lambda at: Journal(str(folder)).record(named(str(at))), range(40)))
    assert sorted(numbers) == list(range(1, 41))
    assert {recorded.change.after for recorded in Journal(str(folder)).standing()} == set(map(str, range(40)))


def test_where_it_cannot_be_written_that_is_said_and_reading_goes_on(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("no folder")
    journal = Journal(str(tmp_path / "state"))
    assert last(journal) is None
    with pytest.raises(OSError, match="state"):
        journal.record(named("one"))
    with pytest.raises(OSError, match="state"):
        journal.taken_back(1)


def test_a_pipe_in_its_place_is_not_waited_for(folder: Path) -> None:
    folder.mkdir()
    os.mkfifo(folder / NAME)
    journal = Journal(str(folder))
    assert ends(lambda: last(journal)) is None
    with pytest.raises(OSError, match=NAME):
        ends(lambda: journal.record(named("one")))
