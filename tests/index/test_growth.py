"""Growth of a session: appends by leafmark processes are not taken for a running agent (formats/README.md,
"Detecting a running agent").
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from leafmark import Index

from app.sessions.storage import append_ledger
from tests.index.helpers import Listener, append, fill, message, pi_store, session, write
from tests.prepared import prepared

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[2]
NOW = 12_345


@pytest.fixture(autouse=True)
def _reset_shared_notes() -> Iterator[None]:
    yield
    append_ledger.share_notes("")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return write(tmp_path / "store" / "--a--" / "a.jsonl", session())


@pytest.fixture
def index(tmp_path: Path, path: Path) -> Iterator[Index]:
    index = Index([pi_store(tmp_path / "store")], str(tmp_path / "cache"), now=lambda: NOW)
    index.scan()
    yield index
    index.close()


def env(tmp_path: Path) -> dict[str, str]:
    # Neither the user's sessions nor the processes' working folders are looked at.
    folders = {"HOME": str(tmp_path / "home"), "LEAFMARK_CACHE_DIR": str(tmp_path / "cache")}
    return {**folders, "LEAFMARK_STATE_DIR": str(tmp_path / "state"), "PATH": os.defpath}


def leafmark(tmp_path: Path, *arguments: str) -> None:
    """Run leafmark in a process of its own."""
    store = f"pi={tmp_path / 'store'}"
    done = prepared().run(["--store", store, *arguments], env(tmp_path), str(ROOT))
    assert done.returncode == 0, done.stderr


def grown(index: Index) -> dict[str, int | None]:
    index.scan()
    return {os.path.basename(row.path): row.grew_ms for row in index.rows()}


def test_appends_of_another_leafmark_are_not_growth(tmp_path: Path, path: Path, index: Index) -> None:
    leafmark(tmp_path, "label", str(path), "e0", "here")
    leafmark(tmp_path, "rename", str(path), "one")
    assert grown(index) == {"a.jsonl": None}
    leafmark(tmp_path, "rename", str(path), "two")
    assert grown(index) == {"a.jsonl": None}
    (row,) = index.rows()
    assert (row.name, [text for _, text in row.labels]) == ("two", ["here"])


def test_a_longer_replacement_is_not_growth(path: Path, index: Index) -> None:
    new = write(path.with_suffix(".new"), session() + message("m1", "e0", "more"))
    os.replace(new, path)
    assert grown(index) == {"a.jsonl": None}
    assert index.rows()[0].message_count == 2
    append(path, message("m2", "m1", "again"))
    assert grown(index) == {"a.jsonl": NOW}


@pytest.mark.parametrize("turn", ["before", "between", "after"])
def test_an_agents_appends_beside_ours_are_growth(
    turn: str, tmp_path: Path, path: Path, index: Index
) -> None:
    for moment, name in (("before", "one"), ("between", "two"), ("after", "")):
        if moment == turn:
            append(path, message("m1", "e0", "more"))
        if name:
            leafmark(tmp_path, "rename", str(path), name)
    assert grown(index) == {"a.jsonl": NOW}


def test_an_open_browser_does_not_take_appends_of_the_command_line_for_growth(
    tmp_path: Path, path: Path
) -> None:
    index = Index([pi_store(tmp_path / "store")], str(tmp_path / "cache"), now=lambda: NOW)
    with Listener(index) as listener:
        leafmark(tmp_path, "rename", str(path), "one")
        listener.until(lambda: listener.titles()["a.jsonl"] == "one")
        assert listener.rows[str(path)].grew_ms is None
        append(path, message("m1", "e0", "more"))
        listener.until(lambda: listener.rows[str(path)].message_count == 2)
        assert listener.rows[str(path)].grew_ms == NOW


ADDS = """
import os, signal, sys
sys.path.insert(0, sys.argv[1])
cache, path, name, many, last = sys.argv[2:]
from app.sessions import SessionManager
from app.sessions.storage import append_ledger, temporary
append_ledger.share_notes(cache)
manager = SessionManager.open(path, agents=("pi",))
print("ready", flush=True)
sys.stdin.readline()
for number in range(int(many)):
    manager.append_label_change("e0", f"{name} {number}")
if last == "killed":
    temporary.append_whole = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
    manager.append_label_change("e0", "x" * 1_000)
