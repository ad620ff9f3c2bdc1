"""Keys that come before the search has answered: they are about what matches what is typed, and about no
session that the list happens to show until then.
"""

from __future__ import annotations

import threading

import pytest
from textual import events

from app.screens import sessions_side
from app.screens.asking_screen import RowEditor, RowQuestion
from app.screens.resuming_screen import ResumingScreen
from app.services.index_service import IndexService
from app.services.resume_planner import ResumePlanner
from app.services.session_search import SessionSearch
from tests.factory import chain, stamp
from tests.ui.conftest import pi_session
from tests.ui.test_key_order import together


@pytest.fixture
def held(monkeypatch):
    """A search answers when the test lets it."""
    go = threading.Event()
    search = SessionSearch._search

    def waits(self, *about):
        go.wait()
        search(self, *about)

    monkeypatch.setattr(SessionSearch, "_search", waits)
    # and nothing shows what the rows alone say to it
    monkeypatch.setattr(sessions_side, "FILTER_DELAY", 3_600)
    yield go
    go.set()


@pytest.fixture
def resumed(monkeypatch):
    """The ids of what is resumed, instead of doing it."""
    ids = []
    monkeypatch.setattr(
        ResumingScreen, "_resume", lambda self, row, plan: ids.append((row.id, plan.argv[-1]))
    )
    return ids


def ids(resumed):
    assert all(f"_{id}.jsonl" in path for id, path in resumed), "with its own plan"
    return [id for id, _ in resumed]


async def asked(ui, *keys, of="man page"):
    """Type, and press keys at once behind it; the first session of the list does not match."""
    assert ui.sessions.row.id == "branchy"
    await ui.press(*of)
    await ui.press(*keys)
    assert ui.box.value.startswith(of)


async def goes_on(ui, held, resumed):
    """The search answers, and the session that matches is resumed."""
    held.set()
    await ui.until(lambda: resumed, "the session")
    assert ids(resumed) == ["plain"]


async def test_enter_waits_for_the_answer(browser, three, held, resumed):
    async with browser(selector="") as ui:
        await asked(ui, "enter")
        assert resumed == []
        await goes_on(ui, held, resumed)
        assert ui.listed() == ["plain"]


async def test_enter_behind_the_query_of_the_command_line_waits(browser, three, held, resumed):
    async with browser(selector="done", settle=False) as ui:
        together(ui, "enter")
        await ui.until(lambda: ui.screen.scanned, "the sessions")
        assert resumed == []
        await goes_on(ui, held, resumed)


def newest(three):
    """A session that says what is looked for, and not in its row."""
    lines = chain("newest", "the man page", id="newest")
    lines[-1]["timestamp"] = stamp(99)
    pi_session(three, *lines, id="newest")


async def test_until_the_answer_the_query_of_the_command_line_shows_what_its_rows_say(browser, three, held):
    async with browser(selector="man", settle=False) as ui:
        await ui.until(lambda: ui.screen.scanned, "the sessions")
        assert ui.listed() == ["plain"]
        assert "1 of 2 · …" in ui.text()
    async with browser(selector="has:label", settle=False) as ui:
        await ui.until(lambda: ui.screen.scanned, "the sessions")
        assert ui.listed() == []
        assert "Searching for “has:label” …" in ui.text()
        assert " of 2" not in ui.text()
        assert "resume" not in ui.text().splitlines()[-1]
        held.set()
        await ui.until(lambda: ui.listed() == ["branchy"], "the answer")
        assert "1 of 2" in ui.text()


async def test_the_answer_to_the_query_of_the_command_line_puts_the_cursor_on_top(browser, three, held):
    newest(three)
    async with browser(selector="man", settle=False) as ui:
        await ui.until(lambda: ui.screen.scanned, "the sessions")
        assert ui.sessions.row.id == "plain", "whose title says it"
        held.set()
        await ui.until(lambda: len(ui.listed()) == 2, "the answer")
        assert ui.sessions.row.id == ui.listed()[0] == "newest"


async def test_the_answer_leaves_a_cursor_that_was_moved(browser, three, held):
    pi_session(three, *chain("another man page", "ok", id="other"), id="other")
    newest(three)
    async with browser(selector="man", settle=False) as ui:
        await ui.until(lambda: ui.screen.scanned and len(ui.listed()) == 2, "the sessions")
        await ui.press("down")
        chosen = ui.sessions.row.id
        held.set()
        await ui.until(lambda: len(ui.listed()) == 3, "the answer")
        assert ui.sessions.row.id == chosen


