"""Lines of bytes and their offsets (formats/README.md, "pi")."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.formats import lines
from app.formats.lines import is_blank
from tests.cases import cases

if TYPE_CHECKING:
    from pathlib import Path


@cases("blank", [b"", b" \t\r\v\f", b"\xef\xbb\xbf", "\u2003\u3000".encode()])
def test_white_space_that_the_agents_skip_is_blank(blank: bytes) -> None:
    assert is_blank(blank)


@cases("text", [b"\0", b"x", b"\xff", b" {} ", "\u200b".encode()])
def test_other_lines_are_not_blank(text: bytes) -> None:
    assert not is_blank(text)


class Taker:
    """A consumer of `feed_lines` that records the lines that end within a piece."""

    def __init__(self) -> None:
        self.found = b""
        self.pieces: list[int] = []

    def __call__(self, piece: bytes, offset: int) -> int:
        assert offset == len(self.found)
        end = piece.rfind(b"\n") + 1
        self.found += piece[:end]
        self.pieces.append(len(piece))
        return end


WITHOUT_NUL = st.binary(max_size=60).map(lambda line: line.replace(b"\0", b"x"))


@given(data=st.lists(WITHOUT_NUL, max_size=12), size=st.integers(1, 30), read=st.integers(0, 40))
def test_lines_are_fed_whole_and_an_unfinished_one_separately(
    tmp_path_factory: pytest.TempPathFactory, data: list[bytes], size: int, read: int
) -> None:
    content = b"\n".join(data)
    path = tmp_path_factory.getbasetemp() / "fed"
    path.write_bytes(content)
    descriptor = os.open(path, os.O_RDONLY)
    taker = Taker()
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(lines, "BLOCK_SIZE", size)
            offset, unfinished = lines.feed_lines(descriptor, taker, piece=content[:read])
    finally:
        os.close(descriptor)
    assert taker.found + unfinished == content
    assert offset == len(taker.found)
    assert b"\n" not in unfinished


def test_lines_written_meanwhile_are_fed_too(tmp_path: Path) -> None:
    path = tmp_path / "growing"
    path.write_bytes(b"one\ntw")
    more = [b"o\nth", b"ree\nfour"]
    taker = Taker()

    def take(piece: bytes, offset: int) -> int:
        taken = taker(piece, offset)
        if more:
            with path.open("ab") as file:
                file.write(more.pop(0))
        return taken

    descriptor = os.open(path, os.O_RDONLY)
    try:
        assert lines.feed_lines(descriptor, take) == (14, b"four")
        # Nothing beyond the given size is read.
        assert lines.feed_lines(descriptor, Taker(), end=14) == (14, b"")
    finally:
        os.close(descriptor)
    assert taker.found == b"one\ntwo\nthree\n"


def test_a_long_line_is_read_once(tmp_path: Path) -> None:
    path = tmp_path / "long"
    path.write_bytes(b"short\n" + b"x" * (5 * lines.BLOCK_SIZE) + b"\nend\n")
    descriptor = os.open(path, os.O_RDONLY)
    taker = Taker()
    try:
        assert lines.feed_lines(descriptor, taker) == (path.stat().st_size, b"")
    finally:
        os.close(descriptor)
    assert sum(taker.pieces) < 3 * path.stat().st_size
