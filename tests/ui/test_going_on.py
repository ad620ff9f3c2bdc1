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


async def asked(it, what="", kind=ChoiceDialog):
    def is_there():
        return isinstance(it.screen, kind) and what in it.screen._title

    await it.until(is_there, f"the question {what!r}")


async def ask_at(it, text):
    """Ask how to go on from the entry whose text this is; return its id."""
    picked = await it.go_to_entry(text)
    await it.press("enter")
    await asked(it)
    return picked


async def answer(it, *keys, what="", kind=ChoiceDialog):
    """Answer a question, and wait for the next one."""
    await it.press(*keys)
    await asked(it, what, kind)


def said_below(it):
    """The last line of a dialog."""
    return str(it.screen.query_one(".hint").content)


async def go_to(it, path):
    it.sessions.go_to(str(path))
    await it.settled()


SUMMARY = "left behind"


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="only /proc shows who runs")
async def test_the_question_says_that_the_session_may_be_in_use(browser, work, tmp_path):
    (tmp_path / "running").mkdir()
    async with browser(here=str(work), size=(160, 45)) as it:
        await ask_at(it, "two")
        assert "in use" not in it.text()
        await it.press("escape")
        with running(tmp_path / "running", "pi", cwd=str(work)):
            await it.press("enter")
            await asked(it)
            said = " ".join(it.text().replace("│", " ").split())
            assert "In this session: this session may be in use: pi runs in the same folder" in said
            # The answer is enough: it goes on without another question about that.
            await answer(it, "h", what=SUMMARY)
            await it.press("n")
            await it.until(lambda: it.app._exit, "the end")


async def test_the_question_says_what_will_run_and_writes_nothing(browser, work):
    async with browser(here=str(work), size=(160, 45)) as it:
        path = it.path(BRANCHED)
        before = path.read_bytes(), path.stat().st_mtime_ns
        await ask_at(it, "two")
        text = it.text()
        assert "new session file" in text
        assert "pi --session" in text
        await it.press("escape")
        await it.press("enter")
        await asked(it)
        await it.press("x")
        assert (path.read_bytes(), path.stat().st_mtime_ns) == before
        assert not it.app._exit


async def test_answers_say_that_a_text_is_edited_first(browser, work, omp):
    async with browser(here=str(work), size=(80, 24)) as it:
        await ask_at(it, "one")
        text = it.text()
        assert "n  Edit the text and go on in a new session file; this one stays " in text
        assert "h  Edit the text and go on here, in this session " in text
        assert "l  Edit the text, put the leaf here, and stay in leafmark " in text
        assert "one appended entry; the text is copied " in text
        assert "f  Edit the text and go on in a new session of another folder " in text
        await it.press("escape", "shift+tab")
        await go_to(it, omp)
        await ask_at(it, "more")
        assert "one appended entry; the text waits in the editor of omp " in it.text()


async def test_answers_say_nothing_of_a_text_where_there_is_none(browser, work):
    async with browser(here=str(work), size=(80, 24)) as it:
        await ask_at(it, "two")
        text = it.text()
        assert "Edit the text" not in text
        assert "one appended entry " in text


async def test_a_program_that_is_missing_is_said_before_anything_is_chosen(browser, work, tmp_path):
    (tmp_path / "bin/pi").unlink()
    async with browser(here=str(work), size=(160, 45)) as it:
        await ask_at(it, "two")
        assert "pi is not installed" in " ".join(it.text().split())


async def test_the_first_answer_is_a_new_file_and_the_old_one_stays(browser, work):
    async with browser(here=str(work)) as it:
        path = it.path(BRANCHED)
        before = path.read_bytes()
        await ask_at(it, "two")
        await it.press("enter")
        await it.until(lambda: it.app._exit, "the plan")
        made = it.app.return_value.argv[-1]
        assert made != str(path)
        assert path.read_bytes() == before
        said = [line["message"]["content"] for line in lines(made) if line["type"] == "message"]
        assert len(said) == 2


async def test_here_is_one_appended_entry_below_the_one_that_was_picked(browser, work):
    async with browser(here=str(work)) as it:
        path = it.path(BRANCHED)
        before = path.read_bytes()
        picked = await ask_at(it, "two")
        await answer(it, "h", what=SUMMARY)
        await it.press("n")
        await it.until(lambda: it.app._exit, "the plan")
        assert it.app.return_value.argv == ["pi", "--session", str(path)]
        after = path.read_bytes()
        assert after.startswith(before)
        assert len(after.splitlines()) == len(before.splitlines()) + 1
        assert lines(path)[-1]["parentId"] == picked


