"""Writes beside other processes, kills during writes, and syncs to the disk."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import textwrap
from typing import TYPE_CHECKING

import pytest

from app.sessions import Changed, NotThere, ReadOnly, WriteFailed
from app.sessions.storage import file_storage
from tests.factory import chain, write_session
from tests.sessions.manager.conftest import ANSWER, USER, content

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from leafmark import SessionManager

    from tests.sessions.manager.conftest import Home

    Make = Callable[..., SessionManager]

FOREIGN = b'{"type":"custom","id":"foreign","parentId":"00000002","customType":"x"}\n'


def straight(path: Path) -> Path:
    return write_session(path, *chain("one", "two"))


# beside other processes


def test_an_append_of_another_process_is_read_before_a_write(home: Home) -> None:
    path = straight(home.folder / "s.jsonl")
    manager = home.open(path)
    with path.open("ab") as file:
        file.write(FOREIGN)
    added = manager.append_message(USER)
    found = home.open(path).get_entry(added)
    assert found is not None
    assert found.parent_id == "foreign"
    assert [entry.id for entry in manager.get_entries()] == ["00000001", "00000002", "foreign", added]


def test_a_leaf_that_was_moved_stays_when_others_write(home: Home) -> None:
    path = straight(home.folder / "s.jsonl")
    manager = home.open(path)
    manager.branch("00000001")
    with path.open("ab") as file:
        file.write(FOREIGN)
    added = manager.get_entry(manager.append_message(USER))
    assert added is not None
    assert added.parent_id == "00000001"


def test_a_rewritten_file_is_read_again(home: Home) -> None:
    path = straight(home.folder / "s.jsonl")
    manager = home.open(path)
    replacement = write_session(home.folder / "new", *chain("a", "b", "c"))
    replacement.replace(path)
    added = manager.get_entry(manager.append_message(USER))
    assert added is not None
    assert added.parent_id == "00000003"


def test_a_file_that_is_replaced_before_it_is_locked_gets_the_entry(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = straight(home.folder / "s.jsonl")
    manager = home.open(path)
    replacement = write_session(home.folder / "new", *chain("a", "b", "c"))
    real = file_storage.lock_descriptor

    def lock(descriptor: int) -> bool:
        if replacement.exists():
            replacement.replace(path)
        return real(descriptor)

    monkeypatch.setattr(file_storage, "lock_descriptor", lock)
    added = manager.get_entry(manager.append_message(USER))
    assert added is not None
    assert added.parent_id == "00000003"
    assert home.open(path).leaf_id == added.id


def test_a_missing_file_is_not_made_again(home: Home) -> None:
    path = straight(home.folder / "s.jsonl")
    manager = home.open(path)
    path.unlink()
    with pytest.raises((NotThere, WriteFailed)):
        manager.append_message(USER)
    assert not path.exists()


def test_an_append_does_not_read_the_file_again(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    path = straight(home.folder / "s.jsonl")
    manager = home.open(path)
    reads: list[int] = []
    real = os.pread
    monkeypatch.setattr("os.pread", lambda *args: reads.append(args[1]) or real(*args))
    monkeypatch.setattr("os.read", lambda *_: pytest.fail("the file was read again"))
    manager.append_message(USER)
    assert sum(reads) <= 1


WRITER = """
    import sys
    from app.sessions import SessionManager
    env = {"HOME": sys.argv[2]}
    manager = SessionManager.open(sys.argv[1], env=env)
    for at in range(int(sys.argv[3])):
        manager.append_message({"role": "user", "content": sys.argv[4] * (1 + at % 7 * 3000)})
        print(manager.leaf_id, flush=True)
"""


def writer(path: Path, home: Home, count: int, word: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(WRITER), str(path), str(home.folder), str(count), word],
        stdout=subprocess.PIPE,
        text=True,
    )


def test_two_leafmark_processes_lose_no_entries(home: Home) -> None:
    path = straight(home.folder / "s.jsonl")
    both = [writer(path, home, 60, word) for word in "ab"]
    added = {line for process in both for line in process.communicate()[0].split()}
    assert [process.returncode for process in both] == [0, 0]
    manager = home.open(path)
    assert manager.problems == []
    assert {entry.id for entry in manager.get_entries()} == added | {"00000001", "00000002"}
    assert len(added) == 120
    assert len(manager.get_branch()) == 122


@pytest.mark.slow
def test_200_kills_during_writes_leave_a_whole_file(home: Home) -> None:
    path = straight(home.folder / "s.jsonl")
    # The interpreter starts once, because two hundred starts would take minutes.
    script = textwrap.dedent(WRITER)
    starter = f"""
