"""The pane beside a project in the browser's list."""

from __future__ import annotations

import pytest

from tests.factory import chain, message
from tests.ui.conftest import HERE, pi_session


def shown(ui, text):
    return ui.until(lambda: text in ui.text(), text)


@pytest.mark.parametrize("size", [(120, 40), (80, 24), (40, 15)])
async def test_a_project_shows_its_sessions_labels_and_what_needs_the_user(browser, three, size):
    asked = [*chain("which colour", id="asks"), message("q", "00000000", "assistant", "Red or blue?", 5)]
    pi_session(three, *asked, id="asks")
    async with browser(size=size) as ui:
        await ui.press("home")
        if size[0] < 50:
            await ui.press("2")
        await shown(ui, f"{HERE} · project")
        await shown(ui, "Latest")
        assert "Tree" not in ui.text()
        assert "3 sessions · 3 pi" in ui.text()
        await ui.until(lambda: ui.screen.beside.project_pane.lines.items[-1].row is not None, "the rows")
        assert [item.words for item in ui.screen.beside.project_pane.lines.items if item.style == "group"][
            :2
        ] == [
            "Latest",
            "Labels  1",
        ]


async def test_an_entry_that_a_fork_carried_over_counts_once(browser, tmp_path):
    lines = chain("one", "answer", "two", "answer", id="parent")
    pi_session(tmp_path, *lines, id="parent")
    own = message("f", "00000004", "user", "three", 30)
    pi_session(tmp_path, *chain("one", "answer", "two", "answer", id="fork"), own, id="fork")
    async with browser(size=(160, 40)) as ui:
        await ui.press("home")
        await shown(ui, "2 sessions · 2 pi")
        await shown(ui, "3 prompts · 5 messages")


async def test_enter_goes_to_a_session_of_the_project_and_to_the_entry_of_a_label(browser, three):
    async with browser() as ui:
        await ui.press("home")
        await shown(ui, "◆ redis idea")
        await ui.press("tab")
        assert ui.focus == "project"
        assert "Enter go" in ui.text().splitlines()[-1]
        await ui.press("down", "enter")
        await ui.settled()
        assert ui.focus == "sessions"
        first = ui.sessions.row.id
        await ui.press("home")
        await shown(ui, "Latest")
        await ui.press("tab", "up", "enter")
        await ui.settled()
        assert {first, ui.sessions.row.id} == {"branchy", "plain"}
        await ui.press("home")
        await shown(ui, "Latest")
        await ui.press("tab", "G", "enter")
        shown_entry = ui.transcript.transcript.ref
        await ui.until(lambda: shown_entry() and shown_entry().anchor.entry_id == "e", "the labelled entry")
        assert (ui.sessions.row.id, ui.focus) == ("branchy", "transcript")


async def test_the_pane_follows_the_project_and_ends_with_the_row(browser, three):
    async with browser() as ui:
        await ui.press("home")
        await shown(ui, "2 sessions · 2 pi")
        pi_session(three, *chain("a third task", "done", id="third"), id="third")
        await shown(ui, "3 sessions · 3 pi")
        await shown(ui, "a third task")
        await ui.press("down")
        await ui.until(lambda: "prompt 2 of 2" in ui.text(), "the transcript again")
        assert "· project" not in ui.text()
