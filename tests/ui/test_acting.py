"""Actions on sessions from their list, in the selector and in the browser."""

from __future__ import annotations

import json

import pytest
from leafmark import Index, SessionManager
from textual import events

from app.actions import row_actions
from app.actions.journal import Journal
from app.services import list_facts
from app.sessions import WriteFailed
from app.stores import LIVE, Verdict
from tests.factory import chain, header, write_session
from tests.ui.conftest import EDIT, QUESTION, WAYS, asked, install, pi_session, snapshot

pytestmark = pytest.mark.usefixtures("tree_shown")


async def test_keys_about_a_session_are_offered_only_if_there_is_one(browser, three):
    async with browser(selector="", here="/nowhere", settle=False) as ui:
        await ui.until(lambda: "Tab shows all folders" in ui.text(), "the list")
        keys = ui.text().splitlines()[-1]
        assert "Tab all folders" in keys
        assert not any(label in keys for label in ("resume", "rename", "trash"))
        await ui.press("tab")
        await ui.until(lambda: "Enter resume" in ui.text() and "Ctrl+D trash" in ui.text(), "the keys")


async def test_sub_agents_are_trashed_and_restored_with_their_session(browser, tmp_path):
    folder = tmp_path / "home/.omp/agent/sessions/-work-app"
    write_session(folder / "2026_boss.jsonl", *chain("look into it", "done", id="boss"))
    write_session(folder / "2026_boss" / "0-Explore.jsonl", *chain("explore", "found", id="helper"))
    async with browser(selector="") as ui:
        await ui.press("shift+tab", "full_stop", "e")
        await ui.until(lambda: sorted(ui.listed()) == ["boss", "helper"], "the sub-agent")
        await ui.press("home", "ctrl+d", "enter")
        await ui.until(lambda: ui.listed() == [], "the end of both")
        await ui.press("z")
        await ui.until(lambda: sorted(ui.listed()) == ["boss", "helper"], "both of them")


async def test_the_browser_over_the_selector_shares_its_index_and_follows_changes(
    browser, three, monkeypatch
):
    began = []
    watch = Index.watch

    def counted(self, *arguments):
        began.append(self)
        watch(self, *arguments)

    monkeypatch.setattr(Index, "watch", counted)
    async with browser(selector="") as ui:
        selector = ui.screen
        await ui.press("shift+tab", "t")
        await ui.until(lambda: ui.screen is not selector, "the browser")
        await ui.settled()
        assert {"branchy", "plain"} <= set(ui.listed())
        path = pi_session(three, *chain("a new thought", "done", id="fresh"), id="fresh")
        await ui.until(lambda: "fresh" in ui.listed(), "the new session")
        path.unlink()
        await ui.until(lambda: "fresh" not in ui.listed(), "its end")
        await ui.press("f5")
        await ui.press("escape", "escape")
        await ui.until(lambda: ui.screen is selector, "the selector")
        pi_session(three, *chain("another thought", "done", id="later"), id="later")
        await ui.until(lambda: "later" in ui.listed(), "what came later")
        assert len(began) == 1


async def test_an_unexpected_error_with_one_session_does_not_stop_the_others(browser, three, monkeypatch):
    trash = row_actions.trash

    def fails_for_one(row, *arguments, **options):
        if row.id == "plain":
            raise ValueError("a fault")
        return trash(row, *arguments, **options)

    monkeypatch.setattr(row_actions, "trash", fails_for_one)
    async with browser(selector="") as ui:
        path = ui.path("branchy")
        await ui.press("space", "space", "ctrl+d", "enter")
        await ui.until(lambda: any("ValueError: a fault" in toast for toast in ui.toasts()), "the fault")
        assert not path.exists()
        await ui.press("ctrl+underscore")
        await ui.until(path.exists, "the session")


