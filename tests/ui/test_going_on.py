"""Continuing from an entry of the tree, in one dialog."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from textual import events
from textual.widgets import TextArea

from tests.factory import chain, message, write_session
from tests.holding import running
from tests.ui.conftest import install, pi_session

pytestmark = pytest.mark.usefixtures("tree_shown")

BRANCHED = "branchy"


def configure(tmp_path, text):
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "config.toml").write_text(text)


def summarise_with(tmp_path, *command):
    configure(tmp_path, f"summary_command = {json.dumps(command)}\n")


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


async def asked(ui):
    await ui.until(lambda: ui.is_in("Continue from here"), "the dialog")
    await ui.pilot.pause()


async def ask_at(ui, text, *keys):
    """Ask how to continue from the entry with this text, and return the entry's id."""
    picked = await ui.go_to_entry(text)
    await ui.press(*(keys or ("enter",)))
    await asked(ui)
    return picked


async def choose(ui, row, *keys):
    """Press keys on a row of choices."""
    ui.screen.query_one(f"#{row}").focus()
    await ui.press(*keys)


def words(ui):
    """The text of the screen without its frames."""
    return " ".join(ui.text().replace("│", " ").split())


async def go_to_session(ui, path):
    ui.sessions.go_to(str(path))
    await ui.settled()


async def started(ui):
    await ui.until(lambda: ui.has_ended, "the plan")
    return ui.app.return_value


async def test_enter_on_the_leaf_resumes_at_once(browser, work):
    async with browser(here=str(work)) as ui:
        path = ui.path(BRANCHED)
        before = path.read_bytes()
        await ui.go_to_entry("six")
        await ui.press("enter")
        assert (await started(ui)).argv == ["pi", "--session", str(path)]
        assert path.read_bytes() == before


async def test_the_dialog_says_what_each_choice_runs_and_writes_and_writes_nothing(browser, work):
    async with browser(here=str(work), size=(160, 45)) as ui:
        path = ui.path(BRANCHED)
        before = path.read_bytes(), path.stat().st_mtime_ns
        await ask_at(ui, "two")
        assert "Runs pi --session NEW in " in words(ui)
        assert "Writes a new file; this session stays as it is" in words(ui)
        assert "Ctrl+S start pi" in words(ui)
        await choose(ui, "where", "right")
        assert "Writes one line: the leaf moves here (z to undo)" in words(ui)
        await choose(ui, "summary", "right")
        await ui.until(lambda: "five" in ui.screen.query_one("#outline", TextArea).text, "the outline")
        assert "with the summary" in words(ui)
        await ui.press("escape")
        assert not ui.screen.is_modal
        assert (path.read_bytes(), path.stat().st_mtime_ns) == before
        assert not ui.has_ended


async def test_the_first_choice_makes_a_new_file_and_keeps_the_old_one(browser, work):
    async with browser(here=str(work)) as ui:
        path = ui.path(BRANCHED)
        before = path.read_bytes()
        await ask_at(ui, "two")
        await ui.press("enter")
        new_path = (await started(ui)).argv[-1]
        assert new_path != str(path)
        assert path.read_bytes() == before
        texts = [line["message"]["content"] for line in lines(new_path) if line["type"] == "message"]
        assert len(texts) == 2


async def test_continuing_here_appends_one_entry_below_the_picked_one(browser, work):
    async with browser(here=str(work)) as ui:
        path = ui.path(BRANCHED)
        before = path.read_bytes()
        picked = await ask_at(ui, "two")
        await choose(ui, "where", "right", "enter")
        assert (await started(ui)).argv == ["pi", "--session", str(path)]
        after = path.read_bytes()
        assert after.startswith(before)
        assert len(after.splitlines()) == len(before.splitlines()) + 1
        assert lines(path)[-1]["parentId"] == picked


async def test_without_its_program_the_leaf_moves_and_can_be_moved_back(browser, work, tmp_path):
    (tmp_path / "bin/pi").unlink()
    async with browser(here=str(work), size=(160, 45)) as ui:
        picked = await ask_at(ui, "two")
        assert "Runs nothing: pi is not installed" in words(ui)
        await choose(ui, "where", "right")
        assert "Ctrl+S move the leaf" in words(ui)
        await ui.press("ctrl+s")
        await ui.until(lambda: ui.tree.view.tree.leaf.parent_id == picked, "the leaf")
        assert not ui.has_ended
        await ui.press("z")
        await ui.until(lambda: ui.tree.view.tree.leaf.parent_id == "f", "the old leaf")