elif last == "torn":
    def half(descriptor, line, size):
        os.write(descriptor, line[:20])
        os.kill(os.getpid(), signal.SIGKILL)
    temporary.append_whole = half
    manager.append_label_change("e0", "x" * 1_000)
"""


def start_labelling(
    tmp_path: Path, path: Path, name: str = "a", many: int = 0, last: str = ""
) -> subprocess.Popen[str]:
    """Start a process of ours that waits, then labels the first message `many` times."""
    process = subprocess.Popen(
        [sys.executable, "-c", ADDS, str(ROOT), str(tmp_path / "cache"), str(path), name, str(many), last],
        env=env(tmp_path),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


def release(*processes: subprocess.Popen[str]) -> list[int]:
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    for process in processes:
        process.communicate(timeout=60)
    return [process.returncode for process in processes]


@pytest.mark.parametrize("last", ["killed", "torn"])
def test_bytes_that_a_killed_process_announced_but_did_not_write_are_not_ours(
    last: str, tmp_path: Path, path: Path, index: Index
) -> None:
    assert release(start_labelling(tmp_path, path, many=1, last=last)) == [-9]
    # The agent's line is within the announced length.
    append(path, "\n" * (last == "torn") + message("m1", "e0", "more"))
    assert grown(index) == {"a.jsonl": NOW}


def test_several_leafmark_processes_append_at_once(tmp_path: Path, path: Path, index: Index) -> None:
    processes = [start_labelling(tmp_path, path, name, 30) for name in "abc"]
    assert release(*processes) == [0, 0, 0]
    assert path.read_bytes().count(b'"label":"') == 90
    assert grown(index) == {"a.jsonl": None}
    shared = append_ledger.SharedNotes(str(tmp_path / "cache"))
    shared.refresh()
    assert len(shared.of(path.stat().st_ino)) == 90


@pytest.mark.parametrize("kind", ["nothing", "rubbish", "torn", "folder", "pipe", "loop"])
def test_an_unusable_notes_file_causes_no_error(kind: str, tmp_path: Path, path: Path, index: Index) -> None:
    notes = tmp_path / "cache" / append_ledger.NAME
    if kind == "rubbish":
        notes.write_bytes(b"\xff\0 1 2 3 4\n1 2 3\n" + b"9" * 5_000 + b"\n" + b"7 -1 99999 00\n" * 9)
    elif kind == "torn":
        notes.write_bytes(b"\n%d 0 5" % path.stat().st_ino)
    elif kind == "folder":
        notes.mkdir()
    elif kind == "pipe":
        os.mkfifo(notes)
    elif kind == "loop":
        notes.symlink_to(notes)
    leafmark(tmp_path, "rename", str(path), "one")
    assert grown(index) == {"a.jsonl": None if kind in ("nothing", "rubbish", "torn") else NOW}


def test_scans_read_the_shared_notes_when_they_have_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = fill(tmp_path / "store", 50)
    index = Index([pi_store(tmp_path / "store")], str(tmp_path / "cache"), now=lambda: NOW)
    index.scan()
    assert release(start_labelling(tmp_path, paths[0], many=3)) == [0]
    reads: list[str] = []
    read_small = append_ledger.read_small

    def counted_read(path: str, limit: int) -> bytes:
        reads.append(path)
        return read_small(path, limit)

    monkeypatch.setattr(append_ledger, "read_small", counted_read)
    for number in range(20):
        for path in paths:
            append(path, message(f"m{number}", "e0", "more"))
        index.scan()
    # After a thousand appends: the notes are read only when they have changed, and no older part of them
    # exists.
    assert len(reads) == 2
    assert {row.grew_ms for row in index.rows()} == {NOW}
    index.close()


def test_bytes_that_did_not_fit_on_the_disk_are_not_ours(
    path: Path, index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    from leafmark import SessionError, SessionManager

    manager = SessionManager.open(str(path), agents=("pi",))
    real = os.write
    monkeypatch.setattr("app.sessions.storage.file_storage.os.write", lambda descriptor, line: 0)
    with pytest.raises(SessionError):
        manager.append_label_change("e0", "x" * 1_000)
    monkeypatch.undo()
    assert os.write is real
    append(path, message("m1", "e0", "more"))
    assert grown(index) == {"a.jsonl": NOW}
