"""Forks and their parents, as sessions come, go and change: the same as if all had come at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.view.arrangement import Arrangement
from app.view.group import NOWHERE
from app.view.lineage import Lineage, parents_of
from app.view.list_line import ListLine
from app.view.session_list import SessionList
from tests.factory import make_row

if TYPE_CHECKING:
    from app.index.row import Row


class Sessions:
    """Lines by path, and their lineage."""

    def __init__(self) -> None:
        self.by_path: dict[str, ListLine] = {}
        self.lineage = Lineage(self.by_path)

    def come(self, *rows: Row) -> list[ListLine]:
        lines = [ListLine(NOWHERE, row) for row in rows]
        self.by_path.update({line.path: line for line in lines})
        self.lineage.come(lines)
        return lines

    def go(self, line: ListLine) -> None:
        self.by_path.pop(line.path, None)
        self.lineage.go(line)


@pytest.mark.parametrize("parent", ["", "mother", "/store/mother.jsonl", "/elsewhere/mother.jsonl"])
def test_a_session_that_never_came_may_go(parent: str) -> None:
    sessions = Sessions()
    mother, kid = sessions.come(make_row("mother"), make_row("kid", parent_session="mother"))
    sessions.lineage.settle()
    sessions.go(ListLine(NOWHERE, make_row("stranger", parent_session=parent)))
    assert sessions.lineage.settle() == []
    assert (kid.parent, list(mother.forks or ())) == (mother, [kid])


def test_a_session_may_go_twice() -> None:
    sessions = Sessions()
    mother, kid = sessions.come(make_row("mother"), make_row("kid", parent_session="mother"))
    sessions.lineage.settle()
    for _ in range(2):
        sessions.go(kid)
        assert (kid.parent, mother.forks) == (None, None)
    assert sessions.lineage.settle() == []
    # nobody asks for it any more, so that nothing is looked for when it comes
    sessions.come(make_row("mother", path="/store/other.jsonl"))
    assert sessions.lineage.settle() == []


def test_a_session_that_changes_before_it_was_taken_in_has_its_last_parent() -> None:
    model = SessionList(("/work/app",), "/home/me")
    model.load([make_row("first"), make_row("second")])
    kid = [make_row("kid", parent_session=parent) for parent in ("first", "second")]
    model.apply(kid, [])
    model.open_first(100)
    parents = {line.row.id: line.parent for line in model.lines if line.row is not None}
    assert parents["kid"] is not None
    assert parents["kid"].path == "/store/second.jsonl"
    assert parents["first"] is parents["second"] is None
    model.apply([], ["/store/second.jsonl", "/store/second.jsonl", "/store/nowhere.jsonl"])
    assert {line.row.id for line in model.lines if line.row is not None} == {"first", "kid"}
    assert all(line.parent is None for line in model.lines)


def test_of_two_parents_of_one_name_the_one_that_comes_into_the_folder_is_taken() -> None:
    other = make_row("a", path="/store/sub/a.jsonl", cwd="/p", title="other")
    fork = make_row("b", parent_session="a", cwd="/p")
    model = SessionList(arrangement=Arrangement(grouped=False))
    model.load([other, make_row("a", cwd="/elsewhere"), fork])
    parent, _ = model.family(fork.path)
    assert parent is not None
    assert parent.path == other.path
    # named as the first by path where both are of the folder
    model.apply([make_row("a", cwd="/p")], [])
    parent, _ = model.family(fork.path)
    assert parent is not None
    assert parent.path == "/store/a.jsonl"


NAMES = ("a", "b", "c", "d")
STEPS = st.lists(
    st.tuples(
        st.sampled_from(NAMES),
        st.sampled_from(("", *NAMES, "/store/a.jsonl", "/old/b.jsonl")),
        st.booleans(),
    ),
    max_size=20,
)


@given(STEPS)
def test_it_is_the_same_as_if_all_had_come_at_once(steps: list[tuple[str, str, bool]]) -> None:
    sessions = Sessions()
    for name, parent, settles in steps:
        known = sessions.by_path.get(f"/store/{name}.jsonl")
        if known is not None:
            sessions.go(known)
        else:
            sessions.come(make_row(name, parent_session=parent or None))
        if settles:
            sessions.lineage.settle()
    sessions.lineage.settle()
    lines = list(sessions.by_path.values())
    forks = [line for line in lines if line.row is not None and line.row.parent_session]
    expected = parents_of(forks, sessions.by_path)
    assert {line: line.parent for line in lines} == {line: expected.get(line) for line in lines}
    for line in lines:
        assert set(line.forks or ()) == {fork for fork in forks if expected[fork] is line}