async def test_a_live_session_is_not_trashed_and_its_process_is_named(browser, three, monkeypatch):
    live = Verdict(LIVE, "process 7 (omp) has it open", 7)
    monkeypatch.setattr(
        list_facts, "live_sessions", lambda sessions, *_: {row.path: live for row in sessions.rows}
    )
    async with browser() as ui:
        path = ui.path("branchy")
        await ui.until(lambda: ui.sessions.states, "the live state")
        await ui.press("ctrl+d")
        assert not ui.is_in(QUESTION)
        assert any("process 7 (omp)" in toast for toast in ui.toasts())
        assert path.exists()


@pytest.mark.parametrize("way", WAYS)
async def test_one_question_is_about_all_marked_sessions(browser, three, way):
    async with browser(**way) as ui:
        await ui.press("space", "space")
        assert "2 marked" in ui.text()
        await ui.press("ctrl+d")
        assert "Trash 2 sessions (" in ui.text()
        await ui.press("enter")
        await ui.until(lambda: not list((ui.folder / "home").rglob("*plain.jsonl")), "the trash")
        await ui.until(lambda: "marked" not in ui.text(), "the end of the marks")
        await ui.press("ctrl+underscore")
        await ui.until(lambda: {"branchy", "plain"} <= set(ui.listed()), "both of them")


async def test_a_session_that_failed_stays_marked(browser, three, monkeypatch):
    trash = row_actions.trash
    closed = ["plain"]

    def fails(row, *arguments, **options):
        if row.id in closed:
            raise WriteFailed(row.path, "the disk is on fire")
        return trash(row, *arguments, **options)

    monkeypatch.setattr(row_actions, "trash", fails)
    async with browser() as ui:
        plain = ui.path("plain")
        await ui.press("space", "space", "ctrl+d", "enter")
        await ui.until(lambda: "1 marked" in ui.text(), "the one mark")
        assert ui.screen.model.marked == {str(plain)}
        assert any("the disk is on fire" in toast for toast in ui.toasts())
        closed.clear()
        await ui.press("ctrl+d", "enter")
        await ui.until(lambda: not plain.exists(), "the trash")
        await ui.until(lambda: "marked" not in ui.text(), "the end of the marks")


@pytest.mark.parametrize("size", [(80, 24), (100, 30), (120, 40)], ids=str)
async def test_the_footer_names_the_next_effect_of_escape(browser, three, size):
    async with browser(selector="", size=size) as ui:
        await ui.press("insert", "insert", *"done")
        for hint in ("Esc unmark", "Esc clear", "Esc leave"):
            assert hint in ui.text().splitlines()[-1]
            await ui.press("escape")
        assert ui.has_ended


@pytest.mark.parametrize("way", WAYS)
async def test_ctrl_r_renames_the_session_in_its_row(browser, three, way):
    async with browser(**way) as ui:
        path = ui.path("plain")
        times = path.stat().st_mtime_ns
        await ui.press("down", "ctrl+r")
        assert ui.is_in(EDIT)
        await ui.press(*"Manual", "enter")
        await ui.until(lambda: "Manual" in ui.text(), "the name")
        line = json.loads(path.read_text().splitlines()[-1])
        assert (line["type"], line["name"]) == ("session_info", "Manual")
        assert path.stat().st_mtime_ns == times
        await ui.press("ctrl+underscore")
        await ui.until(lambda: "Manual" not in ui.text().splitlines()[3], "its end")


async def test_the_tree_has_the_new_name_in_its_title(browser, three):
    async with browser() as ui:
        await ui.press("down")
        await ui.settled()
        title = ui.app.screen.beside.tree_pane.words[0]
        await ui.press("ctrl+r", *"Manual", "enter")
        await ui.until(lambda: ui.app.screen.beside.tree_pane.words[0].startswith("Manual"), "the name")
        await ui.press("ctrl+underscore")
        await ui.until(lambda: ui.app.screen.beside.tree_pane.words[0] == title, "the title before")


