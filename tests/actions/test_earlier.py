"""Changes of another run are found in the journal and undone."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from app.actions import rename
from app.actions.journal import Journal
from app.actions.trash import trash
from app.actions.undo import next_journal_action, undo_journal_action
from app.stores import discover

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from app.actions import JournalEntry, UndoAttempt
    from tests.sessions.manager.conftest import Home


@pytest.fixture
def state(tmp_path: Path) -> str:
    return str(tmp_path / "state")


def undo_action(home: Home, state: str, action: int) -> tuple[list[UndoAttempt[JournalEntry]], list[str]]:
    stores = discover(home.env, str(home.folder), "/")
    return undo_journal_action(Journal(state), action, home.env, stores, state)


def test_the_last_action_comes_first_without_those_of_this_run(
    home: Home, state: str, forked_path: Callable[..., str]
) -> None:
    path, journal = forked_path(), Journal(state)
    assert next_journal_action(journal, ()) is None
    named = journal.record(rename(path, "Mine", home.env))
    trashed = journal.record(trash(path, home.env))
    next_action = next_journal_action(journal, ())
    assert next_action is not None
    assert (next_action.action, next_action.title, [change.kind for change in next_action.changes]) == (
        trashed,
        "Mine",
        ["trash"],
    )
    assert next_action.at_ms == journal.active()[-1].at_ms
    earlier = next_journal_action(journal, {trashed})
    assert earlier is not None
    assert (earlier.action, earlier.title) == (named, "")


def test_an_action_is_undone_once(home: Home, state: str, forked_path: Callable[..., str]) -> None:
    path, journal = forked_path(), Journal(state)
    with open(path, "rb") as file:
        content = file.read()
    action = journal.record(trash(path, home.env))
    attempts, notes = undo_action(home, state, action)
    assert [attempt.change.kind for attempt in attempts if attempt.change] == ["restore"]
    assert not notes
    with open(path, "rb") as file:
        assert file.read() == content
    assert next_journal_action(journal, ()) is None
    assert undo_action(home, state, action) == ([], ["it was undone meanwhile"])


def test_a_blocked_action_comes_after_all_others(
    home: Home, state: str, forked_path: Callable[..., str]
) -> None:
    first, second, journal = forked_path(), forked_path(name="t.jsonl"), Journal(state)
    named = journal.record(rename(first, "Mine", home.env))
    trashed = journal.record(trash(second, home.env))
    with open(second, "w") as file:
        file.write("somebody else's\n")
    attempts, notes = undo_action(home, state, trashed)
    assert attempts[0].can_retry
    assert notes == ["another undo goes on to what was done before that"]
    next_action = next_journal_action(journal, ())
    assert next_action is not None
    assert next_action.action == named
    undo_action(home, state, named)
    os.unlink(second)
    next_action = next_journal_action(journal, ())
    assert next_action is not None
    assert next_action.action == trashed
    assert undo_action(home, state, trashed)[0][0].change is not None


def test_an_action_that_can_never_be_undone_is_skipped(
    home: Home, state: str, forked_path: Callable[..., str]
) -> None:
    path, journal = forked_path(), Journal(state)
    action = journal.record(rename(path, "Mine", home.env))
    rename(path, "Yours", home.env)
    attempts, notes = undo_action(home, state, action)
    assert "the name is another by now" in str(attempts[0].error)
    assert not notes
    assert next_journal_action(journal, ()) is None
    assert journal.undone() == {action}
