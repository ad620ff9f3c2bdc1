"""The details of a session, from the list."""

from __future__ import annotations

import pytest

from tests.ui.conftest import WAYS


@pytest.mark.parametrize("way", WAYS)
async def test_i_shows_the_details_of_the_session_and_copies_its_id(browser, three, way):
    async with browser(**way) as ui:
        if ui.selects:
            await ui.press("shift+tab")
        id = ui.sessions.row.id
        await ui.press("i")
        await ui.until(lambda: "Details: " in ui.text() and "bytes" in ui.text(), "the table")
        assert f"Id             {id}" in ui.text()
        await ui.press("y")
        await ui.until(lambda: "Details: " not in ui.text(), "the list again")
        assert (ui.app.clipboard, ui.focus) == (id, "sessions")
        await ui.press("i", "i")
        assert "Details: " not in ui.text()


@pytest.mark.parametrize("size", [(80, 24), (40, 15)])
async def test_the_details_scroll_on_a_small_screen(browser, three, size):
    async with browser(size=size) as ui:
        await ui.press("i")
        await ui.until(lambda: "Details: " in ui.text() and "Id" in ui.text(), "the table")
        await ui.press("G")
        await ui.until(lambda: "redis idea" in ui.text(), "the end")
