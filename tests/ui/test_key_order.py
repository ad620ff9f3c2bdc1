"""Keys that come together: typed ahead, pasted, or on a machine that is busy."""

from __future__ import annotations

import pytest
from textual import events

from app.widgets.inputs import SearchBox
from tests.factory import chain
from tests.ui.conftest import pi_session


def together(ui, *keys):
    """All keys at once, before the first has been looked at."""
    for key in keys:
        ui.app.post_message(events.Key(key, key if len(key) == 1 else None))


async def test_a_key_behind_tab_goes_to_the_tree(browser, three):
    async with browser() as ui:
        together(ui, "tab", "up", "v")
        await ui.until(lambda: ui.focus == "entry", "the focus on the entry")
        assert not ui.app._exit
        assert ui.tree.view.node(ui.tree.cursor) is not ui.tree.view.tree.leaf


async def test_no_letter_of_a_filter_is_lost(browser, three):
    async with browser() as ui:
        together(ui, "slash", *"login")
        await ui.until(lambda: ui.screen.query_one("Input").value == "login", "the whole filter")


@pytest.fixture
def typed(monkeypatch):
    """What is put into the line, a text each time."""
    texts = []
    insert = SearchBox.insert_text_at_cursor
    monkeypatch.setattr(
        SearchBox, "insert_text_at_cursor", lambda box, text: (texts.append(text), insert(box, text))
    )
    return texts


async def test_letters_that_wait_are_typed_at_once(browser, three, typed):
    async with browser() as ui:
        together(ui, "slash", *"fix the login", "enter")
        await ui.until(lambda: ui.focus == "sessions", "the list")
        assert ui.screen.query_one("Input").value == "fix the login"
        assert "".join(typed) == "fix the login"
        assert len(typed) <= 3


async def test_no_letter_of_what_is_pasted_goes_its_way_alone_but_the_last(browser, three, typed):
    async with browser(selector="") as ui:
        together(ui, *"fix the login")
        await ui.until(lambda: ui.box.value == "fix the login", "the letters")
        assert typed == ["fix the logi", "n"]


async def test_a_blank_into_an_empty_line_stays_a_command(browser, three):
    async with browser(selector="") as ui:
        ui.app.post_message(events.Key("space", " "))
        together(ui, *"do")
        await ui.until(lambda: ui.box.value == "do", "the letters")
        assert len(ui.sessions.model.marked) == 1


async def test_a_filter_that_is_kept_and_dropped_leaves_the_list(browser, three):
    async with browser() as ui:
        before = ui.listed()
        together(ui, "slash", *"login", "enter", "escape")
        await ui.until(lambda: ui.focus == "sessions" and ui.listed() == before, "the whole list")
        assert not ui.app._exit


async def test_a_key_that_ends_its_widget_holds_up_no_other(browser, three):
    async with browser() as ui:
        together(ui, "question_mark", "escape", "tab")
        await ui.until(lambda: ui.focus == "tree", "the focus on the tree")


async def test_keys_come_in_their_order(browser, tmp_path):
    for at in range(30):
        pi_session(tmp_path, *chain(f"s{at}", id=f"s{at:02}"), id=f"s{at:02}")
    async with browser() as ui:
        start = ui.sessions.cursor
        together(ui, *["down"] * 12, *["up"] * 5)
        await ui.until(lambda: ui.sessions.cursor == start + 7, "the seventh row")
