"""A selection finds its sessions again after their files are renamed (formats/README.md, "oh-my-pi")."""

from __future__ import annotations

import pytest

from app.view import ListModel, StableSelection
from tests.factory import make_row
from tests.view.listed import HERE, listed


def test_a_session_is_the_same_at_another_path():
    row, second = make_row("a", ino=1), make_row("b", ino=2)
    model = listed(row, second)
    selection = StableSelection(model, [row])
    assert selection.row is row
    moved = make_row("a", ino=1, path="/new/a.jsonl", name="renamed")
    model.apply([moved], [row.path])
    assert selection.row is moved
    rewritten = make_row("a", ino=3, path="/newer/a.jsonl")
    model.apply([rewritten], [moved.path])
    assert selection.row is rewritten, "its file was rewritten during the move"
    assert selection.now(row.path) is rewritten
    assert selection.rows() == [rewritten]


def test_a_removed_session_is_gone_until_it_returns():
    row = make_row("a", ino=1)
    model = listed(row, make_row("b", ino=2))
    selection = StableSelection(model, [row])
    model.apply([], [row.path])
    assert selection.row is None
    assert selection.rows() == []
    moved = make_row("a", ino=1, path="/new/a.jsonl")
    model.apply([moved], [])
    assert selection.row is moved


def test_another_file_with_the_same_id_is_another_session():
    row = make_row("a", ino=1)
    twin = make_row("a", ino=2, path="/copy/a.jsonl")
    model = listed(row, twin)
    selection = StableSelection(model, [row])
    model.apply([], [row.path])
    assert selection.row is None
    # both are moved, one after the other
    model.apply([make_row("a", ino=2, path="/new/copy.jsonl")], [twin.path])
    assert selection.row is None
    moved = make_row("a", ino=1, path="/new/a.jsonl")
    model.apply([moved], [])
    assert selection.row is moved


def test_two_files_with_one_id_are_both_found_again():
    first, second = make_row("a", ino=1), make_row("a", ino=2, path="/copy/a.jsonl")
    model = listed(first, second)
    selection = StableSelection(model, [first, second])
    moved = [make_row("a", ino=2, path="/new/two.jsonl"), make_row("a", ino=1, path="/new/one.jsonl")]
    model.apply(moved, [first.path, second.path])
    assert [row.path for row in selection.rows()] == ["/new/one.jsonl", "/new/two.jsonl"]
    assert selection.now(second.path) is moved[0]


def test_a_session_of_another_store_or_agent_is_another():
    row = make_row("a", ino=1)
    for fields in ({"store": "/elsewhere"}, {"agent": "omp"}):
        model = listed(row)
        selection = StableSelection(model, [row])
        model.apply([make_row("a", ino=1, path="/new/a.jsonl", **fields)], [row.path])
        assert selection.row is None


def test_another_session_at_the_same_path_is_another():
    row = make_row("a", ino=1)
    model = listed(row)
    selection = StableSelection(model, [row])
    model.apply([make_row("b", ino=1, path=row.path)], [])
    assert selection.row is None


def test_a_session_without_an_id_is_identified_by_its_file():
    row = make_row("", ino=1, path="/store/x.jsonl")
    model = listed(row)
    selection = StableSelection(model, [row])
    model.apply([make_row("", ino=2, path="/new/y.jsonl")], [row.path])
    assert selection.row is None
    moved = make_row("", ino=1, path="/new/x.jsonl")
    model.apply([moved], [])
    assert selection.row is moved


def test_a_new_file_in_an_incomplete_list_may_be_another_session():
    row = make_row("a", ino=1)
    model = ListModel((HERE,), "/home/me")
    model.preview([(row.cwd, 2, 5, 0)], [row])
    selection = StableSelection(model, [row])
    model.load([make_row("a", ino=2, path="/copy/a.jsonl")])
    assert selection.row is None
    model.load([make_row("a", ino=1, path="/new/a.jsonl")])
    assert selection.row is not None


def test_moved_sessions_are_found_without_a_pass_over_all():
    rows = [make_row(f"s{number}", ino=number) for number in range(1, 3_001)]
    model = listed(*rows)
    selection = StableSelection(model, rows)
    model.rows = pytest.fail
    moved = [make_row(row.id, ino=row.ino, path=f"/new/{row.id}.jsonl") for row in rows]
    model.apply(moved, [row.path for row in rows])
    assert selection.rows() == moved
