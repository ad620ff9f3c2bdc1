"""The first painted screen: keys typed before it take effect, and nothing is built in vain."""

from __future__ import annotations

import pytest
from textual.css.stylesheet import Stylesheet
from textual.geometry import Size
from textual.screen import Screen
from textual.widgets import Input


@pytest.fixture
def pictures(monkeypatch):
    """The text of the search line in each painted screen; None where there is no such line."""
    shown = []
    paint = Screen._compositor_refresh

    def painted(screen):
        boxes = [box for box in screen.query(Input) if box.id == "filter" and box.size]
        shown.append(boxes[0].value if boxes else None)
        paint(screen)

    monkeypatch.setattr(Screen, "_compositor_refresh", painted)
    return shown


async def test_the_first_painted_screen_shows_the_effect_of_an_early_key(
    browser, three, typed_before, pictures
):
    typed_before("slash")
    async with browser() as ui:
        assert ui.focus == "filter"
    assert pictures[0] == ""


async def test_early_letters_are_in_the_first_painted_screen_of_the_selector(
    browser, three, typed_before, pictures
):
    typed_before("l")
    async with browser(selector="") as ui:
        assert ui.box.value == "l"
    assert pictures[0] == "l"


async def test_an_early_key_without_effect_does_not_delay_the_first_screen(
    browser, three, typed_before, pictures
):
    typed_before("u")
    async with browser() as ui:
        assert ui.focus == "sessions"
    assert pictures


async def test_without_early_keys_the_first_screen_has_no_search_line(browser, three, pictures):
    async with browser() as ui:
        assert ui.focus == "sessions"
    assert pictures
    assert set(pictures) == {None}


async def test_a_screen_is_laid_out_once_for_its_first_size(browser, three, monkeypatch):
    sizes = []
    resized = Screen._screen_resized
    monkeypatch.setattr(
        Screen, "_screen_resized", lambda screen, size: (sizes.append(size), resized(screen, size))
    )
    async with browser() as ui:
        assert len(sizes) <= 1
        assert ui.sessions.size
        sizes.clear()
        await ui.pilot.resize_terminal(100, 30)
        await ui.until(lambda: ui.screen.size == Size(100, 30), "the new size")
        assert sizes == [Size(100, 30)]


async def test_a_dialog_that_an_early_key_opens_has_its_styles(browser, three, typed_before):
    typed_before("question_mark")
    async with browser(settle=False) as ui:
        await ui.until(lambda: bool(ui.screen.query(".dialog")), "the help")
        dialog = ui.screen.query_one(".dialog")
        await ui.until(lambda: bool(dialog.size), "its size")
        assert str(dialog.styles.width) == "96w"


async def test_the_styles_of_dialogs_are_parsed_before_the_first_is_opened(browser, three, monkeypatch):
    async with browser() as ui:
        read = []
        monkeypatch.setattr(Stylesheet, "reparse", lambda sheet: read.append(sheet))
        await ui.press("question_mark")
        assert str(ui.screen.query_one(".dialog").styles.width) == "96w"
        assert read == []


async def test_the_search_line_of_the_tree_is_built_when_it_is_opened(browser, three):
    async with browser() as ui:
        assert not ui.screen.query("#find")
        await ui.press("t", "slash")
        assert ui.focus == "find"
        panes = list(ui.screen.query_one("#tree-pane").children)
        assert [widget.id for widget in panes] == ["find", "tree"]
