"""Commands on the screen: key bindings, help, leaving, and the theme."""

from __future__ import annotations

import pytest
from textual.actions import parse

from app.commands import COMMANDS
from app.keys import keys_of

pytestmark = pytest.mark.usefixtures("tree_shown")


async def test_every_key_is_bound_to_its_pane(browser, three):
    async with browser() as ui:
        widgets = {
            "sessions": ui.sessions,
            "tree": ui.tree,
            "right": ui.screen.query_one("#right"),
            "app": ui.screen,
            "list": ui.tree,
            "filter": ui.screen.query_one("#filter"),
            "side": ui.screen.sessions_pane,
            "transcript": ui.screen.query_one("#transcript"),
            "project": ui.screen.beside.project_pane.lines,
        }
        for command in COMMANDS:
            bound = widgets[command.pane]._bindings.key_to_bindings
            for key in command.keys:
                assert any(binding.id == command.id for binding in bound.get(key, [])), (command.id, key)


async def test_every_command_that_names_a_method_names_one_that_is_there(browser, three):
    async with browser() as ui:
        screen = ui.screen
        methods = {
            "act": (screen.actions, ""),
            "at_entry": (screen.beside.entry_actions, ""),
            "show_place": (screen.places, "show_"),
            "in_tree": (ui.tree, "action_"),
        }
        named = set()
        for command in COMMANDS:
            owner, action, parameters = parse(command.action)
            assert owner != "beside" or hasattr(screen.beside, f"action_{action}"), command.id
            if action in methods:
                owner, prefix = methods[action]
                assert callable(getattr(owner, f"{prefix}{parameters[0]}", None)), command.id
                named.add(action)
        assert named == set(methods)


async def test_help_shows_every_command_and_closes(browser, three):
    async with browser(size=(120, 140)) as ui:
        await ui.press("question_mark", "tab")
        assert ui.is_in("Help")
        text = str(ui.screen.query_one("#help-text").content)
        assert "Tree filter: prompts only" not in text
        await ui.press("tab", "tab")
        text += str(ui.screen.query_one("#help-text").content)
        # The palette alone has the commands without a key.
        for command in filter(keys_of, COMMANDS):
            assert command.help[:40] in text, command.id
            assert keys_of(command) in text, command.id
        await ui.press("escape")
        assert not ui.screen.is_modal
        await ui.press("f1", "q")
        assert not ui.screen.is_modal


@pytest.mark.parametrize("keys", ["q", "ctrl+q", "ctrl+c", "slash ctrl+q", "question_mark ctrl+q"])
async def test_keys_that_leave(browser, three, keys):
    async with browser() as ui:
        await ui.press(*keys.split())
        assert ui.has_ended
        assert ui.app.return_value is None


async def test_the_theme_changes_and_is_remembered(browser, three):
    async with browser() as ui:
        await ui.press("f2", "down")
        await ui.until(lambda: ui.app.theme == "leafmark-light", "the preview")
        assert "leafmark dark   (now)" in ui.text()
        await ui.press("enter")
    async with browser() as ui:
        assert ui.app.theme == "leafmark-light"
        await ui.press("f2", "down")
        await ui.until(lambda: ui.app.theme == "leafmark-high-contrast", "the preview")
        await ui.press("escape")
        assert ui.app.theme == "leafmark-light"


async def test_prompts_of_the_pane_beside_are_visited_from_the_list(browser, three):
    async with browser() as ui:
        for key, prompt in (("[", "use redis"), ("[", "fix the login"), ("]", "use redis")):
            await ui.press(key)
            assert ui.focus == "sessions"
            placed = ui.transcript.transcript.placed
            assert placed.block.text or placed.block.lines[-1].text.strip("▌ ") == prompt


async def test_details_are_reached_from_the_transcript(browser, three):
    async with browser() as ui:
        await ui.press("v")
        await ui.until(lambda: "prompt 2 of 2" in ui.text(), "the transcript")
        await ui.press("i")
        assert ui.focus == "entry"
        await ui.until(lambda: "role    assistant" in ui.text(), "the details")
