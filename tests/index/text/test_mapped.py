"""Segments that are mapped for reading, searched with stringzilla and without it."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.index.text import mmap_reader
from app.index.text.mmap_reader import Segments, Source
from app.index.text.segment import path_of, paths_of
from app.sessions.passages import MARK, PackedText, joined
from tests.cases import cases
from tests.index.text.helpers import stored

NAME = "0123456789abcdef"
PIECE = stored(1, 0, "needle")
SIZE = len(PIECE.folded)


def write(folder: Path, *texts: PackedText, mode: str = "wb", after: bytes = b"") -> None:
    """Write both files of the segment.

    :param after: bytes at the end of both.
    """
    for path, data in zip(paths_of(str(folder), NAME), joined(texts), strict=True):
        with open(path, mode) as file:
            file.write(data + after)


@pytest.fixture(params=["with the wheel", "without"])
def wheel(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "without":
        monkeypatch.setattr(mmap_reader, "stringzilla", None)


@pytest.mark.usefixtures("wheel")
def test_the_first_and_the_last_match_are_found() -> None:
    source = Source(b"x" * 10 + b"needle" + b"y" * 10 + b"needle" + b"z" * 10)
    assert source.find(b"needle", 0, source.size) == 10
    assert source.rfind(b"needle", 0, source.size) == 26
    assert source.find(b"needle", 0, 15) == source.rfind(b"needle", 27, source.size) == -1


@pytest.mark.usefixtures("wheel")
def test_a_segment_is_mapped_once_and_again_after_it_has_grown(tmp_path: Path) -> None:
    segments = Segments(str(tmp_path))
    write(tmp_path, PIECE)
    span = (NAME, 0, SIZE)
    source = segments.source(span)
    assert source is not None
    assert source.find(b"needle", 0, source.size) == SIZE - 6
    assert segments.source(span) is source
    write(tmp_path, PIECE, mode="ab")
    assert segments.source(span) is source
    grown = segments.source((NAME, SIZE, SIZE))
    assert grown is not None
    assert grown.size == 2 * SIZE
    assert segments.opened == 2


def test_a_mapped_segment_stays_readable_when_its_file_is_deleted(tmp_path: Path) -> None:
    segments = Segments(str(tmp_path))
    write(tmp_path, PIECE)
    span = (NAME, 0, SIZE)
    source = segments.source(span)
    for path in tmp_path.iterdir():
        path.unlink()
    assert source is not None
    assert segments.source(span) is source
    assert source.find(b"needle", 0, source.size) > 0
    segments.keep(set())
    assert segments.source(span) is None


@cases("copy", [0, 1])
@cases(
    "data",
    [b"", PIECE.folded[:-1], b"\n" + PIECE.folded, b"\0" * 100],
    ids=["empty", "cut", "shifted", "zeros"],
)
def test_a_damaged_segment_has_no_text(tmp_path: Path, data: bytes, copy: int) -> None:
    write(tmp_path, PIECE)
    Path(paths_of(str(tmp_path), NAME)[copy]).write_bytes(data)
    segments = Segments(str(tmp_path))
    segments.checks_written = bool(copy)
    assert segments.source((NAME, 0, SIZE)) is None


class Watched:
    """Stands in for the bytes of a mapping, and notes whether they are read."""

    def __init__(self) -> None:
        self.reads = 0

    def __getitem__(self, part: slice) -> bytes:
        self.reads += 1
        return MARK


def test_a_segment_of_a_large_session_is_checked_without_its_mapping(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mmap_reader, "LARGE_SPAN", 1)
    write(tmp_path, PIECE)
    segments = Segments(str(tmp_path))
    source = segments.source((NAME, 0, SIZE))
    assert source is not None
    assert source.is_released
    source.data = watched = Watched()  # type: ignore[assignment]
    segments.look()
    assert (watched.reads, segments.age) == (0, 0)
    with open(paths_of(str(tmp_path), NAME)[0], "rb+") as file:
        file.write(b"overwritten")
        file.seek(0, 2)
        file.write(b"more")
    segments.look()
    assert (watched.reads, segments.age) == (0, 1)


def test_an_empty_text_needs_no_bytes(tmp_path: Path) -> None:
    assert path_of(str(tmp_path), NAME).endswith(f"{NAME}.folded")
    assert Source(b"").holds(0, 0)
    assert Segments(str(tmp_path)).source((NAME, 0, 1)) is None


@pytest.mark.usefixtures("wheel")
def test_no_byte_beyond_the_requested_texts_is_read(tmp_path: Path) -> None:
    """A writer may truncate the segment there, and reading a truncated part of a map ends the process."""
    write(tmp_path, stored(1, 77, "needle"), after=MARK * 10)
    segments = Segments(str(tmp_path))
    span = (NAME, 0, SIZE)
    source = segments.source(span)
    assert source is not None
    find, ends = source.find, []

    def watched(needle: bytes, start: int, end: int) -> int:
        ends.append(end)
        return find(needle, start, end)

    source.find = watched
    mark = source.rfind(MARK, 0, SIZE)
    block = source.block(mark)
    assert block.offset(mark) == 77
    assert block.end == SIZE
    assert max(ends) <= SIZE


@pytest.mark.usefixtures("wheel")
def test_a_block_beyond_the_requested_texts_is_read_completely(tmp_path: Path) -> None:
    packed = [stored(1, offset, "needle") for offset in (5, 77)]
    write(tmp_path, *packed)
    segments = Segments(str(tmp_path))
    first, second = (len(passage.folded) for passage in packed)
    source = segments.source((NAME, 0, first))
    assert source is not None
    assert segments.source((NAME, first, second)) is source
    marks = [source.rfind(MARK, 0, end) for end in (first, first + second)]
    assert [source.offset(mark) for mark in marks] == [5, 77]
