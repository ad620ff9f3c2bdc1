"""Labels and names, as the agents read them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from app.sessions import AmbiguousEntry, UnknownEntry
from tests.factory import chain, entry, message
from tests.sessions.manager.conftest import content

if TYPE_CHECKING:
    from collections.abc import Callable

    from leafmark import SessionManager

    from tests.sessions.manager.conftest import Home

    Make = Callable[..., SessionManager]


def test_a_label_is_set_changed_and_cleared(home: Home) -> None:
    manager = home.answered()
    target = manager.get_entries()[0].id
    manager.append_label_change(target, "one")
    manager.append_label_change(target, "two")
    assert manager.get_label(target) == home.open(manager.session_file or "").get_label(target) == "two"
    for nothing in (None, ""):
        manager.append_label_change(target, "again")
        manager.append_label_change(target, nothing)
        assert manager.get_label(target) is home.open(manager.session_file or "").get_label(target) is None


def test_labels_are_on_the_nodes_of_the_tree(session: Make) -> None:
    manager = session(*chain("one"), entry("label", "l", "00000001", targetId="00000001", label="here"))
    assert manager.get_tree()[0].label == "here"
    assert manager.get_tree()[0].children[0].label is None


def test_a_label_after_a_move_of_the_leaf_records_the_move(home: Home) -> None:
    manager = home.answered()
    path = manager.session_file or ""
    os.utime(path, ns=(1_000, 2_000))
    manager = home.open(path)
    first = manager.get_entries()[0].id
    manager.branch(first)
    manager.append_label_change(first, "x")
    assert os.stat(path).st_mtime_ns != 2_000
    branch = [entry.id for entry in home.open(path).get_branch()]
    assert branch == [first, manager.leaf_id]


@pytest.mark.parametrize("target", ["nowhere", "", "root"])
def test_a_label_on_a_missing_entry_is_refused(home: Home, target: str) -> None:
    manager = home.answered()
    path = manager.session_file or ""
    before = content(path)
    with pytest.raises(UnknownEntry) as caught:
        manager.append_label_change(target, "x")
    assert caught.value.path == path
    assert content(path) == before


def test_a_label_on_a_duplicate_id_is_refused(session: Make) -> None:
    manager = session(*chain("one"), message("00000001", None, "user", "two"))
    with pytest.raises(AmbiguousEntry) as caught:
        manager.append_label_change("00000001", "x")
    assert caught.value.line == 3


@pytest.mark.parametrize("agent", ["pi", "omp", "indusagi"])
def test_a_name_is_one_line_and_keeps_the_order_of_the_list(home: Home, agent: str) -> None:
    manager = home.answered(agent)
    path = manager.session_file or ""
    manager.append_session_info(" two\r\nlines ")
    assert manager.session_name == home.open(path).session_name == "two lines"
    change = manager.last_change
    assert change is not None
    assert (change.kind, change.before, change.after) == ("name", None, "two lines")


def test_an_empty_name_clears_the_name(home: Home) -> None:
    for agent, left in (("pi", None), ("omp", None), ("indusagi", "N")):
        manager = home.answered(agent)
        manager.append_session_info("N")
        manager.append_session_info("")
        assert (agent, home.open(manager.session_file or "").session_name) == (agent, left)


def test_the_latest_name_counts_on_any_branch(session: Make) -> None:
    manager = session(
        *chain("one", "two"),
        entry("session_info", "n", "00000001", name="old"),
        entry("session_info", "m", "00000002", name="new"),
    )
    assert manager.session_name == "new"


@pytest.mark.parametrize(
    "title", ["x", "e\u0301\u4e2d\u6587" * 80, '"\\' * 200, "\U0001f600" * 90, "\ud83d", "\x1b[31m\n"]
)
def test_the_title_line_stays_256_bytes(home: Home, title: str) -> None:
    manager = home.answered("omp")
    path = manager.session_file or ""
    size = os.stat(path).st_size
    manager.set_name(title)
    lines = content(path).split(b"\n")
    assert len(lines[0]) == 255
    assert os.stat(path).st_size == size + len(lines[-2]) + 1
    assert home.open(path).session_name == manager.session_name


def test_a_missing_title_line_is_added(session: Make) -> None:
    manager = session(
        *({**line, "title": "old"} if line["type"] == "session" else line for line in chain("one", "two"))
    )
    assert manager.session_name == "old"
    manager.set_name("new")
    lines = content(manager.session_file or "").split(b"\n")
    assert len(lines[0]) == 255
    assert b'"title":"new"' in lines[1]
    assert manager.session_name == "new"
    assert len(manager.get_entries()) == 3


@pytest.mark.parametrize(
    ("write", "stays"),
    [
        (lambda it: it.append_label_change(it.leaf_id, "x"), True),
        (lambda it: it.append_session_info("N"), True),
        (lambda it: it.move_leaf(it.get_entries()[0].id, "mine"), False),
        (lambda it: it.branch_with_summary(None, "what was left"), False),
    ],
    ids=["label", "name", "move", "summary"],
)
def test_only_a_move_of_the_leaf_makes_a_session_the_latest(
    home: Home, write: Callable[[SessionManager], object], stays: bool
) -> None:
    path = home.answered().session_file or ""
    os.utime(path, ns=(1_000, 2_000))
    write(home.open(path))
    assert (os.stat(path).st_mtime_ns == 2_000) is stays
