"""The history and redo on screen."""

from __future__ import annotations

import pytest

from tests.ui.conftest import asked


async def rename(ui, name):
    await ui.press("ctrl+r", "ctrl+u", *name, "enter")
    await ui.until(lambda: ui.sessions.row.name == name, "the name")


@pytest.mark.parametrize("way", [{"selector": ""}, {}])
async def test_redo_does_again_what_was_undone_and_a_new_change_ends_it(browser, three, way):
    async with browser(**way) as ui:
        await ui.press(*(["shift+tab"] if way else []))
        path = str(ui.path("plain"))
        ui.sessions.go_to(path)
        await rename(ui, "one")
        await rename(ui, "two")
        await ui.press("z")
        await ui.until(lambda: ui.sessions.row.name == "one", "the old name")
        await ui.press("z")
        await ui.until(lambda: not ui.sessions.row.name, "no name")
        await ui.press("Z")
        await ui.until(lambda: any("Redone: rename" in toast for toast in ui.toasts()), "the word")
        await ui.until(lambda: ui.sessions.row.name == "one", "the name again")
        await rename(ui, "other")
        await ui.press("Z")
        await ui.until(lambda: "Nothing to redo" in ui.toasts(), "that")
        assert ui.sessions.row.name == "other"


async def test_a_redo_of_what_an_earlier_run_undid_asks_once(browser, three):
    async with browser() as ui:
        await ui.press("ctrl+d", "enter")
        await ui.until(lambda: any("Trashed" in toast for toast in ui.toasts()), "the trash")
        await ui.press("z")
        await ui.until(lambda: any("Undone" in toast for toast in ui.toasts()), "the undo")
        path = ui.path("branchy")
    async with browser() as ui:
        await ui.press("Z")
        question = 'Redo: trash "Refactor auth" (just now)?'
        await ui.until(lambda: question in ui.text(), "the question")
        assert asked(ui)[-1] == "Enter redo  Esc cancel"
        await ui.press("enter")
        await ui.until(lambda: not path.exists(), "the trash")


async def test_a_redo_is_refused_if_the_session_has_changed_meanwhile(browser, three):
    async with browser() as ui:
        ui.sessions.go_to(str(ui.path("plain")))
        await rename(ui, "one")
        await ui.press("z")
        await ui.until(lambda: not ui.sessions.row.name, "no name")
        path = ui.path("plain")
        theirs = '{"type":"session_info","id":"zz","parentId":null,"name":"theirs"}\n'
        path.write_text(path.read_text() + theirs)
        await ui.until(lambda: ui.sessions.row.name == "theirs", "the name by another")
        await ui.press("H")
        await ui.until(lambda: "blocked" in ui.text(), "the reason in the history")
        assert "changed by pi since" in ui.text()
        await ui.press("escape", "Z")
        await ui.until(lambda: any("the name is another by now" in toast for toast in ui.toasts()), "why")
        assert ui.sessions.row.name == "theirs"


async def test_the_history_lists_undoes_redoes_and_leads_to_the_session(browser, three):
    async with browser() as ui:
        ui.sessions.go_to(str(ui.path("plain")))
        await rename(ui, "one")
        ui.sessions.go_to(str(ui.path("branchy")))
        await ui.press("p")
        await ui.until(lambda: "★" in ui.text(), "the pin")
        await ui.press("H")
        assert ui.is_in("History")
        await ui.until(lambda: 'Pin "Refactor auth"' in ui.text(), "the history")
        lines = [line for line in ui.text().splitlines() if "done " in line]
        assert 'Pin "Refactor auth"' in lines[0]
        assert "z undo" in lines[0]
        assert 'Rename to "one"' in lines[1]
        await ui.press("z")
        await ui.until(lambda: "undone" in ui.text(), "the undo")
        lines = ui.text().splitlines()
        first = next(number for number, text in enumerate(lines) if "undone" in text)
        undone, line, done = lines[first : first + 3]
        assert "Pin" in undone
        assert "Z redo" in undone
        assert "──" in line
        assert "z undo" in done
        await ui.press("Z")
        await ui.until(lambda: "undone" not in ui.text(), "the redo")
        # the second line is about the other session
        await ui.press("down", "enter")
        await ui.until(lambda: not ui.is_in("History"), "the list")
        await ui.until(lambda: ui.sessions.row.id == "plain", "its session")


async def test_an_empty_history_says_so(browser, three):
    async with browser(size=(20, 8)) as ui:
        await ui.press("H")
        await ui.until(lambda: "Nothing was" in ui.text(), "that")
        await ui.press("z", "Z", "enter", "escape")
        assert not ui.is_in("History")


@pytest.mark.parametrize("size", [(40, 12), (20, 5)])
async def test_a_resize_while_the_history_is_open_loses_nothing(browser, three, size):
    async with browser(size=(120, 40)) as ui:
        ui.sessions.go_to(str(ui.path("plain")))
        await rename(ui, "one")
        await ui.press("H")
        await ui.until(lambda: 'Rename to "one"' in ui.text(), "the history")
        await ui.pilot.resize_terminal(*size)
        await ui.press("down", "up", "z")
        await ui.pilot.resize_terminal(120, 40)
        await ui.until(lambda: "undone" in ui.text(), "the undo")
        await ui.press("Z")
        await ui.until(lambda: "undone" not in ui.text(), "the redo")
        await ui.press("escape")
        await ui.until(lambda: ui.sessions.row.name == "one", "the name")
        assert any('Redone: rename to "one"' in text for text in ui.toasts())
