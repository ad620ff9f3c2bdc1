"""Changes by other programs in the selector's list. The cursor stays on its session; query and settings
outlast a rescan and a visit to the browser.
"""

from __future__ import annotations

import json
import threading

import pytest

from app.index import Page, Search
from app.services import session_search
from tests.factory import append, chain, message
from tests.ui.conftest import pi_session


@pytest.fixture
def many(tmp_path):
    """Sixty sessions of this folder; the text of every second one has the word cake."""
    for number in range(60):
        text = f"task {number:02} {'cake' if number % 2 else 'bread'}"
        lines = chain(text, "x", id=f"s{number:02}")
        lines[-1]["timestamp"] = f"2026-05-01T12:{59 - number:02}:00.000Z"
        pi_session(tmp_path, *lines, id=f"s{number:02}")
    return tmp_path


def state(ui):
    """Return the state that must stay the same: the session at the cursor, its screen line, query, scope."""
    sessions = ui.sessions
    return (
        sessions.row.id,
        sessions.cursor * sessions.row_height - sessions.scroll_offset.y,
        ui.box.value,
        sessions.model.arrangement.scope,
    )


def shown_row(ui, text):
    """The line of the list that contains the text."""
    rows = [line.split("│")[0] for line in ui.text().splitlines() if "│" in line]
    return next((row for row in rows if text in row), "")


async def go_down(ui, query):
    """Move down the list, after a query or without one."""
    if query:
        await ui.press(*query)
        await ui.until(lambda: len(ui.listed()) == 30, "what was found")
    await ui.press(*["down"] * 20)
    await ui.settled()
    assert ui.sessions.scroll_offset.y > 0 or ui.sessions.cursor < ui.sessions.size.height


@pytest.mark.parametrize(("query", "poll"), [("", "1"), ("cake", "")])
async def test_the_cursor_stays_on_its_session_through_changes(
    browser, many, tmp_path, monkeypatch, query, poll
):
    monkeypatch.setenv("LEAFMARK_POLL", poll)
    async with browser(selector="", size=(120, 24)) as ui:
        await go_down(ui, query)
        before = state(ui)
        count = len(ui.listed())

        pi_session(tmp_path, *chain("brand new cake", "x", id="fresh"), id="fresh")
        await ui.until(lambda: "fresh" in ui.listed(), "a session that appears")
        assert len(ui.listed()) == count + 1
        assert state(ui)[0] == before[0]
        assert state(ui)[2:] == before[2:]

        grown = ui.path(ui.sessions.row.id)
        append(grown, message("more", "00000002", "user", "and more", 2))
        await ui.until(lambda: ui.sessions.row.message_count == 3, "one that grows")
        assert state(ui)[0] == before[0]
        await ui.until(lambda: "and more" in ui.text(), "what came, in the preview")

        above = ui.sessions.model.lines[ui.sessions.cursor - 1].row
        info = {"type": "session_info", "id": "n", "parentId": "00000002", "name": "Renamed cake"}
        append(ui.path(above.id), info | {"timestamp": "2026-05-01T10:02:00.000Z"})
        await ui.until(lambda: shown_row(ui, "Renamed cake"), "one that is renamed")
        assert state(ui)[0] == before[0]

        ui.path(above.id).unlink()
        await ui.until(lambda: above.id not in ui.listed(), "one that vanishes")
        assert state(ui)[0] == before[0]
        assert state(ui)[2:] == before[2:]
        assert ui.focus == "filter"


@pytest.mark.parametrize("query", ["", "cake"])
async def test_the_cursor_is_beside_its_session_when_that_vanishes(browser, many, query):
    async with browser(selector="", size=(120, 24)) as ui:
        await go_down(ui, query)
        cursor, removed = ui.sessions.cursor, ui.sessions.row
        ui.path(removed.id).unlink()
        await ui.until(lambda: removed.id not in ui.listed(), "its end")
        assert ui.sessions.cursor == cursor
        assert ui.box.value == query


