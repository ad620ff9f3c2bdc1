"""One search covers everything: what only tool calls have is found without a key, and no row moves."""

from __future__ import annotations

from tests.factory import chain, message
from tests.ui.conftest import pi_session


def tooled(path, number, text):
    """A session that has `text` in a tool call or its output only."""
    id = f"tool{number}"
    call = {"type": "toolCall", "id": "t", "name": "bash", "arguments": {"command": "ls"}}
    lines = chain("please begin", id=id)
    lines.append(message("a", "00000001", "assistant", "looking"))
    lines[-1]["message"]["content"].append(call)
    lines.append(message("b", "a", "toolResult", text, toolCallId="t", toolName="bash"))
    pi_session(path, *lines, id=id)


async def test_what_only_tool_calls_have_is_found_without_a_key(browser, tmp_path):
    texts = ("src/shop/auth.py:31", "session_token = None", "fatal: not logged in")
    for number, text in enumerate(texts):
        tooled(tmp_path, number, text)
    async with browser() as ui:
        for number, query in enumerate(("auth.py", "session_token", '"not logged in"')):
            await ui.press("slash", *query)
            await ui.until(lambda found=f"tool{number}": ui.listed() == [found], query)
            await ui.press("escape", "escape")


async def test_no_row_moves_after_the_cursor_was_moved(browser, tmp_path):
    for number in range(4):
        pi_session(tmp_path, *chain("please begin", "a zebra", id=f"s{number}"), id=f"s{number}")
    tooled(tmp_path, 9, "zebra")
    async with browser() as ui:
        await ui.press("slash", *"zebra")
        await ui.until(lambda: len(ui.listed()) == 5 and not ui.screen.sessions_pane.is_due, "all")
        assert ui.listed()[-1] == "tool9"
        assert ui.sessions.cursor == 0
        await ui.press("down")
        before, chosen = ui.listed(), ui.sessions.row.id
        # A session that would be the first joins the list at its end.
        pi_session(tmp_path, *chain("zebra in the title", "yes", id="new"), id="new")
        await ui.until(lambda: "new" in ui.listed(), "the new session")
        assert ui.listed() == [*before, "new"]
        assert ui.sessions.row.id == chosen


async def test_a_line_says_that_no_session_has_all_words(browser, tmp_path):
    pi_session(tmp_path, *chain("please begin", "a zebra", id="some"), id="some")
    async with browser() as ui:
        await ui.press("slash", *"zebra quaggax")
        await ui.until(
            lambda: ui.screen.sessions_pane.is_answered and not ui.screen.sessions_pane.is_due, "it"
        )
        assert ui.listed() == [], "the last word is being typed"
        await ui.press("space")
        await ui.until(lambda: ui.listed() == ["some"], "the session with one of the words")
        await ui.until(lambda: "No session has all words" in ui.text(), "the line")
        await ui.until(lambda: "without quaggax" in ui.text(), "the word that it lacks")
