"""Failures outside of leafmark: a message names the path and the reason, and the list stays right."""

from __future__ import annotations

import errno
import json
import os

import pytest
from leafmark import SessionError

from app.actions import trash
from app.services import list_facts
from app.sessions.manager import live_guard
from app.stores import MAYBE, Verdict
from tests.factory import chain, message, write_session
from tests.ui.conftest import QUESTION, snapshot

# stores


async def test_an_unreadable_store_does_not_hide_others(browser, three, monkeypatch):
    (three / "home/.omp/agent").mkdir(parents=True)
    (three / "home/.omp/agent/sessions").write_text("no folder")
    async with browser(selector="") as ui:
        assert ui.listed() == ["branchy", "plain"]
        assert not ui.has_ended


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is unreadable to this user")
async def test_an_unreadable_folder_is_named(browser, tmp_path):
    root = tmp_path / "home/.pi/agent/sessions"
    root.mkdir(parents=True)
    root.chmod(0)
    try:
        async with browser(selector="") as ui:
            assert "unreadable" in ui.text()
    finally:
        root.chmod(0o700)


async def test_without_sessions_the_state_of_each_store_is_shown(browser, tmp_path):
    (tmp_path / "home/.pi/agent").mkdir(parents=True)
    (tmp_path / "home/.pi/agent/sessions").write_text("no folder")
    async with browser(selector="") as ui:
        text = ui.text()
        assert "No sessions found" in text
        assert "~/.pi/agent/sessions         not a folder" in text


async def test_when_following_fails_the_reason_and_the_key_to_rescan_are_shown(browser, three, monkeypatch):
    from leafmark import Index

    def broken(self, *_):
        raise OSError(errno.ENOSPC, "no watches left", "/somewhere")

    watch = Index.watch
    monkeypatch.setattr(Index, "watch", broken)
    async with browser(selector="", settle=False, size=(200, 30)) as ui:
        await ui.until(lambda: "no watches left" in ui.text(), "why not")
        assert "F5 looks again" in ui.text()
        monkeypatch.setattr(Index, "watch", watch)
        await ui.press("f5")
        await ui.settled()
        assert ui.listed() == ["branchy", "plain"]
        assert "no watches" not in ui.text()


# files that have changed


ACTIONS = {
    "rename": (["ctrl+r", *"New", "enter"], "plain"),
    "fork": (["f"], "plain"),
    "trash": (["ctrl+d", "enter"], "plain"),
}


@pytest.mark.parametrize("action", ACTIONS)
async def test_a_file_that_vanishes_before_the_action_is_named(browser, three, action):
    keys, id = ACTIONS[action]
    async with browser(selector="") as ui:
        await ui.press("down", "shift+tab")
        path = ui.path(id)
        before = snapshot(three / "home")
        await ui.press(*keys[:-1])
        path.unlink()
        await ui.press(keys[-1])
        await ui.until(lambda: ui.toasts(), "why not")
        assert any(str(path) in toast or "write a man page" in toast for toast in ui.toasts())
        await ui.until(lambda: ui.listed() == ["branchy"], "the row's end")
        del before[path]
        assert snapshot(three / "home") == before


async def test_a_session_that_grows_while_its_name_is_edited_keeps_the_new_entry(browser, three):
    async with browser(selector="") as ui:
        path = ui.path("branchy")
        await ui.press("ctrl+r", "ctrl+u", *"New")
        line = json.dumps(message("late", "h", "user", "meanwhile", 20)) + "\n"
        with path.open("a") as file:
            file.write(line)
        await ui.press("enter")
        await ui.until(lambda: ui.sessions.row.name == "New", "the name")
        lines = path.read_text().splitlines(keepends=True)
        assert line in lines
        assert json.loads(lines[-1])["parentId"] == "late"


async def test_a_session_rewritten_while_its_name_is_edited_is_renamed(browser, three, tmp_path):
    async with browser(selector="") as ui:
        path = ui.path("branchy")
        await ui.press("ctrl+r", "ctrl+u", *"New")
        new = write_session(tmp_path / "new.jsonl", *chain("another beginning", "x", id="branchy"))
        os.replace(new, path)
        await ui.press("enter")
        await ui.until(lambda: ui.sessions.row.name == "New", "the name")
        assert [json.loads(line)["type"] for line in path.read_text().splitlines()][-1] == "session_info"
        assert "another beginning" in path.read_text()


async def test_a_name_is_not_written_over_a_concurrent_write(browser, three, monkeypatch):
    from app.actions import row_actions

    rename = row_actions.rename

    def overtaken(row, *arguments, **options):
        raise SessionError(row.path, 0, "another program wrote it meanwhile")

    async with browser(selector="") as ui:
        monkeypatch.setattr(row_actions, "rename", overtaken)
        path = ui.path("branchy")
        before = path.read_bytes()
        await ui.press("ctrl+r", "ctrl+u", *"New", "enter")
        await ui.until(lambda: ui.toasts(), "why not")
        assert "another program wrote it meanwhile" in ui.toasts()[0]
        assert str(path) not in ui.toasts()[0]
        assert path.read_bytes() == before
        monkeypatch.setattr(row_actions, "rename", rename)


# trash


