"""Undo reverts a change by one more write, or by a move."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from app.actions import label, pin, rename
from app.actions.branch import branch, branch_to_file, fork
from app.actions.trash import delete_for_good, trash
from app.actions.undo import CannotUndo, undo
from app.sessions import AlreadyThere, Change, ReadOnly
from app.stores import all_pins, discover
from tests.actions.conftest import bytes_of, of_agent, reopened
from tests.cases import cases
from tests.sessions.manager.conftest import USER

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.sessions.manager.conftest import Home

AGENTS = ["pi", "omp", "indusagi"]


@pytest.mark.parametrize("agent", AGENTS)
def test_undo_of_a_label_restores_the_old_one(home: Home, agent: str) -> None:
    manager = home.answered(agent)
    path, first = manager.session_file or "", manager.get_entries()[0].id
    for before, after in ((None, "one"), ("one", "two"), ("two", "")):
        done = label(path, first, after, home.env)
        size = len(bytes_of(path)[0])
        back = undo(done, home.env)
        assert reopened(home, path).get_label(first) == before
        assert len(bytes_of(path)[0]) > size
        undo(back, home.env)
        assert reopened(home, path).get_label(first) == (after or None)


@pytest.mark.parametrize("agent", AGENTS)
def test_undo_of_a_name_restores_the_old_one(home: Home, agent: str) -> None:
    path = home.answered(agent).session_file or ""
    first = rename(path, "one", home.env)
    second = rename(path, "two", home.env)
    undo(second, home.env)
    assert reopened(home, path).session_name == "one"
    if agent == "indusagi":
        with pytest.raises(ReadOnly):
            undo(first, home.env)
    else:
        undo(first, home.env)
        assert reopened(home, path).session_name is None


@cases("agent", AGENTS)
@cases("summary", ["", "left"])
@cases("to_root", [False, True])
def test_undo_of_a_branch_restores_the_leaf(home: Home, agent: str, summary: str, to_root: bool) -> None:
    manager = home.answered(agent)
    path, first = manager.session_file or "", manager.get_entries()[0].id
    context = manager.build_session_context().messages
    done = branch(path, "root" if to_root else first, home.env, summary)
    assert reopened(home, path).build_session_context().messages != context
    back = undo(done, home.env)
    assert reopened(home, path).build_session_context().messages == context
    undo(back, home.env)
    assert reopened(home, path).build_session_context().messages != context


def test_successive_changes_are_undone_one_by_one(home: Home, forked_path: Callable[..., str]) -> None:
    path = forked_path()
    context = reopened(home, path).build_session_context().messages
    done = [
        branch(path, "00000002", home.env),
        label(path, "00000001", "x", home.env),
        rename(path, "n", home.env),
    ]
    for change in reversed(done):
        undo(change, home.env)
    session = reopened(home, path)
    assert (session.get_label("00000001"), session.session_name) == (None, None)
    assert session.build_session_context().messages == context


def test_a_later_change_by_another_program_is_not_undone(home: Home) -> None:
    manager = home.answered()
    path, first = manager.session_file or "", manager.get_entries()[0].id
    mine = [
        label(path, first, "mine", home.env),
        rename(path, "mine", home.env),
        branch(path, first, home.env),
    ]
    label(path, first, "theirs", home.env)
    rename(path, "theirs", home.env)
    reopened(home, path).append_message(USER)
    before = bytes_of(path)
    for change in mine:
        with pytest.raises(CannotUndo) as caught:
            undo(change, home.env)
        assert caught.value.path == path
    assert bytes_of(path) == before


def test_undo_of_a_change_without_effect_writes_nothing(home: Home, forked_path: Callable[..., str]) -> None:
    path = forked_path()
    before = bytes_of(path)
    for change in (label(path, "e", "", home.env), rename(path, "", home.env), branch(path, "e", home.env)):
        assert undo(change, home.env).entry_id == ""
    assert bytes_of(path) == before


@pytest.mark.parametrize("agent", [*AGENTS, "agent"])
def test_undo_of_a_fork_trashes_it_and_another_undo_restores_it(home: Home, agent: str) -> None:
    path = of_agent(home, 3) if agent == "agent" else home.answered(agent).session_file or ""
    made = fork(path, home.env)
    before = bytes_of(made.path)
    back = undo(made, home.env)
    assert (back.kind, back.path, back.session_id) == ("trash", made.path, made.after_id)
    assert not os.path.lexists(made.path)
    assert os.path.isfile(path)
    again = undo(back, home.env)
    assert again.kind == "restore"
    assert bytes_of(made.path) == before
    assert undo(again, home.env).kind == "trash"
    assert not os.path.lexists(made.path)


def test_a_fork_that_was_continued_is_not_trashed(home: Home, forked_path: Callable[..., str]) -> None:
    path = forked_path()
    rename(path, "a name", home.env)
    made = branch_to_file(path, "e", home.env)
    label(made.path, "e", "mine", home.env)
    assert undo(made, home.env).kind == "trash"
    made = branch_to_file(path, "e", home.env)
    reopened(home, made.after).append_message(USER)
    before = bytes_of(made.path)
    with pytest.raises(CannotUndo, match="gone on"):
        undo(made, home.env)
    assert bytes_of(made.path) == before


def test_a_session_that_is_not_in_the_trash_cannot_be_restored(home: Home) -> None:
    path = home.answered().session_file or ""
    done = trash(path, home.env)
    undo(done, home.env)
    with pytest.raises(CannotUndo, match="not in the trash"):
        undo(done, home.env)
    nowhere = Change("trash", path, "", before=path, moves=((path, ""),))
    with pytest.raises(CannotUndo, match="by hand"):
        undo(nowhere, home.env)


def test_undo_of_a_trash_replaces_no_other_session(home: Home) -> None:
    path = home.answered().session_file or ""
    done = trash(path, home.env)
    Path(path).write_text("another")
    with pytest.raises(AlreadyThere):
        undo(done, home.env)
    assert Path(path).read_text() == "another"


@pytest.mark.parametrize("agent", AGENTS)
def test_undo_of_a_pin_restores_the_old_state(home: Home, agent: str) -> None:
    manager = home.answered(agent)
    state = str(home.folder / "state")
    stores = discover(home.env, str(home.folder), "/")
    store = next(store for store in stores if (manager.session_file or "").startswith(store.root))
    done = pin(agent, manager.session_id, True, store, state)
    for given_store in (store, None):
        back = undo(done, home.env, given_store, state_folder=state)
        assert (agent, manager.session_id) not in all_pins(stores, state)
        undo(back, home.env, given_store, state_folder=state)
        assert (agent, manager.session_id) in all_pins(stores, state)
    pin(agent, manager.session_id, False, store, state)
    with pytest.raises(CannotUndo, match="pin is another"):
        undo(done, home.env, store, state_folder=state)


def test_appends_deletions_and_unarchived_sessions_cannot_be_undone(
    home: Home, forked_path: Callable[..., str]
) -> None:
    manager = reopened(home, forked_path())
    manager.append_message(USER)
    assert manager.last_change is not None
    deleted = delete_for_good(forked_path(name="2.jsonl"), home.env)
    unpacked = Change("file", "/s", "", before="/s.gz", after="/s", session_id="s", after_id="s")
    pinned_nowhere = Change("pin", "/pins.json", "", after="pinned", session_id="s")
    for change in (manager.last_change, deleted, unpacked, pinned_nowhere):
        with pytest.raises(CannotUndo):
            undo(change, home.env)
