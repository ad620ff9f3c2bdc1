"""``leafmark watch``: a line for each change of a session, until a signal or a closed pipe ends it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from contextlib import contextmanager

import pytest

from app.index.batch import Delta
from app.reports.watch import changes, line
from tests.cli.conftest import ROOT
from tests.factory import chain, entry, make_row, message, write_session


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "home/.pi/agent/sessions/--work--"
    write_session(folder / "a.jsonl", *chain("hello", "there", id="aaaa"))
    return folder


@contextmanager
def watching(tmp_path, *words, poll=""):
    """`leafmark watch`, once it says that it watches; lines of it may be read."""
    env = {
        "HOME": str(tmp_path / "home"),
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(ROOT),
        "LEAFMARK_POLL": poll,
    }
    with subprocess.Popen(
        [sys.executable, "-m", "app", "watch", *words],
        env=env,
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            assert "watching" in process.stderr.readline()
            yield process
        finally:
            process.kill()


def append(path, *entries):
    with path.open("a", encoding="utf-8") as file:
        file.write("".join(json.dumps(each) + "\n" for each in entries))


@pytest.mark.parametrize("poll", ["", "1"])
def test_each_change_is_one_line(tmp_path, folder, poll):
    with watching(tmp_path, poll=poll) as process:
        append(folder / "a.jsonl", message("e", "00000002", "user", "more"))
        assert (
            process.stdout.readline()
            == f"changed  {folder / 'a.jsonl'}  entries +1, messages +1, leaf_id e\n"
        )
        write_session(folder / "b.jsonl", *chain("new", id="bbbb"))
        assert process.stdout.readline() == f"added    {folder / 'b.jsonl'}  entries 1, messages 1\n"
        (folder / "a.jsonl").unlink()
        assert process.stdout.readline() == f"removed  {folder / 'a.jsonl'}\n"


def test_json_is_one_object_a_line(tmp_path, folder):
    with watching(tmp_path, "--json") as process:
        append(
            folder / "a.jsonl",
            entry("session_info", "n", "00000002", name="A \x1b[1m name\n日"),
            entry("label", "l", "n", targetId="00000001", label="good"),
        )
        told = process.stdout.readline()
        assert told.isascii()
        found = json.loads(told)
        assert found.pop("timestamp").endswith("Z")
        assert found == {
            "schema": 1,
            "change": "changed",
            "agent": "pi",
            "session_id": "aaaa",
            "path": str(folder / "a.jsonl"),
            "what": {
                "entries": 2,
                "name": found["what"]["name"],
                "leaf_id": "l",
                "labels": [{"entry_id": "00000001", "label": "good"}],
            },
        }
        assert "日" in found["what"]["name"]


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_it(tmp_path, folder, number, code):
    with watching(tmp_path) as process:
        process.send_signal(number)
        assert process.wait(timeout=30) == code
        assert "Traceback" not in process.stderr.read()


def test_it_ends_when_nobody_reads_any_more_though_nothing_changes(tmp_path, folder):
    with watching(tmp_path) as process:
        process.stdout.close()
        assert process.wait(timeout=30) == 0
        assert process.stderr.read() == ""


def test_the_example_sessions_go_when_a_signal_ends_it(tmp_path, folder):
    with watching(tmp_path, "--demo") as process:
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=30) == 143
    assert [path.name for path in (tmp_path / "home").iterdir()] == [".pi"]


def told(delta, *before):
    return list(changes(delta, {row.path: row for row in before}))


def test_what_is_another_is_said_and_nothing_else():
    before = make_row("s", name="old", labels=(("e1", "kept"), ("e2", "gone"), ("e3", "was")))
    after = make_row(
        "s",
        name=None,
        title="first prompt",
        labels=(("e1", "kept"), ("e3", "is"), ("e4", "new")),
        leaf_count=2,
        problems=1,
        entry_count=4,
        cwd="/else",
        leaf_id=None,
    )
    (change,) = told(Delta([after], [], 1, 1), before)
    assert change["what"] == {
        "entries": -1,
        "branches": 1,
        "problems": 1,
        "name": None,
        "cwd": "/else",
        "leaf_id": None,
        "labels": [
            {"entry_id": "e2", "label": None},
            {"entry_id": "e3", "label": "is"},
            {"entry_id": "e4", "label": "new"},
        ],
    }
    assert line(change) == (
        "changed  /store/s.jsonl  entries -1, branches +1, problems +1, no name, cwd /else, no leaf_id,"
        " no label on e2, label is on e3, label new on e4"
    )


def test_a_file_that_was_only_touched_is_no_change():
    assert told(Delta([make_row("s", mtime_ns=7, ino=3)], [], 1, 1), make_row("s")) == []


def test_what_was_never_told_of_is_not_removed():
    assert told(Delta([], ["/store/x.jsonl"], 0, 0)) == []


def test_a_provisional_row_is_waited_out():
    row = make_row("s")
    row.provisional = True
    assert told(Delta([row], [], 1, 1)) == []
    (change,) = told(Delta([row, make_row("s")], [], 1, 1))
    assert change["change"] == "added"


def test_a_line_is_inert_whatever_it_names():
    row = make_row("s\x1b[2J\n", name="\u202eevil\r\n", labels=(("\x9b1m", "l\x07"),))
    (change,) = told(Delta([row], [], 1, 1))
    assert line(change).isprintable()
