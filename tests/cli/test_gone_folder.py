"""Commands in a folder that was removed, as in a shell whose worktree is gone."""

from __future__ import annotations

import json
import os

import pytest
from leafmark import SessionManager

from app import paths
from app.sessions import NotAFolder, NotThere
from tests.cases import cases
from tests.factory import chain, write_session

SESSION = "01aaaa-pi"


@pytest.fixture
def work(home, tmp_path):
    folder = tmp_path / "work"
    folder.mkdir()
    return folder


@pytest.fixture
def path(home, work):
    """A session of pi and one of oh-my-pi, in an existing working folder. Returns the path of pi's
    session.
    """
    write_session(
        home / ".omp/agent/sessions/-app/1_01bbbb-omp.jsonl",
        *chain("question", "one", id="01bbbb-omp", cwd=str(work)),
    )
    return write_session(
        home / ".pi/agent/sessions/--work-app--/1_01aaaa-pi.jsonl",
        *chain("question", "one", id=SESSION, cwd=str(work)),
    )


@pytest.fixture
def removed(path, tmp_path, monkeypatch):
    """The current folder of the commands, which is removed."""
    folder = tmp_path / "gone"
    folder.mkdir()
    monkeypatch.chdir(folder)
    folder.rmdir()
    assert paths.current_folder() is None
    return folder


def test_sessions_are_changed_and_restored(run, path, removed, monkeypatch, tmp_path):
    for words in (
        ["rename", SESSION, "a name"],
        ["rename", "01bbbb", "a name"],
        ["label", SESSION, "00000001", "text"],
        ["fork", SESSION],
        ["fork", SESSION, "--to", str(tmp_path / "work")],
        ["branch", SESSION, "root"],
        ["trash", SESSION],
    ):
        done = run(*words)
        assert (done.code, done.err) == (0, ""), words
    assert not path.exists()
    for _ in range(7):
        undone = run("undo")
        assert (undone.code, undone.err) == (0, "")
    assert run("undo").code == 1
    assert path.exists()
    assert [row["name"] for row in json.loads(run("list", "--json").out)["sessions"]] == [None, None]


def test_a_trashed_session_is_listed_and_restored(run, path, removed):
    assert run("trash", SESSION).code == 0
    listed = run("trash", "--list")
    assert (listed.code, SESSION in listed.out) == (0, True)
    done = run("restore", SESSION)
    assert (done.code, done.err, path.exists()) == (0, "", True)


@pytest.mark.parametrize("command", [["tree"], ["labels"], ["resume", "--print"]])
def test_sessions_are_found_by_id_and_by_path(run, path, removed, command, tmp_path, monkeypatch):
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/pi").write_text("#!/bin/sh\n")
    (tmp_path / "bin/pi").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    outs = set()
    for named in (SESSION, SESSION[:8], str(path)):
        done = run(*command, named)
        assert "Errno" not in done.err + done.out
        # labels exits with 1, because the session has none
        assert done.code == (1 if command == ["labels"] else 0), done
        outs.add(done.out)
    assert len(outs) == 1


@cases("named", ["1_01aaaa-pi.jsonl", "../x/1_01aaaa-pi.jsonl", "."])
@cases(
    "command",
    [
        ["tree", None],
        ["labels", None],
        ["label", None, "00000001", "text"],
        ["rename", None, "name"],
        ["branch", None, "00000001"],
        ["fork", None],
        ["trash", None],
        ["restore", None],
    ],
)
def test_a_relative_path_is_refused_because_the_folder_is_gone(run, removed, command, named):
    done = run(*(word or named for word in command))
    assert (done.code, done.out) == (1, "")
    reason = (
        f"no session in the trash, in an archive or gone has the path or id {named!r}"
        if command[0] == "restore"
        else f"no session matches {named!r} (path, id or unique beginning of an id)"
    )
    assert done.err == f"leafmark: {reason}: {paths.FOLDER_GONE}\n"


@pytest.mark.parametrize("named", ["x/1_01aaaa-pi.jsonl", "./"])
def test_resume_refuses_a_relative_path(run, removed, named):
    done = run("resume", named, "--print")
    assert (done.code, done.out) == (1, "")
    assert paths.FOLDER_GONE in done.err
    assert named in done.err


@pytest.mark.parametrize("to", [".", "x"])
def test_fork_refuses_a_relative_folder(run, removed, to):
    done = run("fork", SESSION, "--to", to)
    assert done.code == 2
    assert done.err.endswith(f"there is no folder {to!r}: {paths.FOLDER_GONE}\n")


def test_relative_folders_of_leafmark_are_refused(run, removed, monkeypatch):
    monkeypatch.setenv("LEAFMARK_STATE_DIR", "state")
    done = run("rename", SESSION, "name")
    assert (done.code, done.err) == (0, f"leafmark: undo will not know of it: state: {paths.FOLDER_GONE}\n")
    monkeypatch.setenv("LEAFMARK_CACHE_DIR", "cache")
    done = run("list")
    assert (done.code, done.err) == (3, f"leafmark: cache: {paths.FOLDER_GONE}\n")


def test_a_relative_store_is_refused(run, path, removed):
    done = run("list", "--store", "pi=x")
    assert (done.code, done.err) == (3, f"leafmark: x: {paths.FOLDER_GONE}\n")
    assert run("list", "--store", "pi=~/.pi/x", "--store", f"pi={path.parent}").code == 0


def test_the_library_takes_absolute_paths(path, removed, work):
    env = {"HOME": os.environ["HOME"]}
    manager = SessionManager.open(str(path), env=env)
    assert manager.session_id == SESSION
    assert len(SessionManager.list("~", str(path.parent), env=env)) == 0
    assert len(SessionManager.list_all(env=env)) == 1
    assert SessionManager.create(str(work), env=env).cwd == str(work)
    assert SessionManager.open("~/.pi/agent/sessions/--work-app--/1_01aaaa-pi.jsonl", env=env).session_id
    for relative in (
        lambda: SessionManager.open("x.jsonl", env=env),
        lambda: SessionManager.create("x", env=env),
        SessionManager.in_memory,
    ):
        with pytest.raises(NotThere, match="current folder is gone"):
            relative()


def test_actions_refuse_relative_paths(path, removed):
    from app.actions.branch import fork
    from app.actions.trash import trash

    env = {"HOME": os.environ["HOME"]}
    with pytest.raises(NotThere, match="current folder is gone"):
        trash("x.jsonl", env)
    with pytest.raises(NotAFolder, match="current folder is gone"):
        fork(str(path), env, to=".")
