"""In the browser: an agent went on writing after its session was trashed, and the session is wanted back."""

from __future__ import annotations

import pytest

from app.services import list_facts
from app.sessions.manager import live_guard
from app.stores.live import MAYBE, Verdict
from tests.factory import message, write_session
from tests.ui.conftest import WAYS, asked

HARM = "its next answers would land in a file that no agent can open"


async def trash_and_continue(it):
    """Trash the session under the cursor, and write on as pi does; its path, and what both files say."""
    path = it.path("plain")
    await it.press("down")
    await it.settled()
    session = path.read_bytes()
    await it.press("ctrl+d", "enter")
    await it.until(lambda: not path.exists(), "its way into the trash")
    more = write_session(path, message("n", "00000002", "user", "and then?")).read_bytes()
    return path, session, more


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("key", ["j", "a"])
async def test_undo_asks_what_becomes_of_it(browser, three, way, key):
    async with browser(**way) as it:
        path, session, more = await trash_and_continue(it)
        await it.press("ctrl+z")
        await it.until(lambda: "went on writing" in asked(it)[0], "the question")
        assert "j append" in asked(it)[1]
        assert any("pi went on writing" in said for said in it.toasts())
        await it.press(key)
        wanted = session + (more if key == "j" else b"")
        await it.until(lambda: path.exists() and path.read_bytes() == wanted, "the session")
        await it.until(lambda: any("Back from the trash" in said for said in it.toasts()), "the toast")
        await it.press("ctrl+z")
        await it.until(lambda: path.exists() and path.read_bytes() == more, "how it was before")


async def test_escape_leaves_everything_where_it_is(browser, three):
    async with browser() as it:
        path, _, more = await trash_and_continue(it)
        await it.press("ctrl+z")
        await it.until(lambda: "went on writing" in asked(it)[0], "the question")
        await it.press("escape")
        assert path.read_bytes() == more


async def test_what_cannot_be_appended_is_only_put_aside(browser, three):
    async with browser() as it:
        path, session, _ = await trash_and_continue(it)
        with path.open("a") as file:
            file.write("half a li")
        await it.press("ctrl+z")
        await it.until(lambda: any("cannot be appended" in said for said in it.toasts()), "the reason")
        assert "j append" not in asked(it)[1]
        await it.press("j", "a")
        await it.until(lambda: path.exists() and path.read_bytes() == session, "the session")


@pytest.mark.parametrize("size", [(200, 30), (80, 24)], ids=str)
async def test_the_question_before_names_the_consequence(browser, three, monkeypatch, size):
    maybe = Verdict(MAYBE, "pi runs in the same folder")
    monkeypatch.setattr(live_guard, "verdict", lambda *about: maybe)
    monkeypatch.setattr(list_facts, "live_sessions", lambda rows, *about: {row.path: maybe for row in rows})
    async with browser(selector="", size=size) as it:
        path = it.path("branchy")
        await it.until(lambda: it.sessions.states.get(str(path)) == MAYBE, "the look at the processes")
        await it.press("ctrl+d")
        assert "Trash" in asked(it)[0]
        assert HARM in " ".join([asked(it)[0], *it.toasts()])
