"""The three menus: copy, go to and view."""

from __future__ import annotations

import pytest

from tests.factory import chain
from tests.ui.conftest import WAYS, pack, pi_session


async def copied(ui, *keys):
    """The text on the clipboard after these keys."""
    await ui.press(*keys)
    await ui.settled()
    assert not ui.screen.query("#menu")
    return ui.app.clipboard


async def test_the_copy_menu_copies_what_is_under_the_cursor(browser, three):
    async with browser() as ui:
        path = str(ui.path("branchy"))
        await ui.press("y")
        assert ui.screen.query("#menu")
        assert "p   Path of its file" in ui.text()
        await ui.press("escape")
        assert await copied(ui, "y", "y") == "branchy"
        assert await copied(ui, "y", "p") == path
        assert await copied(ui, "y", "l") == f"file://{path}"
        assert await copied(ui, "tab", "y", "y") == "faster"
        assert await copied(ui, "y", "i") == "branchy"
        assert await copied(ui, "v", "left_square_bracket", "y", "y") == "use redis"
        await ui.press("y", "m")
        await ui.until(lambda: "\n> fix the login\n" in ui.app.clipboard, "the conversation")
        await ui.press("1", "y", "r")
        await ui.until(lambda: "pi --session" in ui.app.clipboard, "the command")


async def test_the_copy_menu_says_how_much_each_choice_copies(browser, tmp_path):
    answer = "Do this:\n\n```sh\nmake test\n```"
    pi_session(tmp_path, *chain("fix the login", answer, id="s"), id="s")
    async with browser() as ui:
        await ui.press("t", "y")
        await ui.until(lambda: f"{len(answer)} characters" in ui.text(), "the entry in the tree")
        await ui.press("escape", "v")
        await ui.until(lambda: ui.focus == "transcript", "the transcript")
        await ui.press("y")
        await ui.until(lambda: f"{len(answer)} characters" in ui.text(), "the block")
        assert "9 characters" in ui.text(), "the code"
        assert await copied(ui, "y") == answer


async def test_the_go_to_menu_opens_each_place_and_goes_to_the_top(browser, three, tmp_path):
    async with browser() as ui:
        await ui.press("end", "g", "g")
        assert ui.sessions.cursor == 0
        for key, title in (("t", "Trash"), ("h", "History"), ("s", "Statistics"), ("comma", "Settings")):
            await ui.press("g", key)
            await ui.until(lambda title=title: f"─ {title}" in ui.text(), title)
            await ui.press("escape")
        await ui.press("g")
        assert "Archive" not in ui.text()
        await ui.press("escape")
    pack(tmp_path, "old", *chain("long ago", id="old"))
    async with browser() as ui:
        await ui.until(lambda: ui.screen.places.has_archive, "the archive")
        await ui.press("g", "a")
        await ui.until(lambda: "─ Archive" in ui.text(), "the archive")


@pytest.mark.parametrize("way", WAYS)
async def test_the_view_menu_shows_and_changes_the_state_of_the_list(browser, three, way):
    async with browser(**way) as ui:
        await ui.press(*["shift+tab"] * bool(way))
        for key, before, after in (
            ("s", "this folder" if way else "all folders", "all folders" if way else "this folder"),
            ("d", "one line", "two lines"),
            ("g", "one list" if way else "by project", "by project" if way else "one list"),
            ("e", "0 hidden", "shown"),
            ("n", "off", "on"),
        ):
            await ui.press("full_stop")
            row = next(line for line in ui.text().splitlines() if f" {key}   " in line and "│" in line)
            assert f"{before} " in row
            await ui.press(key, "full_stop")
            assert f"{after} " in ui.text()
            await ui.press("escape")
        await ui.press("full_stop", "o")
        assert "2   recent" in ui.text()
        await ui.press("2")
        assert ui.sessions.model.arrangement.order == "recent"


