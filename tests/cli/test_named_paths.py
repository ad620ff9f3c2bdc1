"""A path in the place of a SESSION at which no file is: every command says what is there, in one line."""

from __future__ import annotations

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
    """A function: the words of a command about the session at this path."""
    return lambda path: [word or str(path) for word in COMMANDS[request.param]]


@pytest.fixture
def folder(tmp_path):
    """A folder with things that are no files."""
    folder = tmp_path / "odd"
    (folder / "folder").mkdir(parents=True)
    os.mkfifo(folder / "pipe")
    (folder / "link to the pipe").symlink_to("pipe")
    (folder / "link to nothing").symlink_to("nothing")
    server = socket.socket(socket.AF_UNIX)
    server.bind(str(folder / "socket"))
    yield folder
    server.close()


@pytest.mark.parametrize("odd", ODD)
def test_what_is_no_file_is_named_and_not_opened(run, command, folder, odd, monkeypatch):
    path = os.path.join(folder, odd)
    # whoever opens a pipe may wait for ever
    deny(monkeypatch, path)
    done = run(*command(path))
    assert (done.code, done.out, done.err) == (3, "", f"leafmark: {path}: {ODD[odd]}\n")


def test_a_link_that_leads_nowhere(run, command, folder):
    path = folder / "link to nothing"
    done = run(*command(path))
    assert (done.code, done.out, done.err) == (1, "", f"leafmark: {path}: no such file\n")


def test_a_name_without_a_folder_that_is_nobodys_id(run, folder, monkeypatch):
    monkeypatch.chdir(folder)
    deny(monkeypatch, str(folder / "pipe"))
    done = run("tree", "pipe")
    assert (done.code, done.err) == (3, f"leafmark: {folder}/pipe: a named pipe, not a file\n")


@pytest.mark.parametrize("command", [["resume"], ["resume", "--print"], ["tree"]])
def test_a_file_that_may_not_be_read(run, tmp_path, monkeypatch, command):
    path = write_session(tmp_path / "elsewhere/1.jsonl", *chain("question", "answer", id="session-1"))
    deny(monkeypatch, str(path))
    done = run(*command, path)
    assert (done.code, done.out, done.err) == (3, "", f"leafmark: {path}: not readable\n")


def test_of_several_none_is_trashed_where_one_is_no_file(run, home, folder, monkeypatch):
    deny(monkeypatch, str(folder / "pipe"))
    file = write_session(home / ".pi/agent/sessions/--work--/1.jsonl", *chain("question", id="session-1"))
    done = run("trash", file, folder / "pipe", folder / "folder")
    assert (done.code, done.out) == (3, "")
    assert done.err.splitlines() == [
        f"leafmark: {folder}/pipe: a named pipe, not a file",
        f"leafmark: {folder}/folder: a folder, not a file",
    ]
    assert file.exists()
