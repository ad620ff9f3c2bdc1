"""Keys that arrive together: typed ahead, pasted, or on a busy machine."""

from __future__ import annotations

import pytest
from textual import events
from textual.widgets import Input

from tests.factory import chain
from tests.ui.conftest import pi_session

pytestmark = pytest.mark.usefixtures("tree_shown")


def together(ui, *keys):
    """Post all keys before the first is processed."""
    for key in keys:
        ui.app.post_message(events.Key(key, key if len(key) == 1 else None))


async def test_a_key_after_tab_goes_to_the_tree(browser, three):
    async with browser() as ui:
        together(ui, "tab", "up", "v")
        await ui.until(lambda: ui.focus == "transcript", "the focus on the transcript")
        assert not ui.has_ended
        assert ui.tree.view.node(ui.tree.cursor) is not ui.tree.view.tree.leaf


@pytest.fixture
def typed(monkeypatch):
    """The texts that are inserted into the search line, one for each insertion."""
    texts = []
    insert = Input.insert_text_at_cursor
    monkeypatch.setattr(
        Input, "insert_text_at_cursor", lambda box, text: (texts.append(text), insert(box, text))
    )
    return texts


async def test_waiting_letters_are_inserted_together(browser, three, typed):
    async with browser() as ui:
        together(ui, "slash", *"fix the login", "enter")
        await ui.until(lambda: ui.focus == "sessions", "the list")
        assert ui.screen.query_one("Input").value == "fix the login"
        assert "".join(typed) == "fix the login"
        assert len(typed) <= 3


async def test_pasted_letters_are_inserted_together_but_for_the_last(browser, three, typed):
    async with browser(selector="") as ui:
        together(ui, *"fix the login")
        await ui.until(lambda: ui.box.value == "fix the login", "the letters")
        assert typed == ["fix the logi", "n"]


async def test_a_space_in_an_empty_line_is_a_command(browser, three):
    async with browser(selector="") as ui:
        ui.app.post_message(events.Key("space", " "))
        together(ui, *"do")
        await ui.until(lambda: ui.box.value == "do", "the letters")
        assert len(ui.sessions.model.marked) == 1


async def test_a_filter_that_is_kept_and_cleared_leaves_the_list_focused(browser, three):
    async with browser() as ui:
        before = ui.listed()
        together(ui, "slash", *"login", "enter", "escape")
        await ui.until(lambda: ui.focus == "sessions" and ui.listed() == before, "the whole list")
        assert not ui.has_ended


async def test_a_letter_after_enter_is_not_added_to_the_words_of_the_tree(browser, three):
    async with browser() as ui:
        together(ui, "tab", "slash", *"redis", "enter", "n")
        await ui.until(lambda: ui.focus == "tree" and ui.tree.hits is not None, "the search")
        assert ui.screen.query_one("#find").value == "redis"


async def test_a_key_that_closes_a_dialog_does_not_delay_the_next(browser, three):
    async with browser() as ui:
        together(ui, "question_mark", "escape", "tab")
        await ui.until(lambda: ui.focus == "tree", "the focus on the tree")


async def test_keys_are_processed_in_order(browser, tmp_path):
    for number in range(30):
        pi_session(tmp_path, *chain(f"s{number}", id=f"s{number:02}"), id=f"s{number:02}")
    async with browser() as ui:
        start = ui.sessions.cursor
        together(ui, *["down"] * 12, *["up"] * 5)
        await ui.until(lambda: ui.sessions.cursor == start + 7, "the seventh row")
