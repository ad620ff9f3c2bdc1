"""The session list alone: marks, densities, arrangements, and questions in a row."""

from __future__ import annotations

from contextlib import asynccontextmanager

import pytest
from textual.app import App
from textual.geometry import Offset

from app.view import Arrangement, ListModel
from app.view.frame import frame
from app.widgets.session_list import SessionListView
from tests.factory import MINUTE, NOW, make_row
from tests.ui.conftest import strips

HERE = "/work/app"
SIZE = (70, 12)


class Alone(App[None]):
    """An app that shows only the list."""

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
        drawn = strips(self.app.screen)
        return ["".join(segment.text for segment in strip).rstrip() for strip in drawn]

    @property
    def on_screen(self):
        """The screen line of the first line of the cursor's row."""
        return self.model.row_lines.first(self.view.cursor) - self.view.scroll_offset.y


def rows(number=30, cwd=HERE, **fields):
    return [
        make_row(f"s{index:02}", title=f"task {index:02}", cwd=cwd, modified=NOW - index * MINUTE, **fields)
        for index in range(number)
    ]


@asynccontextmanager
async def shown(*sessions, size=SIZE, pins=(), **arrangement):
    model = ListModel((HERE,), "/home/me", Arrangement(**arrangement), frozenset(pins))
    model.load(sessions)
    model.open_first(1_000)
    async with Alone(model).run_test(size=size) as pilot:
        driver = Driver(pilot.app, pilot)
        driver.view.focus()
        await pilot.pause()
        yield driver


# marks


async def test_space_marks_and_moves_on_and_folds_a_group():
    async with shown(*rows(3)) as ui:
        await ui.press("space")
        assert (ui.model.marked, ui.view.row.id) == ({"/store/s00.jsonl"}, "s01")
        assert ui.lines()[1].startswith(" ✓")
        await ui.press("space", "space", "space")
        assert [row.id for row in ui.model.marked_rows()] == ["s00", "s01"]
        assert ui.app.marks_told == 4
        await ui.press("home", "space")
        assert len(ui.model.lines) == 1
        assert ui.app.marks_told == 4
        await ui.press("space")
        assert len(ui.model.lines) == 4


async def test_a_mark_draws_two_rows():
    async with shown(*rows()) as ui:
        before = ui.view.drawn
        await ui.press("space")
        assert ui.view.drawn - before <= 3


async def test_mark_all_toggles_the_shown_sessions():
    async with shown(*rows(4)) as ui:
        ui.view.set_found({"/store/s01.jsonl", "/store/s02.jsonl"}, [])
        ui.view.action_mark_all()
        assert [row.id for row in ui.model.marked_rows()] == ["s01", "s02"]
        ui.view.set_query("")
        ui.view.action_mark_all()
        assert len(ui.model.marked) == 4
        ui.view.action_mark_all()
        assert ui.model.marked == set()


async def test_marks_outlast_changes_and_end_with_their_session():
    async with shown(*rows(3)) as ui:
        ui.view.toggle_mark("/store/s01.jsonl")
        ui.view.toggle_mark("/store/s02.jsonl")
        ui.view.apply(rows(3, message_count=9), [])
        await ui.pilot.pause()
        assert [line[1] for line in ui.lines()[1:4]] == [" ", "✓", "✓"]
        marks_before = ui.app.marks_told
        ui.view.apply([], ["/store/s01.jsonl"])
        await ui.pilot.pause()
        assert (ui.model.marked, ui.app.marks_told) == ({"/store/s02.jsonl"}, marks_before + 1)
        ui.view.clear_marks()
        await ui.pilot.pause()
        assert (ui.model.marked, ui.app.marks_told) == (set(), marks_before + 2)
        ui.view.clear_marks()
        await ui.pilot.pause()
        assert ui.app.marks_told == marks_before + 2


# a roomy list


async def test_the_cursor_covers_both_lines_of_a_roomy_row():
    async with shown(*rows(3), roomy=True) as ui:
        lines = ui.lines()
        assert lines[0].startswith(f" ▾ {HERE}")
        assert lines[1].startswith("❯  task 00")
        assert lines[3].startswith("   task 01")
        drawn = strips(ui.app.screen)
        backgrounds = [next(iter(strip)).style.bgcolor for strip in drawn]
        assert backgrounds[1] == backgrounds[2] != backgrounds[3] == backgrounds[0]


