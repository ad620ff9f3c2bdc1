"""The palette: what is found in it, and keys and clicks that come faster than it does."""

from __future__ import annotations

import pytest
from textual import events
from textual.command import CommandInput, CommandList, CommandPalette

from app.commands import COMMANDS, command_by_id
from app.view.command_search import palette_description
from tests.ui.conftest import HERE

VERBS = (
    "Begin Change Close Complete Copy Delete Drop Find Fold Go Hide Label Leave Look Make Mark Move Name "
    "Open Pin Search Show Sort Take Unfold"
)
"""With which the sentences begin."""


def is_open(ui):
    return CommandPalette.is_open(ui.app)


def said(id, *, selects=False):
    """What the palette says of a command."""
    command = command_by_id(id)
    return palette_description(command, command.selector if selects else command.help, selects=selects)


def listed(ui):
    return sum(each.option_count for each in ui.screen.query(CommandList))


@pytest.mark.parametrize("selector", [None, ""])
@pytest.mark.parametrize("key", ["pageup", "pagedown", "home", "end", "up", "down", "shift+end"])
async def test_a_key_right_behind_the_one_that_opens_it(browser, three, key, selector):
    async with browser(selector=selector) as ui:
        for each in ("ctrl+k", key):
            ui.app.post_message(events.Key(each, None))
        await ui.until(lambda: is_open(ui) and listed(ui), "the list of commands")


@pytest.mark.parametrize("key", ["pageup", "pagedown"])
async def test_a_page_of_a_list_that_is_not_laid_out_yet(browser, three, key):
    async with browser() as ui:
        await ui.press("ctrl+k")
        await ui.until(lambda: is_open(ui) and listed(ui), "the list of commands")
        options = ui.screen.query_one(CommandList)
        options._clear_caches()
        ui.screen._action_command_list(key.replace("page", "page_"))
        await ui.press("down")
        assert is_open(ui)


@pytest.mark.parametrize("times", [2, 3])
async def test_clicks_beside_it_close_it_once(browser, three, times):
    async with browser() as ui:
        below = ui.app.screen
        await ui.press("ctrl+k")
        await ui.until(lambda: is_open(ui) and listed(ui), "the list of commands")
        palette = ui.screen
        for number in range(times):
            where = {"x": 2, "y": 38, "screen_x": 2, "screen_y": 38, "delta_x": 0, "delta_y": 0}
            palette.post_message(
                events.Click(
                    palette, button=1, shift=False, meta=False, ctrl=False, chain=number + 1, **where
                )
            )
        await ui.until(lambda: ui.app.screen is below, "the screen below")
        assert not ui.app._exit


async def test_escape_twice_closes_it_once(browser, three):
    async with browser() as ui:
        await ui.press("question_mark")
        dialog = ui.screen
        await ui.press("ctrl+k")
        if not is_open(ui):
            ui.app.action_command_palette()
            await ui.pilot.pause()
        palette = ui.screen
        palette._action_escape()
        palette._action_escape()
        await ui.pilot.pause()
        assert ui.screen is dialog


async def test_escape_before_it_is_there(browser, three):
    async with browser() as ui:
        below = ui.screen
        ui.app.action_command_palette()
        ui.screen._action_escape()
        await ui.until(lambda: ui.screen is below, "the screen below")
        await ui.press("f2")
        assert ui.app.theme == "leafmark-light"


async def test_what_is_chosen_twice_is_done_once(browser, three):
    async with browser() as ui:
        done = []
        ui.app.action_toggle_theme = lambda: done.append("theme")
        await ui.press("ctrl+k")
        await ui.until(lambda: is_open(ui) and listed(ui), "the list of commands")
        palette = ui.screen
        options = palette.query_one(CommandList)
        place = next(at for at, option in enumerate(options.options) if "heme" in str(option.hit.text))
        options.highlighted = place
        line = palette.query_one(CommandInput)
        options.action_select()
        for _ in range(2):
            palette.post_message(CommandInput.Submitted(line, ""))
        await ui.until(lambda: done, "the command")
        await ui.pilot.pause()
        assert done == ["theme"]


async def offered(ui, typed):
    """What the palette lists for what is typed, first to last."""
    if not is_open(ui):
        await ui.press("ctrl+k")
        await ui.until(lambda: is_open(ui) and listed(ui), "the list of commands")
    palette, line = ui.screen, ui.screen.query_one(CommandInput)
    line.value = ""
    await ui.pilot.pause()
    line.value = typed
    await ui.pilot.pause()
    await ui.app.workers.wait_for_complete(list(palette.workers))
    options = palette.query_one(CommandList).options
    return [option.hit.text for option in options if hasattr(option, "hit")]


async def test_what_the_footer_says_finds_its_command_first(browser, three):
    async with browser() as ui:
        for label in dict.fromkeys(command.label for command in COMMANDS if command.label):
            called = {said(command.id) for command in COMMANDS if command.label == label}
            found = await offered(ui, label)
            assert set(found[: len(called)]) == called, label


@pytest.mark.parametrize("id", ["tree.problems", "label.list", "session.rename", "app.quit"])
async def test_the_ids_that_it_shows_find_their_commands(browser, three, id):
    async with browser() as ui:
        assert (await offered(ui, id))[0] == said(id)


async def test_letters_of_a_sentence_are_found_behind_words(browser, three):
    async with browser() as ui:
        found = await offered(ui, "raw")
        assert found[0] == said("entry.raw")
        assert len(found) > 1
        assert await offered(ui, "qqqq") == []


async def test_in_the_selector_it_is_searched_by_what_is_said_there(browser, three):
    async with browser(selector="") as ui:
        assert (await offered(ui, "undo"))[0] == said("change.undo")
        assert said("pane.previous", selects=True) in await offered(ui, "preview")
        assert said("entry.raw") not in await offered(ui, "raw")


@pytest.mark.parametrize("selector", [None, ""])
@pytest.mark.parametrize("typed", ["trash", "same", "else"])
async def test_what_is_found_needs_no_row_above_it(browser, three, selector, typed):
    async with browser(selector=selector) as ui:
        offers = await offered(ui, typed)
        assert offers
        for found in offers:
            assert not found.startswith("The same")
            assert "elsewhere" not in found


@pytest.mark.parametrize("selector", [None, ""])
async def test_each_command_is_a_sentence_by_itself(browser, three, selector):
    async with browser(selector=selector) as ui:
        sentences = [command.title for command in ui.app.get_system_commands(ui.screen)]
    assert len(sentences) > 30
    assert [said for said in sentences if said.split()[0] not in VERBS.split()] == []
    # what "it" is has been said before in the same sentence
    assert [said for said in sentences if {"it", "its"} & set(said.split()[:4])] == []


async def test_the_palette_offers_every_command_and_runs_it(browser, three):
    async with browser() as ui:
        every = {command.title for command in ui.app.get_system_commands(ui.screen)}
        assert every == {said(command.id) for command in COMMANDS}
        await ui.press("ctrl+k")
        await ui.until(lambda: is_open(ui) and listed(ui), "the list of commands")
        palette = ui.screen
        await ui.press(*("space" if key == " " else key for key in "Fold every project"))
        await ui.app.workers.wait_for_complete(list(palette.workers))
        await ui.press("enter")
        await ui.until(lambda: ui.listed() == [f"[{HERE}]", "[/work/site]"], "the fold")
