"""What is done to sessions from their list, in the selector and in the browser."""

from __future__ import annotations

import json

import pytest

from app.actions import on_rows
from app.messages import StatesFound
from app.screens.questions import RowEditor, RowQuestion
from app.services.indexing import Indexing
from app.sessions.errors import WriteFailed
from tests.factory import chain, write_session
from tests.ui.conftest import pi_session

WAYS = [{"selector": ""}, {}]


def asked(it):
    """What the bars below the panes say: the question, and the keys that answer it."""
    return [line.strip() for line in it.text().splitlines()[-2:]]


def snapshot(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


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


@pytest.mark.parametrize(("way", "undo"), [({"selector": ""}, "ctrl+z"), ({}, "z")])
async def test_undo_brings_it_back_byte_for_byte(browser, three, way, undo):
    async with browser(**way) as it:
        path = it.path("branchy")
        before, times = path.read_bytes(), path.stat().st_mtime_ns
        await it.press("ctrl+d", "enter")
        await it.until(lambda: not path.exists(), "the trash")
        await it.press(undo)
        await it.until(path.exists, "the session")
        assert (path.read_bytes(), path.stat().st_mtime_ns) == (before, times)
        await it.until(lambda: "branchy" in it.listed(), "its row")
        await it.until(lambda: any("Back from the trash" in toast for toast in it.toasts()), "the word")


@pytest.mark.parametrize(("way", "key"), [({"selector": ""}, "Ctrl+Z"), ({}, "z")])
async def test_the_key_that_is_said_takes_it_back_where_one_is(browser, three, way, key):
    async with browser(**way) as it:
        await it.press("ctrl+d", "enter")
        await it.until(it.toasts, "the word")
        assert it.toasts() == [f"Moved to the trash – {key} takes it back"]


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


async def test_what_needs_a_session_is_offered_where_there_is_one(browser, three):
    async with browser(selector="", here="/nowhere", settle=False) as it:
        await it.until(lambda: "Tab shows those of all folders" in it.text(), "the list")
        keys = it.text().splitlines()[-1]
        assert "Tab all folders" in keys
        assert not any(label in keys for label in ("resume", "rename", "trash"))
        await it.press("tab")
        await it.until(lambda: "Enter resume" in it.text() and "Ctrl+D trash" in it.text(), "the keys")


async def test_sub_agents_go_with_the_session_that_started_them(browser, tmp_path):
    folder = tmp_path / "home/.omp/agent/sessions/-work-app"
    write_session(folder / "2026_boss.jsonl", *chain("look into it", "done", id="boss"))
    write_session(folder / "2026_boss" / "0-Explore.jsonl", *chain("explore", "found", id="helper"))
    async with browser(selector="") as it:
        await it.press("shift+tab", "full_stop")
        await it.until(lambda: sorted(it.listed()) == ["boss", "helper"], "the sub-agent")
        await it.press("home", "ctrl+d", "enter")
        await it.until(lambda: it.listed() == [], "the end of both")
        await it.press("z")
        await it.until(lambda: sorted(it.listed()) == ["boss", "helper"], "both of them")


async def test_the_tree_over_the_selector_takes_back_what_was_done_before_it(browser, three):
    async with browser(selector="") as it:
        selector = it.screen
        await it.press("shift+tab", "p")
        await it.until(lambda: "★" in it.text(), "the pin")
        await it.press("t")
        await it.until(lambda: it.screen is not selector, "the browser")
        await it.settled()
        await it.press("z")
        await it.until(lambda: "The pins are as before" in it.toasts(), "the word")
        await it.press("escape", "escape")
        await it.until(lambda: it.screen is selector, "the selector")
        await it.until(lambda: "★" not in it.text(), "the pin's end")


async def test_the_tree_over_the_selector_shares_its_index_and_follows_what_changes(
    browser, three, monkeypatch
):
    began = []
    start = Indexing._run

    def counted(self):
        began.append(self)
        start(self)

    monkeypatch.setattr(Indexing, "_run", counted)
    async with browser(selector="") as it:
        selector = it.screen
        await it.press("shift+tab", "t")
        await it.until(lambda: it.screen is not selector, "the browser")
        await it.settled()
        assert {"branchy", "plain"} <= set(it.listed())
        path = pi_session(three, *chain("a new thought", "done", id="fresh"), id="fresh")
        await it.until(lambda: "fresh" in it.listed(), "the new session")
        path.unlink()
        await it.until(lambda: "fresh" not in it.listed(), "its end")
        await it.press("f5")
        await it.press("escape", "escape")
        await it.until(lambda: it.screen is selector, "the selector")
        pi_session(three, *chain("another thought", "done", id="later"), id="later")
        await it.until(lambda: "later" in it.listed(), "what came later")
        assert len(began) == 1


async def test_a_fault_of_ours_stops_no_other_and_forgets_nothing(browser, three, monkeypatch):
    trash = on_rows.trash

    def fails_for_one(row, *about, **how):
        if row.id == "plain":
            raise ValueError("a fault")
        return trash(row, *about, **how)

    monkeypatch.setattr(on_rows, "trash", fails_for_one)
    async with browser(selector="") as it:
        path = it.path("branchy")
        await it.press("space", "space", "ctrl+d", "enter")
        await it.until(lambda: any("ValueError: a fault" in toast for toast in it.toasts()), "the fault")
        assert not path.exists()
        await it.press("ctrl+z")
        await it.until(path.exists, "the session")


async def test_what_stands_in_the_way_of_undo_is_named_and_what_was_done_before_is_taken_back_next(
    browser, three
):
    async with browser(selector="") as it:
        path = it.path("branchy")
        before = path.read_bytes()
        await it.press("shift+tab", "end", "p")
        await it.until(lambda: "★" in it.text(), "the pin")
        it.sessions.go_to(str(path))
        await it.press("ctrl+d", "enter")
        await it.until(lambda: not path.exists(), "the trash")
        path.write_text("somebody else's\n")
        await it.press("z")
        await it.until(lambda: any(f"{path}: is there already" in said for said in it.toasts()), "the reason")
        assert any("another undo tries that again" in said for said in it.toasts())
        await it.press("z")
        await it.until(lambda: "The pins are as before" in it.toasts(), "the one before")
        assert path.read_text() == "somebody else's\n"
        path.unlink()
        await it.press("z")
        await it.until(path.exists, "the session")
        assert path.read_bytes() == before


async def test_no_palette_opens_over_a_question(browser, three):
    async with browser() as it:
        await it.press("ctrl+d", "ctrl+k")
        assert isinstance(it.screen, RowQuestion)


@pytest.mark.parametrize(("way", "undo"), [({"selector": ""}, "ctrl+z"), ({}, "z")])
async def test_undo_goes_on_to_what_an_earlier_run_did_when_that_has_been_seen(browser, three, way, undo):
    path = None
    async with browser(**way) as it:
        path = it.path("branchy")
        before = path.read_bytes()
        await it.press("ctrl+d", "enter")
        await it.until(lambda: not path.exists(), "the trash")
        await it.until(lambda: "branchy" not in it.listed(), "its row's end")
    async with browser(**way) as it:
        await it.press(undo)
        question = "? Take back what was done just now: trashed “Refactor auth”?"
        await it.until(lambda: question in it.text(), "the question")
        assert asked(it) == [question, "Enter take it back  Esc leave it"]
        await it.press("escape")
        assert not path.exists()
        await it.press(undo)
        await it.until(lambda: question in it.text(), "the question")
        await it.press("enter")
        await it.until(lambda: "Back from the trash" in it.toasts(), "the word")
        assert path.read_bytes() == before
        await it.press(undo)
        await it.until(lambda: "Nothing to take back" in it.toasts(), "the end of it")


async def test_what_another_has_taken_back_meanwhile_is_not_taken_back_again(browser, three):
    async with browser(selector="") as first, browser(selector="") as second:
        await first.press("shift+tab", "p")
        await first.until(lambda: "★" in first.text(), "the pin")
        path = first.path("branchy")
        first.sessions.go_to(str(path))
        await first.press("ctrl+d", "enter")
        await first.until(lambda: not path.exists(), "the trash")
        # the other one has done nothing: it asks
        await second.press("ctrl+z")
        await second.until(lambda: "trashed “Refactor auth”?" in second.text(), "the question")
        await second.press("enter")
        await second.until(path.exists, "the session")
        await second.until(second.toasts, "the word")
        await first.press("z")
        await first.until(lambda: "The pins are as before" in first.toasts(), "the one before")
        await second.press("ctrl+z")
        await second.until(lambda: "Nothing to take back" in second.toasts(), "that")


async def test_undo_with_nothing_done_says_so(browser, three):
    async with browser() as it:
        await it.press("z")
        await it.until(lambda: "Nothing to take back" in it.toasts(), "that")


async def test_a_live_session_is_not_trashed_and_its_holder_is_named(browser, three):
    async with browser() as it:
        path = it.path("branchy")
        it.screen.post_message(StatesFound({str(path): "live"}, {str(path): "process 7 (omp) has it open"}))
        await it.pilot.pause()
        await it.press("ctrl+d")
        assert not isinstance(it.screen, RowQuestion)
        assert any("process 7 (omp)" in toast for toast in it.toasts())
        assert path.exists()


@pytest.mark.parametrize("way", WAYS)
async def test_several_are_marked_and_one_question_is_for_all(browser, three, way):
    async with browser(**way) as it:
        await it.press("space", "space")
        assert "2 marked" in it.text()
        await it.press("ctrl+d")
        assert "Trash 2 sessions?" in it.text()
        await it.press("enter")
        await it.until(lambda: not list((it.folder / "home").rglob("*plain.jsonl")), "the trash")
        await it.until(lambda: "marked" not in it.text(), "the end of the marks")
        await it.press("ctrl+z")
        await it.until(lambda: {"branchy", "plain"} <= set(it.listed()), "both of them")


async def test_what_failed_stays_marked(browser, three, monkeypatch):
    trash = on_rows.trash
    closed = ["plain"]

    def fails(row, *about, **how):
        if row.id in closed:
            raise WriteFailed(row.path, "the disk is on fire")
        return trash(row, *about, **how)

    monkeypatch.setattr(on_rows, "trash", fails)
    async with browser() as it:
        plain = it.path("plain")
        await it.press("space", "space", "ctrl+d", "enter")
        await it.until(lambda: "1 marked" in it.text(), "the one mark")
        assert it.screen.model.marked == {str(plain)}
        assert any("the disk is on fire" in toast for toast in it.toasts())
        closed.clear()
        await it.press("ctrl+d", "enter")
        await it.until(lambda: not plain.exists(), "the trash")
        await it.until(lambda: "marked" not in it.text(), "the end of the marks")


async def test_marks_go_with_escape_before_anything_else(browser, three):
    async with browser(selector="") as it:
        await it.press("space", *"done", "escape")
        assert "marked" not in it.text()
        assert it.box.value == "done"


@pytest.mark.parametrize("way", WAYS)
async def test_ctrl_r_names_the_session_in_its_row(browser, three, way):
    async with browser(**way) as it:
        path = it.path("plain")
        times = path.stat().st_mtime_ns
        await it.press("down", "ctrl+r")
        assert isinstance(it.screen, RowEditor)
        await it.press(*"Manual", "enter")
        await it.until(lambda: "Manual" in it.text(), "the name")
        line = json.loads(path.read_text().splitlines()[-1])
        assert (line["type"], line["name"]) == ("session_info", "Manual")
        assert path.stat().st_mtime_ns == times
        await it.press("ctrl+z")
        await it.until(lambda: "Manual" not in it.text().splitlines()[3], "its end")


async def test_an_empty_name_takes_the_name_off_and_escape_leaves_it(browser, three):
    async with browser() as it:
        await it.press("ctrl+r", "x", "escape")
        assert it.sessions.row.name == "Refactor auth"
        await it.press("ctrl+r", "ctrl+u", "enter")
        await it.until(lambda: it.sessions.row.name is None, "the name's end")


async def test_ctrl_backspace_edits_a_query_and_trashes_without_one(browser, three):
    async with browser(selector="") as it:
        await it.press(*"man page", "ctrl+backspace")
        assert it.box.value == "man "
        await it.press("ctrl+u", "ctrl+backspace")
        assert isinstance(it.screen, RowQuestion)
        await it.press("escape")


async def test_p_pins_and_unpins_and_pinned_ones_come_first(browser, three):
    async with browser() as it:
        await it.press("down", "p")
        await it.until(lambda: it.listed()[1] == "plain", "its place")
        assert "★" in it.text()
        assert it.sessions.row.id == "plain"
        await it.press("p")
        await it.until(lambda: it.listed()[1] == "branchy", "the old place")


async def test_f_forks_and_the_fork_is_listed(browser, three):
    async with browser() as it:
        await it.press("f")
        await it.until(lambda: len(it.listed()) == 6, "the fork")
        assert any("New session" in toast for toast in it.toasts())


async def test_fork_to_another_folder_asks_for_one_that_is_there(browser, three, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    async with browser() as it:
        await it.press("F", "ctrl+u", *"/nowhere", "enter")
        assert "is no folder" in it.text()
        await it.press("ctrl+u", *str(other), "enter")
        await it.until(lambda: f"[{other}]" in it.listed(), "the fork's project")


async def test_id_and_path_are_copied(browser, three):
    async with browser() as it:
        await it.press("y")
        assert it.app.clipboard == "branchy"
        await it.press("Y")
        assert it.app.clipboard == str(it.path("branchy"))


async def test_a_gone_folder_offers_another_and_goes_on_there(browser, tmp_path):
    work = tmp_path / "work"
    work.mkdir()
    pi_session(tmp_path, *chain("go on", "yes", id="s", cwd="/gone/for/good"), id="s")
    program = tmp_path / "bin" / "pi"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    async with browser(here=str(work)) as it:
        await it.press("down", "plus", "G")
        await it.settled()
        await it.press("enter")
        assert "f fork into another folder" in it.text()
        await it.press("f", "enter")
        await it.until(lambda: it.app._exit, "the plan")
        assert it.app.return_value.cwd == str(work)
        assert len(list((tmp_path / "home").rglob("*.jsonl"))) == 2


async def test_a_new_session_begins_in_the_folder_of_the_row(browser, tmp_path):
    work = tmp_path / "work"
    work.mkdir()
    pi_session(tmp_path, *chain("go on", "yes", id="s", cwd=str(work)), id="s")
    program = tmp_path / "bin" / "pi"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    async with browser(here=str(work)) as it:
        await it.press("n")
        await it.until(lambda: it.app._exit, "the plan")
        assert it.app.return_value.argv == ["pi"]
        assert it.app.return_value.cwd == str(work)


async def test_a_session_that_vanished_before_the_action_is_named(browser, three):
    async with browser() as it:
        await it.press("ctrl+d")
        path = it.path("branchy")
        path.unlink()
        await it.press("enter")
        await it.until(lambda: it.toasts(), "why not")
        assert "Refactor auth" in it.toasts()[0]
        await it.until(lambda: "branchy" not in it.listed(), "the row's end")


async def test_looking_writes_nothing(browser, three):
    async with browser(selector="") as it:
        before = snapshot(it.folder / "home")
        await it.press("down", "up", *"slower", "escape", "tab", "ctrl+s", "ctrl+n", "ctrl+p", "space")
        assert snapshot(it.folder / "home") == before
