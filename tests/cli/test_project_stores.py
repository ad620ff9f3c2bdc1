"""A project's own settings name a folder of sessions: it is found from everywhere once leafmark was there."""

from __future__ import annotations

import json
import os
import shutil
import threading

import pytest

from app import paths
from tests.factory import chain, write_session


@pytest.fixture
def project(home, tmp_path):
    """A project whose sessions lie in a folder of its own, and one without settings."""
    folder = tmp_path / "project"
    (folder / ".pi").mkdir(parents=True)
    (folder / ".pi/settings.json").write_text('{"sessionDir": "kept/sessions"}')
    write_session(
        folder / "kept/sessions/1_in-project.jsonl",
        *chain("hello", "there", id="in-project", cwd=str(folder)),
    )
    write_session(
        home / ".pi/agent/sessions/--work--/1_usual.jsonl", *chain("usual", "place", id="usual", cwd="/work")
    )
    (tmp_path / "elsewhere").mkdir()
    return folder


@pytest.fixture
def listed(run, monkeypatch):
    """The ids of the sessions that `leafmark list` prints in a folder."""

    def listed(folder):
        monkeypatch.chdir(folder)
        return {row["id"] for row in json.loads(run("list", "--json").out)["sessions"]}

    return listed


BOTH = {"in-project", "usual"}


def test_it_is_found_from_every_folder_once_it_was_seen(project, listed, tmp_path):
    assert listed(tmp_path / "elsewhere") == {"usual"}
    assert listed(project) == BOTH
    assert listed(tmp_path / "elsewhere") == BOTH
    assert listed(project / "kept") == BOTH


def test_the_plain_list_and_the_search_have_it_too(project, listed, run, tmp_path, monkeypatch):
    listed(project)
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert "hello" in run("list").out
    assert "hello" in run("search", "hello").out


def test_a_session_of_it_is_resumed_with_its_folder_and_its_argument(
    project, listed, run, tmp_path, monkeypatch
):
    listed(project)
    monkeypatch.chdir(tmp_path / "elsewhere")
    line = run("resume", "in-project", "--print").out
    sessions = project / "kept/sessions"
    assert line == f"cd {project} && pi --session-dir {sessions} --session {sessions}/1_in-project.jsonl\n"


def test_a_new_session_elsewhere_does_not_go_there(project, listed, run, tmp_path, monkeypatch):
    listed(project)
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert run("fork", "usual").code == 0
    assert [path.name for path in (project / "kept/sessions").iterdir()] == ["1_in-project.jsonl"]


def test_doctor_names_it_with_its_project(project, listed, run, tmp_path, monkeypatch):
    listed(project)
    monkeypatch.chdir(tmp_path / "elsewhere")
    stores = json.loads(run("doctor", "--json").out)["stores"]
    (store,) = [store for store in stores if store["root"] == str(project / "kept/sessions")]
    assert (store["source"], store["sessions"]) == (f"settings {project}/.pi/settings.json", 1)


def test_it_outlives_the_cache(project, listed, home, tmp_path):
    listed(project)
    shutil.rmtree(home / ".cache/leafmark")
    assert listed(tmp_path / "elsewhere") == BOTH


@pytest.mark.parametrize("gone", ["setting", "settings file", "project"])
def test_it_is_dropped_when_the_setting_or_the_project_is_gone(project, listed, tmp_path, gone):
    listed(project)
    settings = project / ".pi/settings.json"
    if gone == "setting":
        settings.write_text("{}")
    elif gone == "settings file":
        settings.unlink()
    else:
        project.rename(tmp_path / "renamed")
    assert listed(tmp_path / "elsewhere") == {"usual"}
    assert paths.read_projects(os.environ) == []


def test_another_folder_in_the_setting_counts_at_once(project, listed, tmp_path):
    listed(project)
    (project / "kept/sessions").rename(project / "moved")
    (project / ".pi/settings.json").write_text('{"sessionDir": "moved"}')
    assert listed(tmp_path / "elsewhere") == BOTH


@pytest.mark.parametrize("content", ["{", '{"sessionDir": "\\ud800"}', '{"sessionDir": 7}'])
def test_settings_that_cannot_be_read_are_noted_and_not_forgotten(project, listed, run, tmp_path, content):
    listed(project)
    settings = project / ".pi/settings.json"
    before = settings.read_text()
    settings.write_text(content)
    assert listed(tmp_path / "elsewhere") == {"usual"}
    assert f"note: {settings}: " in run("doctor").out
    settings.write_text(before)
    assert listed(tmp_path / "elsewhere") == BOTH


@pytest.mark.parametrize("odd", ["a pipe", "a link to a device", "a folder"])
def test_settings_that_turn_into_something_else_are_not_waited_for(project, listed, tmp_path, odd):
    listed(project)
    settings = project / ".pi/settings.json"
    settings.unlink()
    if odd == "a pipe":
        os.mkfifo(settings)
    elif odd == "a folder":
        settings.mkdir()
    else:
        settings.symlink_to("/dev/zero")
    assert listed(tmp_path / "elsewhere") == {"usual"}


@pytest.mark.parametrize("hung", ["settings", "sessions"])
def test_a_file_system_that_does_not_answer_is_not_waited_for(
    project, listed, run, tmp_path, monkeypatch, hung
):
    other = tmp_path / "other"
    (other / ".pi").mkdir(parents=True)
    (other / ".pi/settings.json").write_text('{"sessionDir": "own"}')
    write_session(other / "own/1_other.jsonl", *chain("other", "one", id="other", cwd=str(other)))
    assert listed(other) == {"usual", "other"}
    listed(project)
    stuck = str(project / (".pi/settings.json" if hung == "settings" else "kept/sessions"))
    answers = threading.Event()
    really = os.stat

    def stat(path, *rest, **options):
        if path == stuck:
            answers.wait()
        return really(path, *rest, **options)

    monkeypatch.setattr(os, "stat", stat)
    try:
        assert listed(tmp_path / "elsewhere") == {"usual", "other"}
        assert f"note: {project}: its settings could not be read in time" in run("doctor").out
    finally:
        answers.set()
    assert listed(tmp_path / "elsewhere") == {"usual", "other", "in-project"}


@pytest.mark.parametrize(
    "content", [b"\xff\0relative\0\0/" + b"x" * 9_000, b"/gone\0" * 9_999, b"\n", b"/dev\0/proc/self/fd\0/"]
)
def test_a_damaged_memory_does_no_harm(project, listed, home, tmp_path, content):
    state = home / ".local/state/leafmark"
    state.mkdir(parents=True)
    (state / "projects").write_bytes(content)
    assert listed(tmp_path / "elsewhere") == {"usual"}
    assert listed(project) == BOTH
    assert listed(tmp_path / "elsewhere") == BOTH


def test_only_so_many_projects_are_remembered(home, listed, tmp_path):
    folders = []
    for number in range(paths.MOST_PROJECTS + 3):
        folder = tmp_path / f"many/{number}"
        (folder / ".pi").mkdir(parents=True)
        (folder / ".pi/settings.json").write_text('{"sessionDir": "own"}')
        folders.insert(0, str(folder))
        paths.write_projects(os.environ, folders)
    assert paths.read_projects(os.environ) == folders[: paths.MOST_PROJECTS]
    listed(tmp_path)
    assert len(paths.read_projects(os.environ)) == paths.MOST_PROJECTS


def test_where_nothing_can_be_remembered_the_list_is_printed(project, listed, home, tmp_path):
    (home / ".local").write_text("in the way")
    assert listed(project) == BOTH
    assert listed(tmp_path / "elsewhere") == {"usual"}