async def test_a_project_has_one_line_in_both_densities_and_while_searching():
    two = [*rows(2), *rows(2, cwd="/work/site", agent="omp")]
    for row in two[2:]:
        row.path = row.path.replace("/store/", "/other/")
    for roomy in (False, True):
        async with shown(*two, roomy=roomy) as ui:
            if not roomy:
                ui.view.set_query("task")
                await ui.pilot.pause()
            heads = [y for y, line in enumerate(ui.lines()) if line[1:2] == "▾"]
            assert heads == [0, 5]
            assert ui.view.virtual_size.height == 10
            for y, title in ((2, "task 00"), (3, "task 01"), (4, "task 01"), (6, "task 00"), (9, "task 01")):
                await ui.pilot.click("#sessions", offset=Offset(5, y))
                assert ui.view.row.title == title
            await ui.pilot.click("#sessions", offset=Offset(5, 5))
            assert (ui.view.row, ui.view.group.cwd) == (None, "/work/site")


async def test_pages_of_a_roomy_list_show_the_whole_cursor():
    async with shown(*rows(), roomy=True, size=(70, 11)) as ui:
        for keys, cursor in (("home", 0), ("pagedown", 4), ("pagedown", 8), ("end", 30), ("pageup", 26)):
            await ui.press(keys)
            assert ui.view.cursor == cursor
            assert 0 <= ui.on_screen <= 9
        await ui.press("end")
        assert ui.lines()[9].startswith("❯  task 29")


async def test_another_density_keeps_the_cursor_near_its_line():
    async with shown(*rows()) as ui:
        await ui.press(*["down"] * 14)
        before = ui.on_screen
        ui.view.show_arrangement(ui.model.arrangement.changed(roomy=True))
        await ui.pilot.pause()
        assert ui.view.row.id == "s14"
        assert 0 <= ui.on_screen <= SIZE[1] - 2
        assert any(line.startswith("❯  task 14") for line in ui.lines())
        ui.view.show_arrangement(ui.model.arrangement.changed(roomy=False))
        await ui.pilot.pause()
        assert ui.view.row.id == "s14"
        assert abs(ui.on_screen - before) <= SIZE[1] // 2
        assert ui.view.virtual_size.height == 31


async def test_the_notice_of_an_empty_list_has_its_own_lines_in_any_density():
    async with shown(roomy=True) as ui:
        ui.view.show_notice(["one", "two"])
        ui.view.rows_changed()
        await ui.pilot.pause()
        assert ui.lines()[:2] == [" one", " two"]
        ui.view.apply(rows(1), [])
        await ui.pilot.pause()
        assert ui.view.row_height == 2
        assert ui.lines()[0].startswith(f" ▾ {HERE}")


# arrangements


async def test_the_cursor_stays_on_its_session_in_every_arrangement():
    two = [*rows(9), *rows(5, cwd="/work/site", agent="omp")]
    for row in two[9:]:
        row.path = row.path.replace("/store/", "/other/")
    async with shown(*two) as ui:
        await ui.press("end")
        path = ui.view.row.path
        for fields in (
            {"grouped": False},
            {"order": "recent"},
            {"grouped": True, "roomy": True},
            {"agent": "omp"},
            {"agent": "", "order": "threaded", "paths": True},
        ):
            ui.view.show_arrangement(ui.model.arrangement.changed(**fields))
            assert ui.view.row.path == path, fields
        moves_before = ui.app.moves_told
        ui.view.show_arrangement(ui.model.arrangement.changed(scope="here"))
        assert ui.view.row.id == "s00"
        assert ui.view.row.cwd == HERE
        await ui.pilot.pause()
        assert ui.app.moves_told == moves_before + 1
        ui.view.show_arrangement(ui.model.arrangement.changed(scope="all"))
        assert ui.view.row.path == path, "the scope was only looked at"
        ui.view.show_arrangement(ui.model.arrangement.changed(scope="here"))
        await ui.press("down")
        ui.view.show_arrangement(ui.model.arrangement.changed(scope="all"))
        assert ui.view.row.id == "s01", "the user has gone elsewhere since"


async def test_the_cursors_project_is_open_after_grouping():
    async with shown(*rows(3), *rows(1, cwd="/work/site", agent="omp"), grouped=False) as ui:
        ui.model.open_all(False)
        ui.view.show_arrangement(ui.model.arrangement.changed(grouped=True))
        assert ui.view.row.id == "s00"
        assert [line.group.cwd for line in ui.model.lines if line.row is None] == [HERE, "/work/site"]


