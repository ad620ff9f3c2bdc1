"""The palette: which commands it finds, and keys and clicks that are faster than it."""

from __future__ import annotations

import pytest
from textual import events
from textual.command import CommandInput, CommandList, CommandPalette

from app.commands import COMMANDS, command_by_id
from tests.ui.conftest import HERE

VERBS = (
    "Begin Change Close Complete Copy Delete Drop Find Fold Go Hide Label Leave Look Make Mark Move Name "
    "Open Pin Search Show Sort Take Unfold"
)
"""The verbs with which the descriptions begin."""


def is_open(ui):
    return CommandPalette.is_open(ui.app)


def description(id, *, selects=False):
    """The palette's description of a command."""
    command = command_by_id(id)
    return command.selector if selects else command.help


def listed_count(ui):
    return sum(command_list.option_count for command_list in ui.screen.query(CommandList))


@pytest.mark.parametrize("selector", [None, ""])
@pytest.mark.parametrize("key", ["pageup", "pagedown", "home", "end", "up", "down", "shift+end"])
async def test_a_key_right_after_the_one_that_opens_the_palette(browser, three, key, selector):
    async with browser(selector=selector) as ui:
        for pressed in ("ctrl+k", key):
            ui.app.post_message(events.Key(pressed, None))
        await ui.until(lambda: is_open(ui) and listed_count(ui), "the list of commands")


@pytest.mark.parametrize("key", ["pageup", "pagedown"])
async def test_a_page_key_before_the_list_is_laid_out(browser, three, key):
    async with browser() as ui:
        await ui.press("ctrl+k")
        await ui.until(lambda: is_open(ui) and listed_count(ui), "the list of commands")
        options = ui.screen.query_one(CommandList)
        options._clear_caches()
        ui.screen._action_command_list(key.replace("page", "page_"))
        await ui.press("down")
        assert is_open(ui)


@pytest.mark.parametrize("times", [2, 3])
async def test_clicks_beside_the_palette_close_it_once(browser, three, times):
    async with browser() as ui:
        below = ui.app.screen
        await ui.press("ctrl+k")
        await ui.until(lambda: is_open(ui) and listed_count(ui), "the list of commands")
        palette = ui.screen
        for number in range(times):
            position = {"x": 2, "y": 38, "screen_x": 2, "screen_y": 38, "delta_x": 0, "delta_y": 0}
            palette.post_message(
                events.Click(
                    palette, button=1, shift=False, meta=False, ctrl=False, chain=number + 1, **position
                )
            )
        await ui.until(lambda: ui.app.screen is below, "the screen below")
        assert not ui.app._exit


async def test_two_escapes_close_the_palette_once(browser, three):
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


async def test_escape_before_the_palette_is_open(browser, three):
    async with browser() as ui:
        below = ui.screen
        ui.app.action_command_palette()
        ui.screen._action_escape()
        await ui.until(lambda: ui.screen is below, "the screen below")
        await ui.press("f2")
        assert ui.app.theme == "leafmark-light"


async def test_a_command_chosen_twice_runs_once(browser, three):
    async with browser() as ui:
        done = []
        ui.app.action_toggle_theme = lambda: done.append("theme")
        await ui.press("ctrl+k")
        await ui.until(lambda: is_open(ui) and listed_count(ui), "the list of commands")
        palette = ui.screen
        options = palette.query_one(CommandList)
        index = next(
            index_ for index_, option in enumerate(options.options) if "heme" in str(option.hit.text)
        )
        options.highlighted = index
        line = palette.query_one(CommandInput)
        options.action_select()
        for _ in range(2):
            palette.post_message(CommandInput.Submitted(line, ""))
        await ui.until(lambda: done, "the command")
        await ui.pilot.pause()
        assert done == ["theme"]


async def offered(ui, typed):
    """The commands that the palette lists for a text, in order."""
    if not is_open(ui):
        await ui.press("ctrl+k")
        await ui.until(lambda: is_open(ui) and listed_count(ui), "the list of commands")
    palette, line = ui.screen, ui.screen.query_one(CommandInput)
    line.value = ""
    await ui.pilot.pause()
    line.value = typed
    await ui.pilot.pause()
    await ui.app.workers.wait_for_complete(list(palette.workers))
    options = palette.query_one(CommandList).options
    return [option.hit.text for option in options if hasattr(option, "hit")]


async def test_a_label_of_the_footer_finds_its_command_first(browser, three):
    async with browser() as ui:
        for label in dict.fromkeys(command.label for command in COMMANDS if command.label):
            wanted = {description(command.id) for command in COMMANDS if command.label == label}
            offers = await offered(ui, label)
            assert set(offers[: len(wanted)]) == wanted, label


@pytest.mark.parametrize("id", ["tree.problems", "label.list", "session.rename", "app.quit"])
async def test_a_command_is_found_by_its_id(browser, three, id):
    async with browser() as ui:
        assert (await offered(ui, id))[0] == description(id)


async def test_matches_inside_words_come_after_whole_words(browser, three):
    async with browser() as ui:
        offers = await offered(ui, "raw")
        assert offers[0] == description("entry.raw")
        assert len(offers) > 1
        assert await offered(ui, "qqqq") == []


async def test_in_the_selector_its_own_descriptions_are_searched(browser, three):
    async with browser(selector="") as ui:
        assert (await offered(ui, "undo"))[0] == description("change.undo")
        assert description("pane.previous", selects=True) in await offered(ui, "preview")
        assert description("entry.raw") not in await offered(ui, "raw")


@pytest.mark.parametrize("selector", [None, ""])
@pytest.mark.parametrize("typed", ["trash", "same", "else"])
async def test_no_description_refers_to_another(browser, three, selector, typed):
    async with browser(selector=selector) as ui:
        offers = await offered(ui, typed)
        assert offers
        for offer in offers:
            assert not offer.startswith("The same")
            assert "elsewhere" not in offer


@pytest.mark.parametrize("selector", [None, ""])
async def test_each_description_is_a_complete_sentence(browser, three, selector):
    async with browser(selector=selector) as ui:
        sentences = [command.title for command in ui.app.get_system_commands(ui.screen)]
    assert len(sentences) > 30
    assert [sentence for sentence in sentences if sentence.split()[0] not in VERBS.split()] == []
    # "it" needs a noun before it in the same sentence
    assert [sentence for sentence in sentences if {"it", "its"} & set(sentence.split()[:4])] == []


async def test_the_palette_offers_every_command_and_runs_it(browser, three):
    async with browser() as ui:
        every = {command.title for command in ui.app.get_system_commands(ui.screen)}
        assert every == {description(command.id) for command in COMMANDS}
        await ui.press("ctrl+k")
        await ui.until(lambda: is_open(ui) and listed_count(ui), "the list of commands")
        palette = ui.screen
        await ui.press(*("space" if key == " " else key for key in "Fold all projects"))
        await ui.app.workers.wait_for_complete(list(palette.workers))
        await ui.press("enter")
        await ui.until(lambda: ui.listed() == [f"[{HERE}]", "[/work/site]"], "the fold")
