"""Reading a file in windows of whole lines."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from app.formats.lines import line_windows

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def pieces(path: Path, offset: int, size: int) -> list[bytes]:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        return [bytes(buffer[:end]) for buffer, end, _ in line_windows(descriptor, offset, size)]
    finally:
        os.close(descriptor)


@given(data=st.lists(st.sampled_from([b"\n", b"a", b"bcd", b"e" * 20])).map(b"".join), size=st.integers(1, 9))
def test_windows_are_the_file_cut_at_newlines(
    tmp_path_factory: pytest.TempPathFactory, data: bytes, size: int
) -> None:
    path = tmp_path_factory.getbasetemp() / "windows"
    path.write_bytes(data)
    found = pieces(path, 0, size)
    assert b"".join(found) == data
    assert all(piece.endswith(b"\n") for piece in found[:-1])
    assert all(found)


def test_reading_begins_at_the_offset_for_any_descriptor_position(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"one\ntwo\nthree")
    assert pieces(path, 4, 64) == [b"two\n", b"three"]
    assert pieces(path, 99, 64) == []


def test_one_buffer_serves_all_windows(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"0123456\n" * 100)
    descriptor = os.open(path, os.O_RDONLY)
    try:
        assert len({id(buffer) for buffer, _, _ in line_windows(descriptor, 0, 64)}) == 1
    finally:
        os.close(descriptor)
