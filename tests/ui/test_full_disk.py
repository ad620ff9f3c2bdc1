"""Without room on the disk for the journal, the settings or the cache, one toast says so and everything goes
on.
"""

from __future__ import annotations

import errno
import json
import os
import random

import pytest

from app import paths
from app.actions import trash
from app.actions.journal import Journal
from app.index import SCHEMA
from app.index.text.segment import Segment
from tests.factory import chain
from tests.ui.conftest import WAYS, pi_session

pytestmark = pytest.mark.slow

FULL = os.strerror(errno.ENOSPC)


def full(*_):
    # without a path, because the error comes from a descriptor
    raise OSError(errno.ENOSPC, FULL)


async def test_an_action_without_a_journal_is_reported_and_can_be_undone(
    browser, three, tmp_path, monkeypatch
):
    monkeypatch.setattr(Journal, "_append", full)
    async with browser() as ui:
        path = ui.path("branchy")
        await ui.press("ctrl+r", *"QQ", "enter")
        await ui.until(lambda: len(ui.toasts()) == 2, "the words")
        reason = f"the journal cannot be written: {tmp_path / 'state'}: {FULL}"
        assert reason in ui.toasts()
        assert any("Renamed" in toast for toast in ui.toasts())
        assert json.loads(path.read_text().splitlines()[-1])["name"] == "Refactor authQQ"
        # the running leafmark still knows the action
        await ui.press("z")
        await ui.until(lambda: any("Undone: rename" in toast for toast in ui.toasts()), "the name of before")
        assert json.loads(path.read_text().splitlines()[-1])["name"] == "Refactor auth"


async def test_a_layout_or_theme_that_cannot_be_saved_is_reported(browser, three, tmp_path, monkeypatch):
    def fail_with_path(path, *_):
        raise OSError(errno.ENOSPC, FULL, f"{path}.aside")

    monkeypatch.setattr(paths, "replace_file", fail_with_path)
    async with browser() as ui:
        await ui.press("D")
        await ui.until(ui.toasts, "the word")
        assert ui.toasts() == [f"Not saved: {tmp_path / 'state'}: {FULL}"]
        await ui.press("f2", "down", "enter")
        await ui.until(lambda: len(ui.toasts()) == 2, "the other word")
        assert ui.toasts()[1] == f"The theme is not remembered: {tmp_path / 'state'}: {FULL}"


async def test_a_session_that_does_not_fit_into_the_trash_stays_and_is_not_offered_for_deletion(
    browser, three, monkeypatch
):
    monkeypatch.setattr(trash, "send_to_system", full)
    async with browser() as ui:
        path = ui.path("branchy")
        await ui.press("ctrl+d", "enter")
        await ui.until(ui.toasts, "the word")
        reason = f'Not trashed: cannot be moved to the trash: {FULL} – "Refactor auth"'
        assert ui.toasts() == [reason]
        assert "for good" not in ui.text()
        assert path.exists()
        assert "branchy" in ui.listed()


def header(ui):
    return ui.text().splitlines()[0]


@pytest.mark.parametrize("way", WAYS, ids=["selector", "browser"])
async def test_an_unwritable_cache_folder_is_reported_once(browser, three, tmp_path, way):
    (tmp_path / "cache").write_text("in the way")
    async with browser(**way) as ui:
        await ui.until(ui.toasts, "the word")
        path = tmp_path / "cache"
        assert ui.toasts() == [f"the list is kept in memory only: {path}: {os.strerror(errno.ENOTDIR)}"]
        assert "the list is kept in memory only " in header(ui)
        await ui.press("f5")
        await ui.until(lambda: len(ui.toasts()) == 2, "that it has rescanned")
        assert "the list is kept" not in ui.toasts()[1], "it is told once"
        assert ui.sessions.model.known == 3


@pytest.mark.parametrize("way", WAYS, ids=["selector", "browser"])
async def test_texts_that_cannot_be_stored_are_reported(browser, three, tmp_path, monkeypatch, way):
    monkeypatch.setattr(Segment, "append", full)
    async with browser(**way) as ui:
        await ui.until(ui.toasts, "the word")
        folder = tmp_path / "cache" / f"text-{SCHEMA}"
        assert ui.toasts() == [f"the text of sessions is not kept: {folder}: {FULL}"]
        assert "the text of sessions is not kept " in header(ui)
        assert ui.sessions.model.known == 3


@pytest.mark.parametrize("way", WAYS, ids=["selector", "browser"])
async def test_a_full_catalog_is_reported(browser, three, tmp_path, way):
    async with browser(**way) as ui:
        assert not ui.toasts()
        before = header(ui)
        ui.screen.feed.index.catalog.read(lambda connection: connection.execute("PRAGMA max_page_count = 1"))
        for number in range(8):
            noise = random.Random(number).randbytes(10_000).hex()
            pi_session(tmp_path, *chain(noise, id=f"new{number}"), id=f"new{number}")
        await ui.until(lambda: ui.sessions.model.known == 11, "the sessions")
        await ui.until(ui.toasts, "the word")
        file = tmp_path / "cache" / f"catalog-{SCHEMA}.db"
        assert ui.toasts() == [f"what is new is kept in memory only: {file}: database or disk is full"]
        assert "what is new is kept in memory only " in header(ui)
        assert "in memory" not in before


async def test_the_browser_over_the_selector_does_not_repeat_the_report(browser, three, tmp_path):
    (tmp_path / "cache").write_text("in the way")
    async with browser(selector="") as ui:
        await ui.until(ui.toasts, "the word")
        await ui.press("shift+tab", "t")
        await ui.until(lambda: not ui.selects, "the browser")
        await ui.settled()
        assert "the list is kept in memory only " in header(ui)
        assert len(ui.toasts()) == 1