async def test_a_move_of_the_leaf_alone_stays_and_is_taken_back(browser, work):
    async with browser(here=str(work)) as it:
        picked = await ask_at(it, "two")
        await answer(it, "l", what=SUMMARY)
        await it.press("n")
        await it.until(lambda: it.tree.view.tree.leaf.parent_id == picked, "the leaf")
        assert not it.app._exit
        await it.press("z")
        await it.until(lambda: it.tree.view.tree.leaf.parent_id == "f", "the old leaf")


async def test_the_leaf_itself_is_said_to_be_there_already(browser, work):
    async with browser(here=str(work)) as it:
        await it.go_to_entry("six")
        await it.press("enter")
        await it.until(lambda: "Already at this point" in it.toasts(), "that")
        assert not isinstance(it.screen, ChoiceDialog)


async def test_a_prompt_is_offered_for_editing_and_goes_to_the_clipboard(browser, work):
    async with browser(here=str(work)) as it:
        path = it.path(BRANCHED)
        await ask_at(it, "five")
        await answer(it, "h", kind=TextDialog)
        assert it.screen._area.text == "five"
        await answer(it, *" and a half", "ctrl+s", what="edited")
        assert it.app.clipboard == "five and a half"
        await answer(it, "enter", what=SUMMARY)
        await it.press("n")
        await it.until(lambda: it.app._exit, "the plan")
        assert it.app.return_value.argv == ["pi", "--session", str(path)]
        assert lines(path)[-1]["parentId"] == "00000002"


async def test_to_pi_the_text_is_sent_if_the_user_says_so(browser, work):
    async with browser(here=str(work)) as it:
        await ask_at(it, "five")
        await answer(it, "n", kind=TextDialog)
        await answer(it, "ctrl+s", what="edited")
        await it.press("s")
        await it.until(lambda: it.app._exit, "the plan")
        assert it.app.return_value.argv[-1] == "five"


def stands(it):
    """Where somebody in the tree is: the screen, the session and the entry."""
    return it.screen, it.sessions.row.path, it.tree.cursor, it.app.focused


@pytest.mark.parametrize("way", ["h", "l", "n"])
async def test_escape_in_the_text_leaves_everything_as_it_was(browser, work, way):
    async with browser(here=str(work)) as it:
        path = it.path(BRANCHED)
        await it.go_to_entry("one")
        before = path.read_bytes(), it.app.clipboard, stands(it)
        await answer(it, "enter")
        await answer(it, way, kind=TextDialog)
        assert "Esc cancels, nothing is changed" in said_below(it)
        await it.press("escape")
        assert (path.read_bytes(), it.app.clipboard, stands(it)) == before
        assert not it.app._exit


async def test_escape_in_a_summary_leaves_everything_as_it_was(browser, work):
    async with browser(here=str(work)) as it:
        path = it.path(BRANCHED)
        await it.go_to_entry("two")
        before = path.read_bytes(), stands(it)
        await answer(it, "enter")
        await answer(it, "l", what=SUMMARY)
        await answer(it, "w", kind=TextDialog)
        await it.press("escape")
        assert (path.read_bytes(), stands(it)) == before
        assert not it.app._exit


async def test_what_was_typed_is_not_lost_to_one_key(browser, work):
    async with browser(here=str(work)) as it:
        path = it.path(BRANCHED)
        await it.go_to_entry("five")
        before = path.read_bytes(), stands(it)
        await answer(it, "enter")
        await answer(it, "l", kind=TextDialog)
        await it.press("x")
        assert "Esc twice cancels, nothing is changed" in said_below(it)
        await it.press("backspace")
        assert "Esc cancels, nothing is changed" in said_below(it), "it is as it was"
        await it.press("x", "escape")
        assert isinstance(it.screen, TextDialog)
        assert "Esc again cancels, nothing is changed" in said_below(it)
        # what comes between takes the first one back
        for key in ("left", "y"):
            await it.press(key)
            assert "Esc twice cancels" in said_below(it)
            await it.press("escape")
            assert isinstance(it.screen, TextDialog)
        assert it.screen._area.text == "fiveyx"
        await it.press("escape")
        assert (path.read_bytes(), stands(it)) == before


async def test_tab_indents_and_stays_in_the_text(browser, work):
    async with browser(here=str(work)) as it:
        await ask_at(it, "five")
        await answer(it, "l", kind=TextDialog)
        area = it.screen._area
        await it.press("enter", "tab", "x")
        assert area.text == "five\n    x"
        assert it.app.focused is area


