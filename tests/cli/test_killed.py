"""Whenever leafmark is killed, undo knows afterwards what it did (issue 20, number 5).

Each command runs in a process that ends without warning before one of its calls that change a file: before
the first in one process, before the second in the next, and so on. Afterwards undo is run until nothing is
left to undo. Then all is as it was before the command.
"""

from __future__ import annotations

import itertools
import json
import os
import shutil
import sys

import pytest

from app.actions import earlier
from app.actions.journal import NAME, Journal
from app.cli import main
from app.sessions import SessionManager
from app.sessions.manager.change import Change
from tests.factory import chain, header, message, write_session

MUTATING = (
    *("fchmod", "fsync", "ftruncate", "link", "mkdir", "open", "pwrite", "rename", "replace", "rmdir"),
    *("symlink", "truncate", "unlink", "utime", "write"),
)
KILLED = 99


def sessions_of(home):
    """What a user sees of each session: name, labels, conversation, artifacts; by its file."""
    found = {}
    for path in sorted([*home.glob(".*/agent/sessions/*/*.jsonl")]):
        manager = SessionManager.open(path, env={"HOME": str(home)}, new=False)
        said = [entry.id for entry in manager.get_branch() if entry.type == "message"]
        labels = {entry.id: manager.get_label(entry.id) for entry in manager.get_entries()}
        labels = {id: label for id, label in labels.items() if label}
        artifacts = path.with_suffix("")
        inside = {each.name: each.read_bytes() for each in artifacts.rglob("*") if each.is_file()}
        found[str(path)] = (manager.session_id, manager.session_name, labels, said, inside)
    return found


def lines_of(home):
    """Every entry of every session, those in the trash too."""
    paths = [*home.glob(".*/agent/sessions/*/*.jsonl"), *home.glob(".local/share/Trash/files/*.jsonl")]
    lines = [line for path in paths for line in path.read_bytes().splitlines()]
    return [line for line in lines if b'"type": "session"' not in line]


