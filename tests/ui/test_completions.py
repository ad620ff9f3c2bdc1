"""The completion of a query: behind the cursor, and in the list below the search line."""

from __future__ import annotations

import pytest

from tests.factory import append, chain, message
from tests.ui.conftest import pi_session


def popup(ui):
    """The list of completions."""
    return ui.screen.sessions_pane.popup


async def listed(ui, text):
    """Wait until the list is shown with this text."""
    await ui.until(lambda: popup(ui).display and text in ui.text(), text)


async def test_tab_takes_the_name_of_a_filter_and_stays_in_the_line(browser, three):
    async with browser() as ui:
        await ui.press("slash", *"lab")
        await ui.until(lambda: "lab → label:" in ui.text(), "the name")
        assert not popup(ui).display, "a bare word opens nothing"
        await ui.press("tab", *"redis")
        assert (ui.box.value, ui.focus) == ("label:redis", "filter")
        await ui.until(lambda: ui.listed() == ["branchy"], "the session")


async def test_the_values_of_a_filter_are_listed_and_chosen(browser, three):
    async with browser(size=(80, 24)) as ui:
        await ui.press("slash", *"done has:")
        await listed(ui, "❯ has:branch")
        assert "Tab take" in ui.text().splitlines()[-1]
        row = ui.sessions.cursor
        await ui.press("down", "down", "up")
        assert ui.sessions.cursor == row
        assert "❯ has:label" in ui.text()
        await ui.press("enter")
        assert (ui.box.value, ui.focus, popup(ui).display) == ("done has:label", "filter", False)
        await ui.press("backspace")
        await ui.press("enter")
        assert ui.focus == "sessions", "without a choice, Enter keeps its meaning"


async def test_escape_closes_the_list_then_clears_and_then_leaves(browser, three):
    async with browser() as ui:
        await ui.press("slash", *"is:")
        await listed(ui, "❯ is:waiting")
        await ui.press("escape")
        assert (ui.box.value, popup(ui).display) == ("is:", False)
        await ui.press("escape")
        assert (ui.box.value, ui.focus) == ("", "filter")
        await ui.press("escape")
        assert ui.focus == "sessions"


async def test_tab_lists_all_filters_with_a_word_of_explanation(browser, three):
    async with browser() as ui:
        await ui.press("slash", "tab")
        await listed(ui, "agent:     sessions of an agent")
        await ui.press("down", "tab")
        assert ui.box.value == "dir:"
        await listed(ui, "❯ dir:/work/")
        await ui.press("escape", "escape", *"zebra", "tab")
        await listed(ui, "❯ agent:")
        await ui.press("tab")
        assert (ui.box.value, ui.focus) == ("zebra agent:", "filter")


async def test_a_click_takes_a_row_and_the_line_keeps_the_focus(browser, three):
    async with browser() as ui:
        await ui.press("slash", *"is:")
        await listed(ui, "❯ is:waiting")
        await ui.pilot.click(popup(ui), offset=(5, 2))
        assert (ui.box.value, ui.focus) == ("is:failed", "filter")


async def test_hostile_values_are_inert_in_the_list(browser, three, tmp_path):
    named = chain("x", "y", id="evil")
    named.append(
        {"type": "session_info", "id": "n", "parentId": "00000002", "name": "a\x1b]0;x\x07\u202eb 語"}
    )
    pi_session(tmp_path, *named, id="evil")
    other = chain("x", "z", id="good")
    other.append({"type": "session_info", "id": "n", "parentId": "00000002", "name": "a plain name"})
    pi_session(tmp_path, *other, id="good")
    async with browser() as ui:
        await ui.press("slash", *"name:a")
        await listed(ui, "name: part of the session's name")
        assert "\x1b" not in ui.text()
        assert "\u202e" not in ui.text()


@pytest.mark.parametrize("size", [(20, 8), (40, 15), (200, 50)])
async def test_the_list_fits_any_screen_and_moves_with_it(browser, three, size):
    async with browser(size=(120, 40)) as ui:
        await ui.press("slash", *"some long words before a filter has:")
        await listed(ui, "❯ has:branch")
        await ui.pilot.resize_terminal(*size)
        await ui.pilot.pause()
        await ui.until(lambda: popup(ui).region in ui.screen.region, "the place")
        assert all(len(line) == size[0] for line in ui.text().splitlines())


def writing(id, path):
    """The lines of a session that has written a file."""
    block = {"type": "toolCall", "id": "c", "name": "write", "arguments": {"path": path, "content": ""}}
    return [*chain("x", id=id), message("00000009", "00000001", "assistant", "", 2, content=[block])]


async def test_touched_files_are_found_and_completed(browser, three, tmp_path):
    pi_session(tmp_path, *writing("one", "src/shop/auth.py"), id="one")
    path = pi_session(tmp_path, *writing("two", "src/shop/cart.py"), id="two")
    pi_session(tmp_path, *writing("three", "src/shop/of/a/folder/with/a/long/name.py"), id="three")
    async with browser() as ui:
        await ui.press("slash", *"edited:src/")
        await listed(ui, "src/shop/cart.py")
        assert "src/shop/auth.py" in ui.text()
        assert "/with/a/long/name.py " in ui.text(), "the end of a long path"
        await ui.press("ctrl+u", *"file:auth")
        await ui.until(lambda: ui.listed() == ["one"], "the session")
        await ui.press("tab")
        assert ui.box.value == "file:src/shop/auth.py"
        # A running session writes the file, too.
        append(path, writing("two", "src/shop/auth.py")[-1])
        await ui.until(lambda: len(ui.listed()) == 2, "both sessions")
