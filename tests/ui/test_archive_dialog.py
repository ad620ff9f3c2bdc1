"""The archive of oh-my-pi, listed over the list of sessions."""

from __future__ import annotations

import pytest

from app.actions.undo import SKIP_NOTE
from app.screens.list_dialogs import ArchiveDialog
from tests.factory import chain
from tests.ui.conftest import pack


async def test_the_archive_is_listed_and_a_session_brought_back(browser, three, tmp_path):
    packed = pack(tmp_path, "old", *chain("packed away", "x", id="old"))
    pack(tmp_path, "older", *chain("packed before", "x", id="older"))
    async with browser(selector="") as it:
        await it.press("shift+tab", "A")
        assert isinstance(it.screen, ArchiveDialog)
        await it.until(lambda: "packed away" in it.text() and "packed before" in it.text(), "the archive")
        await it.press("down", "up") if "❯ packed away" in it.text() else await it.press("down")
        await it.press("enter")
        await it.until(lambda: len(it.listed()) == 3, "its row")
        assert any("Back from the archive" in toast for toast in it.toasts())
        assert (
            packed.exists()
            != (tmp_path / "home/.omp/agent/archive/sessions/-work-app/older.jsonl.gz").exists()
        )


async def test_what_came_out_of_the_archive_stays_and_undo_says_so_before_it_goes_on(
    browser, three, tmp_path
):
    pack(tmp_path, "old", *chain("packed away", "x", id="old"))
    async with browser(selector="") as it:
        await it.press("shift+tab", "p")
        await it.until(lambda: "★" in it.text(), "the pin")
        await it.press("A")
        await it.until(lambda: "packed away" in it.text(), "the archive")
        await it.press("enter")
        await it.until(lambda: "Back from the archive" in it.toasts(), "the word")
        await it.press("z")
        await it.until(
            lambda: any("what came out of the archive stays" in toast for toast in it.toasts()), "the reason"
        )
        assert SKIP_NOTE in it.toasts()
        await it.until(lambda: "old" in it.listed(), "its row")
        assert "★" in it.text()
        await it.press("z")
        await it.until(lambda: "The pins are as before" in it.toasts(), "what was done before")


async def test_escape_leaves_the_archive_as_it_is(browser, three, tmp_path):
    packed = pack(tmp_path, "old", *chain("packed away", "x", id="old"))
    async with browser(selector="") as it:
        await it.press("shift+tab", "A")
        await it.until(lambda: "packed away" in it.text(), "the archive")
        await it.press("escape")
        assert it.selects
        assert packed.exists()


async def test_what_is_damaged_in_the_archive_says_so_by_its_name(browser, three, tmp_path):
    pack(tmp_path, "cut-off", *chain("packed away", "x", id="old"), cut=30)
    pack(tmp_path, "no-prompt", *chain("packed away", "x", id="old")[:1])
    async with browser(selector="") as it:
        await it.press("shift+tab", "A")
        await it.until(lambda: "no-prompt.jsonl.gz" in it.text(), "the archive")
        assert "cut off before its end: cut-off.jsonl.gz" in it.text()


async def test_an_archive_without_sessions_says_so(browser, three):
    async with browser(selector="") as it:
        await it.press("shift+tab", "A")
        await it.until(lambda: "Nothing is archived" in it.text(), "that")
        await it.press("enter", "escape")
        assert it.selects


async def test_a_damaged_archive_is_named_and_stays(browser, three, tmp_path):
    packed = pack(tmp_path, "torn", *chain("packed away " * 500, "x", id="torn"), cut=-9)
    before = packed.read_bytes()
    async with browser(selector="") as it:
        await it.press("shift+tab", "A")
        await it.until(lambda: "packed away" in it.text() or "torn" in it.text(), "the archive")
        await it.press("enter")
        await it.until(lambda: it.toasts(), "why not")
        assert "torn.jsonl.gz" in it.toasts()[0]
        assert packed.read_bytes() == before
        assert len(it.listed()) == 2


@pytest.mark.parametrize("change", ["removed", "moved away", "replaced"])
async def test_what_is_not_as_it_was_listed_is_told_and_nothing_is_done(browser, three, tmp_path, change):
    packed = pack(tmp_path, "old", *chain("packed away", "x", id="old"))
    agent = tmp_path / "home/.omp"
    async with browser(selector="") as it:
        await it.press("shift+tab", "A")
        await it.until(lambda: "packed away" in it.text(), "the archive")
        if change == "removed":
            packed.unlink()
        elif change == "replaced":
            pack(tmp_path, "old", *chain("something else", "x", "y", id="new"))
        else:
            agent.rename(tmp_path / "elsewhere")
        before = sorted(tmp_path.rglob("*omp*/**/*")) + sorted(tmp_path.rglob("elsewhere/**/*"))
        await it.press("enter")
        await it.until(lambda: it.toasts(), "why not")
        said = "was changed by another program" if change == "replaced" else "is not in the archive any more"
        [toast] = it.toasts()
        assert said in toast
        assert "\n" not in toast
        assert sorted(tmp_path.rglob("*omp*/**/*")) + sorted(tmp_path.rglob("elsewhere/**/*")) == before
        assert agent.exists() is (change != "moved away")
