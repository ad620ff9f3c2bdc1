"""Marks follow their sessions when an agent moves the files."""

from __future__ import annotations

from app.view import ListModel
from tests.cases import cases
from tests.factory import make_row


def moved(row, folder):
    return make_row(row.id, path=f"/{folder}/{row.id}.jsonl")


A, B = make_row("a"), make_row("b")


def marked_list(*marked, unmarked=()):
    model = ListModel()
    model.load([*marked, *unmarked])
    for row in marked:
        model.toggle_mark(row.path)
    return model


def test_a_moved_session_stays_marked():
    model = marked_list(A, unmarked=[B])
    new = moved(A, "new")
    model.apply([new], [A.path])
    assert model.marked == {new.path}


def test_a_session_that_returns_at_a_new_path_later_stays_marked():
    model = marked_list(A, B)
    model.apply([], [A.path, B.path])
    assert model.marked == set()
    new = [moved(A, "new"), moved(B, "new")]
    model.apply(new[:1], [])
    model.apply(new[1:], [])
    assert model.marked == {row.path for row in new}
    model.apply([moved(A, "copy")], [])
    assert model.marked == {row.path for row in new}, "a copy is another session"


@cases("change_marks", [ListModel.clear_marks, lambda model: model.toggle_mark(B.path)])
def test_a_removed_session_is_not_marked_again_after_the_marks_have_changed(change_marks):
    model = marked_list(A, unmarked=[B])
    model.apply([], [A.path])
    change_marks(model)
    before = set(model.marked)
    model.apply([moved(A, "new")], [])
    assert model.marked == before


def test_an_existing_copy_does_not_get_the_mark():
    copy = make_row(A.id, path="/copy/a.jsonl", ino=A.ino + 1)
    model = marked_list(A, unmarked=[copy])
    model.apply([copy], [A.path])
    model.apply([copy], [])
    assert model.marked == set()
