"""The border above the list names the settings of the list, if there is room."""

from __future__ import annotations

import pytest

from tests.factory import header
from tests.ui.conftest import pi_session


def border(ui):
    """The text of the border above the list."""
    line = ui.text().splitlines()[ui.screen.pane_layout.top]
    end = ui.screen.pane_layout.divider
    return line[: end if end >= 0 else None].partition(" ")[2].partition(" ━")[0]


@pytest.mark.parametrize(("size", "way"), [((80, 24), {}), ((160, 45), {"selector": ""})])
async def test_each_changed_setting_is_in_the_border(browser, three, size, way):
    async with browser(size=size, **way) as ui:
        usual = border(ui)
        for setting, label in (("named_only", "named only"), ("agent", "pi"), ("order", "recent")):
            ui.screen.action_turn(setting)
            await ui.pilot.pause()
            assert label in border(ui).split(" · ")
            while border(ui) != usual:
                ui.screen.action_turn(setting)
                await ui.pilot.pause()


async def test_default_settings_are_dropped_first(browser, three):
    async with browser(size=(40, 24)) as ui:
        assert border(ui) == "Sessions · all folders"
        await ui.press("ctrl+n")
        assert border(ui) == "Sessions · named only"
    async with browser(size=(120, 30), selector="") as ui:
        assert border(ui) == "Resume · this folder · by thread"
        await ui.press("ctrl+n")
        assert border(ui) == "Resume · named only · this folder · by thread"


async def test_the_header_and_the_border_count_the_same_sessions_and_hidden_ones_apart(browser, three):
    pi_session(three, header("bare", cwd="/work/bare"), id="bare")
    async with browser() as ui:
        assert "  3 sessions · 2 projects + 1 hidden (. e)" in ui.text().splitlines()[0]
        assert " 3 ━┬─" in ui.text().splitlines()[1]
        await ui.press("full_stop", "e")
        assert "  4 sessions · 3 projects " in ui.text().splitlines()[0]
        assert " 4 ━┬─" in ui.text().splitlines()[1]
        await ui.press("full_stop", "e", "slash", *"id:bare")
        await ui.until(lambda: "1 hidden session matches: " in ui.text(), "the number of hidden matches")
        assert "No match among the sessions shown." in ui.text()
        await ui.press("enter", "full_stop", "e")
        await ui.until(lambda: ui.listed() == ["bare"], "the hidden session")
