"""A catalog with damage that only reading its rows reveals, or one that another process has locked: every
command gives the same answer as without it.
"""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from contextlib import contextmanager

import pytest

from app.index import SCHEMA

# imported here, because inside a test the modules may be unreadable
from app.index.catalog import database
from tests.cases import cases
from tests.cli.conftest import ROOT
from tests.factory import chain, entry, write_session

COMMANDS = [
    ("list",),
    ("list", "hello"),
    ("search", "hello", "--json"),
    ("labels", "--json"),
    ("labels", "bbbb"),
    ("tree", "aaaa"),
    ("doctor",),
]

SPOILERS = [
    "UPDATE sessions SET row = x'00' WHERE key = 2",
    "DELETE FROM first_messages WHERE key = 2",
    "UPDATE first_messages SET first_message = 5 WHERE key = 2",
    "UPDATE sessions SET row = x'00' WHERE NOT listed",
    "UPDATE sessions SET spans = x'00' WHERE key = 2",
]


@pytest.fixture
def folder(home):
    folder = home / ".pi/agent/sessions/--work--"
    write_session(folder / "a.jsonl", *chain("hello", "there", id="aaaa"))
    label = entry("label", "00000003", "00000002", targetId="00000001", label="mark")
    write_session(folder / "b.jsonl", *chain("hello", "more", id="bbbb"), label)
    write_session(folder / "c.jsonl", *chain("others", "hello", id="cccc"))
    write_session(folder / "none.jsonl", "nothing of a session")
    return folder


@pytest.fixture
def cache(home):
    return home / ".cache/leafmark"


def catalog_of(cache):
    return cache / f"catalog-{SCHEMA}.db"


def spoil(cache, statement):
    with sqlite3.connect(catalog_of(cache)) as connection:
        assert connection.execute(statement).rowcount == 1
    connection.close()


@contextmanager
def locked(cache, monkeypatch, *, readers=True):
    """Lock the catalog as another process would, until the block ends."""
    monkeypatch.setattr(database, "BUSY_SECONDS", 0.01)
    connection = sqlite3.connect(catalog_of(cache), isolation_level=None)
    try:
        if readers:
            connection.execute("PRAGMA journal_mode = DELETE")
        connection.execute("BEGIN EXCLUSIVE")
        yield connection
    finally:
        connection.close()


@cases("statement", SPOILERS)
@cases("words", COMMANDS, ids=" ".join)
def test_every_command_answers_as_before(run, folder, cache, words, statement):
    run("index")
    before = run(*words)
    assert before.code == 0
    spoil(cache, statement)
    damaged = run(*words)
    assert damaged[:2] == before[:2]
    # A command that does not read the damaged part says nothing.
    assert damaged.err.replace(f"leafmark: {database.DAMAGED}\n", "", 1) == before.err
    assert run(*words) == before
    assert run("index", "--verify").code in (0, 3)
    run("index")
    assert run("index", "--verify").code == 0


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_while_the_catalog_is_locked_the_files_are_read(run, folder, cache, words, monkeypatch):
    run("index")
    before = run(*words)
    write_session(folder / "new.jsonl", *chain("hello", "new", id="dddd"))
    with locked(cache, monkeypatch):
        during = run(*words)
    after = run(*words)
    if words == ("doctor",):
        assert "4 sessions" in during.out
    else:
        assert after[:2] == during[:2]
        assert (during.out == before.out) == (words[0] in ("labels", "tree"))
    assert during.code == 0
    note = "kept in memory only" in during.out + during.err
    assert note or "tree" in words or "bbbb" in words


def test_a_locked_catalog_without_any_rows(run, folder, cache, monkeypatch):
    cache.mkdir(parents=True)
    with locked(cache, monkeypatch):
        done = run("list", "--json")
    assert json.loads(done.out)["total"] == 3
    assert done.err.count("\n") == 2, "the other line is about the file that is no session"
    assert "another process has it locked" in done.err


@pytest.mark.parametrize("readers", [True, False])
def test_index_reports_what_it_could_not_store_with_exit_code_3(run, folder, cache, readers, monkeypatch):
    run("index")
    write_session(folder / "new.jsonl", *chain("hello", "new", id="dddd"))
    with locked(cache, monkeypatch, readers=readers):
        done = run("index", "--json")
        location = run("index", "--where")
    assert done.code == 3
    assert "another process has it locked" in done.err
    assert json.loads(done.out)["sessions"] == 4
    assert location.code == (3 if readers else 0)
    assert ("another process has it locked" in location.out) == readers
    assert run("index").code == 0
    assert run("index", "--verify").code == 0


def test_reading_does_not_wait_for_a_writing_process(run, folder, cache, process):
    run("index")
    program = (
        "import sqlite3, sys; db = sqlite3.connect(sys.argv[1]); db.execute('BEGIN IMMEDIATE'); print('x')"
    )
    with subprocess.Popen(
        [sys.executable, "-c", f"{program}; sys.stdout.flush(); sys.stdin.read()", str(catalog_of(cache))],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=ROOT,
    ) as writer:
        assert writer.stdout.readline() == b"x\n"
        # a command that stores nothing does not wait
        done = process("list", "--json")
        writer.stdin.close()
    assert (done.returncode, json.loads(done.stdout)["total"]) == (0, 3)
