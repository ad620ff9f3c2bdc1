"""The selector, key by key."""

from __future__ import annotations

import pytest
from textual import events

from tests.factory import chain, entry, write_session
from tests.ui.conftest import HERE, pi_session


@pytest.fixture
def four(three, tmp_path):
    """The sessions of `three`, and a fork of the first one."""
    fork = chain("fork of it", "yes", id="forked")
    fork[0]["parentSession"] = str(next(tmp_path.rglob("*branchy.jsonl")))
    pi_session(tmp_path, *fork, id="forked")
    return tmp_path


async def test_it_opens_on_this_folder_with_the_search_line_focused(browser, three):
    async with browser(selector="") as ui:
        assert ui.focus == "filter"
        assert ui.listed() == ["branchy", "plain"]
        assert "this folder" in ui.text()
        assert "Refactor auth" in ui.text()


async def test_tab_toggles_the_scope(browser, three):
    async with browser(selector="", size=(140, 40)) as ui:
        assert "Type to search, Tab for all folders" in ui.text()
        await ui.press("tab")
        assert sorted(ui.listed()) == ["branchy", "plain", "site1"]
        assert "/work/site" in ui.text()
        assert "Type to search, Tab for this folder only" in ui.text()
        await ui.press("tab")
        assert ui.listed() == ["branchy", "plain"]


async def test_typing_searches_and_the_arrows_move_the_cursor(browser, three):
    async with browser(selector="") as ui:
        await ui.press(*"done")
        await ui.until(lambda: ui.listed() == ["plain"], "what was said")
        await ui.press("escape")
        assert ui.box.value == ""
        assert ui.listed() == ["branchy", "plain"]
        await ui.press("down")
        assert ui.sessions.row.id == "plain"
        await ui.press("down", "down", "up")
        assert ui.sessions.row.id == "branchy"
        assert ui.focus == "filter"


async def test_escape_leaves_if_the_search_line_is_empty(browser, three):
    async with browser(selector="x") as ui:
        await ui.press("escape")
        assert not ui.has_ended
        await ui.press("escape")
        assert ui.has_ended
        assert ui.app.return_value is None


async def test_ctrl_s_cycles_the_order(browser, four):
    async with browser(selector="") as ui:
        orders = []
        for _ in range(9):
            orders.append((ui.sessions.model.arrangement.order, ui.listed()))
            await ui.press("ctrl+s")
        assert [order for order, _ in orders] == [
            *("threaded", "recent", "created", "cost", "tokens", "length", "size", "name"),
            "threaded",
        ]
        threaded = orders[0][1]
        assert threaded.index("forked") == threaded.index("branchy") + 1


async def test_ctrl_n_shows_only_named_sessions_and_names_the_way_back(browser, three, tmp_path):
    blank = [*chain("blank name", "x", id="blank"), entry("session_info", "q", "00000002", 13, name="   ")]
    pi_session(tmp_path, *blank, id="blank")
    async with browser(selector="") as ui:
        await ui.press("ctrl+n")
        assert ui.listed() == ["branchy"]
    async with browser(selector="", here="/work/site") as ui:
        await ui.press("ctrl+n")
        assert ui.listed() == []
        assert "Ctrl+N shows all sessions." in ui.text()
        assert "Tab shows all folders." in ui.text()
        await ui.press("tab")
        assert ui.listed() == ["branchy"]


NAMED = "Ctrl+N shows all sessions."
ELSEWHERE = "Tab shows all folders."


@pytest.mark.parametrize(
    ("start_folder", "keys", "text", "restriction", "ways"),
    [
        (HERE, ["ctrl+n"], "man page", "with a name", [NAMED]),
        ("/work/site", ["ctrl+n"], "dark", "with a name", [NAMED]),
        ("/work/site", ["ctrl+n"], "man page", "with a name in this folder", [NAMED, ELSEWHERE]),
    ],
)
async def test_the_setting_that_hides_a_match_is_named_with_its_key(
    browser, three, tmp_path, start_folder, keys, text, restriction, ways
):
    named = chain("other", "x", id="n", cwd="/work/site")
    named.append(entry("session_info", "q", "00000002", 13, name="N"))
    pi_session(tmp_path, *named, id="n", project="site")
    async with browser(selector="", here=start_folder, size=(160, 40)) as ui:
        await ui.press(*text)
        await ui.press(*keys)
        await ui.until(lambda: f"No session {restriction} matches “{text}”." in ui.text(), "what hides it")
        assert [way for way in (NAMED, ELSEWHERE) if way in ui.text()] == ways


async def test_a_key_of_the_list_is_named_with_the_way_there(browser, three, tmp_path):
    write_session(
        tmp_path / "home/.omp/agent/sessions/-work-app/2026_omp1.jsonl", *chain("of omp", "x", id="omp1")
    )
    async with browser(selector="", size=(160, 40)) as ui:
        await ui.press("shift+tab", "a", "slash", *"man page")
        await ui.until(lambda: "No session of this agent matches “man page”." in ui.text(), "what hides it")
        assert "Shift+Tab, then a shows the next agent." in ui.text()
        await ui.press("shift+tab")
        assert " a shows the next agent." in ui.text()
        assert "Shift+Tab, then" not in ui.text()


