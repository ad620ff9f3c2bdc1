"""The journal keeps the changes of leafmark, so that another run can undo them."""

from __future__ import annotations

import errno
import json
import os
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from app.actions import journal as module
from app.actions.journal import Journal
from app.paths import JOURNAL
from app.sessions import Change
from tests.waiting import ends

if TYPE_CHECKING:
    from pathlib import Path

DECODER = json.JSONDecoder()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "state"


def named(name: str) -> Change:
    """Return a change of a name."""
    return Change("name", "/s.jsonl", "e1", before="old", after=name, agent="pi", session_id="s")


def last_active(journal: Journal) -> tuple[int, Change] | None:
    active = journal.active()
    return (active[-1].number, active[-1].change) if active else None


def test_the_last_change_that_is_not_undone_is_the_last(folder: Path) -> None:
    journal = Journal(str(folder))
    assert last_active(journal) is None
    moved = Change("trash", "/s\udc80.jsonl", "", before="/s", after="/t", moves=(("/s", "/t"), ("/a", "")))
    numbers = [journal.record(change) for change in (named("one"), named("\x1b[1m"), moved)]
    assert len(set(numbers)) == 3
    for number, change in zip(reversed(numbers), (moved, named("\x1b[1m"), named("one")), strict=True):
        assert last_active(Journal(str(folder))) == (number, change)
        journal.mark_undone(number)
    assert last_active(journal) is None
    assert journal.record(named("again")) not in numbers


def test_only_the_user_can_read_the_journal(folder: Path) -> None:
    Journal(str(folder)).record(named("one"))
    assert folder.stat().st_mode & 0o077 == 0
    assert (folder / JOURNAL).stat().st_mode & 0o077 == 0


def test_a_change_without_effect_is_not_recorded(folder: Path) -> None:
    journal = Journal(str(folder))
    for change in (
        Change("label", "/s", "", before="x", after="x", target_id="e"),
        Change("pin", "/pins.json", "", before="pinned", after="pinned"),
    ):
        assert change.is_nothing
        assert journal.record(change) == 0
    assert last_active(journal) is None
    for change in (
        Change("label", "/s", "", before=None, after="x", target_id="e"),
        Change("file", "/s", "", before="/r", after="/s"),
        Change("delete", "/s", "", before="/s", moves=(("/s", ""),)),
    ):
        assert not change.is_nothing
        assert journal.record(change) > 0


def test_damaged_lines_and_those_of_other_versions_are_skipped(folder: Path) -> None:
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
    with open(folder / JOURNAL, "ab") as file:
        file.write(b"\n".join(strange))
    assert last_active(journal) == (number, named("one"))
    journal.record(named("two"))
    assert journal.active()[-1].change == named("two")


def record_action(journal: Journal, *names: str) -> int:
    """Record changes as one action; return its number."""
    action = 0
    for name in names:
        number = journal.record(named(name), action)
        action = action or number
    return action


def names_of(journal: Journal) -> list[list[str | None]]:
    return [[entry.change.after for entry in steps] for steps in journal.actions()]


def test_the_journal_keeps_a_limited_number_of_actions(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "KEPT_ACTIONS", 20)
    monkeypatch.setattr(module, "_SLACK", 10)
    journal = Journal(str(folder))
    for index in range(100):
        number = journal.record(named(str(index)))
        if index % 3 == 0:
            journal.mark_undone(number)
    data = (folder / JOURNAL).read_bytes()
    assert data.count(b'"change"') <= 30
    assert data.count(b"\n") <= 40
    active = [recorded.change.after for recorded in journal.active()]
    assert active == [str(index) for index in range(100) if index % 3][-len(active) :]
    assert len(active) > 10
    assert sorted(os.listdir(folder)) == [JOURNAL, f"{JOURNAL}.lock"]


def test_actions_are_counted_and_removed_as_a_whole(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "KEPT_ACTIONS", 3)
    monkeypatch.setattr(module, "_SLACK", 2)
    journal = Journal(str(folder))
    many = [f"m{index}" for index in range(50)]
    for names in (["one"], ["two"], many):
        record_action(journal, *names)
    assert names_of(journal) == [["one"], ["two"], many]
    record_action(journal, "three")
    record_action(journal, "four")
    assert names_of(journal) == [["one"], ["two"], many, ["three"], ["four"]]
    # There are too many actions now: three are kept, and the others are removed as a whole.
    record_action(journal, "five")
    assert names_of(journal) == [["three"], ["four"], ["five"]]


def test_the_last_action_is_kept_whole_however_many_changes_it_has(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "KEPT_ACTIONS", 3)
    monkeypatch.setattr(module, "_SLACK", 2)
    journal = Journal(str(folder))
    for index in range(5):
        record_action(journal, str(index))
    many = [f"m{index}" for index in range(50)]
    record_action(journal, *many)
    assert names_of(journal) == [["3"], ["4"], many]
    numbers = [entry.number for entry in journal.active()]
    assert numbers == sorted(set(numbers))
    for entry in journal.actions()[-1]:
        journal.mark_undone(entry.number)
    assert names_of(journal) == [["3"], ["4"]]
    assert record_action(journal, "next") > max(numbers)


