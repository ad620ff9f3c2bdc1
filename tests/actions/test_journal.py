"""What leafmark did is noted, so that another run can take it back."""

from __future__ import annotations

import errno
import json
import os
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from app.actions import journal as module
from app.actions.journal import NAME, Journal
from app.sessions.manager.change import Change
from tests.waiting import ends

if TYPE_CHECKING:
    from pathlib import Path

DECODER = json.JSONDecoder()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "state"


def named(name: str) -> Change:
    """A change of a name."""
    return Change("name", "/s.jsonl", "e1", before="old", after=name, agent="pi", session_id="s")


def last(journal: Journal) -> tuple[int, Change] | None:
    standing = journal.active()
    return (standing[-1].number, standing[-1].change) if standing else None


def test_the_last_that_stands_is_the_last(folder: Path) -> None:
    journal = Journal(str(folder))
    assert last(journal) is None
    moved = Change("trash", "/s\udc80.jsonl", "", before="/s", after="/t", moves=(("/s", "/t"), ("/a", "")))
    numbers = [journal.record(change) for change in (named("one"), named("\x1b[1m"), moved)]
    assert len(set(numbers)) == 3
    for number, change in zip(reversed(numbers), (moved, named("\x1b[1m"), named("one")), strict=True):
        assert last(Journal(str(folder))) == (number, change)
        journal.mark_undone(number)
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
    assert journal.active()[-1].change == named("two")


def together(journal: Journal, *names: str) -> int:
    """Note changes of one action; its number."""
    action = 0
    for name in names:
        number = journal.record(named(name), action)
        action = action or number
    return action


def names_of(journal: Journal) -> list[list[str | None]]:
    return [[each.change.after for each in steps] for steps in journal.actions()]


def test_it_does_not_grow_for_ever(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "KEPT_ACTIONS", 20)
    monkeypatch.setattr(module, "_SLACK", 10)
    journal = Journal(str(folder))
    for at in range(100):
        number = journal.record(named(str(at)))
        if at % 3 == 0:
            journal.mark_undone(number)
    data = (folder / NAME).read_bytes()
    assert data.count(b'"change"') <= 30
    assert data.count(b"\n") <= 40
    standing = [recorded.change.after for recorded in journal.active()]
    assert standing == [str(at) for at in range(100) if at % 3][-len(standing) :]
    assert len(standing) > 10
    assert sorted(os.listdir(folder)) == [NAME, f"{NAME}.lock"]


def test_no_action_is_cut_in_two_and_none_pushes_another_out(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "KEPT_ACTIONS", 3)
    monkeypatch.setattr(module, "_SLACK", 2)
    journal = Journal(str(folder))
    many = [f"m{at}" for at in range(50)]
    for names in (["one"], ["two"], many):
        together(journal, *names)
    assert names_of(journal) == [["one"], ["two"], many]
    together(journal, "three")
    together(journal, "four")
    assert names_of(journal) == [["one"], ["two"], many, ["three"], ["four"]]
    # now they are too many: three stay, and what goes is gone whole
    together(journal, "five")
    assert names_of(journal) == [["three"], ["four"], ["five"]]


def test_what_was_done_last_to_many_is_kept_whole(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "KEPT_ACTIONS", 3)
    monkeypatch.setattr(module, "_SLACK", 2)
    journal = Journal(str(folder))
    for at in range(5):
        together(journal, str(at))
    many = [f"m{at}" for at in range(50)]
    together(journal, *many)
    assert names_of(journal) == [["3"], ["4"], many]
    numbers = [each.number for each in journal.active()]
    assert numbers == sorted(set(numbers))
    for each in journal.actions()[-1]:
        journal.mark_undone(each.number)
    assert names_of(journal) == [["3"], ["4"]]
    assert together(journal, "next") > max(numbers)


def test_of_a_long_file_the_oldest_actions_go_and_the_last_one_stays_whole(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "KEPT_BYTES", 10_000)
    journal = Journal(str(folder))
    for at in range(100):
        together(journal, str(at))
        assert (folder / NAME).stat().st_size < 11_000
    kept = names_of(journal)
    assert 10 < len(kept) < 90
    assert kept == [[str(at)] for at in range(100)][-len(kept) :]
    many = [f"m{at}" for at in range(100)]
    together(journal, *many)
    assert names_of(journal)[-1] == many
    together(journal, "after")
    assert names_of(journal) == [many, ["after"]]


def test_notes_that_nobody_needs_go(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "KEPT_ACTIONS", 20)
    monkeypatch.setattr(module, "_SLACK", 10)
    journal = Journal(str(folder))
    number = together(journal, "one")
    for _ in range(50):
        journal.mark_reported(number)
    together(journal, "two")
    assert names_of(journal) == [["one"], ["two"]]
    assert journal.active()[0].is_reported
    assert (folder / NAME).read_bytes().count(b"\n") == 2


