"""Handing a session over to another agent, on the screen."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.claude_lines import line, write
from tests.factory import chain, message
from tests.ui.conftest import install, pi_session
from tests.ui.test_going_on import ask_at, asked, choose, lines, started, words

LINES = [
    line("user", "p1", None, "first"),
    line("assistant", "a1", "p1", "one"),
    line("user", "p2", "a1", "second"),
    line("assistant", "a2", "p2", "two"),
    line("user", "p3", "a1", "another"),
    line("assistant", "a3", "p3", "three"),
]


@pytest.fixture
def work(tmp_path):
    """A session of Claude Code with two branches in a folder that exists, with the agents installed."""
    folder = tmp_path / "work"
    folder.mkdir()
    install(tmp_path, "pi", "omp", "claude")
    write(tmp_path / "home", *[each.replace('"/work/app"', json.dumps(str(folder))) for each in LINES])
    return folder


def made_in(tmp_path: Path, agent: str) -> list[Path]:
    return list((tmp_path / f"home/.{agent}/agent/sessions").glob("*/*.jsonl"))


async def open_palette_line(ui, text):
    await ui.press("ctrl+k")
    await ui.until(lambda: ui.is_in("Commands"), "the palette")
    await ui.press(*text, "enter")


async def test_the_palette_hands_over_all_branches_and_starts_the_agent(browser, work, tmp_path):
    async with browser(here=str(work), size=(120, 45)) as ui:
        await open_palette_line(ui, "hand the")
        await asked(ui)
        await ui.until(lambda: "6 entries, 2 branches" in words(ui), "the counts")
        assert "claude (leafmark only reads sessions" in words(ui)
        assert "Texts are not redacted" in words(ui)
        assert "pi sends them to the model that you choose there" in words(ui)
        assert made_in(tmp_path, "pi") == []
        await ui.press("ctrl+s")
        plan = await started(ui)
    [path] = made_in(tmp_path, "pi")
    assert (plan.argv, plan.cwd) == (["pi", "--session", str(path)], str(work))
    texts = [entry["message"]["content"] for entry in lines(path) if entry["type"] == "message"]
    assert len(texts) == 6


async def test_what_another_agent_loses_is_counted_before_it_is_chosen(browser, work, tmp_path):
    answer = message("00000002", "00000001", "assistant", "")
    answer["message"]["content"] = [{"type": "thinking", "thinking": "Hm.", "thinkingSignature": "c2ln"}]
    pi_session(tmp_path, *chain("one", cwd=str(work), id="mine"), answer, id="mine")
    async with browser(here=str(work), size=(120, 45)) as ui:
        ui.sessions.go_to(str(ui.path("mine")))
        await ui.settled()
        await ask_at(ui, "one")
        assert "not redacted" not in words(ui)
        await choose(ui, "agent", "right")
        await ui.until(lambda: "signatures of thoughts (1)" in words(ui), "the losses")
        assert "This session (another agent has sessions of its own)" in words(ui)
        assert "Runs omp" in words(ui)
        await choose(ui, "agent", "left")
        assert "not redacted" not in words(ui)
        assert "Runs pi" in words(ui)


async def test_enter_on_an_entry_of_an_agent_that_is_only_read_offers_the_others(browser, work, tmp_path):
    async with browser(here=str(work), size=(120, 45)) as ui:
        await ask_at(ui, "second")
        await choose(ui, "agent", "right")
        await ui.until(lambda: "Texts are not redacted" in words(ui), "the losses")
        await ui.press("ctrl+s")
        plan = await started(ui)
    [path] = made_in(tmp_path, "omp")
    assert plan.argv[-1] == str(path)
    # The whole tree, and the leaf before the prompt, which waits in the editor.
    entries = lines(path)
    assert entries[-1]["parentId"] == "a1"
    assert (path.with_suffix("") / "draft.txt").read_text() == "second"


async def test_a_hand_over_is_undone_and_is_not_made_twice(browser, work, tmp_path):
    os.unlink(tmp_path / "bin/pi")
    async with browser(here=str(work), size=(120, 45)) as ui:
        await open_palette_line(ui, "hand the")
        await asked(ui)
        await ui.press("ctrl+s")
        await ui.until(lambda: len(made_in(tmp_path, "pi")) == 1, "the session")
        await ui.until(lambda: not ui.screen.is_modal, "the list")
        ui.sessions.go_to(str(tmp_path / "home/.claude/projects/-work-app/one.jsonl"))
        await ui.settled()
        await open_palette_line(ui, "hand the")
        await asked(ui)
        await ui.until(lambda: "from an earlier hand-over" in words(ui), "the earlier one")
        await ui.press("ctrl+s")
        await ui.until(lambda: not ui.screen.is_modal, "the list")
        await ui.settled()
        assert len(made_in(tmp_path, "pi")) == 1
        await ui.press("z")
        await ui.until(lambda: made_in(tmp_path, "pi") == [], "the undo")
