"""A toast that offers undo disappears when its key would no longer do that."""

from __future__ import annotations

import pytest
from textual.widgets._toast import Toast

import app.actions.row_actions
from app.browser import Browser
from tests.ui.conftest import WAYS
from tests.ui.test_under_way import Gate

UNDO = [({"selector": ""}, "ctrl+underscore"), ({}, "z")]
"""Options of `browser`, and the undo key of the screen that they open."""


@pytest.fixture(autouse=True)
def _toasts_stay(monkeypatch):
    monkeypatch.setattr(Browser, "NOTIFICATION_TIMEOUT", 600)


def shown(ui):
    """The messages of the visible toasts."""
    return [str(toast._notification.message) for toast in ui.screen.query(Toast)]


async def trash(ui):
    await ui.press("ctrl+d", "enter")
    await ui.until(lambda: any("to undo" in toast for toast in shown(ui)), "the offer")


@pytest.mark.parametrize(("way", "undo"), UNDO)
async def test_an_undone_action_is_no_longer_offered(browser, three, way, undo):
    async with browser(notifications=True, **way) as ui:
        await trash(ui)
        await ui.press(undo)
        await ui.until(lambda: "Undone: trash" in shown(ui), "the word")
        assert shown(ui) == ["Undone: trash"]
        assert "to undo" not in ui.text()


async def test_a_new_offer_replaces_the_last(browser, three):
    async with browser(notifications=True) as ui:
        await trash(ui)
        await ui.press("p")
        await ui.until(lambda: any(toast.startswith("Pinned") for toast in shown(ui)), "the next one")
        assert shown(ui) == ["Pinned (z to undo)"]


async def test_a_failed_action_keeps_the_offer(browser, three, monkeypatch):
    def fail(*arguments, **options):
        raise OSError("the disk is on fire")

    async with browser(notifications=True) as ui:
        await trash(ui)
        monkeypatch.setattr(app.actions.row_actions, "pin", fail)
        await ui.press("p")
        await ui.until(lambda: len(shown(ui)) == 2, "the reason")
        assert shown(ui)[0] == "Trashed (z to undo)"


@pytest.mark.parametrize("key", ["f1", "ctrl+k", "ctrl+d", "ctrl+r"])
@pytest.mark.parametrize("way", WAYS)
async def test_over_a_dialog_no_key_is_offered(browser, three, way, key):
    async with browser(notifications=True, **way) as ui:
        await trash(ui)
        ui.screen.notify("something else", markup=False)
        await ui.until(lambda: len(shown(ui)) == 2, "something else")
        below = ui.screen
        await ui.press(key)
        await ui.until(lambda: ui.screen is not below and "something else" in shown(ui), "the dialog")
        assert shown(ui) == ["something else"]
        await ui.press("escape")
        await ui.until(lambda: ui.screen is below, "its end")
        assert shown(ui) == ["something else"]


async def test_an_action_that_ends_below_a_dialog_offers_no_undo(browser, three, monkeypatch):
    gate = Gate(monkeypatch, app.actions.row_actions, "trash")
    async with browser(notifications=True) as ui:
        await ui.press("ctrl+d", "enter", "question_mark")
        gate.let()
        await ui.until(lambda: shown(ui), "the word")
        assert shown(ui) == ["Trashed"]


async def test_the_browser_over_the_selector_keeps_the_offer(browser, three):
    async with browser(selector="", notifications=True) as ui:
        selector = ui.screen
        await ui.press("shift+tab", "p")
        await ui.until(lambda: shown(ui) == ["Pinned (z to undo)"], "the offer")
        await ui.press("t")
        await ui.until(lambda: ui.screen is not selector and shown(ui), "the browser")
        assert shown(ui) == ["Pinned (z to undo)"]
        await ui.press("z")
        await ui.until(lambda: "Undone: pin" in shown(ui), "the word")
        assert shown(ui) == ["Undone: pin"]


async def test_an_offer_ends_where_its_key_would_be_typed(browser, three):
    async with browser(notifications=True) as ui:
        await trash(ui)
        await ui.press("slash")
        assert ui.app.focused is ui.box
        assert shown(ui) == []
        await ui.press("escape")
        assert shown(ui) == []


async def test_a_key_that_types_nothing_is_offered_everywhere(browser, three):
    async with browser(selector="", notifications=True) as ui:
        await trash(ui)
        for _ in range(3):
            await ui.press("shift+tab")
            assert shown(ui) == ["Trashed (Ctrl+_ to undo)"]
        assert ui.app.focused is ui.box
