"""Tab in the selector while it has only the rows of the first frame."""

from __future__ import annotations

import threading

import pytest

from app.index.catalog.catalog import Catalog
from app.index.index import Index
from app.setup import Setup
from app.startup import first_frame
from app.stores import discover
from app.view.arrangement import initial
from app.view.list_model import ListModel
from tests.factory import chain
from tests.ui.conftest import HERE, pi_session


@pytest.fixture
def first_rows(tmp_path):
    """The list of a first frame for this folder, which has the session "mine". Another folder has "other"."""
    for id, cwd, minute in [("other", "/work/site", 30), ("mine", HERE, 20)]:
        lines = chain(f"about {id}", "yes", id=id, cwd=cwd)
        for line in lines[1:]:
            line["timestamp"] = f"2026-05-01T10:{minute}:00.000Z"
        pi_session(tmp_path, *lines, id=id)
    home = tmp_path / "home"
    stores = discover({"HOME": str(home)}, str(home), HERE)
    Index(stores, str(tmp_path / "cache")).scan()
    env = {"HOME": str(home), "LEAFMARK_STATE_DIR": str(tmp_path / "state")}
    setup = Setup(env=env, home=str(home), here=(HERE,), stores=stores, cache_folder=str(tmp_path / "cache"))
    front = Catalog(setup.cache_folder, stores)
    model, counts = first_frame.fill_list(setup, 30, initial({}, selects=True), front)
    model.preview(counts, ())
    front.close()
    return model


@pytest.fixture
def may_be_read(monkeypatch):
    """Set this to let the screen get the rows of all folders."""
    event = threading.Event()
    prepare = ListModel.prepare_filter

    def hold(model):
        event.wait()
        prepare(model)

    monkeypatch.setattr(ListModel, "prepare_filter", hold)
    yield event
    event.set()


async def test_the_rows_of_this_folder_stay_until_all_are_read(browser, first_rows, may_be_read):
    async with browser(selector="", model=first_rows, settle=False) as ui:
        assert ui.listed() == ["mine"]
        await ui.press("tab")
        assert ui.listed() == ["mine"]
        assert "all folders" in ui.text()
        may_be_read.set()
        await ui.settled()
        assert ui.listed() == ["other", "mine"]
        assert ui.sessions.row.id == "mine"


async def test_a_second_tab_shows_this_folder_again(browser, first_rows, may_be_read):
    async with browser(selector="", model=first_rows, settle=False) as ui:
        await ui.press("tab")
        await ui.press("tab")
        assert ui.listed() == ["mine"]
        assert "Resume · this folder" in ui.text()
        may_be_read.set()
        await ui.settled()
        assert ui.listed() == ["mine"]
