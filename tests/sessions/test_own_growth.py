"""What is noted of our own writes, and what is believed of it
(formats/README.md, "Detecting a running agent").
"""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING

import pytest

from app.sessions import FileStorage
from app.sessions.storage import append_ledger
from app.sessions.storage.append_ledger import Others, added_here, adding, is_ours, tell_others

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(autouse=True)
def _nobody_is_told(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(append_ledger, "_own", {})
    yield
    tell_others("")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "s.jsonl"
    path.write_bytes(b"{}\n")
    return path


def add(file: Path, line: bytes) -> tuple[int, int]:
    """Have leafmark add a line; the sizes before and after."""
    storage = FileStorage()
    signature = storage.signature(str(file))
    assert signature is not None
    return signature.size, storage.append(str(file), line, signature).size


def ours(file: Path, before: int, after: int, folder: Path | None = None) -> bool:
    inode = file.stat().st_ino
    if folder is None:
        return is_ours(str(file), inode, before, after, added_here(inode))
    others = Others(str(folder))
    others.look()
    return is_ours(str(file), inode, before, after, others.of(inode))


@pytest.mark.parametrize("noted", ["here", "for others"])
def test_growth_is_ours_where_all_of_it_is(noted: str, file: Path, tmp_path: Path) -> None:
    folder = tmp_path if noted == "for others" else None
    tell_others(str(folder or ""))
    start, middle = add(file, b"one\n")
    _, end = add(file, b"three\n")
    assert (start, middle, end) == (3, 7, 13)
    # Also of a look in the middle of a write.
    for before, after in [(3, 7), (7, 13), (3, 13), (4, 6), (5, 10), (12, 13)]:
        assert ours(file, before, after, folder), (before, after)
    for before, after in [(2, 7), (0, 13), (3, 14), (7, 14)]:
        assert not ours(file, before, after, folder), (before, after)
    with open(file, "ab") as agent:
        agent.write(b"by an agent\n")
    _, later = add(file, b"four\n")
    assert (later, ours(file, 3, 13, folder), ours(file, 25, later, folder)) == (30, True, True)
    assert not ours(file, 3, later, folder)
    assert not ours(file, 13, 25, folder)


def test_what_was_to_be_written_and_was_not_is_of_no_effect(file: Path) -> None:
    inode = file.stat().st_ino
    adding(inode, 3, b"a long line that never came to be\n")
    adding(inode, 3, b"x\n")
    assert not ours(file, 3, 5)
    add(file, b"real\n")
    assert ours(file, 3, 8)
    assert not ours(file, 3, 9)


def test_another_file_in_its_place_is_not_ours(file: Path) -> None:
    start, end = add(file, b"one\n")
    inode = file.stat().st_ino
    copy = file.with_name("copy")
    copy.write_bytes(file.read_bytes())
    os.replace(copy, file)
    assert not is_ours(str(file), inode, start, end, added_here(inode))
    file.unlink()
    assert not is_ours(str(file), inode, start, end, added_here(inode))


def test_so_many_notes_are_kept(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(append_ledger, "_KEPT", 10)
    for number in range(25):
        adding(1, number, b"x")
        assert len(added_here(1)) == min(number + 1, 10)
    assert added_here(1)[-1][:2] == (24, 25)


def test_a_full_disk_keeps_nobody_from_writing(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(path: str, note: bytes) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), path)

    tell_others(str(file.parent))
    monkeypatch.setattr(append_ledger, "_write", full)
    assert add(file, b"one\n") == (3, 7)


def test_a_note_is_found_though_the_file_is_put_aside_under_its_writer(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tell_others(str(tmp_path))
    add(file, b"one\n")
    notes = tmp_path / append_ledger.NAME
    others = Others(str(tmp_path))
    real = os.write

    def write(descriptor: int, data: bytes) -> int:
        if os.fstat(descriptor).st_ino == notes.stat().st_ino and not aside:
            aside.append(1)
            os.replace(notes, tmp_path / f"{append_ledger.NAME}.old")
            notes.write_bytes(b"")
            # They have seen what there is, and will not look again before there is more.
            others.look()
        return real(descriptor, data)

    aside: list[int] = []
    monkeypatch.setattr("app.sessions.storage.append_ledger.os.write", write)
    start, end = add(file, b"two\n")
    assert aside
    others.look()
    assert is_ours(str(file), file.stat().st_ino, start, end, others.of(file.stat().st_ino))


@pytest.mark.parametrize("stuck", [False, True])
def test_the_file_is_put_aside_when_it_is_full_and_never_longer(
    stuck: bool, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "cache"
    folder.mkdir()
    if stuck:
        (folder / f"{append_ledger.NAME}.old").mkdir()
    tell_others(str(folder))
    monkeypatch.setattr(append_ledger, "LONGEST", 500)
    for _ in range(40):
        start, end = add(file, b"one more\n")
        assert ours(file, start, end, folder) or stuck
    assert 500 <= sum(each.stat().st_size for each in folder.iterdir() if each.is_file()) < 1_200


def test_nothing_is_noted_for_others_by_who_did_not_say_where(file: Path) -> None:
    add(file, b"one\n")
    assert os.listdir(file.parent) == ["s.jsonl"]


@pytest.mark.parametrize("folder", ["/dev/null", "/nowhere/at/all", "a\0b", "a\ud800b"])
def test_a_folder_that_can_be_none(folder: str, file: Path) -> None:
    tell_others(folder)
    assert add(file, b"one\n") == (3, 7)
    others = Others(folder)
    others.look()
    assert others.of(file.stat().st_ino) == ()
