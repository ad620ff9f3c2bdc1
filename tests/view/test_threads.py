"""Forks stand under their parents."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from app.view import Arrangement, ListModel
from tests.factory import NOW, make_row


def threaded(rows):
    model = ListModel(arrangement=Arrangement(grouped=False))
    model.load(rows)
    return model.lines


def shape(rows):
    return [(line.row.id, line.depth) for line in threaded(rows)]


def test_a_cycle_of_parents_is_cut_and_no_session_is_lost():
    rows = [
        make_row("a", parent_session="c"),
        make_row("b", parent_session="a"),
        make_row("c", parent_session="b"),
        make_row("self", parent_session="self"),
    ]
    assert sorted(name for name, _ in shape(rows)) == ["a", "b", "c", "self"]


def test_connectors_show_the_last_fork():
    rows = [
        make_row("a", modified=NOW),
        make_row("b", parent_session="a", modified=NOW - 1),
        make_row("c", parent_session="b", modified=NOW - 2),
        make_row("d", parent_session="a", modified=NOW - 3),
    ]
    assert [line.prefix for line in threaded(rows)] == ["", "├ ", "│ └ ", "└ "]


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 5)), max_size=10))
def test_every_row_comes_once_below_its_parent(links):
    rows = [
        make_row(str(number), parent_session=str(parent), modified=modified)
        for number, (parent, modified) in enumerate(links)
    ]
    lines = threaded(rows) if rows else []
    assert sorted(line.row.id for line in lines) == sorted(row.id for row in rows)
    depths = [line.depth for line in lines]
    assert all(after <= before + 1 for before, after in itertools.pairwise(depths))


def test_a_chain_of_thousands_of_forks_is_threaded_without_recursion():
    rows = [
        make_row(str(number), parent_session=str(number - 1) if number else None) for number in range(3_000)
    ]
    deepest = threaded(rows)[-1]
    assert deepest.depth == 2_999
    assert len(deepest.prefix) <= 14


def prefixes(rows):
    return {line.row.id: (line.depth, line.prefix) for line in threaded(rows)}


def test_a_deep_fork_has_the_number_of_its_level():
    chain = [make_row("f0", modified=NOW)]
    chain += [make_row(f"f{n}", parent_session=f"f{n - 1}", modified=NOW - n) for n in range(1, 41)]
    beside = make_row("beside", parent_session="f8", modified=NOW - 100)
    drawn = prefixes([*chain, beside])
    assert drawn["f1"] == (1, "└ ")
    assert drawn["f7"] == (7, 6 * "  " + "└ ")
    assert drawn["f8"] == (8, "…8          └ ")
    # a child of f8, and a child of that
    assert drawn["f9"] == (9, "…9          ├ ")
    assert drawn["f10"] == (10, "…10       │ └ ")
    assert drawn["beside"] == (9, "…9          └ ")
    assert drawn["f40"] == (40, "…40         └ ")
    assert {len(prefix) for depth, prefix in drawn.values() if depth >= 7} == {14}


def test_lines_of_ancestors_are_drawn_beside_the_level():
    chain = [make_row("f0", modified=NOW)]
    for n in range(1, 13):
        chain.append(make_row(f"f{n}", parent_session=f"f{n - 1}", modified=NOW - n))
        chain.append(make_row(f"b{n}", parent_session=f"f{n - 1}", modified=NOW - 100 - n))
    assert prefixes(chain)["f12"] == (12, "…12 │ │ │ │ ├ ")
