"""Exporting from the browser."""

from __future__ import annotations

import json
import os
import sys

from tests.factory import chain
from tests.ui.conftest import pi_session

SECRET = "sk-ant-api03-" + "a1B2c3D4e5F6g7H8" * 5 + "-AAAA"


async def open_dialog(ui):
    await ui.press("x")
    await ui.until(lambda: ui.is_in("Export"), "the dialog")


async def choose_target(ui, text):
    ui.screen.query_one("#export-path").value = text
    await ui.press("enter")


def message_with(ui, text):
    return any(text in shown for shown in ui.toasts())


async def test_a_session_is_exported_redacted_and_an_existing_file_is_kept(browser, tmp_path):
    pi_session(tmp_path, *chain(f"my key is {SECRET}", "no", id="keys"), id="keys")
    target = tmp_path / "out.md"
    target.write_text("mine")
    async with browser() as ui:
        ui.sessions.go_to(str(ui.path("keys")))
        await open_dialog(ui)
        assert "HTML page" in ui.text()
        await ui.press("right")  # Markdown
        await ui.until(lambda: ui.screen.query_one("#export-path").value.endswith(".md"), "the name")
        await choose_target(ui, str(target))
        await ui.until(lambda: "there already" in ui.text(), "the question")
        assert target.read_text() == "mine"
        await ui.press("enter")
        await ui.until(lambda: message_with(ui, "1 secret replaced"), "the message")
        text = target.read_text()
        assert "my key is" in text
        assert SECRET not in text
        await open_dialog(ui)
        await choose_target(ui, str(tmp_path / "no-folder" / "x"))
        await ui.until(lambda: "does not exist" in ui.text(), "the reason")
        await ui.press("escape")
        assert not ui.is_in("Export")


async def test_the_path_to_the_entry_under_the_cursor_is_exported(browser, three, tmp_path):
    async with browser() as ui:
        ui.sessions.go_to(str(ui.path("plain")))
        await ui.press("t")
        await ui.until(lambda: ui.tree.node is not None, "the tree")
        await ui.press("home")
        first = ui.tree.node.id
        await open_dialog(ui)
        await ui.press("right", "right", "right")  # a session file
        await choose_target(ui, str(tmp_path / "path.jsonl"))
        await ui.until(lambda: message_with(ui, "nothing redacted"), "the message")
    lines = [json.loads(line) for line in (tmp_path / "path.jsonl").read_text().splitlines()]
    assert [line.get("id") for line in lines if line["type"] == "message"] == [first]


async def test_marked_sessions_are_exported_to_a_folder(browser, three, tmp_path):
    folder = tmp_path / "shared"
    folder.mkdir()
    mine = folder / "write-a-man-page.html"
    mine.write_text("mine, of the session plain")
    async with browser() as ui:
        ui.sessions.go_to(str(ui.path("plain")))
        await ui.press("asterisk")
        marked = len(ui.screen.model.marked)
        assert marked > 1
        await open_dialog(ui)
        assert f"{marked} sessions" in ui.text()
        await choose_target(ui, str(folder))
        await ui.until(
            lambda: message_with(ui, "Not exported: write-a-man-page.html is there, and is kept"), "both"
        )
        await ui.until(lambda: message_with(ui, f"Exported {marked - 1} sessions to"), "the others")
    assert mine.read_text() == "mine, of the session plain"
    assert len(list(folder.iterdir())) == marked


async def test_an_export_goes_into_the_folder_for_exports_and_a_key_opens_it(browser, three, tmp_path):
    opened = tmp_path / "opened"
    opener = tmp_path / "bin" / ("open" if sys.platform == "darwin" else "xdg-open")
    opener.parent.mkdir()
    opener.write_text(f'#!/bin/sh\nprintf %s "$1" > {opened}.part && mv {opened}.part {opened}\n')
    opener.chmod(0o755)
    path = f"{opener.parent}:{os.environ['PATH']}"
    folder = tmp_path / "home" / "leafmark-exports"
    async with browser(env={"PATH": path}) as ui:
        ui.sessions.go_to(str(ui.path("plain")))
        await open_dialog(ui)
        offered = ui.screen.query_one("#export-path").value
        assert offered == "~/leafmark-exports/write-a-man-page.html"
        await ui.press("enter")
        await ui.until(lambda: message_with(ui, "(E to open); 0 secrets replaced"), "the message")
        await ui.press("E")
        await ui.until(opened.exists, "the file in a program")
    assert opened.read_text() == str(folder / "write-a-man-page.html")
