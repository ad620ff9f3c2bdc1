"""The selector, key by key."""

from __future__ import annotations

import pytest
from textual import events

from tests.factory import chain, entry, write_session
from tests.ui.conftest import HERE, pi_session


@pytest.fixture
def four(three, tmp_path):
    """Three of `three`, and a fork of the first of them."""
    fork = chain("fork of it", "yes", id="forked")
    fork[0]["parentSession"] = str(next(tmp_path.rglob("*branchy.jsonl")))
    pi_session(tmp_path, *fork, id="forked")
    return tmp_path


async def test_it_opens_on_this_folder_with_the_keys_in_the_line(browser, three):
    async with browser(selector="") as it:
        assert it.focus == "filter"
        assert it.listed() == ["branchy", "plain"]
        assert "this folder" in it.text()
        assert "Refactor auth" in it.text()


async def test_tab_turns_the_scope_and_back(browser, three):
    async with browser(selector="") as it:
        await it.press("tab")
        assert sorted(it.listed()) == ["branchy", "plain", "site1"]
        assert "/work/site" in it.text()
        await it.press("tab")
        assert it.listed() == ["branchy", "plain"]


async def test_an_empty_folder_says_how_to_widen_and_does_not_switch(browser, three):
    async with browser(selector="", here="/work/nothing") as it:
        assert it.listed() == []
        assert "No sessions in this folder." in it.text()
        assert "Tab shows those of all folders." in it.text()
        await it.press("tab")
        assert len(it.listed()) == 3


async def test_typing_searches_and_the_arrows_move_meanwhile(browser, three):
    async with browser(selector="") as it:
        await it.press(*"done")
        await it.until(lambda: it.listed() == ["plain"], "what was said")
        await it.press("escape")
        assert it.box.value == ""
        assert it.listed() == ["branchy", "plain"]
        await it.press("down")
        assert it.sessions.row.id == "plain"
        await it.press("down", "down", "up")
        assert it.sessions.row.id == "branchy"
        assert it.focus == "filter"


async def test_the_query_of_the_command_line_is_looked_for(browser, three):
    async with browser(selector="slower") as it:
        await it.until(lambda: it.listed() == ["branchy"], "the session")
        assert it.box.value == "slower"


async def test_a_query_survives_another_scope(browser, three):
    async with browser(selector="") as it:
        await it.press(*"done", "tab")
        await it.until(lambda: sorted(it.listed()) == ["plain", "site1"], "those of all folders")
        assert it.box.value == "done"


async def test_escape_leaves_with_an_empty_line(browser, three):
    async with browser(selector="x") as it:
        await it.press("escape")
        assert not it.app._exit
        await it.press("escape")
        assert it.app._exit
        assert it.app.return_value is None


async def test_ctrl_s_turns_the_order(browser, four):
    async with browser(selector="") as it:
        orders = []
        for _ in range(4):
            orders.append((it.sessions.model.arrangement.order, it.listed()))
            await it.press("ctrl+s")
        assert [order for order, _ in orders] == ["threaded", "recent", "relevance", "threaded"]
        threaded = orders[0][1]
        assert threaded.index("forked") == threaded.index("branchy") + 1


async def test_ctrl_n_shows_only_named_ones_and_says_how_to_go_back(browser, three, tmp_path):
    blank = [*chain("blank name", "x", id="blank"), entry("session_info", "q", "00000002", 13, name="   ")]
    pi_session(tmp_path, *blank, id="blank")
    async with browser(selector="") as it:
        await it.press("ctrl+n")
        assert it.listed() == ["branchy"]
    async with browser(selector="", here="/work/site") as it:
        await it.press("ctrl+n")
        assert it.listed() == []
        assert "Ctrl+N shows those without one as well." in it.text()
        assert "Tab looks in all folders." in it.text()
        await it.press("tab")
        assert it.listed() == ["branchy"]


NAMED = "Ctrl+N shows those without one as well."
ELSEWHERE = "Tab looks in all folders."


@pytest.mark.parametrize(
    ("here", "keys", "text", "which", "ways"),
    [
        (HERE, ["ctrl+n"], "man page", "with a name", [NAMED]),
        ("/work/site", ["ctrl+n"], "dark", "with a name", [NAMED]),
        ("/work/site", [], "man page", "in this folder", [ELSEWHERE]),
        ("/work/site", ["ctrl+n"], "man page", "with a name in this folder", [NAMED, ELSEWHERE]),
    ],
)
async def test_what_hides_a_match_is_named_with_its_key(
    browser, three, tmp_path, here, keys, text, which, ways
):
    named = chain("other", "x", id="n", cwd="/work/site")
    named.append(entry("session_info", "q", "00000002", 13, name="N"))
    pi_session(tmp_path, *named, id="n", project="site")
    async with browser(selector="", here=here, size=(160, 40)) as it:
        await it.press(*text)
        await it.press(*keys)
        await it.until(lambda: f"No session {which} matches “{text}”." in it.text(), "what hides it")
        assert [way for way in (NAMED, ELSEWHERE) if way in it.text()] == ways


