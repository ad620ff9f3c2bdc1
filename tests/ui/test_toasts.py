"""Where it is said what was done."""

from __future__ import annotations

import pytest
from textual.widgets._toast import Toast


def bars(it):
    """The line that says how the session is resumed, and the keys."""
    return it.text().splitlines()[-2:]


@pytest.mark.parametrize("size", [(60, 20), (80, 24), (120, 40), (160, 45)])
@pytest.mark.parametrize("selector", [None, ""])
async def test_a_toast_covers_neither_the_command_nor_the_keys(browser, three, size, selector):
    async with browser(size=size, notifications=True, selector=selector) as it:
        before = bars(it)
        await it.press("ctrl+y")
        await it.until(lambda: it.screen.query(Toast), "a toast")
        await it.press("z" if selector is None else "ctrl+z")
        await it.until(lambda: len(it.screen.query(Toast)) > 1, "another")
        assert "Command copied" in it.text()
        assert bars(it) == before
        assert max(toast.region.bottom for toast in it.screen.query(Toast)) == size[1] - 2


async def test_more_toasts_than_there_is_room_for(browser, three):
    async with browser(size=(80, 12), notifications=True) as it:
        before = bars(it)
        for number in range(9):
            it.screen.notify(f"toast {number}", markup=False)
        await it.until(lambda: len(it.screen.query(Toast)) == 9, "the toasts")
        assert "toast 8" in it.text()
        assert bars(it) == before