async def test_a_name_that_is_cut_is_reported(browser, tmp_path):
    folder = tmp_path / "home/.omp/agent/sessions/-work-app"
    path = write_session(folder / "2026_long.jsonl", *chain("look into it", "done", id="long"))
    async with browser() as ui:
        await ui.press("ctrl+r")
        ui.app.post_message(events.Paste("語" * 3_000))
        await ui.press("enter")
        await ui.until(lambda: any("Renamed" in toast for toast in ui.toasts()), "the name")
        (toast,) = [toast for toast in ui.toasts() if "was cut" in toast]
        assert "of its 120 characters" in toast
        assert "語" * 40 in path.read_text()


async def test_actions_work_from_a_removed_folder(browser, three, tmp_path, monkeypatch):
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    async with browser() as ui:
        path = ui.path("plain")
        await ui.press("down", "ctrl+r", *"Manual", "enter")
        await ui.until(lambda: "Manual" in ui.text(), "the name")
        await ui.press("ctrl+d", "enter")
        await ui.until(lambda: not path.exists(), "its way into the trash")
        await ui.press("ctrl+underscore")
        await ui.until(path.exists, "its way back")
        await ui.press("ctrl+underscore")
        await ui.until(lambda: "Manual" not in ui.text().splitlines()[3], "the name's end")
        assert not [toast for toast in ui.toasts() if "Errno" in toast or "No such file" in toast]


async def test_an_empty_name_clears_the_name_and_escape_keeps_it(browser, three):
    async with browser() as ui:
        await ui.press("ctrl+r", "x", "escape")
        assert ui.sessions.row.name == "Refactor auth"
        await ui.press("ctrl+r", "ctrl+u", "enter")
        await ui.until(lambda: ui.sessions.row.name is None, "the name's end")


async def test_ctrl_backspace_edits_a_query_and_trashes_without_one(browser, three):
    async with browser(selector="") as ui:
        await ui.press(*"man page", "ctrl+backspace")
        assert ui.box.value == "man "
        await ui.press("ctrl+u", "ctrl+backspace")
        assert ui.is_in(QUESTION)
        await ui.press("escape")


async def test_d_alone_names_the_key_that_trashes(browser, three):
    async with browser() as ui:
        await ui.press("d")
        assert ui.toasts() == ["Ctrl+D trashes"]
        assert ui.path("branchy").exists()


async def test_the_tree_pins_its_session(browser, three):
    async with browser() as ui:
        await ui.press("down", "tab", "p")
        await ui.until(lambda: ui.listed()[1] == "plain", "its place")


async def test_p_pins_and_pinned_sessions_come_first(browser, three):
    async with browser() as ui:
        await ui.press("down", "p")
        await ui.until(lambda: ui.listed()[1] == "plain", "its place")
        assert "★" in ui.text()
        assert ui.sessions.row.id == "plain"
        await ui.press("p")
        await ui.until(lambda: ui.listed()[1] == "branchy", "the old place")


async def test_an_empty_session_stays_shown_while_it_is_pinned(browser, three, tmp_path):
    pi_session(tmp_path, header("bare"), id="bare")
    async with browser() as ui:
        assert "bare" not in ui.listed()
        await ui.press("full_stop", "e")
        await ui.until(lambda: "bare" in ui.listed(), "the empty session")
        while ui.sessions.row is None or ui.sessions.row.id != "bare":
            await ui.press("down")
        await ui.press("p")
        await ui.until(lambda: "★" in ui.text(), "the pin")
        await ui.press("full_stop", "e")
        await ui.settled()
        assert "bare" in ui.listed()
        assert "+ 1 hidden" not in ui.text()
        await ui.press("p")
        await ui.until(lambda: "+ 1 hidden (. e)" in ui.text().split("\n")[0], "the end of the pin")
        assert "bare" not in ui.listed()


