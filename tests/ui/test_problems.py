"""The list of problems of a session."""

from __future__ import annotations

import json
import shutil

import pytest

from tests.denied import deny
from tests.factory import chain, entry, message
from tests.ui.conftest import pi_session

pytestmark = pytest.mark.usefixtures("tree_shown")


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


async def test_the_list_has_every_problem_and_leads_to_its_line(browser, tmp_path):
    _bad(tmp_path)
    async with browser() as ui:
        await ui.press("tab", "exclamation_mark")
        assert ui.is_in("Damaged lines")
        text = ui.text()
        assert [n for n in range(1, 10) if f"line {n} " in text] == [4, 5, 6, 7]
        assert "'gone' is not in the file" in text
        await ui.press("down", "down", "enter")
        assert ui.focus == "tree"
        assert ui.tree.node.row_text.text == "twin"
        await ui.press("exclamation_mark", "enter")
        assert ui.focus == "tree"
        assert (ui.tree.node, ui.tree.damaged.line) == (None, 4)


async def test_the_border_counts_the_problems(browser, tmp_path):
    path = _bad(tmp_path)
    async with browser() as ui:
        await ui.until(lambda: ui.screen.beside.tree_pane.knows_branches, "the branches")
        assert "4 faults, 1 damaged line (!)" in ui.screen.query_one("#tree-pane").words[1]
        with path.open("a") as file:
            label = entry("label", "l", "z", 8, targetId="nobody", label="lost")
            file.write(json.dumps(label) + "\n")
        await ui.until(lambda: "5 faults" in ui.screen.query_one("#tree-pane").words[1], "the one that came")


async def test_a_selected_problem_has_a_row_whatever_the_filter_and_the_folds_hide(browser, tmp_path):
    _bad(tmp_path)
    async with browser() as ui:
        await ui.press("tab", "ctrl+l")
        assert not ui.tree.view.count
        await ui.press("exclamation_mark", "down", "enter")
        assert ui.tree.node.id == "x"
        assert (ui.tree.tree_filter, ui.tree.view.count) == ("labelled", 1)


async def test_escape_keeps_the_cursor(browser, tmp_path):
    _bad(tmp_path)
    async with browser() as ui:
        await ui.press("tab", "home")
        node = ui.tree.node
        await ui.press("exclamation_mark", "down", "escape")
        assert ui.tree.node is node
        assert ui.focus == "tree"


async def test_a_session_without_problems_says_so(browser, three):
    async with browser() as ui:
        await ui.press("tab", "exclamation_mark")
        assert not ui.is_in("Damaged lines")
        assert "This session has no damaged lines" in ui.toasts()


async def test_a_problem_of_a_removed_entry_is_reported(browser, tmp_path):
    path = _bad(tmp_path)
    async with browser() as ui:
        await ui.press("tab", "exclamation_mark")
        pi_session(tmp_path, *chain("anew", "two", id="bad"), id="bad")
        tree = ui.app.screen_stack[0].query_one("#tree")
        await ui.until(lambda: len(tree.view.tree.entries) == 2, "the new file")
        await ui.press("down", "enter")
        assert any("has gone" in toast for toast in ui.toasts())
        assert path.exists()


async def test_unusual_entries_have_a_mark(browser, tmp_path):
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
    async with browser(size=(160, 40)) as ui:
        await ui.press("tab", "plus")
        await ui.until(lambda: "[future]" in ui.text(), "the rows")
        rows = [line for line in ui.text().splitlines() if "│" in line]

        def row_with(text):
            return next(line for line in rows if text in line)

        assert "! its parent is not in the file" in row_with("› lost")
        assert "! id used twice" in row_with("other twin")
        assert "! its parents go round" in row_with("round")
        assert "! not known" in row_with("[future]")
        # the active path is drawn first, so that the other root is the one below
        assert "(another root)" in row_with("▾ one")
        assert "another root" not in row_with("› anew")
        # a second root on the active path is not a problem
        await ui.until(lambda: ui.screen.beside.tree_pane.knows_branches, "the branches")
        faults = ui.screen.query_one("#tree-pane").words[1]
        await ui.press("exclamation_mark")
        listed = len(ui.screen.query_one("#problems").items)
        assert f"{listed - 1} faults (!)" in faults


async def test_a_damaged_line_has_a_row_and_can_be_read(browser, tmp_path):
    _bad(tmp_path)
    async with browser(size=(160, 40)) as ui:
        assert "! line 4: " in ui.text()
        assert ui.tree.follows
        await ui.press("tab", "end")
        assert (ui.tree.node, ui.tree.damaged.line) == (None, 4)
        await ui.press("i")
        await ui.until(lambda: "{ damaged" in ui.text(), "the line")
        assert "line 4, no entry" in ui.text()
        await ui.press("r")
        await ui.until(lambda: [line.text for line in ui.entry.lines] == ["{ damaged"], "the line alone")
        await ui.press("y")
        assert ui.app.clipboard == "{ damaged"


@pytest.mark.parametrize("key", ["enter", "L", "f", "F", "C"])
async def test_actions_on_a_damaged_line_are_refused(browser, tmp_path, key):
    path = _bad(tmp_path)
    before = path.read_bytes()
    async with browser() as ui:
        await ui.press("tab", "end", key)
        assert [toast for toast in ui.toasts() if toast.startswith("Line 4 is no entry")]
        assert len(ui.app.screen_stack) == 1
        assert path.read_bytes() == before
        assert len(list(path.parent.iterdir())) == 1


