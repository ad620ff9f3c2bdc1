"""The list of what is wrong with a session (issue 6 "Bad input")."""

from __future__ import annotations

import json

from app.screens.problems_dialog import ProblemsDialog
from tests.factory import chain, entry, message
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


async def test_the_border_says_how_much_is_wrong(browser, tmp_path):
    path = _bad(tmp_path)
    async with browser() as it:
        await it.until(lambda: it.screen._reading.knows_branches, "the branches")
        assert "4 faults, 1 damaged (!)" in it.screen.query_one("#tree-pane")._said[1]
        with path.open("a") as file:
            label = entry("label", "l", "z", 8, targetId="nobody", label="lost")
            file.write(json.dumps(label) + "\n")
        await it.until(lambda: "5 faults" in it.screen.query_one("#tree-pane")._said[1], "the one that came")


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


async def test_what_is_out_of_the_ordinary_is_drawn_and_marked(browser, tmp_path):
    pi_session(
        tmp_path,
        *chain("one", "two", id="odd"),
        message("x", "gone", "user", "lost"),
        message("t", "00000002", "assistant", "twin", 5),
        message("t", "00000002", "user", "other twin", 6),
        message("p", "q", "user", "round", 7),
        message("q", "p", "assistant", "and round", 8),
        entry("future", "u", "t", 9),
        message("r", None, "user", "anew", 10),
        id="odd",
    )
    async with browser(size=(160, 40)) as it:
        rows = [line for line in it.text().splitlines() if "││" in line]

        def row(said):
            return next(line for line in rows if said in line)

        assert "! its parent is not in the file" in row("user: lost")
        assert "! id used twice" in row("other twin")
        assert "! its parents go round" in row("user: round")
        assert "! not known" in row("[future]")
        assert "(another root)" in row("user: anew")
        assert "another root" not in row("user: one")
        # somebody began anew: that is nothing wrong
        await it.until(lambda: it.screen._reading.knows_branches, "the branches")
        faults = it.screen.query_one("#tree-pane")._said[1]
        await it.press("tab", "exclamation_mark")
        listed = len(it.screen._faults)
        assert f"{listed - 1} faults (!)" in faults
