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
from app.stores import set_own_pin, set_pin
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
    "opened": lambda env, state: paths.note_opened(env, "pi", "session-1", 1),
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


def refused(env, *words, code=3):
    """Run a command that is refused with one line, which is returned."""
    done = subprocess.run(
        [sys.executable, "-m", "app", *words], env=env, cwd="/", capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr.count("\n")) == (code, 1), done
    assert "Traceback" not in done.stderr
    return done.stderr


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder to another user")
@pytest.mark.parametrize("variable", ["LEAFMARK_STATE_DIR", "LEAFMARK_CACHE_DIR"])
def test_a_folder_of_another_user_is_refused(env, tmp_path, variable):
    """The user is root here; another user may not even read the folder."""
    folder = tmp_path / "shared"
    folder.mkdir(mode=0o777)
    os.chown(folder, 12345, 12345)
    for words in (["list"], ["rename", "session-1", "x"], ["tag", "session-1", "+a"], ["doctor"]):
        said = refused({**env, variable: str(folder)}, *words)
        assert said == f"leafmark: {folder}: this folder belongs to another user (id 12345)\n"
    assert list(folder.iterdir()) == []
    # A container may run as root in the home folder of a user.
    os.chown(env["HOME"], 12345, 12345)
    leafmark({**env, variable: str(folder)}, "rename", "session-1", "x")


@pytest.mark.parametrize(
    ("name", "words"),
    [("tags.json", ["tag", "session-1", "+a"]), ("journal.jsonl", ["rename", "session-1", "x"])],
)
def test_a_link_in_place_of_a_state_file_is_not_followed(env, tmp_path, name, words):
    target, state = tmp_path / "target", Path(paths.state_folder(env))
    target.write_text("{}")
    state.mkdir(parents=True)
    for link in (name, f"{name}.lock"):
        (state / link).unlink(missing_ok=True)
        (state / link).symlink_to(target)
        done = subprocess.run(
            # another name each time, because the first one is given, although it cannot be recorded
            [sys.executable, "-m", "app", *words[:-1], f"+{link}" if words[0] == "tag" else link],
            env=env,
            cwd="/",
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.stderr.count("\n"), link in done.stderr, "link" in done.stderr) == (1, True, True)
        assert target.read_text() == "{}"
        (state / link).unlink()
    pins = state / "pins.json"
    pins.symlink_to(target)
    with pytest.raises(OSError, match="is a link"):
        set_own_pin(str(state), "pi", "session-1", True)


def check_no_traceback(env, *command, cwd="/"):
    """Run Python with these words; it prints complete messages of leafmark and no traceback."""
    done = subprocess.run(
        [sys.executable, *command], env=env, cwd=cwd, capture_output=True, text=True, check=False
    )
    assert all(line.startswith("leafmark") for line in done.stderr.splitlines()), done.stderr[-2_000:]
    return done


@pytest.mark.parametrize("parts", [1_500, 3_000])
@pytest.mark.parametrize("variable", ["LEAFMARK_CACHE_DIR", "LEAFMARK_STATE_DIR", "HOME"])
def test_a_path_of_thousands_of_parts_is_no_traceback(env, tmp_path, variable, parts):
    deep = {**env, variable: f"{tmp_path}{'/a' * parts}"}
    for words in (["list"], ["rename", "session-1", "x"]):
        check_no_traceback(deep, "-m", "app", *words)
        if parts == 3_000:
            assert "is longer than any path" in refused(deep, *words)
    # pytest cannot delete such a folder
    subprocess.run(["rm", "-rf", tmp_path / "a"], check=True)


def test_a_current_folder_and_a_store_of_thousands_of_parts_are_no_traceback(env, tmp_path):
    go_down = "import os, sys\nfor _ in range(2_100):\n os.mkdir('a'); os.chdir('a')\n"
    go_down += "from app.cli import main\nsys.exit(main(sys.argv[1:]))"
    for number, words in enumerate((["list", "."], ["tag", "session-1", "+a"])):
        folder = tmp_path / str(number)
        folder.mkdir()
        # -P: Python does not ask for the current folder at each import, which takes long in such a folder.
        check_no_traceback(env, "-P", "-c", go_down, *words, cwd=folder)
        # pytest cannot delete such a folder
        subprocess.run(["rm", "-rf", folder], check=True)
    for parts in (1_500, 3_000):
        check_no_traceback(env, "-m", "app", "list", "--store", f"pi={'/a' * parts}")


def test_an_export_is_readable_by_its_owner_under_any_umask(env, tmp_path):
    leafmark(env, "list")
    os.umask(0o777)
    for words in (["-o", "new.md"], ["-o", "new.md", "--force"]):
        leafmark(env, "export", "session-1", "--to", "md", *words)
        assert stat.S_IMODE(Path(env["HOME"], "new.md").stat().st_mode) == 0o600
