"""Lines of bytes and where they begin (formats/README.md, "pi")."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.formats import lines
from app.formats.lines import Line, is_blank, scan

if TYPE_CHECKING:
    from pathlib import Path


def test_lf_and_crlf_end_lines_and_a_lone_cr_does_not() -> None:
    assert list(scan(b"a\nbb\r\nc\rd")) == [
        Line(1, 0, 1, True),
        Line(2, 2, 3, True),
        Line(3, 6, 3, False),
    ]


def test_blank_lines_are_left_out_but_counted() -> None:
    assert [(line.number, line.offset) for line in scan(b"\n \t\r\na\n\xc2\xa0\nb\n")] == [(3, 5), (5, 10)]


def test_numbers_and_offsets_go_on_from_where_the_buffer_lies() -> None:
    assert list(scan(b"x\ny\n", offset=100, number=7)) == [Line(7, 100, 1, True), Line(8, 102, 1, True)]


@pytest.mark.parametrize("blank", [b"", b" \t\r\v\f", b"\xef\xbb\xbf", "\u2003\u3000".encode()])
def test_blank_to_the_agents(blank: bytes) -> None:
    assert is_blank(blank)


@pytest.mark.parametrize("text", [b"\0", b"x", b"\xff", b" {} ", "\u200b".encode()])
def test_not_blank(text: bytes) -> None:
    assert not is_blank(text)


@given(st.binary(max_size=300))
def test_lines_cover_the_buffer(buffer: bytes) -> None:
    covered = [buffer[line.offset : line.offset + line.length] for line in scan(buffer)]
    assert covered == [line for line in buffer.split(b"\n") if not is_blank(line)]
    assert all(line.terminated or line.offset + line.length == len(buffer) for line in scan(buffer))


class Taker:
    """Takes the lines that end within a piece, as `feed_lines` wants it."""

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
def test_lines_are_fed_whole_and_the_last_one_is_told_apart(
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


def test_what_is_written_meanwhile_is_fed_too(tmp_path: Path) -> None:
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
        # No more is read than there is said to be.
        assert lines.feed_lines(descriptor, Taker(), end=14) == (14, b"")
    finally:
        os.close(descriptor)
    assert taker.found == b"one\ntwo\nthree\n"


def test_a_long_line_is_not_read_again_and_again(tmp_path: Path) -> None:
    path = tmp_path / "long"
    path.write_bytes(b"short\n" + b"x" * (5 * lines.BLOCK_SIZE) + b"\nend\n")
    descriptor = os.open(path, os.O_RDONLY)
    taker = Taker()
    try:
        assert lines.feed_lines(descriptor, taker) == (path.stat().st_size, b"")
    finally:
        os.close(descriptor)
    assert sum(taker.pieces) < 3 * path.stat().st_size
