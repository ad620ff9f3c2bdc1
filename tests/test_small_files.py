"""A small file of somebody else's may be anything: what is none is refused in a few words, nothing hangs. One
that is written is put in its place whole, or not at all.
"""

from __future__ import annotations

import os
import stat
import sys
from typing import TYPE_CHECKING

import pytest

from app.small_files import LONGEST, read_small, write_whole
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


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file that is there already, in a folder of its own."""
    path = tmp_path / "folder" / "file"
    path.parent.mkdir()
    path.write_bytes(b"before")
    return path


def test_a_file_is_written_whole_and_alone(path: Path) -> None:
    data = b"\x00\r\n\xff" * 100_000
    write_whole(str(path), data)
    assert path.read_bytes() == data
    write_whole(str(path.with_name("other")), b"")
    assert sorted(os.listdir(path.parent)) == ["file", "other"]


@pytest.mark.skipif(sys.platform == "win32", reason="rights are others there")
@pytest.mark.parametrize(("asked", "mode"), [({}, 0o600), ({"mode": 0o666}, 0o640), ({"mode": 0o622}, 0o600)])
def test_it_has_the_mode_that_was_asked_for_but_for_the_umask(
    path: Path, asked: dict[str, int], mode: int
) -> None:
    path.chmod(0o777)
    umask = os.umask(0o027)
    try:
        write_whole(str(path), b"", **asked)  # type: ignore[arg-type]
    finally:
        os.umask(umask)
    assert stat.S_IMODE(path.stat().st_mode) == mode


def test_a_link_in_its_place_is_replaced(path: Path) -> None:
    link = path.with_name("link")
    link.symlink_to(path)
    write_whole(str(link), b"after")
    assert not link.is_symlink()
    assert (link.read_bytes(), path.read_bytes()) == (b"after", b"before")


@pytest.mark.parametrize("fsync", [True, False])
def test_it_has_its_name_when_it_is_on_the_disk_where_that_is_asked_for(
    path: Path, monkeypatch: pytest.MonkeyPatch, fsync: bool
) -> None:
    steps = []
    replace = os.replace
    monkeypatch.setattr(os, "fsync", lambda file: steps.append(("fsync", os.fstat(file).st_size)))
    monkeypatch.setattr(os, "replace", lambda *names: (steps.append(("replace", 5)), replace(*names)))
    write_whole(str(path), b"after", fsync=fsync)
    assert steps == [("fsync", 5), ("replace", 5)][not fsync :]


@pytest.mark.parametrize("step", ["fsync", "replace"])
@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_nothing_is_left_of_what_failed(
    path: Path, monkeypatch: pytest.MonkeyPatch, step: str, error: BaseException
) -> None:
    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr(os, step, fail)
    with pytest.raises(type(error)):
        write_whole(str(path), b"after", fsync=True)
    assert (os.listdir(path.parent), path.read_bytes()) == (["file"], b"before")


def test_nothing_is_left_of_what_does_not_fit_on_the_disk(path: Path) -> None:
    resource = pytest.importorskip("resource")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (3, hard))
    try:
        with pytest.raises(OSError, match="too large"):
            write_whole(str(path), b"after")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert (os.listdir(path.parent), path.read_bytes()) == (["file"], b"before")


def test_what_is_in_the_way_stays(path: Path) -> None:
    path.unlink()
    path.mkdir()
    with pytest.raises(OSError, match="irectory"):
        write_whole(str(path), b"after")
    assert os.listdir(path.parent) == ["file"]
    with pytest.raises(FileNotFoundError):
        write_whole(str(path.parent / "none" / "file"), b"after")


def test_of_two_that_write_at_once_none_is_written_into_by_the_other(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor where both think of the same name to write beside it."""
    replace = os.replace

    def between(aside: str, name: str) -> None:
        monkeypatch.setattr(os, "replace", replace)
        (mine,) = {*os.listdir(path.parent)} - {"file"}
        assert mine.startswith("."), "nobody takes it for one of the folder's files"
        write_whole(str(path), b"the other's")
        assert path.read_bytes() == b"the other's"
        with monkeypatch.context() as patched:
            random = bytes.fromhex(mine.split(".")[-2])
            patched.setattr(os, "urandom", lambda _: random)
            with pytest.raises(FileExistsError):
                write_whole(str(path), b"a third one's")
        replace(aside, name)

    monkeypatch.setattr(os, "replace", between)
    write_whole(str(path), b"mine")
    assert (os.listdir(path.parent), path.read_bytes()) == (["file"], b"mine")
