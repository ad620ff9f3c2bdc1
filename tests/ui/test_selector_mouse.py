"""The mouse in the selector: a click selects, a double click reads, the wheel scrolls the pane below it."""

from __future__ import annotations

import pytest
from textual.events import MouseDown, MouseScrollUp, MouseUp

from tests.factory import chain
from tests.ui.conftest import pi_session, wheel


@pytest.fixture
def work(tmp_path):
    """Forty sessions of an existing folder, with a ``pi`` on PATH. The newest session is long."""
    work, program = tmp_path / "work", tmp_path / "bin" / "pi"
    for folder in (work, program.parent):
        folder.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    for number_of_session in range(40):
        texts = [f"line {number}" for number in range(60 if number_of_session == 0 else 1)]
        lines = chain(f"task {number_of_session:02}", *texts, id=f"s{number_of_session:02}", cwd=str(work))
        lines[-1]["timestamp"] = f"2026-05-01T12:{59 - number_of_session:02}:00.000Z"
        pi_session(tmp_path, *lines, id=f"s{number_of_session:02}")
    return str(work)


async def test_a_click_selects_and_shows(browser, work):
    async with browser(selector="", here=work) as ui:
        await ui.pilot.click("#sessions", offset=(8, 4))
        await ui.settled()
        assert ui.sessions.row.id == "s04"
        await ui.until(lambda: "task 04" in ui.text().split("transcript")[-1], "its transcript")
        assert not ui.has_ended
        assert ui.sessions.model.marked == set()


async def test_a_double_click_reads(browser, work):
    async with browser(selector="", here=work) as ui:
        await ui.pilot.click("#sessions", offset=(8, 3), times=2)
        await ui.until(lambda: ui.focus == "preview", "the conversation")
        assert (ui.sessions.row.id, ui.has_ended) == ("s03", False)


async def test_clicks_on_two_rows_are_no_double_click(browser, work):
    async with browser(selector="", here=work) as ui:
        await ui.pilot.click("#sessions", offset=(8, 3))
        await ui.pilot.click("#sessions", offset=(8, 6))
        await ui.settled()
        assert not ui.has_ended
        assert ui.sessions.row.id == "s06"


async def clicks(ui, id, offset, *buttons):
    """Click fast, as a terminal reports it. Textual counts fast clicks at one place, whatever their
    buttons.
    """
    region = ui.screen.query_one(f"#{id}").content_region
    x, y = region.x + offset[0], region.y + offset[1]
    for button in buttons:
        for kind in (MouseDown, MouseUp):
            ui.app.post_message(kind(None, x, y, 0, 0, button, False, False, False, x, y))
    await ui.pilot.pause()
    await ui.settled()


LEFT, MIDDLE, RIGHT = 1, 2, 3


@pytest.mark.parametrize(
    "buttons",
    [(MIDDLE, MIDDLE), (RIGHT, LEFT), (LEFT, RIGHT), (LEFT, MIDDLE, LEFT)],
    ids=str,
)
async def test_only_the_left_button_reads(browser, work, monkeypatch, buttons):
    async with browser(selector="", here=work) as ui:
        monkeypatch.setattr(ui.app, "CLICK_CHAIN_TIME_THRESHOLD", 60.0)
        await clicks(ui, "sessions", (8, 3), *buttons)
        assert ui.focus != "preview"
        assert ui.sessions.row.id == ("s03" if LEFT in buttons else "s00"), "one click of it selects"
        # two left clicks are a double click, whatever came before
        await clicks(ui, "sessions", (8, 5), RIGHT, LEFT, LEFT)
        await ui.until(lambda: ui.focus == "preview", "the conversation")
        assert (ui.sessions.row.id, ui.has_ended) == ("s05", False)


async def test_clicks_outside_of_rows_do_nothing(browser, work):
    async with browser(selector="xyzzy", here=work, size=(120, 40)) as ui:
        await ui.until(lambda: ui.listed() == [], "nothing")
        await ui.pilot.click("#sessions", offset=(8, 20), times=2)
        await ui.pilot.click("#sessions", offset=(8, 0), times=2)
        assert ui.focus != "preview"


async def test_the_wheel_scrolls_the_list_and_keeps_the_cursor_in_view(browser, work):
    async with browser(selector="", here=work, size=(120, 24)) as ui:
        await ui.until(lambda: "line 59" in ui.text(), "the transcript")
        await ui.press("down", "down", "down")
        preview = ui.screen.query_one("#preview")
        before = preview.top
        await wheel(ui, "sessions", 1)
        assert ui.sessions.scroll_offset.y > 0
        assert ui.sessions.row.id == "s03", "it is still in view"
        assert preview.top == before
        await wheel(ui, "sessions", 5)
        assert ui.sessions.cursor == ui.sessions.scroll_offset.y > 3, "the nearest row in view"
        assert f"❯  task {ui.sessions.cursor:02}" in ui.text()
        await wheel(ui, "sessions", 9, MouseScrollUp)
        assert ui.sessions.scroll_offset.y == 0
        assert ui.sessions.region_of(ui.sessions.cursor)


async def test_the_wheel_scrolls_the_transcript_and_keeps_the_list(browser, work):
    async with browser(selector="", here=work, size=(120, 24)) as ui:
        await ui.until(lambda: "line 59" in ui.text(), "the transcript")
        await wheel(ui, "preview", 3, MouseScrollUp)
        assert "line 59" not in ui.text()
        assert ui.sessions.scroll_offset.y == 0
        assert ui.focus == "filter", "the keys stay where they are"
        await wheel(ui, "preview", 9)
        assert "line 59" in ui.text()


async def test_during_a_question_clicks_do_nothing(browser, work):
    async with browser(selector="", here=work) as ui:
        await ui.press("ctrl+d")
        before = ui.app.screen
        await ui.pilot.click(offset=(12, 9), times=2)
        assert ui.app.screen is before
        await ui.press("escape")
        assert ui.sessions.row.id == "s00"
        assert not ui.has_ended
