"""The panes: focus, opening and closing, and the layouts for each width."""

from __future__ import annotations

import pytest
from textual import events

from app import paths
from tests.factory import header
from tests.ui.conftest import forward, pi_session
from tests.ui.test_textual_internals import mouse


async def test_tab_cycles_through_the_panes_and_escape_steps_back(browser, three):
    async with browser() as ui:
        focused = []
        for _ in range(3):
            focused.append(ui.focus)
            await ui.press("tab")
        assert focused == ["sessions", "transcript", "sessions"]
        await ui.press("escape")
        assert ui.focus == "sessions"
        await ui.press("t", "1")
        focused = []
        for _ in range(4):
            focused.append(ui.focus)
            await ui.press("tab")
        assert focused == ["sessions", "tree", "transcript", "sessions"]
        await ui.press("shift+tab", "escape")
        assert ui.focus == "sessions"


def shown(ui):
    return {
        name for name in ("sessions", "tree", "transcript") if ui.screen.query_one(f"#{name}-pane").display
    }


async def test_v_reads_on_the_whole_screen_and_escape_gives_the_place_back(browser, three):
    async with browser() as ui:
        await ui.press("down")
        await ui.settled()
        for keys in (("v", "escape"), ("v", "v")):
            row = ui.sessions.row
            await ui.press(keys[0])
            assert (ui.focus, shown(ui)) == ("transcript", {"transcript"})
            await ui.press(keys[1])
            assert (ui.focus, shown(ui), ui.sessions.row) == ("sessions", {"sessions", "transcript"}, row)
        await ui.press("v", "tab")
        assert (ui.focus, shown(ui)) == ("sessions", {"sessions", "transcript"})
        await ui.press("v", "1")
        assert (ui.focus, shown(ui)) == ("sessions", {"sessions", "transcript"})
        await ui.press("t", "home", "v")
        assert (ui.focus, shown(ui)) == ("transcript", {"transcript"})
        await ui.press("escape")
        assert (ui.focus, shown(ui)) == ("tree", {"sessions", "tree", "transcript"})
        await ui.press("tab", "v", "slash", *"done", "enter", "escape")
        assert (ui.focus, shown(ui)) == ("transcript", {"transcript"}), "the search ends first"
        await ui.press("escape")
        assert (ui.focus, shown(ui)) == ("transcript", {"sessions", "tree", "transcript"})


async def test_t_shows_the_tree_above_the_transcript_and_hides_it_and_the_next_run_remembers(browser, three):
    async with browser() as ui:
        assert shown(ui) == {"sessions", "transcript"}
        await ui.press("t")
        assert (ui.focus, shown(ui)) == ("tree", {"sessions", "tree", "transcript"})
        boxes = ui.screen.pane_layout.boxes
        assert (boxes["tree"].height, boxes["transcript"].height) == (14, 22)
        await ui.press("t")
        assert (ui.focus, shown(ui)) == ("sessions", {"sessions", "transcript"})
        await ui.press("tab", "t", "t")
        assert (ui.focus, shown(ui)) == ("transcript", {"sessions", "transcript"})
        await ui.press("t")
        await ui.until(lambda: paths.read_screen(ui.screen.setup.env).get("panes-closed") == "", "the file")
    async with browser() as ui:
        assert (ui.focus, shown(ui)) == ("sessions", {"sessions", "tree", "transcript"})


async def test_a_number_focuses_a_pane_then_shows_it_alone_and_restores_all(browser, three):
    async with browser() as ui:
        await ui.press("3")
        assert ui.focus == "transcript"
        await ui.press("3")
        assert shown(ui) == {"transcript"}
        await ui.press("2")
        assert (ui.focus, shown(ui)) == ("tree", {"tree"})
        await ui.press("2")
        assert shown(ui) == {"sessions", "tree", "transcript"}
        await ui.press("2", "escape")
        assert (ui.focus, shown(ui)) == ("tree", {"sessions", "tree", "transcript"})


