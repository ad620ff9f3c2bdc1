"""Writes that the system refuses, and values that JSON cannot hold
(formats/README.md, "Behaviour of SessionManager").
"""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import textwrap
from typing import TYPE_CHECKING

import pytest

from app.sessions import AlreadyThere, BadValue, DiskFull, WriteFailed
from tests.factory import chain, write_session
from tests.sessions.manager.conftest import ANSWER, USER, content

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.sessions.manager.conftest import Home

FOREIGN = b'{"type":"custom","id":"foreign","parentId":"00000002","customType":"x"}\n'


def straight(path: Path) -> Path:
    return write_session(path, *chain("one", "two"))


def failing(code: int) -> Callable[..., int]:
    def write(*_: object) -> int:
        raise OSError(code, os.strerror(code))

    return write


@pytest.mark.parametrize(
    ("code", "kind"), [(errno.ENOSPC, DiskFull), (errno.EIO, WriteFailed), (errno.EDQUOT, DiskFull)]
)
def test_a_failed_write_leaves_the_file_and_is_raised_again(
    home: Home,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    code: int,
    kind: type[WriteFailed],
) -> None:
    path = straight(home.folder / "s.jsonl")
    before = path.read_bytes()
    manager = home.open(path)
    with monkeypatch.context() as patch:
        patch.setattr("os.write", failing(code))
        with pytest.raises(kind) as caught:
            manager.append_message(USER)
    assert caught.value.code == code
    assert str(path) in str(caught.value)
    assert path.read_bytes() == before
    assert len(manager.get_entries()) == 2
    # The system would accept the write now, but memory and file may differ.
    for write in (lambda: manager.append_message(USER), lambda: manager.branch("00000001"), manager.close):
        with pytest.raises(kind, match=str(path)):
            write()
    assert path.read_bytes() == before
    (record,) = caplog.records
    assert str(path) in record.getMessage()
    assert os.strerror(code) in record.getMessage()
    manager.set_session_file(str(path))
    manager.append_message(USER)


def test_half_a_write_before_another_append_stays(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    path = straight(home.folder / "s.jsonl")
    manager = home.open(path)
    real = os.write

    def write(to: int, data: bytes) -> int:
        done = real(to, data[:10])
        with path.open("ab") as file:
            file.write(b"\n" + FOREIGN)
        return done

    monkeypatch.setattr("os.write", write)
    with pytest.raises(DiskFull):
        manager.append_message(USER)
    assert home.open(path).leaf_id == "foreign"


@pytest.mark.usefixtures("renames_in_two_steps")
@pytest.mark.parametrize("what", ["os.fsync", "os.link", "os.open"])
def test_a_new_file_is_complete_or_missing(home: Home, monkeypatch: pytest.MonkeyPatch, what: str) -> None:
    manager = home.create()
    manager.append_thinking_level_change("high")
    real = os.open

    def refuse(*args: object, **more: object) -> int:
        if what == "os.open" and not (int(str(args[1])) & os.O_CREAT):
            return real(*args, **more)  # type: ignore[arg-type]
        raise OSError(errno.EIO, "bad disk")

    with monkeypatch.context() as patch:
        patch.setattr(what, refuse)
        if what == "os.link":
            patch.setattr("os.replace", failing(errno.EIO))
        with pytest.raises(WriteFailed):
            manager.append_message(ANSWER)
    left = [name for _, _, names in os.walk(home.folder) for name in names if not name.endswith(".jsonl")]
    assert left == []
    assert not any(
        os.path.getsize(os.path.join(folder, name))
        for folder, _, names in os.walk(home.folder)
        for name in names
    )


def test_a_new_file_never_replaces_another(home: Home) -> None:
    manager = home.create()
    manager.append_thinking_level_change("high")
    path = manager.session_file or ""
    os.makedirs(os.path.dirname(path))
    with open(path, "wb") as file:
        file.write(b"another's")
    with pytest.raises(AlreadyThere):
        manager.append_message(ANSWER)
    assert content(path) == b"another's"


def test_a_value_that_json_cannot_hold_is_refused(home: Home) -> None:
    path = straight(home.folder / "s.jsonl")
    before = path.read_bytes()
    manager = home.open(path)
    for bad in (float("nan"), {1, 2}, {"deep": float("inf")}, b"bytes"):
        with pytest.raises(BadValue):
            manager.append_custom_entry("t", bad)
    assert path.read_bytes() == before
    manager.append_custom_entry("t", {"lone": "\ud83d", "big": 2**70})
    assert home.open(path).get_entries()[-1].raw["data"] == {"lone": "\ud83d", "big": 2**70}


# Root may write to every file, so the child process gives up the rights that it has beyond its own files.
LIMITED = """
    import ctypes, os, resource, signal, sys
    from app.sessions import SessionManager
    from app.sessions.errors import WriteFailed

    path, home, limit = sys.argv[1], sys.argv[2], int(sys.argv[3])
    user = {"role": "user", "content": "a question"}
    if limit < 0:
        head, none = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
        assert ctypes.CDLL(None).capset(head, none) == 0
    manager = SessionManager.open(path, env={"HOME": home})
    if limit >= 0:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    try:
        manager.append_message(user)
    except WriteFailed as error:
        print(type(error).__name__, error.code)
"""


def limited(path: Path, home: Home, limit: int) -> list[str]:
    """Append to `path` in another process; return the class of its error and the code, nothing for success.

    :param limit: bytes that a file may have there; below 0 for no limit, and without the rights of root.
    """
    command = [sys.executable, "-B", "-c", textwrap.dedent(LIMITED), str(path), str(home.folder), str(limit)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    # A program that prints the errors of the library does not get them twice.
    assert done.stderr == ""
    return done.stdout.split()


@pytest.mark.parametrize(
    ("room", "code"), [(0, errno.EFBIG), (10, errno.ENOSPC)], ids=["none", "half an entry"]
)
def test_a_file_at_its_size_limit_is_unchanged(home: Home, room: int, code: int) -> None:
    path = straight(home.folder / "s.jsonl")
    before = path.read_bytes()
    assert limited(path, home, len(before) + room) == ["DiskFull", str(code)]
    assert path.read_bytes() == before
    assert limited(path, home, len(before) + 10_000) == []
    assert path.read_bytes().startswith(before)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="rights are given up in Linux's way")
def test_a_read_only_file_is_unchanged(home: Home) -> None:
    path = straight(home.folder / "s.jsonl")
    before = path.read_bytes()
    path.chmod(0o400)
    assert limited(path, home, -1) == ["ReadOnlyFolder", str(errno.EACCES)]
    assert path.read_bytes() == before
    path.chmod(0o600)
    path.parent.chmod(0o500)
    try:
        assert limited(path, home, -1) == []
    finally:
        path.parent.chmod(0o700)
    assert path.read_bytes().startswith(before)
    assert path.read_bytes() != before
