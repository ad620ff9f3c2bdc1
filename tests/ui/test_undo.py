"""What was done to sessions from their list is taken back."""

from __future__ import annotations

import os

import pytest

from app.actions.journal import Journal
from tests.ui.conftest import asked


@pytest.mark.parametrize(("way", "undo"), [({"selector": ""}, "ctrl+z"), ({}, "z")])
async def test_undo_brings_it_back_byte_for_byte(browser, three, way, undo):
    async with browser(**way) as ui:
        path = ui.path("branchy")
        before, times = path.read_bytes(), path.stat().st_mtime_ns
        await ui.press("ctrl+d", "enter")
        await ui.until(lambda: not path.exists(), "the trash")
        await ui.press(undo)
        await ui.until(path.exists, "the session")
        assert (path.read_bytes(), path.stat().st_mtime_ns) == (before, times)
        await ui.until(lambda: "branchy" in ui.listed(), "its row")
        await ui.until(lambda: any("Back from the trash" in toast for toast in ui.toasts()), "the word")


@pytest.mark.parametrize(("way", "key"), [({"selector": ""}, "Ctrl+Z"), ({}, "z")])
async def test_the_key_that_is_said_takes_it_back_where_one_is(browser, three, way, key):
    async with browser(**way) as ui:
        await ui.press("ctrl+d", "enter")
        await ui.until(ui.toasts, "the word")
        assert ui.toasts() == [f"Moved to the trash – {key} takes it back"]


async def test_the_tree_over_the_selector_takes_back_what_was_done_before_it(browser, three):
    async with browser(selector="") as ui:
        selector = ui.screen
        await ui.press("shift+tab", "p")
        await ui.until(lambda: "★" in ui.text(), "the pin")
        await ui.press("t")
        await ui.until(lambda: ui.screen is not selector, "the browser")
        await ui.settled()
        await ui.press("z")
        await ui.until(lambda: "The pins are as before" in ui.toasts(), "the word")
        await ui.press("escape", "escape")
        await ui.until(lambda: ui.screen is selector, "the selector")
        await ui.until(lambda: "★" not in ui.text(), "the pin's end")


async def test_what_stands_in_the_way_of_undo_is_named_and_what_was_done_before_is_taken_back_next(
    browser, three
):
    async with browser(selector="") as ui:
        path = ui.path("branchy")
        before = path.read_bytes()
        await ui.press("shift+tab", "end", "p")
        await ui.until(lambda: "★" in ui.text(), "the pin")
        ui.sessions.go_to(str(path))
        await ui.press("ctrl+d", "enter")
        await ui.until(lambda: not path.exists(), "the trash")
        path.write_text("somebody else's\n")
        await ui.press("z")
        await ui.until(lambda: any(f"{path}: is there already" in said for said in ui.toasts()), "the reason")
        assert any("another undo tries that again" in said for said in ui.toasts())
        await ui.press("z")
        await ui.until(lambda: "The pins are as before" in ui.toasts(), "the one before")
        assert path.read_text() == "somebody else's\n"
        path.unlink()
        await ui.press("z")
        await ui.until(path.exists, "the session")
        assert path.read_bytes() == before


@pytest.mark.parametrize(("way", "undo"), [({"selector": ""}, "ctrl+z"), ({}, "z")])
async def test_undo_goes_on_to_what_an_earlier_run_did_when_that_has_been_seen(browser, three, way, undo):
    path = None
    async with browser(**way) as ui:
        path = ui.path("branchy")
        before = path.read_bytes()
        await ui.press("ctrl+d", "enter")
        await ui.until(lambda: not path.exists(), "the trash")
        await ui.until(lambda: "branchy" not in ui.listed(), "its row's end")
    async with browser(**way) as ui:
        await ui.press(undo)
        question = "? Take back what was done just now: trashed “Refactor auth”?"
        await ui.until(lambda: question in ui.text(), "the question")
        assert asked(ui) == [question, "Enter take it back  Esc leave it"]
        await ui.press("escape")
        assert not path.exists()
        await ui.press(undo)
        await ui.until(lambda: question in ui.text(), "the question")
        await ui.press("enter")
        await ui.until(lambda: "Back from the trash" in ui.toasts(), "the word")
        assert path.read_bytes() == before
        await ui.press(undo)
        await ui.until(lambda: "Nothing to take back" in ui.toasts(), "the end of it")


async def test_what_another_has_taken_back_meanwhile_is_not_taken_back_again(browser, three):
    async with browser(selector="") as first, browser(selector="") as second:
        await first.press("shift+tab", "p")
        await first.until(lambda: "★" in first.text(), "the pin")
        path = first.path("branchy")
        first.sessions.go_to(str(path))
        await first.press("ctrl+d", "enter")
        await first.until(lambda: not path.exists(), "the trash")
        # the other one has done nothing: it asks
        await second.press("ctrl+z")
        await second.until(lambda: "trashed “Refactor auth”?" in second.text(), "the question")
        await second.press("enter")
        await second.until(path.exists, "the session")
        await second.until(second.toasts, "the word")
        await first.press("z")
        await first.until(lambda: "The pins are as before" in first.toasts(), "the one before")
        await second.press("ctrl+z")
        await second.until(lambda: "Nothing to take back" in second.toasts(), "that")


@pytest.mark.parametrize("later", [False, True])
async def test_where_a_new_session_goes_that_is_taken_back_is_noted(browser, three, tmp_path, later):
    async with browser() as ui:
        before = set(ui.path("branchy").parent.iterdir())
        await ui.press("f")
        await ui.until(lambda: set(ui.path("branchy").parent.iterdir()) > before, "the fork")
        await ui.until(ui.toasts, "the word")
        if not later:
            await ui.press("z")
            await ui.until(lambda: set(ui.path("branchy").parent.iterdir()) == before, "its end")
    if later:
        async with browser() as ui:
            await ui.press("z")
            await ui.until(lambda: "Take back" in ui.text(), "the question")
            await ui.press("enter")
            await ui.until(lambda: set(ui.path("branchy").parent.iterdir()) == before, "its end")
    ((_, change),) = Journal(str(tmp_path / "state")).trashed()
    assert (change.kind, os.path.dirname(change.path)) == ("trash", str(ui.path("branchy").parent))
    assert os.path.basename(change.path) in change.after


async def test_undo_with_nothing_done_says_so(browser, three):
    async with browser() as ui:
        await ui.press("z")
        await ui.until(lambda: "Nothing to take back" in ui.toasts(), "that")
