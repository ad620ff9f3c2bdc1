"""``leafmark watch``: a line for each change, until a signal ends it or its reader goes away."""

from __future__ import annotations

import array
import fcntl
import json
import os
import pty
import re
import select
import signal
import socket
import subprocess
import sys
import termios
from contextlib import contextmanager

import pytest

from tests.cli.conftest import ROOT
from tests.factory import append, chain, entry, message, write_session
from tests.waiting import PATIENCE, until


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "home/.pi/agent/sessions/--work--"
    write_session(folder / "a.jsonl", *chain("hello", "there", id="aaaa"))
    return folder


@contextmanager
def watching(tmp_path, *words, poll="", stdout=subprocess.PIPE, program=("-m", "app", "watch")):
    """Run `leafmark watch` without a terminal of its own, and wait until it says that it watches."""
    env = {
        "HOME": str(tmp_path / "home"),
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(ROOT),
        "LEAFMARK_POLL": poll,
    }
    with subprocess.Popen(
        [sys.executable, *program, *words],
        env=env,
        cwd=tmp_path,
        stdin=subprocess.PIPE,
        stdout=stdout,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            assert "watching" in process.stderr.readline()
            yield process
        finally:
            process.kill()


@pytest.mark.parametrize("poll", ["", "1"])
def test_each_change_is_one_line(tmp_path, folder, poll):
    with watching(tmp_path, poll=poll) as process:
        append(folder / "a.jsonl", message("e", "00000002", "user", "more"))
        assert (
            process.stdout.readline()
            == f"changed  {folder / 'a.jsonl'}  entries +1, messages +1, leaf_id e\n"
        )
        # A file that appears complete cannot be read while it is written.
        write_session(tmp_path / "b.jsonl", *chain("new", id="bbbb"))
        (tmp_path / "b.jsonl").rename(folder / "b.jsonl")
        assert process.stdout.readline() == f"added    {folder / 'b.jsonl'}  entries 1, messages 1\n"
        (folder / "a.jsonl").unlink()
        assert process.stdout.readline() == f"removed  {folder / 'a.jsonl'}\n"


def test_json_is_one_object_per_line(tmp_path, folder):
    with watching(tmp_path, "--json") as process:
        append(
            folder / "a.jsonl",
            entry("session_info", "n", "00000002", name="A \x1b[1m name\n日"),
            entry("label", "l", "n", targetId="00000001", label="good"),
        )
        output_line = process.stdout.readline()
        assert output_line.isascii()
        change = json.loads(output_line)
        assert change.pop("timestamp").endswith("Z")
        assert change == {
            "schema": 3,
            "change": "changed",
            "agent": "pi",
            "session_id": "aaaa",
            "path": str(folder / "a.jsonl"),
            "title": "A ␛[1m name 日",
            "what": {
                "entries": 2,
                "name": change["what"]["name"],
                "leaf_id": "l",
                "labels": [{"entry_id": "00000001", "label": "good"}],
            },
        }
        assert "日" in change["what"]["name"]


@pytest.mark.usefixtures("default_signals")
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_the_watch(tmp_path, folder, number, code):
    with watching(tmp_path) as process:
        process.send_signal(number)
        assert process.wait(timeout=30) == code
        assert "Traceback" not in process.stderr.read()


@pytest.mark.usefixtures("default_signals")
def test_an_ignored_interrupt_does_not_end_it(tmp_path, folder):
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with watching(tmp_path) as process:
        process.send_signal(signal.SIGINT)
        write_session(folder / "b.jsonl", *chain("new", id="bbbb"))
        assert process.stdout.readline() == f"added    {folder / 'b.jsonl'}  entries 1, messages 1\n"
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=30) == 143


SIGNAL_IN_ANOTHER_THREAD = """
import signal, sys, threading
from app.cli import main

def send():
    sys.stdin.readline()
    signal.pthread_kill(threading.get_ident(), signal.SIGTERM)

threading.Thread(target=send, daemon=True).start()
main(["watch"], ends=True)
"""


