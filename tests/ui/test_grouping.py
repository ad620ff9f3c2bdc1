"""Which projects are open when the list is shown by project: all where there is room, else the first."""

from __future__ import annotations

import pytest

from app.index.catalog.catalog import Catalog
from app.index.index import Index
from app.setup import Setup
from app.startup import first_frame
from app.stores import discover
from app.view.arrangement import initial
from app.widgets.session_list import SessionListView
from tests.factory import chain
from tests.ui.conftest import HERE, pi_session
from tests.ui.test_selector_list import slow  # noqa: F401

APP = ["[/work/app]", "branchy", "plain"]
SITE = ["[/work/site]", "site1"]


OPENED = [("tab", "shift+tab", "o"), ("shift+tab", "o", "shift+tab", "shift+tab", "tab")]


@pytest.mark.parametrize("keys", OPENED)
async def test_by_project_all_are_open_where_there_is_room(browser, three, keys):
    async with browser(selector="") as it:
        await it.press(*keys)
        assert it.sessions.model.arrangement.scope == "all"
        assert it.listed() == APP + SITE


async def test_so_are_they_in_the_browser_over_the_selector(browser, three):
    async with browser(selector="") as it:
        await it.press("shift+tab", "t")
        await it.until(lambda: not it.selects and it.screen.scanned and it.listed(), "the browser")
        assert it.listed() == APP + SITE
        assert it.sessions.row.id == "branchy"


@pytest.fixture
def begun(three, tmp_path):
    """The list of the selector's first frame, from a catalog."""
    home = tmp_path / "home"
    stores = discover({"HOME": str(home)}, str(home), HERE)
    setup = Setup(env={}, home=str(home), here=(HERE,), stores=stores, cache_folder=str(tmp_path / "cache"))
    Index(stores, setup.cache_folder).scan()
    front = Catalog(setup.cache_folder, stores)
    model, counts = first_frame.fill_list(setup, 30, initial({}, selects=True), front)
    model.preview(counts, ())
    front.close()
    return model


async def test_grouping_before_all_is_read_opens_them_too(browser, begun, slow):  # noqa: F811
    async with browser(selector="", settle=False, model=begun) as it:
        it.screen.action_turn("scope")
        it.screen.action_turn("grouped")
        slow.set()
        await it.settled()
        assert it.listed() == APP + SITE


async def test_where_there_is_no_room_the_first_alone_is_open(browser, three):
    for number in range(30):
        id = f"more{number}"
        pi_session(three, *chain("more", id=id, cwd="/work/site"), id=id, project="site")
    async with browser(selector="") as it:
        await it.press("tab", "shift+tab", "o")
        assert it.listed() == [*APP, "[/work/site]"]


async def test_what_the_user_has_folded_stays_folded(browser, three):
    async with browser(selector="") as it:
        await it.press("tab", "shift+tab", "o")
        it.sessions.move_to(3)
        await it.press("left", "up")
        assert it.listed() == [*APP, "[/work/site]"]
        await it.press("o", "o")
        assert it.listed() == [*APP, "[/work/site]"]
        it.screen.action_turn("scope")
        it.screen.action_turn("scope")
        assert it.listed() == [*APP, "[/work/site]"]


async def test_the_cursor_stays_on_its_session(browser, three):
    async with browser(selector="", size=(80, 24)) as it:
        await it.press("tab", "shift+tab")
        while it.sessions.row.id != "site1":
            await it.press("down")
        await it.press("o")
        assert isinstance(it.app.focused, SessionListView)
        assert it.sessions.row.id == "site1"
