"""Dialogs with the mouse, their place, and the theme preview."""

from __future__ import annotations

import pytest

from app.widgets.dialog import key_at
from tests.cases import cases
from tests.ui.conftest import QUESTION

DIALOGS = "ctrl+k question_mark comma f2 apostrophe H X S number_sign i x enter y full_stop"


async def click(ui, words):
    """Click on the last line with these words."""
    lines = ui.text().splitlines()
    y = max(number for number, line in enumerate(lines) if words in line)
    await ui.pilot.click(offset=(lines[y].index(words) + 1, y))


@pytest.mark.parametrize("size", [(80, 24), (200, 50)], ids=str)
async def test_every_dialog_stays_in_its_place_and_is_left_with_the_mouse(browser, three, size):
    async with browser(size=size) as ui:
        for key in DIALOGS.split():
            for beside in (True, False):
                await ui.press(key)
                await ui.until(lambda: len(ui.app.screen_stack) == 2 and "Esc " in ui.text(), key)
                box = ui.screen.query_one(".dialog").region
                assert (box.y, box.right <= size[0]) == (1, True)
                if beside:
                    await ui.pilot.click(offset=(size[0] // 2, 0))
                else:
                    await click(ui, "Esc ")
                await ui.until(lambda: len(ui.app.screen_stack) == 1, f"the end of {key}")


async def test_questions_names_and_sections_are_clicked(browser, three):
    async with browser() as ui:
        await ui.press("question_mark")
        await click(ui, "( ) Filters")
        assert "Help: filters" in ui.text()
        await ui.press("escape", "apostrophe")
        await click(ui, "( ) All ")
        assert "(•) All " in ui.text()
        await ui.press("escape")
        row = ui.sessions.row
        for answer, is_there in (("Esc keep", True), ("Enter trash", False)):
            await ui.press("ctrl+d")
            await ui.until(lambda: ui.is_in(QUESTION), "the question")
            await click(ui, answer)
            await ui.until(lambda: len(ui.app.screen_stack) == 1, "its end")
            await ui.until(lambda at=is_there: (ui.sessions.model.row_at(row.path) is not None) == at, answer)
        for answer, name in (("Esc cancel", False), ("Enter save", True)):
            await ui.press("ctrl+r", "end", *" new")
            await click(ui, answer)
            await ui.until(lambda: len(ui.app.screen_stack) == 1, "its end")
            await ui.until(lambda at=name: ui.sessions.row.title.endswith("new") == at, answer)
        await ui.press("enter")
        await ui.until(lambda: ui.is_in("Cannot resume"), "the reasons")
        await click(ui, "c copy command")
        await ui.until(lambda: "pi --session" in ui.app.clipboard, "the command")


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
