"""What needs the user: the number in the header, and the list of it over all projects."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta

import pytest

from tests import claude_lines
from tests.factory import append, chain, message
from tests.holding import running
from tests.ui.conftest import pi_session

ASKED = {"questions": [{"id": "q", "question": "Shall I also change the mail?"}]}
ASKS = {
    "content": [{"type": "toolCall", "id": "c", "name": "ask", "arguments": ASKED}],
    "stopReason": "toolUse",
}
FAILED = {"stopReason": "error", "errorMessage": "overloaded"}
DONE = {"stopReason": "stop"}


def now(seconds=0):
    return (datetime.now(UTC) + timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%S.000Z")


@pytest.fixture
def endings(tmp_path):
    """Sessions of several projects, by their endings and ages in days."""
    for name, fields, days in (
        ("asks", ASKS, 3),
        ("failed", FAILED, 2),
        ("today", DONE, 0),
        ("older", DONE, 5),
        ("forgotten", ASKS, 20),
    ):
        when = datetime.now(UTC) - timedelta(days=days, seconds=5)
        lines = [*chain("do it", id=name, cwd=f"/work/{name}"), message("2", "00000001", "assistant", "x")]
        lines[-1]["message"] |= fields
        for line in lines:
            line["timestamp"] = when.strftime("%Y-%m-%dT%H:%M:%S.000Z")
        pi_session(tmp_path, *lines, id=name)
    return tmp_path


async def test_the_sessions_that_need_the_user_are_counted_and_listed_in_sections(browser, endings):
    async with browser(size=(160, 45)) as ui:
        await ui.until(lambda: "2 need you (w)" in ui.text(), "the number")
        before = ui.sessions.row.id
        await ui.press("w")
        assert ui.listed() == [
            "[Waits for your answer]",
            "asks",
            "[Ended badly]",
            "failed",
            "[Today]",
            "today",
        ]
        assert "needs you" in ui.text()
        assert ui.sessions.row.id == "asks", "the cursor is on the first one"
        await ui.press("ctrl+s", "ctrl+s", "ctrl+s")
        assert ui.sessions.model.arrangement.order == "cost"
        assert ui.listed()[::2] == ["[Waits for your answer]", "[Ended badly]", "[Today]"]
        await ui.press("escape")
        assert {"older", "forgotten"} <= set(ui.listed()), "Esc shows all sessions"
        assert ui.sessions.row.id == before, "the cursor is back"
        await ui.press("w", "home", "enter")
        assert ui.sessions.project is None, "no session is begun in a section"


async def test_the_question_and_the_error_stand_below_the_title(browser, endings):
    async with browser(size=(120, 40)) as ui:
        await ui.press("w")
        await ui.until(lambda: "? Shall I also change the mail?" in ui.text(), "the question")
        assert "× overloaded" in ui.text()
        await ui.press("w")
        assert "Shall I also" not in ui.text()


async def test_the_question_of_claude_code_stands_below_the_title(browser, tmp_path):
    asks = {"name": "AskUserQuestion", "input": {"questions": [{"question": "Which store?", "options": []}]}}
    claude_lines.write(
        tmp_path / "home",
        claude_lines.line("user", "a", None, "use a store", timestamp=now(-60)),
        claude_lines.line(
            "assistant", "b", "a", [{"type": "tool_use", "id": "t", **asks}], timestamp=now(-50)
        ),
    )
    async with browser(size=(120, 40)) as ui:
        await ui.press("w")
        await ui.until(lambda: "? Which store?" in ui.text(), "the question")


async def test_an_open_session_says_what_runs_and_for_what_it_waits(browser, tmp_path):
    call = {"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": "npm test"}}
    claude_lines.write(
        tmp_path / "home",
        claude_lines.line("user", "a", None, "test it", timestamp=now(-60)),
        claude_lines.line("assistant", "b", "a", [call], timestamp=now(-50)),
    )
    note = {"sessionId": "one", "status": "busy"}
    with running(tmp_path, "claude") as pid:
        path = tmp_path / f"home/.claude/sessions/{pid}.json"
        path.parent.mkdir()
        path.write_text(json.dumps(note))
        async with browser(size=(120, 40)) as ui:
            await ui.press("w")
            await ui.until(lambda: ui.listed() == ["[Open now]", "one"], "the open session")
            await ui.until(lambda: re.search(r"· .*npm test +busy ", ui.text()), "what runs")
            path.write_text(json.dumps(note | {"status": "waiting", "waitingFor": "permission prompt"}))
            await ui.until(lambda: ui.listed() == ["[Waits for your answer]", "one"], "the note")
            await ui.until(lambda: "waiting: permission prompt" in ui.text(), "for what")
            await ui.until(lambda: "1 needs you (w)" in ui.text(), "the number")


async def test_a_session_that_a_fork_goes_on_with_needs_nothing(browser, endings, tmp_path):
    fork = chain("do it", "right away", id="fork", cwd="/work/asks")
    fork[0]["parentSession"] = "asks"
    for line in fork:
        line["timestamp"] = now()
    pi_session(tmp_path, *fork, id="fork")
    async with browser(size=(160, 45)) as ui:
        await ui.until(lambda: "1 needs you (w)" in ui.text(), "the number")
        await ui.press("w")
        assert ui.listed()[:2] == ["[Ended badly]", "failed"]


async def test_a_list_of_nothing_says_so(browser, three):
    async with browser() as ui:
        await ui.press("w")
        assert ui.sessions.notice == ["Nothing needs you.", "w shows all sessions."]
        await ui.press("w")
        assert len(ui.listed()) == 5


async def test_a_session_that_was_opened_needs_nothing_until_it_has_a_newer_message(browser, endings):
    async with browser(size=(160, 45)) as ui:
        await ui.until(lambda: "2 need you (w)" in ui.text(), "the number")
        await ui.press("w", "home", "down", "v")
        assert ui.sessions.row.id == "asks"
        await ui.until(lambda: "1 needs you (w)" in ui.text(), "the number without what was read")
        assert ui.listed()[1] == "asks", "no row moves while it is read"
        await ui.until((endings / "state/opened").exists, "the saved state")
    async with browser(size=(160, 45)) as ui:
        await ui.until(lambda: "1 needs you (w)" in ui.text(), "the number in the next run")
        await ui.press("w")
        assert ui.listed()[:2] == ["[Ended badly]", "failed"]
        path = ui.path("asks")
        line = message("3", "2", "assistant", "x") | {"timestamp": now(5)}
        line["message"] |= ASKS
        append(path, line)
        await ui.until(lambda: "2 need you (w)" in ui.text(), "the number with a new question")


async def test_the_days_for_which_a_session_needs_the_user_are_a_setting(browser, endings):
    (endings / "config").mkdir()
    (endings / "config/config.toml").write_text("needs_days = 30\n")
    async with browser(size=(160, 45)) as ui:
        await ui.until(lambda: "3 need you (w)" in ui.text(), "the number")
        await ui.press("w")
        assert ui.listed()[:3] == ["[Waits for your answer]", "asks", "forgotten"]
        await ui.press("w", "slash", *"is:waiting", "enter")
        await ui.until(lambda: {"asks", "forgotten"} <= set(ui.listed()), "those that wait, of any age")
