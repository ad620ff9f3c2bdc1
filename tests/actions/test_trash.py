"""Moving a session to the system's trash, and deleting it where there is none (issue 5 "Actions")."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING

import pytest

from app.actions import trashcan
from app.actions.delete import delete_for_good
from app.actions.restore import restore, trashed
from app.actions.trash import NoTrash, trash
from app.sessions.errors import (
    Changed,
    LiveSession,
    NotAFile,
    NotASession,
    NotThere,
    ReadOnlyFolder,
    SessionError,
)
from app.stores import agent_named, discover
from app.stores.live import IDLE, LIVE, MAYBE, Verdict
from tests.actions.conftest import contents, trash_of, with_artifacts
from tests.factory import chain, write_session
from tests.holding import held

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.sessions.manager.conftest import Home

ROOT = Path(__file__).parent.parent.parent
AGENTS = ["pi", "omp", "indusagi"]


@pytest.fixture
def omp_path(home: Home) -> str:
    """A session of oh-my-pi with a folder of artifacts."""
    return with_artifacts(home, "omp")


# what is done


@pytest.mark.parametrize("agent", AGENTS)
def test_a_session_goes_to_the_trash_as_it_is(home: Home, agent: str) -> None:
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


def test_the_folder_of_artifacts_goes_along(home: Home, omp_path: str) -> None:
    folder = omp_path.removesuffix(".jsonl")
    before = contents(folder)
    change = trash(omp_path, home.env)
    assert [was for was, _ in change.moves] == [omp_path, folder]
    assert not os.path.lexists(folder)
    assert contents(change.moves[1][1]) == before


def test_the_trash_is_that_of_the_environment_and_not_of_this_process(
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
def test_any_name_is_one(home: Home, name: str) -> None:
    path = write_session(home.folder / ".pi/agent/sessions/--w--" / name, *chain("q", "a"))
    change = trash(str(path), home.env)
    (found,) = trashed(home.env, discover(home.env, str(home.folder), "/"), str(home.folder / "state"))
    assert (found.path, found.in_trash) == (str(path), change.after)
    restore(found)
    assert path.is_file()


def test_sessions_of_one_name_have_different_ones_in_the_trash(home: Home) -> None:
    paths = [write_session(home.folder / f"{name}/s.jsonl", *chain("q", "a", id=name)) for name in "ab"]
    done = [trash(str(path), home.env) for path in paths]
    assert len({change.after for change in done}) == 2
    for path, change in zip(paths, done, strict=True):
        assert path.parent.name.encode() in Path(change.after or "").read_bytes()


def test_a_link_goes_and_what_it_leads_to_stays(home: Home) -> None:
    real = write_session(home.folder / "elsewhere/real.jsonl", *chain("q", "a"))
    link = home.folder / ".pi/agent/sessions/--w--/s.jsonl"
    link.parent.mkdir(parents=True)
    link.symlink_to(real)
    change = trash(str(link), home.env)
    assert os.path.islink(change.after or "")
    assert real.exists()
    restore(change)
    assert os.readlink(link) == str(real)


def test_a_session_below_linked_folders_is_found_in_the_trash_and_comes_back(home: Home) -> None:
    write_session(home.folder / "real/--w--/s.jsonl", *chain("q", "a"))
    (home.folder / ".pi/agent").mkdir(parents=True)
    (home.folder / ".pi/agent/sessions").symlink_to(home.folder / "real")
    path = str(home.folder / ".pi/agent/sessions/--w--/s.jsonl")
    trash(path, home.env)
    (found,) = trashed(home.env, discover(home.env, str(home.folder), "/"), str(home.folder / "state"))
    assert found.session_id == "s1"
    restore(found)
    assert os.path.isfile(path)


@pytest.mark.parametrize("name", ["sessions.jsonl", "sessions/--work-app--.jsonl"])
def test_a_store_is_nobodys_folder_of_artifacts(
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


# what is refused


def test_what_is_no_session_is_left_alone(home: Home, tmp_path: Path) -> None:
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
def test_a_live_session_stays_and_its_holder_is_named(
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


@pytest.mark.parametrize("act", [trash, delete_for_good])
def test_an_agent_that_opens_the_session_between_the_first_look_and_the_move_is_seen(
    home: Home, omp_path: str, monkeypatch: pytest.MonkeyPatch, act: Callable[..., object]
) -> None:
    seen = [Verdict(IDLE, ""), Verdict(LIVE, "process 7 has it open", 7)]
    monkeypatch.setattr("app.sessions.guard.verdict", lambda *_: seen.pop(0))
    before = contents(str(home.folder / ".omp"))
    with pytest.raises(LiveSession, match="process 7 has it open"):
        act(omp_path, home.env)
    assert seen == []
    assert contents(str(home.folder / ".omp")) == before


@pytest.mark.parametrize("act", [trash, delete_for_good])
def test_what_is_written_to_between_the_first_look_and_the_move_stays(
    home: Home, omp_path: str, monkeypatch: pytest.MonkeyPatch, act: Callable[..., object]
) -> None:
    def written(*_: object) -> Verdict:
        with open(omp_path, "ab") as file:
            file.write(b"{}\n")
        return Verdict(IDLE, "")

    monkeypatch.setattr("app.sessions.guard.verdict", written)
    with pytest.raises(Changed):
        act(omp_path, home.env)
    assert os.path.isfile(omp_path)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the lock would be a file in omp's folder")
@pytest.mark.parametrize("act", [trash, delete_for_good])
def test_while_an_omp_writes_the_session_it_stays(
    home: Home, omp_path: str, monkeypatch: pytest.MonkeyPatch, act: Callable[..., object]
) -> None:
    monkeypatch.setattr("app.stores.omp.WRITERS_WAIT", 0.01)
    lock = agent_named("omp").writers_lock(omp_path)
    assert lock is not None
    before = contents(str(home.folder / ".omp"))
    with lock, pytest.raises(LiveSession, match="another omp is writing it"):
        act(omp_path, home.env)
    assert contents(str(home.folder / ".omp")) == before
    assert agent_named("pi").writers_lock(omp_path) is None
    act(omp_path, home.env)
    assert not os.path.lexists(omp_path)


def test_a_session_that_may_be_live_goes_only_when_that_is_wanted(
    home: Home, omp_path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.sessions.guard.verdict", lambda *_: Verdict(MAYBE, "omp runs there", 7))
    for act in (trash, delete_for_good):
        with pytest.raises(LiveSession, match="omp runs there") as caught:
            act(omp_path, home.env)
        assert not caught.value.sure
    assert os.path.isfile(omp_path)
    assert trash(omp_path, home.env, anyway=True).after


def test_of_two_that_trash_one_session_one_is_told_that_it_is_gone(
    home: Home, omp_path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.sessions.guard.verdict", lambda *_: Verdict(IDLE, ""))

    def attempt(_: int) -> str:
        try:
            return trash(omp_path, home.env).kind
        except NotThere:
            return "gone"

    with ThreadPoolExecutor(4) as pool:
        assert sorted(pool.map(attempt, range(4))) == ["gone", "gone", "gone", "trash"]
    # Nor is there a note in the trash of something that is not in it.
    assert len(os.listdir(trash_of(home) / "info")) == len(os.listdir(trash_of(home) / "files")) == 2


def test_the_second_waits_until_the_first_is_done(
    home: Home, omp_path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from app.actions import removable
    from app.actions import trash as module

    inside, asked = Event(), Event()
    sent = []
    send, lock = module._send, removable.fcntl.flock

    def slowly(path: str, env: dict[str, str]) -> None:
        inside.set()
        assert asked.wait(30)
        sent.append(path)
        send(path, env)

    def noticed(descriptor: int, operation: int) -> None:
        if inside.is_set():
            asked.set()
        lock(descriptor, operation)

    monkeypatch.setattr(module, "_send", slowly)
    monkeypatch.setattr(removable.fcntl, "flock", noticed)
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(trash, omp_path, home.env)
        assert inside.wait(30)
        with pytest.raises(NotThere):
            trash(omp_path, home.env)
        assert first.result().kind == "trash"
    assert sent == [omp_path, omp_path.removesuffix(".jsonl")]


# where there is no trash


def test_where_the_trash_cannot_be_written_all_stays(home: Home, omp_path: str) -> None:
    data = home.folder / ".local/share"
    data.mkdir(parents=True)
    (data / "Trash").write_text("no folder")
    before = contents(str(home.folder))
    with pytest.raises(NoTrash, match="no trash") as caught:
        trash(omp_path, home.env)
    assert caught.value.path == omp_path
    assert contents(str(home.folder)) == before


@pytest.mark.parametrize("error", [OSError(5, "Input/output error"), PermissionError(13, "denied", b"/t")])
@pytest.mark.parametrize("fails_at", [1, 2])
def test_when_the_library_fails_all_stays(
    home: Home, omp_path: str, monkeypatch: pytest.MonkeyPatch, error: OSError, fails_at: int
) -> None:
    from app.actions import trash as module

    sent = []
    send = module._send

    def sometimes(path: str, env: dict[str, str]) -> None:
        sent.append(path)
        if len(sent) == fails_at:
            raise error
        send(path, env)

    monkeypatch.setattr(module, "_send", sometimes)
    before = contents(str(home.folder / ".omp"))
    with pytest.raises(NoTrash, match=error.strerror):
        trash(omp_path, home.env)
    assert len(sent) == fails_at
    assert contents(str(home.folder / ".omp")) == before
    if trash_of(home).exists():
        assert not os.listdir(trash_of(home) / "files")
        assert not os.listdir(trash_of(home) / "info")


def test_a_trash_that_says_yes_and_does_not_say_where_is_told_of(
    home: Home, omp_path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "app.actions.trash._send", lambda path, env: shutil.move(path, home.folder / "hidden")
    )
    (home.folder / "hidden").mkdir()
    change = trash(omp_path, home.env)
    assert change.after is None
    assert "not known" in change.note
    with pytest.raises(NotThere):
        restore(change)


def test_a_killed_leafmark_leaves_nothing_that_does_not_come_back(home: Home, omp_path: str) -> None:
    """It is stopped between the two moves: the session is in the trash, its artifacts are where they were."""
    program = """
