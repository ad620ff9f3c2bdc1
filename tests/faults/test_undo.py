"""After every fault at every call of every action, no line is lost and undo knows what happened.

Undo is run until nothing is left to undo. Then all is as it was before the action.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from typing import TYPE_CHECKING, Any

import pytest
from leafmark import SessionManager

from tests.factory import agents_session, chain, header, message, write_session
from tests.faults.harness import EIO, ENOSPC, KILL_AFTER, KILL_BEFORE, SHORT, Outcome, run

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

UNDO = ("undo",)
ACTIONS: dict[str, list[tuple[str, ...]]] = {
    "label": [("label", "pi-1", "00000002", "here")],
    "rename omp": [("rename", "omp-1", "Named")],
    "branch": [("branch", "pi-1", "00000002")],
    "fork pi": [("fork", "pi-1")],
    "fork omp": [("fork", "omp-1")],
    "fork the last messages": [("fork", "nick")],
    "branch --new-file": [("branch", "omp-1", "00000002", "--new-file")],
    "trash omp": [("trash", "omp-1")],
    "restore": [("trash", "omp-1"), ("restore", "omp-1")],
    "undo of a name": [("rename", "omp-1", "Named"), UNDO],
    "undo of a fork": [("fork", "omp-1"), UNDO],
    "undo of a trash": [("trash", "omp-1"), UNDO],
    "undo of a restore": [("trash", "omp-1"), ("restore", "omp-1"), UNDO],
}
"""The command that is disturbed comes last."""


class Home:
    """A home folder with a session of pi, one of oh-my-pi with artifacts, and one of nickcecere/agent."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.home = root / "home"
        self.env = {"HOME": str(self.home), "PATH": os.defpath}
        self.pi = self.home / ".pi/agent/sessions/--work-app--/1_pi-1.jsonl"
        self.omp = self.home / ".omp/agent/sessions/-app/1_omp-1.jsonl"
        self.state = self.home / ".local/state/leafmark"

    def reset(self) -> None:
        """Restore the files of the home folder."""
        shutil.rmtree(self.home, ignore_errors=True)
        write_session(self.pi, *chain("question", "one", "more", "two", id="pi-1"))
        titled = {**header("omp-1"), "title": "Auto", "titleSource": "auto"}
        slot = {"type": "title", "v": 1, "title": "Auto", "updatedAt": "2026-01-01T00:00:00.000Z", "pad": ""}
        slot["pad"] = " " * (255 - len(json.dumps(slot)))
        write_session(self.omp, slot, titled, *chain("q", "a", "r", "b")[1:])
        (self.omp.with_suffix("") / "local").mkdir(parents=True)
        (self.omp.with_suffix("") / "1.bash.log").write_text("said")
        (self.omp.with_suffix("") / "local" / "plan.md").write_text("a plan")
        write_session(
            self.home / ".config/agent/sessions/20260226-143012-dd4ef604.jsonl", *agents_session("nick")
        )
        for path in self.home.rglob("*.jsonl"):
            os.utime(path, (1_700_000_000, 1_700_000_000))

    def run(self, *words: str, at: int = -1, fault: str = "") -> Outcome:
        return run(self.root, list(words), self.env, at, fault)

    def sessions(self) -> dict[str, Any]:
        """Return each session as a user sees it, by its file: id, name, labels, conversation, artifacts."""
        found = {}
        for path in sorted([*self.home.glob(".*/agent/sessions/*/*.jsonl")]):
            manager = SessionManager.open(path, env=self.env, new=False)
            conversation = [entry.id for entry in manager.get_branch() if entry.type == "message"]
            labels = {entry.id: manager.get_label(entry.id) for entry in manager.get_entries()}
            artifacts = path.with_suffix("")
            inside = {each.name: each.read_bytes() for each in artifacts.rglob("*") if each.is_file()}
            marks = {id: label for id, label in labels.items() if label}
            found[str(path)] = (manager.session_id, manager.session_name, marks, conversation, inside)
        return found

    def lines(self) -> dict[bytes, int]:
        """Count the files that contain each message of the sessions, trash included. A file with two names
        counts once.
        """
        folders = [".pi/agent/sessions", ".omp/agent/sessions", ".local/share/Trash/files"]
        paths = [path for folder in folders for path in (self.home / folder).rglob("*.jsonl")]
        files = {path.stat().st_ino: path.read_bytes() for path in paths}
        lines = [line for data in files.values() for line in set(data.splitlines()) if b'"role"' in line]
        return {line: lines.count(line) for line in lines}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    """Make a home with the trash of the process, so that a command can be disturbed within a move."""
    monkeypatch.setattr("app.actions.trash._imported_under", None)
    for name in [name for name in sys.modules if name.startswith("send2trash")]:
        monkeypatch.delitem(sys.modules, name)
    return Home(tmp_path)


def faults_at(calls: list[str]) -> Iterator[tuple[int, str]]:
    """Each fault that makes a difference at each call. A kill after a call is one before the next."""
    for at, call in enumerate(calls):
        yield at, KILL_BEFORE
        yield at, ENOSPC
        yield at, EIO
        if call.startswith(("write ", "pwrite ")):
            yield at, SHORT
    yield len(calls) - 1, KILL_AFTER