async def test_escape_before_the_answer_shows_all(browser, three, held):
    async with browser(selector="has:label", settle=False) as ui:
        await ui.until(lambda: ui.screen.scanned, "the sessions")
        await ui.press("escape")
        assert len(ui.listed()) == 2
        held.set()
        await ui.settled()
        assert len(ui.listed()) == 2


async def test_a_query_of_the_command_line_that_cannot_be_run_leaves_all_rows(browser, three):
    async with browser(selector="re:(") as ui:
        await ui.until(lambda: "not a regular expression" in ui.text(), "the answer")
        assert len(ui.listed()) == 2
        await ui.press(*"x")
        await ui.settled()
        assert len(ui.listed()) == 2, "as they were"


async def test_enter_typed_in_one_go_with_the_query_waits(browser, three, held, resumed):
    async with browser(selector="") as ui:
        together(ui, *"done", "enter")
        await ui.until(lambda: ui.box.value == "done", "the letters")
        await goes_on(ui, held, resumed)


async def test_enter_behind_a_pasted_query_waits(browser, three, held, resumed):
    async with browser(selector="") as ui:
        ui.app.post_message(events.Paste("done"))
        together(ui, "enter")
        await ui.until(lambda: ui.box.value == "done", "the text")
        await goes_on(ui, held, resumed)


async def test_enter_in_the_browser_waits_wherever_its_cursor_is(browser, three, held, resumed):
    async with browser() as ui:
        await ui.press("home", "slash", *"done", "enter")
        assert ui.sessions.row is None, "on a head"
        assert ui.focus == "sessions"
        await ui.press("enter")
        assert len(ui.listed()) == 5, "which stays open"
        await goes_on(ui, held, resumed)


async def test_enter_is_not_lost_when_the_answer_moves_the_cursor(browser, three, held, resumed, monkeypatch):
    go, plan = threading.Event(), ResumePlanner._plan

    def waits(self, generation, row):
        go.wait()
        plan(self, generation, row)

    monkeypatch.setattr(ResumePlanner, "_plan", waits)
    async with browser(selector="", settle=False) as ui:
        await ui.until(lambda: ui.screen.scanned and ui.sessions.row is not None, "the sessions")
        await asked(ui, "enter")
        held.set()
        await ui.until(lambda: ui.listed() == ["plain"], "the answer")
        assert resumed == []
        go.set()
        await ui.until(lambda: resumed, "the session")
        assert ids(resumed) == ["plain"]


async def test_enter_where_nothing_matches_does_nothing(browser, three, held, resumed):
    async with browser(selector="") as ui:
        await asked(ui, "enter", of="zebra")
        held.set()
        await ui.until(lambda: "No session matches “zebra”." in ui.text(), "the notice")
        await ui.press("escape")
        await ui.settled()
        assert ui.listed() == ["branchy", "plain"]
        assert resumed == []


async def test_enter_behind_a_wrong_pattern_does_nothing(browser, three, held, resumed):
    async with browser(selector="", size=(160, 45)) as ui:
        await asked(ui, "enter", of="re:(")
        held.set()
        await ui.until(lambda: "not a regular expression" in ui.text(), "why not")
        assert resumed == []


@pytest.mark.parametrize("keys", [["x"], ["down"], ["escape"], ["tab"], ["ctrl+n"], ["f1"], ["backspace"]])
async def test_what_is_done_after_enter_takes_it_back(browser, three, held, resumed, keys):
    async with browser(selector="") as ui:
        await asked(ui, "enter")
        await ui.press(*keys)
        held.set()
        await ui.until(lambda: ui.app.screen_stack[0].side.is_answered, "the answer")
        if keys == ["f1"]:
            await ui.press("escape")
        await ui.settled()
        assert resumed == []


async def test_the_row_on_which_the_user_went_is_the_one_that_is_meant(browser, three, held, resumed):
    pi_session(three, *chain("one more page", "x", id="third"), id="third")
    async with browser(selector="") as ui:
        await ui.press(*"page", "down")
        chosen = ui.sessions.row.id
        assert chosen != "branchy"
        await ui.press("enter")
        held.set()
        await ui.until(lambda: resumed, "the session")
        assert ids(resumed) == [chosen]


async def test_where_that_row_does_not_match_nothing_is_resumed_and_that_is_said(
    browser, three, held, resumed
):
    async with browser(selector="") as ui:
        await asked(ui, "down", "enter", of="slower")
        assert ui.sessions.row.id == "plain"
        held.set()
        await ui.until(lambda: any("Nothing was done" in toast for toast in ui.toasts()), "that")
        assert resumed == []
        assert ui.listed() == ["branchy"]
        await ui.settled()
        await ui.press("enter")
        assert ids(resumed) == ["branchy"]