async def test_a_cursor_on_a_damaged_line_returns_with_the_filter(browser, tmp_path):
    _bad(tmp_path)
    async with browser() as ui:
        await ui.press("tab", "end", "ctrl+u")
        assert ui.tree.damaged is None
        assert ui.tree.node is not None
        await ui.press("ctrl+u")
        assert ui.tree.damaged.line == 4
        await ui.press("ctrl+u", "exclamation_mark", "enter")
        assert (ui.tree.tree_filter, ui.tree.damaged.line) == ("default", 4)


async def test_escape_from_a_search_returns_to_a_damaged_line(browser, tmp_path):
    _bad(tmp_path)
    async with browser() as ui:
        await ui.press("tab", "end", "slash", *"twin")
        await ui.until(lambda: ui.tree.node is not None and "twin" in ui.tree.node.row_text.text, "a hit")
        await ui.press("escape")
        assert ui.tree.damaged.line == 4


async def test_damaged_lines_are_added_and_removed_while_the_session_grows(browser, tmp_path):
    path = _bad(tmp_path)
    async with browser() as ui:
        await ui.press("tab")
        assert ui.tree.follows
        with path.open("a") as file:
            file.write("{ more\n")
        await ui.until(lambda: ui.tree.view.rows - ui.tree.view.count == 2, "the second")
        assert ui.tree.follows
        await ui.press("end")
        assert ui.tree.damaged.line == 9
        line = json.dumps(message("n", "z", "user", "new", 9))
        with path.open("a") as file:
            file.write(line[:30])
        await ui.until(lambda: ui.tree.view.rows - ui.tree.view.count == 3, "the torn one")
        assert "line 10: the last line is unfinished" in ui.text()
        assert ui.tree.damaged.line == 9
        with path.open("a") as file:
            file.write(line[30:] + "\n")
        await ui.until(lambda: ui.tree.view.rows - ui.tree.view.count == 2, "the end of it")
        assert ui.tree.view.leaf.id == "n"
        assert ui.tree.damaged.line == 9


async def test_the_cursor_stays_on_a_torn_line_that_grows(browser, tmp_path):
    path = _bad(tmp_path)
    with path.open("a") as file:
        file.write('{"type": "message", ' + '"filling", ' * 300)
    async with browser() as ui:
        await ui.press("tab", "end")
        length = 20 + 11 * 300
        for part in ('"so": "far', " and on"):
            with path.open("a") as file:
                file.write(part)
            length += len(part)
            await ui.until(lambda at=length: ui.tree.damaged.length == at, "the newest text")
            assert ui.tree.damaged.torn
        await ui.press("r")
        await ui.until(lambda: ui.entry.lines and ui.entry.lines[-1].text.endswith(" and on"), "its end")
        await ui.press("escape")
        with path.open("a") as file:
            file.write("\n")
        await ui.until(lambda: not ui.tree.damaged.torn, "a line that is complete, and damaged")
        assert ui.tree.damaged.line == 9


async def test_the_cursor_stays_on_a_damaged_line_when_the_session_is_read_again(browser, tmp_path):
    path = _bad(tmp_path)
    async with browser() as ui:
        await ui.press("tab", "end")
        before = ui.tree.view
        copy = path.with_suffix(".copy")
        shutil.copyfile(path, copy)
        copy.replace(path)
        await ui.until(lambda: ui.tree.view is not before, "the same, read anew")
        assert ui.tree.damaged.line == 4


async def test_only_the_start_of_a_very_long_line_is_shown(browser, tmp_path):
    pi_session(tmp_path, *chain("one", "two", id="long"), "{" + "x" * (3 << 20), id="long")
    async with browser() as ui:
        await ui.press("tab", "end", "i")
        await ui.until(lambda: any("first 262,144 bytes" in line.text for line in ui.entry.lines), "it")
        await ui.until(lambda: sum(line.text.count("x") for line in ui.entry.lines) > 262_000, "all of that")
        assert sum(line.text.count("x") for line in ui.entry.lines) < 262_200


async def test_a_session_without_entries_shows_its_damaged_lines(browser, tmp_path):
    pi_session(tmp_path, *chain("one", id="none")[:1], "{ damaged", id="none")
    async with browser() as ui:
        assert "! line 2: " in ui.text()
        await ui.press("tab", "up", "left", "right", "ctrl+left", "n", "backspace", "b", "m", "at")
        assert ui.tree.damaged.line == 2


async def test_the_header_and_a_search_report_an_unreadable_file(browser, three, monkeypatch):
    secret = pi_session(three, *chain("write a login page", "done", id="secret"), id="secret")
    denied = deny(monkeypatch, str(secret))
    async with browser(size=(140, 40)) as ui:
        await ui.until(lambda: "1 file not read: leafmark doctor" in ui.text(), "the header")
        await ui.press("slash", *"login")
        await ui.until(lambda: "cannot be read: " in ui.text(), "the note")
        await ui.press("escape", "f5")
        await ui.until(lambda: ui.toasts(), "that all was looked at again")
        assert "1 file not read" in ui.text()
        denied.clear()
        await ui.press("f5")
        await ui.until(lambda: "write a login page" in ui.text(), "that it is listed")
        await ui.until(lambda: "file not read" not in ui.text(), "the header")
