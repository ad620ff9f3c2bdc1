"""What is asked about is found again wherever its file is by then (formats/README.md, "oh-my-pi")."""

from __future__ import annotations

from app.view.selection import StableSelection
from app.view.session_list import SessionList
from tests.factory import make_row
from tests.view.listed import HERE, listed


def test_a_session_is_the_same_at_another_path():
    row, other = make_row("a", ino=1), make_row("b", ino=2)
    model = listed(row, other)
    meant = StableSelection(model, [row])
    assert meant.row is row
    moved = make_row("a", ino=1, path="/new/a.jsonl", name="renamed")
    model.apply([moved], [row.path])
    assert meant.row is moved
    again = make_row("a", ino=3, path="/newer/a.jsonl")
    model.apply([again], [moved.path])
    assert meant.row is again, "its file was written anew on the way"
    assert meant.now(row.path) is again
    assert meant.rows() == [again]


def test_what_is_gone_is_gone_until_it_comes_back():
    row = make_row("a", ino=1)
    model = listed(row, make_row("b", ino=2))
    meant = StableSelection(model, [row])
    model.apply([], [row.path])
    assert meant.row is None
    assert meant.rows() == []
    moved = make_row("a", ino=1, path="/new/a.jsonl")
    model.apply([moved], [])
    assert meant.row is moved


def test_another_file_with_the_same_id_is_another_session():
    row = make_row("a", ino=1)
    twin = make_row("a", ino=2, path="/copy/a.jsonl")
    model = listed(row, twin)
    meant = StableSelection(model, [row])
    model.apply([], [row.path])
    assert meant.row is None
    # both are moved, one after the other
    model.apply([make_row("a", ino=2, path="/new/copy.jsonl")], [twin.path])
    assert meant.row is None
    moved = make_row("a", ino=1, path="/new/a.jsonl")
    model.apply([moved], [])
    assert meant.row is moved


def test_of_two_files_with_one_id_each_is_found_again():
    one, two = make_row("a", ino=1), make_row("a", ino=2, path="/copy/a.jsonl")
    model = listed(one, two)
    meant = StableSelection(model, [one, two])
    moved = [make_row("a", ino=2, path="/new/two.jsonl"), make_row("a", ino=1, path="/new/one.jsonl")]
    model.apply(moved, [one.path, two.path])
    assert [row.path for row in meant.rows()] == ["/new/one.jsonl", "/new/two.jsonl"]
    assert meant.now(two.path) is moved[0]


def test_a_session_of_another_store_or_agent_is_another():
    row = make_row("a", ino=1)
    for fields in ({"store": "/elsewhere"}, {"agent": "omp"}):
        model = listed(row)
        meant = StableSelection(model, [row])
        model.apply([make_row("a", ino=1, path="/new/a.jsonl", **fields)], [row.path])
        assert meant.row is None


def test_another_session_in_its_place_is_another():
    row = make_row("a", ino=1)
    model = listed(row)
    meant = StableSelection(model, [row])
    model.apply([make_row("b", ino=1, path=row.path)], [])
    assert meant.row is None


def test_without_an_id_the_file_alone_tells():
    row = make_row("", ino=1, path="/store/x.jsonl")
    model = listed(row)
    meant = StableSelection(model, [row])
    model.apply([make_row("", ino=2, path="/new/y.jsonl")], [row.path])
    assert meant.row is None
    moved = make_row("", ino=1, path="/new/x.jsonl")
    model.apply([moved], [])
    assert meant.row is moved


def test_while_not_all_are_known_a_file_that_comes_may_be_another_of_that_id():
    row = make_row("a", ino=1)
    model = SessionList((HERE,), "/home/me")
    model.preview([(row.cwd, 2, 5, 0)], [row])
    meant = StableSelection(model, [row])
    model.load([make_row("a", ino=2, path="/copy/a.jsonl")])
    assert meant.row is None
    model.load([make_row("a", ino=1, path="/new/a.jsonl")])
    assert meant.row is not None


def test_thousands_that_moved_are_looked_for_in_one_go():
    rows = [make_row(f"s{number}", ino=number) for number in range(1, 3_001)]
    model = listed(*rows)
    meant = StableSelection(model, rows)
    gone_through = 0
    before = model.rows

    def counted():
        nonlocal gone_through
        gone_through += 1
        return before()

    model.rows = counted
    moved = [make_row(row.id, ino=row.ino, path=f"/new/{row.id}.jsonl") for row in rows]
    model.apply(moved, [row.path for row in rows])
    assert meant.rows() == moved
    assert gone_through == 1
