"""Continuing from an entry of the tree."""

from __future__ import annotations

import json
import os
from pathlib import Path
from threading import Event

import pytest
from textual.widgets import TextArea

from app.dialogs.questions import ChoiceDialog, FolderDialog, TextDialog, WaitDialog
from app.screens.browser import BrowserScreen
from tests.factory import chain, message, write_session
from tests.holding import running
from tests.ui.conftest import pi_session

BRANCHED = "branchy"


def install(tmp_path, *names):
    folder = tmp_path / "bin"
    folder.mkdir(exist_ok=True)
    for name in names:
        (folder / name).write_text("#!/bin/sh\n")
        (folder / name).chmod(0o755)


def summarise_with(tmp_path, *command):
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "config.toml").write_text(f"summary_command = {json.dumps(command)}\n")


def lines(path):
    return [json.loads(line) for line in Path(path).read_text().splitlines()]


@pytest.fixture
def work(tmp_path):
    """Two branches of three turns in an existing folder, with the agents installed.

    root: one - two - three - four (inactive), and five - six (active) below two
    """
    folder = tmp_path / "work"
    folder.mkdir()
    install(tmp_path, "pi", "omp")
    entries = [
        *chain("one", "two", "three", "four", id=BRANCHED, cwd=str(folder)),
        message("e", "00000002", "user", "five", 10),
        message("f", "e", "assistant", "six", 11),
    ]
    pi_session(tmp_path, *entries, id=BRANCHED)
    return folder


@pytest.fixture
def omp(tmp_path, work):
    """A session of oh-my-pi in that folder."""
    return write_session(
        tmp_path / "home/.omp/agent/sessions/-work/2026_omp1.jsonl",
        *chain("ask", "answer", "more", "yes", id="omp1", cwd=str(work)),
    )


async def asked(ui, title="", dialog_type=ChoiceDialog):
    def is_open():
        return isinstance(ui.screen, dialog_type) and title in ui.text()

    await ui.until(is_open, f"the question {title!r}")


async def ask_at(ui, text):
    """Ask how to continue from the entry with this text, and return the entry's id."""
    picked = await ui.go_to_entry(text)
    await ui.press("enter")
    await asked(ui)
    return picked


async def answer(ui, *keys, title="", dialog_type=ChoiceDialog):
    """Press keys that answer a question, and wait for the next question."""
    await ui.press(*keys)
    await asked(ui, title, dialog_type)


def hint_of(ui):
    """The last line of a dialog."""
    return str(ui.screen.query_one(".hint").content)


async def go_to_session(ui, path):
    ui.sessions.go_to(str(path))
    await ui.settled()


SUMMARY = "Summarize the branch"


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="only /proc shows who runs")
async def test_the_question_says_that_the_session_may_be_in_use(browser, work, tmp_path):
    (tmp_path / "running").mkdir()
    async with browser(here=str(work), size=(160, 45)) as ui:
        await ask_at(ui, "two")
        assert "in use" not in ui.text()
        await ui.press("escape")
        with running(tmp_path / "running", "pi", cwd=str(work)):
            await ui.press("enter")
            await asked(ui)
            words = " ".join(ui.text().replace("│", " ").split())
            assert "In this session: this session may be in use: pi runs in the same folder" in words
            # The answer includes consent: there is no further question about that.
            await answer(ui, "h", title=SUMMARY)
            await ui.press("n")
            await ui.until(lambda: ui.app._exit, "the end")


async def test_the_question_shows_the_command_and_writes_nothing(browser, work):
    async with browser(here=str(work), size=(160, 45)) as ui:
        path = ui.path(BRANCHED)
        before = path.read_bytes(), path.stat().st_mtime_ns
        await ask_at(ui, "two")
        text = ui.text()
        assert "in a new session" in text
        assert "pi --session" in text
        await ui.press("escape")
        await ui.press("enter")
        await asked(ui)
        await ui.press("x")
        assert (path.read_bytes(), path.stat().st_mtime_ns) == before
        assert not ui.app._exit


async def test_at_a_prompt_the_answers_say_that_its_text_is_edited_first(browser, work, omp):
    async with browser(here=str(work), size=(80, 24)) as ui:
        await ask_at(ui, "one")
        text = ui.text()
        assert "n  Edit the prompt in a new session; this one stays as it is " in text
        assert "h  Edit the prompt in this session " in text
        assert "l  Move the leaf here, copy the prompt and stay in leafmark " in text
        assert "one appended entry; the text is copied " in text
        assert "f  Edit the prompt in a new session in another folder " in text
        await ui.press("escape", "shift+tab")
        await go_to_session(ui, omp)
        await ask_at(ui, "more")
        assert "one appended entry; the text waits in the editor of omp " in ui.text()


