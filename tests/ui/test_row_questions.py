"""Questions before an action on sessions: in the row, and in the bars below the panes."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from textual import events
from textual.geometry import Region
from textual.widgets import Input

from app.dialogs.row_dialogs import RowEditor
from tests.factory import chain
from tests.ui.conftest import EDIT, QUESTION, WAYS, asked, pi_session, snapshot

pytestmark = pytest.mark.usefixtures("tree_shown")


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("key", ["escape", "ctrl+c"])
async def test_escape_and_ctrl_c_cancel_and_other_keys_do_nothing(browser, three, way, key):
    async with browser(**way) as ui:
        before = snapshot(ui.folder / "home")
        await ui.press("ctrl+d", "y", "x", "ctrl+d", "down", "space", "q")
        assert ui.is_in(QUESTION)
        await ui.press(key)
        assert not ui.is_in(QUESTION)
        assert "Trash this" not in ui.text()
        assert snapshot(ui.folder / "home") == before
        assert not ui.has_ended


PI = """
import ctypes, sys
ctypes.CDLL(None).prctl(15, b"pi", 0, 0, 0)
print("runs", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def pi_runs_in(tmp_path):
    """A folder in which a process called pi runs."""
    folder = tmp_path / "work"
    folder.mkdir()
    command = [sys.executable, "-I", "-c", PI]
    with subprocess.Popen(command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"runs\n"
        yield folder
        process.communicate()


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="needs a real /proc")
@pytest.mark.parametrize("way", WAYS)
async def test_a_session_that_may_be_live_is_asked_about_despite_the_setting(
    browser, tmp_path, pi_runs_in, way
):
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "config.toml").write_text("ask_before_trash = false\n")
    pi_session(tmp_path, *chain("may be live", "yes", id="maybe", cwd=str(pi_runs_in)), id="maybe")
    idle = pi_session(tmp_path, *chain("is idle", "yes", id="idle", cwd="/elsewhere"), id="idle")
    async with browser(here=str(pi_runs_in), **way) as ui:
        path = ui.path("maybe")
        ui.sessions.go_to(str(path))
        await ui.until(lambda: ui.sessions.states == {str(path): "maybe"}, "the mark")
        await ui.settled()
        await ui.press("ctrl+d")
        assert "pi runs in the same folder" in ui.text()
        await ui.press("enter")
        assert path.exists(), "the first choice is harmless"
        assert not ui.is_in("This session")
        await ui.press("ctrl+d", "down", "enter")
        await ui.until(lambda: not path.exists(), "the trash")
    async with browser(here="/elsewhere", **way) as ui:
        await ui.press("ctrl+d")
        await ui.until(lambda: not idle.exists(), "the trash of the idle one")


async def test_a_question_about_a_marked_session_is_in_no_other_row(browser, three):
    async with browser(size=(80, 24)) as ui:
        await ui.press("space", "ctrl+d")
        assert asked(ui) == ['Trash "Refactor auth" (1.5 kB)?', "Enter trash  Esc keep"]
        above = ui.text().splitlines()[:-2]
        assert not any("Trash" in line for line in above)
        assert [line for line in above if "✗" in line] == [
            line for line in above if " ✗ Refactor auth " in line
        ]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("size", [(40, 10), (120, 40)])
async def test_a_question_about_hidden_sessions_is_visible(browser, three, way, size):
    async with browser(size=size, **way) as ui:
        if ui.selects:
            await ui.press("shift+tab")
        await ui.press("space", "space", "slash", *"zzzzq")
        await ui.until(lambda: "No session matches" in ui.text(), "the search")
        await ui.press("ctrl+d")
        size_of_both = " (1.9 kB)" if size[0] > 42 else ""
        assert asked(ui) == [
            f"Trash 2 sessions, none of them shown{size_of_both}?",
            "Enter trash  Esc keep",
        ]
        await ui.press("escape")
        assert "Trash" not in asked(ui)[0]
        assert ui.path("branchy").exists()


async def test_a_question_counts_the_hidden_sessions(browser, three):
    async with browser(selector="") as ui:
        await ui.press("shift+tab", "space", "space", "slash", *"man")
        await ui.until(lambda: ui.listed() == ["plain"], "the search")
        await ui.press("ctrl+d")
        assert asked(ui)[0] == "Trash 2 sessions, 1 of them not shown (1.9 kB)?"


async def test_the_bars_name_the_keys_of_a_question(browser, three):
    async with browser() as ui:
        before = ui.text().splitlines()[-2:]
        await ui.press("ctrl+d")
        assert asked(ui) == ['Trash "Refactor auth" (1.5 kB)?', "Enter trash  Esc keep"]
        await ui.press("escape")
        assert ui.text().splitlines()[-2:] == before
        await ui.press("ctrl+r")
        assert asked(ui) == ["Empty: use the first prompt as title.", "Enter save  Esc cancel"]
        await ui.press("escape", "F")
        assert asked(ui) == ["", ""], "the dialog says its own keys"
        await ui.press("escape")
        assert ui.text().splitlines()[-2:] == before


async def test_the_name_editor_follows_its_row(browser, three):
    async with browser() as ui:
        path = ui.path("plain")
        await ui.press("down", "ctrl+r", *"QQQ")
        rows = ui.app.screen_stack[-2].sessions_pane.list
        old_y = ui.screen.query_one("Input").region.y
        assert old_y == rows.row_region(str(path)).y
        ui.path("branchy").unlink()
        await ui.until(
            lambda: rows.model.row_at(str(path)) and rows.row_region(str(path)).y < old_y, "its row"
        )
        await ui.until(lambda: ui.screen.query_one("Input").region.y == old_y - 1, "the box")
        await ui.press("enter")
        await ui.until(lambda: "QQQ" in path.read_text(), "the name")


