"""Where leafmark's own files lie."""

from __future__ import annotations

import sys

import platformdirs
import pytest

from app import places


@pytest.mark.skipif(sys.platform != "linux", reason="the rule that is written out is Linux's")
@pytest.mark.parametrize(
    "env", [{}, {"XDG_CACHE_HOME": "/x/cache", "XDG_STATE_HOME": "/x/state"}, {"XDG_CACHE_HOME": " "}]
)
def test_the_folders_are_platformdirs(env, monkeypatch):
    for name in ("XDG_CACHE_HOME", "XDG_STATE_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {"HOME": "/home/me", **env}.items():
        monkeypatch.setenv(name, value)
    env = {"HOME": "/home/me", **env}
    assert places.cache_folder(env) == platformdirs.user_cache_dir("leafmark", appauthor=False)
    assert places.state_folder(env) == platformdirs.user_state_dir("leafmark", appauthor=False)


def test_variables_move_them():
    env = {"HOME": "/home/me", "LEAFMARK_CACHE_DIR": "/a", "LEAFMARK_STATE_DIR": "/b"}
    assert (places.cache_folder(env), places.state_folder(env)) == ("/a", "/b")


def test_the_theme_is_dark_until_another_was_chosen(tmp_path):
    env = {"LEAFMARK_STATE_DIR": str(tmp_path / "state")}
    assert places.read_theme(env) == "dark"
    places.write_theme(env, "light")
    assert places.read_theme(env) == "light"
    (tmp_path / "state/theme").write_bytes(b"\xff\xfe")
    assert places.read_theme(env) == "dark"


def test_a_theme_that_cannot_be_kept_is_said(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match="file"):
        places.write_theme({"LEAFMARK_STATE_DIR": str(tmp_path / "file" / "x")}, "light")