async def test_at_an_answer_nothing_is_said_about_a_text(browser, work):
    async with browser(here=str(work), size=(80, 24)) as ui:
        await ask_at(ui, "two")
        text = ui.text()
        assert "Edit the text" not in text
        assert "one appended entry " in text


async def test_a_missing_program_is_named_in_the_question(browser, work, tmp_path):
    (tmp_path / "bin/pi").unlink()
    async with browser(here=str(work), size=(160, 45)) as ui:
        await ask_at(ui, "two")
        assert "pi is not installed" in " ".join(ui.text().split())


async def test_the_first_answer_makes_a_new_file_and_keeps_the_old_one(browser, work):
    async with browser(here=str(work)) as ui:
        path = ui.path(BRANCHED)
        before = path.read_bytes()
        await ask_at(ui, "two")
        await ui.press("enter")
        await ui.until(lambda: ui.app._exit, "the plan")
        new_path = ui.app.return_value.argv[-1]
        assert new_path != str(path)
        assert path.read_bytes() == before
        texts = [line["message"]["content"] for line in lines(new_path) if line["type"] == "message"]
        assert len(texts) == 2


async def test_continuing_here_appends_one_entry_below_the_picked_one(browser, work):
    async with browser(here=str(work)) as ui:
        path = ui.path(BRANCHED)
        before = path.read_bytes()
        picked = await ask_at(ui, "two")
        await answer(ui, "h", title=SUMMARY)
        await ui.press("n")
        await ui.until(lambda: ui.app._exit, "the plan")
        assert ui.app.return_value.argv == ["pi", "--session", str(path)]
        after = path.read_bytes()
        assert after.startswith(before)
        assert len(after.splitlines()) == len(before.splitlines()) + 1
        assert lines(path)[-1]["parentId"] == picked


async def test_moving_only_the_leaf_stays_in_leafmark_and_can_be_undone(browser, work):
    async with browser(here=str(work)) as ui:
        picked = await ask_at(ui, "two")
        await answer(ui, "l", title=SUMMARY)
        await ui.press("n")
        await ui.until(lambda: ui.tree.view.tree.leaf.parent_id == picked, "the leaf")
        assert not ui.app._exit
        await ui.press("z")
        await ui.until(lambda: ui.tree.view.tree.leaf.parent_id == "f", "the old leaf")


async def test_picking_the_leaf_says_that_it_is_the_current_point(browser, work):
    async with browser(here=str(work)) as ui:
        await ui.go_to_entry("six")
        await ui.press("enter")
        await ui.until(lambda: "Already at this point" in ui.toasts(), "that")
        assert not isinstance(ui.screen, ChoiceDialog)


async def test_an_edited_prompt_goes_to_the_clipboard(browser, work):
    async with browser(here=str(work)) as ui:
        path = ui.path(BRANCHED)
        await ask_at(ui, "five")
        await answer(ui, "h", dialog_type=TextDialog)
        assert ui.screen.query_one(TextArea).text == "five"
        await answer(ui, *" and a half", "ctrl+s", title="edited")
        assert ui.app.clipboard == "five and a half"
        await answer(ui, "enter", title=SUMMARY)
        await ui.press("n")
        await ui.until(lambda: ui.app._exit, "the plan")
        assert ui.app.return_value.argv == ["pi", "--session", str(path)]
        assert lines(path)[-1]["parentId"] == "00000002"


async def test_pi_can_be_started_with_the_edited_text(browser, work):
    async with browser(here=str(work)) as ui:
        await ask_at(ui, "five")
        await answer(ui, "n", dialog_type=TextDialog)
        await answer(ui, "ctrl+s", title="edited")
        await ui.press("s")
        await ui.until(lambda: ui.app._exit, "the plan")
        assert ui.app.return_value.argv[-1] == "five"


def place_of(ui):
    """The place in the tree: screen, session, cursor and focus."""
    return ui.screen, ui.sessions.row.path, ui.tree.cursor, ui.app.focused


