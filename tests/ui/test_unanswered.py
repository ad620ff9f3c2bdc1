"""Keys pressed before the search has answered apply to a matching session, and to no session that the list
happens to show until then.
"""

from __future__ import annotations

import threading

import pytest
from leafmark import Index
from textual import events

from app.controllers.resume_controller import ResumeController
from app.panes import sessions_pane
from app.services import resume_planner
from tests.factory import chain, stamp
from tests.ui.conftest import EDIT, QUESTION, pi_session
from tests.ui.test_key_order import together


@pytest.fixture
def may_answer(monkeypatch):
    """Searches answer only after this is set."""
    go = threading.Event()
    query = Index.query

    def query_later(self, *arguments, **options):
        go.wait()
        return query(self, *arguments, **options)

    monkeypatch.setattr(Index, "query", query_later)
    # the rows are not filtered by their own text meanwhile
    monkeypatch.setattr(sessions_pane, "FILTER_DELAY", 3_600)
    yield go
    go.set()


@pytest.fixture
def resumed(monkeypatch):
    """The ids and paths of the sessions that would be resumed."""
    ids = []
    monkeypatch.setattr(
        ResumeController, "resume_session", lambda self, row, plan: ids.append((row.id, plan.argv[-1]))
    )
    return ids


def ids(resumed):
    assert all(f"_{id}.jsonl" in path for id, path in resumed), "with its own plan"
    return [id for id, _ in resumed]


async def type_query(ui, *keys, query="man page"):
    """Type a query and press keys right after it. The first session of the list does not match."""
    assert ui.sessions.row.id == "branchy"
    await ui.press(*query)
    await ui.press(*keys)
    assert ui.box.value.startswith(query)


async def assert_resumes(ui, may_answer, resumed):
    """Let the search answer, and check that the matching session is resumed."""
    may_answer.set()
    await ui.until(lambda: resumed, "the session")
    assert ids(resumed) == ["plain"]


async def test_enter_waits_for_the_answer(browser, three, may_answer, resumed):
    async with browser(selector="") as ui:
        await type_query(ui, "enter")
        assert resumed == []
        await assert_resumes(ui, may_answer, resumed)
        assert ui.listed() == ["plain"]


async def test_enter_after_the_query_of_the_command_line_waits(browser, three, may_answer, resumed):
    async with browser(selector="done", settle=False) as ui:
        together(ui, "enter")
        await ui.until(lambda: ui.screen.feed.scanned, "the sessions")
        assert resumed == []
        await assert_resumes(ui, may_answer, resumed)


def add_newest(three):
    """A session with the words in a message but not in its row."""
    lines = chain("newest", "the man page", id="newest")
    lines[-1]["timestamp"] = stamp(99)
    pi_session(three, *lines, id="newest")


async def test_until_the_answer_matching_rows_are_shown(browser, three, may_answer):
    async with browser(selector="man", settle=False) as ui:
        await ui.until(lambda: ui.screen.feed.scanned, "the sessions")
        assert ui.listed() == ["plain"]
        assert "1 of 2 · …" in ui.text()
    async with browser(selector="has:label", settle=False) as ui:
        await ui.until(lambda: ui.screen.feed.scanned, "the sessions")
        assert ui.listed() == []
        assert "Searching for “has:label” …" in ui.text()
        assert " of 2" not in ui.text()
        assert "resume" not in ui.text().splitlines()[-1]
        may_answer.set()
        await ui.until(lambda: ui.listed() == ["branchy"], "the answer")
        assert "1 of 2" in ui.text()


async def test_the_answer_to_a_query_of_the_command_line_moves_the_cursor_to_the_top(
    browser, three, may_answer
):
    lines = chain("newest", "ok", id="manual")
    lines[-1]["timestamp"] = stamp(99)
    pi_session(three, *lines, id="manual")
    async with browser(selector="man", settle=False) as ui:
        await ui.until(lambda: ui.screen.feed.scanned, "the sessions")
        assert ui.listed() == ["manual", "plain"]
        assert ui.sessions.row.id == "manual"
        may_answer.set()
        await ui.until(lambda: ui.listed() == ["plain", "manual"], "the answer, with a title first")
        assert ui.sessions.row.id == "plain"


async def test_the_answer_does_not_move_a_cursor_that_was_moved(browser, three, may_answer):
    pi_session(three, *chain("another man page", "ok", id="other"), id="other")
    add_newest(three)
    async with browser(selector="man", settle=False) as ui:
        await ui.until(lambda: ui.screen.feed.scanned and len(ui.listed()) == 2, "the sessions")
        await ui.press("down")
        chosen = ui.sessions.row.id
        may_answer.set()
        await ui.until(lambda: len(ui.listed()) == 3, "the answer")
        assert ui.sessions.row.id == chosen


