"""Moving a session to the system's trash."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING

import pytest
from leafmark import SessionError

from app.actions.restore import list_trashed, restore
from app.actions.trash import delete_for_good, trash
from app.sessions import Changed, LiveSession, NotAFile, NotASession, NotThere
from app.stores import IDLE, LIVE, MAYBE, Verdict, agent_named, discover
from tests.actions.conftest import contents, read_only, trash_of
from tests.factory import chain, write_session
from tests.holding import held, running

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.sessions.manager.conftest import Home

ROOT = Path(__file__).parent.parent.parent
AGENTS = ["pi", "omp", "indusagi"]


# trashing


@pytest.mark.parametrize("agent", AGENTS)
def test_a_session_is_moved_to_the_trash_unchanged(home: Home, agent: str) -> None:
    path = home.answered(agent).session_file or ""
    os.utime(path, ns=(1, 1_700_000_000_123_456_789))
    before = contents(path)
    change = trash(path, home.env)
    lies = change.after or ""
    assert not os.path.lexists(path)
    assert contents(lies) == before
    assert os.path.dirname(lies) == str(trash_of(home) / "files")
    assert (change.kind, change.path, change.before) == ("trash", path, path)
    assert (change.agent, change.moves, change.note) == (agent, ((path, lies),), "")
    assert change.session_id


def test_the_folder_of_artifacts_is_trashed_with_the_session(home: Home, omp_path: str) -> None:
    folder = omp_path.removesuffix(".jsonl")
    before = contents(folder)
    change = trash(omp_path, home.env)
    assert [was for was, _ in change.moves] == [omp_path, folder]
    assert not os.path.lexists(folder)
    assert contents(change.moves[1][1]) == before


def test_the_folder_of_a_session_of_claude_is_trashed_and_comes_back(home: Home) -> None:
    path = read_only(home, "claude")
    folder = Path(path).with_suffix("")
    (folder / "subagents").mkdir(parents=True)
    (folder / "subagents" / "agent-a1.jsonl").write_text("{}\n")
    before = contents(str(folder.parent))
    change = trash(path, home.env)
    assert [was for was, _ in change.moves] == [path, str(folder)]
    assert (os.listdir(folder.parent), change.agent, change.session_id) == ([], "claude", "s")
    restore(change)
    assert contents(str(folder.parent)) == before


@pytest.mark.usefixtures("trash_in_subprocess")
def test_the_trash_is_that_of_the_given_environment(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "somebody"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "theirs"))
    (tmp_path / "somebody").mkdir()
    moved = {**home.env, "XDG_DATA_HOME": str(tmp_path / "mine")}
    relative = {**home.env, "XDG_DATA_HOME": "mine"}
    for env, data in ((home.env, home.folder / ".local/share"), (moved, tmp_path / "mine")):
        lies = trash(home.answered().session_file or "", env).after or ""
        assert lies.startswith(str(data / "Trash/files"))
    lies = trash(home.answered().session_file or "", relative).after or ""
    assert lies.startswith(str(home.folder / ".local/share/Trash"))
    assert list((tmp_path / "somebody").iterdir()) == []
    assert not (tmp_path / "theirs").exists()


@pytest.mark.parametrize(
    "name", ["two\nlines.jsonl", "100% ü.jsonl", os.fsdecode(b"latin \xfc.jsonl"), ".jsonl.jsonl"]
)
def test_any_file_name_can_be_trashed_and_restored(home: Home, name: str) -> None:
    path = write_session(home.folder / ".pi/agent/sessions/--w--" / name, *chain("q", "a"))
    change = trash(str(path), home.env)
    (trashed,) = list_trashed(home.env, discover(home.env, str(home.folder), "/"), str(home.folder / "state"))
    assert (trashed.path, trashed.in_trash) == (str(path), change.after)
    restore(trashed.change)
    assert path.is_file()


def test_sessions_with_the_same_name_have_different_names_in_the_trash(home: Home) -> None:
    paths = [write_session(home.folder / f"{name}/s.jsonl", *chain("q", "a", id=name)) for name in "ab"]
    done = [trash(str(path), home.env) for path in paths]
    assert len({change.after for change in done}) == 2
    for path, change in zip(paths, done, strict=True):
        assert path.parent.name.encode() in Path(change.after or "").read_bytes()


def test_a_link_is_trashed_without_its_target(home: Home) -> None:
    real = write_session(home.folder / "elsewhere/real.jsonl", *chain("q", "a"))
    link = home.folder / ".pi/agent/sessions/--w--/s.jsonl"
    link.parent.mkdir(parents=True)
    link.symlink_to(real)
    change = trash(str(link), home.env)
    assert os.path.islink(change.after or "")
    assert real.exists()
    restore(change)
    assert os.readlink(link) == str(real)


def test_a_session_below_linked_folders_is_listed_and_restored(home: Home) -> None:
    write_session(home.folder / "real/--w--/s.jsonl", *chain("q", "a"))
    (home.folder / ".pi/agent").mkdir(parents=True)
    (home.folder / ".pi/agent/sessions").symlink_to(home.folder / "real")
    path = str(home.folder / ".pi/agent/sessions/--w--/s.jsonl")
    trash(path, home.env)
    (trashed,) = list_trashed(home.env, discover(home.env, str(home.folder), "/"), str(home.folder / "state"))
    assert trashed.session_id == "s1"
    restore(trashed.change)
    assert os.path.isfile(path)


@pytest.mark.parametrize("name", ["sessions.jsonl", "sessions/--work-app--.jsonl"])
def test_a_folder_of_sessions_is_not_trashed_as_artifacts(
    home: Home, forked_path: Callable[..., str], name: str
) -> None:
    kept = forked_path()
    path = write_session(home.folder / ".pi/agent" / name, *chain("q", "a", id="stray"))
    change = trash(str(path), home.env)
    assert len(change.moves) == 1
    assert os.path.isfile(kept)
    path = write_session(path, *chain("q", "a", id="stray"))
    delete_for_good(str(path), home.env)
    assert os.path.isfile(kept)


# refusals


def test_files_that_are_not_sessions_are_refused(home: Home, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine\n")
    (tmp_path / "empty.jsonl").write_bytes(b"")
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe.jsonl")
    before = contents(str(tmp_path))
    for name, error in (
        ("notes.txt", NotASession),
        ("empty.jsonl", NotASession),
        ("folder", NotAFile),
        ("pipe.jsonl", NotAFile),
        ("nothing.jsonl", NotThere),
        ("notes.txt/x", NotThere),
        ("\0", SessionError),
    ):
        for act in (trash, delete_for_good):
            with pytest.raises(error):
                act(f"{tmp_path}/{name}", home.env)
    assert contents(str(tmp_path)) == before


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="only /proc shows what a process has open")
@pytest.mark.parametrize("anyway", [False, True])
def test_a_live_session_is_refused_and_its_process_is_named(
    home: Home, omp_path: str, tmp_path: Path, anyway: bool
) -> None:
    before = contents(str(home.folder / ".omp"))
    with held(omp_path, tmp_path) as pid:
        for act in (trash, delete_for_good):
            with pytest.raises(LiveSession, match=str(pid)) as caught:
                act(omp_path, home.env, anyway=anyway)
            assert (caught.value.pid, caught.value.sure) == (pid, True)
    assert contents(str(home.folder / ".omp")) == before
    assert not trash_of(home).exists()
    assert trash(omp_path, home.env).after


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="only /proc shows what a process has open")
@pytest.mark.parametrize("agent", ["claude", "codex"])
def test_a_session_that_is_only_read_is_trashed_when_its_agent_has_ended(
    home: Home, tmp_path: Path, agent: str
) -> None:
    path = read_only(home, agent)
    before = contents(path)
    with running(tmp_path, agent) if agent == "claude" else held(path, tmp_path, agent) as pid:
        if agent == "claude":
            # It keeps no file open, but notes its session.
            note = home.folder / ".claude" / "sessions" / f"{pid}.json"
            note.parent.mkdir()
            note.write_text(json.dumps({"pid": pid, "sessionId": "s"}))
        with pytest.raises(LiveSession, match=str(pid)):
            trash(path, home.env, anyway=True)
        assert contents(path) == before
    change = trash(path, home.env)
    assert not os.path.lexists(path)
    restore(change)
    assert contents(path) == before


@pytest.mark.parametrize("act", [trash, delete_for_good])
def test_an_agent_that_opens_the_session_before_the_move_is_detected(
    home: Home, omp_path: str, monkeypatch: pytest.MonkeyPatch, act: Callable[..., object]
) -> None:
    verdicts = [Verdict(IDLE, ""), Verdict(LIVE, "process 7 has it open", 7)]
    monkeypatch.setattr("app.sessions.manager.live_guard.verdict", lambda *_: verdicts.pop(0))
    before = contents(str(home.folder / ".omp"))
    with pytest.raises(LiveSession, match="process 7 has it open; it may go on writing"):
        act(omp_path, home.env)
    assert verdicts == []
    assert contents(str(home.folder / ".omp")) == before


@pytest.mark.parametrize("act", [trash, delete_for_good])
def test_a_session_that_changes_before_the_move_is_kept(
    home: Home, omp_path: str, monkeypatch: pytest.MonkeyPatch, act: Callable[..., object]
) -> None:
    def written(*_: object) -> Verdict:
        with open(omp_path, "ab") as file:
            file.write(b"{}\n")
        return Verdict(IDLE, "")

    monkeypatch.setattr("app.sessions.manager.live_guard.verdict", written)
    with pytest.raises(Changed):
        act(omp_path, home.env)
    assert os.path.isfile(omp_path)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the lock would be a file in omp's folder")
@pytest.mark.parametrize("act", [trash, delete_for_good])
def test_a_session_that_omp_is_writing_is_kept(
    home: Home, omp_path: str, monkeypatch: pytest.MonkeyPatch, act: Callable[..., object]
) -> None:
    monkeypatch.setattr("app.stores.omp.WRITERS_WAIT_SECONDS", 0.01)
    lock = agent_named("omp").writers_lock(omp_path)
    assert lock is not None
    before = contents(str(home.folder / ".omp"))
    with lock, pytest.raises(LiveSession, match="another omp is writing it"):
        act(omp_path, home.env)
    assert contents(str(home.folder / ".omp")) == before
    assert agent_named("pi").writers_lock(omp_path) is None
    act(omp_path, home.env)
    assert not os.path.lexists(omp_path)


def test_a_session_that_may_be_live_is_trashed_only_on_request(
    home: Home, omp_path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "app.sessions.manager.live_guard.verdict", lambda *_: Verdict(MAYBE, "omp runs there", 7)
    )
    for act in (trash, delete_for_good):
        with pytest.raises(LiveSession, match="omp runs there") as caught:
            act(omp_path, home.env)
        assert not caught.value.sure
    assert os.path.isfile(omp_path)
    assert trash(omp_path, home.env, anyway=True).after


def test_only_one_of_several_processes_trashes_a_session(
    home: Home, omp_path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.sessions.manager.live_guard.verdict", lambda *_: Verdict(IDLE, ""))

    def attempt(_: int) -> str:
        try:
            return trash(omp_path, home.env).kind
        except NotThere:
            return "gone"

    with ThreadPoolExecutor(4) as pool:
        assert sorted(pool.map(attempt, range(4))) == ["gone", "gone", "gone", "trash"]
    # The trash has no note of a file that is not in it.
    assert len(os.listdir(trash_of(home) / "info")) == len(os.listdir(trash_of(home) / "files")) == 2


def test_a_second_trash_waits_for_the_first(
    home: Home, omp_path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from app.actions import trash as module

    inside, asked = Event(), Event()
    sent = []
    send, lock = module.send_to_system, module.fcntl.flock

    def slowly(path: str, env: dict[str, str]) -> None:
        inside.set()
        assert asked.wait(30)
        sent.append(path)
        send(path, env)

    def noticed(descriptor: int, operation: int) -> None:
        if inside.is_set():
            asked.set()
        lock(descriptor, operation)

    monkeypatch.setattr(module, "send_to_system", slowly)
    monkeypatch.setattr(module.fcntl, "flock", noticed)
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(trash, omp_path, home.env)
        assert inside.wait(30)
        with pytest.raises(NotThere):
            trash(omp_path, home.env)
        assert first.result().kind == "trash"
    assert sent == [omp_path, omp_path.removesuffix(".jsonl")]


# kills


def test_a_session_is_restored_whole_after_leafmark_was_killed(home: Home, omp_path: str) -> None:
    """The kill comes between the two moves, when only the session is in the trash."""
    program = """
import os, sys
from app.actions import trash
away, gone = trash.move_to_trash, []
def stop(path, status, env):
    if gone:
        os._exit(9)
    gone.append(away(path, status, env))
    return gone[0]
trash.move_to_trash = stop
trash.trash(sys.argv[1], {"HOME": sys.argv[2]})
"""
    before = contents(str(home.folder / ".omp"))
    done = subprocess.run(
        [sys.executable, "-c", program, omp_path, str(home.folder)],
        env={"PYTHONPATH": str(ROOT), "HOME": str(home.folder), "PATH": os.environ["PATH"]},
        check=False,
    )
    assert done.returncode == 9
    assert not os.path.exists(omp_path)
    (trashed,) = list_trashed(home.env, discover(home.env, str(home.folder), "/"), str(home.folder / "state"))
    assert (trashed.path, trashed.artifacts) == (omp_path, "")
    restore(trashed.change)
    assert contents(str(home.folder / ".omp")) == before