async def test_without_projects_there_is_nothing_to_fold():
    async with shown(*rows(3), grouped=False) as ui:
        assert ui.view.group is None
        for key in ("left", "minus", "plus"):
            await ui.press(key)
        assert len(ui.model.lines) == 3
        await ui.press("right")
        assert ui.view.row.id == "s01"


async def test_an_empty_session_appears_when_an_agent_opens_it():
    empty = make_row("e", cwd=HERE, message_count=0, title="(no messages)", title_source="", modified=NOW)
    async with shown(*rows(3), empty) as ui:
        await ui.press("down")
        ui.view.set_states({empty.path: "maybe"}, {})
        await ui.pilot.pause()
        assert ui.view.row.id == "s01"
        assert ui.lines()[1].startswith(" ◐ (no messages)")


async def test_pins_move_rows_but_not_the_cursor():
    async with shown(*rows(3)) as ui:
        ui.view.set_pins(frozenset({("pi", "s02")}))
        await ui.pilot.pause()
        assert ui.lines()[1].startswith(" ★ task 02")
        assert ui.view.row.id == "s00"


async def test_the_cursor_moves_to_the_next_match_when_its_session_is_removed():
    async with shown(*rows(9), grouped=False) as ui:
        ui.view.set_query("task")
        await ui.press(*["down"] * 4)
        ui.view.apply([], [ui.view.row.path])
        assert ui.view.row.id == "s05"


# prompts


async def test_the_rows_that_a_prompt_is_about_are_marked():
    async with shown(*rows(4)) as ui:
        ui.view.set_question(frozenset({"/store/s00.jsonl", "/store/s02.jsonl"}))
        await ui.pilot.pause()
        lines = ui.lines()
        assert lines[1].startswith("❯✗ task 00")
        assert lines[2].startswith("   task 01")
        assert lines[3].startswith(" ✗ task 02")
        ui.view.clear_question()
        await ui.pilot.pause()
        assert "✗" not in "\n".join(ui.lines())


async def test_the_mark_of_a_prompt_stays_with_its_session():
    async with shown(*rows(4)) as ui:
        ui.view.set_question(frozenset({"/store/s00.jsonl"}))
        ui.view.apply([make_row("new", cwd=HERE, modified=NOW + MINUTE, title="newer")], [])
        await ui.pilot.pause()
        assert "✗ task 00" in ui.lines()[2]
        ui.view.apply([], ["/store/s00.jsonl"])
        await ui.pilot.pause()
        assert "✗" not in "\n".join(ui.lines())


async def test_the_row_of_a_group_has_no_mark_of_a_prompt():
    async with shown(*rows(2)) as ui:
        await ui.press("home")
        ui.view.set_question(frozenset({"/store/s01.jsonl"}))
        await ui.pilot.pause()
        assert ui.lines()[0].startswith("❯▾")
        assert ui.lines()[2].startswith(" ✗ task 01")


async def test_a_callback_runs_after_rows_have_moved():
    positions = []
    async with shown(*rows(4)) as ui:
        ui.view.when_laid_out = lambda: positions.append(ui.view.row_region("/store/s00.jsonl").y)
        ui.view.apply([make_row("new", cwd=HERE, modified=NOW + MINUTE, title="newer")], [])
        assert positions == [ui.view.region.y + 2]


@pytest.mark.parametrize("roomy", [False, True])
async def test_the_region_of_a_row(roomy):
    async with shown(*rows(), roomy=roomy) as ui:
        await ui.press(*["down"] * 9)
        row = ui.view.row
        region = ui.view.row_region(row.path)
        assert (region.x, region.height) == (0, 1)
        assert region.width == ui.view.scrollable_content_region.width
        assert ui.lines()[region.y].startswith("❯")
        assert ui.view.row_region("/store/s29.jsonl") is None
        assert ui.view.row_region("/nowhere") is None


# the first frame


@pytest.mark.parametrize("roomy", [False, True])
@pytest.mark.parametrize("grouped", [False, True])
async def test_the_first_frame_has_the_rows_of_the_list_that_follows(roomy, grouped):
    async with shown(*rows(5), pins={("pi", "s03")}, roomy=roomy, grouped=grouped, size=(42, 16)) as ui:
        # the column more is that of the scrollbar
        picture = frame(ui.model, 43, 20, now_ms=NOW, here=HERE, home="/home/me")
        drawn = ["".join(text for text, _, _ in line).rstrip() for line in picture[2:16]]
        assert any("task 04" in line for line in drawn)
        assert drawn == ui.lines()[:14]