@pytest.mark.usefixtures("default_signals")
def test_a_signal_that_another_thread_gets_ends_the_watch(tmp_path, folder):
    with watching(tmp_path, program=["-c", SIGNAL_IN_ANOTHER_THREAD]) as process:
        # The watch waits for the next change after it has reported this one.
        write_session(folder / "b.jsonl", *chain("new", id="bbbb"))
        assert process.stdout.readline()
        process.stdin.write("now\n")
        process.stdin.flush()
        assert process.wait(timeout=30) == 143


def waiting_to_be_read(stream):
    """The number of unread bytes in a pipe."""
    count = array.array("i", [0])
    fcntl.ioctl(stream.fileno(), termios.FIONREAD, count)
    return count[0]


@pytest.mark.usefixtures("default_signals")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT])
def test_a_signal_ends_the_watch_while_its_reader_does_not_read(tmp_path, folder, number):
    with watching(tmp_path, "--json") as process:
        room = fcntl.fcntl(process.stdout, fcntl.F_SETPIPE_SZ, 4_096)
        write_session(folder / "00.jsonl", *chain("new", id="n00"))
        length = len(process.stdout.readline())
        # More lines of that length than the pipe holds.
        for number_ in range(10, 60):
            write_session(folder / f"{number_}.jsonl", *chain("new", id=f"n{number_}"))
        until(lambda: waiting_to_be_read(process.stdout) > room - length)
        process.send_signal(number)
        assert process.wait(timeout=30) == 128 + number
        assert process.stderr.read() == ""


def test_it_ends_without_a_reader_even_if_nothing_changes(tmp_path, folder):
    with watching(tmp_path) as process:
        process.stdout.close()
        assert process.wait(timeout=30) == 0
        assert process.stderr.read() == ""


def test_it_ends_when_the_other_end_of_its_socket_is_closed(tmp_path, folder):
    ours, theirs = socket.socketpair()
    with watching(tmp_path, stdout=theirs) as process:
        theirs.close()
        ours.close()
        assert process.wait(timeout=30) == 0
        assert process.stderr.read() == ""


def test_it_ends_when_a_terminal_that_is_not_its_own_is_closed(tmp_path, folder):
    controller, terminal = pty.openpty()
    with watching(tmp_path, stdout=terminal) as process:
        os.close(terminal)
        os.close(controller)
        assert process.wait(timeout=30) == 0
        assert process.stderr.read() == ""


@pytest.mark.parametrize("poll", ["", "1"])
def test_a_rewrite_of_the_same_size_is_a_change(tmp_path, folder, poll):
    with watching(tmp_path, poll=poll) as process:
        path = folder / "a.jsonl"
        content = path.read_text()
        with path.open("r+") as file:
            file.write(content.replace("there", "THERE"))
        assert select.select([process.stdout], [], [], PATIENCE)[0]
        assert process.stdout.readline() == f"changed  {path}  bytes +0\n"


def test_a_signal_removes_the_example_sessions(tmp_path, folder):
    with watching(tmp_path, "--demo") as process:
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=30) == 143
    assert [path.name for path in (tmp_path / "home").iterdir()] == [".pi"]


def test_a_line_has_only_what_changed_and_is_inert(tmp_path, folder):
    path = folder / "a.jsonl"
    append(
        path,
        entry("session_info", "n", "00000002", name="old"),
        *(entry("label", f"l{id}", "n", targetId=id, label=f"was {id}") for id in ("00000001", "00000002")),
    )
    with watching(tmp_path) as process:
        os.chmod(path, 0o600)  # no line: the bytes are the same
        append(
            path,
            entry("session_info", "m", "l00000002", name=""),
            entry("label", "k", "m", targetId="00000001", label=None),
            entry("label", "j", "k", targetId="00000002", label="is\x1b[2J\u202e"),
            entry("label", "i", "j", targetId="n", label="new"),
            message("x", "00000001", "user", "a branch"),
            "{ damaged",
        )
        line = process.stdout.readline().rstrip("\n")
        assert line.isprintable()
        kind, shown, what = re.split(r" {2,}", line)
        assert (kind, shown) == ("changed", str(path))
        assert what.startswith("entries +5, messages +1, branches +1, problems +1, no name")
        assert "no label on 00000001" in what
        assert "label is␛[2J" in what
        assert "label new on n" in what
