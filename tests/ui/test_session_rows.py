"""The list of sessions by itself: marks, densities, arrangements, and what is asked in a row."""

from __future__ import annotations

from contextlib import asynccontextmanager

import pytest
from textual.app import App
from textual.geometry import Offset

from app.view.arrangement import Arrangement
from app.view.frame import frame
from app.view.line import plain_text
from app.view.session_list import SessionList
from app.widgets.line_list import LineList
from app.widgets.session_list import SessionListView
from tests.factory import MINUTE, NOW, make_row

HERE = "/work/app"
SIZE = (70, 12)


class Alone(App[None]):
    """A screen with nothing but the list."""

    CSS = "Screen { layout: vertical; } SessionListView { height: 1fr; scrollbar-size-vertical: 1; }"

    def __init__(self, model):
        super().__init__()
        self.view = SessionListView(model, NOW, id="sessions")
        self.marks_told = 0
        self.moves_told = 0

    def compose(self):
        yield self.view

    def on_session_list_view_marks_changed(self):
        self.marks_told += 1

    def on_line_list_moved(self):
        self.moves_told += 1


class Driver:
    def __init__(self, app, pilot):
        self.app = app
        self.view = app.view
        self.model = app.view.model
        self.pilot = pilot

    async def press(self, *keys):
        await self.pilot.press(*keys)
        await self.pilot.pause()

    def lines(self):
        """The lines of the screen."""
        strips = self.app.screen._compositor.render_strips()
        return ["".join(segment.text for segment in strip).rstrip() for strip in strips]

    @property
    def on_screen(self):
        """The line of the screen on which the cursor's row begins."""
        return self.view.cursor * self.view.row_height - self.view.scroll_offset.y


def rows(number=30, cwd=HERE, **fields):
    return [
        make_row(f"s{at:02}", title=f"task {at:02}", cwd=cwd, modified=NOW - at * MINUTE, **fields)
        for at in range(number)
    ]


@asynccontextmanager
async def shown(*of, size=SIZE, pins=(), **arrangement):
    model = SessionList((HERE,), "/home/me", Arrangement(**arrangement), frozenset(pins))
    model.load(of)
    model.open_first(1_000)
    async with Alone(model).run_test(size=size) as pilot:
        driver = Driver(pilot.app, pilot)
        driver.view.focus()
        await pilot.pause()
        yield driver


# marks


async def test_space_marks_and_goes_to_the_next_and_folds_on_a_head():
    async with shown(*rows(3)) as it:
        await it.press("space")
        assert (it.model.marked, it.view.row.id) == ({"/store/s00.jsonl"}, "s01")
        assert it.lines()[1].startswith(" ✓")
        await it.press("space", "space", "space")
        assert [row.id for row in it.model.marked_rows()] == ["s00", "s01"]
        assert it.app.marks_told == 4
        await it.press("home", "space")
        assert len(it.model.lines) == 1
        assert it.app.marks_told == 4
        await it.press("space")
        assert len(it.model.lines) == 4


async def test_a_mark_draws_its_row_and_the_next():
    async with shown(*rows()) as it:
        before = it.view.drawn
        await it.press("space")
        assert it.view.drawn - before <= 3


async def test_all_that_are_shown_are_marked_or_none():
    async with shown(*rows(4)) as it:
        it.view.set_found({"/store/s01.jsonl", "/store/s02.jsonl"}, [], by_rows=False)
        it.view.action_mark_all()
        assert [row.id for row in it.model.marked_rows()] == ["s01", "s02"]
        it.view.set_query("")
        it.view.action_mark_all()
        assert len(it.model.marked) == 4
        it.view.action_mark_all()
        assert it.model.marked == set()


async def test_marks_survive_a_refresh_and_go_with_their_session():
    async with shown(*rows(3)) as it:
        it.view.toggle_mark("/store/s01.jsonl")
        it.view.toggle_mark("/store/s02.jsonl")
        it.view.apply(rows(3, message_count=9), [])
        await it.pilot.pause()
        assert [line[1] for line in it.lines()[1:4]] == [" ", "✓", "✓"]
        told = it.app.marks_told
        it.view.apply([], ["/store/s01.jsonl"])
        await it.pilot.pause()
        assert (it.model.marked, it.app.marks_told) == ({"/store/s02.jsonl"}, told + 1)
        it.view.clear_marks()
        await it.pilot.pause()
        assert (it.model.marked, it.app.marks_told) == (set(), told + 2)
        it.view.clear_marks()
        await it.pilot.pause()
        assert it.app.marks_told == told + 2


# a roomy list


