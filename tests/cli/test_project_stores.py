"""A project's settings name a session folder: once leafmark was run there, it is a store in every folder."""

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
    """A project with its own session folder. The home folder has a session as well."""
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
    """A function that returns the ids that `leafmark list` prints in a folder."""

    def listed(folder):
        monkeypatch.chdir(folder)
        return {row["session_id"] for row in json.loads(run("list", "--json").out)["sessions"]}

    return listed


BOTH = {"in-project", "usual"}


def test_the_store_is_known_everywhere_after_one_run_in_the_project(project, listed, tmp_path):
    assert listed(tmp_path / "elsewhere") == {"usual"}
    assert listed(project) == BOTH
    assert listed(tmp_path / "elsewhere") == BOTH
    assert listed(project / "kept") == BOTH


def test_a_session_of_the_store_is_resumed_with_its_session_folder(
    project, listed, run, tmp_path, monkeypatch
):
    listed(project)
    monkeypatch.chdir(tmp_path / "elsewhere")
    line = run("resume", "in-project", "--print").out
    sessions = project / "kept/sessions"
    assert line == f"cd {project} && pi --session-dir {sessions} --session {sessions}/1_in-project.jsonl\n"


def test_doctor_names_the_project_of_the_store(project, listed, run, tmp_path, monkeypatch):
    listed(project)
    monkeypatch.chdir(tmp_path / "elsewhere")
    stores = json.loads(run("doctor", "--json").out)["stores"]
    (store,) = [store for store in stores if store["root"] == str(project / "kept/sessions")]
    assert (store["source"], store["sessions"]) == (f"settings {project}/.pi/settings.json", 1)


def test_the_store_outlives_the_cache(project, listed, home, tmp_path):
    listed(project)
    shutil.rmtree(home / ".cache/leafmark")
    assert listed(tmp_path / "elsewhere") == BOTH


@pytest.mark.parametrize("removed", ["setting", "settings file", "project"])
def test_the_store_is_dropped_with_its_setting_or_its_project(project, listed, tmp_path, removed):
    listed(project)
    settings = project / ".pi/settings.json"
    if removed == "setting":
        settings.write_text("{}")
    elif removed == "settings file":
        settings.unlink()
    else:
        project.rename(tmp_path / "renamed")
    assert listed(tmp_path / "elsewhere") == {"usual"}
    assert paths.read_projects(os.environ) == []


@pytest.mark.parametrize("content", ["{", '{"sessionDir": "\\ud800"}', '{"sessionDir": 7}'])
def test_unreadable_settings_are_noted_and_not_forgotten(project, listed, run, tmp_path, content):
    listed(project)
    settings = project / ".pi/settings.json"
    before = settings.read_text()
    settings.write_text(content)
    assert listed(tmp_path / "elsewhere") == {"usual"}
    assert f"note: {settings}: " in run("doctor").out
    settings.write_text(before)
    assert listed(tmp_path / "elsewhere") == BOTH


@pytest.mark.parametrize("kind", ["a pipe", "a link to a device", "a folder"])
def test_settings_of_another_file_type_are_not_waited_for(project, listed, tmp_path, kind):
    listed(project)
    settings = project / ".pi/settings.json"
    settings.unlink()
    if kind == "a pipe":
        os.mkfifo(settings)
    elif kind == "a folder":
        settings.mkdir()
    else:
        settings.symlink_to("/dev/zero")
    assert listed(tmp_path / "elsewhere") == {"usual"}


@pytest.mark.parametrize("hung", ["settings", "sessions"])
def test_a_file_system_that_does_not_answer_is_not_waited_for(
    project, listed, run, tmp_path, monkeypatch, hung
):
    second = tmp_path / "other"
    (second / ".pi").mkdir(parents=True)
    (second / ".pi/settings.json").write_text('{"sessionDir": "own"}')
    write_session(second / "own/1_other.jsonl", *chain("other", "one", id="other", cwd=str(second)))
    assert listed(second) == {"usual", "other"}
    listed(project)
    stuck = str(project / (".pi/settings.json" if hung == "settings" else "kept/sessions"))
    answers = threading.Event()
    real_stat = os.stat

    def stat(path, *arguments, **options):
        if path == stuck:
            answers.wait()
        return real_stat(path, *arguments, **options)

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
def test_a_damaged_projects_file_is_harmless(project, listed, home, tmp_path, content):
    state = home / ".local/state/leafmark"
    state.mkdir(parents=True)
    (state / "projects").write_bytes(content)
    assert listed(tmp_path / "elsewhere") == {"usual"}
    assert listed(project) == BOTH
    assert listed(tmp_path / "elsewhere") == BOTH


def test_the_number_of_remembered_projects_is_limited(home, listed, tmp_path):
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


def test_an_unwritable_state_folder_is_tolerated(project, listed, home, tmp_path):
    (home / ".local").write_text("in the way")
    assert listed(project) == BOTH
    assert listed(tmp_path / "elsewhere") == {"usual"}