@pytest.mark.parametrize(
    ("size", "layouts"),
    [
        ((160, 40), [{"sessions", "tree", "transcript"}] * 3),
        ((120, 40), [{"sessions", "tree", "transcript"}] * 3),
        ((80, 24), [{"sessions", "tree"}, {"sessions", "tree"}, {"sessions", "transcript"}]),
        ((40, 15), [{"sessions"}, {"tree"}, {"transcript"}]),
    ],
)
async def test_the_layouts_with_the_tree_by_size(browser, three, size, layouts, tree_shown):
    async with browser(size=size) as ui:
        for focus, panes in zip(("sessions", "tree", "transcript"), layouts, strict=True):
            assert ui.focus == focus
            assert shown(ui) == panes
            await ui.press("tab")


async def test_on_a_narrow_screen_tree_and_transcript_swap(browser, three):
    async with browser(size=(109, 30)) as ui:
        assert shown(ui) == {"sessions", "transcript"}
        below = ui.screen.pane_layout.boxes["transcript"]
        await ui.press("t")
        assert (shown(ui), ui.screen.pane_layout.boxes["tree"]) == ({"sessions", "tree"}, below)
        await ui.press("t")
        assert (ui.focus, shown(ui)) == ("sessions", {"sessions", "transcript"})


async def test_on_a_wide_screen_three_columns_are_moved_by_keys_and_mouse(browser, three, tree_shown):
    async with browser(size=(160, 40)) as ui:
        places = ui.screen.pane_layout
        assert places.boxes["sessions"].x < places.boxes["tree"].x < places.boxes["transcript"].x
        await ui.press("right_curly_bracket")
        assert ui.screen.pane_layout.second == places.second + 4
        await ui.press("greater_than_sign")
        assert ui.screen.pane_layout.second == places.second + 4, "the transcript keeps its width"
        assert ui.screen.pane_layout.divider == places.divider + 4
        await ui.pilot.mouse_down(offset=(places.second + 4, 10))
        await ui.pilot.hover(offset=(100, 10))
        await ui.pilot.mouse_up(offset=(100, 10))
        await ui.until(lambda: ui.screen.pane_layout.second == 100, "the new place")
        corners = [place for place, cell in enumerate(ui.text().splitlines()[-3]) if cell == "┴"]
        assert corners == [places.divider + 4, 100]
        await ui.press(*["left_curly_bracket"] * 20)
        assert shown(ui) == {"sessions", "transcript"}


async def test_keys_move_the_divider_and_the_rule_and_the_next_run_remembers(browser, three, tree_shown):
    async with browser() as ui:
        await ui.press("greater_than_sign", "left_curly_bracket")
        boxes = dict(ui.screen.pane_layout.boxes)
        assert (boxes["sessions"].width, boxes["tree"].height) == (56, 13)
        assert ui.sessions.size.width == 56
        await ui.until(lambda: "pane-left" in paths.read_screen(ui.screen.setup.env), "the file")
        await ui.press("greater_than_sign", "less_than_sign")
        assert ui.screen.pane_layout.boxes == boxes
        await ui.until(lambda: paths.read_screen(ui.screen.setup.env)["pane-left"] == "467", "the file")
    async with browser() as ui:
        assert ui.screen.pane_layout.boxes == boxes


async def test_at_the_edge_a_pane_closes_and_its_number_opens_it(browser, three, tree_shown):
    async with browser() as ui:
        await ui.press(*["less_than_sign"] * 9)
        assert (ui.focus, shown(ui)) == ("tree", {"tree", "transcript"})
        await ui.press("1")
        assert (ui.focus, shown(ui)) == ("sessions", {"sessions", "tree", "transcript"})
        await ui.press(*["right_curly_bracket"] * 20)
        assert shown(ui) == {"sessions", "tree"}
        await ui.press("left_curly_bracket")
        assert shown(ui) == {"sessions", "tree", "transcript"}


async def test_the_divider_and_the_rules_are_dragged(browser, three, tree_shown):
    async with browser() as ui:
        pilot, places = ui.pilot, ui.screen.pane_layout
        await pilot.mouse_down(offset=(places.divider, 10))
        await pilot.hover(offset=(70, 10))
        await pilot.mouse_up(offset=(70, 10))
        await ui.until(lambda: ui.screen.pane_layout.divider == 70, "the new place")
        y = places.boxes["transcript"].y
        await pilot.mouse_down(offset=(100, y))
        await pilot.mouse_up(offset=(100, y - 5))
        await ui.until(lambda: ui.screen.pane_layout.boxes["transcript"].y == y - 5, "the new place")


