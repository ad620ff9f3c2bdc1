"""In the browser: an agent went on writing after its session was trashed, and the session is wanted back."""

from __future__ import annotations

import pytest

from app.services import list_facts
from app.sessions.manager import live_guard
from app.stores.live import MAYBE, Verdict
from tests.factory import message, write_session
from tests.ui.conftest import WAYS, asked

HARM = "its next answers would land in a file that no agent can open"


async def trash_and_continue(ui):
    """Trash the session under the cursor, and write on as pi does; its path, and what both files say."""
    path = ui.path("plain")
    await ui.press("down")
    await ui.settled()
    session = path.read_bytes()
    await ui.press("ctrl+d", "enter")
    await ui.until(lambda: not path.exists(), "its way into the trash")
    more = write_session(path, message("n", "00000002", "user", "and then?")).read_bytes()
    return path, session, more


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("key", ["j", "a"])
async def test_undo_asks_what_becomes_of_it(browser, three, way, key):
    async with browser(**way) as ui:
        path, session, more = await trash_and_continue(ui)
        await ui.press("ctrl+z")
        await ui.until(lambda: "went on writing" in asked(ui)[0], "the question")
        assert "j append" in asked(ui)[1]
        assert any("pi went on writing" in said for said in ui.toasts())
        await ui.press(key)
        wanted = session + (more if key == "j" else b"")
        await ui.until(lambda: path.exists() and path.read_bytes() == wanted, "the session")
        await ui.until(lambda: any("Back from the trash" in said for said in ui.toasts()), "the toast")
        await ui.press("ctrl+z")
        await ui.until(lambda: path.exists() and path.read_bytes() == more, "how it was before")


async def test_escape_leaves_everything_where_it_is(browser, three):
    async with browser() as ui:
        path, _, more = await trash_and_continue(ui)
        await ui.press("ctrl+z")
        await ui.until(lambda: "went on writing" in asked(ui)[0], "the question")
        await ui.press("escape")
        assert path.read_bytes() == more


async def test_what_cannot_be_appended_is_only_put_aside(browser, three):
    async with browser() as ui:
        path, session, _ = await trash_and_continue(ui)
        with path.open("a") as file:
            file.write("half a li")
        await ui.press("ctrl+z")
        await ui.until(lambda: any("cannot be appended" in said for said in ui.toasts()), "the reason")
        assert "j append" not in asked(ui)[1]
        await ui.press("j", "a")
        await ui.until(lambda: path.exists() and path.read_bytes() == session, "the session")


@pytest.mark.parametrize("size", [(200, 30), (80, 24)], ids=str)
async def test_the_question_before_names_the_consequence(browser, three, monkeypatch, size):
    maybe = Verdict(MAYBE, "pi runs in the same folder")
    monkeypatch.setattr(live_guard, "verdict", lambda *about: maybe)
    monkeypatch.setattr(list_facts, "live_sessions", lambda rows, *about: {row.path: maybe for row in rows})
    async with browser(selector="", size=size) as ui:
        path = ui.path("branchy")
        await ui.until(lambda: ui.sessions.states.get(str(path)) == MAYBE, "the look at the processes")
        await ui.press("ctrl+d")
        assert "Trash" in asked(ui)[0]
        assert HARM in " ".join([asked(ui)[0], *ui.toasts()])