import os, sys
from app.actions import trash
away, gone = trash._away, []
def stop(path, status, env):
    if gone:
        os._exit(9)
    gone.append(away(path, status, env))
    return gone[0]
trash._away = stop
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
    (found,) = trashed(home.env, discover(home.env, str(home.folder), "/"), str(home.folder / "state"))
    assert (found.path, found.artifacts) == (omp_path, "")
    restore(found)
    assert contents(str(home.folder / ".omp")) == before


# other file systems


def _is_other_device(tmp_path: Path) -> bool:
    return os.path.isdir("/dev/shm") and os.stat("/dev/shm").st_dev != tmp_path.stat().st_dev


def test_on_another_file_system_it_is_that_ones_trash(home: Home, tmp_path: Path) -> None:
    if not _is_other_device(tmp_path):
        pytest.skip("there is no other file system that may be written")
    top = Path(f"/dev/shm/.Trash-{os.getuid()}")
    folder = Path("/dev/shm") / f"leafmark-{os.getpid()}-{tmp_path.name}"
    try:
        path = write_session(folder / "--w--/other.jsonl", *chain("q", "a", id="other"))
        (path.with_suffix("") / "deep").mkdir(parents=True)
        (path.with_suffix("") / "deep/1.log").write_text("said")
        os.utime(path, ns=(1, 1_700_000_000_123_456_789))
        env = {**home.env, "PI_CODING_AGENT_SESSION_DIR": str(folder)}
        stores = discover(env, str(home.folder), "/")
        before = contents(str(folder))
        change = trash(str(path), env)
        assert (change.after or "").startswith(str(top))
        (found,) = [one for one in trashed(env, stores, str(tmp_path)) if one.session_id == "other"]
        assert (found.in_trash, found.artifacts) == (change.after, change.moves[1][1])
        shutil.rmtree(folder)
        restore(found)
        assert contents(str(folder)) == before
        assert not trashcan.note_of(found.in_trash)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        for part in (top / "files", top / "info", top):
            if part.is_dir() and not os.listdir(part):
                part.rmdir()


