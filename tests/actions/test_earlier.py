"""What another run did is found in the journal, and taken back."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from app.actions.journal import Journal
from app.actions.session_edits import rename
from app.actions.trash import trash
from app.actions.undo import SKIP_NOTE, next_journal_action, undo_journal_action
from app.stores import discover

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from app.actions.journal_entries import JournalEntry
    from app.actions.undo import UndoAttempt
    from tests.sessions.manager.conftest import Home


@pytest.fixture
def state(tmp_path: Path) -> str:
    return str(tmp_path / "state")


def back(home: Home, state: str, action: int) -> tuple[list[UndoAttempt[JournalEntry]], list[str]]:
    stores = discover(home.env, str(home.folder), "/")
    return undo_journal_action(Journal(state), action, home.env, stores, state)


def test_the_last_comes_first_and_what_this_run_did_is_left_out(
    home: Home, state: str, forked_path: Callable[..., str]
) -> None:
    path, journal = forked_path(), Journal(state)
    assert next_journal_action(journal, ()) is None
    named = journal.record(rename(path, "Mine", home.env))
    gone = journal.record(trash(path, home.env))
    found = next_journal_action(journal, ())
    assert found is not None
    assert (found.action, found.title, [each.kind for each in found.changes]) == (gone, "Mine", ["trash"])
    assert found.at_ms == journal.active()[-1].at_ms
    before = next_journal_action(journal, {gone})
    assert before is not None
    assert (before.action, before.title) == (named, "")


def test_it_is_taken_back_once(home: Home, state: str, forked_path: Callable[..., str]) -> None:
    path, journal = forked_path(), Journal(state)
    with open(path, "rb") as file:
        content = file.read()
    action = journal.record(trash(path, home.env))
    tried, notes = back(home, state, action)
    assert [each.change.kind for each in tried if each.change] == ["restore"]
    assert not notes
    with open(path, "rb") as file:
        assert file.read() == content
    assert next_journal_action(journal, ()) is None
    assert back(home, state, action) == ([], ["it has been taken back meanwhile"])


def test_what_something_stands_in_the_way_of_comes_after_all_else(
    home: Home, state: str, forked_path: Callable[..., str]
) -> None:
    first, second, journal = forked_path(), forked_path(name="t.jsonl"), Journal(state)
    named = journal.record(rename(first, "Mine", home.env))
    gone = journal.record(trash(second, home.env))
    with open(second, "w") as file:
        file.write("somebody else's\n")
    tried, notes = back(home, state, gone)
    assert tried[0].can_retry
    assert notes == [SKIP_NOTE]
    found = next_journal_action(journal, ())
    assert found is not None
    assert found.action == named
    back(home, state, named)
    os.unlink(second)
    found = next_journal_action(journal, ())
    assert found is not None
    assert found.action == gone
    assert back(home, state, gone)[0][0].change is not None


def test_what_never_can_be_taken_back_is_passed_over(
    home: Home, state: str, forked_path: Callable[..., str]
) -> None:
    path, journal = forked_path(), Journal(state)
    action = journal.record(rename(path, "Mine", home.env))
    rename(path, "Yours", home.env)
    tried, notes = back(home, state, action)
    assert "the name is another by now" in str(tried[0].error)
    assert not notes
    assert next_journal_action(journal, ()) is None
    assert journal.undone() == {action}
