"""Marks go with their sessions, wherever an agent puts their files."""

from __future__ import annotations

from app.view.marks import Marks
from tests.factory import make_row


class Line:
    def __init__(self, row):
        self.row = row


def lines(*rows):
    return {row.path: Line(row) for row in rows}


def moved(row, folder):
    return make_row(row.id, path=f"/{folder}/{row.id}.jsonl")


A, B = make_row("a"), make_row("b")


def marked(*rows):
    marks = Marks()
    for row in rows:
        marks.toggle(row.path)
    return marks


def test_a_session_that_is_moved_stays_marked():
    marks = marked(A)
    new = moved(A, "new")
    marks.follow([new], [A.path], lines(A, B))
    assert marks.paths == {new.path}


def test_so_does_one_that_is_read_at_its_new_place_later():
    marks = marked(A, B)
    marks.follow([], [A.path, B.path], lines(A, B))
    assert marks.paths == set()
    new = [moved(A, "new"), moved(B, "new")]
    marks.follow(new[:1], [], lines())
    marks.follow(new[1:], [], lines(new[0]))
    assert marks.paths == {row.path for row in new}
    marks.follow([moved(A, "copy")], [], lines(*new))
    assert marks.paths == {row.path for row in new}, "a copy is another session"


def test_what_has_gone_is_not_marked_any_more_once_others_are():
    for ends in (lambda marks: marks.clear(), lambda marks: marks.toggle(B.path)):
        marks = marked(A)
        marks.follow([], [A.path], lines(A, B))
        ends(marks)
        before = set(marks.paths)
        marks.follow([moved(A, "new")], [], lines(B))
        assert marks.paths == before


def test_a_copy_that_was_there_before_is_not_taken_for_it():
    copy = moved(A, "copy")
    marks = marked(A)
    marks.follow([copy], [A.path], lines(A, copy))
    marks.follow([copy], [], lines(copy))
    assert marks.paths == set()