@pytest.mark.parametrize("way", ["h", "l", "n"])
async def test_escape_in_the_prompt_changes_nothing(browser, work, way):
    async with browser(here=str(work)) as ui:
        path = ui.path(BRANCHED)
        await ui.go_to_entry("one")
        before = path.read_bytes(), ui.app.clipboard, place_of(ui)
        await answer(ui, "enter")
        await answer(ui, way, dialog_type=TextDialog)
        assert "Esc cancel" in hint_of(ui)
        await ui.press("escape")
        assert (path.read_bytes(), ui.app.clipboard, place_of(ui)) == before
        assert not ui.app._exit


async def test_escape_in_a_summary_changes_nothing(browser, work):
    async with browser(here=str(work)) as ui:
        path = ui.path(BRANCHED)
        await ui.go_to_entry("two")
        before = path.read_bytes(), place_of(ui)
        await answer(ui, "enter")
        await answer(ui, "l", title=SUMMARY)
        await answer(ui, "w", dialog_type=TextDialog)
        await ui.press("escape")
        assert (path.read_bytes(), place_of(ui)) == before
        assert not ui.app._exit


async def test_a_changed_text_needs_two_escapes(browser, work):
    async with browser(here=str(work)) as ui:
        path = ui.path(BRANCHED)
        await ui.go_to_entry("five")
        before = path.read_bytes(), place_of(ui)
        await answer(ui, "enter")
        await answer(ui, "l", dialog_type=TextDialog)
        await ui.press("x")
        assert "Esc twice cancel" in hint_of(ui)
        await ui.press("backspace")
        assert "Esc cancel" in hint_of(ui), "it is as it was"
        await ui.press("x", "escape")
        assert isinstance(ui.screen, TextDialog)
        assert "Esc again cancel" in hint_of(ui)
        # any other key makes the first Escape void
        for key in ("left", "y"):
            await ui.press(key)
            assert "Esc twice cancel" in hint_of(ui)
            await ui.press("escape")
            assert isinstance(ui.screen, TextDialog)
        assert ui.screen.query_one(TextArea).text == "fiveyx"
        await ui.press("escape")
        assert (path.read_bytes(), place_of(ui)) == before


async def test_tab_indents_in_the_text(browser, work):
    async with browser(here=str(work)) as ui:
        await ask_at(ui, "five")
        await answer(ui, "l", dialog_type=TextDialog)
        area = ui.screen.query_one(TextArea)
        await ui.press("enter", "tab", "x")
        assert area.text == "five\n    x"
        assert ui.app.focused is area


@pytest.mark.parametrize("kind", ["prompt", "summary", "folder"])
async def test_ctrl_c_copies_a_selection_and_otherwise_cancels(browser, work, kind):
    async with browser(here=str(work)) as ui:
        path = ui.path(BRANCHED)
        before = path.read_bytes()
        await ask_at(ui, "two" if kind == "summary" else "one")
        if kind == "summary":
            await answer(ui, "l", title=SUMMARY)
            await answer(ui, "w", dialog_type=TextDialog)
        else:
            await answer(
                ui,
                "f" if kind == "folder" else "l",
                dialog_type=FolderDialog if kind == "folder" else TextDialog,
            )
        editor = ui.screen
        await ui.press(*"xyz", "shift+left", "shift+left", "ctrl+c")
        assert ui.app.clipboard == "yz"
        assert ui.screen is editor
        await ui.press("end", "ctrl+c")
        assert ui.app.clipboard == "yz"
        assert isinstance(ui.screen, BrowserScreen)
        assert not ui.app._exit
        assert path.read_bytes() == before


async def test_before_the_first_prompt_the_leaf_has_no_parent(browser, work):
    async with browser(here=str(work)) as ui:
        path = ui.path(BRANCHED)
        await ask_at(ui, "one")
        await answer(ui, "l", dialog_type=TextDialog)
        await answer(ui, "ctrl+s", title=SUMMARY)
        await ui.press("n")
        await ui.until(lambda: lines(path)[-1]["parentId"] is None, "the leaf")


async def test_moving_only_the_leaf_offers_the_prompt_too(browser, work):
    async with browser(here=str(work)) as ui:
        path = ui.path(BRANCHED)
        await ask_at(ui, "five")
        await answer(ui, "l", dialog_type=TextDialog)
        assert ui.screen.query_one(TextArea).text == "five"
        await ui.press(*" and a half", "ctrl+s")
        # nothing is sent, so that there is no question about sending
        await asked(ui, SUMMARY)
        assert ui.app.clipboard == "five and a half"
        await ui.press("n")
        await ui.until(lambda: "Copied" in ui.toasts()[-1], "that it is")
        assert lines(path)[-1]["parentId"] == "00000002"
        assert not ui.app._exit


