"""The ledger of leafmark's own appends, and which notes count
(formats/README.md, "Detecting a running agent").
"""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING

import pytest

from app.sessions import FileStorage
from app.sessions.storage import append_ledger
from app.sessions.storage.append_ledger import SharedNotes, is_ours, note_append, own_notes, share_notes

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(autouse=True)
def _no_notes(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(append_ledger, "_notes", {})
    yield
    share_notes("")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "s.jsonl"
    path.write_bytes(b"{}\n")
    return path


def add(file: Path, line: bytes) -> tuple[int, int]:
    """Append a line with leafmark; return the sizes before and after."""
    storage = FileStorage()
    signature = storage.signature(str(file))
    assert signature is not None
    return signature.size, storage.append(str(file), line, signature).size


def ours(file: Path, before: int, after: int, folder: Path | None = None) -> bool:
    inode = file.stat().st_ino
    if folder is None:
        return is_ours(str(file), inode, before, after, own_notes(inode))
    others = SharedNotes(str(folder))
    others.refresh()
    return is_ours(str(file), inode, before, after, others.of(inode))


@pytest.mark.parametrize("noted", ["here", "for others"])
def test_growth_is_ours_if_all_bytes_are_noted(noted: str, file: Path, tmp_path: Path) -> None:
    folder = tmp_path if noted == "for others" else None
    share_notes(str(folder or ""))
    start, middle = add(file, b"one\n")
    _, end = add(file, b"three\n")
    assert (start, middle, end) == (3, 7, 13)
    # A check may come in the middle of a write.
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


def test_the_note_of_a_write_that_failed_has_no_effect(file: Path) -> None:
    inode = file.stat().st_ino
    note_append(inode, 3, b"a long line that never came to be\n")
    note_append(inode, 3, b"x\n")
    assert not ours(file, 3, 5)
    add(file, b"real\n")
    assert ours(file, 3, 8)
    assert not ours(file, 3, 9)


def test_a_replaced_file_is_not_ours(file: Path) -> None:
    start, end = add(file, b"one\n")
    inode = file.stat().st_ino
    copy = file.with_name("copy")
    copy.write_bytes(file.read_bytes())
    os.replace(copy, file)
    assert not is_ours(str(file), inode, start, end, own_notes(inode))
    file.unlink()
    assert not is_ours(str(file), inode, start, end, own_notes(inode))


def test_the_number_of_notes_is_limited(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(append_ledger, "_MAX_NOTES", 10)
    for number in range(25):
        note_append(1, number, b"x")
        assert len(own_notes(1)) == min(number + 1, 10)
    assert own_notes(1)[-1][:2] == (24, 25)


def test_an_append_works_if_the_note_cannot_be_written(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(path: str, note: bytes) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), path)

    share_notes(str(file.parent))
    monkeypatch.setattr(append_ledger, "_write", full)
    assert add(file, b"one\n") == (3, 7)


def test_a_note_is_found_if_the_file_is_renamed_during_the_write(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    share_notes(str(tmp_path))
    add(file, b"one\n")
    notes = tmp_path / append_ledger.NAME
    others = SharedNotes(str(tmp_path))
    real = os.write

    def write(descriptor: int, data: bytes) -> int:
        if os.fstat(descriptor).st_ino == notes.stat().st_ino and not aside:
            aside.append(1)
            os.replace(notes, tmp_path / f"{append_ledger.NAME}.old")
            notes.write_bytes(b"")
            # The reader knows this file now, and reads it again only if it grows.
            others.refresh()
        return real(descriptor, data)

    aside: list[int] = []
    monkeypatch.setattr("app.sessions.storage.append_ledger.os.write", write)
    start, end = add(file, b"two\n")
    assert aside
    others.refresh()
    assert is_ours(str(file), file.stat().st_ino, start, end, others.of(file.stat().st_ino))


@pytest.mark.parametrize("stuck", [False, True])
def test_a_full_file_is_renamed_and_never_grows_further(
    stuck: bool, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "cache"
    folder.mkdir()
    if stuck:
        (folder / f"{append_ledger.NAME}.old").mkdir()
    share_notes(str(folder))
    monkeypatch.setattr(append_ledger, "MAX_BYTES", 500)
    for _ in range(40):
        start, end = add(file, b"one more\n")
        assert ours(file, start, end, folder) or stuck
    assert 500 <= sum(each.stat().st_size for each in folder.iterdir() if each.is_file()) < 1_200


def test_no_notes_are_shared_without_a_folder(file: Path) -> None:
    add(file, b"one\n")
    assert os.listdir(file.parent) == ["s.jsonl"]


@pytest.mark.parametrize("folder", ["/dev/null", "/dev/null/at/all", "a\0b", "a\ud800b"])
def test_an_unusable_notes_folder_is_ignored(folder: str, file: Path) -> None:
    share_notes(folder)
    assert add(file, b"one\n") == (3, 7)
    others = SharedNotes(folder)
    others.refresh()
    assert others.of(file.stat().st_ino) == ()
