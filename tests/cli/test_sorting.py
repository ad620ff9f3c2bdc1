"""``--sort`` and ``sort:``: sessions in the order of one of their fields."""

from __future__ import annotations

import json

import pytest

from tests.factory import chain, write_session

COSTS = {"cheap": 0.01, "dear": 4.0, "middle": 0.5}
BY_COST = ["dear", "middle", "cheap"]


@pytest.fixture
def sessions(home):
    store = home / ".pi/agent/sessions/--w--"
    for number, (name, dollars) in enumerate(COSTS.items()):
        lines = chain(*["needle"] * (2 * number + 2), id=name)
        lines[2]["message"] |= {
            "provider": "x",
            "model": "m",
            "usage": {"input": number + 1, "output": 0, "cost": {"total": dollars}},
        }
        write_session(store / f"{name}.jsonl", *lines)
    return store


def listed(run, *words):
    return [session["session_id"] for session in json.loads(run("list", "--json", *words).out)["sessions"]]


def found(run, *words):
    return [hit["session_id"] for hit in json.loads(run("search", "--json", *words).out)["hits"]]


@pytest.mark.parametrize(
    ("sort", "expected"),
    [
        ("cost", BY_COST),
        ("tokens", ["middle", "dear", "cheap"]),
        ("length", ["middle", "dear", "cheap"]),
        ("size", ["middle", "dear", "cheap"]),
    ],
)
def test_list_and_search_have_the_same_orders(run, sessions, sort, expected):
    assert listed(run, "--sort", sort) == expected
    assert listed(run, f"sort:{sort}") == expected
    assert found(run, "needle", "--sort", sort) == expected
    assert found(run, f"needle sort:{sort}") == expected


def test_the_query_names_the_order_before_the_option(run, sessions):
    assert listed(run, "--sort", "length", "sort:cost") == BY_COST
    assert found(run, "--sort", "length", "needle sort:cost") == BY_COST


def test_a_limit_keeps_the_first_of_the_order(run, sessions):
    assert listed(run, "--sort", "cost", "--limit", "1") == ["dear"]
    assert found(run, "--sort", "cost", "--limit", "1", "needle") == ["dear"]


def test_a_wrong_order_is_refused(run, sessions):
    assert run("search", "needle sort:fame").code == 2
    assert "sort: takes one order" in run("search", "needle sort:cost,size").err
    assert "sort: takes one order" in run("list", "--", "-sort:cost").err
