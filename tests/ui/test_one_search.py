"""One search covers everything: what only tool calls have is found without a key, and no row moves."""

from __future__ import annotations

import threading

import pytest

from app.index.search.search_run import SearchRun
from app.panes import sessions_pane
from app.services import session_search
from tests.factory import chain, message
from tests.ui.conftest import pi_session
from tests.waiting import PATIENCE


def tooled(path, number, text):
    """A session that has `text` in a tool call or its output only."""
    id = f"tool{number}"
    call = {"type": "toolCall", "id": "t", "name": "bash", "arguments": {"command": "ls"}}
    lines = chain("please begin", id=id)
    lines.append(message("a", "00000001", "assistant", "looking"))
    lines[-1]["message"]["content"].append(call)
    lines.append(message("b", "a", "toolResult", text, toolCallId="t", toolName="bash"))
    pi_session(path, *lines, id=id)


async def test_what_only_tool_calls_have_is_found_without_a_key(browser, tmp_path):
    texts = ("src/shop/auth.py:31", "session_token = None", "fatal: not logged in")
    for number, text in enumerate(texts):
        tooled(tmp_path, number, text)
    async with browser() as ui:
        for number, query in enumerate(("auth.py", "session_token", '"not logged in"')):
            await ui.press("slash", *query)
            await ui.until(lambda found=f"tool{number}": ui.listed() == [found], query)
            await ui.press("escape", "escape")


async def test_no_row_moves_after_the_cursor_was_moved(browser, tmp_path):
    for number in range(4):
        pi_session(tmp_path, *chain("please begin", "a zebra", id=f"s{number}"), id=f"s{number}")
    tooled(tmp_path, 9, "zebra")
    async with browser() as ui:
        await ui.press("slash", *"zebra")
        await ui.until(lambda: len(ui.listed()) == 5 and not ui.screen.sessions_pane.is_due, "all")
        assert ui.listed()[-1] == "tool9"
        assert ui.sessions.cursor == 0
        await ui.press("down")
        before, chosen = ui.listed(), ui.sessions.row.id
        # A session that would be the first joins the list at its end.
        pi_session(tmp_path, *chain("zebra in the title", "yes", id="new"), id="new")
        await ui.until(lambda: "new" in ui.listed(), "the new session")
        assert ui.listed() == [*before, "new"]
        assert ui.sessions.row.id == chosen


async def test_a_line_says_that_no_session_has_all_words(browser, tmp_path):
    pi_session(tmp_path, *chain("please begin", "a zebra", id="some"), id="some")
    async with browser() as ui:
        await ui.press("slash", *"zebra quaggax")
        await ui.until(
            lambda: ui.screen.sessions_pane.is_answered and not ui.screen.sessions_pane.is_due, "it"
        )
        assert ui.listed() == [], "the last word is being typed"
        await ui.press("space")
        await ui.until(lambda: ui.listed() == ["some"], "the session with one of the words")
        await ui.until(lambda: "No session has all words" in ui.text(), "the line")
        await ui.until(lambda: "without quaggax" in ui.text(), "the word that it lacks")


@pytest.fixture
def held_page(monkeypatch, tmp_path):
    """The first page of a search is shown; the others, with a better hit, come when this is set."""
    for number in range(300):
        pi_session(tmp_path, *chain("please begin", "a zebra", id=f"s{number}"), id=f"s{number}")
    best = chain("zebra in the title", "yes", id="best")
    for line in best:
        line["timestamp"] = "2020-01-01T00:00:00.000Z"
    pi_session(tmp_path, *best, id="best")
    go_on, pages_of = threading.Event(), SearchRun.__iter__

    def pages(run):
        pages = pages_of(run)
        if run.query.text == "zebra":
            first = next(pages)
            assert first.is_provisional
            yield first
            assert go_on.wait(PATIENCE)
        yield from pages

    monkeypatch.setattr(SearchRun, "__iter__", pages)
    monkeypatch.setattr(session_search, "FIRST_SECONDS", 0)
    for module in (session_search, sessions_pane):
        monkeypatch.setattr(module, "PROVISIONAL_SECONDS", PATIENCE)
    yield go_on
    go_on.set()


@pytest.mark.parametrize("cause", ["nothing", "a key", "the time"])
async def test_only_the_first_page_moves_and_not_after_a_key_or_its_time(
    browser, held_page, monkeypatch, cause
):
    async with browser() as ui:
        await ui.press("slash", *"zebra")
        await ui.until(lambda: "best" not in ui.listed() and ui.screen.sessions_pane.is_answered, "a page")
        before = ui.listed()
        if cause == "a key":
            await ui.press("down")
        elif cause == "the time":
            monkeypatch.setattr(sessions_pane, "PROVISIONAL_SECONDS", 0)
        chosen = ui.sessions.row.id
        held_page.set()
        await ui.until(lambda: not ui.screen.sessions_pane.is_due, "all pages")
        assert len(ui.listed()) == 301
        if cause == "nothing":
            assert ui.listed()[0] == ui.sessions.row.id == "best"
        else:
            assert (ui.listed()[: len(before)], ui.sessions.row.id) == (before, chosen)
            assert "best" in ui.listed()[len(before) :]
