"""Each key of the command table in the selector. Some tests correspond to tests of pi's session picker."""

from __future__ import annotations

import json

import pytest

from app.commands import COMMANDS, RIGHT_PANES, pane_commands, preview_commands
from app.keys import keys_of
from tests.factory import chain, write_session
from tests.ui.conftest import EDIT, HERE, pi_session

OF_THE_LIST = [
    (command, key)
    for pane in ("sessions", "side")
    for command in pane_commands(pane)
    for key in command.keys
    if command.selector
]
OF_THE_LINE = [
    (command, key) for pane in ("filter", "side") for command in pane_commands(pane) for key in command.keys
]

OF_THE_PREVIEW = [(command, key) for command in preview_commands() for key in command.keys]
NOT_OF_THE_PREVIEW = [(command, key) for command, key in OF_THE_LIST if not command.preview]


def record_calls(ui, command, monkeypatch):
    """Replace the command's action; return the list of its calls, and the arguments in the table."""
    called = []
    action, _, arguments = command.action.partition("(")
    owner, _, name = action.rpartition(".")
    owners = {"screen": ui.screen, "beside": ui.screen.beside}
    target = owners.get(owner) or ui.screen.command_target(command.pane)
    assert hasattr(target, f"action_{name}"), command.id
    monkeypatch.setattr(target, f"action_{name}", lambda *values: called.append(values))
    return called, arguments


async def assert_keys_run_commands(ui, pairs):
    """Press each key, and check that the command's action is called as the table says."""
    for command, key in pairs:
        with pytest.MonkeyPatch.context() as monkeypatch:
            called, arguments = record_calls(ui, command, monkeypatch)
            await ui.press(key)
            assert len(called) == 1, (command.id, key)
            first = arguments.rstrip(")").partition(", ")[0]
            assert not arguments or repr(called[0][0]) == first, (command.id, key)


async def test_each_key_of_the_list_runs_its_command(browser, three):
    async with browser(selector="") as ui:
        await ui.press("shift+tab")
        assert ui.focus == "sessions"
        await assert_keys_run_commands(ui, OF_THE_LIST)


async def test_each_key_of_the_search_line_runs_its_command(browser, three):
    async with browser(selector="") as ui:
        await ui.press("x")
        await assert_keys_run_commands(ui, OF_THE_LINE)


async def test_each_key_of_the_preview_runs_its_command(browser, three):
    async with browser(selector="") as ui:
        await ui.press("shift+tab", "shift+tab")
        assert ui.focus == "preview"
        await assert_keys_run_commands(ui, OF_THE_PREVIEW)


async def test_commands_about_rows_do_not_run_in_the_preview(browser, three, monkeypatch):
    async with browser(selector="") as ui:
        await ui.press("shift+tab", "shift+tab")
        for command, key in NOT_OF_THE_PREVIEW:
            called, _ = record_calls(ui, command, monkeypatch)
            await ui.press(key)
            assert ui.focus == "preview"
            assert called == [], (command, key)


async def test_the_footer_has_the_keys_of_the_preview(browser, three):
    async with browser(selector="", size=(160, 40)) as ui:
        await ui.press("shift+tab")
        in_list = ui.text().splitlines()[-1]
        await ui.pilot.click("#preview", offset=(3, 1))
        assert ui.focus == "preview"
        footer = ui.text().splitlines()[-1]
        assert "Enter resume  / search  t tree  Ctrl+R rename  Ctrl+D trash" in footer
        assert footer.split() == [
            word for word in in_list.split() if word not in ("Space", "mark", "v", "read")
        ]
        await ui.press("question_mark", "tab")
        help_text = " ".join(str(ui.screen.query_one("#keys Static").content).split())
        assert "Go to the search line, the list or the preview" in help_text


async def test_the_preview_of_a_project_has_no_keys_about_a_session(browser, three):
    async with browser(selector="") as ui:
        await ui.press("shift+tab", "full_stop", "s", "O", "home", "shift+tab")
        assert (ui.focus, ui.sessions.row, ui.sessions.group is None) == ("preview", None, False)
        footer = ui.text().splitlines()[-1]
        assert not any(label in footer for label in ("Enter", "rename", "trash", "pin", "mark"))
        assert "/ search" in footer
        before = ui.listed()
        await ui.press("enter")
        assert ui.listed() == before, "no fold under the eye of who reads"


async def test_renaming_from_the_preview_keeps_the_focus_there(browser, three):
    async with browser(selector="") as ui:
        await ui.press("down", "shift+tab", "shift+tab", "ctrl+r", *"read", "enter")
        await ui.until(lambda: ui.sessions.row.name == "read", "the name")
        assert (ui.focus, ui.sessions.row.id) == ("preview", "plain")


async def test_the_help_has_every_command_with_its_keys(browser, three):
    async with browser(selector="") as ui:
        await ui.press("f1", "tab")
        assert ui.is_in("Help")
        pages = [str(ui.screen.query_one("#keys Static").content)]
        await ui.press("tab", "tab")
        pages.append(str(ui.screen.query_one("#keys Static").content))
        help_text = " ".join(" ".join(pages).split())
        for command in COMMANDS:
            selector = ui.app.screen_stack[0]
            if not selector.offers(command):
                assert command.pane in ("app", *RIGHT_PANES) or not command.selector
                continue
            assert selector.help_of(command) in help_text
            assert keys_of(command) in help_text
        await ui.press("escape")
        assert ui.selects