async def test_escape_in_the_prompt_of_a_moved_leaf_moves_nothing(browser, work):
    async with browser(here=str(work)) as ui:
        path = ui.path(BRANCHED)
        before = path.read_bytes()
        await ask_at(ui, "five")
        await answer(ui, "l", dialog_type=TextDialog)
        await ui.press(*" more", "escape", "escape")
        assert path.read_bytes() == before
        assert isinstance(ui.screen, BrowserScreen)
        assert ui.app.clipboard == ""
        assert not ui.app._exit


async def test_omp_gets_the_text_as_a_draft(browser, work, omp):
    async with browser(here=str(work)) as ui:
        await go_to_session(ui, omp)
        await ask_at(ui, "more")
        await answer(ui, "n", dialog_type=TextDialog)
        await ui.press(*" please", "ctrl+s")
        await ui.until(lambda: ui.app._exit, "the plan")
        new_path = Path(ui.app.return_value.argv[-1])
        assert new_path != omp
        assert (new_path.with_suffix("") / "draft.txt").read_text() == "more please"


@pytest.mark.parametrize("old_draft", ["", "written before"])
async def test_omp_gets_the_text_as_a_draft_if_only_the_leaf_moves(browser, work, omp, old_draft):
    draft = omp.with_suffix("") / "draft.txt"
    if old_draft:
        draft.parent.mkdir()
        draft.write_text(old_draft)
    async with browser(here=str(work)) as ui:
        await go_to_session(ui, omp)
        await ask_at(ui, "more")
        await answer(ui, "l", dialog_type=TextDialog)
        assert "in the editor of omp" in " ".join(ui.text().split())
        await answer(ui, *" please", "ctrl+s", title=SUMMARY)
        await ui.press("n")
        await ui.until(
            lambda: any("clipboard" in toast or "as a draft" in toast for toast in ui.toasts()), "where it is"
        )
        assert draft.read_text() == (old_draft or "more please")
        assert ui.app.clipboard == "more please"
        assert lines(omp)[-1]["parentId"] == "00000002"
        assert not ui.app._exit
        await ui.press("z")
        await ui.until(
            lambda: any("Undone: move of the leaf" in toast for toast in ui.toasts()), "it taken back"
        )
        assert draft.read_text() == old_draft if old_draft else not draft.exists()


async def test_a_summary_starts_with_an_outline_of_the_left_branch(browser, work):
    async with browser(here=str(work)) as ui:
        path = ui.path(BRANCHED)
        await ask_at(ui, "two")
        await answer(ui, "l", title=SUMMARY)
        await answer(ui, "w", dialog_type=TextDialog)
        assert "five" in ui.screen.query_one(TextArea).text
        await ui.press("ctrl+s")
        await ui.until(lambda: lines(path)[-1]["type"] == "branch_summary", "the summary")
        assert "five" in lines(path)[-1]["summary"]


async def test_the_users_command_writes_the_summary(browser, work, tmp_path):
    summarise_with(tmp_path, "/usr/bin/tr", "a-z", "A-Z")
    async with browser(here=str(work)) as ui:
        path = ui.path(BRANCHED)
        await ask_at(ui, "two")
        await answer(ui, "l", title=SUMMARY)
        await answer(ui, "c", dialog_type=TextDialog)
        assert "FIVE" in ui.screen.query_one(TextArea).text
        await ui.press("ctrl+s")
        await ui.until(lambda: lines(path)[-1]["type"] == "branch_summary", "the summary")


async def test_a_running_command_can_be_cancelled(browser, work, tmp_path):
    summarise_with(tmp_path, "/bin/sleep", "600")
    async with browser(here=str(work)) as ui:
        path = ui.path(BRANCHED)
        before = path.read_bytes()
        await ask_at(ui, "two")
        await answer(ui, "l", title=SUMMARY)
        await answer(ui, "c", dialog_type=WaitDialog)
        await ui.press("escape")
        await ui.until(lambda: not isinstance(ui.screen, WaitDialog), "the end")
        assert path.read_bytes() == before


async def test_in_a_live_session_only_a_new_file_can_be_made(browser, work, monkeypatch):
    from app.sessions.manager.session_manager import SessionManager

    monkeypatch.setattr(SessionManager, "danger", lambda *_: "pi (process 7) has it open")
    async with browser(here=str(work), size=(160, 45)) as ui:
        await ask_at(ui, "two")
        assert "process 7" in ui.text()
        await ui.press("h")
        assert isinstance(ui.screen, ChoiceDialog)
        await ui.press("n")
        await ui.until(lambda: ui.app._exit, "the plan")


