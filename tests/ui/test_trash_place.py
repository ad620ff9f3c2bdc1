"""The trash as a place: what lies there, restoring it, and deleting it for good."""

from __future__ import annotations

import threading

import pytest

from app.actions import restore
from tests.ui.conftest import snapshot


async def trash(ui, *ids):
    for id in ids:
        path = ui.path(id)
        ui.sessions.go_to(str(path))
        await ui.press("ctrl+d", "enter")
        await ui.until(lambda path=path, id=id: not path.exists() and id not in ui.listed(), "the trash")


async def open_trash(ui, text):
    await ui.press("X")
    assert ui.is_in("Trash")
    await ui.until(lambda: text in ui.text(), "what lies there")


@pytest.mark.parametrize("way", [{"selector": ""}, {}])
async def test_a_session_is_restored_undone_and_the_cursor_goes_to_it(browser, three, way):
    for each in three.rglob("*.jsonl"):
        each.write_text(each.read_text().replace("/work/app", "/gone/app"))
    async with browser(here="/gone/app", **way) as ui:
        await ui.press(*(["shift+tab"] if way else []))
        before = snapshot(three / "home")
        await trash(ui, "plain", "branchy")
        await open_trash(ui, "write a man page")
        lines = ui.text()
        assert "leafmark" in lines
        assert "! Its folder is gone: the file is restored, resuming needs a folder." in lines
        await ui.press(*"man", "enter")
        await ui.until(lambda: "plain" in ui.listed(), "its row")
        await ui.until(lambda: ui.sessions.row.id == "plain", "the cursor on it")
        await ui.until(
            lambda: any('Restored "write a man page" (z to undo)' in toast for toast in ui.toasts()),
            "the title",
        )
        path = ui.path("plain")
        await ui.press("z")
        await ui.until(lambda: not path.exists(), "the undo")
        await ui.press("Z")
        await ui.until(path.exists, "the redo")
        await ui.until(
            lambda: any('Redone: restore of "write a man page"' in toast for toast in ui.toasts()),
            "the title",
        )
        assert {name: data for name, data in before.items() if "branchy" not in str(name)} == snapshot(
            three / "home"
        )


async def test_a_session_is_read_where_it_lies_and_nothing_is_written(browser, three):
    async with browser() as ui:
        await trash(ui, "branchy")
        lying = snapshot(three / "data")
        await open_trash(ui, "Refactor auth")
        assert "v read" not in ui.text(), "a letter filters"
        await ui.press("down")
        assert "v read" in ui.text()
        await ui.press("v")
        await ui.until(lambda: "use redis" in ui.text(), "its transcript")
        await ui.press("up", "pageup", "r", "escape")
        assert ui.is_in("Trash")
        assert snapshot(three / "data") == lying
        for path in lying:
            path.unlink()
        await ui.press("v")
        await ui.until(lambda: "has left the trash" in ui.text(), "why not")


async def test_marked_sessions_are_restored_as_one_action(browser, three):
    async with browser() as ui:
        await trash(ui, "plain", "branchy")
        await open_trash(ui, "write a man page")
        await ui.press("space", "asterisk", "asterisk")
        assert "marked" not in ui.text()
        await ui.press("asterisk")
        assert "✓ 2 of 2 sessions" in ui.text()
        await ui.press("enter")
        await ui.until(lambda: {"plain", "branchy"} <= set(ui.listed()), "both")
        await ui.press("z")
        await ui.until(lambda: not {"plain", "branchy"} & set(ui.listed()), "the undo of both")


async def test_what_another_program_trashed_is_listed_and_its_place_may_be_taken(browser, three):
    async with browser() as ui:
        await trash(ui, "plain")
    (three / "state/journal.jsonl").unlink()
    path = three / "home/.pi/agent/sessions/--work-app--/2026_plain.jsonl"
    path.write_text("another file\n")
    async with browser() as ui:
        await open_trash(ui, "write a man page")
        assert " other " in ui.text()
        assert "Another file has its place" in ui.text()
        await ui.press("enter")
        await ui.until(lambda: any("is there already" in toast for toast in ui.toasts()), "the reason")
        assert path.read_text() == "another file\n"
        await open_trash(ui, "write a man page")


async def test_deleting_for_good_asks_for_the_word_and_touches_nothing_else(browser, three):
    async with browser() as ui:
        await trash(ui, "plain", "branchy")
        lying = snapshot(three / "data")
        await open_trash(ui, "write a man page")
        await ui.press(*"man", "ctrl+k", *"del", "enter")
        await ui.until(lambda: ui.is_in("Delete for good"), "the question")
        assert "write a man page" in ui.text()
        await ui.press(*"yes", "enter")
        assert "Not deleted: type delete" in ui.text()
        await ui.press("escape")
        assert snapshot(three / "data") == lying
        await ui.press("ctrl+k", *"del", "enter")
        await ui.until(lambda: ui.is_in("Delete for good"), "the question")
        await ui.press(*"delete", "enter")
        await ui.until(lambda: any("Deleted for good" in toast for toast in ui.toasts()), "the word")
        assert snapshot(three / "data") == {
            path: data for path, data in lying.items() if "2026_plain" not in path.name
        }
        await open_trash(ui, "1 session")
        await ui.press("escape", "z")
        await ui.until(lambda: "branchy" in ui.listed(), "the other one, still there")


@pytest.mark.parametrize("size", [(80, 24), (20, 5)])
async def test_an_empty_trash_and_small_screens(browser, three, size):
    async with browser(size=size) as ui:
        await ui.press("X")
        await ui.until(lambda: "No session is" in ui.text() or size[1] < 8, "that")
        await ui.press("space", "enter", "asterisk", "v", "escape")
        assert not ui.is_in("Trash")
        await trash(ui, "plain")
        await ui.press("X")
        await ui.until(lambda: ui.screen.query_one("#place").rows == 1, "one")
        await ui.pilot.resize_terminal(120, 40)
        await ui.until(lambda: "write a man page" in ui.text(), "it")
        await ui.press("escape")
        assert not ui.is_in("Trash")


async def test_the_trash_is_not_read_on_the_event_loop(browser, three, monkeypatch):
    threads = []
    real = restore.list_trashed
    monkeypatch.setattr(
        restore, "list_trashed", lambda *about: threads.append(threading.current_thread()) or real(*about)
    )
    async with browser() as ui:
        await ui.press("X")
        await ui.until(lambda: "No session is in the trash" in ui.text(), "that")
    assert threads
    assert threading.main_thread() not in threads
