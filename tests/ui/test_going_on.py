"""Going on from an entry of the tree."""

from __future__ import annotations

import json
import os
from pathlib import Path
from threading import Event

import pytest

from app.screens.browser import BrowserScreen
from app.screens.dialogs import ChoiceDialog, FolderDialog, TextDialog, WaitDialog
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
    """Two branches of three turns in a folder that is there, and the programs installed.

    root: one - two - three - four (left), and five - six (active) below two
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
    """A session of omp's in that folder."""
    return write_session(
        tmp_path / "home/.omp/agent/sessions/-work/2026_omp1.jsonl",
        *chain("ask", "answer", "more", "yes", id="omp1", cwd=str(work)),
    )


async def asked(ui, what="", kind=ChoiceDialog):
    def is_there():
        return isinstance(ui.screen, kind) and what in ui.screen._title

    await ui.until(is_there, f"the question {what!r}")


async def ask_at(ui, text):
    """Ask how to go on from the entry whose text this is; return its id."""
    picked = await ui.go_to_entry(text)
    await ui.press("enter")
    await asked(ui)
    return picked


async def answer(ui, *keys, what="", kind=ChoiceDialog):
    """Answer a question, and wait for the next one."""
    await ui.press(*keys)
    await asked(ui, what, kind)


def said_below(ui):
    """The last line of a dialog."""
    return str(ui.screen.query_one(".hint").content)


async def go_to(ui, path):
    ui.sessions.go_to(str(path))
    await ui.settled()


SUMMARY = "left behind"


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
            said = " ".join(ui.text().replace("│", " ").split())
            assert "In this session: this session may be in use: pi runs in the same folder" in said
            # The answer is enough: it goes on without another question about that.
            await answer(ui, "h", what=SUMMARY)
            await ui.press("n")
            await ui.until(lambda: ui.app._exit, "the end")


async def test_the_question_says_what_will_run_and_writes_nothing(browser, work):
    async with browser(here=str(work), size=(160, 45)) as ui:
        path = ui.path(BRANCHED)
        before = path.read_bytes(), path.stat().st_mtime_ns
        await ask_at(ui, "two")
        text = ui.text()
        assert "new session file" in text
        assert "pi --session" in text
        await ui.press("escape")
        await ui.press("enter")
        await asked(ui)
        await ui.press("x")
        assert (path.read_bytes(), path.stat().st_mtime_ns) == before
        assert not ui.app._exit


async def test_answers_say_that_a_text_is_edited_first(browser, work, omp):
    async with browser(here=str(work), size=(80, 24)) as ui:
        await ask_at(ui, "one")
        text = ui.text()
        assert "n  Edit the text and go on in a new session file; this one stays " in text
        assert "h  Edit the text and go on here, in this session " in text
        assert "l  Edit the text, put the leaf here, and stay in leafmark " in text
        assert "one appended entry; the text is copied " in text
        assert "f  Edit the text and go on in a new session of another folder " in text
        await ui.press("escape", "shift+tab")
        await go_to(ui, omp)
        await ask_at(ui, "more")
        assert "one appended entry; the text waits in the editor of omp " in ui.text()


async def test_answers_say_nothing_of_a_text_where_there_is_none(browser, work):
    async with browser(here=str(work), size=(80, 24)) as ui:
        await ask_at(ui, "two")
        text = ui.text()
        assert "Edit the text" not in text
        assert "one appended entry " in text


async def test_a_program_that_is_missing_is_said_before_anything_is_chosen(browser, work, tmp_path):
    (tmp_path / "bin/pi").unlink()
    async with browser(here=str(work), size=(160, 45)) as ui:
        await ask_at(ui, "two")
        assert "pi is not installed" in " ".join(ui.text().split())


async def test_the_first_answer_is_a_new_file_and_the_old_one_stays(browser, work):
    async with browser(here=str(work)) as ui:
        path = ui.path(BRANCHED)
        before = path.read_bytes()
        await ask_at(ui, "two")
        await ui.press("enter")
        await ui.until(lambda: ui.app._exit, "the plan")
        made = ui.app.return_value.argv[-1]
        assert made != str(path)
        assert path.read_bytes() == before
        said = [line["message"]["content"] for line in lines(made) if line["type"] == "message"]
        assert len(said) == 2


async def test_here_is_one_appended_entry_below_the_one_that_was_picked(browser, work):
    async with browser(here=str(work)) as ui:
        path = ui.path(BRANCHED)
        before = path.read_bytes()
        picked = await ask_at(ui, "two")
        await answer(ui, "h", what=SUMMARY)
        await ui.press("n")
        await ui.until(lambda: ui.app._exit, "the plan")
        assert ui.app.return_value.argv == ["pi", "--session", str(path)]
        after = path.read_bytes()
        assert after.startswith(before)
        assert len(after.splitlines()) == len(before.splitlines()) + 1
        assert lines(path)[-1]["parentId"] == picked


