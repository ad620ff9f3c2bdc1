"""Typing in the selector's search line. Some tests correspond to tests of pi's session picker."""

from __future__ import annotations

import pytest

from tests.factory import chain, message
from tests.ui.conftest import QUESTION, pi_session


async def test_a_query_without_matches_here_can_match_elsewhere(browser, three):
    async with browser(selector="dark", size=(160, 40)) as ui:
        await ui.until(
            lambda: "None of the 2 sessions here matches; 1 elsewhere does (Tab)" in ui.text(), "nothing"
        )
        await ui.press("tab")
        await ui.until(lambda: ui.listed() == ["site1"], "the session")


async def test_in_a_folder_without_sessions_no_count_flashes(browser, three, monkeypatch):
    subtitles = []

    def record(side, subtitle, title=None, *more, **others):
        subtitles.append(subtitle)
        say(side, subtitle, title, *more, **others)

    async with browser() as ui:  # the catalog exists from here on
        pane = type(ui.screen.sessions_pane)
    say = pane.say
    monkeypatch.setattr(pane, "say", record)
    async with browser(selector="done", here="/work/nothing") as ui:
        await ui.until(
            lambda: ui.screen.sessions_pane.is_answered and not ui.screen.sessions_pane.is_searching,
            "the answer",
        )
        await ui.until(lambda: "No sessions in this folder" in ui.text(), "what is said")
        assert set(subtitles) == {""}
        await ui.press("tab")
        await ui.until(lambda: subtitles[-1] == "2 of 3 · 2 hits", "the number of all")


@pytest.mark.parametrize("key", ["insert", "ctrl+@"])
async def test_sessions_can_be_marked_while_typing(browser, three, key):
    async with browser(selector="") as ui:
        await ui.press(*"done")
        await ui.until(lambda: ui.listed() == ["plain"], "the session")
        await ui.press(key)
        assert ui.sessions.model.marked == {str(ui.path("plain"))}
        assert ui.box.value == "done"


@pytest.mark.parametrize("key", ["ctrl+w", "alt+backspace", "ctrl+backspace"])
async def test_keys_that_delete_a_word(browser, three, key):
    async with browser(selector="") as ui:
        await ui.press(*"man page")
        await ui.press(key)
        assert ui.box.value == "man "
        await ui.press(key)
        assert ui.box.value == ""
        assert not ui.is_in(QUESTION)


async def test_ctrl_d_asks_with_and_without_a_query(browser, three):
    async with browser(selector="") as ui:
        for typed in ("", "man"):
            await ui.press(*typed)
            await ui.press("ctrl+d")
            assert ui.is_in(QUESTION)
            await ui.press("escape")
            assert ui.box.value == typed
            assert ui.path("plain").exists()


async def test_the_best_match_comes_first_until_another_order_is_chosen(browser, tmp_path):
    pi_session(tmp_path, *chain("zebra " * 30, "x", id="much"), id="much")
    late = chain("please begin", "one zebra among many other words " + "w " * 200, id="little")
    late[-1]["timestamp"] = "2026-05-02T10:00:00.000Z"
    pi_session(tmp_path, *late, id="little")
    async with browser(selector="") as ui:
        await ui.press(*"zebra")
        await ui.until(lambda: ui.listed() == ["much", "little"], "the best first")
        await ui.press("ctrl+s")
        await ui.until(lambda: ui.listed() == ["little", "much"], "the newest first")
        assert ui.box.value == "zebra"


async def test_matches_are_highlighted_in_the_row(browser, three):
    async with browser(selector="") as ui:
        await ui.press(*"page")
        await ui.until(lambda: ui.listed() == ["plain"], "the session")
        line = ui.sessions.draw(0, 50, False)
        assert [text for text, style in line if style == "match"] == ["page"]


async def test_tool_calls_and_output_are_searched(browser, three, tmp_path):
    call = {"type": "toolCall", "id": "t", "name": "bash", "arguments": {"command": "ls quokka"}}
    lines = chain("look", id="tooled")
    lines.append(message("a", "00000001", "assistant", "looking"))
    lines[-1]["message"]["content"].append(call)
    lines.append(message("b", "a", "toolResult", "wombat.txt", toolCallId="t", toolName="bash"))
    pi_session(tmp_path, *lines, id="tooled")
    async with browser(selector="") as ui:
        await ui.press(*"wombat")
        await ui.until(lambda: ui.listed() == ["tooled"], "what the tool gave back")
        assert ui.box.value == "wombat"
        await ui.press("ctrl+u", *"quokka")
        await ui.until(lambda: ui.listed() == ["tooled"], "what the tool was asked")
