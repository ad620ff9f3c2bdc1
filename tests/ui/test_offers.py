"""A toast that says which key takes something back is there as long as the key does that."""

from __future__ import annotations

import pytest
from textual.widgets._toast import Toast

import app.actions.row_actions
from app.browser import Browser
from tests.ui.conftest import WAYS
from tests.ui.test_under_way import Gate

UNDO = [({"selector": ""}, "ctrl+z"), ({}, "z")]
"""Of `browser`, and the key of undo where one is at the start."""


@pytest.fixture(autouse=True)
def _toasts_stay(monkeypatch):
    monkeypatch.setattr(Browser, "NOTIFICATION_TIMEOUT", 600)


def shown(ui):
    """What the toasts on the screen say."""
    return [str(toast._notification.message) for toast in ui.screen.query(Toast)]


async def trash(ui):
    await ui.press("ctrl+d", "enter")
    await ui.until(lambda: any("takes it back" in said for said in shown(ui)), "the offer")


@pytest.mark.parametrize(("way", "undo"), UNDO)
async def test_what_was_taken_back_is_offered_no_more(browser, three, way, undo):
    async with browser(notifications=True, **way) as ui:
        await trash(ui)
        await ui.press(undo)
        await ui.until(lambda: "Back from the trash" in shown(ui), "the word")
        assert shown(ui) == ["Back from the trash"]
        assert "takes it back" not in ui.text()


async def test_one_offer_makes_place_for_the_next(browser, three):
    async with browser(notifications=True) as ui:
        await trash(ui)
        await ui.press("p")
        await ui.until(lambda: any(said.startswith("Pinned") for said in shown(ui)), "the next one")
        assert shown(ui) == ["Pinned – z takes it back"]


async def test_what_was_not_done_leaves_the_offer(browser, three, monkeypatch):
    def fail(*what, **how):
        raise OSError("the disk is on fire")

    async with browser(notifications=True) as ui:
        await trash(ui)
        monkeypatch.setattr(app.actions.row_actions, "pin", fail)
        await ui.press("p")
        await ui.until(lambda: len(shown(ui)) == 2, "the reason")
        assert shown(ui)[0] == "Moved to the trash – z takes it back"


@pytest.mark.parametrize("key", ["f1", "ctrl+k", "ctrl+d", "ctrl+r"])
@pytest.mark.parametrize("way", WAYS)
async def test_over_a_dialog_nothing_is_offered_that_it_does_not_do(browser, three, way, key):
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


async def test_what_is_done_below_a_dialog_is_said_without_an_offer(browser, three, monkeypatch):
    gate = Gate(monkeypatch, app.actions.row_actions, "trash")
    async with browser(notifications=True) as ui:
        await ui.press("ctrl+d", "enter", "question_mark")
        gate.let()
        await ui.until(lambda: shown(ui), "the word")
        assert shown(ui) == ["Moved to the trash"]


async def test_the_tree_over_the_selector_keeps_the_offer_until_it_was_taken(browser, three):
    async with browser(selector="", notifications=True) as ui:
        selector = ui.screen
        await ui.press("shift+tab", "p")
        await ui.until(lambda: shown(ui) == ["Pinned – z takes it back"], "the offer")
        await ui.press("t")
        await ui.until(lambda: ui.screen is not selector and shown(ui), "the browser")
        assert shown(ui) == ["Pinned – z takes it back"]
        await ui.press("z")
        await ui.until(lambda: "The pins are as before" in shown(ui), "the word")
        assert shown(ui) == ["The pins are as before"]


async def test_where_the_key_would_type_it_is_offered_no_more(browser, three):
    async with browser(notifications=True) as ui:
        await trash(ui)
        await ui.press("slash")
        assert ui.app.focused is ui.box
        assert shown(ui) == []
        await ui.press("escape")
        assert shown(ui) == []


async def test_a_key_that_types_nothing_is_offered_wherever_one_goes(browser, three):
    async with browser(selector="", notifications=True) as ui:
        await trash(ui)
        for _ in range(3):
            await ui.press("shift+tab")
            assert shown(ui) == ["Moved to the trash – Ctrl+Z takes it back"]
        assert ui.app.focused is ui.box
