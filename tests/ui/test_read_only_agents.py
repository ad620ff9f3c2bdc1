"""The screen offers nothing that the agent of a session cannot do (`app.stores.base.ABILITIES`)."""

from __future__ import annotations

import json

from tests.claude_lines import line, write
from tests.ui.conftest import install

LINES = [
    line("user", "p1", None, "first"),
    line("assistant", "a1", "p1", "one"),
    line("user", "p2", "a1", "second"),
    line("assistant", "a2", "p2", "two"),
]
LACKING = ("Fork", "Label the entry", "Rename", "Next label")


async def test_no_row_of_the_help_or_the_palette_offers_it_and_its_key_gives_the_reason(browser, tmp_path):
    write(tmp_path / "home", *LINES)
    reason = "leafmark only reads sessions of Claude Code: it does not {} them"
    async with browser(size=(160, 40)) as ui:
        for pane in ("list", "tree", "transcript"):
            await ui.press(*{"list": (), "tree": ("t", "up"), "transcript": ("v",)}[pane])
            footer = ui.text().splitlines()[-1]
            assert not [word for word in ("label", "rename", "fork") if word in footer], pane
            await ui.press("ctrl+k")
            await ui.until(lambda: ui.is_in("Commands"), "the palette")
            offers = [each for each in ui.screen.query_one("#palette-list").items if each is not None]
            sentences = [each.description for each in offers if hasattr(each, "command")]
            assert len(sentences) > 20
            assert not [each for each in sentences if each.startswith(LACKING)], pane
            await ui.press("escape", "question_mark")
            assert ui.is_in("Help")
            rows = [line[21:] for line in str(ui.screen.query_one("#help-text").content).splitlines()]
            assert len(rows) > 20
            assert not [each for each in rows if each.startswith(LACKING)], pane
            await ui.press("escape")
        await ui.press("v")
        for key, ability in (("L", "label"), ("ctrl+r", "rename"), ("f", "fork")):
            await ui.press(key)
            await ui.until(lambda ability=ability: reason.format(ability) in ui.text(), ability)
            assert ui.screen is ui.app.screen_stack[0], "no dialog"


async def test_a_session_of_a_folder_that_is_gone_is_resumed_in_another_one(browser, tmp_path):
    path = write(tmp_path / "home", *[each.replace('"/work/app"', '"/gone/app"') for each in LINES])
    install(tmp_path, "claude")
    work = tmp_path / "moved"
    work.mkdir()
    before = path.read_bytes()
    async with browser(here=str(work)) as ui:
        await ui.press("enter")
        assert ui.is_in("Cannot resume", "Resume")
        assert "r resume in another folder" in ui.text()
        assert "fork" not in ui.text()
        await ui.press("f")
        assert ui.is_in("Cannot resume", "Resume")
        await ui.press("r")
        await ui.until(lambda: ui.is_in("Folder"), "the folder")
        assert "Folder to resume in" in ui.text()
        await ui.press("enter")
        await ui.until(lambda: ui.has_ended, "the agent")
        made = ui.app.return_value
        assert (made.argv, made.cwd, made.problem) == (["claude", "--resume", "one"], str(work), None)
    assert path.read_bytes() == before


async def test_enter_on_a_session_that_went_on_in_another_one_offers_that_one(browser, tmp_path):
    work = tmp_path / "work"
    work.mkdir()
    install(tmp_path, "claude")
    more = line("user", "q", "a2", "own")
    *lines, more = [each.replace('"/work/app"', json.dumps(str(work))) for each in (*LINES, more)]
    write(tmp_path / "home", *lines, more, name="new")
    end = json.dumps({"type": "continued-in", "continuedInSessionId": "new"})
    old = write(tmp_path / "home", *lines, end, name="old")
    async with browser(here=str(work), size=(160, 40)) as ui:
        shown = ui.text().splitlines()
        [fork] = [number for number, each in enumerate(shown) if "└ own" in each]
        assert "→" in shown[fork - 1].split("│")[0], "one below the other"
        ui.sessions.go_to(str(old))
        await ui.settled()
        assert "the agent went on with this session in new" in ui.text().splitlines()[-2]
        await ui.press("enter")
        await ui.until(lambda: "n resume the session that goes on from it" in ui.text(), "the dialog")
        await ui.press("n")
        await ui.until(lambda: ui.has_ended, "the agent")
        assert ui.app.return_value.argv == ["claude", "--resume", "new"]