async def test_what_is_nowhere_is_not_promised_elsewhere(browser, three):
    async with browser(selector="") as it:
        await it.press(*"zebra")
        await it.until(lambda: "No session matches “zebra”." in it.text(), "that")
        assert "Tab looks" not in it.text()


async def test_a_key_of_the_list_is_said_with_the_way_there(browser, three, tmp_path):
    write_session(
        tmp_path / "home/.omp/agent/sessions/-work-app/2026_omp1.jsonl", *chain("of omp", "x", id="omp1")
    )
    async with browser(selector="", size=(160, 40)) as it:
        await it.press("shift+tab", "a", "slash", *"man page")
        await it.until(lambda: "No session of this program matches “man page”." in it.text(), "what hides it")
        assert "Shift+Tab, then a goes on to the next program." in it.text()
        await it.press("shift+tab")
        assert " a goes on to the next program." in it.text()
        assert "Shift+Tab, then" not in it.text()


async def test_tab_completes_a_filter_that_is_being_typed(browser, three):
    async with browser(selector="") as it:
        await it.press(*"lab", "right")
        assert it.box.value == "label:"
        await it.until(lambda: it.screen.side._completer._vocabulary is not None, "the labels")
        await it.press(*"red")
        await it.until(lambda: "Tab complete" in it.text().splitlines()[-1], "the completion")
        await it.press("tab")
        assert it.box.value == 'label:"redis idea"'
        assert it.sessions.model.arrangement.scope == "here", "the scope stays"
        await it.until(lambda: it.listed() == ["branchy"], "the session with the label")


async def test_tab_behind_a_word_that_may_begin_a_filter_looks_in_all_folders(browser, three):
    async with browser(selector="", size=(160, 40)) as it:
        await it.press(*"dark mode")
        await it.until(lambda: "matches “dark mode”." in it.text(), "nothing")
        assert "Tab looks in all folders." in it.text()
        assert "→ complete" in it.text().splitlines()[-1]
        assert "Tab all folders" in it.text().splitlines()[-1]
        await it.press("tab")
        assert it.box.value == "dark mode"
        await it.until(lambda: it.listed() == ["site1"], "the session of another folder")
        await it.press("right")
        assert it.box.value == "dark model:"


async def test_what_tab_does_is_what_footer_and_notice_say(browser, three):
    async with browser(selector="", here="/work/site", size=(160, 40)) as it:
        await it.until(lambda: it.screen.side._completer._vocabulary is not None, "the labels")
        await it.press(*"label:re")
        await it.until(lambda: "in this folder matches “label:re”." in it.text(), "nothing")
        assert "Tab complete" in it.text().splitlines()[-1]
        assert "Tab looks" not in it.text()
        assert "all folders" not in it.text()
        await it.press("left")
        assert "Tab all folders" in it.text().splitlines()[-1]
        assert "Tab looks in all folders." in it.text()
        await it.press("end", "tab", "tab")
        assert it.box.value == 'label:"redis idea"'
        await it.until(lambda: it.listed() == ["branchy"], "the session of another folder")


async def test_tab_completes_what_was_typed_in_one_go(browser, three):
    async with browser(selector="") as it:
        it.app.post_message(events.Paste("agent:om"))
        it.app.post_message(events.Key("tab", "\t"))
        await it.until(lambda: it.box.value == "agent:omp", "the program")
        assert it.sessions.model.arrangement.scope == "here"


async def test_an_unbalanced_quote_is_plain_text(browser, three):
    async with browser(selector="") as it:
        # no phrase: the words are apart, and the other way round
        await it.press(*'"page writ')
        await it.until(lambda: it.listed() == ["plain"], "the session")


async def test_a_wrong_pattern_says_so_and_keeps_the_rows(browser, three):
    async with browser(selector="", size=(160, 45)) as it:
        await it.press(*"re:(")
        await it.until(lambda: "not a regular expression" in it.text(), "why not")
        assert it.listed() == ["branchy", "plain"]


TOOLS = "Ctrl+T looks through tools as well."


@pytest.mark.parametrize("way", [{"selector": ""}, {}])
@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_where_nothing_is_found_it_is_said_that_tools_may_have_it(browser, three, way, size):
    async with browser(**way, size=size) as it:
        await it.press(*([] if way else ["slash"]), *"zebra")
        await it.until(lambda: TOOLS in it.sessions.notice, "the way out")
        assert it.sessions.notice == ["No session matches “zebra”.", TOOLS, "Esc drops the filter."]
        assert "looks through tools as" in it.text()
        await it.press("ctrl+t")
        await it.until(lambda: it.screen.side.is_answered and not it.screen.side.is_due, "an answer")
        assert it.sessions.notice == ["No session matches “zebra”.", "Esc drops the filter."]
        await it.press("ctrl+t")
        await it.until(lambda: TOOLS in it.sessions.notice, "the way out")


