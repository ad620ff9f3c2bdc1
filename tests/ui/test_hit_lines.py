"""Every hit says why: the second line of a row during a search."""

from __future__ import annotations

import re

import pytest

from tests.factory import chain, entry, header, message
from tests.ui.conftest import WAYS, pi_session


@pytest.fixture
def found(three, tmp_path):
    lines = chain("hello", "nothing here", id="s-quokka")
    lines.append(entry("label", "l", "00000002", 20, targetId="00000002", label="wombat idea"))
    pi_session(tmp_path, *lines, id="s-quokka")
    return tmp_path


def second_line(ui, id):
    """The second line of the row of a session; "" if it is not listed."""
    model = ui.sessions.model
    for index, line in enumerate(model.lines):
        if line.row is not None and line.row.id == id:
            drawn = ui.sessions.draw_below(index, ui.sessions.size.width - 1, False)
            # The browser shows the folder, too.
            return re.sub(r" +app( ·)?", " ", "".join(text for text, _ in drawn)).strip()
    return ""


@pytest.mark.parametrize("way", WAYS)
async def test_each_row_says_why_it_is_a_hit_and_how_often(browser, found, way):
    async with browser(size=(120, 40), **way) as ui:
        if not ui.selects:
            await ui.press("slash")
        for typed, id, shown in (
            ("slower", "branchy", "slower branch 1 of 2 · 1 hit"),
            ("quokka", "s-quokka", "matches its id: s-quokka"),
            ("wombat", "s-quokka", "◆ wombat idea 1 hit"),
            ("nothing", "s-quokka", "nothing here 1 hit"),
        ):
            await ui.press("ctrl+u", *typed)
            await ui.until(lambda i=id, s=shown: " ".join(second_line(ui, i).split()) == s, shown)
            assert ui.sessions.row_height == 2
            assert shown.split()[0] in ui.text()
        await ui.until(lambda: "1 of" in ui.text() and "· 1 hit" in ui.text(), "the number of hits")
        await ui.press("ctrl+u")
        await ui.until(lambda: ui.sessions.row_height == 1, "one line without a query")


async def test_only_rows_in_view_are_looked_up(browser, three, tmp_path):
    for number in range(60):
        pi_session(tmp_path, *chain("gargoyle", "stone", id=f"n{number}"), id=f"n{number}")
    elsewhere = chain("gargoyle", "a gargoyle", id="far", cwd="/work/site")
    pi_session(tmp_path, *elsewhere, id="far", project="site")
    async with browser(size=(160, 30)) as ui:
        await ui.press("slash", *"gargoyle")
        await ui.until(lambda: len(ui.sessions.excerpts) > 3, "excerpts")
        await ui.pilot.pause()
        assert len(ui.sessions.excerpts) < 20
        await ui.until(lambda: "61 of 64 · 62 hits" in ui.text(), "the hits of all sessions")
        await ui.press("pagedown", "pagedown")
        await ui.until(lambda: ui.sessions.model.lines[ui.sessions.cursor].path in ui.sessions.excerpts, "it")
        await ui.press("enter", "full_stop", "s")
        await ui.until(lambda: "60 of 62 · 60 hits" in ui.text(), "the hits in the sessions of this folder")


async def test_hits_of_a_session_that_vanishes_are_not_counted(browser, three, tmp_path):
    path = pi_session(tmp_path, *chain("gargoyle", "stone", id="gone"), id="gone")
    async with browser(size=(160, 30)) as ui:
        await ui.press("slash", *"gargoyle")
        await ui.until(lambda: "1 of 4 · 1 hit" in ui.text(), "the hit")
        path.unlink()
        await ui.until(lambda: not ui.listed() and "0 of 3" in ui.text(), "no session")
        assert "hit" not in ui.text().splitlines()[1]


async def test_a_filter_without_words_shows_the_last_prompt(browser, three):
    async with browser(size=(120, 40)) as ui:
        await ui.press("slash", *"is:", "escape", *"damaged", *["backspace"] * 10, *"has:branch")
        await ui.until(lambda: ui.listed() == ["branchy"], "the session")
        await ui.until(lambda: second_line(ui, "branchy").startswith("› "), "its last prompt")


def shaped(ui):
    return " ".join(second_line(ui, "s-tools").split())


def call(id, name, **arguments):
    return {"type": "toolCall", "id": id, "name": name, "arguments": arguments}


@pytest.fixture
def tools(three, tmp_path):
    old, new = "a\nreturn legacy\nb", "a\nreturn modern\nc\nb"
    edit = call("t1", "edit", path="/work/app/src/shop/auth.py", oldText=old, newText=new)
    run = call("t2", "bash", command="cd /work/app && rg -n gadget src")
    hostile = call("t3", "ba\x1b[1msh", command="echo\x1b[2J flange")
    asked = message("t", None, "assistant", "now", stopReason="toolUse")
    asked["message"]["content"] = [edit, run, hostile]
    output = {"toolCallId": "t2", "toolName": "bash", "isError": False}
    lines = [
        header("s-tools"),
        asked,
        message("r", "t", "toolResult", "src/a.py:1: x\nsrc/b.py:31: sprocket = 3\n", 2, **output),
        message("end", "r", "assistant", "done", 3),
    ]
    lines[2]["message"].pop("timestamp", None)
    pi_session(tmp_path, *lines, id="s-tools")
    return tmp_path


async def test_a_hit_in_a_tool_call_is_shaped_by_its_place(browser, tools):
    async with browser(size=(200, 50)) as ui:
        await ui.press("slash")
        for typed, shown in (
            ("auth.py", "edit src/shop/auth.py +2 −1"),
            ("modern", "edit src/shop/auth.py +2 −1: return modern"),
            ("gadget", "bash cd /work/app && rg -n gadget src"),
            ("flange", "ba␛[1msh echo␛[2J flange"),
            ("sprocket", "bash rg: src/b.py:31: sprocket = 3"),
        ):
            await ui.press("ctrl+u", *f"in:tools {typed}")
            await ui.until(lambda s=shown: shaped(ui).startswith(s), shown)
            excerpt = ui.sessions.excerpts[str(ui.path("s-tools"))]
            assert [excerpt.text[start:end] for start, end in excerpt.ranges] == [typed]
