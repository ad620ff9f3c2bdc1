"""What was done to sessions from their list is taken back."""

from __future__ import annotations

import os

import pytest

from app.actions.journal import Journal
from tests.ui.conftest import asked


@pytest.mark.parametrize(("way", "undo"), [({"selector": ""}, "ctrl+z"), ({}, "z")])
async def test_undo_brings_it_back_byte_for_byte(browser, three, way, undo):
    async with browser(**way) as it:
        path = it.path("branchy")
        before, times = path.read_bytes(), path.stat().st_mtime_ns
        await it.press("ctrl+d", "enter")
        await it.until(lambda: not path.exists(), "the trash")
        await it.press(undo)
        await it.until(path.exists, "the session")
        assert (path.read_bytes(), path.stat().st_mtime_ns) == (before, times)
        await it.until(lambda: "branchy" in it.listed(), "its row")
        await it.until(lambda: any("Back from the trash" in toast for toast in it.toasts()), "the word")


@pytest.mark.parametrize(("way", "key"), [({"selector": ""}, "Ctrl+Z"), ({}, "z")])
async def test_the_key_that_is_said_takes_it_back_where_one_is(browser, three, way, key):
    async with browser(**way) as it:
        await it.press("ctrl+d", "enter")
        await it.until(it.toasts, "the word")
        assert it.toasts() == [f"Moved to the trash – {key} takes it back"]


async def test_the_tree_over_the_selector_takes_back_what_was_done_before_it(browser, three):
    async with browser(selector="") as it:
        selector = it.screen
        await it.press("shift+tab", "p")
        await it.until(lambda: "★" in it.text(), "the pin")
        await it.press("t")
        await it.until(lambda: it.screen is not selector, "the browser")
        await it.settled()
        await it.press("z")
        await it.until(lambda: "The pins are as before" in it.toasts(), "the word")
        await it.press("escape", "escape")
        await it.until(lambda: it.screen is selector, "the selector")
        await it.until(lambda: "★" not in it.text(), "the pin's end")


async def test_what_stands_in_the_way_of_undo_is_named_and_what_was_done_before_is_taken_back_next(
    browser, three
):
    async with browser(selector="") as it:
        path = it.path("branchy")
        before = path.read_bytes()
        await it.press("shift+tab", "end", "p")
        await it.until(lambda: "★" in it.text(), "the pin")
        it.sessions.go_to(str(path))
        await it.press("ctrl+d", "enter")
        await it.until(lambda: not path.exists(), "the trash")
        path.write_text("somebody else's\n")
        await it.press("z")
        await it.until(lambda: any(f"{path}: is there already" in said for said in it.toasts()), "the reason")
        assert any("another undo tries that again" in said for said in it.toasts())
        await it.press("z")
        await it.until(lambda: "The pins are as before" in it.toasts(), "the one before")
        assert path.read_text() == "somebody else's\n"
        path.unlink()
        await it.press("z")
        await it.until(path.exists, "the session")
        assert path.read_bytes() == before


@pytest.mark.parametrize(("way", "undo"), [({"selector": ""}, "ctrl+z"), ({}, "z")])
async def test_undo_goes_on_to_what_an_earlier_run_did_when_that_has_been_seen(browser, three, way, undo):
    path = None
    async with browser(**way) as it:
        path = it.path("branchy")
        before = path.read_bytes()
        await it.press("ctrl+d", "enter")
        await it.until(lambda: not path.exists(), "the trash")
        await it.until(lambda: "branchy" not in it.listed(), "its row's end")
    async with browser(**way) as it:
        await it.press(undo)
        question = "? Take back what was done just now: trashed “Refactor auth”?"
        await it.until(lambda: question in it.text(), "the question")
        assert asked(it) == [question, "Enter take it back  Esc leave it"]
        await it.press("escape")
        assert not path.exists()
        await it.press(undo)
        await it.until(lambda: question in it.text(), "the question")
        await it.press("enter")
        await it.until(lambda: "Back from the trash" in it.toasts(), "the word")
        assert path.read_bytes() == before
        await it.press(undo)
        await it.until(lambda: "Nothing to take back" in it.toasts(), "the end of it")


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
    async with browser() as it:
        before = set(it.path("branchy").parent.iterdir())
        await it.press("f")
        await it.until(lambda: set(it.path("branchy").parent.iterdir()) > before, "the fork")
        await it.until(it.toasts, "the word")
        if not later:
            await it.press("z")
            await it.until(lambda: set(it.path("branchy").parent.iterdir()) == before, "its end")
    if later:
        async with browser() as it:
            await it.press("z")
            await it.until(lambda: "Take back" in it.text(), "the question")
            await it.press("enter")
            await it.until(lambda: set(it.path("branchy").parent.iterdir()) == before, "its end")
    ((_, change),) = Journal(str(tmp_path / "state")).trashed()
    assert (change.kind, os.path.dirname(change.path)) == ("trash", str(it.path("branchy").parent))
    assert os.path.basename(change.path) in change.after


async def test_undo_with_nothing_done_says_so(browser, three):
    async with browser() as it:
        await it.press("z")
        await it.until(lambda: "Nothing to take back" in it.toasts(), "that")