import os, signal, sys, time
sys.argv = ["", {str(path)!r}, {str(home.folder)!r}, "100000", "word"]
code = compile({script!r}, "writer", "exec")
import app.sessions.manager.session_manager
for turn in range(200):
    # The file is old, because a write waits for the end of a new unfinished line.
    os.utime({str(path)!r}, (1, 1))
    child = os.fork()
    if child == 0:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        exec(code, {{"__name__": "__main__"}})
        os._exit(0)
    before = os.stat({str(path)!r}).st_size
    while os.stat({str(path)!r}).st_size == before:
        time.sleep(0)
    time.sleep(turn % 10 / 5000)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    print(turn)
"""
    done = subprocess.run([sys.executable, "-c", starter], capture_output=True, text=True, check=True)
    assert len(done.stdout.split()) == 200
    manager = home.open(path)
    assert len(manager.get_branch()) == len(manager.get_entries()) >= 202
    # A line that a kill cut off is a line of its own, and no other is lost with it.
    assert all(b'{"type":"message"' not in line[1:] for line in content(str(path)).split(b"\n"))
    added = manager.append_message(USER)
    assert home.open(path).leaf_id == added


# formats that are only read


@pytest.mark.parametrize(
    "lines",
    [
        ['{"schema":"indus/transcript@1","kind":"head","sessionId":"s","leaf":null}'],
        ['{"type":"session","id":"s","version":1,"timestamp":"2026-02-26T14:30:12Z","cwd":"/w"}'],
    ],
)
def test_read_only_formats_refuse_every_write(session: Make, lines: list[str]) -> None:
    manager = session(*lines)
    before = content(manager.session_file)
    for write in (
        lambda: manager.append_message(USER),
        lambda: manager.append_session_info("n"),
        lambda: manager.append_custom_entry("t"),
        lambda: manager.branch_with_summary(None, "s"),
        lambda: manager.append_model_change("p", "m"),
    ):
        with pytest.raises(ReadOnly):
            write()
    assert content(manager.session_file) == before


def test_a_file_that_changes_all_the_time_raises(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    path = straight(home.folder / "s.jsonl")
    manager = home.open(path)
    monkeypatch.setattr(
        "app.sessions.storage.file_storage.FileStorage.append",
        lambda *_, **__: (_ for _ in ()).throw(Changed(str(path))),
    )
    with pytest.raises(Changed):
        manager.append_message(USER)


# ids and syncs


def test_a_used_id_is_not_used_again(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    path = straight(home.folder / "s.jsonl")
    manager = home.open(path)
    drawn = ["00000001", "00000002", "00000001", "0badcafe", "0badcafe", "0badcaff"]
    monkeypatch.setattr("secrets.token_hex", lambda _: drawn.pop(0))
    assert [manager.append_message(USER) for _ in range(2)] == ["0badcafe", "0badcaff"]
    assert drawn == []
    assert home.open(path).problems == []


def synced(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return a list that gets "file" or "folder" for each sync from now on."""
    syncs: list[str] = []
    real = os.fsync

    def fsync(descriptor: int) -> None:
        syncs.append("folder" if stat.S_ISDIR(os.fstat(descriptor).st_mode) else "file")
        real(descriptor)

    monkeypatch.setattr("os.fsync", fsync)
    return syncs


def test_an_append_is_synced_once(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    manager = home.open(straight(home.folder / "s.jsonl"))
    syncs = synced(monkeypatch)
    manager.append_message(USER)
    assert syncs == ["file"]


def test_a_new_file_is_synced_before_its_name(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    manager = home.create()
    syncs = synced(monkeypatch)
    manager.append_thinking_level_change("high")
    assert syncs == []
    manager.append_message(ANSWER)
    assert syncs == ["file", "folder"]


def test_a_rewritten_file_is_synced_before_its_name(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    old = ('{"type":"session","id":"s","cwd":"/w"}', '{"type":"message","message":{}}')
    manager = home.open(write_session(home.folder / "old.jsonl", *old))
    syncs = synced(monkeypatch)
    manager.append_message(USER)
    assert syncs == ["file", "folder", "file"]
