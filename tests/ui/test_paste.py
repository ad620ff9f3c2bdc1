"""What is pasted into a line is in it as one line, with the cursor behind it."""

from __future__ import annotations

import pytest
from textual import events
from textual.widgets import Input

from app.screens.asking_screen import RowEditor

PASTED = [
    ("token\nread", "token read"),
    ("token \r\n\r\n  read\n", "token read"),
    ("\n\ntoken", "token"),
    ("\n", ""),
    ("a\tb", "a b"),
    ("a\n\tb\x1bc", "a b␛c"),
    ("as it is", "as it is"),
]


def line(ui):
    return ui.screen.query_one(Input)


@pytest.mark.parametrize(("text", "shown"), PASTED)
async def test_into_the_line_of_the_search(browser, three, text, shown):
    async with browser(selector="") as ui:
        await ui.press("x")
        ui.app.post_message(events.Paste(text))
        await ui.press("y")
        assert ui.box.value == f"x{shown}y"
        assert ui.box.cursor_at_end


@pytest.mark.parametrize(("text", "shown"), PASTED)
async def test_into_the_line_of_a_name(browser, three, text, shown):
    async with browser(selector="") as ui:
        await ui.press("ctrl+r")
        assert isinstance(ui.screen, RowEditor)
        before = line(ui).value
        ui.app.post_message(events.Paste(text))
        await ui.press("y")
        assert line(ui).value == f"{before}{shown}y"
        assert line(ui).cursor_at_end


async def test_over_what_is_selected(browser, three):
    async with browser(selector="") as ui:
        await ui.press(*"word")
        ui.box.select_all()
        ui.app.post_message(events.Paste("other\nwords"))
        await ui.press("y")
        assert ui.box.value == "other wordsy"


async def test_a_tab_set_in_the_middle_leaves_the_cursor_behind_it(browser, three):
    async with browser(selector="") as ui:
        await ui.press(*"ab", "left")
        ui.app.post_message(events.Paste("\t"))
        await ui.press("x")
        assert ui.box.value == "a xb"


LONG = "what is asked " * 20 + "and no more"


def shown_in(ui, box):
    """What is on the screen of the text in a line."""
    region = box.content_region
    return ui.text().splitlines()[region.y][region.x : region.right].rstrip()


@pytest.mark.parametrize("selector", ["", None])
@pytest.mark.parametrize("before", ["", "x"])
async def test_of_a_long_one_the_end_is_shown_where_the_cursor_is(browser, three, selector, before):
    async with browser(selector=selector) as ui:
        if selector is None:
            await ui.press("slash")
        await ui.press(*before)
        ui.app.post_message(events.Paste(LONG))
        await ui.until(lambda: ui.box.value == before + LONG, "what was pasted")
        assert shown_in(ui, ui.box).endswith("and no more")
        await ui.press("home")
        assert shown_in(ui, ui.box).startswith(f"{before}what is asked")


async def test_into_the_line_above_the_tree_a_long_one(browser, three):
    async with browser() as ui:
        await ui.press("tab", "slash")
        assert ui.focus == "find"
        ui.app.post_message(events.Paste(LONG))
        box = ui.screen.query_one("#find", Input)
        await ui.until(lambda: box.value == LONG, "what was pasted")
        assert shown_in(ui, box).endswith("and no more")


async def test_of_a_long_query_the_end_is_shown_from_the_start(browser, three):
    async with browser(selector=LONG) as ui:
        assert shown_in(ui, ui.box).endswith("and no more")


async def test_the_cursor_stays_in_sight_in_a_narrower_and_in_a_wider_line(browser, three):
    async with browser(selector="") as ui:
        ui.app.post_message(events.Paste(LONG))
        await ui.until(lambda: ui.box.value == LONG, "what was pasted")
        for columns in (60, 200):
            await ui.pilot.resize_terminal(columns, 40)
            await ui.until(lambda columns=columns: ui.screen.size.width == columns, "the new size")
            assert shown_in(ui, ui.box).endswith("and no more")
            assert len(shown_in(ui, ui.box)) == ui.box.content_size.width - 1
