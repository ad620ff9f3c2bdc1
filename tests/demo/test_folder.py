"""The throw-away folder goes with its run, or is removed by the next one; nothing else ever is."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from app.demo import folder as module
from app.demo.folder import LOCK, PREFIX, DemoFolder, sweep

ROOT = Path(__file__).parent.parent.parent
RUN = """
import sys
from app.demo.folder import DemoFolder
made = DemoFolder()
print(made.path, flush=True)
sys.stdin.readline()
"""


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The system's folder for temporary files, of this test alone."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    return tmp_path


def other_run(code: str = RUN) -> tuple[subprocess.Popen[str], str]:
    """Another process with a folder of its own, and where that is."""
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert process.stdout
    path = process.stdout.readline().strip()
    (Path(path) / "home/deep").mkdir(parents=True)
    (Path(path) / "home/deep/file").write_text("x")
    return process, path


def left_behind() -> str:
    """The folder of a run that was killed."""
    process, path = other_run()
    process.kill()
    process.communicate()
    return path


def test_a_new_folder_is_empty_but_for_its_lock_and_goes_when_it_is_removed(temporary: Path) -> None:
    made = DemoFolder()
    assert os.listdir(temporary) == [os.path.basename(made.path)]
    assert os.listdir(made.path) == [LOCK]
    (Path(made.path) / "home/a").mkdir(parents=True)
    made.remove()
    made.remove()
    assert os.listdir(temporary) == []


def test_the_folder_of_a_killed_run_goes_when_the_next_is_made(temporary: Path) -> None:
    left = left_behind()
    assert os.path.exists(left)
    made = DemoFolder()
    assert os.listdir(temporary) == [os.path.basename(made.path)]
    made.remove()


def test_the_folder_of_a_run_that_became_another_program_goes(temporary: Path) -> None:
    program = "print('became', flush=True); input()"
    becomes = f"import os; os.execv(sys.executable, [sys.executable, '-c', {program!r}])"
    process, path = other_run(RUN + becomes)
    try:
        sweep(str(temporary))
        assert os.path.exists(path), "it still runs"
        assert process.stdin
        assert process.stdout
        process.stdin.write("go on\n")
        process.stdin.flush()
        assert process.stdout.readline() == "became\n"
        sweep(str(temporary))
        assert not os.path.exists(path)
    finally:
        process.kill()
        process.communicate()


def test_the_folder_of_a_run_that_lives_stays(temporary: Path) -> None:
    process, path = other_run()
    sweep(str(temporary))
    made = DemoFolder()
    sweep(str(temporary))
    assert (Path(path) / "home/deep/file").read_text() == "x"
    assert os.listdir(made.path) == [LOCK]
    made.remove()
    process.communicate("end\n")


def test_nothing_else_is_ever_removed(temporary: Path) -> None:
    """Each differs in one thing from what a killed run leaves behind."""
    left = Path(left_behind())
    for name in ("without-a-lock", "open-to-all", "named-otherwise", "linked"):
        (temporary / "kept" / name).mkdir(parents=True, mode=0o700)
        (temporary / "kept" / name / LOCK).touch()
    others = {
        "without-a-lock": f"{PREFIX}aaaaaaaa",
        "open-to-all": f"{PREFIX}bbbbbbbb",
        "named-otherwise": f"{PREFIX}my-notes",
    }
    for name, placed in others.items():
        (temporary / "kept" / name).rename(temporary / placed)
    (temporary / others["without-a-lock"] / LOCK).unlink()
    (temporary / others["open-to-all"]).chmod(0o755)
    (temporary / f"{PREFIX}cccccccc").symlink_to(temporary / "kept/linked")
    (temporary / f"{PREFIX}dddddddd").write_text("a file")
    before = _below(temporary) - _below(left) - {left}
    sweep(str(temporary))
    assert _below(temporary) == before


def test_another_users_folder_stays(temporary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    left = left_behind()
    monkeypatch.setattr(os, "getuid", lambda: 12_345_678)
    sweep(str(temporary))
    assert os.path.exists(left)


def test_a_link_within_is_removed_and_not_what_it_points_to(temporary: Path) -> None:
    (temporary / "mine").mkdir()
    (temporary / "mine/file").write_text("kept")
    left = left_behind()
    (Path(left) / "work").symlink_to(temporary / "mine")
    sweep(str(temporary))
    assert not os.path.exists(left)
    assert (temporary / "mine/file").read_text() == "kept"


def test_what_threads_still_write_goes_as_well(temporary: Path) -> None:
    made = DemoFolder()
    state = Path(made.path) / "state/deep"
    state.mkdir(parents=True)

    def write(name: str) -> None:
        with contextlib.suppress(OSError):
            for number in range(20_000):
                (state / f"{name}{number}").write_text("x")

    threads = [threading.Thread(target=write, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    while len(os.listdir(state)) < 100:
        pass
    made.remove()
    for thread in threads:
        thread.join()
    assert os.listdir(temporary) == []


def test_what_is_made_anew_meanwhile_goes_as_well(temporary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = DemoFolder()
    really, removed = shutil.rmtree, []

    def remove(path: str, **named: bool) -> None:
        removed.append(path)
        really(path, **named)
        if len(removed) == 1:
            os.makedirs(os.path.join(made.path, "cache/text"))

    monkeypatch.setattr(shutil, "rmtree", remove)
    made.remove()
    assert os.listdir(temporary) == []


def test_a_sweep_that_comes_between_costs_a_try(temporary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder that another run has taken for a left one, before its lock was held, is not used."""
    really, calls = module._lock_file, []

    def late(descriptor: int) -> None:
        calls.append(descriptor)
        if len(calls) == 1:
            monkeypatch.setattr(module, "_lock_file", really)
            sweep(str(temporary))
            monkeypatch.setattr(module, "_lock_file", late)
        really(descriptor)

    monkeypatch.setattr(module, "_lock_file", late)
    made = DemoFolder()
    assert os.listdir(temporary) == [os.path.basename(made.path)]
    assert len(calls) == 2
    made.remove()


def _no_locks(*_: object) -> None:
    """As on some network file systems."""
    raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))


def test_without_locks_there_is_a_folder_and_no_sweep(
    temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = left_behind()
    monkeypatch.setattr("app.demo.folder.fcntl.flock", _no_locks)
    made = DemoFolder()
    assert os.path.isdir(made.path)
    assert os.path.isdir(left)
    made.remove()
    assert os.listdir(temporary) == [os.path.basename(left)]


def test_a_folder_that_cannot_be_listed_is_passed_over(temporary: Path) -> None:
    sweep(str(temporary / "nowhere"))


def _below(folder: Path) -> set[Path]:
    return set(folder.rglob("*"))