async def test_a_roomy_row_has_two_lines_and_the_cursor_is_on_both():
    async with shown(*rows(3), roomy=True) as it:
        lines = it.lines()
        assert lines[0] == ""
        assert lines[1].startswith(f" ▾ {HERE}")
        assert lines[2].startswith("❯   task 00")
        assert lines[4].startswith("    task 01")
        strips = it.app.screen._compositor.render_strips()
        backgrounds = [next(iter(strip)).style.bgcolor for strip in strips]
        assert backgrounds[2] == backgrounds[3] != backgrounds[4] == backgrounds[1]


async def test_the_pages_of_a_roomy_list_are_rows_and_the_cursor_is_seen_whole():
    async with shown(*rows(), roomy=True, size=(70, 11)) as it:
        for keys, cursor in (("home", 0), ("pagedown", 4), ("pagedown", 8), ("end", 30), ("pageup", 26)):
            await it.press(keys)
            assert it.view.cursor == cursor
            assert 0 <= it.on_screen <= 9
        await it.press("end")
        assert it.lines()[9].startswith("❯   task 29")


async def test_a_click_selects_the_row_of_either_line():
    async with shown(*rows(4), roomy=True) as it:
        for y, id in ((6, "s02"), (5, "s01"), (4, "s01")):
            await it.pilot.click("#sessions", offset=Offset(5, y))
            assert it.view.row.id == id


async def test_a_move_in_a_roomy_list_draws_two_rows():
    async with shown(*rows(4), roomy=True) as it:
        before = it.view.drawn
        await it.press("down")
        assert it.view.drawn - before <= 2


async def test_another_density_keeps_the_cursor_on_its_session_and_near_its_line():
    async with shown(*rows()) as it:
        await it.press(*["down"] * 14)
        before = it.on_screen
        it.view.show_arrangement(it.model.arrangement.changed(roomy=True))
        await it.pilot.pause()
        assert it.view.row.id == "s14"
        assert 0 <= it.on_screen <= SIZE[1] - 2
        assert any(line.startswith("❯   task 14") for line in it.lines())
        it.view.show_arrangement(it.model.arrangement.changed(roomy=False))
        await it.pilot.pause()
        assert it.view.row.id == "s14"
        assert abs(it.on_screen - before) <= SIZE[1] // 2
        assert it.view.virtual_size.height == 31


async def test_a_list_of_nothing_says_why_on_lines_of_its_own_in_any_density():
    async with shown(roomy=True) as it:
        it.view.show_notice(["one", "two"])
        it.view.rows_changed()
        await it.pilot.pause()
        assert it.lines()[:2] == [" one", " two"]
        it.view.apply(rows(1), [])
        await it.pilot.pause()
        assert it.view.row_height == 2
        assert it.lines()[1].startswith(f" ▾ {HERE}")


# arrangements


async def test_the_cursor_stays_on_its_session_through_every_arrangement():
    two = [*rows(9), *rows(5, cwd="/work/site", agent="omp")]
    for row in two[9:]:
        row.path = row.path.replace("/store/", "/other/")
    async with shown(*two) as it:
        await it.press("end")
        path = it.view.row.path
        for fields in (
            {"grouped": False},
            {"order": "recent"},
            {"grouped": True, "roomy": True},
            {"agent": "omp"},
            {"agent": "", "order": "threaded", "paths": True},
        ):
            it.view.show_arrangement(it.model.arrangement.changed(**fields))
            assert it.view.row.path == path, fields
        told = it.app.moves_told
        it.view.show_arrangement(it.model.arrangement.changed(scope="here"))
        assert it.view.row.id == "s00"
        assert it.view.row.cwd == HERE
        await it.pilot.pause()
        assert it.app.moves_told == told + 1
        it.view.show_arrangement(it.model.arrangement.changed(scope="all"))
        assert it.view.row.path == path, "the scope was only looked at"
        it.view.show_arrangement(it.model.arrangement.changed(scope="here"))
        await it.press("down")
        it.view.show_arrangement(it.model.arrangement.changed(scope="all"))
        assert it.view.row.id == "s01", "the user has gone elsewhere since"


async def test_the_project_of_the_cursors_session_is_open_when_there_are_projects_again():
    async with shown(*rows(3), *rows(1, cwd="/work/site", agent="omp"), grouped=False) as it:
        it.model.open_all(False)
        it.view.show_arrangement(it.model.arrangement.changed(grouped=True))
        assert it.view.row.id == "s00"
        assert [line.group.cwd for line in it.model.lines if line.row is None] == [HERE, "/work/site"]


