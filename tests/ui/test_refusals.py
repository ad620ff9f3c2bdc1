"""Keys that cannot do what they stand for say why, and questions with several answers do what was chosen."""

from __future__ import annotations

import json
import os
from threading import Event

import pytest
from leafmark import Index

from tests.claude_lines import line, write
from tests.factory import chain, message
from tests.holding import held, running
from tests.ui.conftest import asked, install, pi_session

on_proc = pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="only /proc shows who runs")


@pytest.fixture
def programs(tmp_path):
    """A folder for the programs that a test runs."""
    folder = tmp_path / "running"
    folder.mkdir()
    return folder


@pytest.fixture
def work(tmp_path):
    """A folder for sessions, with pi and Claude Code installed."""
    install(tmp_path, "pi", "claude")
    folder = tmp_path / "work"
    folder.mkdir()
    return folder


def write_pi(tmp_path, cwd, *ids):
    """Sessions of pi in that folder, whose first prompt is their id."""
    return [pi_session(tmp_path, *chain(id, "yes", id=id, cwd=str(cwd)), id=id) for id in ids]


async def test_an_index_that_fails_is_in_the_header_and_in_a_message(browser, three, monkeypatch):
    def fail(*arguments, **options):
        raise RuntimeError("no space left")

    monkeypatch.setattr(Index, "watch", fail)
    async with browser(settle=False) as ui:
        await ui.until(lambda: any("no space left" in toast for toast in ui.toasts()), "the message")
        assert "no space left" in ui.text().splitlines()[0]


async def test_an_index_that_fails_below_another_screen_is_reported_there(browser, three, monkeypatch):
    fails, watch = Event(), Index.watch

    def fail_later(index, on_delta, stop):
        watch(index, on_delta, fails)
        raise RuntimeError("no space left")

    monkeypatch.setattr(Index, "watch", fail_later)
    async with browser(selector="") as ui:
        await ui.press("shift+tab", "t")
        await ui.until(lambda: not ui.selects, "the browser")
        await ui.settled()
        fails.set()
        await ui.until(lambda: "no space left" in ui.text().splitlines()[0], "the header")


async def test_an_entry_without_an_id_can_only_be_read(browser, tmp_path):
    nameless = message("x", "00000002", "user", "has no id", 9)
    del nameless["id"]
    pi_session(tmp_path, *chain("one", "two", id="s"), nameless, id="s")
    async with browser() as ui:
        await ui.go_to_entry("has no id")
        for key in ("L", "f", "F"):
            await ui.press(key)
            assert "have no ids: nothing can be done to one of them" in ui.toasts()[-1]
            assert len(ui.app.screen_stack) == 1


async def test_a_session_without_forks_says_so(browser, three):
    async with browser() as ui:
        await ui.press("o")
        assert ui.toasts() == ["Nowhere to go: no fork"]


async def test_the_same_name_and_the_same_label_are_not_written(browser, three):
    async with browser() as ui:
        before = ui.path("branchy").read_bytes()
        await ui.press("ctrl+r", "enter")
        await ui.go_to_entry("use redis")
        await ui.press("L", "enter")
        await ui.press("L", *"x", "escape")
        assert len(ui.app.screen_stack) == 1
        assert ui.path("branchy").read_bytes() == before


async def test_enter_beside_other_marks_asks_whether_to_resume_only_this_one(browser, tmp_path, work):
    first, second = write_pi(tmp_path, work, "first", "second")
    async with browser(here=str(work)) as ui:
        ui.sessions.go_to(str(second))
        await ui.press("space")
        ui.sessions.go_to(str(first))
        await ui.settled()
        await ui.press("enter")
        assert asked(ui)[0] == 'Resume only "first"?'
        await ui.press("escape")
        assert not ui.has_ended
        await ui.press("enter", "enter")
        await ui.until(lambda: ui.has_ended, "the plan")
        assert ui.app.return_value.argv == ["pi", "--session", str(first)]