async def test_a_row_chosen_before_the_query_was_typed_is_not_meant(browser, three, held, resumed):
    async with browser(selector="") as ui:
        await ui.press("down", *"slower", "enter")
        held.set()
        await ui.until(lambda: resumed, "the session")
        assert ids(resumed) == ["branchy"]


@pytest.mark.parametrize(
    ("keys", "done"),
    [
        (["ctrl+d"], lambda ui: isinstance(ui.screen, RowQuestion) and "write a man page" in ui.text()),
        (["ctrl+r"], lambda ui: isinstance(ui.screen, RowEditor)),
        (["ctrl+y"], lambda ui: "_plain.jsonl" in ui.app.clipboard),
        (["insert"], lambda ui: ui.sessions.model.marked == {str(ui.path("plain"))}),
        (["shift+tab", "space"], lambda ui: ui.sessions.model.marked == {str(ui.path("plain"))}),
        (["shift+tab", "asterisk"], lambda ui: ui.sessions.model.marked == {str(ui.path("plain"))}),
        (["shift+tab", "y"], lambda ui: ui.app.clipboard == "plain"),
        (["shift+tab", "Y"], lambda ui: ui.app.clipboard == str(ui.path("plain"))),
        (["shift+tab", "t"], lambda ui: not ui.selects and "❯   write a man page" in ui.text()),
        (["shift+tab", "p"], lambda ui: {id for _, id in ui.sessions.model.pins} == {"plain"}),
        (["shift+tab", "f"], lambda ui: len(ui.listed()) == 2),
        (["shift+tab", "F"], lambda ui: ui.screen.query("#folder-path")),
    ],
    ids=lambda each: "-".join(each) if isinstance(each, list) else "",
)
async def test_every_key_that_is_about_the_session_waits_as_well(browser, three, held, keys, done):
    async with browser(selector="") as ui:
        await asked(ui, *keys)
        assert ui.selects
        assert ui.app.clipboard == ""
        assert not ui.sessions.model.marked
        held.set()
        await ui.until(lambda: done(ui), "what the key does, to what matches")


async def test_of_two_keys_that_would_have_to_wait_neither_acts(browser, three, held, resumed):
    async with browser(selector="") as ui:
        await asked(ui, "ctrl+d", "enter")
        assert any("Nothing was done" in toast for toast in ui.toasts())
        held.set()
        await ui.until(lambda: ui.listed() == ["plain"], "the answer")
        await ui.settled()
        assert resumed == []
        assert ui.selects


async def test_a_key_that_is_pressed_twice_acts_once(browser, three, held, resumed):
    async with browser(selector="") as ui:
        await asked(ui, "enter", "enter")
        await goes_on(ui, held, resumed)


async def test_a_wider_search_is_waited_for(browser, three, held, resumed):
    held.set()
    async with browser(selector="") as ui:
        await ui.press(*"man page")
        await ui.until(lambda: ui.listed() == ["plain"], "the session")
        await ui.settled()
        held.clear()
        await ui.press("ctrl+t", "enter")
        assert resumed == []
        await goes_on(ui, held, resumed)


@pytest.mark.parametrize("selector", ["", None], ids=["selector", "browser"])
async def test_before_the_sessions_are_read_it_waits_for_them(browser, three, monkeypatch, resumed, selector):
    go, run = threading.Event(), IndexService._run

    def waits(self):
        go.wait()
        run(self)

    monkeypatch.setattr(IndexService, "_run", waits)
    try:
        async with browser(selector=selector, settle=False) as ui:
            keys = [*"done", "enter"] if selector is not None else ["slash", *"done", "enter", "enter"]
            await ui.press(*keys)
            assert resumed == []
            go.set()
            await ui.until(lambda: resumed, "the session")
            assert ids(resumed)[0] in ("plain", "site1")
            assert ui.sessions.row.id == ids(resumed)[0]
    finally:
        go.set()


async def test_what_enter_would_do_is_said_once_it_is_known(browser, three, held):
    async with browser(selector="") as ui:
        assert "the folder /work/app is gone" in ui.text().splitlines()[-2]
        await ui.press(*"done")
        ui.screen.refresh_bars()
        await ui.pilot.pause()
        assert not ui.text().splitlines()[-2].strip()
        held.set()
        await ui.settled()
        await ui.until(lambda: "the folder /work/app" in ui.text().splitlines()[-2], "what it would do")


async def test_making_ready_does_not_drop_a_search_that_was_asked(browser, three, resumed, monkeypatch):
    jobs = []
    async with browser(selector="") as ui:
        search = ui.screen.side._search
        monkeypatch.setattr(search, "_is_prepared", False)
        monkeypatch.setattr(search._worker, "submit", lambda job, **how: jobs.append(job))
        search.search("done")
        search.prepare()
        assert len(jobs) == 1
