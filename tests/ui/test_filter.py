"""The filter of the browser: typed, kept, and cleared."""

from __future__ import annotations

from tests.factory import chain
from tests.ui.conftest import pi_session


async def test_the_filter_narrows_while_typing_and_escape_clears_it(browser, three):
    async with browser() as ui:
        await ui.press("slash", "m", "a", "n")
        assert ui.listed() == ["plain"]
        assert ui.sessions.row.id == "plain"
        assert "1 of 3" in ui.text()
        await ui.press("escape")
        assert len(ui.listed()) == 5
        assert (ui.focus, ui.box.display) == ("filter", True)
        await ui.press("escape")
        assert (ui.focus, ui.box.display) == ("sessions", False)


async def test_escape_in_the_list_clears_a_kept_filter(browser, three):
    async with browser() as ui:
        await ui.press("slash", *"redis", "enter")
        assert ui.focus == "sessions"
        assert ui.listed() == ["branchy"]
        await ui.press("escape")
        assert len(ui.listed()) == 5
        assert ui.sessions.row.id == "branchy"


async def test_letters_that_are_commands_are_typed_into_the_filter(browser, three):
    async with browser() as ui:
        await ui.press("slash", "q", "j", "1", "question_mark", "slash")
        assert ui.app.is_running
        assert ui.screen.query_one("#filter").value == "qj1?/"
        assert "No session matches" in ui.text()


async def test_a_typo_in_the_filter_does_not_move_the_cursor(browser, three):
    async with browser() as ui:
        await ui.press("down")
        await ui.press("slash", *"zzz", "escape")
        assert ui.sessions.row.id == "plain"


async def test_sessions_that_the_list_hides_are_shown_if_a_filter_asks_for_them(browser, three, tmp_path):
    pi_session(tmp_path, chain(id="hollow")[0], id="hollow")
    async with browser() as ui:
        assert "hollow" not in ui.listed()
        await ui.press("slash", *"is:empty", "enter")
        await ui.until(lambda: ui.listed() == ["hollow"], "the empty session")
        await ui.press("escape")
        await ui.until(lambda: "hollow" not in ui.listed() and "plain" in ui.listed(), "the whole list")


async def test_the_end_of_a_search_unfolds_the_project_of_the_session(browser, three):
    async with browser() as ui:
        await ui.press("minus")
        await ui.until(lambda: "site1" not in ui.listed(), "folded projects")
        await ui.press("slash", *"dark", "enter", "escape")
        await ui.until(lambda: ui.listed()[-2:] == ["[/work/site]", "site1"], "the project of the session")
        assert ui.sessions.row.id == "site1"
        assert "branchy" not in ui.listed(), "other projects stay folded"


async def test_the_last_queries_come_back_in_an_empty_search_line(browser, three):
    async with browser() as ui:
        for number in range(11):
            await ui.press("slash", *f"man {number}", "escape", "escape")
        await ui.press("slash", *"redis", "enter", "escape", "slash", "up")
        assert ui.box.value == "redis"
        await ui.until(lambda: ui.listed() == ["branchy"], "the sessions that match")
        await ui.press("up")
        assert ui.box.value == "man 10"
        await ui.press("down", "down")
        assert ui.box.value == ""
        await ui.press("down")
        assert ui.sessions.row.id == "plain", "without a query that came back, the list moves"
        await ui.press("up", "x", "up")
        assert ui.box.value == "redisx", "another text stays"
        await ui.press("escape", "escape", "slash", *"man 9", "enter", "slash")
        assert ui.box.value == "man 9"
        await ui.until(lambda: "query-0=man 9" in (three / "state/screen").read_text(), "the saved query")
    async with browser() as ui:
        await ui.press("slash")
        await ui.until(lambda: ui.screen.sessions_pane.recent.saved_fields(), "the saved queries")
        seen = []
        for _ in range(12):
            await ui.press("up")
            seen.append(ui.box.value)
        assert seen[:3] == ["man 9", "redisx", "redis"]
        assert len(dict.fromkeys(seen)) == 10, "ten, each once"
    async with browser(selector="") as ui:
        await ui.until(lambda: ui.screen.sessions_pane.recent.saved_fields(), "the saved queries")
        await ui.press("down", "up")
        assert ui.box.value == "", "the list moves"
        await ui.press("up")
        assert ui.box.value == "man 9"
        await ui.press("escape", "up")
        assert ui.box.value == "man 9"


async def test_the_end_of_a_search_of_the_command_line_keeps_the_session(browser, three):
    async with browser(typed="dark", size=(80, 18)) as ui:
        await ui.until(lambda: ui.listed() == ["site1"], "the match")
        await ui.press("escape")
        assert ui.sessions.row.id == "site1"
        assert "plain" in ui.listed()