async def test_a_session_trashed_in_another_selector_is_reported_as_gone(browser, three):
    async with browser(selector="") as first, browser(selector="") as second:
        path = first.path("branchy")
        content = path.read_bytes()
        await first.press("ctrl+d")
        await second.press("ctrl+d")
        await first.press("enter")
        await first.until(lambda: not path.exists(), "the trash")
        reason = '"Refactor auth" is gone: nothing is left to trash'
        await second.until(lambda: reason in second.text(), "the word")
        await second.press("enter")
        assert second.selects, "Enter that was on its way resumes nothing"
        assert any("Trashed" in toast for toast in first.toasts())
        assert not second.toasts()
        for selector in (first, second):
            await selector.until(lambda ui=selector: ui.listed() == ["plain"], "the row's end")
        await first.press("ctrl+underscore")
        await first.until(path.exists, "the session")
        assert path.read_bytes() == content
        for selector in (first, second):
            await selector.until(lambda ui=selector: sorted(ui.listed()) == ["branchy", "plain"], "its row")


@pytest.fixture
def no_trash(monkeypatch):
    """A system without a trash."""

    def refuse(path, env):
        raise OSError(errno.EXDEV, "no trash on this file system", path)

    monkeypatch.setattr(trash, "send_to_system", refuse)


@pytest.mark.parametrize("way", [{"selector": ""}, {}], ids=["selector", "browser"])
async def test_without_a_trash_only_x_deletes_for_good(browser, three, no_trash, way):
    async with browser(**way) as ui:
        path = ui.path("branchy")
        plain_before = ui.path("plain").read_bytes()
        await ui.press("ctrl+d", "enter")
        await ui.until(lambda: "for good" in ui.text(), "the second question")
        assert path.exists()
        assert any("no trash on this file system" in toast for toast in ui.toasts())
        await ui.press("enter", "y", "ctrl+d", "space", "delete")
        assert path.exists(), "the key that confirmed before does not confirm this"
        assert ui.is_in(QUESTION)
        await ui.press("x")
        await ui.until(lambda: not path.exists(), "the end")
        await ui.until(lambda: any("Deleted for good" in toast for toast in ui.toasts()), "the word")
        await ui.until(lambda: "branchy" not in ui.listed(), "the row's end")
        assert ui.path("plain").read_bytes() == plain_before
        await ui.press("ctrl+underscore")
        await ui.until(lambda: "Nothing to undo" in ui.toasts(), "that")


@pytest.mark.parametrize("key", ["escape", "ctrl+c"])
async def test_without_a_trash_escape_keeps_the_session(browser, three, no_trash, key):
    async with browser(selector="") as ui:
        before = snapshot(three / "home")
        await ui.press("ctrl+d", "enter")
        await ui.until(lambda: "for good" in ui.text(), "the second question")
        await ui.press(key)
        assert ui.selects
        assert "for good" not in ui.text().splitlines()[3]
        assert snapshot(three / "home") == before
        assert ui.listed() == ["branchy", "plain"]


async def test_a_session_that_may_be_live_is_deleted_for_good_after_the_same_warning(
    browser, three, no_trash, monkeypatch
):
    maybe = Verdict(MAYBE, "pi runs in the same folder")
    monkeypatch.setattr(live_guard, "verdict", lambda *arguments: maybe)
    monkeypatch.setattr(
        list_facts, "live_sessions", lambda rows, *arguments: {row.path: maybe for row in rows}
    )
    async with browser(selector="") as ui:
        path = ui.path("branchy")
        await ui.until(lambda: ui.sessions.states.get(str(path)) == MAYBE, "the look at the processes")
        await ui.press("ctrl+d")
        await ui.press("down", "enter")
        await ui.until(lambda: "for good" in ui.text(), "the second question")
        await ui.press("x")
        await ui.until(lambda: not path.exists(), "the end")


async def test_only_sessions_without_a_trash_are_asked_about_again(browser, three, monkeypatch):
    send = trash.send_to_system

    def refuse_one(path, env):
        if "branchy" in path:
            raise OSError(errno.EXDEV, "no trash on this file system", path)
        send(path, env)

    monkeypatch.setattr(trash, "send_to_system", refuse_one)
    async with browser(selector="") as ui:
        branchy, plain = ui.path("branchy"), ui.path("plain")
        await ui.press("shift+tab", "asterisk", "ctrl+d", "enter")
        await ui.until(lambda: "for good" in ui.text(), "the question about one")
        assert not plain.exists()
        assert branchy.exists()
        await ui.press("x")
        await ui.until(lambda: not branchy.exists(), "the end")
        await ui.until(lambda: ui.listed() == [], "the rows' end")


async def test_undo_does_not_overwrite_a_new_file(browser, three):
    async with browser(selector="") as ui:
        path = ui.path("branchy")
        await ui.press("ctrl+d", "enter")
        await ui.until(lambda: not path.exists(), "the trash")
        await ui.until(lambda: ui.listed() == ["plain"], "the row's end")
        path.write_text("mine")
        await ui.press("ctrl+underscore")
        await ui.until(lambda: any("there" in toast for toast in ui.toasts()), "why not")
        assert path.read_text() == "mine"
