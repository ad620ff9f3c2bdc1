"""Forks and their parents, as sessions come, go and change: the same as if all had come at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.view.arrangement import Arrangement
from app.view.fork_links import Lineage, Names, parents_of
from app.view.group import NOWHERE
from app.view.list_line import ListLine
from app.view.session_list import SessionList
from tests.factory import make_row

if TYPE_CHECKING:
    from collections.abc import ValuesView

    from app.index.row import Row


class Counted(dict[str, ListLine]):
    """Counts how often somebody went through all of it."""

    walks = 0

    def values(self) -> ValuesView[str, ListLine]:  # type: ignore[override]
        self.walks += 1
        return super().values()


class Sessions:
    """Lines by path, and their lineage."""

    def __init__(self) -> None:
        self.by_path = Counted()
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


def test_the_newest_fork_with_a_message_comes_before_one_that_is_empty() -> None:
    forks = [
        make_row("old", parent_session="a", modified=1, message_count=2),
        make_row("new", parent_session="a", modified=2, message_count=2),
        make_row("empty", parent_session="a", modified=3, message_count=0),
    ]
    model = SessionList(arrangement=Arrangement(grouped=False))
    model.load([make_row("a"), *forks])
    _, found = model.family(model.same_session("pi", "a").path)
    assert [row.id for row in found] == ["new", "old", "empty"]


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


def test_forks_that_come_before_their_parents_do_not_have_all_sessions_gone_through_each_time() -> None:
    sessions = Sessions()
    for number in range(20):
        sessions.come(
            make_row(f"by-id-{number}", parent_session=f"parent-{number}"),
            make_row(f"by-path-{number}", parent_session=f"/store/parent-{number}.jsonl"),
            make_row(f"moved-{number}", parent_session=f"/elsewhere/parent-{number}.jsonl"),
        )
        sessions.lineage.settle()
        sessions.come(make_row(f"parent-{number}"))
        sessions.lineage.settle()
    assert sessions.by_path.walks <= 1
    for line in sessions.by_path.values():
        assert line.row is not None
        if line.row.parent_session:
            assert line.parent is sessions.by_path[f"/store/parent-{line.path.rpartition('-')[2]}"]


NAMED = st.tuples(st.sampled_from("xyz"), st.sampled_from(("a", "b", "a.jsonl")), st.sampled_from("ab"))


@given(st.lists(NAMED))
def test_sessions_are_called_by_the_names_that_those_of_now_have(steps: list[tuple[str, str, str]]) -> None:
    lines: dict[str, ListLine] = {}
    names = Names(())
    for folder, id, file in steps:
        path = f"/{folder}/{file}.jsonl"
        if path in lines:
            names.go(lines.pop(path))
        else:
            lines[path] = ListLine(NOWHERE, make_row(id, path=path))
            names.come([lines[path]])
    for name in ("a", "b", "a.jsonl", "b.jsonl", "nobody"):
        called = [line for line in lines.values() if line.row and name in (line.row.id, line.path[3:])]
        found = names.called(name)
        assert (len(found), set(found)) == (len(called), set(called))


NAMES = ("a", "b", "c", "d")
STEPS = st.lists(
    st.tuples(
        st.sampled_from(("/store", "/other")),
        st.sampled_from(NAMES),
        st.sampled_from(("", *NAMES, "/store/a.jsonl", "/old/b.jsonl")),
        st.booleans(),
    ),
    max_size=20,
)


@given(STEPS)
def test_it_is_the_same_as_if_all_had_come_at_once(steps: list[tuple[str, str, str, bool]]) -> None:
    sessions = Sessions()
    for folder, name, parent, settles in steps:
        path = f"{folder}/{name}.jsonl"
        known = sessions.by_path.get(path)
        if known is not None:
            sessions.go(known)
        else:
            sessions.come(make_row(name, path=path, parent_session=parent or None))
        if settles:
            sessions.lineage.settle()
    sessions.lineage.settle()
    lines = list(sessions.by_path.values())
    forks = [line for line in lines if line.row is not None and line.row.parent_session]
    expected = parents_of(forks, sessions.by_path, lambda: Names(lines))
    assert {line: line.parent for line in lines} == {line: expected.get(line) for line in lines}
    for line in lines:
        assert set(line.forks or ()) == {fork for fork in forks if expected[fork] is line}
