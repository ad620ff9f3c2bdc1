"""Lines that another process writes while a session is written anew, and every fault at every call."""

from __future__ import annotations

import errno
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import pytest
from leafmark import SessionManager

from app.sessions.storage import file_storage
from tests.factory import chain, write_session
from tests.faults.harness import (
    EIO,
    ENOSPC,
    FAULTS,
    KILLS,
    OtherProcess,
    Outcome,
    append_by_path,
    run,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PI, OMP = ".pi/agent/sessions/--work-app--", ".omp/agent/sessions/-work-app"
AGED = 1_700_000_000
"""Seconds: a time long ago, for files that nobody is writing."""
OTHER = b'{"type":"custom","id":"0000000f","parentId":"00000002","customType":"MARK-other-0"}\n'


def old(version: int | None) -> list[dict[str, Any] | str]:
    """A session of version 1 or 2."""
    head = {"type": "session", "id": "old", "timestamp": "2025-01-01T00:00:00Z", "cwd": "/work/app"}
    lines: list[dict[str, Any]] = [
        {"type": "message", "message": {"role": "user", "content": "MARK-1-"}},
        {
            "type": "message",
            "message": {"role": "assistant", "content": [{"type": "text", "text": "MARK-2-"}]},
        },
    ]
    if version:
        head["version"] = version  # type: ignore[assignment]
        lines = [{**line, "id": f"0000000{at}", "parentId": None} for at, line in enumerate(lines, 1)]
    return [head, *lines]


def current(**more: Any) -> list[dict[str, Any] | str]:
    """A session of version 3 with two messages."""
    head, *lines = chain("MARK-1-", "MARK-2-")
    return [{**head, **more}, *lines]


def slot(title: str, size: int) -> str:
    """A title line of that many bytes, newline included."""
    found = {"type": "title", "v": 1, "title": title, "updatedAt": "2026-01-01T00:00:00.000Z", "pad": ""}
    found["pad"] = " " * (size - 1 - len(json.dumps(found)))
    return json.dumps(found)


def file_bytes(*lines: dict[str, Any] | str, newline: str = "\n") -> bytes:
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    return "".join(text + newline for text in texts).encode()


SHAPES: dict[str, tuple[str, bytes]] = {
    "v1": (PI, file_bytes(*old(None))),
    "v2": (PI, file_bytes(*old(2))),
    "v3": (PI, file_bytes(*current())),
    "torn": (PI, file_bytes(*current()) + b'{"type":"message","x":"MARK-torn-'),
    "v1 torn": (PI, file_bytes(*old(None)) + b'{"type":"message","x":"MARK-torn-'),
    "crlf": (PI, file_bytes(*current(), newline="\r\n")),
    "no newline": (PI, file_bytes(*current()).removesuffix(b"\n")),
    "omp": (OMP, file_bytes(slot("before", 256), *current(title="before", titleSource="user"))),
    "omp slotless": (OMP, file_bytes(*current(title="before"))),
    "omp short slot": (OMP, file_bytes(slot("before", 150), *current(title="before"))),
}
COMMANDS = ("rename", "label", "branch")
SHORTER = {"v2": ("rename",), "v1 torn": ("label",)}
"""Shapes whose other commands make the same calls as those of "v1"."""
REWRITTEN = [
    *(("v1", command) for command in COMMANDS),
    *(("v2", command) for command in COMMANDS),
    ("omp slotless", "rename"),
    ("omp short slot", "rename"),
]


class Place:
    """A home folder in which one session lies."""

    def __init__(self, root: Path, shape: str) -> None:
        folder, self.data = SHAPES[shape]
        self.root = root
        self.env = {"HOME": str(root / "home"), "PATH": os.defpath}
        self.path = root / "home" / folder / "2026_s.jsonl"
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.prefix = f"home/{folder}/"
        self.reset()

    def reset(self) -> None:
        """Put the session there as it was, alone in its folder."""
        for other in self.path.parent.iterdir():
            other.unlink()
        self.path.write_bytes(self.data)
        os.utime(self.path, (AGED, AGED))
        # Each run makes the same calls, as the first one.
        shutil.rmtree(self.root / "home/.local", ignore_errors=True)

    def marks(self) -> list[str]:
        """The texts that were in the session before, and have to stay."""
        return [mark for mark in ("MARK-1-", "MARK-2-", "MARK-torn-") if mark.encode() in self.data]

    def words(self, command: str) -> list[str]:
        if command == "rename":
            return ["rename", str(self.path), "after"]
        manager = SessionManager.open(str(self.path), env=self.env)
        first = manager.get_entries()[0].id
        return [command, str(self.path), first] + (["mark"] if command == "label" else [])

    def run(self, command: str, at: int = -1, fault: Any = "") -> Outcome:
        return run(self.root, self.words(command), self.env, at, fault)

    def ours(self, outcome: Outcome) -> list[int]:
        """The numbers of the calls in the session's folder."""
        return [at for at, call in enumerate(outcome.calls) if f" {self.prefix[:-1]}" in call]

    def check(self, *written: str) -> None:
        """Check that each old line and each of `written` is in the session once, on a line of its own.

        No other file may be in the folder except those that doctor reports.
        """
        data = self.path.read_bytes()
        lines = data.split(b"\n")
        assert lines[-1] == b""
        for mark in (*self.marks(), *written):
            assert data.count(mark.encode()) == 1, (mark, os.listdir(self.path.parent))
        for mark in written:
            (line,) = [line for line in lines if mark.encode() in line]
            assert json.loads(line)["customType"] == mark
        assert SessionManager.open(str(self.path), env=self.env).get_branch()
        others = {str(other) for other in self.path.parent.iterdir()} - {str(self.path)}
        if others:
            outcome = run(self.root, ["doctor", "--json"], self.env)
            reported = {found["path"] for found in json.loads(outcome.out)["skipped"]}
            assert others <= reported

    def write_again(self) -> None:
        """Write once more, after a process was killed during its write."""
        os.utime(self.path, (AGED, AGED))
        SessionManager.open(str(self.path), env=self.env, new=False).append_custom_entry("again")


@pytest.fixture
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    return Place(tmp_path, request.param)


@pytest.fixture(scope="module")
def other() -> Iterator[OtherProcess]:
    with OtherProcess() as process:
        yield process


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorten the wait for a process that keeps a file open."""
    monkeypatch.setattr(file_storage, "HOLDER_WAIT", 0.01, raising=False)
    monkeypatch.setattr(file_storage, "_LAST_WAIT", 0.01, raising=False)
    monkeypatch.setattr(file_storage, "_PAUSE", 0.001, raising=False)


@pytest.mark.parametrize(("place", "command"), REWRITTEN, indirect=["place"])
def test_a_line_that_is_appended_by_path_at_any_call_is_kept(place: Place, command: str) -> None:
    calls = place.ours(place.run(command))
    assert len(calls) > 5
    for at in calls:
        place.reset()
        outcome = place.run(command, at, lambda: append_by_path(place.path, OTHER))
        assert outcome.code == 0, (at, outcome)
        place.check("MARK-other-0")


@pytest.mark.parametrize(("place", "command"), REWRITTEN, indirect=["place"])
def test_a_file_that_a_process_has_open_is_not_rewritten(
    place: Place, command: str, other: OtherProcess
) -> None:
    before = place.path.read_bytes()
    other.open(place.path)
    outcome = place.run(command)
    other.append(OTHER)
    other.close()
    assert outcome.code == 3
    assert f"process {other.pid} " in outcome.err
    assert outcome.err.count("\n") == 1
    assert place.path.read_bytes() == before + OTHER


@pytest.mark.parametrize(("place", "command"), REWRITTEN, indirect=["place"])
def test_lines_through_a_descriptor_that_is_opened_at_any_call_are_kept(
    place: Place, command: str, other: OtherProcess
) -> None:
    calls = place.ours(place.run(command))
    later = OTHER.replace(b"other-0", b"other-1").replace(b"0f", b"0e")
    for at in calls:
        place.reset()

        def begin() -> None:
            other.open(place.path)
            other.append(OTHER)

        outcome = place.run(command, at, begin)
        assert outcome.code in (0, 3), (at, outcome)
        # The process may still append after the command has ended.
        other.append(later)
        other.close()
        place.write_again()
        place.check("MARK-other-0", "MARK-other-1")


@pytest.mark.parametrize(
    ("place", "command"),
    [(shape, command) for shape in SHAPES for command in COMMANDS if command in SHORTER.get(shape, COMMANDS)],
    indirect=["place"],
)
def test_no_fault_at_any_call_loses_a_line(place: Place, command: str) -> None:
    calls = place.ours(place.run(command))
    assert calls
    for at in calls:
        for fault in FAULTS:
            place.reset()
            outcome = place.run(command, at, fault)
            assert outcome.code in ((None,) if fault in KILLS else (0, 3)), (at, fault, outcome)
            if fault in KILLS or outcome.code == 3:
                place.write_again()
            place.check()


@pytest.mark.parametrize("place", ["v1", "omp slotless"], indirect=True)
def test_a_line_in_the_old_file_is_carried_over_after_a_kill(place: Place, other: OtherProcess) -> None:
    calls = place.run("rename").calls
    (at,) = [at for at, call in enumerate(calls) if call.startswith("replace ")]

    place.reset()

    # Another process opens the file just before it is replaced; leafmark is killed at the call after that.
    def at_replace() -> None:
        other.open(place.path)
        real = os.fsync

        def die(descriptor: int) -> None:
            real(descriptor)
            os.kill(os.getpid(), signal.SIGKILL)

        os.fsync = die

    outcome = place.run("rename", at, at_replace)
    assert outcome.code is None
    other.append(OTHER)
    other.close()
    assert b"MARK-other-0" not in place.path.read_bytes()
    place.write_again()
    place.check("MARK-other-0")


@pytest.mark.usefixtures("renames_in_two_steps")
@pytest.mark.parametrize("place", ["v1", "omp slotless"], indirect=True)
def test_a_file_system_without_hard_links_loses_nothing(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*args: Any, **named: Any) -> None:
        raise PermissionError(errno.EPERM, os.strerror(errno.EPERM))

    monkeypatch.setattr(os, "link", refuse)
    for at in place.ours(place.run("rename")):
        place.reset()
        outcome = place.run("rename", at, lambda: append_by_path(place.path, OTHER))
        assert outcome.code == 0, (at, outcome)
        place.check("MARK-other-0")


@pytest.mark.parametrize("place", ["v1", "omp slotless"], indirect=True)
def test_a_session_that_oh_my_pi_has_locked_is_not_rewritten(place: Place) -> None:
    before = place.path.read_bytes()
    lock = place.path.parent / f".{place.path.name}.lock"
    lock.write_text(f"{os.getpid()}:{AGED}000\n")
    outcome = place.run("rename")
    assert outcome.code == 3
    assert f"process {os.getpid()} has locked it" in outcome.err
    assert place.path.read_bytes() == before
    assert lock.exists()
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    lock.write_text(f"{dead.pid}:{AGED}000\n")
    assert place.run("rename").code == 0


# an unfinished last line


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("place", ["v3", "v1", "omp", "omp slotless"], indirect=True)
def test_a_line_that_another_process_is_writing_is_not_touched(
    place: Place, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_storage, "LINE_WAIT", 0.01, raising=False)
    append_by_path(place.path, OTHER[:20])
    before = place.path.read_bytes()
    outcome = place.run(command)
    assert outcome.code == 3
    assert "another process is writing its last line" in outcome.err
    assert place.path.read_bytes() == before
    append_by_path(place.path, OTHER[20:])
    assert place.run(command).code == 0
    place.check("MARK-other-0")


HALVES = """
import os, sys, time
path, line = sys.argv[1], sys.argv[2].encode() + b"\\n"
file = os.open(path, os.O_WRONLY | os.O_APPEND)
os.write(file, line[:30])
os.close(file)
print("half", flush=True)
sys.stdin.readline()
time.sleep(0.1)
file = os.open(path, os.O_WRONLY | os.O_APPEND)
os.write(file, line[30:])
os.close(file)
"""


@pytest.mark.parametrize("place", ["v3", "v1", "omp"], indirect=True)
def test_a_line_that_is_finished_in_time_comes_before_ours(place: Place) -> None:
    line = OTHER.decode().strip()
    with subprocess.Popen(
        [sys.executable, "-c", HALVES, str(place.path), line],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as writer:
        assert writer.stdout is not None
        assert writer.stdin is not None
        assert writer.stdout.readline() == "half\n"
        writer.stdin.write("\n")
        writer.stdin.flush()
        outcome = place.run("rename")
    assert outcome.code == 0, outcome
    place.check("MARK-other-0")
    assert SessionManager.open(str(place.path), env=place.env).session_name == "after"


@pytest.mark.parametrize("age", [4.9, 5.1, 3600])
def test_the_wait_for_a_line_depends_on_its_age(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, age: float
) -> None:
    place = Place(tmp_path, "torn")
    now = [AGED + age]
    monkeypatch.setattr(time, "time", lambda: now[0])
    monkeypatch.setattr(time, "sleep", lambda pause: now.append(now.pop() + pause))
    manager = SessionManager.open(place.path, env=place.env)
    if age < file_storage.FRESH:
        with pytest.raises(file_storage.LiveSession, match="is writing its last line"):
            manager.append_custom_entry("ours")
        assert now[0] >= AGED + age + file_storage.LINE_WAIT
        assert b"ours" not in place.path.read_bytes()
    else:
        manager.append_custom_entry("ours")
        assert now == [AGED + age]
        place.check("ours")


# a rename of oh-my-pi's that fails


@pytest.mark.parametrize("error", [ENOSPC, EIO, "short write"])
@pytest.mark.parametrize("place", ["omp", "omp slotless", "omp short slot"], indirect=True)
def test_a_rename_that_fails_leaves_neither_title_nor_entry(place: Place, error: str) -> None:
    before = place.path.read_bytes()
    for at in place.ours(place.run("rename")):
        place.reset()
        outcome = place.run("rename", at, error)
        assert outcome.code == 0 or (outcome.code, place.path.read_bytes()) == (3, before)
    place.reset()
    assert run(place.root, ["rename", str(place.path), "first"], place.env).code == 0
    before = place.path.read_bytes()
    calls = place.run("rename").calls
    os.utime(place.path, (AGED, AGED))
    place.path.write_bytes(before)
    writes = [at for at, call in enumerate(calls) if call.split()[0] in ("write", "pwrite")]
    session_writes = [at for at in writes if place.prefix in calls[at]]
    assert len(session_writes) >= 2
    journal = place.root / "home/.local/state/leafmark/journal.jsonl"
    for at in session_writes:
        for _ in range(3):
            # Clearing up after the failed rename takes calls of its own.
            for intent in journal.parent.glob(f"{journal.name}.intent-*"):
                intent.unlink()
            outcome = place.run("rename", at, error)
            assert outcome.code == 3, outcome
            assert place.path.read_bytes() == before
    journal.write_bytes(journal.read_bytes().splitlines(keepends=True)[0])
    undone = run(place.root, ["undo"], place.env)
    assert undone.code == 0, undone
    assert SessionManager.open(str(place.path), env=place.env).session_name == "before"


# temporary copies


def copies(place: Place, age: float) -> list[str]:
    """Hidden files as killed processes leave them."""
    folder = place.path.parent
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    names = [f".copy-{dead.pid}-{number}123abcd.leafmark" for number in (0, 1)]
    for name in names:
        (folder / name).write_bytes(b"{}\n")
        os.utime(folder / name, (time.time() - age,) * 2)
    return [str(folder / name) for name in names]


@pytest.mark.parametrize("place", ["v3", "omp"], indirect=True)
def test_a_write_removes_old_copies_and_nothing_else(place: Place) -> None:
    folder = place.path.parent
    gone = copies(place, 3700)
    running = folder / f".copy-{os.getpid()}-0123abcd.leafmark"
    foreign = [folder / name for name in (".x.leafmark", "abcdefgh.leafmark", ".copy-1-x.leafmark")]
    for path in (running, *foreign):
        path.write_bytes(b"")
        os.utime(path, (AGED, AGED))
    assert place.run("rename").code == 0
    assert not [path for path in gone if os.path.lexists(path)]
    assert all(path.exists() for path in (running, *foreign))


@pytest.mark.parametrize("place", ["v3"], indirect=True)
def test_a_write_leaves_copies_of_the_last_hour(place: Place) -> None:
    there = copies(place, 3500)
    assert place.run("rename").code == 0
    assert all(os.path.exists(path) for path in there)


@pytest.mark.parametrize("place", ["v3"], indirect=True)
def test_doctor_reports_copies_and_deletes_nothing(place: Place) -> None:
    there = copies(place, 7300)
    outcome = run(place.root, ["doctor"], place.env)
    assert outcome.code == 0
    for path in there:
        (line,) = [line for line in outcome.out.splitlines() if os.path.basename(path) in line]
        assert "3 bytes" in line
        assert "2 h 01 min old" in line
        assert os.path.exists(path)


def test_a_kept_file_with_more_than_its_session_is_never_removed(tmp_path: Path) -> None:
    place = Place(tmp_path, "v3")
    other = write_session(place.path.parent / "other.jsonl", *chain("one"))
    from app.sessions.storage.temporary import kept_name

    kept = kept_name(str(other), other.stat().st_size)
    with open(kept, "wb") as file:
        file.write(other.read_bytes() + OTHER)
    os.utime(kept, (AGED, AGED))
    assert place.run("rename").code == 0
    assert os.path.exists(kept)
    SessionManager.open(str(other), env=place.env).append_custom_entry("ours")
    assert other.read_bytes().count(OTHER) == 1
    assert not os.path.exists(kept)
