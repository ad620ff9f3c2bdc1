"""The panes: focus, opening and closing, and the layouts for each width."""

from __future__ import annotations

import pytest

from tests.factory import chain
from tests.ui.conftest import pi_session


async def test_tab_cycles_through_the_panes(browser, three):
    async with browser() as ui:
        focused = []
        for _ in range(4):
            focused.append(ui.focus)
            await ui.press("tab")
        assert focused == ["sessions", "tree", "entry", "sessions"]
        await ui.press("shift+tab", "shift+tab")
        assert ui.focus == "entry"


async def test_escape_steps_back_to_the_list(browser, three):
    async with browser() as ui:
        await ui.press("tab", "tab")
        assert ui.focus == "entry"
        await ui.press("escape")
        assert ui.focus == "tree"
        await ui.press("escape")
        assert ui.focus == "sessions"


async def test_panes_close_and_open(browser, three):
    async with browser() as ui:
        await ui.press("3")
        assert not ui.screen.query_one("#entry-pane").display
        await ui.press("1")
        assert ui.focus == "tree"
        assert not ui.screen.query_one("#sessions-pane").display
        await ui.press("2")
        assert ui.screen.query_one("#tree-pane").display, "the last pane stays"
        await ui.press("1", "3")
        assert all(ui.screen.query_one(f"#{name}-pane").display for name in ("sessions", "tree", "entry"))


@pytest.mark.parametrize(
    ("size", "focus", "panes"),
    [
        ((120, 40), "sessions", {"sessions", "tree", "entry"}),
        ((100, 30), "sessions", {"sessions", "tree"}),
        ((100, 30), "tree", {"sessions", "tree"}),
        ((100, 30), "entry", {"tree", "entry"}),
        ((79, 24), "sessions", {"sessions"}),
        ((79, 24), "tree", {"tree"}),
        ((79, 24), "entry", {"entry"}),
    ],
)
async def test_three_layouts_by_width(browser, three, size, focus, panes):
    async with browser(size=size) as ui:
        for _ in range(("sessions", "tree", "entry").index(focus)):
            await ui.press("tab")
        assert ui.focus == focus
        shown = {
            name for name in ("sessions", "tree", "entry") if ui.screen.query_one(f"#{name}-pane").display
        }
        assert shown == panes


async def test_resizing_keeps_the_cursor(browser, three):
    async with browser() as ui:
        await ui.press("down")
        await ui.pilot.resize_terminal(60, 20)
        await ui.pilot.pause()
        assert ui.sessions.row.id == "plain"
        assert "write a man page" in ui.text()


@pytest.mark.parametrize("size", [(200, 3), (10, 3), (5, 3), (200, 1)])
@pytest.mark.parametrize("selector", [None, ""])
async def test_a_screen_without_room_for_the_panes_has_no_scrollbar(browser, three, size, selector):
    async with browser(size=size, selector=selector) as ui:
        await ui.pilot.pause()
        assert not ui.screen.show_vertical_scrollbar
        assert not ui.screen.show_horizontal_scrollbar


@pytest.mark.parametrize(("key", "pane"), [("2", "tree"), ("3", "entry"), ("1", "sessions")])
async def test_on_a_narrow_screen_the_number_keys_switch_panes(browser, three, key, pane):
    async with browser(size=(60, 20)) as ui:
        await ui.press(key)
        assert ui.focus == pane
        assert ui.screen.query_one(f"#{pane}-pane").display


async def test_3_opens_the_entry_if_two_panes_fit(browser, three):
    async with browser(size=(90, 30)) as ui:
        await ui.press("3")
        assert ui.focus == "entry"


@pytest.mark.parametrize("keys", ["3 3 t 3", "1 1 3 3 t 3"])
async def test_an_opened_pane_is_visible(browser, three, keys):
    async with browser(size=(80, 24)) as ui:
        await ui.press(*keys.split())
        assert ui.screen.query_one("#entry-pane").display
        assert ui.focus == "entry"
        await ui.press("3")
        assert not ui.screen.query_one("#entry-pane").display


async def test_a_hidden_entry_is_wrapped_when_its_pane_is_shown(browser, three):
    async with browser(size=(100, 30)) as ui:
        assert ui.entry.lines == []
        await ui.press("3")
        await ui.until(lambda: ui.entry.lines and ui.entry.lines[0].text == "faster", "the entry")


async def test_a_click_in_the_entry_does_not_scroll_it(browser, tmp_path):
    pi_session(tmp_path, *chain("q", "\n".join(f"line {number}" for number in range(200)), id="s"), id="s")
    async with browser() as ui:
        await ui.pilot.click("#entry", offset=(5, 8))
        assert ui.entry.scroll_offset.y == 0