def test_from_a_trash_on_another_file_system_it_comes_back_whole(home: Home, tmp_path: Path) -> None:
    """Where a file system has none of its own, some systems copy to the trash in the home folder."""
    if not _is_other_device(tmp_path):
        pytest.skip("there is no other file system that may be written")
    folder = Path("/dev/shm") / f"leafmark-{os.getpid()}-{tmp_path.name}"
    files, info = folder / "Trash/files", folder / "Trash/info"
    try:
        path = Path(with_artifacts(home, "omp"))
        os.utime(path, ns=(1, 1_700_000_000_123_456_789))
        before, status = contents(str(home.folder / ".omp")), path.lstat()
        files.mkdir(parents=True)
        info.mkdir()
        for thing in (path, path.with_suffix("")):
            shutil.move(thing, files / thing.name)
            (info / f"{thing.name}.trashinfo").write_text(
                f"[Trash Info]\nPath={thing}\nDeletionDate=2026-05-01T10:00:00\n"
            )
        env = {**home.env, "XDG_DATA_HOME": str(folder)}
        assert trashcan.find(str(path), status, env) == str(files / path.name)
        stores = discover(home.env, str(home.folder), "/")
        (found,) = trashed(env, stores, str(tmp_path))
        restore(found)
        assert contents(str(home.folder / ".omp")) == before
        assert os.listdir(files) == os.listdir(info) == []
    finally:
        shutil.rmtree(folder, ignore_errors=True)


