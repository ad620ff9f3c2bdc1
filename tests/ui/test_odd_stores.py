"""Stores that are empty, vanish, or cannot be read: the screen says so, and shows later sessions."""

from __future__ import annotations

import os
import shutil

import pytest

from tests.factory import chain
from tests.ui.conftest import HERE, pi_session

WAYS = pytest.mark.parametrize("way", [{"selector": ""}, {}], ids=["selector", "browser"])


@pytest.fixture
def denied(monkeypatch):
    """Folders that cannot be listed, even by root."""
    real_scandir = os.scandir
    folders = []

    def refuse(path="."):
        if str(path).endswith(tuple(folders)):
            raise PermissionError(13, "Permission denied", path)
        return real_scandir(path)

    monkeypatch.setattr("app.stores.layout.os.scandir", refuse)
    return folders


@WAYS
async def test_unreadable_folders_are_counted_in_the_header(browser, three, tmp_path, denied, way):
    pi_session(tmp_path, *chain("unseen", id="away"), id="away", project="secret")
    pi_session(tmp_path, *chain("unseen", id="off"), id="off", project="private")
    denied += ["-secret--", "-private--"]
    async with browser(**way) as ui:
        await ui.until(lambda: "2 folders not read: leafmark doctor" in ui.text(), "the note")
        denied.pop()
        await ui.press("f5")
        await ui.until(lambda: "1 folder not read: leafmark doctor" in ui.text(), "the lesser note")
        denied.clear()
        await ui.press("f5")
        await ui.until(lambda: "not read" not in ui.text(), "no note")


async def test_an_unreadable_store_is_counted_in_the_header(browser, three, denied):
    denied.append(os.path.join(".pi", "agent", "sessions"))
    async with browser() as ui:
        await ui.until(lambda: "1 folder not read: leafmark doctor" in ui.text(), "the note")


async def test_a_new_session_does_not_unfold_its_project(browser, tmp_path):
    async with browser() as ui:
        pi_session(tmp_path, *chain("hello", id="fresh", cwd="/other"), id="fresh", project="other")
        await ui.until(lambda: ui.listed() == ["[/other]", "fresh"], "the session")
        await ui.press("left", "left")
        assert ui.listed() == ["[/other]"]
        pi_session(tmp_path, *chain("again", id="more", cwd="/other"), id="more", project="other")
        await ui.until(lambda: ui.sessions.model.known == 2, "the second session")
        assert ui.listed() == ["[/other]"]


@WAYS
async def test_a_vanished_store_is_reported_as_missing(browser, three, tmp_path, way):
    async with browser(**way) as ui:
        (tmp_path / "home" / ".pi").rename(tmp_path / "elsewhere")
        await ui.until(lambda: "No sessions found" in ui.text(), "the notice")
        await ui.until(lambda: "~/.pi/agent/sessions         not there" in ui.text(), "its state")
        shutil.copytree(tmp_path / "elsewhere", tmp_path / "home" / ".pi")
        await ui.until(lambda: ui.sessions.model.known == 3, "the sessions")


async def test_the_footer_says_what_the_keys_do_to_a_project(browser, three):
    async with browser() as ui:
        await ui.press("home")
        assert ui.sessions.row is None
        footer = ui.text().splitlines()[-1]
        assert "Enter fold  c new session" in footer
        every = ui.listed()
        await ui.press("enter")
        assert ui.listed() == [f"[{HERE}]", "[/work/site]", "site1"]
        await ui.until(lambda: "Enter unfold" in ui.text().splitlines()[-1], "the other word")
        await ui.press("enter")
        await ui.until(lambda: "Enter fold" in ui.text().splitlines()[-1], "the first word")
        await ui.press("space", "space")
        assert ui.listed() == every


async def test_files_without_a_session_are_counted_in_the_header(browser, three, tmp_path):
    pi_session(tmp_path, *chain("unseen", id="away"), id="away").write_text("nothing of a session\n")
    async with browser() as ui:
        await ui.until(lambda: "1 file not read: leafmark doctor" in ui.text(), "the note")


async def test_the_number_of_hits_of_the_selector_replaces_that_note(browser, three, tmp_path):
    pi_session(tmp_path, *chain("unseen", id="away"), id="away").write_text("nothing of a session\n")
    async with browser(selector="") as ui:
        await ui.until(lambda: "1 file not read" in ui.text().splitlines()[0], "the note")
        await ui.press(*"done")
        await ui.until(lambda: "1 of 2" in ui.text().splitlines()[0], "the number of hits")
