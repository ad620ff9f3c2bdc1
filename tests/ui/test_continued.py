"""The browser, after an agent went on writing a trashed session: undo asks what to do with both files."""

from __future__ import annotations

import pytest

from app.services import list_facts
from app.sessions.manager import live_guard
from app.stores import MAYBE, Verdict
from tests.factory import message, write_session
from tests.ui.conftest import WAYS, asked


async def trash_and_continue(ui):
    """Trash a session, then append as pi does; return its path, its content, and that of the new file."""
    path = ui.path("plain")
    await ui.press("down")
    await ui.settled()
    session = path.read_bytes()
    await ui.press("ctrl+d", "enter")
    await ui.until(lambda: not path.exists(), "its way into the trash")
    continuation = write_session(path, message("n", "00000002", "user", "and then?")).read_bytes()
    return path, session, continuation


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("key", ["j", "a"])
async def test_undo_asks_what_to_do_with_the_continuation(browser, three, way, key):
    async with browser(**way) as ui:
        path, session, continuation = await trash_and_continue(ui)
        await ui.press("ctrl+underscore")
        await ui.until(lambda: "Append the entries" in asked(ui)[0], "the question")
        assert "j append" in asked(ui)[1]
        assert any("pi went on writing" in toast for toast in ui.toasts())
        await ui.press(key)
        wanted = session + (continuation if key == "j" else b"")
        await ui.until(lambda: path.read_bytes() == wanted, "the session")
        await ui.until(lambda: any("Restored" in toast for toast in ui.toasts()), "the toast")
        await ui.press("ctrl+underscore")
        await ui.until(lambda: path.read_bytes() == continuation, "how it was before")


async def test_escape_changes_nothing(browser, three):
    async with browser() as ui:
        path, _, continuation = await trash_and_continue(ui)
        await ui.press("ctrl+underscore")
        await ui.until(lambda: "Append the entries" in asked(ui)[0], "the question")
        await ui.press("escape")
        assert path.read_bytes() == continuation


async def test_an_unfinished_continuation_can_only_be_put_aside(browser, three):
    async with browser() as ui:
        path, session, _ = await trash_and_continue(ui)
        with path.open("a") as file:
            file.write("half a li")
        await ui.press("ctrl+underscore")
        await ui.until(lambda: any("cannot be appended" in toast for toast in ui.toasts()), "the reason")
        assert "j append" not in asked(ui)[1]
        await ui.press("j", "a")
        await ui.until(lambda: path.read_bytes() == session, "the session")


@pytest.mark.parametrize("size", [(200, 30), (80, 24)], ids=str)
async def test_the_question_before_trashing_names_the_danger(browser, three, monkeypatch, size):
    maybe = Verdict(MAYBE, "pi runs in the same folder")
    monkeypatch.setattr(live_guard, "verdict", lambda *arguments: maybe)
    monkeypatch.setattr(
        list_facts, "live_sessions", lambda rows, *arguments: {row.path: maybe for row in rows}
    )
    async with browser(selector="", size=size) as ui:
        path = ui.path("branchy")
        await ui.until(lambda: ui.sessions.states.get(str(path)) == MAYBE, "the look at the processes")
        await ui.press("ctrl+d")
        words = " ".join(ui.text().replace("│", " ").split())
        assert "◐ This session may be open: pi runs in the same folder." in words
        assert "It may go on writing; its next answers would land in a file" in words
        assert "❯ Keep leave it where it is" in words
