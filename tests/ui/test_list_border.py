"""What the border above the list says of how it is shown, where there is little room."""

from __future__ import annotations

import pytest

SIZES = [(80, 24), (100, 30), (120, 40), (160, 45)]


def border(it):
    """The words above the list."""
    line = it.text().splitlines()[1]
    return line[: line.index("╮")].strip("╭─ ")


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("way", [{}, {"selector": ""}])
async def test_each_thing_that_is_not_as_usual_is_in_the_border(browser, three, size, way):
    async with browser(size=size, **way) as it:
        usual = border(it)
        for what, said in (("named_only", "named only"), ("agent", "pi"), ("order", "recent")):
            it.screen.action_turn(what)
            await it.pilot.pause()
            assert said in border(it).split(" · ")
            while border(it) != usual:
                it.screen.action_turn(what)
                await it.pilot.pause()
        await it.press("ctrl+t")
        assert "tools as well" in border(it)
        await it.press("ctrl+t")
        assert border(it) == usual


async def test_what_is_as_usual_goes_first_and_whole(browser, three):
    async with browser(size=(80, 24)) as it:
        assert border(it) == "sessions · all folders"
        await it.press("ctrl+n")
        assert border(it) == "sessions · named only"
        await it.press("ctrl+t")
        assert border(it) == "named only · tools as well"
    async with browser(size=(100, 30), selector="") as it:
        assert border(it) == "sessions · this folder · threaded"
        await it.press("ctrl+n", "ctrl+t")
        assert border(it) == "named only · this folder · tools as well"
