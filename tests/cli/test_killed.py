"""A leafmark that was killed between a write and its journal: the next one settles what happened.

`tests/faults/test_undo.py` has every fault at every call.
"""

from __future__ import annotations

import json
import os
import shutil

import pytest

from app.actions import undo
from app.actions.journal import NAME, Journal
from app.sessions import SessionManager
from app.sessions.manager.change import Change
from tests.factory import chain, write_session
from tests.faults import harness


@pytest.fixture
def path(home):
    """A session of pi."""
    folder = home / ".pi/agent/sessions/--work-app--"
    return write_session(folder / "1_pi-aaaa.jsonl", *chain("q", "a", id="pi-aaaa"))


@pytest.fixture
def killed(home, path):
    """The same; a command that labels an entry of it was killed after its write."""
    content, words = path.read_bytes(), ["label", "pi-aaaa", "00000002", "here"]
    calls = harness.run(home.parent, words, {"HOME": str(home)}).calls
    for folder in (".local", ".cache"):
        shutil.rmtree(home / folder, ignore_errors=True)
    path.write_bytes(content)
    os.utime(path, (1_700_000_000, 1_700_000_000))
    number = next(at for at, call in enumerate(calls) if call.startswith("write home/.pi"))
    harness.run(home.parent, words, {"HOME": str(home)}, number, harness.KILL_AFTER)
    assert path.read_bytes().startswith(content + b"{")
    return path


@pytest.fixture
def state(home):
    """leafmark's state folder."""
    return home / ".local/state/leafmark"


def test_an_action_between_is_undone_in_its_turn(run, killed):
    assert run("rename", "pi-aaaa", "Named").code == 0
    assert "name" in run("undo").out
    assert "label" in run("undo").out
    assert run("undo").code == 1


def test_the_trash_list_settles_it_too(run, killed, state):
    assert Journal(str(state)).active() == []
    run("trash", "--list")
    (found,) = Journal(str(state)).active()
    assert (found.change.kind, found.change.after, found.change.session_id) == ("label", "here", "pi-aaaa")


def test_what_another_leafmark_is_at_is_left_to_it(run, home, path, state):
    manager = SessionManager.open(path, env={"HOME": str(home)}, new=False)
    with Journal(str(state)).intend() as intent:
        manager.append_label_change("00000002", "here")
        assert run("undo").code == 1
        intent.done(manager.last_change)
    assert run("undo").code == 0
    assert sorted(os.listdir(state)) == [NAME, f"{NAME}.lock"]


def test_a_file_that_was_not_written_to_its_end_says_that_nothing_was_done(run, path, state):
    state.mkdir(parents=True)
    (state / f"{NAME}.intent-0123456789abcdef").write_text('{"intent": "0123456789abc')
    assert run("undo").code == 1
    assert list(state.glob("*intent*")) == []


def test_a_session_that_cannot_be_read_now_is_settled_later(home, killed, state):
    content = killed.read_bytes()
    killed.write_bytes(b"")
    about = (Journal(str(state)), {"HOME": str(home)}, [], str(state))
    undo.settle_interrupted(*about)
    assert Journal(str(state)).active() == []
    killed.write_bytes(content)
    undo.settle_interrupted(*about)
    assert [each.change.after for each in Journal(str(state)).active()] == ["here"]


def test_an_older_leafmark_reads_the_lines_of_this_one(state):
    """It ignores fields of a line that it does not know, but refuses a change with such a field."""
    with Journal(str(state)).intend() as intent:
        intent.done(Change("name", "/s.jsonl", "e1", before="old", after="new", agent="pi", session_id="s"))
    line = json.loads((state / NAME).read_text())
    known = (
        "kind path entry_id before after target_id agent session_id after_id note draft draft_folder moves"
    )
    assert {"number", "at", "action", "stands", "told", "change"} <= set(line)
    assert set(line["change"]) == set(known.split())
