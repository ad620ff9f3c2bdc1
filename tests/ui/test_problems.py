"""The list of what is wrong with a session (issue 6 "Bad input")."""

from __future__ import annotations

from app.screens.problems_dialog import ProblemsDialog
from tests.factory import chain, message
from tests.ui.conftest import pi_session


def _bad(tmp_path):
    lines = [
        *chain("one", "two", id="bad"),
        "{ damaged",
        message("x", "gone", "user", "lost"),
        message("t", "00000002", "assistant", "twin", 5),
        message("t", "00000002", "user", "other twin", 6),
        message("z", "t", "assistant", "end", 7),
    ]
    return pi_session(tmp_path, *lines, id="bad")


async def test_the_list_says_every_line_and_leads_there(browser, tmp_path):
    _bad(tmp_path)
    async with browser() as it:
        await it.press("tab", "exclamation_mark")
        assert isinstance(it.screen, ProblemsDialog)
        text = it.text()
        assert [n for n in range(1, 10) if f"line {n} " in text] == [4, 5, 6, 7]
        assert "'gone' is not in the file" in text
        await it.press("down", "down", "enter")
        assert it.focus == "tree"
        assert it.tree.node.said.text == "twin"
        await it.press("exclamation_mark", "enter")
        assert it.tree.node.line == 3


async def test_it_leads_out_of_a_filter_and_of_a_fold(browser, tmp_path):
    _bad(tmp_path)
    async with browser() as it:
        await it.press("tab", "ctrl+l")
        assert not it.tree.view.count
        await it.press("exclamation_mark", "down", "enter")
        assert it.tree.node.id == "x"
        assert it.tree.mode == "default"


async def test_escape_leaves_the_cursor(browser, tmp_path):
    _bad(tmp_path)
    async with browser() as it:
        await it.press("tab", "home")
        node = it.tree.node
        await it.press("exclamation_mark", "down", "escape")
        assert it.tree.node is node
        assert it.focus == "tree"


async def test_a_session_without_faults_says_so(browser, three):
    async with browser() as it:
        await it.press("tab", "exclamation_mark")
        assert not isinstance(it.screen, ProblemsDialog)
        assert "Nothing is wrong with this session" in it.toasts()


async def test_an_entry_that_has_gone_meanwhile_is_said(browser, tmp_path):
    path = _bad(tmp_path)
    async with browser() as it:
        await it.press("tab", "exclamation_mark")
        pi_session(tmp_path, *chain("anew", "two", id="bad"), id="bad")
        it.app.screen_stack[0]._reading._open(again=True)
        await it.until(lambda: len(it.app.screen_stack[0].entry_tree.view.tree.entries) == 2, "the new file")
        await it.press("down", "enter")
        assert any("has gone" in said for said in it.toasts())
        assert path.exists()
