"""A leafmark that was killed between a write and its journal entry: the next command adds the entry.

`tests/faults/test_undo.py` tests every fault at every call.
"""

from __future__ import annotations

import json
import os
import shutil

import pytest
from leafmark import SessionManager

from app.actions import undo
from app.actions.journal import Journal
from app.paths import JOURNAL
from app.sessions import Change
from tests.factory import chain, write_session
from tests.faults import harness


@pytest.fixture
def path(home):
    """A session of pi."""
    folder = home / ".pi/agent/sessions/--work-app--"
    return write_session(folder / "1_pi-aaaa.jsonl", *chain("q", "a", id="pi-aaaa"))


@pytest.fixture
def killed(home, path):
    """The session, to which a killed command has written a label."""
    content, words = path.read_bytes(), ["label", "pi-aaaa", "00000002", "here"]
    calls = harness.run(home.parent, words, {"HOME": str(home)}).calls
    for folder in (".local", ".cache"):
        shutil.rmtree(home / folder, ignore_errors=True)
    path.write_bytes(content)
    os.utime(path, (1_700_000_000, 1_700_000_000))
    number = next(index for index, call in enumerate(calls) if call.startswith("write home/.pi"))
    harness.run(home.parent, words, {"HOME": str(home)}, number, harness.KILL_AFTER)
    assert path.read_bytes().startswith(content + b"{")
    return path


@pytest.fixture
def state(home):
    """leafmark's state folder."""
    return home / ".local/state/leafmark"


def test_an_action_after_the_kill_is_undone_first(run, killed):
    assert run("rename", "pi-aaaa", "Named").code == 0
    assert "name" in run("undo").out
    assert "label" in run("undo").out
    assert run("undo").code == 1


def test_the_trash_list_completes_the_journal(run, killed, state):
    assert Journal(str(state)).active() == []
    run("trash", "--list")
    (record,) = Journal(str(state)).active()
    assert (record.change.kind, record.change.after, record.change.session_id) == ("label", "here", "pi-aaaa")


def test_a_running_action_of_another_process_is_left_alone(run, home, path, state):
    manager = SessionManager.open(path, env={"HOME": str(home)}, new=False)
    with Journal(str(state)).intend() as intent:
        manager.append_label_change("00000002", "here")
        assert run("undo").code == 1
        intent.done(manager.last_change)
    assert run("undo").code == 0
    assert sorted(os.listdir(state)) == [JOURNAL, f"{JOURNAL}.lock"]


def test_an_unfinished_intent_file_means_that_nothing_was_done(run, path, state):
    state.mkdir(parents=True)
    (state / f"{JOURNAL}.intent-0123456789abcdef").write_text('{"intent": "0123456789abc')
    assert run("undo").code == 1
    assert list(state.glob("*intent*")) == []


def test_an_unreadable_session_is_settled_later(home, killed, state):
    content = killed.read_bytes()
    killed.write_bytes(b"")
    arguments = (Journal(str(state)), {"HOME": str(home)}, [], str(state))
    undo.settle_interrupted(*arguments)
    assert Journal(str(state)).active() == []
    killed.write_bytes(content)
    undo.settle_interrupted(*arguments)
    assert [record.change.after for record in Journal(str(state)).active()] == ["here"]


def test_an_older_leafmark_can_read_the_journal(state):
    """It ignores unknown fields of a line, but refuses a change with an unknown field."""
    with Journal(str(state)).intend() as intent:
        intent.done(Change("name", "/s.jsonl", "e1", before="old", after="new", agent="pi", session_id="s"))
    line = json.loads((state / JOURNAL).read_text())
    names = (
        "kind path entry_id before after target_id agent session_id after_id note draft draft_folder moves"
    )
    assert {"number", "at", "action", "stands", "told", "change"} <= set(line)
    assert set(line["change"]) == set(names.split())