@pytest.mark.parametrize("query", ["in:thinking zebra", "tool:bash zebra", "label:zebra", "-in:tools zebra"])
async def test_of_tools_nothing_is_said_where_the_query_says_where_to_look(browser, three, query):
    async with browser(selector="", size=(160, 40)) as it:
        await it.press(*query)
        await it.until(lambda: "No session matches" in it.text(), "that")
        await it.until(lambda: it.screen.side.is_answered and not it.screen.side.is_due, "an answer")
        assert "Ctrl+T" not in " ".join(it.sessions.notice)


@pytest.mark.parametrize("size", [(80, 24), (80, 12)])
async def test_all_ways_out_are_said_at_once_and_whole(browser, three, tmp_path, size):
    named = chain("other", "x", id="n", cwd="/work/site")
    named.append(entry("session_info", "q", "00000002", 13, name="N"))
    pi_session(tmp_path, *named, id="n", project="site")
    async with browser(selector="", here="/work/site", size=size) as it:
        await it.press("ctrl+n", *"man page")
        await it.until(lambda: TOOLS in it.text(), "the ways out")
        lines = [line.strip("│ ") for line in it.text().splitlines()]
        assert [each for each in (NAMED, ELSEWHERE, TOOLS) if each in lines] == [NAMED, ELSEWHERE, TOOLS]


async def test_the_tier_of_tools_is_one_key_away(browser, three):
    async with browser(selector="") as it:
        await it.press("ctrl+t")
        assert "tools as well" in it.text()
        await it.press("ctrl+t")
        assert "tools as well" not in it.text()


async def test_the_preview_shows_the_end_of_the_active_branch(browser, three):
    async with browser(selector="") as it:
        await it.until(lambda: "faster" in it.text(), "the last answer")
        await it.press("down")
        await it.until(lambda: "write a man page" in it.text() and "done" in it.text(), "the other")


async def test_the_preview_opens_at_the_hit_and_says_where_it_is(browser, three):
    async with browser(selector="", size=(160, 45)) as it:
        await it.press(*"slower")
        await it.until(lambda: "not on the active path" in it.text(), "where it is")
        assert "branch 1 of 2" in it.text()


async def test_shift_tab_leads_to_the_list_where_letters_are_keys(browser, three):
    async with browser(selector="") as it:
        await it.press("shift+tab")
        assert it.focus == "sessions"
        await it.press("j")
        assert it.sessions.row.id == "plain"
        await it.press("slash")
        assert it.focus == "filter"


async def test_empty_sessions_are_hidden_until_they_are_asked_for(browser, three, tmp_path):
    pi_session(tmp_path, chain(id="hollow")[0], id="hollow")
    async with browser(selector="") as it:
        assert "hollow" not in it.listed()
        assert "1 hidden" in it.text()
        await it.press("shift+tab", "full_stop")
        assert "hollow" in it.listed()


async def test_what_is_roomy_is_remembered(browser, three):
    async with browser(selector="") as it:
        await it.press("shift+tab", "d")
        assert it.sessions.row_height == 2
    async with browser(selector="") as it:
        assert it.sessions.row_height == 2
    async with browser() as it:
        assert it.sessions.row_height == 2


async def test_ctrl_p_shows_the_path_of_the_file(browser, three):
    async with browser(selector="", size=(80, 24)) as it:
        await it.press("ctrl+p")
        assert "/--work-app--/2026_plain.jsonl" in it.text()
        assert it.sessions.row_height == 2
        await it.press("ctrl+p")
        assert "_plain.jsonl" not in it.text()
        assert it.sessions.row_height == 1


async def test_t_opens_the_browser_on_the_session_and_escape_comes_back(browser, three):
    async with browser(selector="") as it:
        await it.press("down", "shift+tab", "t")
        await it.until(lambda: not it.selects, "the browser")
        await it.settled()
        assert it.sessions.row.id == "plain"
        assert it.tree.view.tree.header.id == "plain"


async def test_the_browser_lists_all_folders_by_project(browser, three):
    async with browser() as it:
        await it.press("s")
        assert it.listed() == [f"[{HERE}]", "branchy", "plain"]
        await it.press("s", "o")
        assert sorted(it.listed()) == ["branchy", "plain", "site1"]
        await it.press("o", "a")
        assert it.sessions.model.arrangement.agent == "pi"
        await it.press("a")
        assert it.sessions.model.arrangement.agent == ""