async def test_a_menu_is_used_with_the_mouse_and_with_the_arrows(browser, three):
    async with browser() as ui:
        await ui.press("full_stop", "down", "enter")
        assert ui.sessions.model.arrangement.scope == "here"
        await ui.press("full_stop")
        await ui.pilot.click("#menu", offset=(5, 1), times=2)
        await ui.settled()
        assert ui.sessions.model.arrangement.scope == "all"


async def test_in_the_selector_the_menus_are_in_the_palette(browser, three):
    async with browser(selector="") as ui:
        await ui.press("y")
        assert ui.screen.query_one("#filter").value == "y"
        await ui.press("backspace", "ctrl+k", *"view menu", "enter")
        await ui.until(lambda: ui.screen.query("#menu"), "the menu")
        await ui.press("s")
        assert ui.sessions.model.arrangement.scope == "all"


async def test_the_first_use_of_a_changed_key_says_what_it_does_now(browser, three, tells_changes):
    async with browser() as ui:
        for keys, told in (
            (["s"], "This key does nothing now"),
            (["y"], "This key opens a menu now; twice, it copies as before"),
            (["t"], "← leaf: the agent goes on from here"),
            (["home", "enter"], "Enter unfolds a project now"),
        ):
            await ui.press(*keys)
            await ui.until(lambda told=told: told in ui.text(), told)
            await ui.press("escape")
    async with browser() as ui:
        await ui.press("s", "y", "escape", "home", "enter")
        await ui.settled()
        assert ui.toasts() == []


async def test_a_new_user_is_not_told_of_changed_keys(browser, three, tells_changes):
    (three / "state").mkdir()
    for _ in range(2):
        async with browser() as ui:
            await ui.press("s", "home", "enter")
            await ui.settled()
            assert " now" not in ui.text()
            await ui.press("slash", *"redis", "enter", "escape")


async def test_alt_and_arrows_go_to_prompts_from_the_search_line(browser, three):
    async with browser() as ui:
        await ui.press("slash", *"redis")
        await ui.settled()
        await ui.until(lambda: "hit" in ui.text() or "prompt 2 of 2" in ui.text(), "the transcript")
        layout = ui.transcript.transcript
        before = layout.cursor
        await ui.press("alt+up")
        assert (ui.focus, layout.cursor < before) == ("filter", True)


async def test_the_settings_say_how_the_list_of_the_browser_begins(browser, three, tmp_path):
    (tmp_path / "config").mkdir()
    (tmp_path / "config/config.toml").write_text('scope = "here"\norder = "recent"\ngrouped = false\n')
    async with browser() as ui:
        assert ui.listed() == ["branchy", "plain"]
        assert "Sessions · this folder · recent" in ui.text()
    async with browser(selector="") as ui:
        assert "Resume · this folder · by thread" in ui.text(), "the selector begins as pi does"


async def test_what_is_hidden_is_shown_by_a_click_in_the_rule_of_the_tree(browser, three):
    async with browser() as ui:
        await ui.press("t")
        await ui.until(lambda: "hidden (. e)" in ui.text(), "the rule")
        line = ui.text().splitlines()[1]
        await ui.pilot.click(offset=(line.index("hidden") + 1, 1))
        await ui.until(lambda: "hidden (. e)" not in ui.text(), "the entries")


async def test_words_of_the_header_and_of_the_rule_are_clicked(browser, three):
    async with browser() as ui:
        for words, field, after in (
            ("all folders", "scope", "here"),
            ("this folder", "scope", "all"),
            ("all agents", "agent", "pi"),
        ):
            lines = ui.text().splitlines()
            y = next(y for y, line in enumerate(lines[:2]) if words in line)
            await ui.pilot.click(offset=(lines[y].index(words) + 1, y))
            await ui.settled()
            assert getattr(ui.sessions.model.arrangement, field) == after
        header = ui.text().splitlines()[0]
        await ui.pilot.click(offset=(header.index("by thread") + 1, 0))
        await ui.until(lambda: ui.screen.query("#menu"), "the orders")
