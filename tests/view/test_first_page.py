"""What comes first in one list of all sessions, made of some of them: as in the list of all."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.view.arrangement import Arrangement
from app.view.first_page import chosen, first_page
from app.view.session_list import SessionList
from tests.factory import make_row

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.index.row import Row

HERE = "/work/app"
ALL = Arrangement(grouped=False)

NAMES = ("a", "b", "c", "d", "e")
PARENTS = (None, *NAMES, *(f"/{folder}/{name}.jsonl" for folder in "stu" for name in NAMES))
SESSIONS = st.lists(
    st.builds(
        dict,
        folder=st.sampled_from("st"),
        file=st.sampled_from(NAMES),
        id=st.sampled_from(NAMES),
        parent_session=st.sampled_from(PARENTS),
        cwd=st.sampled_from((HERE, "/work/site")),
        modified=st.integers(0, 12),
        message_count=st.sampled_from((0, 2, 2)),
        name=st.sampled_from((None, "named")),
    ),
    unique_by=lambda fields: (fields["folder"], fields["file"]),
)
ARRANGEMENTS = st.builds(
    Arrangement,
    grouped=st.just(False),
    order=st.sampled_from(("threaded", "recent", "relevance")),
    hidden=st.booleans(),
    pinned_first=st.booleans(),
    named_only=st.booleans(),
)
PINS = st.frozensets(st.tuples(st.just("pi"), st.sampled_from(NAMES)), max_size=2)


def lines(model: SessionList) -> list[tuple[object, ...]]:
    """What is drawn of each line, and where."""
    return [(line.path, line.prefix, line.depth, line.pinned, line.is_orphan) for line in model.lines]


def listed(
    rows: Sequence[Row], arrangement: Arrangement = ALL, pins: frozenset[tuple[str, str]] = frozenset()
):
    model = SessionList((HERE,), "", arrangement, pins)
    model.load(rows)
    return model


def paths(model: SessionList) -> list[str]:
    return [line.path for line in model.lines]


@given(SESSIONS, ARRANGEMENTS, PINS, st.integers(0, 3), st.none() | st.integers(0, 9))
def test_they_stand_as_in_the_list_of_all(sessions, arrangement, pins, count, at):
    rows = [
        make_row(**fields, path=f"/{folder}/{file}.jsonl")
        for fields in sessions
        for folder, file in [(fields.pop("folder"), fields.pop("file"))]
    ]
    everything = listed(rows, arrangement, pins)
    row = everything.lines[at].row if at is not None and at < len(everything.lines) else None
    first = first_page(rows, arrangement, count, row, here=(HERE,), pins=pins)
    if first is None:
        # only where some are left out, or as old as others
        is_whole = arrangement.hidden and not arrangement.named_only
        assert not is_whole or len({row.modified for row in rows}) < len(rows)
        return
    assert lines(first) == lines(everything)[: len(first.lines)]
    if row is not None:
        assert first.index_of(row.path) == everything.index_of(row.path)
        count += first.index_of(row.path)
    assert len(first.lines) >= min(count, len(everything.lines))
    screen = SessionList((HERE,), "", Arrangement(grouped=False, scope="here"))
    screen.preview([(HERE, 5, 5, 0), ("/p", 5, 5, 0)], ())
    screen.arrange(arrangement)
    screen.show_first(first)
    assert (screen.expected, screen.total, screen.hidden, screen.matched) == (
        len(everything.lines),
        everything.total,
        everything.hidden,
        everything.matched,
    )


def numbered(count: int = 50, **fields: object) -> list[Row]:
    return [make_row(f"s{number}", modified=100 - number, **fields) for number in range(count)]


def test_a_fork_that_nobody_has_used_for_long_stands_under_its_parent():
    rows = [*numbered(), make_row("old", modified=1, parent_session="s2")]
    rows.append(make_row("older", modified=0, parent_session="/store/old.jsonl"))
    first = first_page(rows, ALL, 3)
    assert first is not None
    assert [path[7:-6] for path in paths(first)] == ["s0", "s1", "s2", "old", "older", "s3", "s4", "s5"]


@pytest.mark.parametrize("named", ["old", "/store/old.jsonl", "/moved/old.jsonl"])
def test_a_fork_of_one_that_comes_later_is_no_orphan(named):
    rows = [*numbered(), make_row("old", modified=1), make_row("fork", modified=200, parent_session=named)]
    recent = ALL.changed(order="recent")
    first = first_page(rows, recent, 3)
    assert first is not None
    assert lines(first) == lines(listed(rows, recent))[:6]
    assert (first.lines[0].path, first.lines[0].is_orphan) == ("/store/fork.jsonl", False)


def test_as_many_come_behind_the_one_with_the_cursor():
    rows = numbered()
    first = first_page(rows, ALL, 5, rows[10])
    assert first is not None
    assert paths(first) == [row.path for row in rows[:21]]
    first = first_page(rows, ALL, 5, rows[48])
    assert first is not None
    assert paths(first) == [row.path for row in rows]


def test_no_more_are_taken_than_what_comes_first_and_its_families():
    rows = numbered(500)
    rows += [
        make_row(f"f{number}", modified=-900, parent_session=f"s{number}") for number in range(0, 500, 50)
    ]
    some, since = chosen(rows, 20)
    assert sorted(row.path for row in some) == sorted(
        ["/store/f0.jsonl", *(f"/store/s{number}.jsonl" for number in range(20))]
    )
    assert since == 80
    some, since = chosen(rows, 5, reach=90)
    assert (len(list(some)), since) == (17, 84)
    assert chosen(rows[:20], 20)[1] is None


@pytest.mark.parametrize(
    ("arrangement", "row"), [(ALL.changed(named_only=True), None), (ALL, make_row("nobody", modified=95))]
)
def test_where_too_few_of_them_are_listed_it_is_not_told(arrangement, row):
    rows = [*numbered(), make_row("named", modified=1, name="a name")]
    rows.append(make_row("other", modified=0, name="another"))
    assert first_page(rows, arrangement, 2, row) is None


# in the list on the screen


FAMILY = [
    make_row("new", modified=90, cwd="/p"),
    make_row("mine", modified=80, cwd=HERE),
    make_row("orphan", modified=70, cwd="/p", parent_session="gone"),
    make_row("fork", modified=5, cwd="/p", parent_session="new"),
    make_row("old", modified=4, cwd=HERE),
]
COUNTS = [("/p", 3, 90, 0), (HERE, 2, 80, 0)]


def begun() -> SessionList:
    """The list of a first frame of this folder."""
    model = SessionList((HERE,), "", Arrangement(scope="here", grouped=False))
    model.preview(COUNTS, [FAMILY[1], FAMILY[4]])
    return model


def page_of(count: int, pins: frozenset[tuple[str, str]] = frozenset()) -> SessionList:
    page = first_page(FAMILY, ALL, count, here=(HERE,), pins=pins)
    assert page is not None
    return page


def shown(model: SessionList) -> list[str]:
    return [line.path[7:-6] for line in model.lines]


def test_what_comes_first_is_shown_until_all_are_known():
    model = begun()
    model.arrange(ALL)
    assert shown(model) == ["mine", "old"]
    assert not model.shows_first
    model.show_first(page_of(2))
    assert shown(model) == ["new", "fork", "mine", "orphan"]
    assert (model.known, model.total, model.is_complete, model.shows_first) == (5, 5, False, True)
    before = lines(model)
    model.adopt(listed(FAMILY))
    assert lines(model)[:4] == before
    assert (model.total, model.is_complete, model.shows_first) == (5, True, False)


def test_whoever_turns_back_has_the_sessions_of_this_folder_again():
    model = begun()
    here = model.arrangement
    model.set_live(["/store/mine.jsonl"])
    model.arrange(ALL)
    model.show_first(page_of(2, frozenset({("pi", "old")})))
    assert shown(model) == ["old", "new", "fork", "mine", "orphan"]
    model.arrange(here)
    assert (shown(model), model.total) == (["old", "mine"], 2)
    assert not model.shows_first
    model.arrange(ALL.changed(roomy=True))
    assert shown(model) == ["old", "new", "fork", "mine", "orphan"]


@pytest.mark.parametrize("late", [False, True])
def test_what_comes_first_in_another_arrangement_or_too_late_is_not_shown(late):
    model = begun()
    if late:
        model.adopt(listed(FAMILY))
        model.arrange(ALL)
    before = lines(model)
    model.show_first(page_of(1))
    assert lines(model) == before


def test_without_sessions_in_this_folder_there_are_none_when_one_turns_back():
    model = SessionList((HERE,), "", Arrangement(scope="here", grouped=False))
    model.preview(COUNTS[:1], ())
    here = model.arrangement
    model.arrange(ALL)
    model.show_first(page_of(2))
    model.arrange(here)
    assert (shown(model), model.empty()) == ([], "here")