def test_a_long_file_loses_its_oldest_actions_and_keeps_the_last_one_whole(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "KEPT_BYTES", 10_000)
    journal = Journal(str(folder))
    for index in range(100):
        record_action(journal, str(index))
        assert (folder / JOURNAL).stat().st_size < 11_000
    kept = names_of(journal)
    assert 10 < len(kept) < 90
    assert kept == [[str(index)] for index in range(100)][-len(kept) :]
    many = [f"m{index}" for index in range(100)]
    record_action(journal, *many)
    assert names_of(journal)[-1] == many
    record_action(journal, "after")
    assert names_of(journal) == [many, ["after"]]


def test_repeated_reports_of_an_action_are_removed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "KEPT_ACTIONS", 20)
    monkeypatch.setattr(module, "_SLACK", 10)
    journal = Journal(str(folder))
    number = record_action(journal, "one")
    for _ in range(50):
        journal.mark_failed(number, "", can_retry=True)
    record_action(journal, "two")
    assert names_of(journal) == [["one"], ["two"]]
    assert journal.active()[0].is_reported
    assert (folder / JOURNAL).read_bytes().count(b"\n") == 2


def test_a_journal_of_an_earlier_leafmark_is_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An earlier leafmark limited the number of changes, so the first action may lack its first changes."""
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
    (folder / JOURNAL).write_text("".join(json.dumps(line) + "\n" for line in lines))
    journal = Journal(str(folder))
    assert names_of(journal) == [[str(number) for number in range(9, 1_209)]]
    assert journal.record(named("one")) == 1_209
    assert [len(names) for names in names_of(journal)] == [1_200, 1]


def test_changes_of_one_action_are_listed_together(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal = Journal(str(folder))
    alone = journal.record(named("alone"))
    first = journal.record(named("one"))
    between = journal.record(named("between"))
    second = journal.record(named("two"), first)
    numbers = [[entry.number for entry in action] for action in journal.actions()]
    assert numbers == [[alone], [between], [first, second]]
    journal.mark_undone(first)
    journal.mark_failed(second, "", can_retry=True)
    monkeypatch.setattr(module, "_SLACK", -module.KEPT_ACTIONS)  # Rewrite the file.
    journal.record(named("last"))
    assert [(entry.number, entry.is_reported) for entry in journal.actions()[2]] == [(second, True)]


def test_lines_without_an_action_are_actions_of_their_own(folder: Path) -> None:
    journal = Journal(str(folder))
    journal.record(named("one"))
    line = json.loads((folder / JOURNAL).read_text())
    del line["action"], line["told"]
    (folder / JOURNAL).write_text(json.dumps(line) + "\n" + json.dumps({**line, "number": 2}) + "\n")
    assert [len(action) for action in journal.actions()] == [1, 1]
    assert not journal.active()[0].is_reported


def test_concurrent_writers_lose_no_change_and_share_no_number(folder: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        numbers = list(pool.map(lambda index: Journal(str(folder)).record(named(str(index))), range(40)))
    assert sorted(numbers) == list(range(1, 41))
    assert {recorded.change.after for recorded in Journal(str(folder)).active()} == set(map(str, range(40)))


def test_a_journal_that_cannot_be_written_is_an_error_and_reads_as_empty(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("no folder")
    journal = Journal(str(tmp_path / "state"))
    assert last_active(journal) is None
    with pytest.raises(OSError, match="state"):
        journal.record(named("one"))
    with pytest.raises(OSError, match="state"):
        journal.mark_undone(1)


def test_a_partial_write_on_a_full_disk_is_removed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`os.write` reports a partial write only by its result."""
    journal = Journal(str(folder))
    journal.record(named("one"))
    before = (folder / JOURNAL).read_bytes()
    really = os.write
    monkeypatch.setattr(os, "write", lambda descriptor, data: really(descriptor, data[: len(data) // 2]))
    for note in (lambda: journal.record(named("two")), lambda: journal.mark_undone(1)):
        with pytest.raises(OSError, match=JOURNAL) as error:
            note()
        assert error.value.errno == errno.ENOSPC
        assert (folder / JOURNAL).read_bytes() == before
    monkeypatch.undo()
    assert journal.record(named("two")) == 2


def test_a_pipe_in_place_of_the_journal_does_not_block(folder: Path) -> None:
    folder.mkdir()
    os.mkfifo(folder / JOURNAL)
    journal = Journal(str(folder))
    assert ends(lambda: last_active(journal)) is None
    with pytest.raises(OSError, match=JOURNAL):
        ends(lambda: journal.record(named("one")))


def test_a_journal_with_gigabytes_of_nul_bytes_is_read_and_shortened(folder: Path) -> None:
    journal = Journal(str(folder))
    numbers = [journal.record(named(name)) for name in ("one", "two")]
    path = folder / JOURNAL
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


def test_only_the_end_of_a_journal_that_is_too_long_is_read(
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
    with open(folder / JOURNAL, "ab") as file:
        file.write(b"\r\n" * 1_000_000)
    journal.record(named("two"))
    parsed = []
    monkeypatch.setattr(json, "loads", lambda line: parsed.append(line) or DECODER.decode(line.decode()))
    assert names_of(journal) == [["one"], ["two"]]
    assert len(parsed) == 2
