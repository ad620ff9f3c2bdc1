"""What is asked before something is done to sessions: in their row, and in the bars below the panes."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from app.screens.asking_screen import RowEditor, RowQuestion
from tests.factory import chain
from tests.ui.conftest import WAYS, asked, pi_session, snapshot


@pytest.mark.parametrize("way", WAYS)
async def test_ctrl_d_asks_in_the_row_and_enter_trashes(browser, three, way):
    async with browser(**way) as it:
        path = it.path("branchy")
        before = path.read_bytes()
        await it.press("ctrl+d")
        assert isinstance(it.screen, RowQuestion)
        assert "Trash this session?" in it.text()
        await it.press("enter")
        await it.until(lambda: not path.exists(), "the trash")
        await it.until(lambda: "branchy" not in it.listed(), "the row's end")
        await it.until(lambda: any("Moved to the trash" in toast for toast in it.toasts()), "the word")
        assert before in snapshot(it.folder / "data" / "Trash").values()


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("key", ["escape", "ctrl+c"])
async def test_escape_and_ctrl_c_keep_it_and_other_keys_do_nothing(browser, three, way, key):
    async with browser(**way) as it:
        before = snapshot(it.folder / "home")
        await it.press("ctrl+d", "y", "x", "ctrl+d", "down", "space", "q")
        assert isinstance(it.screen, RowQuestion)
        await it.press(key)
        assert not isinstance(it.screen, RowQuestion)
        assert "Trash this" not in it.text()
        assert snapshot(it.folder / "home") == before
        assert not it.app._exit


async def test_the_question_can_be_left_out(browser, three, tmp_path):
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "config.toml").write_text("ask_before_trash = false\n")
    async with browser() as it:
        path = it.path("branchy")
        await it.press("delete")
        await it.until(lambda: not path.exists(), "the trash")


PI = """
import ctypes, sys
ctypes.CDLL(None).prctl(15, b"pi", 0, 0, 0)
print("runs", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def pi_runs_in(tmp_path):
    """A folder in which a program called pi runs."""
    folder = tmp_path / "work"
    folder.mkdir()
    command = [sys.executable, "-I", "-c", PI]
    with subprocess.Popen(command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"runs\n"
        yield folder
        process.communicate()


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="needs a real /proc")
@pytest.mark.parametrize("way", WAYS)
async def test_without_the_question_a_session_that_may_be_live_is_asked_about(
    browser, tmp_path, pi_runs_in, way
):
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "config.toml").write_text("ask_before_trash = false\n")
    pi_session(tmp_path, *chain("may be live", "yes", id="maybe", cwd=str(pi_runs_in)), id="maybe")
    idle = pi_session(tmp_path, *chain("is idle", "yes", id="idle", cwd="/elsewhere"), id="idle")
    async with browser(here=str(pi_runs_in), **way) as it:
        path = it.path("maybe")
        it.sessions.go_to(str(path))
        await it.until(lambda: it.sessions.states == {str(path): "maybe"}, "the mark")
        await it.settled()
        await it.press("ctrl+d")
        assert "pi runs in the same folder" in asked(it)[0]
        assert asked(it)[1] == "Enter trash  Esc keep"
        await it.press("escape")
        assert path.exists()
        await it.press("ctrl+d", "enter")
        await it.until(lambda: not path.exists(), "the trash")
    async with browser(here="/elsewhere", **way) as it:
        await it.press("ctrl+d")
        await it.until(lambda: not idle.exists(), "the trash of the idle one")


async def test_in_a_narrow_list_the_keys_of_the_question_are_read(browser, three):
    async with browser(size=(80, 24)) as it:
        await it.press("ctrl+d")
        assert sum("✗  Trash it? Enter · Esc keeps" in line for line in it.text().splitlines()) == 1


async def test_a_question_about_what_is_marked_stands_in_no_other_row(browser, three):
    async with browser(size=(80, 24)) as it:
        await it.press("space", "ctrl+d")
        assert asked(it) == ["? Trash “Refactor auth”?", "Enter trash  Esc keep"]
        above = it.text().splitlines()[:-2]
        assert not any("Trash" in line for line in above)
        assert [line for line in above if "✗" in line] == [line for line in above if "✗  Refactor a…" in line]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("size", [(40, 10), (120, 40)])
async def test_a_question_about_what_nobody_sees_is_seen(browser, three, way, size):
    async with browser(size=size, **way) as it:
        if it.selects:
            await it.press("shift+tab")
        await it.press("space", "space", "slash", *"zzzzq")
        await it.until(lambda: "No session matches" in it.text(), "the search")
        await it.press("ctrl+d")
        fits = "? Trash 2 sessions, none of them shown?" if size[0] > 42 else "? Trash 2, 2 not shown?"
        assert asked(it) == [fits, "Enter trash  Esc keep"]
        await it.press("escape")
        assert "Trash" not in asked(it)[0]
        assert it.path("branchy").exists()


