"""Trashing without a trash, and with a trash on another file system."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from app.actions import trash_folder
from app.actions.restore import list_trashed, restore
from app.actions.trash import trash
from app.sessions import DiskFull, NoTrash, NotThere
from app.stores import discover
from tests.actions.conftest import contents, trash_of, with_artifacts
from tests.factory import chain, write_session

if TYPE_CHECKING:
    from tests.sessions.manager.conftest import Home

ROOT = Path(__file__).parent.parent.parent

pytestmark = pytest.mark.usefixtures("trash_in_subprocess")


# without a trash


def test_a_trash_that_cannot_be_written_changes_nothing(home: Home, omp_path: str) -> None:
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
def test_a_failure_of_the_library_changes_nothing(
    home: Home, omp_path: str, monkeypatch: pytest.MonkeyPatch, error: OSError, fails_at: int
) -> None:
    from app.actions import trash as module

    sent = []
    send = module.send_to_system

    def sometimes(path: str, env: dict[str, str]) -> None:
        sent.append(path)
        if len(sent) == fails_at:
            raise error
        send(path, env)

    monkeypatch.setattr(module, "send_to_system", sometimes)
    before = contents(str(home.folder / ".omp"))
    with pytest.raises(NoTrash, match=error.strerror):
        trash(omp_path, home.env)
    assert len(sent) == fails_at
    assert contents(str(home.folder / ".omp")) == before
    if trash_of(home).exists():
        assert not os.listdir(trash_of(home) / "files")
        assert not os.listdir(trash_of(home) / "info")


@pytest.mark.parametrize("wrote", [b"", b"[Trash Info]\nPa"], ids=["nothing", "a part"])
@pytest.mark.parametrize("taken", [0, 2])
def test_a_full_disk_leaves_no_note_in_the_trash(
    home: Home, omp_path: str, monkeypatch: pytest.MonkeyPatch, wrote: bytes, taken: int
) -> None:
    from app.actions import trash as module

    bin, name = trash_of(home), os.path.basename(omp_path)
    stem = name.removesuffix(".jsonl")
    names = [name, f"{stem} 1.jsonl", f"{stem} 2.jsonl"]
    for folder in ("files", "info"):
        (bin / folder).mkdir(parents=True)
    # Other programs have trashed files of these names; one of the files is not there any more.
    for number, trashed_name in enumerate(names[:taken]):
        (bin / "info" / f"{trashed_name}.trashinfo").write_text("[Trash Info]\nPath=/elsewhere\n")
        if not number:
            (bin / "files" / trashed_name).write_text("other")

    def full(path: str, env: dict[str, str]) -> None:
        (bin / "info" / f"{names[taken]}.trashinfo").write_bytes(wrote)
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(module, "send_to_system", full)
    before = contents(str(home.folder))
    with pytest.raises(DiskFull, match="No space left"):
        trash(omp_path, home.env)
    assert contents(str(home.folder)) == before


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT])
@pytest.mark.parametrize("is_own", [False, True])
def test_a_full_disk_is_reported_as_such(
    home: Home, omp_path: str, monkeypatch: pytest.MonkeyPatch, code: int, is_own: bool
) -> None:
    from app.actions import trash as module

    note, reason = str(trash_of(home) / "info/s.trashinfo"), os.strerror(code)

    def send(path: str) -> None:
        raise OSError(code, reason, os.fsencode(note))

    def elsewhere(path: str, variables: dict[str, str]) -> None:
        # The error of the other process has no file name, only this text.
        raise OSError(code, f"{note}: {reason}")

    monkeypatch.setattr(module, "own_sender", lambda env: send if is_own else None)
    monkeypatch.setattr(module, "send_in_subprocess", elsewhere)
    with pytest.raises(DiskFull) as caught:
        trash(omp_path, home.env)
    assert (caught.value.reason, caught.value.code) == (
        f"cannot be moved to the trash: {note}: {reason}",
        code,
    )
    assert os.path.exists(omp_path)


def test_an_unknown_place_in_the_trash_is_reported(
    home: Home, omp_path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "app.actions.trash.send_to_system", lambda path, env: shutil.move(path, home.folder / "hidden")
    )
    (home.folder / "hidden").mkdir()
    change = trash(omp_path, home.env)
    assert change.after is None
    assert "not known" in change.note
    with pytest.raises(NotThere):
        restore(change)


def _with_a_long_name(home: Home) -> Path:
    """Write a session whose name is valid, but too long with the suffix of a note in the trash."""
    name = "x" * 244 + ".jsonl"
    return write_session(home.folder / ".pi/agent/sessions/--w--" / name, *chain("q", "a"))


@pytest.mark.parametrize("is_own", [False, True])
def test_a_name_that_is_too_long_for_the_trash_is_an_error(
    home: Home, monkeypatch: pytest.MonkeyPatch, is_own: bool
) -> None:
    path = _with_a_long_name(home)
    if is_own:
        # As if the trash of the environment were that of this process.
        def send(path: str) -> None:
            raise OSError(errno.ENAMETOOLONG, os.strerror(errno.ENAMETOOLONG), path)

        monkeypatch.setattr("app.actions.trash.own_sender", lambda env: send)
    with pytest.raises(NoTrash) as caught:
        trash(str(path), home.env)
    assert caught.value.reason == "its name is too long for the system's trash"
    assert path.exists()


# other file systems


def _is_other_device(tmp_path: Path) -> bool:
    return os.path.isdir("/dev/shm") and os.stat("/dev/shm").st_dev != tmp_path.stat().st_dev


def test_a_session_on_another_file_system_goes_to_the_trash_there(home: Home, tmp_path: Path) -> None:
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
        (trashed,) = [item for item in list_trashed(env, stores, str(tmp_path)) if item.session_id == "other"]
        assert (trashed.in_trash, trashed.artifacts) == (change.after, change.moves[1][1])
        shutil.rmtree(folder)
        restore(trashed.change)
        assert contents(str(folder)) == before
        assert not trash_folder.note_path(trashed.in_trash)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        for part in (top / "files", top / "info", top):
            if part.is_dir() and not os.listdir(part):
                part.rmdir()


def test_a_session_is_restored_from_a_trash_on_another_file_system(home: Home, tmp_path: Path) -> None:
    """Some systems copy to the trash in the home folder if a file system has none of its own."""
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
        assert trash_folder.find_in_trash(str(path), status, env) == str(files / path.name)
        stores = discover(home.env, str(home.folder), "/")
        (trashed,) = list_trashed(env, stores, str(tmp_path))
        restore(trashed.change)
        assert contents(str(home.folder / ".omp")) == before
        assert os.listdir(files) == os.listdir(info) == []
    finally:
        shutil.rmtree(folder, ignore_errors=True)


MOUNTED = """
import os, subprocess, sys
from pathlib import Path
from app.actions.trash import delete_for_good
from app.actions.trash import trash
from app.sessions.errors import NoTrash, ReadOnlyFolder
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

# A trash that is read-only.
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


def test_read_only_file_systems_and_those_without_a_trash_are_errors(home: Home, tmp_path: Path) -> None:
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
