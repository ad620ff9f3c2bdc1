"""What is pasted into a line is in it as one line, with the cursor behind it."""

from __future__ import annotations

import pytest
from textual import events
from textual.widgets import Input

from app.screens.questions import RowEditor

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
