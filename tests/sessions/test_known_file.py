"""A snapshot recognizes its file while the file only grows."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from app.sessions import Changed
from app.sessions.tree import NO_SNAPSHOT, FileSnapshot
from tests.cases import cases

if TYPE_CHECKING:
    from pathlib import Path

READ = b"a\nbb\n"


def recognised(known: FileSnapshot, path: Path) -> int:
    with path.open("rb") as file:
        return known.recognise(str(path), file.fileno())


@pytest.fixture
def path(tmp_path: Path) -> Path:
    found = tmp_path / "a.jsonl"
    found.write_bytes(READ)
    return found


@pytest.fixture
def known(path: Path) -> FileSnapshot:
    with path.open("rb") as file:
        return FileSnapshot.of(file.fileno(), len(READ))


@pytest.mark.parametrize("more", [b"", b"c", b"c\n"])
def test_a_grown_file_is_recognized(known: FileSnapshot, path: Path, more: bytes) -> None:
    path.write_bytes(READ + more)
    assert recognised(known, path) == len(READ + more)


@cases("now", [READ[:-1], b"", b"x\nbb\n", b"a\nbx\n", b"a\nbx\nc\n"])
def test_a_rewritten_file_is_not_recognized(known: FileSnapshot, path: Path, now: bytes) -> None:
    path.write_bytes(now)
    with pytest.raises(Changed):
        recognised(known, path)


def test_a_replaced_file_is_not_recognized(known: FileSnapshot, path: Path, tmp_path: Path) -> None:
    other = tmp_path / "b.jsonl"
    other.write_bytes(READ)
    os.replace(other, path)
    with pytest.raises(Changed):
        recognised(known, path)


def test_size_now_checks_only_identity_and_size(known: FileSnapshot, path: Path) -> None:
    path.write_bytes(b"x\nbb\nc\n")
    with path.open("rb") as file:
        assert known.size_now(str(path), file.fileno()) == len(READ) + 2
    path.write_bytes(READ[:-1])
    with path.open("rb") as file, pytest.raises(Changed):
        known.size_now(str(path), file.fileno())


def test_an_empty_snapshot_recognizes_no_file(path: Path) -> None:
    with pytest.raises(Changed):
        recognised(NO_SNAPSHOT, path)
