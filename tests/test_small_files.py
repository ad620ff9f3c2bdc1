"""Read and write small files. Anything may lie at the path of such a file: unsuitable files are refused with
a short reason, and no read blocks. A write replaces the whole file or nothing.
"""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

import pytest

from app.small_files import MAX_BYTES, read_small, replace_file
from tests.cases import cases
from tests.waiting import ends

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def test_a_file_is_read_whole_through_links(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"\x00\r\n\xff" * 100_000)
    (tmp_path / "link").symlink_to("file")
    assert read_small(str(tmp_path / "link")) == b"\x00\r\n\xff" * 100_000


def test_a_file_may_have_at_most_the_allowed_bytes(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"x" * 10)
    assert read_small(str(path), 10) == b"x" * 10
    with pytest.raises(OSError, match="longer than 9 bytes") as caught:
        read_small(str(path), 9)
    assert caught.value.filename == str(path)


def test_a_file_that_grows_during_the_read_is_still_limited(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"x")
    sizes = []

    def read(descriptor: int, size: int) -> bytes:
        sizes.append(size)
        return b"x" * min(size, 4)

    monkeypatch.setattr(os, "read", read)
    with pytest.raises(OSError, match="longer than 9 bytes"):
        read_small(str(path), 9)
    assert sizes == [10, 6, 2]


def fifo(path: Path) -> None:
    os.mkfifo(path)


def device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def holes(path: Path) -> None:
    path.touch()
    os.truncate(path, MAX_BYTES + 1)


@cases(
    ("make", "why"),
    [(fifo, "not a regular file"), (device, "not a regular file"), (holes, "longer than 4,194,304 bytes")],
)
def test_an_endless_file_is_refused_before_it_is_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, make: Callable[[Path], None], why: str
) -> None:
    path = tmp_path / "settings.json"
    make(path)
    monkeypatch.setattr(os, "open", lambda *_: pytest.fail("it was opened"))
    with pytest.raises(OSError, match=why) as caught:
        ends(lambda: read_small(str(path)))
    assert (caught.value.strerror, caught.value.filename) == (why, str(path))


def test_a_pipe_that_replaces_the_file_does_not_block(
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


@cases(
    ("name", "error"),
    [
        ("none", FileNotFoundError),
        ("file/below", NotADirectoryError),
        ("folder", IsADirectoryError),
        ("a\0b", OSError),
        ("loop", OSError),
    ],
)
def test_every_unsuitable_file_raises_an_oserror_with_the_reason(
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
    """Return a file that exists already, in a folder of its own."""
    path = tmp_path / "folder" / "file"
    path.parent.mkdir()
    path.write_bytes(b"before")
    return path


def test_a_write_leaves_the_whole_file_and_no_other(path: Path) -> None:
    data = b"\x00\r\n\xff" * 100_000
    replace_file(str(path), data)
    assert path.read_bytes() == data
    replace_file(str(path.with_name("other")), b"")
    assert sorted(os.listdir(path.parent)) == ["file", "other"]


def test_only_this_user_may_read_a_written_file(path: Path) -> None:
    path.chmod(0o777)
    replace_file(str(path), b"")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_link_is_replaced_by_the_file(path: Path) -> None:
    link = path.with_name("link")
    link.symlink_to(path)
    replace_file(str(link), b"after")
    assert not link.is_symlink()
    assert (link.read_bytes(), path.read_bytes()) == (b"after", b"before")


@pytest.mark.parametrize("fsync", [True, False])
def test_a_synced_file_is_renamed_after_the_sync(
    path: Path, monkeypatch: pytest.MonkeyPatch, fsync: bool
) -> None:
    steps = []
    replace = os.replace
    monkeypatch.setattr(os, "fsync", lambda file: steps.append(("fsync", os.fstat(file).st_size)))
    monkeypatch.setattr(os, "replace", lambda *names: (steps.append(("replace", 5)), replace(*names)))
    replace_file(str(path), b"after", fsync=fsync)
    assert steps == [("fsync", 5), ("replace", 5)][not fsync :]


@pytest.mark.parametrize("step", ["fsync", "replace"])
@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_a_failed_write_leaves_no_file(
    path: Path, monkeypatch: pytest.MonkeyPatch, step: str, error: BaseException
) -> None:
    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr(os, step, fail)
    with pytest.raises(type(error)):
        replace_file(str(path), b"after", fsync=True)
    assert (os.listdir(path.parent), path.read_bytes()) == (["file"], b"before")


def test_a_full_disk_leaves_no_file(path: Path) -> None:
    resource = pytest.importorskip("resource")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (3, hard))
    try:
        with pytest.raises(OSError, match="too large"):
            replace_file(str(path), b"after")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert (os.listdir(path.parent), path.read_bytes()) == (["file"], b"before")


def test_a_folder_at_the_path_stays(path: Path) -> None:
    path.unlink()
    path.mkdir()
    with pytest.raises(OSError, match="irectory"):
        replace_file(str(path), b"after")
    assert os.listdir(path.parent) == ["file"]
    with pytest.raises(FileNotFoundError):
        replace_file(str(path.parent / "none" / "file"), b"after")


def test_two_writers_at_once_do_not_mix_their_bytes(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both writers may even choose the same temporary name."""
    replace = os.replace

    def between(aside: str, name: str) -> None:
        monkeypatch.setattr(os, "replace", replace)
        (mine,) = {*os.listdir(path.parent)} - {"file"}
        assert mine.startswith("."), "nobody takes it for one of the folder's files"
        replace_file(str(path), b"the other's")
        assert path.read_bytes() == b"the other's"
        with monkeypatch.context() as patched:
            random = bytes.fromhex(mine.split(".")[-2])
            patched.setattr(os, "urandom", lambda _: random)
            with pytest.raises(FileExistsError):
                replace_file(str(path), b"a third one's")
        replace(aside, name)

    monkeypatch.setattr(os, "replace", between)
    replace_file(str(path), b"mine")
    assert (os.listdir(path.parent), path.read_bytes()) == (["file"], b"mine")
