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


def shown(it):
    """What the toasts on the screen say."""
    return [str(toast._notification.message) for toast in it.screen.query(Toast)]


async def trash(it):
    await it.press("ctrl+d", "enter")
    await it.until(lambda: any("takes it back" in said for said in shown(it)), "the offer")


@pytest.mark.parametrize(("way", "undo"), UNDO)
async def test_what_was_taken_back_is_offered_no_more(browser, three, way, undo):
    async with browser(notifications=True, **way) as it:
        await trash(it)
        await it.press(undo)
        await it.until(lambda: "Back from the trash" in shown(it), "the word")
        assert shown(it) == ["Back from the trash"]
        assert "takes it back" not in it.text()


async def test_one_offer_makes_place_for_the_next(browser, three):
    async with browser(notifications=True) as it:
        await trash(it)
        await it.press("p")
        await it.until(lambda: any(said.startswith("Pinned") for said in shown(it)), "the next one")
        assert shown(it) == ["Pinned – z takes it back"]


async def test_what_was_not_done_leaves_the_offer(browser, three, monkeypatch):
    def fail(*what, **how):
        raise OSError("the disk is on fire")

    async with browser(notifications=True) as it:
        await trash(it)
        monkeypatch.setattr(app.actions.row_actions, "pin", fail)
        await it.press("p")
        await it.until(lambda: len(shown(it)) == 2, "the reason")
        assert shown(it)[0] == "Moved to the trash – z takes it back"


@pytest.mark.parametrize("key", ["f1", "ctrl+k", "ctrl+d", "ctrl+r"])
@pytest.mark.parametrize("way", WAYS)
async def test_over_a_dialog_nothing_is_offered_that_it_does_not_do(browser, three, way, key):
    async with browser(notifications=True, **way) as it:
        await trash(it)
        it.screen.notify("something else", markup=False)
        await it.until(lambda: len(shown(it)) == 2, "something else")
        below = it.screen
        await it.press(key)
        await it.until(lambda: it.screen is not below and "something else" in shown(it), "the dialog")
        assert shown(it) == ["something else"]
        await it.press("escape")
        await it.until(lambda: it.screen is below, "its end")
        assert shown(it) == ["something else"]


async def test_what_is_done_below_a_dialog_is_said_without_an_offer(browser, three, monkeypatch):
    gate = Gate(monkeypatch, app.actions.row_actions, "trash")
    async with browser(notifications=True) as it:
        await it.press("ctrl+d", "enter", "question_mark")
        gate.let()
        await it.until(lambda: shown(it), "the word")
        assert shown(it) == ["Moved to the trash"]


async def test_the_tree_over_the_selector_keeps_the_offer_until_it_was_taken(browser, three):
    async with browser(selector="", notifications=True) as it:
        selector = it.screen
        await it.press("shift+tab", "p")
        await it.until(lambda: shown(it) == ["Pinned – z takes it back"], "the offer")
        await it.press("t")
        await it.until(lambda: it.screen is not selector and shown(it), "the browser")
        assert shown(it) == ["Pinned – z takes it back"]
        await it.press("z")
        await it.until(lambda: "The pins are as before" in shown(it), "the word")
        assert shown(it) == ["The pins are as before"]


async def test_where_the_key_would_type_it_is_offered_no_more(browser, three):
    async with browser(notifications=True) as it:
        await trash(it)
        await it.press("slash")
        assert it.app.focused is it.box
        assert shown(it) == []
        await it.press("escape")
        assert shown(it) == []


async def test_a_key_that_types_nothing_is_offered_wherever_one_goes(browser, three):
    async with browser(selector="", notifications=True) as it:
        await trash(it)
        for _ in range(3):
            await it.press("shift+tab")
            assert shown(it) == ["Moved to the trash – Ctrl+Z takes it back"]
        assert it.app.focused is it.box
