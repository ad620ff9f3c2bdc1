"""The browser without sessions, with hostile ones, and with unreadable ones."""

from __future__ import annotations

import os
import re

from tests.factory import chain, message
from tests.ui.conftest import pi_session


def is_removed(folder):
    return not os.path.exists(folder)


async def test_without_sessions_the_stores_are_named_and_f6_opens_the_examples(browser, tmp_path):
    async with browser() as ui:
        text = ui.text()
        assert "Welcome to leafmark" in text
        assert re.search("pi +~/.pi/agent/sessions +not there", text)
        assert "Tree" not in text
        assert (
            " ".join(text.splitlines()[-1].split())
            == "F6 try the examples F5 rescan , settings q quit ? help"
        )
        await ui.press("tab", "2", "t", "v", "greater_than_sign")
        assert (ui.focus, ui.text()) == ("sessions", text)
        await ui.press("f6")
        await ui.until(lambda: len(ui.listed()) > 10, "the examples")
        await ui.settled()
        assert "Examples" in ui.text()
        footer = ui.text().splitlines()[-1]
        assert "v read" in footer
        assert "resume" in footer
        folder = ui.screen.setup.demo
        assert folder
        example_count = ui.screen.model.known
        await ui.press("escape", "f6")
        await ui.until(lambda: ui.screen.setup.demo and ui.screen.feed.scanned, "the examples again")
        assert ui.screen.model.known == example_count
    assert is_removed(folder)


async def test_a_deleted_session_leaves_the_list(browser, three):
    async with browser() as ui:
        ui.path("plain").unlink()
        await ui.until(lambda: "plain" not in ui.listed(), "the removal")
        assert ui.sessions.row.id == "branchy"


async def test_a_session_that_cannot_be_opened_gives_the_reason_and_is_tried_again(
    browser, three, monkeypatch
):
    from app.sessions.tree import tree

    def refuse(path, *_):
        raise PermissionError(13, "Permission denied", path)

    async with browser() as ui:
        with monkeypatch.context() as patched:
            patched.setattr(tree, "open_tree", refuse)
            await ui.press("down")
            await ui.until(lambda: "cannot be read: Permission denied" in ui.text(), "the reason")
            await ui.pilot.pause(0.5)
            assert "reading" not in ui.text()
        await ui.press("f5")
        await ui.until(lambda: "write a man page" in ui.text(), "the tree")


async def test_hostile_text_reaches_the_screen_as_text(browser, tmp_path):
    hostile = "\x1b]0;owned\x07\x1b[31mred\u202egnp.exe [/bold] [@click=app.quit]x[/] \x9b2J"
    lines = chain(hostile, hostile, id="evil")
    lines.append(message("l", "00000002", "user", hostile))
    lines.append(
        {"type": "label", "id": "m", "parentId": "l", "timestamp": "x", "targetId": "l", "label": hostile}
    )
    lines.append({"type": hostile, "id": "n", "parentId": "m"})
    pi_session(tmp_path, *lines, id="evil")
    async with browser() as ui:
        await ui.press("tab", "ctrl+a", "up", "up")
        await ui.settled()
        for key in ("slash", "escape", "question_mark", "escape", "r"):
            await ui.press(key)
        text = ui.text()
        assert "[/bold]" in text
        for bad in ("\x1b", "\x07", "\x9b", "\u202e"):
            assert bad not in text


async def test_a_lone_surrogate_is_shown_raw(browser, tmp_path):
    line = '{"type":"message","id":"z","parentId":"00000001","timestamp":"x",'
    line += '"message":{"role":"user","content":"a\\ud83dz"}}'
    pi_session(tmp_path, *chain("q", id="s"), line, id="s")
    async with browser() as ui:
        await ui.press("tab", "r")
        await ui.until(lambda: any('"content"' in row.text for row in ui.entry.lines), "the raw entry")


async def test_an_error_in_one_entry_stays_in_its_dialog(browser, three, monkeypatch):
    from app.services import entry_reader

    def fail(entry):
        raise KeyError("role")

    monkeypatch.setattr(entry_reader, "entry_parts", fail)
    async with browser() as ui:
        await ui.press("tab", "i")
        await ui.until(lambda: "cannot be shown: KeyError" in ui.text(), "the reason")
        assert "not followed" not in ui.text()