async def test_an_edited_prompt_is_sent_and_is_on_the_clipboard(browser, work):
    async with browser(here=str(work)) as ui:
        path = ui.path(BRANCHED)
        await ask_at(ui, "five")
        assert ui.screen.query_one("#prompt", TextArea).text == "five"
        await ui.press(*" and a half")
        await choose(ui, "where", "right")
        await ui.press("ctrl+s")
        assert (await started(ui)).argv == ["pi", "--session", str(path), "five and a half"]
        assert ui.app.clipboard == "five and a half"
        assert lines(path)[-1]["parentId"] == "00000002"


async def test_only_copying_changes_nothing(browser, work):
    async with browser(here=str(work)) as ui:
        path = ui.path(BRANCHED)
        before = path.read_bytes()
        await ask_at(ui, "five")
        await ui.press(*"!", "ctrl+y")
        assert ui.app.clipboard == "five!"
        assert ui.toasts() == ["Copied the prompt"]
        assert not ui.screen.is_modal
        assert path.read_bytes() == before


async def test_a_changed_text_needs_two_escapes(browser, work):
    async with browser(here=str(work)) as ui:
        path = ui.path(BRANCHED)
        before = path.read_bytes()
        await ask_at(ui, "five")
        await ui.press("x")
        assert "Esc Esc cancel" in words(ui)
        await ui.press("backspace")
        assert "Esc cancel" in words(ui), "it is as it was"
        await ui.press("x", "escape")
        assert ui.is_in("Continue from here")
        assert "Esc again cancels" in words(ui)
        await ui.press("y", "escape")
        assert ui.is_in("Continue from here")
        assert ui.screen.query_one("#prompt", TextArea).text == "fivexy"
        await ui.press("escape")
        assert not ui.screen.is_modal
        assert path.read_bytes() == before
        assert ui.app.clipboard == ""


async def test_the_prompt_grows_to_ten_rows_and_tab_leaves_it(browser, work):
    async with browser(here=str(work)) as ui:
        await ask_at(ui, "five")
        area = ui.screen.query_one("#prompt", TextArea)
        assert area.size.height == 3
        await ui.press(*["enter"] * 20)
        assert area.size.height == 10
        await ui.press("tab")
        assert ui.focus == "where"


async def test_omp_gets_the_text_as_a_draft(browser, work, omp):
    async with browser(here=str(work)) as ui:
        await go_to_session(ui, omp)
        await ask_at(ui, "more")
        assert "the prompt waits in the editor of omp" in words(ui)
        await ui.press(*" please", "ctrl+s")
        new_path = Path((await started(ui)).argv[-1])
        assert new_path != omp
        assert (new_path.with_suffix("") / "draft.txt").read_text() == "more please"


async def test_a_written_summary_begins_with_the_outline(browser, work):
    async with browser(here=str(work)) as ui:
        path = ui.path(BRANCHED)
        await ask_at(ui, "two")
        await choose(ui, "where", "right")
        await choose(ui, "summary", "right")
        area = ui.screen.query_one("#outline", TextArea)
        await ui.until(lambda: "five" in area.text, "the outline")
        await ui.press("ctrl+s")
        await ui.until(lambda: lines(path)[-1]["type"] == "branch_summary", "the summary")
        assert "five" in lines(path)[-1]["summary"]


async def test_shift_enter_has_the_command_write_the_summary_with_instructions(browser, work, tmp_path):
    summarise_with(tmp_path, "/usr/bin/tr", "a-z", "A-Z")
    async with browser(here=str(work)) as ui:
        path = ui.path(BRANCHED)
        await ask_at(ui, "two", "shift+enter")
        ui.screen.query_one("#instructions").focus()
        await ui.press(*"be brief", "enter")
        await ui.until(lambda: lines(path)[-1]["type"] == "branch_summary", "the summary")
        summary = lines(path)[-1]["summary"]
        assert "BE BRIEF" in summary
        assert "FIVE" in summary


