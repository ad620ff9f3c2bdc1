"""Commands on the screen: key bindings, help, leaving, and the theme."""

from __future__ import annotations

import pytest

from app.commands import COMMANDS
from app.dialogs.questions import HelpDialog
from app.keys import keys_of
from app.screens.browser import BrowserScreen


async def test_every_key_is_bound_to_its_pane(browser, three):
    async with browser() as ui:
        widgets = {
            "sessions": ui.sessions,
            "tree": ui.tree,
            "entry": ui.entry,
            "app": ui.screen,
            "list": ui.tree,
            "filter": ui.screen.query_one("#filter"),
            "side": ui.screen.sessions_pane,
        }
        for command in COMMANDS:
            bound = widgets[command.pane]._bindings.key_to_bindings
            for key in command.keys:
                assert any(binding.id == command.id for binding in bound.get(key, [])), (command.id, key)


async def test_help_shows_every_command_and_closes(browser, three):
    async with browser(size=(120, 140)) as ui:
        await ui.press("question_mark")
        assert isinstance(ui.screen, HelpDialog)
        text = ui.text()
        assert [command.help for command in COMMANDS if command.help[:40] not in text] == []
        await ui.press("escape")
        assert isinstance(ui.screen, BrowserScreen)
        await ui.press("f1", "q")
        assert isinstance(ui.screen, BrowserScreen)


@pytest.mark.parametrize("width", [60, 80])
async def test_the_second_line_of_a_help_text_is_indented_like_the_first(browser, three, width):
    async with browser(size=(width, 160)) as ui:
        await ui.press("question_mark")
        await ui.pilot.pause()
        lines = ui.text().splitlines()
        number = next(number for number, line in enumerate(lines) if "Mark the session" in line)
        start = lines[number].index("Mark the session")
        assert not lines[number + 1][:start].strip(" │")
        assert lines[number + 1][start].isalpha()


async def test_help_separates_keys_from_texts(browser, three, tmp_path):
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "config.toml").write_text('[keys]\n"session.tree" = "t,f7,f8,ctrl+g,alt+t,T"')
    async with browser(size=(100, 160)) as ui:
        await ui.press("question_mark")
        await ui.pilot.pause()
        lines = ui.text().splitlines()
        starts = set()
        for command in COMMANDS:
            number, line = next(
                (number, line) for number, line in enumerate(lines) if command.help[:30] in line
            )
            starts.add(line.index(command.help[:30]))
            keys, before_text = keys_of(command), line[: line.index(command.help[:30])]
            assert before_text.endswith("  ")
            assert keys in before_text or keys in lines[number - 1]
        assert len(starts) == 1


@pytest.mark.parametrize("key", ["q", "ctrl+q", "ctrl+c"])
async def test_keys_that_leave(browser, three, key):
    async with browser() as ui:
        await ui.press(key)
        assert ui.app._exit
        assert ui.app.return_value is None


async def test_ctrl_q_leaves_from_the_filter_and_from_a_dialog(browser, three):
    async with browser() as ui:
        await ui.press("slash", "ctrl+q")
        assert ui.app._exit
    async with browser() as ui:
        await ui.press("question_mark", "ctrl+q")
        assert ui.app._exit


async def test_the_theme_changes_and_is_remembered(browser, three):
    async with browser() as ui:
        await ui.press("f2")
        assert ui.app.theme == "leafmark-light"
    async with browser() as ui:
        assert ui.app.theme == "leafmark-light"
        await ui.press("f2")
        assert ui.app.theme == "leafmark-dark"
