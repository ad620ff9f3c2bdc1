"""Prompts of sessions that Claude Code deleted, in the browser and in the selector."""

from __future__ import annotations

import json

import pytest

from tests.claude_lines import line, write
from tests.ui.conftest import install


@pytest.fixture
def deleted(tmp_path):
    """A session with a file, and a history that has prompts of another one as well."""
    home, work = tmp_path / "home", tmp_path / "work"
    work.mkdir()
    install(tmp_path, "claude")
    write(home, line("user", "p1", None, "paint the house", cwd=str(work)))
    prompt = {"display": "paint the lighthouse", "timestamp": 1, "project": str(work), "sessionId": "gone"}
    (home / ".claude/history.jsonl").write_text(json.dumps(prompt) + "\n")
    return str(work)


async def test_a_deleted_session_is_listed_while_it_is_found(browser, deleted):
    async with browser(here=deleted) as ui:

        def sessions():
            return sorted(name for name in ui.listed() if not name.startswith("["))

        assert sessions() == ["one"]
        await ui.press("slash", *"lighthouse")
        await ui.until(lambda: sessions() == ["gone"], "the deleted session")
        await ui.until(lambda: "Its history has 1 prompt of it." in ui.text(), "the notice")
        assert "deleted: paint the lighthouse" in ui.text()
        await ui.press(*["backspace"] * len("lighthouse"), *"paint")
        await ui.until(lambda: sessions() == ["gone", "one"], "both")
        await ui.press("escape")
        await ui.until(lambda: sessions() == ["one"], "the session that is there")


async def test_the_selector_says_that_a_session_is_deleted(browser, deleted):
    async with browser(selector="lighthouse", here=deleted, size=(160, 40)) as ui:
        await ui.until(lambda: "Its history has 1 prompt of it." in ui.text(), "the notice")
        assert "deleted: paint the lighthouse" in ui.text()


async def test_a_deleted_session_is_not_trashed(browser, deleted):
    async with browser(here=deleted) as ui:
        await ui.press("slash", *"lighthouse")
        await ui.until(lambda: "Its history has 1 prompt of it." in ui.text(), "the notice")
        await ui.press("enter", "ctrl+d")
        await ui.until(lambda: "Not trashed: Claude Code deleted it already" in ui.text(), "the reason")
