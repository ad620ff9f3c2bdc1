"""What keeping the session list costs, counted: what did not change is not worked out again."""

from __future__ import annotations

import pytest

from app.view import row_texts
from app.view.arrangement import ORDERS, Arrangement
from app.view.session_filter import haystack
from app.view.session_list import SessionList
from tests.factory import MINUTE, NOW, make_row
from tests.view.listed import HERE, listed, shown


@pytest.fixture
def folded(monkeypatch):
    """Of which lines it was worked out what a filter looks at."""
    paths = []

    def counting(row, folder):
        paths.append(row.path)
        return haystack(row, folder)

    monkeypatch.setattr(row_texts, "haystack", counting)
    return paths


def crowd(number=2_000):
    """Sessions of many projects, the newest first; every eighth is a fork of the one before."""
    return [
        make_row(
            f"s{at:04}",
            cwd=f"/p{at % 20}",
            modified=NOW - at * MINUTE,
            parent_session=f"s{at - 1:04}" if at % 8 == 7 else None,
        )
        for at in range(number)
    ]


@pytest.mark.parametrize("order", ORDERS)
def test_in_one_list_of_all_a_change_threads_its_own_thread(threaded, order):
    model = listed(*crowd(), grouped=False, order=order)
    threaded.clear()
    model.apply([make_row("s1007", cwd="/p7", modified=NOW + MINUTE, parent_session="s1006")], [])
    assert threaded == [2 if order == "threaded" else 1]
    assert shown(model)[:2] == (["s1006", "s1007"] if order == "threaded" else ["s1007", "s0000"])


def test_a_pin_threads_its_own_thread(threaded):
    model = listed(*crowd(), grouped=False)
    threaded.clear()
    model.set_pins(frozenset({("pi", "s1007")}))
    assert threaded == [2]
    assert shown(model)[:2] == ["s1006", "s1007"]


def test_who_is_live_costs_nothing_where_no_session_is_empty(threaded):
    model = listed(*crowd())
    lines = model.lines
    threaded.clear()
    model.set_live([f"/store/s{at:04}.jsonl" for at in range(100)])
    assert threaded == []
    assert model.lines is lines


def test_another_look_orders_nothing(threaded):
    model = listed(*crowd())
    lines = model.lines
    threaded.clear()
    model.arrange(model.arrangement.changed(roomy=True, paths=True))
    assert threaded == []
    assert model.lines is lines


def test_a_list_from_a_thread_that_is_arranged_alike_is_not_put_in_order_again(threaded):
    arrangement = Arrangement(grouped=False, order="recent")
    other = SessionList((HERE,), "", arrangement, frozenset({("pi", "s0003")}))
    other.load(crowd())
    model = SessionList((HERE,), "", arrangement.changed(roomy=True), other.pins)
    threaded.clear()
    model.adopt(other)
    assert threaded == []
    assert (model.total, model.arrangement.roomy) == (2_000, True)


def test_what_a_filter_looks_at_is_worked_out_once_a_session(folded):
    model = listed(*crowd(), grouped=False)
    model.prepare_filter()
    assert len(folded) == 2_000
    folded.clear()
    for query in ("s", "s1", "s10", "s1", ""):
        model.set_query(query)
    model.arrange(Arrangement(order="relevance"))
    model.set_query("s1")
    assert folded == []
    model.apply([make_row("s1000", cwd="/p0", modified=NOW)], [])
    assert folded == ["/store/s1000.jsonl"]
