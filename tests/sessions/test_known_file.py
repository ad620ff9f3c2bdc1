"""A file is known again while it only grows."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from app.sessions.tree.entry_loader import Changed
from app.sessions.tree.known_file import NO_FILE, KnownFile

if TYPE_CHECKING:
    from pathlib import Path

READ = b"a\nbb\n"


def recognised(known: KnownFile, path: Path) -> int:
    with path.open("rb") as file:
        return known.recognise(str(path), file.fileno())


@pytest.fixture
def path(tmp_path: Path) -> Path:
    found = tmp_path / "a.jsonl"
    found.write_bytes(READ)
    return found


@pytest.fixture
def known(path: Path) -> KnownFile:
    with path.open("rb") as file:
        return KnownFile.of(file.fileno(), len(READ))


@pytest.mark.parametrize("more", [b"", b"c", b"c\n"])
def test_a_file_that_grew_is_the_same(known: KnownFile, path: Path, more: bytes) -> None:
    path.write_bytes(READ + more)
    assert recognised(known, path) == len(READ + more)


@pytest.mark.parametrize("now", [READ[:-1], b"", b"x\nbb\n", b"a\nbx\n", b"a\nbx\nc\n"])
def test_a_file_that_was_written_anew_is_another(known: KnownFile, path: Path, now: bytes) -> None:
    path.write_bytes(now)
    with pytest.raises(Changed):
        recognised(known, path)


def test_a_file_in_its_place_is_another(known: KnownFile, path: Path, tmp_path: Path) -> None:
    other = tmp_path / "b.jsonl"
    other.write_bytes(READ)
    os.replace(other, path)
    with pytest.raises(Changed):
        recognised(known, path)


def test_without_a_look_at_its_beginning_only_what_it_is_and_its_size_tell(
    known: KnownFile, path: Path
) -> None:
    path.write_bytes(b"x\nbb\nc\n")
    with path.open("rb") as file:
        assert known.size_now(str(path), file.fileno()) == len(READ) + 2
    path.write_bytes(READ[:-1])
    with path.open("rb") as file, pytest.raises(Changed):
        known.size_now(str(path), file.fileno())


def test_no_file_is_known_from_nothing(path: Path) -> None:
    with pytest.raises(Changed):
        recognised(NO_FILE, path)