def test_a_change_costs_the_same_after_many(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal = Journal(str(folder))
    action = together(journal, *map(str, range(3_000)))
    parsed = []
    monkeypatch.setattr(json, "loads", lambda line: parsed.append(line) or DECODER.decode(line.decode()))
    read = []
    monkeypatch.setattr(Journal, "_read", lambda journal: read.append(journal))
    number = journal.record(named("one more"), action)
    assert (number, len(parsed), read) == (3_001, 1, [])
    for taken in range(1, 100):
        journal.mark_undone(taken)
    assert (len(parsed), read) == (1, [])


def test_a_journal_of_before_is_read_as_it_is(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An earlier leafmark counted changes, and cut what was done to many in two."""
    folder.mkdir()
    lines = [
        {
            "number": number,
            "at": 1,
            "action": 5,
            "stands": True,
            "told": False,
            "change": {"kind": "name", "path": "/s.jsonl", "after": str(number)},
        }
        for number in range(9, 1_209)
    ]
    (folder / NAME).write_text("".join(json.dumps(line) + "\n" for line in lines))
    journal = Journal(str(folder))
    assert names_of(journal) == [[str(number) for number in range(9, 1_209)]]
    assert journal.record(named("one")) == 1_209
    assert [len(names) for names in names_of(journal)] == [1_200, 1]


def test_what_was_done_together_stands_together(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal = Journal(str(folder))
    alone = journal.record(named("alone"))
    first = journal.record(named("one"))
    between = journal.record(named("between"))
    second = journal.record(named("two"), first)
    numbers = [[each.number for each in action] for action in journal.actions()]
    assert numbers == [[alone], [between], [first, second]]
    journal.mark_undone(first)
    journal.mark_reported(second)
    monkeypatch.setattr(module, "_SLACK", -module.KEPT_ACTIONS)  # so that it is written anew
    journal.record(named("last"))
    assert [(each.number, each.is_reported) for each in journal.actions()[2]] == [(second, True)]


def test_lines_of_before_there_were_actions_stand_alone(folder: Path) -> None:
    journal = Journal(str(folder))
    journal.record(named("one"))
    line = json.loads((folder / NAME).read_text())
    del line["action"], line["told"]
    (folder / NAME).write_text(json.dumps(line) + "\n" + json.dumps({**line, "number": 2}) + "\n")
    assert [len(action) for action in journal.actions()] == [1, 1]
    assert not journal.active()[0].is_reported


def test_several_at_once_lose_nothing_and_share_no_number(folder: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        numbers = list(pool.map(lambda at: Journal(str(folder)).record(named(str(at))), range(40)))
    assert sorted(numbers) == list(range(1, 41))
    assert {recorded.change.after for recorded in Journal(str(folder)).active()} == set(map(str, range(40)))


def test_where_it_cannot_be_written_that_is_said_and_reading_goes_on(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("no folder")
    journal = Journal(str(tmp_path / "state"))
    assert last(journal) is None
    with pytest.raises(OSError, match="state"):
        journal.record(named("one"))
    with pytest.raises(OSError, match="state"):
        journal.mark_undone(1)


def test_what_fits_on_the_disk_only_in_part_is_not_noted(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The system takes what there is room for, and says so by a number alone."""
    journal = Journal(str(folder))
    journal.record(named("one"))
    before = (folder / NAME).read_bytes()
    really = os.write
    monkeypatch.setattr(os, "write", lambda descriptor, data: really(descriptor, data[: len(data) // 2]))
    for note in (lambda: journal.record(named("two")), lambda: journal.mark_undone(1)):
        with pytest.raises(OSError, match=NAME) as error:
            note()
        assert error.value.errno == errno.ENOSPC
        assert (folder / NAME).read_bytes() == before
    monkeypatch.undo()
    assert journal.record(named("two")) == 2


def test_a_pipe_in_its_place_is_not_waited_for(folder: Path) -> None:
    folder.mkdir()
    os.mkfifo(folder / NAME)
    journal = Journal(str(folder))
    assert ends(lambda: last(journal)) is None
    with pytest.raises(OSError, match=NAME):
        ends(lambda: journal.record(named("one")))


def test_a_journal_with_gigabytes_of_nul_bytes_is_read_and_thinned_out(folder: Path) -> None:
    journal = Journal(str(folder))
    numbers = [journal.record(named(name)) for name in ("one", "two")]
    path = folder / NAME
    os.truncate(path, 8 << 30)
    tracemalloc.start()
    try:
        assert names_of(journal) == [["one"], ["two"]]
        journal.mark_undone(numbers[1])
        assert names_of(journal) == [["one"]]
        assert journal.record(named("three")) > numbers[1]
        assert names_of(journal) == [["one"], ["three"]]
        assert tracemalloc.get_traced_memory()[1] < 600 << 20
    finally:
        tracemalloc.stop()
    assert path.stat().st_size < 10_000


def test_of_a_journal_that_is_too_long_only_the_end_is_read(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_LONGEST", 3_000)
    journal = Journal(str(folder))
    for number in range(100):
        journal.record(named(str(number)))
    kept = [name for (name,) in names_of(journal)]
    assert kept == [str(number) for number in range(100 - len(kept), 100)]
    assert 2 < len(kept) < 20


def test_blank_lines_in_a_journal_are_not_parsed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal = Journal(str(folder))
    journal.record(named("one"))
    with open(folder / NAME, "ab") as file:
        file.write(b"\r\n" * 1_000_000)
    journal.record(named("two"))
    parsed = []
    monkeypatch.setattr(json, "loads", lambda line: parsed.append(line) or DECODER.decode(line.decode()))
    assert names_of(journal) == [["one"], ["two"]]
    assert len(parsed) == 2
