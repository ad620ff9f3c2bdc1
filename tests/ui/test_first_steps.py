"""The first steps in the status line, until the user has searched once."""

from __future__ import annotations

from tests.factory import chain
from tests.ui.conftest import install, pi_session

STEPS = "Type / and a word · v reads the conversation · Enter goes on in the agent"


async def test_the_first_steps_are_shown_until_the_first_search(browser, three):
    install(three, "pi")
    pi_session(three, *chain("use redis", "done", id="here", cwd=str(three)), id="here")
    (three / "state").mkdir()
    async with browser(size=(80, 24), here=str(three)) as ui:
        await ui.until(lambda: STEPS in ui.text(), "the first steps")
        await ui.press("down", "up")
        await ui.until(lambda: STEPS in ui.text(), "the first steps, after moving")
        await ui.press("slash", *"use redis done", "enter")
        await ui.until(lambda: "Enter runs pi" in ui.text(), "the command of Enter")
        await ui.press("escape")
        assert STEPS not in ui.text()
    async with browser(size=(80, 24), here=str(three)) as ui:
        await ui.until(lambda: "Enter runs pi" in ui.text(), "the command of Enter")


async def test_the_first_steps_hide_no_warning(browser, three):
    (three / "state").mkdir()
    async with browser() as ui:
        await ui.until(lambda: "Cannot resume" in ui.text(), "why it cannot be resumed")
        assert STEPS not in ui.text()