async def test_without_projects_there_is_nothing_to_fold():
    async with shown(*rows(3), grouped=False) as it:
        assert it.view.group is None
        for key in ("left", "minus", "plus"):
            await it.press(key)
        assert len(it.model.lines) == 3
        await it.press("right")
        assert it.view.row.id == "s01"


async def test_an_empty_session_appears_when_it_is_opened_somewhere():
    empty = make_row("e", cwd=HERE, message_count=0, title="(no messages)", modified=NOW)
    async with shown(*rows(3), empty) as it:
        await it.press("down")
        it.view.set_states({empty.path: "maybe"})
        await it.pilot.pause()
        assert it.view.row.id == "s01"
        assert it.lines()[1].startswith("  ◐ (no messages)")


async def test_pins_are_seen_and_move_rows_not_the_cursor():
    async with shown(*rows(3)) as it:
        it.view.set_pins(frozenset({("pi", "s02")}))
        await it.pilot.pause()
        assert it.lines()[1].startswith("    ★ task 02")
        assert it.view.row.id == "s00"


async def test_a_session_that_goes_from_what_was_found_leaves_the_cursor_beside_it():
    async with shown(*rows(9), grouped=False) as it:
        it.view.set_query("task")
        await it.press(*["down"] * 4)
        it.view.apply([], [it.view.row.path])
        assert it.view.row.id == "s05"


# what is asked in a row


async def test_what_is_asked_about_is_shown_and_the_question_about_one_stands_in_its_row():
    async with shown(*rows(4)) as it:
        it.view.set_question(frozenset({"/store/s00.jsonl"}), "Trash it? Enter · Esc")
        await it.pilot.pause()
        assert it.lines()[1].startswith("❯✗  Trash it? Enter · Esc  task 00")
        it.view.set_question(frozenset({"/store/s00.jsonl", "/store/s02.jsonl"}))
        await it.pilot.pause()
        lines = it.lines()
        assert lines[1].startswith("❯✗  task 00")
        assert lines[2].startswith("    task 01")
        assert lines[3].startswith(" ✗  task 02")
        it.view.clear_question()
        await it.pilot.pause()
        assert "✗" not in "\n".join(it.lines())


async def test_a_question_never_goes_over_to_another_session():
    async with shown(*rows(4)) as it:
        it.view.set_question(frozenset({"/store/s00.jsonl"}), "Trash it?")
        it.view.apply([make_row("new", cwd=HERE, modified=NOW + MINUTE, title="newer")], [])
        await it.pilot.pause()
        assert "Trash it?" in it.lines()[2]
        it.view.apply([], ["/store/s00.jsonl"])
        await it.pilot.pause()
        assert "Trash it?" not in "\n".join(it.lines())


async def test_a_question_stands_in_no_head():
    async with shown(*rows(2)) as it:
        await it.press("home")
        it.view.set_question(frozenset({"/store/s01.jsonl"}), "Trash it?")
        await it.pilot.pause()
        assert it.lines()[0].startswith("❯▾")
        assert it.lines()[2].startswith(" ✗  Trash it?")


async def test_who_stands_over_a_row_is_told_when_rows_have_moved():
    told = []
    async with shown(*rows(4)) as it:
        it.view.when_laid_out = lambda: told.append(it.view.row_region("/store/s00.jsonl").y)
        it.view.apply([make_row("new", cwd=HERE, modified=NOW + MINUTE, title="newer")], [])
        assert told == [it.view.region.y + 2]


@pytest.mark.parametrize("roomy", [False, True])
async def test_where_a_row_is_on_the_screen(roomy):
    async with shown(*rows(), roomy=roomy) as it:
        await it.press(*["down"] * 9)
        row = it.view.row
        region = it.view.row_region(row.path)
        assert (region.x, region.height) == (0, 1)
        assert region.width == it.view.scrollable_content_region.width
        assert it.lines()[region.y].startswith("❯")
        assert it.view.row_region("/store/s29.jsonl") is None
        assert it.view.row_region("/nowhere") is None


# the first picture


@pytest.mark.parametrize("roomy", [False, True])
@pytest.mark.parametrize("grouped", [False, True])
async def test_the_first_frame_shows_the_rows_of_the_list_that_follows(roomy, grouped):
    async with shown(*rows(5), pins={("pi", "s03")}, roomy=roomy, grouped=grouped, size=(40, 16)) as it:
        picture = frame(it.model, 43, 20, now_ms=NOW, here=HERE, home="/home/me")
        drawn = ["".join(text for text, _, _ in line)[1:-1].rstrip() for line in picture[2:16]]
        assert drawn == it.lines()[:14]


def test_a_second_line_is_blank_where_a_list_has_none():
    assert plain_text(LineList().draw_below(0, 7, False)) == " " * 7
