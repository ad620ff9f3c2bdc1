"""What the border above the list says of how it is shown, where there is little room."""

from __future__ import annotations

import pytest

SIZES = [(80, 24), (100, 30), (120, 40), (160, 45)]


def border(ui):
    """The words above the list."""
    line = ui.text().splitlines()[1]
    return line[: line.index("╮")].strip("╭─ ")


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("way", [{}, {"selector": ""}])
async def test_each_thing_that_is_not_as_usual_is_in_the_border(browser, three, size, way):
    async with browser(size=size, **way) as ui:
        usual = border(ui)
        for what, said in (("named_only", "named only"), ("agent", "pi"), ("order", "recent")):
            ui.screen.action_turn(what)
            await ui.pilot.pause()
            assert said in border(ui).split(" · ")
            while border(ui) != usual:
                ui.screen.action_turn(what)
                await ui.pilot.pause()
        await ui.press("ctrl+t")
        assert "tools as well" in border(ui)
        await ui.press("ctrl+t")
        assert border(ui) == usual


async def test_what_is_as_usual_goes_first_and_whole(browser, three):
    async with browser(size=(80, 24)) as ui:
        assert border(ui) == "sessions · all folders"
        await ui.press("ctrl+n")
        assert border(ui) == "sessions · named only"
        await ui.press("ctrl+t")
        assert border(ui) == "named only · tools as well"
    async with browser(size=(100, 30), selector="") as ui:
        assert border(ui) == "sessions · this folder · threaded"
        await ui.press("ctrl+n", "ctrl+t")
        assert border(ui) == "named only · this folder · tools as well"