async def test_a_summary_that_ends_below_the_help_closes_only_its_own_dialog(browser, work, tmp_path):
    go, ended = tmp_path / "go", tmp_path / "ended"
    wait = f"cat > /dev/null; while [ ! -e {go} ]; do sleep 0.01; done; echo the summary; : > {ended}"
    summarise_with(tmp_path, "/bin/sh", "-c", wait)
    async with browser(here=str(work)) as ui:
        path = ui.path(BRANCHED)
        await ask_at(ui, "two", "shift+enter")
        ui.screen.query_one("#instructions").focus()
        await ui.press(*"be brief", "enter")
        await ui.until(lambda: ui.is_in("Summary"), "the command")
        await ui.press("question_mark")
        await ui.until(lambda: ui.is_in("Help"), "the help")
        go.touch()
        await ui.until(ended.exists, "the end of the command")
        assert ui.is_in("Help")
        await ui.press("escape")
        await ui.until(lambda: lines(path)[-1]["type"] == "branch_summary", "the summary")
        assert lines(path)[-1]["summary"].endswith("the summary")


async def test_a_cancelled_or_failed_command_comes_back_with_what_was_typed(browser, work, tmp_path):
    summarise_with(tmp_path, "/bin/sleep", "600")
    async with browser(here=str(work)) as ui:
        path = ui.path(BRANCHED)
        before = path.read_bytes()
        await ask_at(ui, "five", "shift+enter")
        await ui.press(*"!", "ctrl+s")
        await ui.until(lambda: ui.is_in("Summary"), "the command")
        await ui.press("escape")
        await asked(ui)
        assert ui.screen.query_one("#prompt", TextArea).text == "five!"
        assert path.read_bytes() == before


async def test_the_settings_leave_the_summary_out_and_set_the_tree_filter(browser, work, tmp_path):
    configure(tmp_path, 'ask_summary = false\ntree_filter = "user"\n')
    async with browser(here=str(work)) as ui:
        assert ui.tree.tree_filter == "user"
        await ask_at(ui, "five")
        assert "Summary" not in ui.text()


@pytest.mark.parametrize(("key", "tree_filter"), [("alt+u", "user"), ("alt+l", "labelled"), ("alt+a", "all")])
async def test_the_keys_of_oh_my_pi_filter_the_tree(browser, work, key, tree_filter):
    async with browser(here=str(work)) as ui:
        await ui.press("tab", key)
        assert ui.tree.tree_filter == tree_filter


async def test_in_a_live_session_the_choice_stays_visible_with_its_reason(browser, work, monkeypatch):
    from leafmark import SessionManager

    monkeypatch.setattr(SessionManager, "danger", lambda *_: "open in pi (pid 7)")
    async with browser(here=str(work), size=(160, 45)) as ui:
        await ask_at(ui, "two")
        assert "( ) This session: open in pi (pid 7)" in words(ui)
        await choose(ui, "where", "right")
        assert "(•) Other folder…" in words(ui), "the impossible one is passed over"


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="only /proc shows who runs")
async def test_the_dialog_says_that_the_session_may_be_in_use(browser, work, tmp_path):
    (tmp_path / "running").mkdir()
    async with browser(here=str(work), size=(160, 45)) as ui:
        with running(tmp_path / "running", "pi", cwd=str(work)):
            await ask_at(ui, "two")
            assert "This session: this session may be in use" in words(ui)


async def test_an_answer_with_pending_tool_calls_continues_at_a_safe_point(browser, work, tmp_path):
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
    after = message("d", "r", "assistant", "done", 14)
    pi_session(tmp_path, *chain("start", id="tools", cwd=str(work)), calling, result, after, id="tools")
    async with browser(here=str(work), size=(160, 45)) as ui:
        await go_to_session(ui, ui.path("tools"))
        await ask_at(ui, "calls")
        assert "Goes on after the tool results, so that no call is left without one" in words(ui)
        await choose(ui, "where", "right", "enter")
        await started(ui)
        assert lines(ui.path("tools"))[-1]["parentId"] == "r"


async def test_another_folder_is_asked_for_in_the_dialog(browser, work, tmp_path):
    folder = tmp_path / "other"
    folder.mkdir()
    async with browser(here=str(work)) as ui:
        await ask_at(ui, "two")
        await choose(ui, "where", "left")
        ui.screen.query_one("#folder-path").focus()
        await ui.press("ctrl+u", *"/nowhere", "ctrl+s")
        await ui.until(lambda: "No such folder: /nowhere" in ui.text(), "the reason")
        await ui.press("ctrl+u", *str(folder), "enter")
        assert (await started(ui)).cwd == str(folder)