async def test_a_move_of_the_leaf_alone_stays_and_is_taken_back(browser, work):
    async with browser(here=str(work)) as ui:
        picked = await ask_at(ui, "two")
        await answer(ui, "l", what=SUMMARY)
        await ui.press("n")
        await ui.until(lambda: ui.tree.view.tree.leaf.parent_id == picked, "the leaf")
        assert not ui.app._exit
        await ui.press("z")
        await ui.until(lambda: ui.tree.view.tree.leaf.parent_id == "f", "the old leaf")


async def test_the_leaf_itself_is_said_to_be_there_already(browser, work):
    async with browser(here=str(work)) as ui:
        await ui.go_to_entry("six")
        await ui.press("enter")
        await ui.until(lambda: "Already at this point" in ui.toasts(), "that")
        assert not isinstance(ui.screen, ChoiceDialog)


async def test_a_prompt_is_offered_for_editing_and_goes_to_the_clipboard(browser, work):
    async with browser(here=str(work)) as ui:
        path = ui.path(BRANCHED)
        await ask_at(ui, "five")
        await answer(ui, "h", kind=TextDialog)
        assert ui.screen._area.text == "five"
        await answer(ui, *" and a half", "ctrl+s", what="edited")
        assert ui.app.clipboard == "five and a half"
        await answer(ui, "enter", what=SUMMARY)
        await ui.press("n")
        await ui.until(lambda: ui.app._exit, "the plan")
        assert ui.app.return_value.argv == ["pi", "--session", str(path)]
        assert lines(path)[-1]["parentId"] == "00000002"


async def test_to_pi_the_text_is_sent_if_the_user_says_so(browser, work):
    async with browser(here=str(work)) as ui:
        await ask_at(ui, "five")
        await answer(ui, "n", kind=TextDialog)
        await answer(ui, "ctrl+s", what="edited")
        await ui.press("s")
        await ui.until(lambda: ui.app._exit, "the plan")
        assert ui.app.return_value.argv[-1] == "five"


def stands(ui):
    """Where somebody in the tree is: the screen, the session and the entry."""
    return ui.screen, ui.sessions.row.path, ui.tree.cursor, ui.app.focused


@pytest.mark.parametrize("way", ["h", "l", "n"])
async def test_escape_in_the_text_leaves_everything_as_it_was(browser, work, way):
    async with browser(here=str(work)) as ui:
        path = ui.path(BRANCHED)
        await ui.go_to_entry("one")
        before = path.read_bytes(), ui.app.clipboard, stands(ui)
        await answer(ui, "enter")
        await answer(ui, way, kind=TextDialog)
        assert "Esc cancels, nothing is changed" in said_below(ui)
        await ui.press("escape")
        assert (path.read_bytes(), ui.app.clipboard, stands(ui)) == before
        assert not ui.app._exit


async def test_escape_in_a_summary_leaves_everything_as_it_was(browser, work):
    async with browser(here=str(work)) as ui:
        path = ui.path(BRANCHED)
        await ui.go_to_entry("two")
        before = path.read_bytes(), stands(ui)
        await answer(ui, "enter")
        await answer(ui, "l", what=SUMMARY)
        await answer(ui, "w", kind=TextDialog)
        await ui.press("escape")
        assert (path.read_bytes(), stands(ui)) == before
        assert not ui.app._exit


async def test_what_was_typed_is_not_lost_to_one_key(browser, work):
    async with browser(here=str(work)) as ui:
        path = ui.path(BRANCHED)
        await ui.go_to_entry("five")
        before = path.read_bytes(), stands(ui)
        await answer(ui, "enter")
        await answer(ui, "l", kind=TextDialog)
        await ui.press("x")
        assert "Esc twice cancels, nothing is changed" in said_below(ui)
        await ui.press("backspace")
        assert "Esc cancels, nothing is changed" in said_below(ui), "it is as it was"
        await ui.press("x", "escape")
        assert isinstance(ui.screen, TextDialog)
        assert "Esc again cancels, nothing is changed" in said_below(ui)
        # what comes between takes the first one back
        for key in ("left", "y"):
            await ui.press(key)
            assert "Esc twice cancels" in said_below(ui)
            await ui.press("escape")
            assert isinstance(ui.screen, TextDialog)
        assert ui.screen._area.text == "fiveyx"
        await ui.press("escape")
        assert (path.read_bytes(), stands(ui)) == before