def kill_at(number, words):
    """Run a command in a process that is killed before its call of that number; whether it had so many."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == KILLED
    calls = itertools.count()

    def killing(function):
        def call(*values, **named):
            changes = function is not os_open or values[1] & (os.O_WRONLY | os.O_RDWR)
            if changes and next(calls) == number:
                os._exit(KILLED)
            return function(*values, **named)

        return call

    os_open = os.open
    try:
        for name in MUTATING:
            setattr(os, name, killing(getattr(os, name)))
        with open(os.devnull, "w") as nowhere:
            sys.stdout = sys.stderr = nowhere
            main([str(word) for word in words])
    finally:
        os._exit(0)


def write_store(home):
    pi = home / ".pi/agent/sessions/--work-app--"
    write_session(pi / "1_pi-aaaa.jsonl", *chain("question", "one", "more", "two", id="pi-aaaa"))
    omp = home / ".omp/agent/sessions/-app/1_omp-1.jsonl"
    titled = {**header("omp-1"), "title": "Auto", "titleSource": "auto"}
    write_session(omp, titled, *chain("q", "a", "r", "b")[1:])
    (omp.with_suffix("") / "local").mkdir(parents=True)
    (omp.with_suffix("") / "1.bash.log").write_text("said")
    (omp.with_suffix("") / "local" / "plan.md").write_text("a plan")
    agent = home / ".config/agent/sessions/20260226-143012-dd4ef604.jsonl"
    opening = {
        "type": "session",
        "id": "nick",
        "version": 1,
        "timestamp": "2026-02-26T14:30:12Z",
        "cwd": "/w",
    }
    said = {"type": "message", "id": "m1", "timestamp": "2026-02-26T14:30:12Z"}
    write_session(agent, opening, {**said, "message": {"role": "user", "content": []}})


COMMANDS = {
    "label": [("label", "pi-aaaa", "00000002", "here")],
    "rename pi": [("rename", "pi-aaaa", "Named")],
    "rename omp": [("rename", "omp-1", "Named")],
    "branch": [("branch", "pi-aaaa", "00000002")],
    "branch with a summary": [("branch", "omp-1", "00000002", "--summary", "left")],
    "branch --new-file": [("branch", "omp-1", "00000002", "--new-file")],
    "fork omp": [("fork", "omp-1")],
    "fork the last messages": [("fork", "nick")],
    "trash omp": [("trash", "omp-1")],
    "trash several": [("trash", "pi-aaaa", "omp-1")],
    "restore": [("trash", "omp-1"), ("restore", "omp-1")],
    "undo of a label": [("label", "pi-aaaa", "00000002", "here"), ("undo",)],
    "undo of a name": [("rename", "omp-1", "Named"), ("undo",)],
    "undo of a fork": [("fork", "omp-1"), ("undo",)],
    "undo of a trash": [("trash", "omp-1"), ("undo",)],
    "undo of a restore": [("trash", "omp-1"), ("restore", "omp-1"), ("undo",)],
}


@pytest.fixture
def trash_here(home, monkeypatch):
    """The trash of that home is that of this process, so that a command is killed within the move as well."""
    monkeypatch.setattr("app.actions.trash._imported_under", None)
    for name in [name for name in sys.modules if name.startswith("send2trash")]:
        monkeypatch.delitem(sys.modules, name)


@pytest.mark.parametrize("commands", COMMANDS.values(), ids=COMMANDS)
def test_undo_knows_what_a_killed_command_did(run, home, trash_here, commands):
    state = home / ".local/state/leafmark"
    for number in itertools.count():
        shutil.rmtree(home)
        home.mkdir()
        write_store(home)
        before, lines = sessions_of(home), lines_of(home)
        for words in commands[:-1]:
            assert run(*words).code == 0
        was_killed = kill_at(number, commands[-1])
        assert [line for line in lines if line not in lines_of(home)] == [], number
        if not was_killed and commands[-1] == ("undo",):
            break
        done = [run("undo")]
        while done[-1].code == 0 and len(done) < 9:
            done.append(run("undo"))
        assert (done[-1].code, "nothing left" in done[-1].err) == (1, True), (number, done)
        assert sessions_of(home) == before, number
        assert list(state.glob("*intent*")) == []
        if not was_killed:
            break
    assert number > 3


@pytest.mark.parametrize("way", ["--join", "--aside"])
def test_a_killed_recovery_is_ended_by_the_same_command(run, home, trash_here, way):
    path = home / ".pi/agent/sessions/--work-app--/1_pi-aaaa.jsonl"
    for number in itertools.count():
        shutil.rmtree(home)
        home.mkdir()
        write_store(home)
        assert run("trash", "pi-aaaa").code == 0
        write_session(path, message("n", "00000004", "user", "and then?"))
        lines = lines_of(home)
        was_killed = kill_at(number, ("restore", "pi-aaaa", way))
        assert [line for line in lines if line not in lines_of(home)] == [], number
        again = run("restore", "pi-aaaa", way)
        assert again.code == 0 or (again.code == 1 and "neither the trash" in again.err), (number, again)
        manager = SessionManager.open(path, env={"HOME": str(home)}, new=False)
        joined = ["n"] if way == "--join" else []
        assert [entry.id for entry in manager.get_entries()][4:] == joined, number
        assert [line for line in lines if line not in lines_of(home)] == [], number
        assert run("undo").code == 0, number
        if not was_killed:
            break
    assert number > 8


def kill_in_the_middle(home, words):
    """Kill a command between its write and its line in the journal."""
    size = (home / ".pi/agent/sessions/--work-app--/1_pi-aaaa.jsonl").stat().st_size
    for number in itertools.count():
        assert kill_at(number, words)
        if (home / ".pi/agent/sessions/--work-app--/1_pi-aaaa.jsonl").stat().st_size > size:
            return


def test_an_action_between_is_undone_in_its_turn(run, home):
    write_store(home)
    kill_in_the_middle(home, ("label", "pi-aaaa", "00000002", "here"))
    assert run("rename", "pi-aaaa", "Named").code == 0
    assert "name" in run("undo").out
    assert "label" in run("undo").out
    assert run("undo").code == 1


def test_the_trash_list_settles_it_too(run, home):
    write_store(home)
    kill_in_the_middle(home, ("label", "pi-aaaa", "00000002", "here"))
    state = home / ".local/state/leafmark"
    assert [each.change.kind for each in Journal(str(state)).standing()] == []
    run("trash", "--list")
    (found,) = Journal(str(state)).standing()
    assert (found.change.kind, found.change.after, found.change.session_id) == ("label", "here", "pi-aaaa")


def test_what_another_leafmark_is_at_is_left_to_it(run, home):
    write_store(home)
    path = home / ".pi/agent/sessions/--work-app--/1_pi-aaaa.jsonl"
    state = home / ".local/state/leafmark"
    journal = Journal(str(state))
    manager = SessionManager.open(path, env={"HOME": str(home)}, new=False)
    with journal.intend() as intent:
        manager.append_label_change("00000002", "here")
        assert run("undo").code == 1
        intent.done(manager.last_change)
    assert run("undo").code == 0
    assert sorted(os.listdir(state)) == [NAME, f"{NAME}.lock"]


def test_a_journal_that_cannot_be_written_does_not_lose_a_session(run, home, monkeypatch):
    """The intent and the journal are on the same full disk; the command is done and says so."""
    write_store(home)
    (home / ".local/state").mkdir(parents=True)
    (home / ".local/state/leafmark").write_text("no folder")
    done = run("label", "pi-aaaa", "00000002", "here")
    assert done.code == 0
    assert "undo will not know of it" in done.err


def test_a_session_that_cannot_be_read_now_is_settled_later(home):
    write_store(home)
    kill_in_the_middle(home, ("label", "pi-aaaa", "00000002", "here"))
    state = str(home / ".local/state/leafmark")
    path = home / ".pi/agent/sessions/--work-app--/1_pi-aaaa.jsonl"
    content = path.read_bytes()
    path.write_bytes(b"")
    about = (Journal(state), {"HOME": str(home)}, [], state)
    earlier.settle_interrupted(*about)
    assert Journal(state).standing() == []
    path.write_bytes(content)
    earlier.settle_interrupted(*about)
    assert [each.change.after for each in Journal(state).standing()] == ["here"]


def test_an_older_leafmark_reads_the_lines_of_this_one(home):
    """It takes a change and ignores the other fields of its line; a field of the change itself it refuses."""
    state = home / "state"
    journal = Journal(str(state))
    with journal.intend() as intent:
        intent.done(Change("name", "/s.jsonl", "e1", before="old", after="new", agent="pi", session_id="s"))
    line = json.loads((state / NAME).read_text())
    assert {"number", "at", "action", "stands", "told", "change"} <= set(line)
    assert set(line["change"]) == set(Change.__dataclass_fields__)
