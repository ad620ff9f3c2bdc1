"""A path instead of a session's id that names no regular file: every command says what is there, in one
line.
"""

from __future__ import annotations

import json
import os
import socket

import pytest

from tests.denied import deny
from tests.factory import chain, write_session

COMMANDS = {
    "resume": ["resume", None],
    "resume --print": ["resume", None, "--print"],
    "tree": ["tree", None],
    "labels": ["labels", None],
    "label": ["label", None, "00000001", "text"],
    "rename": ["rename", None, "name"],
    "branch": ["branch", None, "00000001"],
    "fork": ["fork", None],
    "trash": ["trash", None],
}
ODD = {
    "folder": "a folder, not a file",
    "pipe": "a named pipe, not a file",
    "link to the pipe": "a named pipe, not a file",
    "socket": "a socket, not a file",
    "/dev/null": "a device, not a file",
}


@pytest.fixture(params=COMMANDS)
def command(request):
    """A function that returns the words of a command about the session at a path."""
    return lambda path: [word or str(path) for word in COMMANDS[request.param]]


@pytest.fixture
def folder(tmp_path):
    """A folder with a folder, a pipe, a socket, and links."""
    folder = tmp_path / "odd"
    (folder / "folder").mkdir(parents=True)
    os.mkfifo(folder / "pipe")
    (folder / "link to the pipe").symlink_to("pipe")
    (folder / "link to nothing").symlink_to("nothing")
    server = socket.socket(socket.AF_UNIX)
    server.bind(str(folder / "socket"))
    yield folder
    server.close()


@pytest.mark.parametrize("name", ODD)
def test_a_path_of_another_kind_is_named_and_not_opened(run, command, folder, name, monkeypatch):
    path = os.path.join(folder, name)
    # opening a pipe may block
    deny(monkeypatch, path)
    done = run(*command(path))
    assert (done.code, done.out, done.err) == (3, "", f"leafmark: {path}: {ODD[name]}\n")


def test_a_dangling_link_is_a_missing_file(run, command, folder):
    path = folder / "link to nothing"
    done = run(*command(path))
    assert (done.code, done.out, done.err) == (1, "", f"leafmark: {path}: no such file\n")


def test_a_file_name_without_a_folder_is_looked_up_if_no_session_has_that_id(run, folder, monkeypatch):
    monkeypatch.chdir(folder)
    deny(monkeypatch, str(folder / "pipe"))
    done = run("tree", "pipe")
    assert (done.code, done.err) == (3, f"leafmark: {folder}/pipe: a named pipe, not a file\n")


@pytest.mark.parametrize("command", [["resume"], ["resume", "--print"], ["tree"]])
def test_an_unreadable_file_is_reported(run, tmp_path, monkeypatch, command):
    path = write_session(tmp_path / "elsewhere/1.jsonl", *chain("question", "answer", id="session-1"))
    deny(monkeypatch, str(path))
    done = run(*command, path)
    assert (done.code, done.out, done.err) == (3, "", f"leafmark: {path}: not readable\n")


def test_no_session_is_trashed_if_one_path_is_not_a_file(run, home, folder, monkeypatch):
    deny(monkeypatch, str(folder / "pipe"))
    file = write_session(home / ".pi/agent/sessions/--work--/1.jsonl", *chain("question", id="session-1"))
    done = run("trash", file, folder / "pipe", folder / "folder")
    assert (done.code, done.out) == (3, "")
    assert done.err.splitlines() == [
        f"leafmark: {folder}/pipe: a named pipe, not a file",
        f"leafmark: {folder}/folder: a folder, not a file",
    ]
    assert file.exists()


def test_folders_of_the_settings_are_searched(leafmark, tmp_path):
    write_session(tmp_path / "more" / "--w--" / "a.jsonl", *chain("hello there"))
    config = tmp_path / "home" / ".config" / "leafmark"
    config.mkdir(parents=True)
    (config / "config.toml").write_text(
        f'[stores]\npi = ["{tmp_path}/more", "{tmp_path}/none"]\nnone = ["/x"]\n'
    )
    assert "hello there" in leafmark("list").stdout
    stores = json.loads(leafmark("doctor", "--json").stdout)["stores"]
    assert [store["root"] for store in stores if store["source"] == "config.toml"] == [
        f"{tmp_path}/more",
        f"{tmp_path}/none",
    ]
