"""Enter on a session: the warnings before it, and the plan with which leafmark ends."""

from __future__ import annotations

import json
import os
from contextlib import nullcontext

import pytest

from tests.claude_lines import line, write
from tests.factory import chain
from tests.holding import held, running
from tests.ui.conftest import install, pi_session


@pytest.fixture
def installed(tmp_path):
    """A session with an existing folder, and a ``pi`` on PATH."""
    work = tmp_path / "work"
    work.mkdir()
    install(tmp_path, "pi")
    path = pi_session(tmp_path, *chain("go on", "yes", id="s", cwd=str(work)), id="s")
    return path, str(work)


async def test_command_and_folder_are_on_the_screen_before_enter(browser, installed, tmp_path):
    path, work = installed
    async with browser(here=work, size=(600, 40)) as ui:
        bar = ui.text().splitlines()[-2]
        assert "Enter runs pi --session " in bar
        assert str(path) not in bar
        assert work.replace(str(tmp_path / "home"), "~") in bar


async def test_enter_ends_leafmark_with_the_plan(browser, installed):
    path, work = installed
    async with browser(here=work) as ui:
        await ui.press("enter")
        plan = ui.app.return_value
    assert plan.argv == ["pi", "--session", str(path)]
    assert plan.cwd == work


async def test_a_double_click_reads_and_a_click_selects(browser, installed, tmp_path):
    path, work = installed
    pi_session(tmp_path, *chain("other", id="t", cwd=work), id="t")
    async with browser(here=work) as ui:
        row = ui.sessions.model.index_of(str(path))
        await ui.pilot.click("#sessions", offset=(5, row))
        assert ui.sessions.row.path == str(path)
        assert not ui.has_ended
        await ui.settled()
        for _ in range(2):
            await ui.pilot.click("#sessions", offset=(5, row), times=2)
            await ui.until(lambda: ui.focus == "transcript", "the conversation")
            await ui.press("1")
        assert (ui.sessions.row.path, ui.app._exit) == (str(path), False)


async def test_a_missing_folder_is_reported_and_the_command_can_be_copied(browser, tmp_path):
    pi_session(tmp_path, *chain("go on", id="s", cwd="/gone/for/good"), id="s")
    install(tmp_path, "pi")
    async with browser() as ui:
        assert "! Cannot resume: its folder is gone (Enter: what you can do)" in ui.text()
        await ui.press("enter")
        assert ui.is_in("Cannot resume", "Resume")
        assert "pi --session" in ui.text()
        await ui.press("c")
        assert "pi --session" in ui.app.clipboard
        await ui.press("enter")
        assert not ui.has_ended
        assert not ui.is_in("Cannot resume", "Resume")


async def test_a_folder_with_a_nul_counts_as_no_folder(browser, installed, tmp_path):
    _, work = installed
    pi_session(tmp_path, *chain("of no folder", id="nul", cwd="/work/a\0b"), id="nul")
    async with browser(here=work, size=(200, 40)) as ui:
        await ui.press("+", "end")
        await ui.until(lambda: "the session names no folder" in ui.text(), "why it cannot be gone on with")
        assert ui.sessions.row.id == "nul"
        assert ui.toasts() == []


async def test_a_missing_program_is_reported(browser, three):
    async with browser() as ui:
        assert "pi not on PATH" in ui.text()
        await ui.press("enter")
        assert ui.is_in("Cannot resume", "Resume")
        await ui.press("r")
        assert not ui.has_ended, "there is nothing to run"


on_proc = pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="only /proc shows who runs")


@pytest.fixture
def programs(tmp_path):
    """A folder for the programs that a test runs."""
    folder = tmp_path / "running"
    folder.mkdir()
    return folder


@on_proc
async def test_a_live_session_has_a_warning_and_the_first_choice_is_harmless(browser, installed, programs):
    path, work = installed
    with held(path, programs, "pi") as pid:
        async with browser(here=work) as ui:
            await ui.until(lambda: "●" in ui.text() and "1 open" in ui.text(), "the mark")
            await ui.press("enter")
            words = " ".join(ui.text().replace("│", " ").split())
            assert f"● This session is open: process {pid} (pi) has it open." in words
            await ui.press("down", "down", "enter")
            assert ui.is_in("This session"), "it cannot be opened"
            assert not ui.has_ended
            await ui.press("home", "enter")
            await ui.until(lambda: ui.has_ended, "the fork")
            assert ui.app.return_value.argv[-1] not in ("", str(path))