async def test_escape_before_the_answer_shows_all(browser, three, may_answer):
    async with browser(selector="has:label", settle=False) as ui:
        await ui.until(lambda: ui.screen.feed.scanned, "the sessions")
        await ui.press("escape")
        assert len(ui.listed()) == 2
        may_answer.set()
        await ui.settled()
        assert len(ui.listed()) == 2


async def test_a_wrong_query_of_the_command_line_leaves_all_rows(browser, three):
    async with browser(selector="re:(") as ui:
        await ui.until(lambda: "not a regular expression" in ui.text(), "the answer")
        assert len(ui.listed()) == 2
        await ui.press(*"x")
        await ui.settled()
        assert len(ui.listed()) == 2, "as they were"


async def test_enter_typed_ahead_with_the_query_waits(browser, three, may_answer, resumed):
    async with browser(selector="") as ui:
        together(ui, *"done", "enter")
        await ui.until(lambda: ui.box.value == "done", "the letters")
        await assert_resumes(ui, may_answer, resumed)


async def test_enter_after_a_pasted_query_waits(browser, three, may_answer, resumed):
    async with browser(selector="") as ui:
        ui.app.post_message(events.Paste("done"))
        together(ui, "enter")
        await ui.until(lambda: ui.box.value == "done", "the text")
        await assert_resumes(ui, may_answer, resumed)


async def test_enter_in_the_browser_waits_wherever_its_cursor_is(browser, three, may_answer, resumed):
    async with browser() as ui:
        await ui.press("home", "slash", *"done", "enter")
        assert ui.sessions.row is None, "on a head"
        assert ui.focus == "sessions"
        await ui.press("enter")
        assert len(ui.listed()) == 5, "which stays open"
        await assert_resumes(ui, may_answer, resumed)


async def test_enter_is_kept_when_the_answer_moves_the_cursor(
    browser, three, may_answer, resumed, monkeypatch
):
    go, plan = threading.Event(), resume_planner.plan_now

    def plan_later(*arguments):
        go.wait()
        return plan(*arguments)

    monkeypatch.setattr(resume_planner, "plan_now", plan_later)
    async with browser(selector="", settle=False) as ui:
        await ui.until(lambda: ui.screen.feed.scanned and ui.sessions.row is not None, "the sessions")
        await type_query(ui, "enter")
        may_answer.set()
        await ui.until(lambda: ui.listed() == ["plain"], "the answer")
        assert resumed == []
        go.set()
        await ui.until(lambda: resumed, "the session")
        assert ids(resumed) == ["plain"]


async def test_enter_without_a_match_does_nothing(browser, three, may_answer, resumed):
    async with browser(selector="") as ui:
        await type_query(ui, "enter", query="zebra")
        may_answer.set()
        await ui.until(lambda: "No session matches “zebra”." in ui.text(), "the notice")
        await ui.press("escape")
        await ui.settled()
        assert ui.listed() == ["branchy", "plain"]
        assert resumed == []


async def test_enter_after_a_wrong_pattern_does_nothing(browser, three, may_answer, resumed):
    async with browser(selector="", size=(160, 45)) as ui:
        await type_query(ui, "enter", query="re:(")
        may_answer.set()
        await ui.until(lambda: "not a regular expression" in ui.text(), "why not")
        assert resumed == []


@pytest.mark.parametrize("keys", [["x"], ["down"], ["escape"], ["tab"], ["ctrl+n"], ["f1"], ["backspace"]])
async def test_another_key_after_enter_cancels_it(browser, three, may_answer, resumed, keys):
    async with browser(selector="") as ui:
        await type_query(ui, "enter")
        await ui.press(*keys)
        may_answer.set()
        await ui.until(lambda: ui.app.screen_stack[0].sessions_pane.is_answered, "the answer")
        if keys == ["f1"]:
            await ui.press("escape")
        await ui.settled()
        assert resumed == []


async def test_a_row_chosen_with_the_arrows_is_resumed(browser, three, may_answer, resumed):
    pi_session(three, *chain("one more page", "x", id="third"), id="third")
    async with browser(selector="") as ui:
        await ui.press(*"page", "down")
        chosen = ui.sessions.row.id
        assert chosen != "branchy"
        await ui.press("enter")
        may_answer.set()
        await ui.until(lambda: resumed, "the session")
        assert ids(resumed) == [chosen]


async def test_a_chosen_row_that_does_not_match_is_not_resumed(browser, three, may_answer, resumed):
    async with browser(selector="") as ui:
        await type_query(ui, "down", "enter", query="slower")
        assert ui.sessions.row.id == "plain"
        may_answer.set()
        await ui.until(lambda: any("Nothing was done" in toast for toast in ui.toasts()), "that")
        assert resumed == []
        assert ui.listed() == ["branchy"]
        await ui.settled()
        await ui.press("enter")
        assert ids(resumed) == ["branchy"]


