"""Where leafmark cannot write down what it remembers by itself, or what it has read, one line says so and
nothing stops.
"""

from __future__ import annotations

import errno
import json
import os

import pytest

from app import paths
from app.actions import trash
from app.actions.journal import Journal
from app.index.row import SCHEMA
from app.index.text.segment import Segment
from tests.factory import chain
from tests.ui.conftest import WAYS, pi_session

pytestmark = pytest.mark.slow

FULL = os.strerror(errno.ENOSPC)


def full(*_):
    # of a descriptor the system names no path
    raise OSError(errno.ENOSPC, FULL)


async def test_what_is_done_without_a_journal_says_where_there_is_no_room(
    browser, three, tmp_path, monkeypatch
):
    monkeypatch.setattr(Journal, "_append", full)
    async with browser() as ui:
        path = ui.path("branchy")
        await ui.press("ctrl+r", *"QQ", "enter")
        await ui.until(lambda: len(ui.toasts()) == 2, "the words")
        said = f"the journal cannot be written: {tmp_path / 'state'}: {FULL}"
        assert set(ui.toasts()) == {said, "Named – z takes it back"}
        assert json.loads(path.read_text().splitlines()[-1])["name"] == "Refactor authQQ"
        # this run knows of it all the same
        await ui.press("z")
        await ui.until(lambda: "The old name is back" in ui.toasts(), "the name of before")
        assert json.loads(path.read_text().splitlines()[-1])["name"] == "Refactor auth"


async def test_what_is_not_remembered_says_where_there_is_no_room(browser, three, tmp_path, monkeypatch):
    def full_beside(path, *_):
        raise OSError(errno.ENOSPC, FULL, f"{path}.aside")

    monkeypatch.setattr(paths, "replace_file", full_beside)
    async with browser() as ui:
        await ui.press("d")
        await ui.until(ui.toasts, "the word")
        assert ui.toasts() == [f"This is not remembered: {tmp_path / 'state'}: {FULL}"]
        ui.app.action_toggle_theme()
        await ui.until(lambda: len(ui.toasts()) == 2, "the other word")
        assert ui.toasts()[1] == f"The theme is not remembered: {tmp_path / 'state'}: {FULL}"


async def test_what_has_no_room_in_the_trash_stays_and_is_not_offered_for_deletion(
    browser, three, monkeypatch
):
    monkeypatch.setattr(trash, "_send", full)
    async with browser() as ui:
        path = ui.path("branchy")
        await ui.press("ctrl+d", "enter")
        await ui.until(ui.toasts, "the word")
        said = f"“Refactor auth”: {path}: cannot be moved to the trash: {FULL}"
        assert ui.toasts() == [said]
        assert "for good" not in ui.text()
        assert path.exists()
        assert "branchy" in ui.listed()


def header(ui):
    return ui.text().splitlines()[0]


@pytest.mark.parametrize("way", WAYS, ids=["selector", "browser"])
async def test_a_cache_folder_that_cannot_be_written_is_told_of(browser, three, tmp_path, way):
    (tmp_path / "cache").write_text("in the way")
    async with browser(**way) as ui:
        await ui.until(ui.toasts, "the word")
        path = tmp_path / "cache"
        assert ui.toasts() == [f"the list is kept in memory only: {path}: {os.strerror(errno.ENOTDIR)}"]
        assert "the list is kept in memory only " in header(ui)
        await ui.press("f5")
        await ui.until(lambda: len(ui.toasts()) == 2, "that it has looked again")
        assert "the list is kept" not in ui.toasts()[1], "it is told once"
        assert ui.sessions.model.known == 3


@pytest.mark.parametrize("way", WAYS, ids=["selector", "browser"])
async def test_a_disk_that_is_full_of_texts_is_told_of(browser, three, tmp_path, monkeypatch, way):
    monkeypatch.setattr(Segment, "append", full)
    async with browser(**way) as ui:
        await ui.until(ui.toasts, "the word")
        folder = tmp_path / "cache" / f"text-{SCHEMA}"
        assert ui.toasts() == [f"the text of sessions is not kept: {folder}: {FULL}"]
        assert "the text of sessions is not kept " in header(ui)
        assert ui.sessions.model.known == 3


@pytest.mark.parametrize("way", WAYS, ids=["selector", "browser"])
async def test_a_catalog_that_has_no_room_any_more_is_told_of(browser, three, tmp_path, way):
    async with browser(**way) as ui:
        assert not ui.toasts()
        before = header(ui)
        ui.screen._indexing.index.catalog.run(
            lambda connection: connection.execute("PRAGMA max_page_count = 1")
        )
        for number in range(8):
            pi_session(tmp_path, *chain(f"{number} " * 5_000, id=f"new{number}"), id=f"new{number}")
        await ui.until(lambda: ui.sessions.model.known == 11, "the sessions")
        await ui.until(ui.toasts, "the word")
        file = tmp_path / "cache" / f"catalog-{SCHEMA}.db"
        assert ui.toasts() == [f"what is new is kept in memory only: {file}: database or disk is full"]
        assert "what is new is kept in memory only " in header(ui)
        assert "in memory" not in before


async def test_a_screen_over_another_one_has_it_in_its_header_and_says_it_no_second_time(
    browser, three, tmp_path
):
    (tmp_path / "cache").write_text("in the way")
    async with browser(selector="") as ui:
        await ui.until(ui.toasts, "the word")
        await ui.press("shift+tab", "t")
        await ui.until(lambda: not ui.selects, "the browser")
        await ui.settled()
        assert "the list is kept in memory only " in header(ui)
        assert len(ui.toasts()) == 1