async def completion(ui):
    """Wait until the values of the sessions are collected, and the last word has a completion."""

    def is_offered():
        ui.screen.sessions_pane.offer_completion()
        return bool(ui.box.completes)

    await ui.until(is_offered, "the completion")


async def test_tab_completes_a_filter(browser, three):
    async with browser(selector="") as ui:
        await ui.press(*"lab", "right")
        assert ui.box.value == "label:"
        await ui.press(*"red")
        await completion(ui)
        assert "Tab complete" in ui.text().splitlines()[-1]
        await ui.press("tab")
        assert ui.box.value == 'label:"redis idea"'
        assert ui.sessions.model.arrangement.scope == "here", "the scope stays"
        await ui.until(lambda: ui.listed() == ["branchy"], "the session with the label")


async def test_tab_takes_the_name_that_is_shown_and_else_switches_the_scope(browser, three):
    async with browser(selector="", size=(160, 40)) as ui:
        await ui.press(*"dark mode")
        await ui.until(lambda: "dark mode → model:" in ui.text(), "the completion")
        assert "Tab complete" in ui.text().splitlines()[-1]
        await ui.press("tab")
        assert ui.box.value == "dark model:"
        await ui.press("ctrl+w", *"dark")
        await ui.until(lambda: "1 elsewhere does (Tab)" in ui.text(), "nothing to complete")
        await ui.press("tab")
        assert (ui.box.value, ui.focus) == ("dark dark", "filter")
        await ui.until(lambda: ui.listed() == ["site1"], "the session of another folder")


async def test_footer_and_notice_agree_about_tab(browser, three):
    async with browser(selector="", here="/work/site", size=(160, 40)) as ui:
        await ui.press(*"label:re")
        await completion(ui)
        await ui.until(lambda: "1 elsewhere does" in ui.text(), "nothing")
        assert "Tab complete" in ui.text().splitlines()[-1]
        assert "(Tab)" not in ui.text()
        assert "all folders" not in ui.text()
        await ui.press("left")
        assert "Tab all folders" in ui.text().splitlines()[-1]
        assert "1 elsewhere does (Tab)" in ui.text()
        await ui.press("end", "tab", "tab")
        assert ui.box.value == 'label:"redis idea"'
        await ui.until(lambda: ui.listed() == ["branchy"], "the session of another folder")


async def test_tab_completes_a_pasted_filter(browser, three):
    async with browser(selector="") as ui:
        ui.app.post_message(events.Paste("agent:om"))
        ui.app.post_message(events.Key("tab", "\t"))
        await ui.until(lambda: ui.box.value == "agent:omp", "the program")
        assert ui.sessions.model.arrangement.scope == "here"


@pytest.mark.parametrize("way", [{"selector": ""}, {}])
async def test_ctrl_t_says_that_it_is_not_needed(browser, three, way):
    async with browser(**way) as ui:
        await ui.press(*([] if way else ["slash"]), *"zebra", "ctrl+t")
        await ui.until(lambda: "Not needed: every search covers tool calls" in ui.text(), "the line")
        assert ui.box.value == "zebra"


@pytest.mark.parametrize("size", [(80, 24), (80, 12)])
async def test_all_suggestions_are_shown_completely(browser, three, tmp_path, size):
    named = chain("other", "x", id="n", cwd="/work/site")
    named.append(entry("session_info", "q", "00000002", 13, name="N"))
    pi_session(tmp_path, *named, id="n", project="site")
    async with browser(selector="", here="/work/site", size=size) as ui:
        await ui.press("ctrl+n", *"man page")
        await ui.until(lambda: ELSEWHERE in ui.text(), "the ways out")
        lines = [line.strip("│ ") for line in ui.text().splitlines()]
        assert [suggestion for suggestion in (NAMED, ELSEWHERE) if suggestion in lines] == [NAMED, ELSEWHERE]


async def test_shift_tab_focuses_the_list_where_letters_are_commands(browser, three):
    async with browser(selector="") as ui:
        await ui.press("shift+tab")
        assert ui.focus == "sessions"
        await ui.press("j")
        assert ui.sessions.row.id == "plain"
        await ui.press("slash")
        assert ui.focus == "filter"


async def test_empty_sessions_are_hidden_until_requested(browser, three, tmp_path):
    pi_session(tmp_path, chain(id="hollow")[0], id="hollow")
    async with browser(selector="") as ui:
        assert "hollow" not in ui.listed()
        assert "1 session hidden (.)" in ui.text()
        await ui.press("shift+tab", "full_stop")
        assert "hollow" in ui.listed()


async def test_the_density_is_remembered(browser, three):
    async with browser(selector="") as ui:
        await ui.press("shift+tab", "D")
        assert ui.sessions.row_height == 2
    async with browser(selector="") as ui:
        assert ui.sessions.row_height == 2
    async with browser() as ui:
        assert ui.sessions.row_height == 2


async def test_ctrl_p_shows_the_path_of_the_file(browser, three):
    async with browser(selector="", size=(80, 24)) as ui:
        await ui.press("ctrl+p")
        assert "/--work-app--/2026_plain.jsonl" in ui.text()
        assert ui.sessions.row_height == 2
        await ui.press("ctrl+p")
        assert "_plain.jsonl" not in ui.text()
        assert ui.sessions.row_height == 1
