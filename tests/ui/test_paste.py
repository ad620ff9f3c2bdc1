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


def line(it):
    return it.screen.query_one(Input)


@pytest.mark.parametrize(("text", "shown"), PASTED)
async def test_into_the_line_of_the_search(browser, three, text, shown):
    async with browser(selector="") as it:
        await it.press("x")
        it.app.post_message(events.Paste(text))
        await it.press("y")
        assert it.box.value == f"x{shown}y"
        assert it.box.cursor_at_end


@pytest.mark.parametrize(("text", "shown"), PASTED)
async def test_into_the_line_of_a_name(browser, three, text, shown):
    async with browser(selector="") as it:
        await it.press("ctrl+r")
        assert isinstance(it.screen, RowEditor)
        before = line(it).value
        it.app.post_message(events.Paste(text))
        await it.press("y")
        assert line(it).value == f"{before}{shown}y"
        assert line(it).cursor_at_end


async def test_over_what_is_selected(browser, three):
    async with browser(selector="") as it:
        await it.press(*"word")
        it.box.select_all()
        it.app.post_message(events.Paste("other\nwords"))
        await it.press("y")
        assert it.box.value == "other wordsy"


async def test_a_tab_set_in_the_middle_leaves_the_cursor_behind_it(browser, three):
    async with browser(selector="") as it:
        await it.press(*"ab", "left")
        it.app.post_message(events.Paste("\t"))
        await it.press("x")
        assert it.box.value == "a xb"


LONG = "what is asked " * 20 + "and no more"


def shown_in(it, box):
    """What is on the screen of the text in a line."""
    region = box.content_region
    return it.text().splitlines()[region.y][region.x : region.right].rstrip()


@pytest.mark.parametrize("selector", ["", None])
@pytest.mark.parametrize("before", ["", "x"])
async def test_of_a_long_one_the_end_is_shown_where_the_cursor_is(browser, three, selector, before):
    async with browser(selector=selector) as it:
        if selector is None:
            await it.press("slash")
        await it.press(*before)
        it.app.post_message(events.Paste(LONG))
        await it.until(lambda: it.box.value == before + LONG, "what was pasted")
        assert shown_in(it, it.box).endswith("and no more")
        await it.press("home")
        assert shown_in(it, it.box).startswith(f"{before}what is asked")


async def test_into_the_line_above_the_tree_a_long_one(browser, three):
    async with browser() as it:
        await it.press("tab", "slash")
        assert it.focus == "find"
        it.app.post_message(events.Paste(LONG))
        box = it.screen.query_one("#find", Input)
        await it.until(lambda: box.value == LONG, "what was pasted")
        assert shown_in(it, box).endswith("and no more")


async def test_of_a_long_query_the_end_is_shown_from_the_start(browser, three):
    async with browser(selector=LONG) as it:
        assert shown_in(it, it.box).endswith("and no more")


async def test_the_cursor_stays_in_sight_in_a_narrower_and_in_a_wider_line(browser, three):
    async with browser(selector="") as it:
        it.app.post_message(events.Paste(LONG))
        await it.until(lambda: it.box.value == LONG, "what was pasted")
        for columns in (60, 200):
            await it.pilot.resize_terminal(columns, 40)
            await it.until(lambda columns=columns: it.screen.size.width == columns, "the new size")
            assert shown_in(it, it.box).endswith("and no more")
            assert len(shown_in(it, it.box)) == it.box.content_size.width - 1