async def test_tab_indents_and_stays_in_the_text(browser, work):
    async with browser(here=str(work)) as ui:
        await ask_at(ui, "five")
        await answer(ui, "l", kind=TextDialog)
        area = ui.screen._area
        await ui.press("enter", "tab", "x")
        assert area.text == "five\n    x"
        assert ui.app.focused is area


@pytest.mark.parametrize("kind", ["prompt", "summary", "folder"])
async def test_control_c_copies_what_is_selected_in_a_text_and_else_gives_it_up(browser, work, kind):
    async with browser(here=str(work)) as ui:
        path = ui.path(BRANCHED)
        before = path.read_bytes()
        await ask_at(ui, "two" if kind == "summary" else "one")
        if kind == "summary":
            await answer(ui, "l", what=SUMMARY)
            await answer(ui, "w", kind=TextDialog)
        else:
            await answer(
                ui, "f" if kind == "folder" else "l", kind=FolderDialog if kind == "folder" else TextDialog
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


async def test_before_the_first_prompt_the_leaf_is_nowhere(browser, work):
    async with browser(here=str(work)) as ui:
        path = ui.path(BRANCHED)
        await ask_at(ui, "one")
        await answer(ui, "l", kind=TextDialog)
        await answer(ui, "ctrl+s", what=SUMMARY)
        await ui.press("n")
        await ui.until(lambda: lines(path)[-1]["parentId"] is None, "the leaf")


async def test_a_move_of_the_leaf_alone_offers_the_text_too(browser, work):
    async with browser(here=str(work)) as ui:
        path = ui.path(BRANCHED)
        await ask_at(ui, "five")
        await answer(ui, "l", kind=TextDialog)
        assert ui.screen._area.text == "five"
        await ui.press(*" and a half", "ctrl+s")
        # nothing is sent, so nobody asks whether it is to be
        await asked(ui, SUMMARY)
        assert ui.app.clipboard == "five and a half"
        await ui.press("n")
        await ui.until(lambda: "on the clipboard" in ui.toasts()[-1], "that it is")
        assert lines(path)[-1]["parentId"] == "00000002"
        assert not ui.app._exit


async def test_escape_in_the_text_of_a_move_alone_moves_nothing(browser, work):
    async with browser(here=str(work)) as ui:
        path = ui.path(BRANCHED)
        before = path.read_bytes()
        await ask_at(ui, "five")
        await answer(ui, "l", kind=TextDialog)
        await ui.press(*" more", "escape", "escape")
        assert path.read_bytes() == before
        assert isinstance(ui.screen, BrowserScreen)
        assert ui.app.clipboard == ""
        assert not ui.app._exit


async def test_to_omp_the_text_is_left_as_a_draft(browser, work, omp):
    async with browser(here=str(work)) as ui:
        await go_to(ui, omp)
        await ask_at(ui, "more")
        await answer(ui, "n", kind=TextDialog)
        await ui.press(*" please", "ctrl+s")
        await ui.until(lambda: ui.app._exit, "the plan")
        made = Path(ui.app.return_value.argv[-1])
        assert made != omp
        assert (made.with_suffix("") / "draft.txt").read_text() == "more please"


@pytest.mark.parametrize("other", ["", "written before"])
async def test_omp_has_the_text_as_a_draft_when_the_leaf_alone_moves(browser, work, omp, other):
    draft = omp.with_suffix("") / "draft.txt"
    if other:
        draft.parent.mkdir()
        draft.write_text(other)
    async with browser(here=str(work)) as ui:
        await go_to(ui, omp)
        await ask_at(ui, "more")
        await answer(ui, "l", kind=TextDialog)
        assert "in the editor of omp" in " ".join(ui.text().split())
        await answer(ui, *" please", "ctrl+s", what=SUMMARY)
        await ui.press("n")
        await ui.until(lambda: any("on the clipboard" in said for said in ui.toasts()), "where it is")
        assert draft.read_text() == (other or "more please")
        assert ui.app.clipboard == "more please"
        assert lines(omp)[-1]["parentId"] == "00000002"
        assert not ui.app._exit
        await ui.press("z")
        await ui.until(lambda: any("The leaf is back" in said for said in ui.toasts()), "it taken back")
        assert draft.read_text() == other if other else not draft.exists()


async def test_an_outline_is_prepared_for_a_summary_that_the_user_writes(browser, work):
    async with browser(here=str(work)) as ui:
        path = ui.path(BRANCHED)
        await ask_at(ui, "two")
        await answer(ui, "l", what=SUMMARY)
        await answer(ui, "w", kind=TextDialog)
        assert "five" in ui.screen._area.text
        await ui.press("ctrl+s")
        await ui.until(lambda: lines(path)[-1]["type"] == "branch_summary", "the summary")
        assert "five" in lines(path)[-1]["summary"]


async def test_a_command_of_the_users_makes_the_summary(browser, work, tmp_path):
    summarise_with(tmp_path, "/usr/bin/tr", "a-z", "A-Z")
    async with browser(here=str(work)) as ui:
        path = ui.path(BRANCHED)
        await ask_at(ui, "two")
        await answer(ui, "l", what=SUMMARY)
        await answer(ui, "c", kind=TextDialog)
        assert "FIVE" in ui.screen._area.text
        await ui.press("ctrl+s")
        await ui.until(lambda: lines(path)[-1]["type"] == "branch_summary", "the summary")


async def test_a_command_can_be_given_up(browser, work, tmp_path):
    summarise_with(tmp_path, "/bin/sleep", "600")
    async with browser(here=str(work)) as ui:
        path = ui.path(BRANCHED)
        before = path.read_bytes()
        await ask_at(ui, "two")
        await answer(ui, "l", what=SUMMARY)
        await answer(ui, "c", kind=WaitDialog)
        await ui.press("escape")
        await ui.until(lambda: not isinstance(ui.screen, WaitDialog), "the end")
        assert path.read_bytes() == before


async def test_beside_a_live_program_here_is_refused_and_the_new_file_offered(browser, work, monkeypatch):
    from app.sessions.manager.session_manager import SessionManager

    monkeypatch.setattr(SessionManager, "danger", lambda *_: "pi (process 7) has it open")
    async with browser(here=str(work), size=(160, 45)) as ui:
        await ask_at(ui, "two")
        assert "process 7" in ui.text()
        await ui.press("h")
        assert isinstance(ui.screen, ChoiceDialog)
        await ui.press("n")
        await ui.until(lambda: ui.app._exit, "the plan")


async def test_an_answer_whose_tools_have_not_answered_offers_safe_points(browser, work, tmp_path):
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
        await go_to(ui, ui.path("tools"))
        await ask_at(ui, "calls")
        assert "bash" in ui.text()
        assert "after the results of its tools" in ui.text()
        await ui.press("1")
        await ui.until(lambda: "Already at this point" in ui.toasts(), "that")
        assert "─ sessions ·" in ui.text(), "the key is no command of the browser as well"


async def test_the_key_of_an_answer_is_no_command_of_the_tree_as_well(browser, work):
    async with browser(here=str(work)) as ui:
        path = ui.path(BRANCHED)
        picked = await ask_at(ui, "two")
        await answer(ui, "l", what=SUMMARY)
        await ui.press("n")
        await ui.until(lambda: lines(path)[-1]["parentId"] == picked, "the leaf")
        assert not any("No words are looked for" in said for said in ui.toasts())


async def test_another_folder_is_asked_for(browser, work, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    async with browser(here=str(work)) as ui:
        await ask_at(ui, "two")
        await answer(ui, "f", kind=FolderDialog)
        await ui.press("ctrl+u", *str(other), "enter")
        await ui.until(lambda: ui.app._exit, "the plan")
        assert ui.app.return_value.cwd == str(other)


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
        await go_to(ui, ui.path("lonely"))
        await ui.press("tab", "C")
        await ui.until(lambda: "there is no other branch" in ui.text(), "that")


async def test_keys_that_come_before_the_question_ask_no_second_one(browser, work):
    async with browser(here=str(work)) as ui:
        await ui.go_to_entry("two")
        tree_screen = ui.screen
        row = ui.sessions.row
        tree_screen._going_on.begin(row, "00000002")
        tree_screen._going_on.begin(row, "00000001")
        await asked(ui)
        tree_screen._branch_jobs._worker.submit(
            lambda is_stale: tree_screen._branch_jobs._find_points(row, "00000002")
        )
        answered = Event()
        tree_screen._branch_jobs._worker.submit(lambda is_stale: answered.set())
        await ui.until(answered.is_set, "what was asked")
        await ui.press("escape")
        assert ui.screen is tree_screen


async def test_a_summary_is_not_lost_with_what_failed(browser, work):
    async with browser(here=str(work)) as ui:
        path = ui.path(BRANCHED)
        await ask_at(ui, "two")
        await answer(ui, "l", what=SUMMARY)
        await answer(ui, "w", kind=TextDialog)
        with path.open("a") as file:
            file.write(json.dumps(message("g", "f", "user", "meanwhile", 12)) + "\n")
        after = path.read_bytes()
        await ui.press(*"mine ", "ctrl+s")
        await ui.until(lambda: "The summary is on the clipboard" in ui.toasts(), "the summary")
        assert "mine" in ui.app.clipboard
        assert path.read_bytes() == after
