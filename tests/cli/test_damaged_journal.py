"""A damaged journal is never a traceback: damaged lines are skipped, or an undo says why it is not done."""

from __future__ import annotations

import contextlib
import json
import os
import random
import shutil

import pytest

from app.actions import redo_journal_action
from app.actions.history import history
from app.actions.journal import Journal
from app.stores import discover
from app.view import history_line
from tests.factory import chain, message, write_session

ODD = [
    *(0, 1, -1, 10**30, 0.5, True, None, "", "x", "\0", "\ud800", "/", "/gone/s.jsonl"),
    *("trash", "move", "tags", [], {}, [[]], [[1, 2]], {"kind": 1}, ["a", "b"], [["a", "b"]]),
    *([["a", "b", "\ud800"]], [["", "[]", "{"]]),
]
ACTIONS = [
    ["label", "pi-aaaa", "00000002", "here"],
    ["rename", "omp-aaaa", "Named"],
    ["tag", "pi-aaaa", "+a", "--note", "a note"],
    ["fork", "pi-aaaa"],
    ["branch", "pi-aaaa", "00000002"],
    ["trash", "omp-aaaa"],
    ["restore", "omp-aaaa"],
    ["trash", "pi-aaaa"],
]


@pytest.fixture
def acted(run, home):
    """Make a home folder in which something was done and undone; return the folder of the journal."""
    write_session(home / ".pi/agent/sessions/--w--/1_a.jsonl", *chain("q", "a", "r", "b", id="pi-aaaa"))
    omp = write_session(home / ".omp/agent/sessions/-w/1_a.jsonl", *chain("q", "a", id="omp-aaaa"))
    omp.with_suffix("").mkdir()
    for words in ACTIONS:
        assert run(*words).code == 0, words
    headless = home / ".pi/agent/sessions/--w--/1_a.jsonl"
    write_session(headless, message("n", "00000004", "user", "more"))
    assert run("restore", "pi-aaaa", "--join").code == 0
    assert run("undo").code == 0
    headless.unlink()
    assert run("undo").code == 0
    return home / ".local/state/leafmark"


def damaged(value, by):
    """Return a copy of a value of JSON with one part replaced, removed, or of another type."""
    if isinstance(value, dict) and value and by.random() < 0.9:
        key = by.choice(sorted(value))
        rest = {name: part for name, part in value.items() if name != key}
        return rest if by.random() < 0.1 else {**rest, key: damaged(value[key], by)}
    if isinstance(value, list) and value and by.random() < 0.6:
        at = by.randrange(len(value))
        return [*value[:at], damaged(value[at], by), *value[at + 1 :]]
    return by.choice(ODD)


def damaged_lines(data, by):
    """Return the journal with one line damaged, as JSON or as bytes."""
    lines = data.splitlines(keepends=True)
    at = by.randrange(len(lines))
    if by.random() < 0.2:
        cut = by.randrange(len(lines[at]))
        lines[at] = lines[at][:cut] + bytes([by.randrange(256)]) + lines[at][cut + 1 :]
    else:
        with contextlib.suppress(ValueError):
            lines[at] = json.dumps(damaged(json.loads(lines[at]), by)).encode() + b"\n"
    return b"".join(lines)


@pytest.mark.parametrize("part", range(3))
def test_no_damage_to_the_journal_is_a_traceback(run, home, acted, tmp_path, part):
    journal, kept = acted / "journal.jsonl", tmp_path / "kept"
    shutil.copytree(home, kept, symlinks=True)
    data = journal.read_bytes()
    env = {"HOME": str(home)}
    for seed in range(part * 15, part * 15 + 15):
        shutil.rmtree(home)
        shutil.copytree(kept, home, symlinks=True)
        by = random.Random(seed)
        journal.write_bytes(damaged_lines(damaged_lines(data, by), by))
        where = (seed, journal.read_bytes())
        known = Journal(str(acted))
        for step in history(known, [], []):
            history_line(step, 80, 1_800_000_000_000, "z")
        for actions in known.redoable():
            stores = discover(env, str(home), "/")
            redo_journal_action(known, actions[0].action, env, stores, str(acted))
        for words in (["trash", "--list"], ["undo"], ["undo"], ["label", "pi-aaaa", "00000001", "x"]):
            done = run(*words)
            assert done.code in (0, 1, 2, 3), where
            assert "Traceback" not in done.err, where
            assert "rror: " not in done.err.replace("OSError: ", ""), where
        assert os.path.exists(journal)


@pytest.mark.parametrize("seed", range(20))
def test_no_damage_to_an_intent_is_a_traceback(run, home, acted, seed):
    by = random.Random(seed)
    lines = [json.loads(line) for line in (acted / "journal.jsonl").read_bytes().splitlines()]
    change = by.choice([line["change"] for line in lines if "change" in line])
    change["kind"] = by.choice([change["kind"], "move", "rewrite", "file"])
    intent = {"intent": "0123456789abcdef", "at": 1, "action": 0, "undoes": 0, "change": change}
    intent["change"] = damaged(change, by)
    (acted / "journal.jsonl.intent-0123456789abcdef").write_text(json.dumps(intent))
    done = run("undo")
    assert done.code in (0, 1, 3)
    assert "Traceback" not in done.err
