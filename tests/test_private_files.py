"""All files in leafmark's state and cache folders are private to the user, independent of the umask and of
the command that writes first.
"""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from app import paths
from app.stores.pins import set_own_pin, set_pin
from tests.factory import chain, write_session

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture
def env(tmp_path):
    """Return the environment of a user with one session; the umask is 0."""
    write_session(
        tmp_path / "home/.pi/agent/sessions/--work--/1_session-1.jsonl",
        *chain("question", "answer", id="session-1"),
    )
    before = os.umask(0)
    yield {"HOME": str(tmp_path / "home"), "PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)}
    os.umask(before)


def modes(folder: Path) -> dict[str, str]:
    """Return the permissions of each path below `folder`, and of the folder itself."""
    files = [folder, *folder.rglob("*")]
    return {str(path.relative_to(folder.parent)): oct(stat.S_IMODE(path.lstat().st_mode)) for path in files}


def is_private(folder: Path) -> None:
    assert folder.is_dir()
    for path, mode in modes(folder).items():
        assert mode == ("0o700" if (folder.parent / path).is_dir() else "0o600"), path


def leafmark(env, *words):
    done = subprocess.run(
        [sys.executable, "-m", "app", *words],
        env=env,
        cwd=env["HOME"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done


def damaged_pins(env, state):
    path = Path(env["HOME"], ".omp/agent/session-pins.json")
    path.parent.mkdir(parents=True)
    path.write_text("damaged")
    assert set_pin(str(path), "session-1", True, state).copy


STATE_WRITERS = {
    "theme": lambda env, state: paths.write_theme(env, "light"),
    "screen": lambda env, state: paths.write_screen(env, {"order": "recent"}),
    "crash": lambda env, state: paths.write_crash(env, "text"),
    "pins": lambda env, state: set_own_pin(state, "pi", "session-1", True),
    "copy of damaged pins": damaged_pins,
    "journal": lambda env, state: leafmark(env, "rename", "session-1", "a name"),
}


@pytest.mark.parametrize("writer", STATE_WRITERS)
def test_the_state_folder_is_private_after_any_first_command(env, writer):
    STATE_WRITERS[writer](env, paths.state_folder(env))
    is_private(Path(paths.state_folder(env)))


@pytest.mark.parametrize("writer", ["theme", "journal"])
def test_only_an_open_state_folder_gets_private_permissions(env, writer):
    folder = Path(paths.state_folder(env))
    folder.mkdir(parents=True)
    folder.chmod(0o755)
    STATE_WRITERS[writer](env, str(folder))
    is_private(folder)
    assert stat.S_IMODE(folder.parent.stat().st_mode) == 0o777


def test_a_folder_that_the_user_chose_keeps_its_permissions(env, tmp_path):
    shared = tmp_path / "shared"
    shared.mkdir(mode=0o755)
    env["LEAFMARK_STATE_DIR"] = str(shared)
    paths.write_theme(env, "light")
    set_own_pin(str(shared), "pi", "session-1", True)
    leafmark(env, "rename", "session-1", "a name")
    assert stat.S_IMODE(shared.stat().st_mode) == 0o755
    assert {oct(stat.S_IMODE(path.stat().st_mode)) for path in shared.iterdir()} == {"0o600"}


@pytest.mark.parametrize(
    "words", [["list"], ["index", "--rebuild"], ["search", "question"], ["rename", "session-1", "x"]]
)
def test_the_cache_folder_is_private_after_any_first_command(env, words):
    leafmark(env, *words)
    is_private(Path(paths.cache_folder(env)))


def test_the_cache_folder_is_private_if_the_text_store_creates_it(env, tmp_path):
    from app.index.text.segment import Segment

    Segment.make(str(tmp_path / "cache/leafmark/text-1")).close()
    is_private(tmp_path / "cache/leafmark")
