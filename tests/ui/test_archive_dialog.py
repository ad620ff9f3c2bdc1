"""The archive of oh-my-pi, in a dialog over the list of sessions."""

from __future__ import annotations

from tests.factory import chain
from tests.ui.conftest import pack


async def test_a_session_is_restored_from_the_archive(browser, three, tmp_path):
    packed = pack(tmp_path, "old", *chain("packed away", "x", id="old"))
    pack(tmp_path, "older", *chain("packed before", "x", id="older"))
    async with browser(selector="") as ui:
        await ui.press("shift+tab", "A")
        assert ui.is_in("Archive")
        await ui.until(lambda: "packed away" in ui.text() and "packed before" in ui.text(), "the archive")
        await ui.press("down", "up") if "❯ packed away" in ui.text() else await ui.press("down")
        await ui.press("enter")
        await ui.until(lambda: len(ui.listed()) == 3, "its row")
        assert any("from the archive" in toast for toast in ui.toasts())
        assert (
            packed.exists()
            != (tmp_path / "home/.omp/agent/archive/sessions/-work-app/older.jsonl.gz").exists()
        )


async def test_undo_skips_a_session_from_the_archive_and_says_so(browser, three, tmp_path):
    pack(tmp_path, "old", *chain("packed away", "x", id="old"))
    async with browser(selector="") as ui:
        await ui.press("shift+tab", "p")
        await ui.until(lambda: "★" in ui.text(), "the pin")
        await ui.press("A")
        await ui.until(lambda: "packed away" in ui.text(), "the archive")
        await ui.press("enter")
        await ui.until(lambda: any("from the archive" in toast for toast in ui.toasts()), "the word")
        await ui.press("z")
        await ui.until(
            lambda: any("what came out of the archive stays" in toast for toast in ui.toasts()), "the reason"
        )
        assert "another undo goes on to what was done before that" in ui.toasts()
        await ui.until(lambda: "old" in ui.listed(), "its row")
        assert "★" in ui.text()
        await ui.press("z")
        await ui.until(lambda: any("Undone: pin" in toast for toast in ui.toasts()), "what was done before")


async def test_damaged_archive_files_are_listed_by_name(browser, three, tmp_path):
    pack(tmp_path, "cut-off", *chain("packed away", "x", id="old"), end=30)
    pack(tmp_path, "no-prompt", *chain("packed away", "x", id="old")[:1])
    async with browser(selector="") as ui:
        await ui.press("shift+tab", "A")
        await ui.until(lambda: "no-prompt.jsonl.gz" in ui.text(), "the archive")
        assert "cut off before its end: cut-off.jsonl.gz" in ui.text()


async def test_an_empty_archive_says_so(browser, three):
    async with browser(selector="") as ui:
        await ui.press("shift+tab", "A")
        await ui.until(lambda: "Nothing in the archive. oh-my-pi's /archive fills it." in ui.text(), "that")
        assert ui.screen.query_one(".dialog").size.height + 2 == 3
        await ui.press("enter", "escape")
        assert ui.selects


async def test_a_damaged_session_cannot_be_restored_and_its_file_stays(browser, three, tmp_path):
    packed = pack(tmp_path, "torn", *chain("packed away " * 500, "x", id="torn"), end=-9)
    before = packed.read_bytes()
    async with browser(selector="") as ui:
        await ui.press("shift+tab", "A")
        await ui.until(lambda: "packed away" in ui.text() or "torn" in ui.text(), "the archive")
        await ui.press("enter")
        await ui.until(lambda: ui.toasts(), "why not")
        assert ui.toasts()[0].startswith("Not restored: the compressed file is damaged")
        assert packed.read_bytes() == before
        assert len(ui.listed()) == 2


async def test_an_archive_file_that_was_replaced_meanwhile_is_not_restored(browser, three, tmp_path):
    packed = pack(tmp_path, "old", *chain("packed away", "x", id="old"))
    async with browser(selector="") as ui:
        await ui.press("shift+tab", "A")
        await ui.until(lambda: "packed away" in ui.text(), "the archive")
        pack(tmp_path, "old", *chain("something else", "x", "y", id="new"))
        before = packed.read_bytes()
        await ui.press("enter")
        await ui.until(lambda: ui.toasts(), "why not")
        [toast] = ui.toasts()
        assert "was changed by another program" in toast
        assert "\n" not in toast
        assert packed.read_bytes() == before
