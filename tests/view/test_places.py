"""The trash and the archive without a screen: filter, marks, words, and lines that fit."""

from __future__ import annotations

from app.actions import TrashFacts
from app.actions.restore import TrashedSession
from app.view import FOLDER_GONE, PlaceModel, lost_for_good, place_line, trash_row
from app.view.line import line_width
from tests.factory import MINUTE, NOW


def row(number, title="a title", facts=None, **fields):
    session = TrashedSession(f"/s/{number}.jsonl", f"/t/{number}", "pi", "id", title, NOW - MINUTE, **fields)
    return trash_row(session, facts or TrashFacts(1_000, 0, False, False), "/home/me")


def test_the_filter_takes_title_folder_and_agent_and_marks_stay():
    model = PlaceModel()
    model.load([row(1, "Fix the login", cwd="/home/me/shop"), row(2, "Dark mode", cwd="/home/me/site")])
    model.filter("SHOP fix")
    assert [shown.title for shown in model.shown] == ["Fix the login"]
    assert model.summary() == "1 of 2 sessions"
    model.toggle_all()
    model.filter("")
    assert model.summary() == "✓ 1 of 2 sessions · 1.0 kB"
    model.toggle_mark(model.rows[1])
    assert len(model.chosen(None)) == 2
    model.load(model.rows[1:])
    assert [chosen.title for chosen in model.chosen(model.rows[0])] == ["Dark mode"]
    model.toggle_all()
    assert model.chosen(model.rows[0]) == [model.rows[0]]
    assert model.chosen(None) == []


def test_what_would_be_lost_and_what_is_wrong():
    facts = TrashFacts(212_000, 3, True, False)
    gone = row(1, facts=facts, belongings=(("/s/1", "/t/art"),), by_leafmark=True)
    assert gone.facts == "212 kB · folder of artifacts with 3 files · restored to /s"
    assert (gone.warning, gone.by) == (FOLDER_GONE, "leafmark")
    taken = row(1, facts=TrashFacts(1, 0, True, True))
    assert (taken.warning, taken.by) == ("Another file has its place: move that away to restore it.", "other")
    assert lost_for_good([gone] * 7)[-2:] == [
        "a title  (212 kB · folder of artifacts with 3 files)",
        "and 2 more (424 kB)",
    ]


def test_lines_fit_and_are_inert():
    hostile = row(1, "bad\x1b[31m\u202e語語語語語語語語語語語語語語語語", cwd="/語語語語語語語語語/語語語語")
    for cells in (1, 10, 20, 40, 76, 100):
        for is_marked in (True, False):
            line = place_line(hostile, cells, NOW, is_marked=is_marked)
            assert not {"\x1b", "\u202e"} & set("".join(text for text, _ in line))
            if cells >= 20:
                assert line_width(line) == cells
