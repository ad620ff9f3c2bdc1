"""Which projects are open when the list is grouped by project: all if they fit, otherwise the first."""

from __future__ import annotations

import pytest

APP = ["[/work/app]", "branchy", "plain"]
SITE = ["[/work/site]", "site1"]


OPENED = [("tab", "shift+tab", "O"), ("shift+tab", "O", "shift+tab", "shift+tab", "tab")]


@pytest.mark.parametrize("keys", OPENED)
async def test_all_projects_are_open_if_they_fit(browser, three, keys):
    async with browser(selector="") as ui:
        await ui.press(*keys)
        assert ui.sessions.model.arrangement.scope == "all"
        assert ui.listed() == APP + SITE


async def test_all_projects_are_open_in_the_browser_over_the_selector(browser, three):
    async with browser(selector="") as ui:
        await ui.press("shift+tab", "t")
        await ui.until(lambda: not ui.selects and ui.screen.feed.scanned and ui.listed(), "the browser")
        assert ui.listed() == APP + SITE
        assert ui.sessions.row.id == "branchy"


async def test_all_projects_are_open_if_the_list_is_grouped_before_it_is_read(browser, begun, slow):
    async with browser(selector="", settle=False, model=begun) as ui:
        ui.screen.action_turn("scope")
        ui.screen.action_turn("grouped")
        slow.set()
        await ui.settled()
        assert ui.listed() == APP + SITE


async def test_a_folded_project_stays_folded(browser, three):
    async with browser(selector="") as ui:
        await ui.press("tab", "shift+tab", "O")
        ui.sessions.move_to(3)
        await ui.press("left", "up")
        assert ui.listed() == [*APP, "[/work/site]"]
        await ui.press("O", "O")
        assert ui.listed() == [*APP, "[/work/site]"]
        ui.screen.action_turn("scope")
        ui.screen.action_turn("scope")
        assert ui.listed() == [*APP, "[/work/site]"]


async def test_the_cursor_stays_on_its_session(browser, three):
    async with browser(selector="", size=(80, 24)) as ui:
        await ui.press("tab", "shift+tab")
        while ui.sessions.row.id != "site1":
            await ui.press("down")
        await ui.press("O")
        assert ui.focus == "sessions"
        assert ui.sessions.row.id == "site1"
