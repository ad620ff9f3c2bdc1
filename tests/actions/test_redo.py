"""Redo makes the changes again that were undone last, unless something else has changed since."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from app.actions import label, pin, redo_journal_action, rename
from app.actions.branch import branch, branch_to_file, fork
from app.actions.journal import Journal
from app.actions.restore import list_trashed, restore
from app.actions.trash import trash
from app.actions.undo import CannotUndo, settle_interrupted, undo_journal_action
from app.sessions import AlreadyThere
from app.stores import all_pins, discover
from tests.actions.conftest import bytes_of, contents, reopened
from tests.sessions.manager.conftest import USER

if TYPE_CHECKING:
    from app.actions import JournalEntry, UndoAttempt
    from app.sessions import Change
    from tests.sessions.manager.conftest import Home


class World:
    """A journal over a home folder."""

    def __init__(self, home: Home, folder: Path) -> None:
        self.home = home
        self.state = str(folder / "state")
        self.journal = Journal(self.state)
        self.stores = discover(home.env, str(home.folder), "/")

    def undo(self, number: int) -> None:
        tried, notes = undo_journal_action(self.journal, number, self.home.env, self.stores, self.state)
        assert [attempt.error for attempt in tried] == [None] * len(tried)
        assert tried
        assert not notes

    def redo(self) -> list[UndoAttempt[JournalEntry]]:
        action = self.journal.redoable()[0][0].action
        return redo_journal_action(self.journal, action, self.home.env, self.stores, self.state)[0]

    def redo_fails(self) -> Exception:
        (attempt,) = self.redo()
        assert attempt.change is None
        assert attempt.error is not None
        return attempt.error

    def kinds(self) -> list[list[str]]:
        return [[step.change.kind for step in steps] for steps in self.journal.redoable()]


@pytest.fixture
def world(home: Home, tmp_path: Path) -> World:
    return World(home, tmp_path)


@pytest.mark.parametrize("agent", ["pi", "omp"])
def test_values_are_set_again_in_the_order_in_which_they_were_set(world: World, agent: str) -> None:
    home, journal = world.home, world.journal
    manager = home.answered(agent)
    path, first = manager.session_file or "", manager.get_entries()[0].id
    store = next(store for store in world.stores if store.agent.name == agent)
    numbers = [
        journal.record(rename(path, "one", home.env)),
        journal.record(rename(path, "two", home.env)),
        journal.record(label(path, first, "here", home.env)),
        journal.record(pin(agent, manager.session_id, True, store, world.state)),
        journal.record(branch(path, first, home.env, keep=True)),
    ]

    def now() -> tuple[object, ...]:
        session = reopened(home, path)
        pinned = (agent, session.session_id) in all_pins(world.stores, world.state)
        return session.session_name, session.get_label(first), pinned, len(session.get_branch()) < 3

    done = now()
    for number in reversed(numbers):
        world.undo(number)
    assert now() == (None, None, False, False)
    assert world.kinds() == [["name"], ["name"], ["label"], ["pin"], ["leaf"]]
    for _ in numbers:
        (attempt,) = world.redo()
        assert attempt.error is None
    assert now() == done == ("two", "here", True, True)
    assert world.kinds() == []
    # What was redone can be undone, and redone, again.
    for steps in reversed(journal.actions()):
        world.undo(steps[0].action)
    assert now() == (None, None, False, False)
    assert world.kinds() == [["name"], ["name"], ["label"], ["pin"], ["leaf"]]


def test_a_branch_with_a_summary_goes_back_to_that_summary(world: World) -> None:
    manager = world.home.answered("pi")
    path, first = manager.session_file or "", manager.get_entries()[0].id
    number = world.journal.record(branch(path, first, world.home.env, "what was left", keep=True))
    summary = reopened(world.home, path).leaf_id
    world.undo(number)
    world.redo()
    assert summary in [entry.id for entry in reopened(world.home, path).get_branch()]


def test_trash_restore_fork_and_branch_move_the_same_files_again(world: World) -> None:
    home, journal = world.home, world.journal
    manager = home.answered("omp")
    path, first = manager.session_file or "", manager.get_entries()[-1].id
    for make in (
        lambda: fork(path, home.env),
        lambda: branch_to_file(path, first, home.env, keep=True),
    ):
        made: Change = make()
        before = bytes_of(made.after or "")
        number = journal.record(made)
        world.undo(number)
        assert not os.path.exists(made.after or "")
        (attempt,) = world.redo()
        assert attempt.change is not None
        assert (attempt.change.kind, attempt.change.after) == ("file", made.after)
        assert bytes_of(made.after or "") == before
    number = journal.record(trash(path, home.env))
    world.undo(number)
    world.redo()
    assert not os.path.exists(path)
    (lying,) = [it for it in list_trashed(home.env, world.stores, world.state) if it.path == path]
    number = journal.record(restore(lying.change))
    world.undo(number)
    assert not os.path.exists(path)
    assert world.kinds() == [["restore"]]
    world.redo()
    assert os.path.exists(path)


@pytest.mark.parametrize("what", ["rewrite", "move"])
def test_rewritten_entries_and_a_moved_session_are_redone_byte_for_byte(world: World, what: str) -> None:
    home, journal = world.home, world.journal
    manager = home.answered("pi")
    if what == "move":
        (home.folder / "elsewhere").mkdir()
        done = manager.move_to(home.folder / "elsewhere")
    else:
        entry = manager.get_entries()[0]
        done = manager.rewrite_entries([{**entry.raw, "note": "kept"}])
    path = (done.after or "") if what == "move" else done.path
    after = bytes_of(path)[0]
    number = journal.record(done)
    world.undo(number)
    assert not os.path.exists(path) or bytes_of(path)[0] != after
    (attempt,) = world.redo()
    assert attempt.error is None
    assert bytes_of(path)[0] == after


def test_an_action_on_several_sessions_is_redone_as_one(world: World) -> None:
    home, journal = world.home, world.journal
    paths = [home.answered(agent).session_file or "" for agent in ("pi", "omp")]
    action = journal.record(trash(paths[0], home.env))
    journal.record(trash(paths[1], home.env), action)
    world.undo(action)
    assert all(map(os.path.exists, paths))
    attempts = world.redo()
    assert [attempt.error for attempt in attempts] == [None, None]
    assert not any(map(os.path.exists, paths))
    world.undo(world.journal.actions()[-1][0].number)
    assert all(map(os.path.exists, paths))


def test_a_new_change_clears_what_can_be_redone(world: World) -> None:
    home, journal = world.home, world.journal
    path = home.answered("pi").session_file or ""
    world.undo(journal.record(rename(path, "one", home.env)))
    assert world.kinds() == [["name"]]
    journal.record(rename(path, "other", home.env))
    assert world.kinds() == []


@pytest.mark.parametrize("what", ["name", "label", "leaf", "trash"])
def test_what_has_changed_meanwhile_is_not_redone_and_nothing_is_lost(world: World, what: str) -> None:
    home, journal = world.home, world.journal
    manager = home.answered("pi")
    path, first = manager.session_file or "", manager.get_entries()[0].id
    number = journal.record(
        {
            "name": lambda: rename(path, "one", home.env),
            "label": lambda: label(path, first, "one", home.env),
            "leaf": lambda: branch(path, first, home.env, keep=True),
            "trash": lambda: trash(path, home.env),
        }[what]()
    )
    world.undo(number)
    # as another program would
    other = reopened(home, path)
    if what == "name":
        other.append_session_info("theirs")
    elif what == "label":
        other.append_label_change(first, "theirs")
    else:
        other.append_message({**USER, "timestamp": 4_000_000_000_000})
        os.utime(path, (4_000_000_000, 4_000_000_000))
    before = contents(os.path.dirname(path))
    error = world.redo_fails()
    assert isinstance(error, CannotUndo)
    expected = {
        "name": "the name is another by now",
        "label": "the label is another by now",
        "leaf": "the session has gone on since",
        "trash": "the session has gone on since",
    }
    assert error.reason == expected[what]
    assert contents(os.path.dirname(path)) == before
    assert world.kinds() == [], "it can never be redone, so that the next redo goes on"


def test_a_redo_waits_while_its_place_is_taken(world: World) -> None:
    home, journal = world.home, world.journal
    made = fork(home.answered("pi").session_file or "", home.env)
    world.undo(journal.record(made))
    Path(made.after or "").write_text("another file\n")
    assert isinstance(world.redo_fails(), AlreadyThere)
    assert Path(made.after or "").read_text() == "another file\n"
    assert world.kinds() == [["file"]]
    os.unlink(made.after or "")
    (attempt,) = world.redo()
    assert attempt.error is None


def test_a_session_that_left_the_trash_is_not_brought_back(world: World) -> None:
    home, journal = world.home, world.journal
    made = fork(home.answered("pi").session_file or "", home.env)
    world.undo(journal.record(made))
    (lying,) = list_trashed(home.env, world.stores, world.state)
    os.unlink(lying.in_trash)
    assert "is not in the trash any more" in str(world.redo_fails())


def test_a_redo_that_was_killed_is_settled_as_a_redo(world: World) -> None:
    home, journal = world.home, world.journal
    path = home.answered("pi").session_file or ""
    for name in ("one", "two"):
        number = journal.record(rename(path, name, home.env))
    world.undo(number)
    world.undo(number - 1)
    step = journal.redoable()[0][0]
    with journal.intend(redoes=step.number):
        rename(path, "one", home.env)
        # it was killed here
    settle_interrupted(journal, home.env, world.stores, world.state)
    assert world.kinds() == [["name"]], "the second name can still be redone"
    assert [entry.redoes for entry in journal.active()] == [step.number]


def test_a_version_without_redo_takes_a_redone_change_for_a_new_one(world: World) -> None:
    home, journal = world.home, world.journal
    path = home.answered("pi").session_file or ""
    number = journal.record(rename(path, "one", home.env))
    world.undo(number)
    world.redo()
    lines = [json.loads(line) for line in Path(world.state, "journal.jsonl").read_bytes().splitlines()]
    fields = {"kind", "path", "entry_id", "before", "after", "target_id", "agent", "session_id", "after_id"}
    fields |= {"note", "draft", "draft_folder", "moves"}
    changes = [line for line in lines if "change" in line]
    assert [line["number"] for line in changes] == [1, 2]
    assert all(set(line["change"]) == fields for line in changes), "an older version refuses other fields"
    assert [line["taken_back"] for line in lines if "taken_back" in line] == [1]


def test_what_the_version_before_undid_is_not_offered(world: World) -> None:
    home, journal = world.home, world.journal
    path = home.answered("pi").session_file or ""
    number = journal.record(rename(path, "one", home.env))
    with open(Path(world.state, "journal.jsonl"), "ab") as file:
        file.write(b'{"taken_back": %d, "at": 5}\n' % number)
    assert world.kinds() == []


def test_a_journal_that_cannot_be_written_is_one_note(world: World) -> None:
    home, journal = world.home, world.journal
    path = home.answered("pi").session_file or ""
    world.undo(journal.record(rename(path, "one", home.env)))
    action = journal.redoable()[0][0].action
    journal_path = Path(world.state, "journal.jsonl")
    lock = Path(f"{journal_path}.lock")
    lock.unlink(missing_ok=True)
    lock.mkdir()
    attempts, _, notes = redo_journal_action(journal, action, home.env, world.stores, world.state)
    assert [attempt.error for attempt in attempts] == [None]
    assert len(notes) == 1
    assert "the journal cannot be written" in notes[0]
    assert reopened(home, path).session_name == "one"
