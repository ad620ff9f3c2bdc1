"""Text pasted into a line becomes one line, and the cursor is behind it."""

from __future__ import annotations

import pytest
from textual import events
from textual.widgets import Input

from tests.ui.conftest import EDIT

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


async def test_a_paste_into_the_search_line(browser, three):
    async with browser(selector="") as ui:
        for text, shown in PASTED:
            await ui.press("ctrl+u", "x")
            ui.app.post_message(events.Paste(text))
            await ui.press("y")
            assert ui.box.value == f"x{shown}y"
            assert ui.box.cursor_at_end


async def test_a_paste_into_a_name(browser, three):
    async with browser(selector="") as ui:
        for text, shown in PASTED:
            await ui.press("ctrl+r")
            assert ui.is_in(EDIT)
            before = line(ui).value
            ui.app.post_message(events.Paste(text))
            await ui.press("y")
            assert line(ui).value == f"{before}{shown}y"
            assert line(ui).cursor_at_end
            await ui.press("escape")


async def test_a_paste_replaces_the_selection_and_leaves_the_cursor_behind_it(browser, three):
    async with browser(selector="") as ui:
        await ui.press(*"word")
        ui.box.select_all()
        ui.app.post_message(events.Paste("other\nwords"))
        await ui.press("y")
        assert ui.box.value == "other wordsy"
        await ui.press("ctrl+u", *"ab", "left")
        ui.app.post_message(events.Paste("\t"))
        await ui.press("x")
        assert ui.box.value == "a xb"


LONG = "what is asked " * 20 + "and no more"


def shown_in(ui, box):
    """The visible text of a line."""
    region = box.content_region
    return ui.text().splitlines()[region.y][region.x : region.right].rstrip()


@pytest.mark.parametrize("selector", ["", None])
async def test_a_long_paste_shows_its_end_at_the_cursor(browser, three, selector):
    async with browser(selector=selector) as ui:
        if selector is None:
            await ui.press("slash")
        for before in ("", "x"):
            await ui.press("end", "ctrl+u", *before)
            ui.app.post_message(events.Paste(LONG))
            await ui.until(lambda before=before: ui.box.value == before + LONG, "what was pasted")
            assert shown_in(ui, ui.box).endswith("and no more")
            await ui.press("home")
            assert shown_in(ui, ui.box).startswith(f"{before}what is asked")


async def test_a_long_paste_into_the_search_line_of_the_tree(browser, three):
    async with browser() as ui:
        await ui.press("t", "slash")
        assert ui.focus == "find"
        ui.app.post_message(events.Paste(LONG))
        box = ui.screen.query_one("#find", Input)
        await ui.until(lambda: box.value == LONG, "what was pasted")
        assert shown_in(ui, box).endswith("and no more")


async def test_a_long_query_of_the_command_line_shows_its_end(browser, three):
    async with browser(selector=LONG) as ui:
        assert shown_in(ui, ui.box).endswith("and no more")


async def test_the_cursor_stays_visible_after_a_resize(browser, three):
    async with browser(selector="") as ui:
        ui.app.post_message(events.Paste(LONG))
        await ui.until(lambda: ui.box.value == LONG, "what was pasted")
        for columns in (60, 200):
            await ui.pilot.resize_terminal(columns, 40)
            await ui.until(lambda columns=columns: ui.screen.size.width == columns, "the new size")
            assert shown_in(ui, ui.box).endswith("and no more")
            assert len(shown_in(ui, ui.box)) == ui.box.content_size.width - 1