async def test_a_session_that_begins_to_match_is_added(browser, many):
    async with browser(selector="", size=(120, 24)) as ui:
        await go_down(ui, "cake")
        before = state(ui)
        append(ui.path("s10"), message("more", "00000002", "assistant", "let them eat cake", 2))
        await ui.until(lambda: "s10" in ui.listed(), "the session")
        assert state(ui)[0] == before[0]


async def test_a_rescan_keeps_everything(browser, many):
    async with browser(selector="", size=(120, 24)) as ui:
        await ui.press("tab")
        await go_down(ui, "cake")
        before, top = state(ui), ui.sessions.scroll_offset.y
        await ui.press("f5")
        pi_session(ui.folder, *chain("another project", "x", id="far", cwd="/work/far"), id="far")
        await ui.until(lambda: ui.sessions.model.rows_with_id("far"), "the look")
        await ui.settled()
        assert (state(ui), ui.sessions.scroll_offset.y) == (before, top)


async def test_the_preview_and_the_browser_keep_everything(browser, many):
    async with browser(selector="", size=(120, 24)) as ui:
        await ui.press("tab")
        await go_down(ui, "cake")
        before, top, listed = state(ui), ui.sessions.scroll_offset.y, ui.listed()
        await ui.press("shift+tab", "shift+tab")
        assert ui.focus == "preview"
        await ui.press("pageup", "home", "end")
        assert state(ui) == before
        await ui.press("shift+tab", "shift+tab", "t")
        await ui.until(lambda: not ui.selects, "the tree")
        await ui.settled()
        assert ui.sessions.row.id == before[0]
        for _ in range(4):
            if not ui.selects:
                await ui.press("escape")
        assert ui.selects
        assert (state(ui), ui.sessions.scroll_offset.y, ui.listed()) == (before, top, listed)
        await ui.press("slash")
        assert ui.focus == "filter"
        assert ui.box.value == "cake"


async def test_the_selector_is_current_after_a_visit_to_the_browser(browser, many):
    async with browser(selector="", size=(120, 24)) as ui:
        await ui.press("shift+tab", "t")
        await ui.until(lambda: not ui.selects, "the tree")
        await ui.settled()
        path = ui.path("s03")
        append(path, message("more", "00000002", "user", "meanwhile", 90))
        await ui.until(
            lambda: (
                ui.sessions.model.row_at(str(path)) is not None
                and ui.sessions.model.row_at(str(path)).message_count == 3
            ),
            "the change",
        )
        for _ in range(4):
            if not ui.selects:
                await ui.press("escape")
        await ui.until(lambda: ui.sessions.model.row_at(str(path)).message_count == 3, "the same here")


@pytest.fixture
def may_end(monkeypatch):
    """A search for cake finds all sessions, and ends only after this is set."""
    go = threading.Event()
    run = Search.__iter__

    def pages(self):
        for page in run(self):
            if page.done and self.query.terms[0].text == "cake" and not go.is_set():
                yield Page(page.hits, page.total, page.searched, page.of, False, page.notes, {}, [], [])
                go.wait()
                if self.is_cancelled:
                    return
            yield page

    monkeypatch.setattr(Search, "__iter__", pages)
    # found sessions are shown at once
    monkeypatch.setattr(session_search, "FIRST_SECONDS", 0)
    yield go
    go.set()