async def test_a_screen_that_is_too_small_says_so_and_comes_back(browser, three):
    async with browser() as ui:
        await ui.until(lambda: "b read it" in ui.text(), "the other branch")
        before = ui.text()
        await ui.pilot.resize_terminal(20, 5)
        await ui.until(
            lambda: "Too small: 20x8" in ui.text().splitlines()[0] and "…" not in ui.text(), "the message"
        )
        assert not ui.text().splitlines()[1].strip()
        await ui.pilot.resize_terminal(120, 40)
        await ui.until(lambda: ui.text() == before, "the old picture")


async def test_the_pane_with_the_focus_has_the_heavy_rule(browser, three):
    async with browser(size=(80, 24)) as ui:
        rules = [box.y for box in ui.screen.pane_layout.boxes.values()]
        assert [ui.text().splitlines()[y][0] for y in rules] == ["━", "─"]
        await ui.press("tab")
        assert [ui.text().splitlines()[y][0] for y in rules] == ["─", "━"]


async def test_a_rule_has_the_title_of_the_session_below_it(browser, three):
    async with browser() as ui:
        assert "┬─ Refactor auth · pi ─" in ui.text().splitlines()[1]
        await ui.press("down")
        await ui.settled()
        assert "┬─ write a man page · pi ─" in ui.text().splitlines()[1]
        await ui.until(lambda: "1 turn · " in ui.text().splitlines()[-3], "the figures")


@pytest.mark.parametrize("size", [(200, 3), (5, 3), (200, 1)])
@pytest.mark.parametrize("selector", [None, ""])
async def test_a_screen_without_room_for_the_panes_has_no_scrollbar(browser, three, size, selector):
    async with browser(size=size, selector=selector) as ui:
        await ui.pilot.pause()
        assert not ui.screen.show_vertical_scrollbar
        assert not ui.screen.show_horizontal_scrollbar


async def test_a_click_on_a_fold_mark_folds(browser, three):
    async with browser() as ui:
        await ui.pilot.click("#sessions", offset=(1, 0))
        assert ui.listed()[1] == "[/work/site]"
        await ui.pilot.click("#sessions", offset=(5, 0))
        assert ui.listed()[1] == "[/work/site]", "beside the mark"
        await ui.pilot.click("#sessions", offset=(1, 0))
        assert ui.listed()[1] == "branchy"


async def test_a_click_on_a_hint_presses_its_key(browser, three):
    async with browser() as ui:
        column = ui.text().splitlines()[-1].index("/ search")
        await ui.pilot.click("#keys", offset=(column + 3, 0))
        await ui.until(lambda: ui.focus == "filter", "the search line")


async def test_the_rule_of_a_pane_alone_on_the_screen_says_so(browser, three):
    async with browser() as ui:
        await ui.press("2")
        assert "zoomed" not in ui.text()
        await ui.press("2")
        assert " 2 restore  " in ui.text()
        assert " Refactor auth · pi · tree · zoomed " in ui.text()
        await ui.press("2", "v")
        assert " Refactor auth · pi · zoomed " in ui.text()
        await ui.press("3")
        assert "zoomed" not in ui.text()
        assert "restore" not in ui.text()


async def test_the_first_drag_over_text_says_once_how_text_is_selected(browser, three):
    async with browser() as ui:
        await ui.pilot.hover(offset=(20, 5))
        assert not ui.toasts()
        for _ in range(2):
            forward(ui, mouse(events.MouseMove, 20, 4))
            await ui.pilot.pause()
        assert ui.toasts() == ["Shift+drag selects text"]


async def test_without_a_closing_rule_the_status_line_says_what_is_hidden(browser, three, tree_shown):
    pi_session(three, header("void", "/work/app"), id="void")
    async with browser(size=(80, 24)) as ui:
        # The sums of the marked session are shorter than why it cannot be resumed.
        await ui.press("space", "up")
        status = ui.text().splitlines()[-2]
        assert status.startswith(" 1 marked: 1 pi · 6 messages · ")
        assert status.endswith(" 1 session hidden (. e) ")
        await ui.press("tab")
        assert ui.text().splitlines()[-2].endswith(" 2 hidden (. e) ")
        await ui.press("full_stop", "e")
        assert "hidden" not in ui.text().splitlines()[-2]
    async with browser(size=(120, 40)) as ui:
        await ui.press("space")
        assert "hidden" not in ui.text().splitlines()[-2]
