"""The paths of leafmark's own files."""

from __future__ import annotations

import os
import sys

import platformdirs
import pytest

from app import paths
from tests.cases import cases
from tests.waiting import ends


@pytest.mark.skipif(sys.platform != "linux", reason="the rule that is written out is Linux's")
@pytest.mark.parametrize(
    "env",
    [
        {},
        {"XDG_CACHE_HOME": "/x/cache", "XDG_STATE_HOME": "/x/state", "XDG_CONFIG_HOME": "/x/config"},
        {"XDG_CACHE_HOME": " ", "XDG_CONFIG_HOME": " "},
    ],
)
def test_the_folders_are_platformdirs(env, monkeypatch):
    for name in ("XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {"HOME": "/home/me", **env}.items():
        monkeypatch.setenv(name, value)
    env = {"HOME": "/home/me", **env}
    assert paths.cache_folder(env) == platformdirs.user_cache_dir("leafmark", appauthor=False)
    assert paths.state_folder(env) == platformdirs.user_state_dir("leafmark", appauthor=False)
    assert paths.config_folder(env) == platformdirs.user_config_dir("leafmark", appauthor=False)


def test_variables_move_the_folders():
    env = {"LEAFMARK_CACHE_DIR": "/a", "LEAFMARK_STATE_DIR": "/b", "LEAFMARK_CONFIG_DIR": "/c"}
    folders = (paths.cache_folder(env), paths.state_folder(env), paths.config_folder(env))
    assert folders == ("/a", "/b", "/c")


def test_the_theme_is_dark_until_another_was_chosen(tmp_path):
    env = {"LEAFMARK_STATE_DIR": str(tmp_path / "state")}
    assert paths.read_theme(env) == "dark"
    paths.write_theme(env, "light")
    assert paths.read_theme(env) == "light"
    (tmp_path / "state/theme").write_bytes(b"\n")
    assert paths.read_theme(env) == "dark"


def test_a_theme_that_cannot_be_saved_is_reported(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match="file"):
        paths.write_theme({"LEAFMARK_STATE_DIR": str(tmp_path / "file" / "x")}, "light")


def test_the_screen_layout_is_restored(tmp_path):
    env = {"LEAFMARK_STATE_DIR": str(tmp_path / "state")}
    assert paths.read_screen(env) == {}
    values = {"order": "recent", "widths": "30 = 40", "named_only": "", "title": "日本"}
    paths.write_screen(env, values)
    assert paths.read_screen(env) == values
    paths.write_screen(env, {"order": "threaded"})
    assert paths.read_screen(env) == {"order": "threaded"}
    assert [path.name for path in (tmp_path / "state").iterdir()] == ["screen"]


@cases(
    ("data", "pairs"),
    [
        (b"order=recent\nno pair\n=x\n\n grouped = 1 \r\n", {"order": "recent", "grouped": "1"}),
        (b"\xff\xfe", {}),
        (b"a=1\n" + b"b" * 100_000 + b"=1\nc=1", {"a": "1"}),
    ],
)
def test_only_valid_pairs_of_a_layout_file_are_read(tmp_path, data, pairs):
    (tmp_path / "screen").write_bytes(data)
    assert paths.read_screen({"LEAFMARK_STATE_DIR": str(tmp_path)}) == pairs


def test_the_sessions_that_were_opened_last_are_remembered(tmp_path):
    env = {"LEAFMARK_STATE_DIR": str(tmp_path)}
    assert paths.read_opened(env) == {}
    (tmp_path / "opened").write_bytes(
        b"12 pi a b\nx pi c\n5 pi\n\xff\n" + b"9" * 50_000 + b" pi long\n\n7 omp d"
    )
    assert paths.read_opened(env) == {("pi", "a b"): 12, ("pi", "long"): int("9" * 15), ("omp", "d"): 7}
    for number in range(paths.MOST_OPENED + 5):
        paths.note_opened(env, "pi", f"s{number % 503}", number)
    paths.note_opened(env, "pi", "two\nlines", 1)
    paths.note_opened(env, "pi", "x" * 1_000, 1)
    opened = paths.read_opened(env)
    assert len(opened) == paths.MOST_OPENED
    assert list(opened)[-1] == ("pi", "s1")
    assert opened["pi", "s1"] == 504


def test_a_pipe_in_place_of_a_state_file_does_not_block(tmp_path):
    env = {"LEAFMARK_STATE_DIR": str(tmp_path)}
    os.mkfifo(tmp_path / "theme")
    os.mkfifo(tmp_path / "screen")
    assert ends(lambda: paths.read_theme(env)) == "dark"
    assert ends(lambda: paths.read_screen(env)) == {}


@pytest.fixture
def linked(tmp_path):
    """Return a home folder as the user spells it, with a link in its path, and its real path."""
    real = tmp_path / "disk" / "me"
    (real / "work").mkdir(parents=True)
    (tmp_path / "home").symlink_to("disk")
    return f"{tmp_path}/home/me", os.path.realpath(real)


def test_a_tilde_is_the_home_folder_in_both_of_its_spellings(linked):
    for home in linked:
        assert [
            paths.home_prefix_length(f"{home}{more}", linked[0]) for more in ("", "/work", "ly", "/../x")
        ] == [
            len(home),
            len(home),
            0,
            len(home),
        ]
    assert paths.home_prefix_length(linked[0], f"{linked[0]}//") == len(linked[0])
    assert paths.home_prefix_length(f"{linked[0]}/work", linked[1]) == 0


def test_a_home_that_links_to_the_root_folder_shortens_no_path(tmp_path):
    (tmp_path / "home").symlink_to("/")
    assert paths.home_prefix_length("/srv", str(tmp_path / "home")) == 0
    assert paths.home_prefix_length("/srv", "") == 0


def test_only_the_last_crash_report_is_kept(tmp_path):
    env = {"LEAFMARK_STATE_DIR": str(tmp_path / "state")}
    for text in ("the first, which is longer\n", "the \ud83d second\n"):
        assert paths.write_crash(env, text) == str(tmp_path / "state/crash.log")
    assert (tmp_path / "state/crash.log").read_text() == "the ? second\n"
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match="file"):
        paths.write_crash({"LEAFMARK_STATE_DIR": str(tmp_path / "file" / "x")}, "")


def test_an_absolute_path_needs_no_current_folder(tmp_path, monkeypatch):
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    assert paths.current_folder() == str(tmp_path / "gone")
    assert paths.absolute("../x/./y") == str(tmp_path / "x/y")
    (tmp_path / "gone").rmdir()
    assert paths.current_folder() is None
    assert paths.absolute("/x/../y") == "/y"
    with pytest.raises(paths.CurrentFolderGone, match=r"^x: the current folder is gone"):
        paths.absolute("x")