@pytest.mark.parametrize("query", ["", "bread"])
async def test_a_search_interrupted_by_the_browser_is_repeated(browser, many, may_end, query):
    async with browser(selector="", size=(120, 24)) as ui:
        await ui.press(*"cake")
        await ui.until(lambda: len(ui.listed()) == 30, "what was found")
        side = ui.screen.sessions_pane
        await ui.press("shift+tab", "t")
        await ui.until(lambda: not ui.selects, "the tree")
        await ui.settled()
        await ui.press("shift+tab")
        assert ui.focus == "sessions"
        await ui.press("slash", *query)
        above = ui.screen.sessions_pane
        await ui.until(lambda: above.is_answered and not above.is_due, "the search over it")
        assert above.box.value == query
        assert side.is_due
        assert side.is_searching
        may_end.set()
        for _ in range(6):
            if not ui.selects:
                await ui.press("escape")
        assert ui.screen.sessions_pane is side
        await ui.until(lambda: not side.is_due, "the end of the search")
        assert not side.is_searching
        assert len(ui.listed()) == 30
        await ui.until(lambda: "30 of 60 · 30 hits ━" in ui.text(), "the number of hits")


@pytest.fixture
def searches(monkeypatch):
    """The query of every search."""
    requests = []
    search = session_search.SessionSearch.search

    def record_and_search(self, text, **options):
        requests.append(text)
        search(self, text, **options)

    monkeypatch.setattr(session_search.SessionSearch, "search", record_and_search)
    return requests


async def test_after_a_change_only_the_top_screen_searches_again(browser, many, searches):
    async with browser(selector="", size=(120, 24)) as ui:
        await ui.press(*"cake")
        await ui.until(lambda: len(ui.listed()) == 30, "what was found")
        side = ui.screen.sessions_pane
        await ui.press("shift+tab", "t")
        await ui.until(lambda: not ui.selects, "the tree")
        await ui.settled()
        await ui.press("shift+tab", "slash", *"bread")
        above = ui.screen.sessions_pane
        await ui.until(lambda: not above.is_due and len(ui.listed()) == 30, "what is found over it")
        searches.clear()
        late = message("late", "00000002", "user", "cake and bread", 30)
        append(ui.path("s40"), late | {"timestamp": "2026-06-01T10:00:00.000Z"})
        await ui.until(lambda: searches and not above.is_due, "the news")
        assert side.model.lines[0].row.id != "s40", "it is known there, and not looked for"
        # a search of the screen below would cancel it
        assert set(searches) == {"bread"}
        for _ in range(6):
            if not ui.selects:
                await ui.press("escape")
        assert ui.screen.sessions_pane is side
        await ui.until(lambda: "s40" in ui.listed(), "what was said meanwhile")
        assert len(ui.listed()) == 31
        assert "cake" in searches


async def test_a_question_stays_with_its_session_while_others_arrive(browser, many):
    async with browser(selector="", size=(120, 24)) as ui:
        await ui.press("down", "down")
        session_id = ui.sessions.row.id
        await ui.press("ctrl+d")
        pi_session(ui.folder, *chain("brand new", "x", id="fresh"), id="fresh")
        late = message("late", "00000002", "user", "the newest of all", 30)
        append(ui.path("s40"), late | {"timestamp": "2026-06-01T10:00:00.000Z"})
        select = ui.app.screen_stack[-2]
        model = select.model
        await ui.until(lambda: model.rows_with_id("fresh"), "another")
        await ui.until(lambda: model.lines[0].row.id == "s40", "the newest")
        path = ui.path(session_id)
        await ui.press("enter")
        await ui.until(lambda: not path.exists(), "the one that was asked for")
        assert len(list((ui.folder / "home").rglob("*.jsonl"))) == 60


async def test_an_edited_name_goes_to_its_session(browser, many):
    async with browser(selector="", size=(120, 24)) as ui:
        await ui.press("down", "down")
        path = ui.path(ui.sessions.row.id)
        await ui.press("ctrl+r", *"Mine")
        late = message("late", "00000002", "user", "the newest of all", 30)
        append(ui.path("s40"), late | {"timestamp": "2026-06-01T10:00:00.000Z"})
        model = ui.app.screen_stack[-2].model
        await ui.until(lambda: model.lines[0].row.id == "s40", "the newest")
        await ui.press("enter")
        await ui.until(lambda: "session_info" in path.read_text(), "the name")
        assert json.loads(path.read_text().splitlines()[-1])["name"] == "Mine"
