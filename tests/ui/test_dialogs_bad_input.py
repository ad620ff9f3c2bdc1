"""Every dialog in a tiny terminal, with hostile text pasted into it, and with sessions that vanish."""

from __future__ import annotations

import shutil

import pytest
from textual import events

from tests.factory import entry, message
from tests.ui.conftest import pi_session, snapshot, strips

TITLE = "\x1b[31m語言 👩‍👩‍👧 \u202e[b]x[/b] \x07" + "漢" * 80
HOSTILE = TITLE + "\r\n\x00\tline two \x9b2J\ud83d"
MARKDOWN = f"# {TITLE}\n```{TITLE}\n{TITLE}\n```\n|{TITLE}|b|\n|-|-|\n|{TITLE}|{TITLE}|"
BAD = ("\x1b", "\x07", "\x00", "\u202e", "\x9b", "\t", "\r")
# The keys that open each dialog, question or view, from the list.
DIALOGS = {
    "help": ["question_mark"],
    "palette": ["ctrl+k"],
    "themes": ["f2"],
    "settings": ["comma"],
    "history": ["H"],
    "trash": ["X"],
    "archive": ["A"],
    "labels": ["apostrophe"],
    "statistics": ["S"],
    "tags": ["number_sign"],
    "export": ["x"],
    "details": ["i"],
    "resume": ["enter"],
    "rename": ["ctrl+r"],
    "search": ["slash"],
    "transcript": ["v"],
    "search in it": ["v", "slash"],
    "continue": ["2", "home", "enter"],
    "label": ["2", "L"],
    "compare": ["2", "C"],
    "find": ["2", "slash"],
    "zoom": ["3", "3"],
    "copy menu": ["y"],
    "go-to menu": ["g"],
    "view menu": ["full_stop"],
    "orders": ["full_stop", "o"],
    "disk": ["g", "d"],
    "entry": ["v", "i"],
    "raw": ["v", "r"],
}


@pytest.fixture
def hostile(tmp_path):
    """A session whose every text is hostile, with branches and a label."""
    lines = [
        {
            "type": "session",
            "version": 3,
            "id": "evil",
            "timestamp": "2026-05-01T10:00:00Z",
            "cwd": "/work/app",
        },
        message("a", None, "user", TITLE),
        message(
            "b",
            "a",
            "assistant",
            f"# {TITLE}\n```{TITLE}\n{TITLE}\n```\n|{TITLE}|b|\n|-|-|\n|{TITLE}|{TITLE}|",
        ),
        message("c", "b", "user", TITLE),
        message("d", "c", "assistant", TITLE, model=TITLE),
        message("e", "b", "user", TITLE),
        message("f", "e", "assistant", TITLE),
        entry("label", "g", "f", targetId="e", label=TITLE),
        entry("session_info", "h", "g", name=TITLE),
    ]
    return pi_session(tmp_path, *lines, id="evil")


def looks_right(ui, what):
    """Whether no control character is on the screen, and no line is wider or narrower than it."""
    width, height = ui.app.size
    drawn = strips(ui.screen)[:height]
    text = "".join(strip.text for strip in drawn)
    assert not [char for char in BAD if char in text], what
    assert [strip.cell_length for strip in drawn] == [width] * height, what


async def back(ui):
    """Close what is open, until the list has the focus."""
    for _ in range(12):
        if len(ui.app.screen_stack) == 1 and ui.focus == "sessions" and not ui.box.value:
            break
        await ui.press("escape" if ui.focus != "tree" or len(ui.app.screen_stack) > 1 else "1")
    if ui.focus == "entry":
        await ui.press("1")


async def test_every_dialog_survives_a_tiny_terminal_and_a_hostile_paste(browser, hostile):
    before = snapshot(hostile.parent)
    async with browser(size=(100, 30)) as ui:
        for name, keys in DIALOGS.items():
            await ui.press(*keys)
            looks_right(ui, name)
            screen = type(ui.screen).__name__
            for size in ((20, 5), (100, 30)):
                await ui.pilot.resize_terminal(*size)
                await ui.pilot.pause()
                looks_right(ui, f"{name} at {size}")
            assert type(ui.screen).__name__ == screen, name
            ui.app.post_message(events.Paste(HOSTILE))
            await ui.pilot.pause()
            looks_right(ui, f"a paste into {name}")
            for report in (events.MouseDown, events.MouseUp, events.MouseMove):
                place = {"x": 5_000, "y": -3, "delta_x": 0, "delta_y": 0, "button": 1}
                ui.app.post_message(
                    report(None, **place, shift=False, meta=False, ctrl=False, screen_x=5_000, screen_y=-3)
                )
            await ui.pilot.pause()
            await back(ui)
            assert (len(ui.app.screen_stack), ui.focus) == (1, "sessions"), name
        assert snapshot(hostile.parent) == before


async def test_a_session_may_vanish_under_a_transcript_or_a_dialog(browser, hostile, tmp_path):
    async with browser(size=(100, 30)) as ui:
        model = ui.sessions.model
        for name in ("search in it", "continue", "label", "compare", "labels", "details", "tags", "rename"):
            await ui.press(*DIALOGS[name])
            shutil.move(hostile, tmp_path / "away")
            await ui.until(lambda: model.row_at(str(hostile)) is None, f"the end of {name}")
            for key in ("down", "n", "b", "space", "x", "ctrl+s", "enter"):
                await ui.press(key)
                looks_right(ui, f"{key} in {name}")
            await back(ui)
            for made in hostile.parent.iterdir():
                # A new session that was asked for with Enter; it has the name of this one.
                made.unlink()
            shutil.move(tmp_path / "away", hostile)
            await ui.until(lambda: model.total == 1, f"the session after {name}")
            await ui.press("1")
            await ui.settled()


async def test_without_sessions_no_key_that_opens_a_dialog_fails(browser):
    async with browser(size=(100, 30)) as ui:
        for name, keys in DIALOGS.items():
            await ui.press(*keys, *"x:", "tab", "down", "enter")
            looks_right(ui, name)
            for _ in range(6):
                if len(ui.app.screen_stack) > 1 or ui.focus != "sessions":
                    await ui.press("escape")
            assert len(ui.app.screen_stack) == 1, name