async def test_an_answer_with_pending_tool_calls_offers_safe_points(browser, work, tmp_path):
    call = {"type": "toolCall", "id": "t1", "name": "bash", "arguments": {"command": "ls"}}
    result = {
        "type": "message",
        "id": "r",
        "parentId": "c",
        "timestamp": "2026-05-01T10:00:20.000Z",
        "message": {"role": "toolResult", "toolCallId": "t1", "toolName": "bash", "content": "x"},
    }
    calling = message("c", "00000001", "assistant", "calls", 12)
    calling["message"]["content"] = [{"type": "text", "text": "calls"}, call]
    pi_session(tmp_path, *chain("start", id="tools", cwd=str(work)), calling, result, id="tools")
    async with browser(here=str(work)) as ui:
        await go_to_session(ui, ui.path("tools"))
        await ask_at(ui, "calls")
        assert "bash" in ui.text()
        assert "after the results of its tools" in ui.text()
        await ui.press("1")
        await ui.until(lambda: "Already at this point" in ui.toasts(), "that")
        assert "─ sessions ·" in ui.text(), "the key is no command of the browser as well"


async def test_the_key_of_an_answer_does_not_run_a_command_of_the_tree(browser, work):
    async with browser(here=str(work)) as ui:
        path = ui.path(BRANCHED)
        picked = await ask_at(ui, "two")
        await answer(ui, "l", title=SUMMARY)
        await ui.press("n")
        await ui.until(lambda: lines(path)[-1]["parentId"] == picked, "the leaf")
        assert not any("No words are looked for" in toast for toast in ui.toasts())


async def test_another_folder_is_asked_for(browser, work, tmp_path):
    folder = tmp_path / "other"
    folder.mkdir()
    async with browser(here=str(work)) as ui:
        await ask_at(ui, "two")
        await answer(ui, "f", dialog_type=FolderDialog)
        await ui.press("ctrl+u", *str(folder), "enter")
        await ui.until(lambda: ui.app._exit, "the plan")
        assert ui.app.return_value.cwd == str(folder)


async def test_two_branches_are_compared(browser, work):
    async with browser(here=str(work), size=(160, 45)) as ui:
        path = ui.path(BRANCHED)
        before = path.read_bytes()
        await ui.go_to_entry("four")
        await ui.press("C")
        await ui.until(lambda: "active path" in ui.text(), "the comparison")
        text = ui.text()
        for word in ("three", "five", "six", "four"):
            assert word in text
        await ui.press("escape")
        assert path.read_bytes() == before


async def test_a_session_without_branches_says_so(browser, work, tmp_path):
    pi_session(tmp_path, *chain("only", "this", id="lonely", cwd=str(work)), id="lonely")
    async with browser(here=str(work)) as ui:
        await go_to_session(ui, ui.path("lonely"))
        await ui.press("tab", "C")
        await ui.until(lambda: "there is no other branch" in ui.text(), "that")


async def test_a_second_request_before_the_question_is_dropped(browser, work):
    async with browser(here=str(work)) as ui:
        await ui.go_to_entry("two")
        tree_screen = ui.screen
        row = ui.sessions.row
        tree_screen.branch_flow.begin(row, "00000002")
        tree_screen.branch_flow.begin(row, "00000001")
        await asked(ui)
        found, answered = tree_screen.branch_flow.found, Event()
        tree_screen.branch_flow.found = lambda event: (found(event), answered.set())
        tree_screen.branch_jobs.find_points(row, "00000002")
        await ui.until(answered.is_set, "what was asked")
        await ui.press("escape")
        assert ui.screen is tree_screen


async def test_a_summary_whose_append_failed_is_on_the_clipboard(browser, work):
    async with browser(here=str(work)) as ui:
        path = ui.path(BRANCHED)
        await ask_at(ui, "two")
        await answer(ui, "l", title=SUMMARY)
        await answer(ui, "w", dialog_type=TextDialog)
        with path.open("a") as file:
            file.write(json.dumps(message("g", "f", "user", "meanwhile", 12)) + "\n")
        after = path.read_bytes()
        await ui.press(*"mine ", "ctrl+s")
        await ui.until(lambda: "Copied the summary" in ui.toasts(), "the summary")
        assert "mine" in ui.app.clipboard
        assert path.read_bytes() == after
