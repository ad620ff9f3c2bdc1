"""A small file of somebody else's may be anything: what is none is refused in a few words, nothing hangs."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from app.small_files import LONGEST, read_small
from tests.waiting import ends

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def test_a_file_is_read_whole_through_links(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"\x00\r\n\xff" * 100_000)
    (tmp_path / "link").symlink_to("file")
    assert read_small(str(tmp_path / "link")) == b"\x00\r\n\xff" * 100_000


def test_a_file_may_have_as_many_bytes_as_are_allowed_and_no_more(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"x" * 10)
    assert read_small(str(path), 10) == b"x" * 10
    with pytest.raises(OSError, match="longer than 9 bytes") as caught:
        read_small(str(path), 9)
    assert caught.value.filename == str(path)


def test_one_that_grows_while_it_is_read_is_no_longer_for_that(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"x")
    asked = []

    def read(descriptor: int, size: int) -> bytes:
        asked.append(size)
        return b"x" * min(size, 4)

    monkeypatch.setattr(os, "read", read)
    with pytest.raises(OSError, match="longer than 9 bytes"):
        read_small(str(path), 9)
    assert asked == [10, 6, 2]


def fifo(path: Path) -> None:
    os.mkfifo(path)


def device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def holes(path: Path) -> None:
    path.touch()
    os.truncate(path, LONGEST + 1)


@pytest.mark.parametrize(
    ("make", "why"),
    [(fifo, "not a regular file"), (device, "not a regular file"), (holes, "longer than 4,194,304 bytes")],
)
def test_what_has_no_end_is_refused_before_it_is_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, make: Callable[[Path], None], why: str
) -> None:
    path = tmp_path / "settings.json"
    make(path)
    monkeypatch.setattr(os, "open", lambda *_: pytest.fail("it was opened"))
    with pytest.raises(OSError, match=why) as caught:
        ends(lambda: read_small(str(path)))
    assert (caught.value.strerror, caught.value.filename) == (why, str(path))


def test_a_pipe_that_comes_into_its_place_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file"
    path.touch()
    status = os.stat(path)
    path.unlink()
    os.mkfifo(path)
    monkeypatch.setattr(os, "stat", lambda *_: status)
    with pytest.raises(OSError, match="not a regular file"):
        ends(lambda: read_small(str(path)))


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("none", FileNotFoundError),
        ("file/below", NotADirectoryError),
        ("folder", IsADirectoryError),
        ("a\0b", OSError),
        ("loop", OSError),
    ],
)
def test_whatever_is_there_it_is_an_oserror_that_says_why(
    tmp_path: Path, name: str, error: type[OSError]
) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "folder").mkdir()
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(error) as caught:
        read_small(str(tmp_path / name))
    assert caught.value.strerror
