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


def is_open(it):
    return CommandPalette.is_open(it.app)


def said(id, *, selects=False):
    """What the palette says of a command."""
    command = command_by_id(id)
    return palette_description(command, command.selector if selects else command.help, selects=selects)


def listed(it):
    return sum(each.option_count for each in it.screen.query(CommandList))


@pytest.mark.parametrize("selector", [None, ""])
@pytest.mark.parametrize("key", ["pageup", "pagedown", "home", "end", "up", "down", "shift+end"])
async def test_a_key_right_behind_the_one_that_opens_it(browser, three, key, selector):
    async with browser(selector=selector) as it:
        for each in ("ctrl+k", key):
            it.app.post_message(events.Key(each, None))
        await it.until(lambda: is_open(it) and listed(it), "the list of commands")


@pytest.mark.parametrize("key", ["pageup", "pagedown"])
async def test_a_page_of_a_list_that_is_not_laid_out_yet(browser, three, key):
    async with browser() as it:
        await it.press("ctrl+k")
        await it.until(lambda: is_open(it) and listed(it), "the list of commands")
        options = it.screen.query_one(CommandList)
        options._clear_caches()
        it.screen._action_command_list(key.replace("page", "page_"))
        await it.press("down")
        assert is_open(it)


@pytest.mark.parametrize("times", [2, 3])
async def test_clicks_beside_it_close_it_once(browser, three, times):
    async with browser() as it:
        below = it.app.screen
        await it.press("ctrl+k")
        await it.until(lambda: is_open(it) and listed(it), "the list of commands")
        palette = it.screen
        for number in range(times):
            where = {"x": 2, "y": 38, "screen_x": 2, "screen_y": 38, "delta_x": 0, "delta_y": 0}
            palette.post_message(
                events.Click(
                    palette, button=1, shift=False, meta=False, ctrl=False, chain=number + 1, **where
                )
            )
        await it.until(lambda: it.app.screen is below, "the screen below")
        assert not it.app._exit


async def test_escape_twice_closes_it_once(browser, three):
    async with browser() as it:
        await it.press("question_mark")
        dialog = it.screen
        await it.press("ctrl+k")
        if not is_open(it):
            it.app.action_command_palette()
            await it.pilot.pause()
        palette = it.screen
        palette._action_escape()
        palette._action_escape()
        await it.pilot.pause()
        assert it.screen is dialog


async def test_escape_before_it_is_there(browser, three):
    async with browser() as it:
        below = it.screen
        it.app.action_command_palette()
        it.screen._action_escape()
        await it.until(lambda: it.screen is below, "the screen below")
        await it.press("f2")
        assert it.app.theme == "leafmark-light"


async def test_what_is_chosen_twice_is_done_once(browser, three):
    async with browser() as it:
        done = []
        it.app.action_toggle_theme = lambda: done.append("theme")
        await it.press("ctrl+k")
        await it.until(lambda: is_open(it) and listed(it), "the list of commands")
        palette = it.screen
        options = palette.query_one(CommandList)
        place = next(at for at, option in enumerate(options.options) if "heme" in str(option.hit.text))
        options.highlighted = place
        line = palette.query_one(CommandInput)
        options.action_select()
        for _ in range(2):
            palette.post_message(CommandInput.Submitted(line, ""))
        await it.until(lambda: done, "the command")
        await it.pilot.pause()
        assert done == ["theme"]


async def offered(it, typed):
    """What the palette lists for what is typed, first to last."""
    if not is_open(it):
        await it.press("ctrl+k")
        await it.until(lambda: is_open(it) and listed(it), "the list of commands")
    palette, line = it.screen, it.screen.query_one(CommandInput)
    line.value = ""
    await it.pilot.pause()
    line.value = typed
    await it.pilot.pause()
    await it.app.workers.wait_for_complete(list(palette.workers))
    options = palette.query_one(CommandList).options
    return [option.hit.text for option in options if hasattr(option, "hit")]


async def test_what_the_footer_says_finds_its_command_first(browser, three):
    async with browser() as it:
        for label in dict.fromkeys(command.label for command in COMMANDS if command.label):
            called = {said(command.id) for command in COMMANDS if command.label == label}
            found = await offered(it, label)
            assert set(found[: len(called)]) == called, label


@pytest.mark.parametrize("id", ["tree.problems", "label.list", "session.rename", "app.quit"])
async def test_the_ids_that_it_shows_find_their_commands(browser, three, id):
    async with browser() as it:
        assert (await offered(it, id))[0] == said(id)


async def test_letters_of_a_sentence_are_found_behind_words(browser, three):
    async with browser() as it:
        found = await offered(it, "raw")
        assert found[0] == said("entry.raw")
        assert len(found) > 1
        assert await offered(it, "qqqq") == []


async def test_in_the_selector_it_is_searched_by_what_is_said_there(browser, three):
    async with browser(selector="") as it:
        assert (await offered(it, "undo"))[0] == said("change.undo")
        assert said("pane.previous", selects=True) in await offered(it, "preview")
        assert said("entry.raw") not in await offered(it, "raw")


@pytest.mark.parametrize("selector", [None, ""])
@pytest.mark.parametrize("typed", ["trash", "same", "else"])
async def test_what_is_found_needs_no_row_above_it(browser, three, selector, typed):
    async with browser(selector=selector) as it:
        offers = await offered(it, typed)
        assert offers
        for found in offers:
            assert not found.startswith("The same")
            assert "elsewhere" not in found


@pytest.mark.parametrize("selector", [None, ""])
async def test_each_command_is_a_sentence_by_itself(browser, three, selector):
    async with browser(selector=selector) as it:
        sentences = [command.title for command in it.app.get_system_commands(it.screen)]
    assert len(sentences) > 30
    assert [said for said in sentences if said.split()[0] not in VERBS.split()] == []
    # what "it" is has been said before in the same sentence
    assert [said for said in sentences if {"it", "its"} & set(said.split()[:4])] == []


async def test_the_palette_offers_every_command_and_runs_it(browser, three):
    async with browser() as it:
        every = {command.title for command in it.app.get_system_commands(it.screen)}
        assert every == {said(command.id) for command in COMMANDS}
        await it.press("ctrl+k")
        await it.until(lambda: is_open(it) and listed(it), "the list of commands")
        palette = it.screen
        await it.press(*("space" if key == " " else key for key in "Fold every project"))
        await it.app.workers.wait_for_complete(list(palette.workers))
        await it.press("enter")
        await it.until(lambda: it.listed() == [f"[{HERE}]", "[/work/site]"], "the fold")
