"""The message that offers undo names a key only where that key undoes, and the cursor goes to the result."""

from __future__ import annotations

import pytest

import app.actions.row_actions
from tests.ui.test_under_way import Gate

UNDO = [({"selector": ""}, "Ctrl+_"), ({}, "z")]
"""Options of `browser`, and the undo key of the screen that they open."""


@pytest.mark.parametrize(("way", "key"), UNDO)
async def test_the_offer_ends_with_the_next_key_and_the_cursor_goes_to_what_came_back(
    browser, three, way, key
):
    async with browser(**way) as ui:
        title, path = ui.sessions.row.title, ui.sessions.row.path
        await ui.press("ctrl+d", "enter")
        await ui.until(lambda: f'✓ Trashed "{title}" ({key} to undo)' in ui.text(), "the offer")
        await ui.press("down")
        assert "to undo" not in ui.text()
        await ui.press("ctrl+underscore")
        await ui.until(lambda: f'✓ Undone: trash of "{title}"' in ui.text(), "the word")
        await ui.until(lambda: ui.sessions.row.path == path, "the cursor on the session")


async def test_after_a_fork_the_cursor_is_on_it_and_after_its_undo_on_the_session_of_before(browser, three):
    async with browser() as ui:
        row = ui.sessions.row
        await ui.press("f")
        await ui.until(lambda: f'✓ Forked "{row.title}" (z to undo)' in ui.text(), "the word")
        await ui.until(lambda: ui.sessions.row.parent_session == row.path, "the cursor on the fork")
        await ui.press("z")
        await ui.until(lambda: f'Undone: fork of "{row.title}"' in ui.text(), "the word")
        await ui.until(lambda: ui.sessions.row.path == row.path, "the cursor on the session")


async def test_an_action_that_ends_below_a_dialog_offers_no_undo(browser, three, monkeypatch):
    gate = Gate(monkeypatch, app.actions.row_actions, "trash")
    async with browser() as ui:
        await ui.press("ctrl+d", "enter", "question_mark")
        gate.let()
        await ui.until(ui.toasts, "the word")
        assert ui.toasts() == ['Trashed "Refactor auth"']
