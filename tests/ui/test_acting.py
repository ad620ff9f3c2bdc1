"""What is done to sessions from their list, in the selector and in the browser."""

from __future__ import annotations

import json

import pytest
from textual import events

from app.actions import row_actions
from app.actions.journal import Journal
from app.messages import StatesFound
from app.screens.asking_screen import RowEditor, RowQuestion
from app.services.index_service import IndexService
from app.sessions import SessionManager
from app.sessions.errors import WriteFailed
from tests.factory import chain, write_session
from tests.ui.conftest import WAYS, asked, pi_session, snapshot


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


async def test_the_tree_over_the_selector_shares_its_index_and_follows_what_changes(
    browser, three, monkeypatch
):
    began = []
    start = IndexService._run

    def counted(self):
        began.append(self)
        start(self)

    monkeypatch.setattr(IndexService, "_run", counted)
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
    trash = row_actions.trash

    def fails_for_one(row, *about, **how):
        if row.id == "plain":
            raise ValueError("a fault")
        return trash(row, *about, **how)

    monkeypatch.setattr(row_actions, "trash", fails_for_one)
    async with browser(selector="") as it:
        path = it.path("branchy")
        await it.press("space", "space", "ctrl+d", "enter")
        await it.until(lambda: any("ValueError: a fault" in toast for toast in it.toasts()), "the fault")
        assert not path.exists()
        await it.press("ctrl+z")
        await it.until(path.exists, "the session")


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
    trash = row_actions.trash
    closed = ["plain"]

    def fails(row, *about, **how):
        if row.id in closed:
            raise WriteFailed(row.path, "the disk is on fire")
        return trash(row, *about, **how)

    monkeypatch.setattr(row_actions, "trash", fails)
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


@pytest.mark.parametrize("size", [(80, 24), (100, 30), (120, 40)], ids=str)
async def test_the_footer_says_which_step_back_escape_goes_next(browser, three, size):
    async with browser(selector="", size=size) as it:
        await it.press("insert", "insert", *"done")
        for says in ("Esc unmark", "Esc clear", "Esc leave"):
            assert says in it.text().splitlines()[-1]
            await it.press("escape")
        assert it.app._exit


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


async def test_a_name_that_does_not_fit_is_said(browser, tmp_path):
    folder = tmp_path / "home/.omp/agent/sessions/-work-app"
    path = write_session(folder / "2026_long.jsonl", *chain("look into it", "done", id="long"))
    async with browser() as it:
        await it.press("ctrl+r")
        it.app.post_message(events.Paste("x" * 3_000))
        await it.press("enter")
        await it.until(lambda: any("Named" in said for said in it.toasts()), "the name")
        (said,) = [said for said in it.toasts() if "was cut" in said]
        assert "oh-my-pi has room for the first 158 of its 3,000 characters" in said
        assert b'"' + b"x" * 158 + b'"' in path.read_bytes()


@pytest.mark.parametrize("way", WAYS)
async def test_from_a_folder_that_is_gone_all_is_done_as_from_another(
    browser, three, tmp_path, monkeypatch, way
):
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    async with browser(**way) as it:
        path = it.path("plain")
        await it.press("down", "ctrl+r", *"Manual", "enter")
        await it.until(lambda: "Manual" in it.text(), "the name")
        await it.press("ctrl+d", "enter")
        await it.until(lambda: not path.exists(), "its way into the trash")
        await it.press("ctrl+z")
        await it.until(path.exists, "its way back")
        await it.press("ctrl+z")
        await it.until(lambda: "Manual" not in it.text().splitlines()[3], "the name's end")
        assert not [said for said in it.toasts() if "Errno" in said or "No such file" in said]


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
        assert f"Leave leafmark for a new session of pi in {str(work)[:20]}" in it.text()
        await it.press("n", "escape")
        assert not it.app._exit
        assert "Leave leafmark" not in it.text()
        await it.press("n", "enter")
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


async def test_what_a_killed_leafmark_did_can_be_undone(browser, three):
    """The journal does not have it; the file does."""
    async with browser() as it:
        path = it.path("branchy")
        journal = Journal(it.screen.setup.state_folder)
        manager = SessionManager.open(path, env={"HOME": str(three / "home")}, new=False)
        with journal.intend():
            manager.append_label_change("00000002", "here")
        assert journal.active() == []
        await it.press("ctrl+z")
        await it.until(lambda: "labelled in" in asked(it)[0], "the question")
        await it.press("enter")
        await it.until(lambda: journal.undone(), "the undo")
        reopened = SessionManager.open(path, env={"HOME": str(three / "home")}, new=False)
        assert reopened.get_label("00000002") is None