@on_proc
@pytest.mark.parametrize("answer", ["keep", "others", "trash"])
async def test_of_marked_sessions_those_that_no_agent_has_open_can_be_trashed_alone(
    browser, tmp_path, work, programs, answer
):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (maybe,) = write_pi(tmp_path, work, "maybe")
    (idle,) = write_pi(tmp_path, elsewhere, "idle")
    (live,) = write_pi(tmp_path, elsewhere, "live")
    with running(programs, "pi", cwd=str(work)), held(str(live), programs, "omp") as pid:
        async with browser(here=str(work)) as ui:
            await ui.until(lambda: set(ui.sessions.states.values()) == {"maybe", "live"}, "the states")
            for path in (maybe, idle, live):
                ui.sessions.go_to(str(path))
                await ui.press("space")
            await ui.press("ctrl+d")
            assert ui.is_in("This session may be open")
            await ui.press(*["down"] * ["keep", "others", "trash"].index(answer), "enter")
            gone = {"keep": [], "others": [idle], "trash": [idle, maybe]}[answer]
            await ui.until(lambda: not [path for path in gone if path.exists()], "the trash")
            assert [path for path in (maybe, idle, live) if not path.exists()] == [
                path for path in (maybe, idle) if path in gone
            ]
            assert any(f"Not trashed: process {pid} (omp) has it open" in toast for toast in ui.toasts())


@on_proc
async def test_what_enter_asks_depends_on_what_the_agent_can_do(browser, tmp_path, work, programs):
    (path,) = write_pi(tmp_path, work, "open")
    lines = [line("user", "p", None, "hello"), line("assistant", "a", "p", "yes")]
    lines = [each.replace('"/work/app"', json.dumps(str(work))) for each in lines]
    claude = write(tmp_path / "home", *lines)
    with held(str(path), programs, "pi") as pi, held(str(claude), programs, "claude") as other:
        async with browser(here=str(work), size=(160, 40)) as ui:
            await ui.until(lambda: len(ui.sessions.states) == 2, "the states")
            ui.sessions.go_to(str(path))
            await ui.until(lambda: f"● Open in pi (pid {pi})." in ui.text(), "the state")
            assert "Enter asks: fork, read, cancel." in ui.text()
            ui.sessions.go_to(str(claude))
            await ui.until(lambda: f"(pid {other})." in ui.text(), "the state of the other one")
            assert "Enter asks: read, cancel." in ui.text()
            await ui.press("enter")
            assert ui.is_in("This session is open")
            words = ui.text()
            assert "Read " in words
            assert "Fork " not in words


async def test_a_summary_command_that_fails_comes_back_with_what_was_typed(browser, tmp_path, work):
    (tmp_path / "config").mkdir()
    (tmp_path / "config/config.toml").write_text('summary_command = ["/bin/false"]\n')
    lines = chain("one", "two", "three", id="s", cwd=str(work))
    path = pi_session(tmp_path, *lines, message("e", "00000001", "user", "four", 9), id="s")
    before = path.read_bytes()
    async with browser(here=str(work)) as ui:
        await ui.go_to_entry("three")
        await ui.press("shift+enter")
        await ui.until(lambda: ui.is_in("Continue from here"), "the dialog")
        await ui.press(*"!", "ctrl+s")
        await ui.until(lambda: any("failed with exit code 1" in toast for toast in ui.toasts()), "the reason")
        await ui.until(lambda: ui.is_in("Continue from here"), "the dialog again")
        assert ui.screen.query_one("#prompt").text == "three!"
    assert path.read_bytes() == before


async def test_without_its_program_the_prompt_is_left_as_a_draft(browser, tmp_path):
    work = tmp_path / "work"
    work.mkdir()
    root = tmp_path / "home/.omp/agent/sessions/-work"
    root.mkdir(parents=True)
    path = root / "2026_s.jsonl"
    lines = chain("one", "two", "three", "four", id="s", cwd=str(work))
    path.write_text("".join(json.dumps(each) + "\n" for each in lines))
    async with browser(here=str(work)) as ui:
        await ui.go_to_entry("three")
        await ui.press("enter")
        await ui.until(lambda: ui.is_in("Continue from here"), "the dialog")
        await ui.press("!")
        ui.screen.query_one("#where").focus()
        await ui.press("right", "ctrl+s")
        draft = path.with_suffix("") / "draft.txt"
        await ui.until(draft.exists, "the draft")
        await ui.until(lambda: draft.read_text() == "three!", "its text")
        assert not ui.has_ended


async def test_marks_end_with_the_action(browser, three):
    async with browser() as ui:
        await ui.press("space", "space", "p")
        await ui.until(lambda: ui.text().count("★") >= 2, "the pins")
        await ui.until(
            lambda: not ui.screen.model.marked and "marked" not in ui.text(), "the end of the marks"
        )