@on_proc
async def test_the_newest_session_beside_a_running_pi_has_a_warning(browser, installed, programs, tmp_path):
    path, work = installed
    older = pi_session(tmp_path, *chain("of before", "yes", id="old", cwd=work), id="old")
    elsewhere = pi_session(tmp_path, *chain("of another", "yes", id="new", cwd="/work/other"), id="new")
    os.utime(older, (1_700_000_000, 1_700_000_000))
    os.utime(elsewhere, (4_000_000_000, 4_000_000_000))
    with running(programs, "pi", cwd=work):
        async with browser(here=work) as ui:
            ui.sessions.go_to(str(path))
            await ui.settled()
            await ui.press("enter")
            words = " ".join(ui.text().replace("│", " ").split())
            assert "◐ This session may be open: pi runs in the same folder" in words
            assert "Two agents in one session make two branches, and the last writer wins." in words
            assert words.index("❯ Fork") < words.index("Open start pi on this file anyway")
            await ui.press("escape")
            ui.sessions.go_to(str(older))
            await ui.settled()
            await ui.press("enter")
            assert ui.app.return_value.argv[-1] == str(older)


@on_proc
async def test_a_pi_that_starts_later_causes_a_warning(browser, installed, programs):
    path, work = installed
    async with browser(here=work) as ui:
        assert ui.screen.resume_controller.plan.asks == ()
        with running(programs, "pi", cwd=work):
            ui.screen.facts.look()
            await ui.until(lambda: "◐" in ui.text(), "the mark")
            await ui.press("enter")
            await ui.until(lambda: ui.is_in("This session"), "the question")
            await ui.press("escape")
        ui.screen.facts.look()
        await ui.until(lambda: "◐" not in ui.text(), "the mark to go")
        await ui.press("enter")
        await ui.until(lambda: ui.has_ended, "the end")
        assert ui.app.return_value.argv[-1] == str(path)


async def test_a_file_that_pi_refuses_has_a_warning_that_names_the_repair(browser, installed):
    path, work = installed
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    async with browser(here=work, size=(200, 40)) as ui:
        assert "a byte order mark before the header: pi refuses such a file" in ui.text().splitlines()[-2]
        await ui.press("enter")
        assert ui.is_in("Cannot resume", "Resume")
        box = ui.screen.query_one(".dialog").region
        lines = ui.text().splitlines()[box.y : box.bottom]
        words = " ".join(" ".join(line[box.x + 1 : box.right - 1] for line in lines).split())
        assert "pi refuses such a file; `leafmark fork` copies the active path" in words
        await ui.press("r")
        assert ui.app.return_value.argv[-1] == str(path)


async def test_enter_before_the_plan_is_made_is_not_lost(browser, installed):
    path, work = installed
    async with browser(here=work) as ui:
        ui.screen.resume_controller.planned = ""
        await ui.press("enter")
        assert not ui.has_ended
        ui.screen.resume_controller.make_plan(ui.sessions.row)
        await ui.until(lambda: ui.has_ended, "the plan")
        assert ui.app.return_value.argv[-1] == str(path)


async def test_a_session_that_cannot_be_resumed_has_a_mark_in_its_row(browser, finds_missing, tmp_path):
    work = tmp_path / "work"
    work.mkdir()
    install(tmp_path, "pi")
    pi_session(tmp_path, *chain("go on", id="s", cwd=str(work)), id="s")
    pi_session(tmp_path, *chain("lost", id="t", cwd="/gone/for/good"), id="t")
    async with browser(here=str(work)) as ui:
        await ui.until(lambda: " ! lost " in ui.text(), "the mark")
        assert " go on " in ui.text()
        assert "! go on" not in ui.text()


async def test_a_session_in_the_background_is_joined_while_it_runs(browser, tmp_path):
    home = tmp_path / "home"
    work, programs = tmp_path / "work", tmp_path / "programs"
    work.mkdir()
    programs.mkdir()
    install(tmp_path, "claude")
    write(home, line("user", "p1", None, "x", cwd=str(work)))
    with running(programs, "claude", cwd=str(work)) as pid:
        note = home / f".claude/sessions/{pid}.json"
        note.parent.mkdir()
        note.write_text(json.dumps({"pid": pid, "sessionId": "one", "kind": "bg", "jobId": "j1"}))
        async with browser(here=str(work)) as ui:
            await ui.until(lambda: "Enter runs claude attach j1" in ui.text(), "the command")
            await ui.press("ctrl+y")
            assert ui.app.clipboard.endswith("claude attach j1")
            note.unlink()
            await ui.until(lambda: "Enter runs claude --resume one" in ui.text(), "the usual command")
            await ui.press("enter")
            assert ui.app.return_value.argv == ["claude", "--resume", "one"]


async def test_a_toy_agent_resumes_an_example_and_returns(browser, three, monkeypatch):
    shown = []
    monkeypatch.setattr("textual.app.App.suspend", lambda self: nullcontext())
    monkeypatch.setattr("builtins.input", shown.append)
    async with browser() as ui:
        await ui.press("f6")
        await ui.until(lambda: len(ui.listed()) > 10, "the examples")
        await ui.settled()
        title = ui.sessions.row.title
        await ui.press("enter")
        await ui.until(lambda: shown, "the toy agent")
        await ui.settled()
        assert ui.sessions.row.title == title
        assert "Enter runs a toy agent instead of pi in ~/work/shop" in ui.text()
    (text,) = shown
    assert f'Here pi would go on with "{title}"' in text
    assert "pi --session " in text
