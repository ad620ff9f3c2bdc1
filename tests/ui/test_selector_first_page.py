"""Tab while not all rows are read: what comes first in all folders is shown at once, and is right."""

from __future__ import annotations

import threading

import pytest

from app.index.catalog.front import Front
from app.index.index import Index
from app.screens.keeping_screen import KeepingScreen
from app.setup import Setup
from app.startup import first_frame, key_order
from app.stores import discover
from app.view import first_page
from app.view.arrangement import initial
from app.view.session_list import SessionList
from tests.factory import chain
from tests.ui.conftest import HERE, pi_session
from tests.waiting import PATIENCE

OTHERS = 120


@pytest.fixture
def stored(tmp_path):
    """A catalog of sessions s000, s001, ... of another folder, the newest first; "mine" of this folder comes
    behind the sixtieth of them, "fork" is the oldest and a fork of the second. The list of the first frame.
    """
    others = [(f"s{at:03}", "/work/site", OTHERS - at) for at in range(OTHERS)]
    for id, cwd, minutes in [*others, ("mine", HERE, OTHERS - 59.5), ("fork", "/work/site", 0)]:
        lines = chain(f"about {id}", "yes", id=id, cwd=cwd)
        for line in lines[1:]:
            line["timestamp"] = f"2026-05-01T{10 + int(minutes // 60):02}:{int(minutes % 60):02}:30.000Z"
            if minutes % 1:
                line["timestamp"] = line["timestamp"].replace(":30.", ":45.")
        if id == "fork":
            lines[0]["parentSession"] = "s001"
        pi_session(tmp_path, *lines, id=id)
    home = tmp_path / "home"
    stores = discover({"HOME": str(home)}, str(home), HERE)
    Index(stores, str(tmp_path / "cache")).scan()

    def begun(here=HERE):
        env = {"HOME": str(home), "LEAFMARK_STATE_DIR": str(tmp_path / "state")}
        setup = Setup(
            env=env, home=str(home), here=(here,), stores=stores, cache_folder=str(tmp_path / "cache")
        )
        front = Front(setup.cache_folder, stores)
        model, counts = first_frame.fill_list(setup, 30, initial({}, selects=True), front)
        model.preview(counts, ())
        front.close()
        return model

    return begun


class Reading:
    """What lists have been made, in order, and a hold on what comes next.

    first, every   set when it may be read: what comes first, and all that is stored
    begun_in       the scope in which the reading began
    """

    def __init__(self):
        self.begun_in = ""
        self.first, self.every = threading.Event(), threading.Event()
        self.done = []


@pytest.fixture
def reading(monkeypatch):
    it = Reading()
    # however long the machine takes: the first picture waits for the key
    monkeypatch.setattr(key_order, "HELD", PATIENCE)
    start = KeepingScreen.keep

    def keep(screen):
        it.begun_in = screen.model.arrangement.scope
        start(screen)

    monkeypatch.setattr(KeepingScreen, "keep", keep)
    rows, first, prepare = Index.rows, first_page.first_page, SessionList.prepare_filter

    def read(index, **given):
        it.first.wait()
        return rows(index, **given)

    def made(*given, **named):
        it.done.append("first")
        return first(*given, **named)

    def every(model):
        it.done.append("all")
        it.every.wait()
        prepare(model)

    monkeypatch.setattr(Index, "rows", read)
    monkeypatch.setattr(first_page, "first_page", made)
    monkeypatch.setattr(SessionList, "prepare_filter", every)
    yield it
    it.first.set()
    it.every.set()


def picture(it):
    """The list as it is drawn, with its scrollbar."""
    return [line.split("│")[1] for line in it.text().splitlines() if line.startswith("│")][1:]


@pytest.mark.parametrize("early", [False, True])
async def test_tab_shows_what_comes_first_before_all_rows_are_read(
    browser, stored, reading, typed_before, early
):
    if early:
        # the thread begins behind it, so that nothing has to hold that
        typed_before("tab")
        reading.first.set()
    async with browser(selector="", model=stored("/work/nothing"), here="/work/nothing", settle=False) as it:
        if not early:
            assert it.listed() == []
            await it.press("tab")
            assert it.listed() == []
            reading.first.set()
        await it.until(lambda: it.listed(), "what comes first")
        assert reading.begun_in == ("all" if early else "here")
        assert it.listed()[:5] == ["s000", "s001", "fork", "s002", "s003"]
        assert it.sessions.row.id == "s000"
        before, text = picture(it), it.text()
        assert "all folders" in text
        assert "123 sessions" not in text
        assert f"{OTHERS + 2} sessions" in text
        await it.until(lambda: "all" in reading.done, "the beginning of the rest")
        assert reading.done == ["first", "all"]
        reading.every.set()
        await it.settled()
        assert len(it.listed()) == OTHERS + 2
        assert picture(it) == before
        assert it.sessions.row.id == "s000"


async def test_the_cursor_stays_on_its_session_wherever_that_is(browser, stored, reading):
    async with browser(selector="", model=stored(), settle=False) as it:
        assert it.listed() == ["mine"]
        await it.press("tab")
        reading.first.set()
        await it.until(lambda: len(it.listed()) > 1, "what comes first")
        assert it.sessions.row.id == "mine"
        assert it.sessions.cursor == 61
        before = picture(it)
        assert any("about mine" in line for line in before)
        assert all(line.strip() for line in before), "there is no end in sight"
        reading.every.set()
        await it.settled()
        assert (it.sessions.row.id, it.sessions.cursor) == ("mine", 61)
        assert picture(it) == before


async def test_a_second_tab_shows_this_folder_again(browser, stored, reading):
    async with browser(selector="", model=stored(), settle=False) as it:
        await it.press("tab")
        reading.first.set()
        await it.until(lambda: len(it.listed()) > 1, "what comes first")
        await it.press("tab")
        assert it.listed() == ["mine"]
        await it.press("tab")
        assert len(it.listed()) > 60
        assert it.sessions.row.id == "mine"
        await it.press("tab")
        reading.every.set()
        await it.settled()
        assert it.listed() == ["mine"]


@pytest.mark.parametrize(
    ("keys", "listed"), [(["s"], []), (["shift+tab", "space"], ["mine"]), (["tab"], ["mine"])]
)
async def test_it_is_not_shown_where_there_may_be_more_to_it(browser, stored, reading, keys, listed):
    async with browser(selector="", model=stored(), settle=False) as it:
        await it.press("tab")
        await it.press(*keys)
        await it.until(lambda: it.listed() == listed, "what the keys lead to")
        reading.first.set()
        await it.until(lambda: "all" in reading.done, "the beginning of the rest")
        assert it.listed() == listed
        reading.every.set()
        await it.settled()


async def test_without_tab_it_is_not_read(browser, stored, reading):
    reading.every.set()
    reading.first.set()
    async with browser(selector="", model=stored()) as it:
        assert it.listed() == ["mine"]
        assert "first" not in reading.done
        await it.press("tab")
        assert len(it.listed()) == OTHERS + 2
        assert "first" not in reading.done