@pytest.mark.parametrize("commands", ACTIONS.values(), ids=ACTIONS)
def test_undo_knows_what_happened(home: Home, commands: list[tuple[str, ...]]) -> None:
    home.reset()
    for words in commands:
        outcome = home.run(*words)
        assert outcome.code == 0, outcome.err
    assert len(outcome.calls) > 3
    makes_copy = any(words[0] == "fork" or "--new-file" in words for words in commands)
    for at, fault in faults_at(outcome.calls):
        where = (outcome.calls[at], at, fault)
        home.reset()
        before, lines = home.sessions(), home.lines()
        for words in commands[:-1]:
            assert home.run(*words).code == 0
        home.run(*commands[-1], at=at, fault=fault)
        now = home.lines()
        assert makes_copy or now == lines, where
        assert lines.keys() <= now.keys(), where
        done = [home.run("undo")]
        while done[-1].code in (0, 3) and len(done) < 9:
            done.append(home.run("undo"))
        assert (done[-1].code, "nothing to undo" in done[-1].err) == (1, True), (where, done)
        assert home.sessions() == before, (where, done)
        assert list(home.state.glob("*intent*")) == [], where


@pytest.mark.parametrize("commands", [ACTIONS["restore"], ACTIONS["undo of a trash"], ACTIONS["fork pi"]])
def test_a_killed_move_leaves_no_file_in_two_places(home: Home, commands: list[tuple[str, ...]]) -> None:
    home.reset()
    for words in commands:
        outcome = home.run(*words)
    for at in range(len(outcome.calls)):
        home.reset()
        for words in commands[:-1]:
            home.run(*words)
        home.run(*commands[-1], at=at, fault=KILL_AFTER)
        files = [path for path in home.home.rglob("*") if path.is_file()]
        assert [path for path in files if path.stat().st_nlink > 1] == [], outcome.calls[at]


@pytest.mark.usefixtures("renames_in_two_steps")
@pytest.mark.parametrize("what", ["restore", "undo of a trash"])
def test_undo_knows_what_happened_in_two_steps(home: Home, what: str) -> None:
    test_undo_knows_what_happened(home, ACTIONS[what])


@pytest.fixture(params=["in one step", "in two steps"])
def renames(request: pytest.FixtureRequest) -> None:
    """Both kinds of systems."""
    if request.param == "in two steps":
        request.getfixturevalue("renames_in_two_steps")


@pytest.mark.usefixtures("renames")
@pytest.mark.parametrize("way", ["--join", "--aside"])
def test_undo_mends_a_recovery_that_was_killed(home: Home, way: str) -> None:
    """Undo comes right after the kill, without a second try."""

    def set_up() -> tuple[bytes, bytes]:
        home.reset()
        session = home.pi.read_bytes()
        assert home.run("trash", "pi-1").code == 0
        write_session(home.pi, message("n", "00000004", "user", "and then?"))
        os.utime(home.pi, (1_700_000_000, 1_700_000_000))
        return home.pi.read_bytes(), session

    set_up()
    calls = home.run("restore", "pi-1", way).calls
    for at in range(len(calls)):
        headless, session = set_up()
        home.run("restore", "pi-1", way, at=at, fault=KILL_AFTER)
        where = (calls[at], at)
        home.run("trash", "--list")  # it settles what was begun
        if not home.pi.exists() or home.pi.read_bytes() != headless:
            done = home.run("undo")
            assert done.code == 0, (where, done)
        assert home.pi.read_bytes() == headless, where
        lying = [file.read_bytes() for file in (home.home / ".local/share/Trash/files").iterdir()]
        assert lying == [session], where


@pytest.mark.parametrize("way", ["--join", "--aside"])
def test_the_same_command_finishes_a_recovery(home: Home, way: str) -> None:
    """pi appends to the session after it was trashed."""

    def set_up() -> None:
        home.reset()
        assert home.run("trash", "pi-1").code == 0
        write_session(home.pi, message("n", "00000004", "user", "and then?"))
        os.utime(home.pi, (1_700_000_000, 1_700_000_000))

    set_up()
    outcome = home.run("restore", "pi-1", way)
    assert outcome.code == 0, outcome.err
    for at, fault in faults_at(outcome.calls):
        where = (outcome.calls[at], at, fault)
        set_up()
        lines = home.lines()
        home.run("restore", "pi-1", way, at=at, fault=fault)
        assert lines.keys() <= home.lines().keys(), where
        again = home.run("restore", "pi-1", way)
        assert again.code == 0 or (again.code == 1 and "no session in the trash" in again.err), (where, again)
        manager = SessionManager.open(home.pi, env=home.env, new=False)
        joined = ["n"] if way == "--join" else []
        assert [entry.id for entry in manager.get_entries()][4:] == joined, where
        # The lines that pi appended stay in the trash as well.
        now = home.lines()
        assert {line: now[line] for line in lines if b'"n"' not in line} == {
            line: 1 for line in lines if b'"n"' not in line
        }, where
        assert home.run("undo").code == 0, where