async def test_a_row_chosen_before_the_query_does_not_count(browser, three, may_answer, resumed):
    async with browser(selector="") as ui:
        await ui.press("down", *"slower", "enter")
        may_answer.set()
        await ui.until(lambda: resumed, "the session")
        assert ids(resumed) == ["branchy"]


@pytest.mark.parametrize(
    ("keys", "has_acted"),
    [
        (["ctrl+d"], lambda ui: ui.is_in(QUESTION) and "write a man page" in ui.text()),
        (["ctrl+r"], lambda ui: ui.is_in(EDIT)),
        (["ctrl+y"], lambda ui: "_plain.jsonl" in ui.app.clipboard),
        (["insert"], lambda ui: ui.sessions.model.marked == {str(ui.path("plain"))}),
        (["shift+tab", "space"], lambda ui: ui.sessions.model.marked == {str(ui.path("plain"))}),
        (["shift+tab", "asterisk"], lambda ui: ui.sessions.model.marked == {str(ui.path("plain"))}),
        (["shift+tab", "y", "y"], lambda ui: ui.app.clipboard == "plain"),
        (["shift+tab", "Y"], lambda ui: ui.app.clipboard == str(ui.path("plain"))),
        (["shift+tab", "t"], lambda ui: not ui.selects and "❯  write a man page" in ui.text()),
        (["shift+tab", "p"], lambda ui: {id for _, id in ui.sessions.model.pins} == {"plain"}),
        (["shift+tab", "f"], lambda ui: len(ui.listed()) == 2),
        (["shift+tab", "F"], lambda ui: ui.screen.query("#folder-path")),
    ],
    ids=lambda keys: "-".join(keys) if isinstance(keys, list) else "",
)
async def test_every_key_about_a_session_waits(browser, three, may_answer, keys, has_acted):
    async with browser(selector="") as ui:
        await type_query(ui, *keys)
        assert ui.selects
        assert ui.app.clipboard == ""
        assert not ui.sessions.model.marked
        may_answer.set()
        await ui.until(lambda: has_acted(ui), "what the key does, to what matches")


async def test_two_waiting_keys_cancel_each_other(browser, three, may_answer, resumed):
    async with browser(selector="") as ui:
        await type_query(ui, "ctrl+d", "enter")
        assert any("Nothing was done" in toast for toast in ui.toasts())
        may_answer.set()
        await ui.until(lambda: ui.listed() == ["plain"], "the answer")
        await ui.settled()
        assert resumed == []
        assert ui.selects


async def test_a_key_pressed_twice_acts_once(browser, three, may_answer, resumed):
    async with browser(selector="") as ui:
        await type_query(ui, "enter", "enter")
        await assert_resumes(ui, may_answer, resumed)


async def test_enter_waits_for_the_answer_in_another_order(browser, three, may_answer, resumed):
    may_answer.set()
    async with browser(selector="") as ui:
        await ui.press(*"man page")
        await ui.until(lambda: ui.listed() == ["plain"], "the session")
        await ui.settled()
        may_answer.clear()
        await ui.press("ctrl+s", "enter")
        assert resumed == []
        await assert_resumes(ui, may_answer, resumed)


@pytest.mark.parametrize("selector", ["", None], ids=["selector", "browser"])
async def test_enter_waits_until_the_sessions_are_read(browser, three, monkeypatch, resumed, selector):
    go, rows = threading.Event(), Index.rows

    def rows_later(self):
        go.wait()
        return rows(self)

    monkeypatch.setattr(Index, "rows", rows_later)
    try:
        async with browser(selector=selector, settle=False) as ui:
            if selector is None:
                await ui.press("slash", *"done", "enter")
                await ui.until(lambda: ui.focus == "sessions", "the list")
                await ui.press("enter")
            else:
                await ui.press(*"done", "enter")
            assert resumed == []
            go.set()
            await ui.until(lambda: resumed, "the session")
            assert ids(resumed)[0] in ("plain", "site1")
            assert ui.sessions.row.id == ids(resumed)[0]
    finally:
        go.set()


async def test_the_effect_of_enter_is_shown_when_it_is_known(browser, three, may_answer):
    async with browser(selector="") as ui:
        assert "Cannot resume:" in ui.text().splitlines()[-2]
        await ui.press(*"done")
        ui.screen.refresh_bars()
        await ui.pilot.pause()
        assert not ui.text().splitlines()[-2].strip()
        may_answer.set()
        await ui.settled()
        await ui.until(lambda: "Cannot resume:" in ui.text().splitlines()[-2], "its effect")