async def test_a_fork_to_another_folder_asks_for_an_existing_one(browser, three, tmp_path):
    target = tmp_path / "other"
    target.mkdir()
    async with browser() as ui:
        await ui.press("F", "ctrl+u", *"/nowhere", "enter")
        assert "No such folder" in ui.text()
        await ui.press("ctrl+u", *str(target), "enter")
        await ui.until(lambda: f"[{target}]" in ui.listed(), "the fork's project")


async def test_a_new_session_starts_in_the_folder_of_the_row(browser, tmp_path):
    work = tmp_path / "work"
    work.mkdir()
    pi_session(tmp_path, *chain("go on", "yes", id="s", cwd=str(work)), id="s")
    install(tmp_path, "pi")
    async with browser(here=str(work)) as ui:
        await ui.press("c")
        assert "Close leafmark and start a new pi session in " in ui.text()
        assert f"{str(work)[-12:]}?" in ui.text()
        await ui.press("c", "escape")
        assert not ui.has_ended
        assert "Quit leafmark" not in ui.text()
        await ui.press("c", "enter")
        await ui.until(lambda: ui.has_ended, "the plan")
        assert ui.app.return_value.argv == ["pi"]
        assert ui.app.return_value.cwd == str(work)


async def test_c_on_a_project_starts_a_session_of_its_newest_agent_in_its_folder(browser, tmp_path):
    work = tmp_path / "work"
    work.mkdir()
    pi_session(tmp_path, *chain("go on", "yes", id="s", cwd=str(work)), id="s")
    pi_session(tmp_path, *chain("lost", "yes", id="t", cwd="/gone/away"), id="t", project="away")
    install(tmp_path, "pi")
    async with browser(here=str(work), size=(160, 40)) as ui:
        await ui.press("plus", "G", "up")
        await ui.until(lambda: "! Cannot start a session: its folder is gone." in ui.text(), "why not")
        await ui.press("c", "enter")
        await ui.until(lambda: ui.toasts() == ["The folder /gone/away is gone"], "the reason")
        await ui.press("home")
        await ui.until(lambda: f"c starts a new pi session in {work}" in ui.text(), "the status line")
        await ui.press("c")
        assert "start a new pi session" in ui.text()
        await ui.press("escape", "enter")
        assert not ui.has_ended, "Enter folds the project"
        await ui.press("c", "enter")
        await ui.until(lambda: ui.has_ended, "the plan")
        assert (ui.app.return_value.argv, ui.app.return_value.cwd) == (["pi"], str(work))


async def test_a_session_that_vanished_before_the_action_is_named(browser, three):
    async with browser() as ui:
        await ui.press("ctrl+d")
        path = ui.path("branchy")
        path.unlink()
        await ui.press("enter")
        await ui.until(lambda: ui.toasts(), "why not")
        assert "Refactor auth" in ui.toasts()[0]
        await ui.until(lambda: "branchy" not in ui.listed(), "the row's end")


async def test_browsing_writes_nothing(browser, three):
    async with browser(selector="") as ui:
        before = snapshot(ui.folder / "home")
        await ui.press("down", "up", *"slower", "escape", "tab", "ctrl+s", "ctrl+n", "ctrl+p", "space")
        assert snapshot(ui.folder / "home") == before


async def test_an_action_of_a_killed_leafmark_can_be_undone(browser, three):
    """The journal lacks the action, but the file has its entry."""
    async with browser() as ui:
        path = ui.path("branchy")
        journal = Journal(ui.screen.setup.state_folder)
        manager = SessionManager.open(path, env={"HOME": str(three / "home")}, new=False)
        with journal.intend():
            manager.append_label_change("00000002", "here")
        assert journal.active() == []
        await ui.press("ctrl+underscore")
        await ui.until(lambda: "label in" in asked(ui)[0], "the question")
        await ui.press("enter")
        await ui.until(lambda: journal.undone(), "the undo")
        reopened = SessionManager.open(path, env={"HOME": str(three / "home")}, new=False)
        assert reopened.get_label("00000002") is None
