"""What is made before the first picture, and what only when it is asked for."""

from __future__ import annotations

import pytest
from textual.css.stylesheet import Stylesheet
from textual.geometry import Size
from textual.screen import Screen
from textual.widgets import Input

from app.services.made import stop_made
from app.widgets.line_list import LineList
from app.widgets.pane import Pane


@pytest.fixture
def pictures(monkeypatch):
    """Whether the line in which sessions are searched stands in each picture, and what is in it."""
    shown = []
    paint = Screen._compositor_refresh

    def painted(screen):
        boxes = [box for box in screen.query(Input) if box.id == "filter" and box.size]
        shown.append(boxes[0].value if boxes else None)
        paint(screen)

    monkeypatch.setattr(Screen, "_compositor_refresh", painted)
    return shown


async def test_the_first_picture_is_the_one_that_an_early_key_leads_to(
    browser, three, typed_before, pictures
):
    typed_before("slash")
    async with browser() as it:
        assert it.focus == "filter"
    assert pictures[0] == ""


async def test_early_letters_stand_in_the_first_picture_of_the_selector(
    browser, three, typed_before, pictures
):
    typed_before("l")
    async with browser(selector="") as it:
        assert it.box.value == "l"
    assert pictures[0] == "l"


async def test_an_early_key_that_does_nothing_holds_no_picture_back(browser, three, typed_before, pictures):
    typed_before("X")
    async with browser() as it:
        assert it.focus == "sessions"
    assert pictures


async def test_without_an_early_key_the_first_picture_waits_for_none(browser, three, pictures):
    async with browser() as it:
        assert it.focus == "sessions"
    assert pictures
    assert set(pictures) == {None}


async def test_a_screen_is_laid_out_once_for_its_first_size(browser, three, monkeypatch):
    sizes = []
    resized = Screen._screen_resized
    monkeypatch.setattr(
        Screen, "_screen_resized", lambda screen, size: (sizes.append(size), resized(screen, size))
    )
    async with browser() as it:
        assert len(sizes) <= 1
        assert it.sessions.size
        sizes.clear()
        await it.pilot.resize_terminal(100, 30)
        await it.until(lambda: it.screen.size == Size(100, 30), "the new size")
        assert sizes == [Size(100, 30)]


async def test_a_dialog_that_an_early_key_opens_has_its_styles(browser, three, typed_before):
    typed_before("question_mark")
    async with browser(settle=False) as it:
        await it.until(lambda: bool(it.screen.query(".dialog")), "the help")
        dialog = it.screen.query_one(".dialog")
        await it.until(lambda: bool(dialog.size), "its size")
        assert str(dialog.styles.width) == "84"


async def test_the_styles_of_dialogs_are_there_before_the_first_is_opened(browser, three, monkeypatch):
    async with browser() as it:
        read = []
        monkeypatch.setattr(Stylesheet, "reparse", lambda sheet: read.append(sheet))
        await it.press("question_mark")
        assert str(it.screen.query_one(".dialog").styles.width) == "84"
        assert read == []


async def test_the_line_above_the_tree_is_there_from_when_it_is_opened(browser, three):
    async with browser() as it:
        assert not it.screen.query("#find")
        await it.press("tab", "slash")
        assert it.focus == "find"
        panes = list(it.screen.query_one("#tree-pane").children)
        assert [each.id for each in panes] == ["find", "tree"]


async def test_the_keys_that_go_from_pane_to_pane_change_no_styles_of_what_is_in_them(
    browser, three, monkeypatch
):
    async with browser() as it:
        styled = []
        apply = Stylesheet.apply
        monkeypatch.setattr(
            Stylesheet,
            "apply",
            lambda sheet, node, **how: (styled.append(node), apply(sheet, node, **how))[1],
        )
        await it.press("tab")
        assert [pane.id for pane in it.screen.query(Pane) if pane.has_class("-focused")] == ["tree-pane"]
        assert {each.id for each in styled if isinstance(each, Pane)} == {"sessions-pane", "tree-pane"}
        # a list that gets the keys, or loses them, looks different itself
        inside = {each.id for each in styled if isinstance(each, LineList)}
        assert inside == {"sessions", "tree"}
        assert it.box not in styled


def test_a_service_that_nobody_has_asked_for_is_not_made_to_be_ended():
    class Service:
        stopped = False

        def stop(self):
            self.stopped = True

    class Owner:
        pass

    owner = Owner()
    owner.made = Service()
    stop_made(owner, "made", "missing")
    assert owner.made.stopped
    assert not hasattr(owner, "missing")
