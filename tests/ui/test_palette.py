"""The palette: what it lists, finds and runs."""

from __future__ import annotations

from app.commands import command_by_id
from tests.ui.conftest import HERE


async def open_palette(ui):
    await ui.press("ctrl+k")
    await ui.until(lambda: ui.is_in("Commands") and offers(ui), "the palette")


def offers(ui):
    return [offer for offer in ui.screen.query_one("#palette-list").items if offer is not None]


def listed(ui):
    """The commands that are listed, by id."""
    return [offer.command.id for offer in offers(ui) if hasattr(offer, "command")]


async def find(ui, typed):
    if not ui.is_in("Commands"):
        await open_palette(ui)
    line = ui.screen.query_one("#palette-line")
    line.value = typed
    await ui.pilot.pause()
    return listed(ui)


async def test_one_sentence_is_listed_once_and_nothing_matches_nonsense(browser, three):
    async with browser() as ui:
        await open_palette(ui)
        sentences = [offer.description for offer in offers(ui)]
        assert len(sentences) == len(set(sentences)) > 30
        assert await find(ui, "qqqq") == []
        assert "No command, session or label matches" in ui.text()
        await ui.press("enter")
        assert ui.is_in("Commands")


async def test_commands_of_the_pane_with_the_focus_come_first(browser, three):
    async with browser() as ui:
        await open_palette(ui)
        assert command_by_id(listed(ui)[0]).pane == "sessions"
        await ui.press("escape", "t")
        await open_palette(ui)
        assert command_by_id(listed(ui)[0]).pane == "tree"


async def test_in_the_selector_its_own_commands_are_listed(browser, three):
    async with browser(selector="") as ui:
        assert "entry.raw" not in await find(ui, "raw")
        assert (await find(ui, "rescan"))[0] == "index.rescan"


async def test_a_session_is_found_by_its_title(browser, three):
    async with browser() as ui:
        rows = ui.screen.model.rows()
        wanted = rows[-1]
        await find(ui, wanted.title)
        places = [offer for offer in offers(ui) if hasattr(offer, "row")]
        assert wanted.path in {place.row.path for place in places}
        found = ui.screen.query_one("#palette-list")
        found.move_to(found.items.index(places[0]))
        await ui.press("enter")
        await ui.until(lambda: ui.screen.sessions_pane.list.row.path == places[0].row.path, "the session")


async def test_a_line_parts_commands_from_sessions_and_has_no_cursor(browser, three):
    async with browser() as ui:
        await find(ui, "re")
        found = ui.screen.query_one("#palette-list")
        line = found.items.index(None)
        assert hasattr(found.items[line + 1], "row")
        found.move_to(line - 1)
        await ui.press("down")
        assert found.cursor == line + 1
        await ui.press("up")
        assert found.cursor == line - 1


async def test_the_chosen_command_runs(browser, three):
    async with browser() as ui:
        await find(ui, "fold all projects")
        await ui.press("enter")
        await ui.until(lambda: ui.listed() == [f"[{HERE}]", "[/work/site]"], "the fold")


async def test_a_key_right_after_the_one_that_opens_the_palette(browser, three):
    async with browser() as ui:
        for key in ("pageup", "pagedown", "home", "end", "up", "down"):
            await ui.press("ctrl+k", key)
            await ui.until(lambda: ui.is_in("Commands") and offers(ui), "the palette")
            await ui.press("escape")
            assert not ui.is_in("Commands")


async def test_without_sessions_only_what_works_everywhere_is_listed(browser):
    async with browser() as ui:
        await open_palette(ui)
        assert {command_by_id(id).pane for id in listed(ui)} == {"app"}


FOUND = {
    "session.rename": ["session.rename", "SESSION.RENAME", "rena", "rename session", "session the rename"],
    "branch.unfold_all": ["unfold_all", "unfold all"],
    "session.pin": ["star"],
    "app.quit": ["exit"],
    "index.rescan": ["refresh"],
    "entry.raw": ["raw"],
}
"""Command -> texts for which it is the first that is offered: its id or label, a synonym, words of both."""


async def test_ids_labels_synonyms_and_words_find_a_command_first(browser, three):
    async with browser() as ui:
        await ui.press("t")
        await open_palette(ui)
        for command in listed(ui):
            assert (await find(ui, command))[0] == command
        for command, texts in FOUND.items():
            for text in texts:
                assert (await find(ui, text))[:1] == [command], text
        assert await find(ui, "rename folder") == []
        assert {"session.fork_to", "session.fork"} <= set(await find(ui, "fork"))
