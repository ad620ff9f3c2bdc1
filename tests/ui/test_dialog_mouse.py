"""Dialogs with the mouse, their place, and the theme preview."""

from __future__ import annotations

import pytest

from app.widgets.dialog import key_at
from tests.cases import cases


@pytest.mark.parametrize("keys", [["question_mark"], ["comma"], ["apostrophe"], ["g"], ["H"]], ids=str)
async def test_a_dialog_is_left_with_the_mouse(browser, three, keys):
    async with browser() as ui:
        for beside in (True, False):
            await ui.press(*keys)
            await ui.until(lambda: len(ui.app.screen_stack) == 2 and "Esc " in ui.text(), "the dialog")
            lines = ui.text().splitlines()
            y = next(number for number, line in enumerate(lines) if "╰─" in line)
            place = (1, 20) if beside else (lines[y].index("Esc ") + 1, y)
            await ui.pilot.click(offset=place)
            await ui.until(lambda: len(ui.app.screen_stack) == 1, "its end")


@cases(
    ("x", "key"),
    [(0, "enter"), (6, "enter"), (12, ""), (13, "up"), (15, "down"), (19, "down"), (25, "escape"), (99, "")],
)
def test_a_click_on_a_hint_is_its_key(x: int, key: str) -> None:
    assert key_at("Enter go on  ↑ ↓ choose  Esc close", x) == key


async def test_the_first_line_of_a_dialog_stays_while_one_types(browser, three):
    async with browser() as ui:
        await ui.press("ctrl+k")
        line = ui.screen.query_one("#palette-line")
        before = line.region.y
        for letter in "label":
            await ui.press(letter)
            assert line.region.y == before


async def test_the_preview_of_a_theme_is_not_dimmed(browser, three):
    async with browser() as ui:
        await ui.press("f2")
        assert ui.screen.styles.background.a == 0
        assert ui.screen.query_one(".dialog").region.right == 120
