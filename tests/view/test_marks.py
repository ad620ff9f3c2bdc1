"""Marks follow their sessions when an agent moves the files."""

from __future__ import annotations

import pytest

from app.view.session_list import SessionList
from tests.factory import make_row


def moved(row, folder):
    return make_row(row.id, path=f"/{folder}/{row.id}.jsonl")


A, B = make_row("a"), make_row("b")


def listed(*marked, others=()):
    model = SessionList()
    model.load([*marked, *others])
    for row in marked:
        model.toggle_mark(row.path)
    return model


def test_a_session_that_is_moved_stays_marked():
    model = listed(A, others=[B])
    new = moved(A, "new")
    model.apply([new], [A.path])
    assert model.marked == {new.path}


def test_a_session_that_is_read_at_its_new_place_later_stays_marked():
    model = listed(A, B)
    model.apply([], [A.path, B.path])
    assert model.marked == set()
    new = [moved(A, "new"), moved(B, "new")]
    model.apply(new[:1], [])
    model.apply(new[1:], [])
    assert model.marked == {row.path for row in new}
    model.apply([moved(A, "copy")], [])
    assert model.marked == {row.path for row in new}, "a copy is another session"


@pytest.mark.parametrize("ends", [SessionList.clear_marks, lambda model: model.toggle_mark(B.path)])
def test_a_session_that_has_gone_is_not_marked_again_once_the_marks_have_changed(ends):
    model = listed(A, others=[B])
    model.apply([], [A.path])
    ends(model)
    before = set(model.marked)
    model.apply([moved(A, "new")], [])
    assert model.marked == before


def test_a_copy_that_was_there_before_does_not_get_the_mark():
    copy = moved(A, "copy")
    model = listed(A, others=[copy])
    model.apply([copy], [A.path])
    model.apply([copy], [])
    assert model.marked == set()


def test_a_list_that_is_filled_anew_keeps_the_marks_of_the_sessions_that_are_there():
    model = listed(A, B)
    model.load([B])
    assert model.marked == {B.path}