@pytest.mark.parametrize("kind", ["prompt", "summary", "folder"])
async def test_control_c_copies_what_is_selected_in_a_text_and_else_gives_it_up(browser, work, kind):
    async with browser(here=str(work)) as it:
        path = it.path(BRANCHED)
        before = path.read_bytes()
        await ask_at(it, "two" if kind == "summary" else "one")
        if kind == "summary":
            await answer(it, "l", what=SUMMARY)
            await answer(it, "w", kind=TextDialog)
        else:
            await answer(
                it, "f" if kind == "folder" else "l", kind=FolderDialog if kind == "folder" else TextDialog
            )
        editor = it.screen
        await it.press(*"xyz", "shift+left", "shift+left", "ctrl+c")
        assert it.app.clipboard == "yz"
        assert it.screen is editor
        await it.press("end", "ctrl+c")
        assert it.app.clipboard == "yz"
        assert isinstance(it.screen, BrowserScreen)
        assert not it.app._exit
        assert path.read_bytes() == before


async def test_before_the_first_prompt_the_leaf_is_nowhere(browser, work):
    async with browser(here=str(work)) as it:
        path = it.path(BRANCHED)
        await ask_at(it, "one")
        await answer(it, "l", kind=TextDialog)
        await answer(it, "ctrl+s", what=SUMMARY)
        await it.press("n")
        await it.until(lambda: lines(path)[-1]["parentId"] is None, "the leaf")


async def test_a_move_of_the_leaf_alone_offers_the_text_too(browser, work):
    async with browser(here=str(work)) as it:
        path = it.path(BRANCHED)
        await ask_at(it, "five")
        await answer(it, "l", kind=TextDialog)
        assert it.screen._area.text == "five"
        await it.press(*" and a half", "ctrl+s")
        # nothing is sent, so nobody asks whether it is to be
        await asked(it, SUMMARY)
        assert it.app.clipboard == "five and a half"
        await it.press("n")
        await it.until(lambda: "on the clipboard" in it.toasts()[-1], "that it is")
        assert lines(path)[-1]["parentId"] == "00000002"
        assert not it.app._exit


async def test_escape_in_the_text_of_a_move_alone_moves_nothing(browser, work):
    async with browser(here=str(work)) as it:
        path = it.path(BRANCHED)
        before = path.read_bytes()
        await ask_at(it, "five")
        await answer(it, "l", kind=TextDialog)
        await it.press(*" more", "escape", "escape")
        assert path.read_bytes() == before
        assert isinstance(it.screen, BrowserScreen)
        assert it.app.clipboard == ""
        assert not it.app._exit


async def test_to_omp_the_text_is_left_as_a_draft(browser, work, omp):
    async with browser(here=str(work)) as it:
        await go_to(it, omp)
        await ask_at(it, "more")
        await answer(it, "n", kind=TextDialog)
        await it.press(*" please", "ctrl+s")
        await it.until(lambda: it.app._exit, "the plan")
        made = Path(it.app.return_value.argv[-1])
        assert made != omp
        assert (made.with_suffix("") / "draft.txt").read_text() == "more please"


@pytest.mark.parametrize("other", ["", "written before"])
async def test_omp_has_the_text_as_a_draft_when_the_leaf_alone_moves(browser, work, omp, other):
    draft = omp.with_suffix("") / "draft.txt"
    if other:
        draft.parent.mkdir()
        draft.write_text(other)
    async with browser(here=str(work)) as it:
        await go_to(it, omp)
        await ask_at(it, "more")
        await answer(it, "l", kind=TextDialog)
        assert "in the editor of omp" in " ".join(it.text().split())
        await answer(it, *" please", "ctrl+s", what=SUMMARY)
        await it.press("n")
        await it.until(lambda: any("on the clipboard" in said for said in it.toasts()), "where it is")
        assert draft.read_text() == (other or "more please")
        assert it.app.clipboard == "more please"
        assert lines(omp)[-1]["parentId"] == "00000002"
        assert not it.app._exit
        await it.press("z")
        await it.until(lambda: any("The leaf is back" in said for said in it.toasts()), "it taken back")
        assert draft.read_text() == other if other else not draft.exists()


async def test_an_outline_is_prepared_for_a_summary_that_the_user_writes(browser, work):
    async with browser(here=str(work)) as it:
        path = it.path(BRANCHED)
        await ask_at(it, "two")
        await answer(it, "l", what=SUMMARY)
        await answer(it, "w", kind=TextDialog)
        assert "five" in it.screen._area.text
        await it.press("ctrl+s")
        await it.until(lambda: lines(path)[-1]["type"] == "branch_summary", "the summary")
        assert "five" in lines(path)[-1]["summary"]


async def test_a_command_of_the_users_makes_the_summary(browser, work, tmp_path):
    summarise_with(tmp_path, "/usr/bin/tr", "a-z", "A-Z")
    async with browser(here=str(work)) as it:
        path = it.path(BRANCHED)
        await ask_at(it, "two")
        await answer(it, "l", what=SUMMARY)
        await answer(it, "c", kind=TextDialog)
        assert "FIVE" in it.screen._area.text
        await it.press("ctrl+s")
        await it.until(lambda: lines(path)[-1]["type"] == "branch_summary", "the summary")


