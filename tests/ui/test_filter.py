"""The filter of the browser: typed, kept, and taken off."""

from __future__ import annotations

from tests.ui.conftest import HERE


async def test_the_filter_narrows_while_typing_and_goes_with_escape(browser, three):
    async with browser() as it:
        await it.press("slash", "m", "a", "n")
        assert it.listed() == [f"[{HERE}]", "plain"]
        assert it.sessions.row.id == "plain"
        assert "1 of 3" in it.text()
        await it.press("escape")
        assert len(it.listed()) == 5
        assert it.focus == "sessions"


async def test_the_tree_follows_the_filter(browser, three):
    async with browser() as it:
        await it.press("slash", *"site1")
        await it.until(lambda: it.tree.view.tree.header.id == "site1", "the tree of the match")
        await it.until(lambda: it.screen.planned == it.sessions.row.path, "its plan")


async def test_a_kept_filter_goes_with_escape_from_the_list(browser, three):
    async with browser() as it:
        await it.press("slash", *"redis", "enter")
        assert it.focus == "sessions"
        assert it.listed() == [f"[{HERE}]", "branchy"]
        await it.press("escape")
        assert len(it.listed()) == 5


async def test_letters_that_are_commands_are_typed_into_the_filter(browser, three):
    async with browser() as it:
        await it.press("slash", "q", "j", "1", "question_mark")
        assert it.app.is_running
        assert it.screen.query_one("#filter").value == "qj1?"
        assert "No session matches" in it.text()


async def test_a_slash_in_the_filter_is_a_letter(browser, three):
    async with browser() as it:
        await it.press("slash", "slash", "w")
        assert it.screen.query_one("#filter").value == "/w"


async def test_arrows_move_the_list_while_the_filter_has_the_keys(browser, three):
    async with browser() as it:
        await it.press("slash", "d", "o", "n")
        await it.press("backspace", "backspace", "backspace", "down")
        assert it.focus == "filter"
        assert it.sessions.row.id == "plain"


async def test_a_word_is_deleted_to_the_left(browser, three):
    async with browser() as it:
        await it.press("slash", *"man page", "ctrl+w")
        assert it.screen.query_one("#filter").value == "man "


async def test_the_cursor_stays_on_its_session_through_a_filter(browser, three):
    async with browser() as it:
        await it.press("G")
        await it.press("slash", "s", "i", "t", "e", "escape")
        assert it.sessions.row.id == "site1"


async def test_a_typo_in_the_filter_does_not_move_the_cursor(browser, three):
    async with browser() as it:
        await it.press("down")
        await it.press("slash", *"zzz", "escape")
        assert it.sessions.row.id == "plain"
