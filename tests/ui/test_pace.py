"""Pictures come at once, then so many a second, and for a key at once again."""

from __future__ import annotations

import asyncio
import math
from types import SimpleNamespace

import pytest

from app.widgets import pace
from app.widgets.pace import Pace
from tests.factory import chain
from tests.ui.conftest import pi_session


@pytest.fixture(autouse=True)
def never_again(monkeypatch):
    """What waits for the picture before to be old enough waits for ever."""
    monkeypatch.setattr(pace, "PERIOD", 3_600.0)


class Painted:
    """A screen that counts its pictures."""

    def __init__(self):
        self.errors = []
        self.pictures = 0
        self.app = SimpleNamespace(_handle_exception=self.errors.append)
        self.pace = Pace(self, self.paint)

    def paint(self):
        self.pictures += 1

    async def asked_for(self):
        """How many pictures there are once the loop has come round after another was asked for."""
        self.pace.resume()
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        return self.pictures


async def test_the_first_picture_comes_at_once_and_the_next_waits():
    it = Painted()
    assert [await it.asked_for(), await it.asked_for(), await it.asked_for()] == [1, 1, 1]


async def test_for_a_key_one_that_waits_comes_and_those_that_follow():
    it = Painted()
    await it.asked_for()
    await it.asked_for()
    it.pace.hurry()
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert it.pictures == 2
    assert [await it.asked_for(), await it.asked_for()] == [3, 4]


async def test_a_key_that_leads_to_nothing_paints_nothing():
    it = Painted()
    it.pace.hurry()
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert it.pictures == 0


async def test_a_picture_that_is_taken_back_does_not_come():
    it = Painted()
    it.pace.resume()
    it.pace.pause()
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert it.pictures == 0
    assert await it.asked_for() == 1


async def test_what_goes_wrong_is_told_and_the_next_picture_comes():
    it = Painted()
    it.pace._paint = lambda: 1 / 0
    await it.asked_for()
    assert [type(error) for error in it.errors] == [ZeroDivisionError]
    it.pace._paint = it.paint
    it.pace.hurry()
    assert await it.asked_for() == 1


@pytest.mark.parametrize("selector", [None, ""])
async def test_a_key_in_the_browser_and_in_the_selector_is_painted_at_once(browser, tmp_path, selector):
    for at in range(5):
        pi_session(tmp_path, *chain(f"task {at}", id=f"s{at}"), id=f"s{at}")
    # the screen is up once a key has led somewhere: until then nothing but keys paints here
    async with browser(selector=selector) as it:
        painted = []
        paint = it.screen._compositor.render_partial_update
        it.screen._compositor.render_partial_update = lambda: (painted.append(it.sessions.cursor), paint())[1]
        # as if no key had been pressed for an hour
        it.screen._update_timer._hurried = -math.inf
        await it.press("down")
        assert it.sessions.cursor in painted