async def test_a_command_can_be_given_up(browser, work, tmp_path):
    summarise_with(tmp_path, "/bin/sleep", "600")
    async with browser(here=str(work)) as it:
        path = it.path(BRANCHED)
        before = path.read_bytes()
        await ask_at(it, "two")
        await answer(it, "l", what=SUMMARY)
        await answer(it, "c", kind=WaitDialog)
        await it.press("escape")
        await it.until(lambda: not isinstance(it.screen, WaitDialog), "the end")
        assert path.read_bytes() == before


async def test_beside_a_live_program_here_is_refused_and_the_new_file_offered(browser, work, monkeypatch):
    from app.sessions.manager.session_manager import SessionManager

    monkeypatch.setattr(SessionManager, "danger", lambda *_: "pi (process 7) has it open")
    async with browser(here=str(work), size=(160, 45)) as it:
        await ask_at(it, "two")
        assert "process 7" in it.text()
        await it.press("h")
        assert isinstance(it.screen, ChoiceDialog)
        await it.press("n")
        await it.until(lambda: it.app._exit, "the plan")


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
    async with browser(here=str(work)) as it:
        await go_to(it, it.path("tools"))
        await ask_at(it, "calls")
        assert "bash" in it.text()
        assert "after the results of its tools" in it.text()
        await it.press("1")
        await it.until(lambda: "Already at this point" in it.toasts(), "that")
        assert "─ sessions ·" in it.text(), "the key is no command of the browser as well"


async def test_the_key_of_an_answer_is_no_command_of_the_tree_as_well(browser, work):
    async with browser(here=str(work)) as it:
        path = it.path(BRANCHED)
        picked = await ask_at(it, "two")
        await answer(it, "l", what=SUMMARY)
        await it.press("n")
        await it.until(lambda: lines(path)[-1]["parentId"] == picked, "the leaf")
        assert not any("No words are looked for" in said for said in it.toasts())


async def test_another_folder_is_asked_for(browser, work, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    async with browser(here=str(work)) as it:
        await ask_at(it, "two")
        await answer(it, "f", kind=FolderDialog)
        await it.press("ctrl+u", *str(other), "enter")
        await it.until(lambda: it.app._exit, "the plan")
        assert it.app.return_value.cwd == str(other)


async def test_two_branches_are_compared(browser, work):
    async with browser(here=str(work), size=(160, 45)) as it:
        path = it.path(BRANCHED)
        before = path.read_bytes()
        await it.go_to_entry("four")
        await it.press("C")
        await it.until(lambda: "active path" in it.text(), "the comparison")
        text = it.text()
        for word in ("three", "five", "six", "four"):
            assert word in text
        await it.press("escape")
        assert path.read_bytes() == before


async def test_a_session_without_branches_says_so(browser, work, tmp_path):
    pi_session(tmp_path, *chain("only", "this", id="lonely", cwd=str(work)), id="lonely")
    async with browser(here=str(work)) as it:
        await go_to(it, it.path("lonely"))
        await it.press("tab", "C")
        await it.until(lambda: "there is no other branch" in it.text(), "that")


async def test_keys_that_come_before_the_question_ask_no_second_one(browser, work):
    async with browser(here=str(work)) as it:
        await it.go_to_entry("two")
        tree_screen = it.screen
        row = it.sessions.row
        tree_screen._going_on.begin(row, "00000002")
        tree_screen._going_on.begin(row, "00000001")
        await asked(it)
        tree_screen._branch_jobs._worker.submit(
            lambda is_stale: tree_screen._branch_jobs._find_points(row, "00000002")
        )
        answered = Event()
        tree_screen._branch_jobs._worker.submit(lambda is_stale: answered.set())
        await it.until(answered.is_set, "what was asked")
        await it.press("escape")
        assert it.screen is tree_screen


async def test_a_summary_is_not_lost_with_what_failed(browser, work):
    async with browser(here=str(work)) as it:
        path = it.path(BRANCHED)
        await ask_at(it, "two")
        await answer(it, "l", what=SUMMARY)
        await answer(it, "w", kind=TextDialog)
        with path.open("a") as file:
            file.write(json.dumps(message("g", "f", "user", "meanwhile", 12)) + "\n")
        after = path.read_bytes()
        await it.press(*"mine ", "ctrl+s")
        await it.until(lambda: "The summary is on the clipboard" in it.toasts(), "the summary")
        assert "mine" in it.app.clipboard
        assert path.read_bytes() == after
