"""What was done is taken back by one more write (issue 3 "Undo")."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from app.actions.branch import branch, branch_to_file
from app.actions.label import label
from app.actions.rename import rename
from app.actions.undo import CannotUndo, undo
from app.sessions.errors import ReadOnly
from tests.actions.conftest import bytes_of, reopened
from tests.sessions.manager.conftest import USER

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.sessions.manager.conftest import Home

AGENTS = ["pi", "omp", "indusagi"]


@pytest.mark.parametrize("agent", AGENTS)
def test_a_label_is_put_back(home: Home, agent: str) -> None:
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
def test_a_name_is_put_back(home: Home, agent: str) -> None:
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


@pytest.mark.parametrize("agent", AGENTS)
@pytest.mark.parametrize("summary", ["", "left"])
@pytest.mark.parametrize("to_root", [False, True])
def test_a_leaf_is_put_back(home: Home, agent: str, summary: str, to_root: bool) -> None:
    manager = home.answered(agent)
    path, first = manager.session_file or "", manager.get_entries()[0].id
    context = manager.build_session_context().messages
    done = branch(path, "root" if to_root else first, home.env, summary)
    assert reopened(home, path).build_session_context().messages != context
    back = undo(done, home.env)
    assert reopened(home, path).build_session_context().messages == context
    undo(back, home.env)
    assert reopened(home, path).build_session_context().messages != context


def test_changes_on_top_of_each_other_are_taken_back_one_by_one(
    home: Home, forked_path: Callable[..., str]
) -> None:
    path = forked_path()
    context = reopened(home, path).build_session_context().messages
    done = [
        branch(path, "00000002", home.env),
        label(path, "00000001", "x", home.env),
        rename(path, "n", home.env),
    ]
    for change in reversed(done):
        undo(change, home.env)
    found = reopened(home, path)
    assert (found.get_label("00000001"), found.session_name) == (None, None)
    assert found.build_session_context().messages == context


def test_what_somebody_else_did_since_is_not_undone(home: Home) -> None:
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


def test_nothing_done_is_nothing_undone(home: Home, forked_path: Callable[..., str]) -> None:
    path = forked_path()
    before = bytes_of(path)
    for change in (label(path, "e", "", home.env), rename(path, "", home.env), branch(path, "e", home.env)):
        assert undo(change, home.env).entry_id == ""
    assert bytes_of(path) == before


def test_a_new_file_and_an_entry_stay(home: Home, forked_path: Callable[..., str]) -> None:
    path = forked_path()
    made = branch_to_file(path, "e", home.env)
    manager = reopened(home, path)
    manager.append_message(USER)
    assert manager.last_change is not None
    for change in (made, manager.last_change):
        with pytest.raises(CannotUndo):
            undo(change, home.env)