MOUNTED = """
import os, subprocess, sys
from pathlib import Path
from app.actions.delete import delete_for_good
from app.actions.trash import NoTrash, trash
from app.sessions.errors import ReadOnlyFolder
from tests.factory import chain, write_session

home, mounted = Path(sys.argv[1]), Path(sys.argv[2])
env = {"HOME": str(home)}
os.environ.update(env)

def mount(*words):
    subprocess.run(["mount", *words], check=True)

def refused(path, error):
    before = path.read_bytes()
    try:
        trash(str(path), env)
    except error as refused:
        assert type(refused) is error, type(refused)
        assert path.read_bytes() == before
        return str(refused)
    raise AssertionError("was not refused")

# A trash that may not be written.
path = write_session(home / ".pi/agent/sessions/--w--/s.jsonl", *chain("q", "a"))
bin = home / ".local/share/Trash"
bin.mkdir(parents=True)
mount("-t", "tmpfs", "-o", "ro", "none", str(bin))
assert "Read-only" in refused(path, NoTrash)
assert delete_for_good(str(path), env).after is None
assert not path.exists()

# A file system that can have none: a plain file is in its place.
mount("-t", "tmpfs", "none", str(mounted))
path = write_session(mounted / "--w--/s.jsonl", *chain("q", "a"))
(mounted / f".Trash-{os.getuid()}").write_text("")
refused(path, NoTrash)

# Sessions that may not be moved at all: deleting would not help either.
mount("-o", "remount,ro", str(mounted))
assert "may not be written" in refused(path, ReadOnlyFolder)
try:
    delete_for_good(str(path), env)
except ReadOnlyFolder:
    print("done")
"""


def test_read_only_file_systems_and_such_without_a_trash(home: Home, tmp_path: Path) -> None:
    apart = ["unshare", "--mount", "--map-root-user"]
    if not shutil.which("unshare") or subprocess.run([*apart, "true"], check=False).returncode:
        pytest.skip("nothing can be mounted here for one process only")
    (tmp_path / "mounted").mkdir()
    done = subprocess.run(
        [*apart, sys.executable, "-c", MOUNTED, str(home.folder), str(tmp_path / "mounted")],
        env={"PYTHONPATH": str(ROOT), "PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "done\n", done.stderr


# deleting for good


def test_what_is_deleted_is_gone_with_its_artifacts(home: Home, omp_path: str) -> None:
    folder = omp_path.removesuffix(".jsonl")
    change = delete_for_good(omp_path, home.env)
    assert not os.path.lexists(omp_path)
    assert not os.path.lexists(folder)
    assert (change.kind, change.before, change.after) == ("delete", omp_path, None)
    assert change.moves == ((omp_path, ""), (folder, ""))
    assert not trash_of(home).exists()
    with pytest.raises(NotThere):
        delete_for_good(omp_path, home.env)


def test_what_a_linked_folder_of_artifacts_leads_to_stays(home: Home) -> None:
    path = home.answered("omp").session_file or ""
    (home.folder / "theirs").mkdir()
    (home.folder / "theirs/kept").write_text("kept")
    os.symlink(home.folder / "theirs", path.removesuffix(".jsonl"))
    delete_for_good(path, home.env)
    assert not os.path.lexists(path.removesuffix(".jsonl"))
    assert (home.folder / "theirs/kept").read_text() == "kept"


def test_artifacts_that_cannot_be_deleted_are_told_of(
    home: Home, omp_path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: str) -> None:
        raise OSError(5, "Input/output error", path)

    monkeypatch.setattr("app.actions.delete.shutil.rmtree", refuse)
    change = delete_for_good(omp_path, home.env)
    assert "Input/output error" in change.note
    assert change.moves == ((omp_path, ""),)


def test_a_session_that_cannot_be_deleted_keeps_its_artifacts(
    home: Home, omp_path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = contents(str(home.folder / ".omp"))

    def refuse(path: str) -> None:
        raise PermissionError(13, "Permission denied", path)

    monkeypatch.setattr("app.actions.delete.os.unlink", refuse)
    with pytest.raises(ReadOnlyFolder):
        delete_for_good(omp_path, home.env)
    assert contents(str(home.folder / ".omp")) == before


def test_a_session_in_use_is_named_by_what_would_come_of_it(
    home: Home, omp_path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.sessions.guard.verdict", lambda *_: Verdict(LIVE, "process 7 has it open", 7))
    with pytest.raises(LiveSession, match="process 7 has it open; it would go on"):
        trash(omp_path, home.env)