async def test_how_many_of_what_is_marked_are_not_shown_is_said(browser, three):
    async with browser(selector="") as it:
        await it.press("shift+tab", "space", "space", "slash", *"man")
        await it.until(lambda: it.listed() == ["plain"], "the search")
        await it.press("ctrl+d")
        assert asked(it)[0] == "? Trash 2 sessions, 1 of them not shown?"


async def test_the_bars_say_what_keys_do_while_something_is_asked(browser, three):
    async with browser() as it:
        before = it.text().splitlines()[-2:]
        await it.press("ctrl+d")
        assert asked(it) == ["? Trash “Refactor auth”?", "Enter trash  Esc keep"]
        await it.press("escape")
        assert it.text().splitlines()[-2:] == before
        await it.press("ctrl+r")
        assert asked(it) == ["? Name of “Refactor auth”", "Enter name it  Esc leave it"]
        await it.press("escape", "F")
        assert asked(it) == ["", ""], "the dialog says its own keys"
        await it.press("escape")
        assert it.text().splitlines()[-2:] == before


async def test_the_box_of_a_name_goes_with_its_row(browser, three):
    async with browser() as it:
        path = it.path("plain")
        await it.press("down", "ctrl+r", *"QQQ")
        rows = it.app.screen_stack[-2].side.list
        was = it.screen.query_one("Input").region.y
        assert was == rows.row_region(str(path)).y
        it.path("branchy").unlink()
        await it.until(lambda: rows.model.row_at(str(path)) and rows.row_region(str(path)).y < was, "its row")
        await it.until(lambda: it.screen.query_one("Input").region.y == was - 1, "the box")
        await it.press("enter")
        await it.until(lambda: "QQQ" in path.read_text(), "the name")


async def test_a_name_for_what_has_gone_is_said_and_keys_on_their_way_do_nothing(browser, three):
    async with browser() as it:
        await it.press("ctrl+r", *"QQ")
        it.path("branchy").unlink()
        said = "“Refactor auth” is gone: “Refactor authQQ” is not written"
        await it.until(lambda: said in it.text(), "the word")
        await it.press("q")
        assert not it.app._exit
        await it.press("enter")
        assert it.screen is it.app.screen_stack[0]
        assert "plain" in it.listed()
        assert said not in it.text()


@pytest.mark.parametrize("key", ["down", "enter", "escape"])
async def test_a_question_about_what_has_gone_is_withdrawn(browser, three, key):
    async with browser() as it:
        await it.press("ctrl+d")
        it.path("branchy").unlink()
        said = "“Refactor auth” is gone: nothing is left to trash"
        await it.until(lambda: said in it.text(), "the word")
        at = it.app.screen_stack[0].side.list.cursor
        await it.press(key)
        await it.until(lambda: not isinstance(it.screen, RowQuestion), "its end")
        assert said not in it.text()
        assert not it.toasts()
        # Enter may have been on its way: it does nothing, the other keys what they do
        await it.until(lambda: it.sessions.cursor == at + (key == "down"), "the key")


async def test_of_several_the_question_goes_on_about_those_that_are_left(browser, three):
    async with browser() as it:
        await it.press("space", "space", "ctrl+d")
        assert "? Trash 2 sessions?" in it.text()
        plain = it.path("plain")
        it.path("branchy").unlink()
        await it.until(lambda: "? Trash “write a man page”?" in it.text(), "the rest of it")
        await it.press("enter")
        await it.until(lambda: not plain.exists(), "the trash")


async def test_a_label_that_is_edited_goes_with_its_row(browser, three):
    async with browser() as it:
        await it.press("tab")
        tree = it.tree
        tree.open_at("e", -1)
        await it.pilot.pause()
        await it.press("L")
        assert "? Label in “Refactor auth”" in it.text()
        box = it.screen.query_one("Input")
        assert box.region.y == tree.row_region(tree.view.tree.find("e", -1)).y
        await it.press("escape")


@pytest.mark.parametrize("key", ["ctrl+d", "ctrl+r"])
async def test_what_is_asked_in_a_row_is_in_sight(browser, three, tmp_path, key):
    for number in range(60):
        pi_session(tmp_path, *chain(f"more {number}", "done", id=f"m{number}"), id=f"m{number}")
    async with browser(selector="", size=(80, 24)) as it:
        sessions = it.sessions
        sessions.scroll_to(y=40, animate=False, force=True, immediate=True)
        assert sessions.row_region(sessions.row.path) is None
        await it.press(key)
        assert isinstance(it.screen, RowQuestion | RowEditor)
        assert sessions.row_region(sessions.row.path) is not None


async def test_no_palette_opens_over_a_question(browser, three):
    async with browser() as it:
        await it.press("ctrl+d", "ctrl+k")
        assert isinstance(it.screen, RowQuestion)
