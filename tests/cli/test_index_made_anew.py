"""An index that is damaged, or of another version, is made anew; each command says so once."""

from __future__ import annotations

import os
import shutil
import sqlite3
from contextlib import closing

import pytest

from app.index import SCHEMA

# imported here, because inside a test the modules may be unreadable
from app.index.catalog.database import DAMAGED, OTHER_VERSION
from tests.cases import cases
from tests.factory import chain, write_session

COMMANDS = [
    ("list",),
    ("list", "hello"),
    ("list", "agent:pi"),
    ("search", "hello"),
    ("stats",),
    ("labels",),
    ("tree", "aaaa"),
    ("context", "aaaa"),
    ("export", "aaaa", "--to", "json", "-o", "-"),
    ("doctor",),
    ("index",),
    ("index", "--where"),
    ("resume", "aaaa", "--print"),
    ("resume", "--last", "--print"),
    ("rename", "aaaa", "other"),
]

CHANGES = {
    "garbage": lambda path: path.write_bytes(b"this is no database " * 1_000),
    "cut": lambda path: os.truncate(path, path.stat().st_size // 2),
    "zeros": lambda path: path.write_bytes(bytes(path.stat().st_size)),
    "other version": lambda path: change(path, "PRAGMA user_version = 4711"),
    "older": lambda path: make_older(path.parent),
    "a schema that is no text": lambda path: path.write_bytes(
        path.read_bytes().replace(b"CREATE TABLE sessions", b"CREATE \xff\xfeBLE sessions")
    ),
    "other tables": lambda path: (path.unlink(), change(path, "CREATE TABLE sessions (something)")),
}


def change(path, statement):
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(statement)


def make_older(cache):
    """As before an update of leafmark."""
    for path in cache.glob(f"*-{SCHEMA}*"):
        path.rename(path.with_name(path.name.replace(f"-{SCHEMA}", f"-{SCHEMA - 1}")))


@pytest.fixture
def catalog(home, run):
    folder = home / ".pi/agent/sessions/--work--"
    write_session(folder / "a.jsonl", *chain("hello", "there", id="aaaa", cwd=str(home)))
    write_session(folder / "b.jsonl", *chain("more", id="bbbb", cwd=str(home)))
    run("index")
    return home / f".cache/leafmark/catalog-{SCHEMA}.db"


@cases("words", COMMANDS, ids=" ".join)
def test_every_command_says_once_that_the_index_is_made_anew(run, catalog, words):
    before = run(*words)
    whole = catalog.parent.with_name("whole")
    if not whole.exists():
        shutil.copytree(catalog.parent, whole)
    for what, damage in CHANGES.items():
        expected = OTHER_VERSION if what in ("other version", "older") else DAMAGED
        shutil.rmtree(catalog.parent)
        shutil.copytree(whole, catalog.parent)
        damage(catalog)
        first = run(*words)
        if (what, words[-1]) == ("older", "--where"):
            assert first.err == "", "it creates nothing"
            continue
        assert first.err.count(expected) == 1, what
        assert first.err.replace(f"leafmark: {expected}\n", "") == before.err, what
        assert first.code == before.code, what
        assert expected not in run(*words).err, what
        assert not [path.name for path in catalog.parent.iterdir() if path.suffix in (".bad", ".new")], what


def test_a_comparison_says_it_in_its_findings(run, catalog):
    CHANGES["garbage"](catalog)
    done = run("index", "--verify")
    assert (done.code, done.err) == (3, "")
    assert done.out.splitlines()[0].endswith(": it was damaged: all that it held is forgotten")
    assert run("index", "--verify").code == 0


def test_an_index_that_was_deleted_is_no_damage(run, catalog):
    for path in catalog.parent.glob("catalog-*"):
        path.unlink()
    assert run("list").err == ""
    assert run("index", "--rebuild").err == ""
    assert catalog.exists()