async def test_a_name_for_a_removed_session_is_reported_and_late_keys_do_nothing(browser, three):
    async with browser() as ui:
        await ui.press("ctrl+r", *"QQ")
        ui.path("branchy").unlink()
        reason = '"Refactor auth" is gone: "Refactor authQQ" is not written'
        await ui.until(lambda: reason in ui.text(), "the word")
        await ui.press("q")
        assert not ui.has_ended
        await ui.press("enter")
        assert ui.screen is ui.app.screen_stack[0]
        assert "plain" in ui.listed()
        assert reason not in ui.text()


@pytest.mark.parametrize("key", ["down", "enter", "escape"])
async def test_a_question_about_a_removed_session_is_withdrawn(browser, three, key):
    async with browser() as ui:
        await ui.press("ctrl+d")
        ui.path("branchy").unlink()
        reason = '"Refactor auth" is gone: nothing is left to trash'
        await ui.until(lambda: reason in ui.text(), "the word")
        cursor = ui.app.screen_stack[0].sessions_pane.list.cursor
        await ui.press(key)
        await ui.until(lambda: not ui.is_in(QUESTION), "its end")
        assert reason not in ui.text()
        assert not ui.toasts()
        # Enter answers the question even if it comes too late; other keys do what they usually do
        await ui.until(lambda: ui.sessions.cursor == cursor + (key == "down"), "the key")


async def test_a_question_about_several_continues_with_the_remaining_ones(browser, three):
    async with browser() as ui:
        await ui.press("space", "space", "ctrl+d")
        assert "Trash 2 sessions (1.9 kB)?" in ui.text()
        plain = ui.path("plain")
        ui.path("branchy").unlink()
        await ui.until(lambda: 'Trash "write a man page" (' in ui.text(), "the rest of it")
        await ui.press("enter")
        await ui.until(lambda: not plain.exists(), "the trash")


async def test_the_label_editor_is_in_the_row_of_its_entry(browser, three):
    async with browser() as ui:
        await ui.press("tab")
        tree = ui.tree
        tree.open_at("e", -1)
        await ui.pilot.pause()
        await ui.press("L")
        assert "Empty removes the label." in ui.text()
        box = ui.screen.query_one("Input")
        assert box.region.y == tree.row_region(tree.view.tree.find("e", -1)).y
        await ui.press("escape")


@pytest.mark.parametrize("key", ["ctrl+d", "ctrl+r"])
async def test_a_question_scrolls_its_row_into_view(browser, three, tmp_path, key):
    for number in range(60):
        pi_session(tmp_path, *chain(f"more {number}", "done", id=f"m{number}"), id=f"m{number}")
    async with browser(selector="", size=(80, 24)) as ui:
        sessions = ui.sessions
        sessions.scroll_to(y=40, animate=False, force=True, immediate=True)
        assert sessions.row_region(sessions.row.path) is None
        await ui.press(key)
        assert ui.is_in(QUESTION, EDIT)
        assert sessions.row_region(sessions.row.path) is not None


async def test_the_palette_does_not_open_over_a_question(browser, three):
    async with browser() as ui:
        await ui.press("ctrl+d", "ctrl+k")
        assert ui.is_in(QUESTION)


@pytest.mark.parametrize(("keys", "limit"), [(["ctrl+r"], 120), (["tab", "L"], 80)])
async def test_a_name_and_a_label_are_limited_and_counted(browser, three, keys, limit):
    async with browser(size=(159, 40)) as ui:
        await ui.press(*keys)
        assert f" / {limit}" in ui.text()
        line = ui.screen.query_one(Input)
        ui.app.post_message(events.Paste("x" * 15_000))
        await ui.until(lambda: len(line.value) == limit, "the cut text")
        assert f"cut {limit} / {limit}" in ui.text()
        assert f"Cut to {limit} characters" in ui.toasts()
        await ui.press("backspace")
        assert f" {limit - 1} / {limit}" in ui.text()


async def test_the_edit_of_a_label_leaves_the_connectors_in_view_and_offers_recent_labels(browser, three):
    async with browser(size=(159, 40)) as ui:
        await ui.press("tab", "home", "L")
        status = ui.text().splitlines()[-2]
        assert "Empty removes the label.   ↓ recent labels   Enter save   Esc cancel" in status
        row = next(line for line in ui.text().splitlines() if "Label:" in line)
        assert "❯• Label: New label" in row
        await ui.press(*"new", "down")
        assert "Label: redis idea" in ui.text()
        await ui.press("up")
        assert "Label: new " in ui.text()
        await ui.press("down", "enter")
        # Each of the two is in the tree and in the conversation.
        await ui.until(lambda: ui.text().count("◆ redis idea") == 4, "the label")


async def test_a_row_may_move_before_its_editor_is_mounted(browser, three):
    async with browser() as ui:
        editor = RowEditor("dark mode", Region(1, 2, 60, 1), "a name", "name")
        editor.put(Region(1, 3, 30, 1))
        await ui.app.push_screen(editor)
        assert not editor.query_one("#row-label").display
        await ui.press("X", "enter")
        assert not editor.is_attached
