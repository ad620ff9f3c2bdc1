"""The panes: which has the keys, which are open, and what fits beside what."""

from __future__ import annotations

import pytest

from tests.factory import chain
from tests.ui.conftest import pi_session


async def test_tab_goes_round_the_panes(browser, three):
    async with browser() as it:
        seen = []
        for _ in range(4):
            seen.append(it.focus)
            await it.press("tab")
        assert seen == ["sessions", "tree", "entry", "sessions"]
        await it.press("shift+tab", "shift+tab")
        assert it.focus == "entry"


async def test_escape_steps_back_to_the_list(browser, three):
    async with browser() as it:
        await it.press("tab", "v")
        assert it.focus == "entry"
        await it.press("escape")
        assert it.focus == "tree"
        await it.press("escape")
        assert it.focus == "sessions"


async def test_panes_close_and_open(browser, three):
    async with browser() as it:
        await it.press("3")
        assert not it.screen.query_one("#entry-pane").display
        await it.press("1")
        assert it.focus == "tree"
        assert not it.screen.query_one("#sessions-pane").display
        await it.press("2")
        assert it.screen.query_one("#tree-pane").display, "the last pane stays"
        await it.press("1", "3")
        assert all(it.screen.query_one(f"#{name}-pane").display for name in ("sessions", "tree", "entry"))


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
    async with browser(size=size) as it:
        for _ in range(("sessions", "tree", "entry").index(focus)):
            await it.press("tab")
        assert it.focus == focus
        shown = {
            name for name in ("sessions", "tree", "entry") if it.screen.query_one(f"#{name}-pane").display
        }
        assert shown == panes


async def test_resizing_keeps_the_cursor(browser, three):
    async with browser() as it:
        await it.press("down")
        await it.pilot.resize_terminal(60, 20)
        await it.pilot.pause()
        assert it.sessions.row.id == "plain"
        assert "write a man page" in it.text()


@pytest.mark.parametrize("size", [(200, 3), (10, 3), (5, 3), (200, 1)])
@pytest.mark.parametrize("selector", [None, ""])
async def test_a_screen_without_room_for_the_panes_has_no_scrollbar(browser, three, size, selector):
    async with browser(size=size, selector=selector) as it:
        await it.pilot.pause()
        assert not it.screen.show_vertical_scrollbar
        assert not it.screen.show_horizontal_scrollbar


@pytest.mark.parametrize(("key", "pane"), [("2", "tree"), ("3", "entry"), ("1", "sessions")])
async def test_on_a_narrow_screen_the_keys_of_panes_go_there(browser, three, key, pane):
    async with browser(size=(60, 20)) as it:
        await it.press(key)
        assert it.focus == pane
        assert it.screen.query_one(f"#{pane}-pane").display


async def test_the_entry_is_opened_where_there_is_room_for_two(browser, three):
    async with browser(size=(90, 30)) as it:
        await it.press("3")
        assert it.focus == "entry"


@pytest.mark.parametrize("keys", ["3 3 t 3", "1 1 3 3 t 3"])
async def test_a_pane_that_is_opened_is_seen(browser, three, keys):
    async with browser(size=(80, 24)) as it:
        await it.press(*keys.split())
        assert it.screen.query_one("#entry-pane").display
        assert it.focus == "entry"
        await it.press("3")
        assert not it.screen.query_one("#entry-pane").display


async def test_an_entry_in_a_hidden_pane_is_not_wrapped_and_comes_when_the_pane_does(browser, three):
    async with browser(size=(100, 30)) as it:
        assert it.entry.lines == []
        await it.press("3")
        await it.until(lambda: it.entry.lines and it.entry.lines[0].text == "faster", "the entry")


async def test_a_click_in_the_entry_does_not_scroll_it(browser, tmp_path):
    pi_session(tmp_path, *chain("q", "\n".join(f"line {at}" for at in range(200)), id="s"), id="s")
    async with browser() as it:
        await it.pilot.click("#entry", offset=(5, 8))
        assert it.entry.scroll_offset.y == 0