async def test_a_session_that_vanishes_below_the_dialog_loses_no_text(browser, work):
    async with browser(here=str(work)) as ui:
        await ask_at(ui, "five")
        await ui.press("!")
        ui.path(BRANCHED).unlink()
        await ui.until(lambda: not ui.app.screen_stack[0].model.rows(), "its end")
        await ui.press("ctrl+s")
        await ui.until(lambda: any("gone" in toast for toast in ui.toasts()), "the reason")
        assert ui.app.clipboard == "five!"


@pytest.mark.parametrize("size", [(20, 8), (40, 15), (200, 50)])
async def test_the_dialog_survives_a_resize_and_a_paste(browser, work, size):
    async with browser(here=str(work), size=(80, 24)) as ui:
        await ask_at(ui, "five")
        await ui.pilot.resize_terminal(*size)
        await ui.pilot.pause()
        area = ui.screen.query_one("#prompt", TextArea)
        ui.app.post_message(events.Paste("red [bold]\n語" * 50))
        await ui.pilot.pause()
        assert "red [bold]" in area.text
        box = ui.screen.query_one(".dialog").region
        assert box.right <= size[0]
        assert box.bottom <= size[1]
        if size[0] < 60:
            assert box.width == size[0]
        assert ui.focus == "prompt"


async def test_a_second_request_before_the_dialog_is_dropped(browser, work):
    async with browser(here=str(work)) as ui:
        await ui.go_to_entry("two")
        tree_screen = ui.screen
        row = ui.sessions.row
        tree_screen.beside.branch_flow.begin(row, "00000002")
        tree_screen.beside.branch_flow.begin(row, "00000001")
        await asked(ui)
        await ui.press("escape")
        assert ui.screen is tree_screen


async def test_two_branches_are_compared_and_a_difference_is_gone_to(browser, work):
    async with browser(here=str(work), size=(160, 45)) as ui:
        path = ui.path(BRANCHED)
        before = path.read_bytes()
        await ui.go_to_entry("four")
        assert "C compare" in ui.text()
        await ui.press("C")
        await ui.until(lambda: "branch 1 of 2 · three" in ui.text(), "the comparison")
        text = ui.text()
        keys = "n N next difference  Enter go there  Tab side"
        for words in ("Both follow: two", "active · five", "2 entries · 1 turn", keys):
            assert words in text
        assert "❯› five" in text
        await ui.press("alt+down", "alt+up", "tab")
        assert "❯› three" in ui.text()
        await ui.pilot.resize_terminal(70, 20)
        await ui.until(lambda: "│  ❯› three" in ui.text(), "the sides to stack")
        await ui.press("enter")
        assert ui.tree.node.id == "00000003"
        assert path.read_bytes() == before


async def test_a_session_without_branches_says_so(browser, work, tmp_path):
    pi_session(tmp_path, *chain("only", "this", id="lonely", cwd=str(work)), id="lonely")
    async with browser(here=str(work)) as ui:
        await go_to_session(ui, ui.path("lonely"))
        await ui.press("tab")
        assert "C compare" not in ui.text()
        await ui.press("C")
        await ui.until(lambda: "there is no other branch" in ui.text(), "that")


async def test_a_summary_whose_append_failed_is_on_the_clipboard(browser, work):
    async with browser(here=str(work)) as ui:
        path = ui.path(BRANCHED)
        await ask_at(ui, "two")
        await choose(ui, "where", "right")
        await choose(ui, "summary", "right")
        area = ui.screen.query_one("#outline", TextArea)
        await ui.until(lambda: "five" in area.text, "the outline")
        with path.open("a") as file:
            file.write(json.dumps(message("g", "f", "user", "meanwhile", 12)) + "\n")
        after = path.read_bytes()
        area.focus()
        await ui.press(*"mine ", "ctrl+s")
        await ui.until(lambda: "Copied the summary" in ui.toasts(), "the summary")
        assert "mine" in ui.app.clipboard
        assert path.read_bytes() == after
