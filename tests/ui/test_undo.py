"""Undo of actions on sessions."""

from __future__ import annotations

import os

import pytest

from app.actions import trash_moves
from app.actions.journal import Journal
from tests.ui.conftest import asked


@pytest.mark.parametrize(("way", "undo"), [({"selector": ""}, "ctrl+underscore"), ({}, "z")])
async def test_undo_restores_a_session_byte_for_byte(browser, three, way, undo):
    async with browser(**way) as ui:
        path = ui.path("branchy")
        before, times = path.read_bytes(), path.stat().st_mtime_ns
        await ui.press("ctrl+d", "enter")
        await ui.until(lambda: not path.exists(), "the trash")
        await ui.press(undo)
        await ui.until(path.exists, "the session")
        assert (path.read_bytes(), path.stat().st_mtime_ns) == (before, times)
        await ui.until(lambda: "branchy" in ui.listed(), "its row")
        await ui.until(lambda: any("Undone: trash" in toast for toast in ui.toasts()), "the word")


async def test_undo_and_redo_are_offered_when_there_is_something_to_undo_or_redo(browser, three):
    def footer(ui):
        return ui.text().splitlines()[-1]

    async def in_palette(ui):
        await ui.press("ctrl+k")
        await ui.until(lambda: ui.is_in("Commands"), "the palette")
        ids = {offer.command.id for offer in ui.screen.query_one("#palette-list").items}
        await ui.press("escape")
        return ids & {"change.undo", "change.redo"}

    async with browser() as ui:
        assert "undo" not in footer(ui)
        assert await in_palette(ui) == set()
        await ui.press("p")
        await ui.until(lambda: "z undo" in footer(ui), "the offer")
        assert await in_palette(ui) == {"change.undo"}
    async with browser() as ui:
        await ui.until(lambda: "z undo" in footer(ui), "the offer of another run")
        await ui.press("z", "enter")
        await ui.until(lambda: "undo" not in footer(ui), "the end of the offer")
        assert await in_palette(ui) == {"change.redo"}


async def test_the_browser_undoes_an_action_of_the_selector_below(browser, three):
    async with browser(selector="") as ui:
        selector = ui.screen
        await ui.press("shift+tab", "p")
        await ui.until(lambda: "★" in ui.text(), "the pin")
        await ui.press("t")
        await ui.until(lambda: ui.screen is not selector, "the browser")
        await ui.settled()
        await ui.press("z")
        await ui.until(lambda: any("Undone: pin" in toast for toast in ui.toasts()), "the word")
        await ui.press("escape", "escape")
        await ui.until(lambda: ui.screen is selector, "the selector")
        await ui.until(lambda: "★" not in ui.text(), "the pin's end")


async def test_an_undo_that_fails_is_explained_and_the_next_one_undoes_the_action_before(browser, three):
    async with browser(selector="") as ui:
        path = ui.path("branchy")
        before = path.read_bytes()
        await ui.press("shift+tab", "end", "p")
        await ui.until(lambda: "★" in ui.text(), "the pin")
        ui.sessions.go_to(str(path))
        await ui.press("ctrl+d", "enter")
        await ui.until(lambda: not path.exists(), "the trash")
        path.write_text("another file\n")
        await ui.press("z")
        await ui.until(
            lambda: any("Not undone: is there already" in toast for toast in ui.toasts()), "the reason"
        )
        assert any("the next undo tries that again" in toast for toast in ui.toasts())
        await ui.press("z")
        await ui.until(lambda: any("Undone: pin" in toast for toast in ui.toasts()), "the one before")
        assert path.read_text() == "another file\n"
        path.unlink()
        await ui.press("z")
        await ui.until(path.exists, "the session")
        assert path.read_bytes() == before


@pytest.mark.parametrize(("way", "undo"), [({"selector": ""}, "ctrl+underscore"), ({}, "z")])
async def test_undo_asks_before_it_undoes_an_action_of_an_earlier_run(browser, three, way, undo):
    path = None
    async with browser(**way) as ui:
        path = ui.path("branchy")
        before = path.read_bytes()
        await ui.press("ctrl+d", "enter")
        await ui.until(lambda: not path.exists(), "the trash")
        await ui.until(lambda: "branchy" not in ui.listed(), "its row's end")
    async with browser(**way) as ui:
        await ui.press(undo)
        question = 'Undo: trash "Refactor auth" (just now)?'
        await ui.until(lambda: question in ui.text(), "the question")
        assert asked(ui) == [question, "Enter undo  Esc cancel"]
        await ui.press("escape")
        assert not path.exists()
        await ui.press(undo)
        await ui.until(lambda: question in ui.text(), "the question")
        await ui.press("enter")
        await ui.until(lambda: any("Undone: trash" in toast for toast in ui.toasts()), "the word")
        assert path.read_bytes() == before
        await ui.press(undo)
        await ui.until(lambda: "Nothing to undo" in ui.toasts(), "the end of it")


async def test_an_action_undone_by_another_leafmark_is_not_undone_again(browser, three):
    async with browser(selector="") as first, browser(selector="") as second:
        await first.press("shift+tab", "p")
        await first.until(lambda: "★" in first.text(), "the pin")
        path = first.path("branchy")
        first.sessions.go_to(str(path))
        await first.press("ctrl+d", "enter")
        await first.until(lambda: any("Trash" in toast for toast in first.toasts()), "the trash")
        # the second one has done nothing itself, so that it asks
        await second.press("ctrl+underscore")
        await second.until(lambda: 'trash "Refactor auth"' in second.text(), "the question")
        await second.press("enter")
        await second.until(path.exists, "the session")
        await second.until(second.toasts, "the word")
        await first.press("z")
        await first.until(lambda: any("Undone: pin" in toast for toast in first.toasts()), "the one before")
        await second.press("ctrl+underscore")
        await second.until(lambda: "Nothing to undo" in second.toasts(), "that")


@pytest.mark.parametrize("in_later_run", [False, True])
async def test_the_undo_of_a_fork_is_noted_in_the_journal(browser, three, tmp_path, in_later_run):
    async with browser() as ui:
        before = set(ui.path("branchy").parent.iterdir())
        await ui.press("f")
        await ui.until(lambda: set(ui.path("branchy").parent.iterdir()) > before, "the fork")
        await ui.until(ui.toasts, "the word")
        if not in_later_run:
            await ui.press("z")
            await ui.until(lambda: set(ui.path("branchy").parent.iterdir()) == before, "its end")
    if in_later_run:
        async with browser() as ui:
            await ui.press("z")
            await ui.until(lambda: "Undo" in ui.text(), "the question")
            await ui.press("enter")
            await ui.until(lambda: set(ui.path("branchy").parent.iterdir()) == before, "its end")
    ((_, change),) = trash_moves(Journal(str(tmp_path / "state")).entries())
    assert (change.kind, os.path.dirname(change.path)) == ("trash", str(ui.path("branchy").parent))
    assert os.path.basename(change.path) in change.after