async def test_footer_and_help_agree_about_tab_in_the_selector(browser, three):
    async with browser(selector="") as ui:
        await ui.press("shift+tab")
        assert "Tab all folders" in ui.text().splitlines()[-1]
        await ui.press("tab")
        await ui.until(lambda: "Tab this folder" in ui.text().splitlines()[-1], "the other scope")
        assert "Tab pane" not in ui.text()
        await ui.press("question_mark", "tab")
        help_text = " ".join(str(ui.screen.query_one("#keys Static").content).split())
        assert "Tab Switch between this folder and all folders" in help_text
        assert "Next pane" not in help_text
    async with browser() as ui:
        assert "Tab pane" in ui.text().splitlines()[-1]


# actions


async def test_a_cycles_the_agents(browser, three, tmp_path):
    write_session(
        tmp_path / "home/.omp/agent/sessions/-work-app/2026_omp1.jsonl", *chain("of omp", "x", id="omp1")
    )
    async with browser(selector="") as ui:
        await ui.press("shift+tab", "a")
        assert ui.listed() == ["omp1"]
        await ui.press("a")
        assert sorted(ui.listed()) == ["branchy", "plain"]
        await ui.press("a")
        assert len(ui.listed()) == 3


async def test_enter_resumes_the_session_from_every_pane(browser, tmp_path):
    work, program = tmp_path / "work", tmp_path / "bin" / "pi"
    for folder in (work, program.parent):
        folder.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    path = pi_session(tmp_path, *chain("go on", "yes", id="s", cwd=str(work)), id="s")
    for keys in (["enter"], ["shift+tab", "enter"], ["shift+tab", "shift+tab", "home", "enter"]):
        async with browser(selector="", here=str(work)) as ui:
            await ui.press(*keys)
            assert ui.app.return_value.argv == ["pi", "--session", str(path)]


async def test_copies_in_the_selector(browser, three):
    async with browser(selector="") as ui:
        path = str(ui.path("branchy"))
        await ui.press("ctrl+y")
        assert path in ui.app.clipboard
        assert 'Copied the command of "Refactor auth"' in ui.toasts()
        await ui.press("shift+tab", "y", "y")
        assert ui.app.clipboard == "branchy"
        await ui.press("Y")
        assert ui.app.clipboard == path


async def test_forks_in_the_selector(browser, three, tmp_path):
    target = tmp_path / "other"
    target.mkdir()
    async with browser(selector="") as ui:
        await ui.press("shift+tab", "f")
        await ui.until(lambda: len(ui.listed()) == 3, "the fork")
        await ui.until(lambda: ui.sessions.row.id != "branchy", "the cursor on the fork")
        await ui.press("F")
        assert ui.is_in("Folder")
        await ui.press("ctrl+u", *str(target), "enter")
        await ui.until(lambda: any("Forked" in toast for toast in ui.toasts()), "the other fork")
        await ui.press("full_stop", "s")
        await ui.until(lambda: len(ui.listed()) == 5, "both")
        heads = [json.loads(path.open().readline()) for path in (tmp_path / "home").rglob("*.jsonl")]
        assert str(target) in [head["cwd"] for head in heads]


@pytest.mark.parametrize("way", [{"selector": ""}, {}], ids=["selector", "browser"])
async def test_a_session_that_cannot_be_renamed_says_why_and_has_no_key(browser, three, tmp_path, way):
    write_session(
        tmp_path / "home/.config/agent/sessions/20260501-100000-abcdef12.jsonl",
        {
            "id": "abcdef12-0000-4000-8000-000000000000",
            "agent": "a",
            "model": "m",
            "provider": "p",
            "cwd": HERE,
            "created": "2026-05-01T10:00:00Z",
            "name": "",
            "version": 1,
            "type": "session",
            "timestamp": "2026-05-01T10:00:00Z",
        },
        {
            "type": "message",
            "id": "m1",
            "timestamp": "2026-05-01T20:00:01Z",
            "message": {"role": "user", "content": [{"type": "text", "text": "plain agent"}]},
        },
    )
    async with browser(**way) as ui:
        await ui.until(lambda: "agent" in {row.agent for row in ui.sessions.model.rows()}, "its session")
        agents = [line.row.agent if line.row else "" for line in ui.sessions.model.lines]
        await ui.press(*["pageup"] * 2, *["down"] * agents.index("agent"))
        assert "Ctrl+R rename" not in ui.text()
        await ui.press("ctrl+r")
        assert not ui.is_in(EDIT)
        assert any("nickcecere/agent" in toast for toast in ui.toasts())
        await ui.press("up" if ui.sessions.cursor else "down")
        await ui.until(lambda: ui.sessions.row is None or "Ctrl+R rename" in ui.text(), "the key")


async def test_several_sessions_are_pinned_and_unpinned_at_once(browser, three):
    async with browser(selector="") as ui:
        await ui.press("shift+tab", "asterisk", "p")
        await ui.until(lambda: ui.text().count("★") == 2, "the pins")
        await ui.press("asterisk", "p")
        await ui.until(lambda: "★" not in ui.text(), "their end")
        await ui.press("ctrl+underscore")
        await ui.until(lambda: ui.text().count("★") == 2, "the pins again")
