"""The mouse in a real pseudo-terminal, as terminals report it (SGR, mode 1006).

A click selects, a double click opens and starts no agent, and the wheel scrolls the pane under the pointer.
"""

from __future__ import annotations

import re
from itertools import takewhile

import pytest

from tests.factory import chain, write_session
from tests.pty.machine import COMMAND, planned, pointed, shown


@pytest.fixture
def many(machine):
    """The machine with fifty more sessions, of which the newest is long."""
    for at in range(50):
        texts = [f"line {number:02}" for number in range(60 if at == 0 else 1)]
        lines = chain(f"task {at:02}", *texts, id=f"s{at:02}", cwd=str(machine.work))
        lines[-1]["timestamp"] = f"2026-05-02T12:{59 - at:02}:00.000Z"
        write_session(machine.page.parent / f"2026_s{at:02}.jsonl", *lines)
    return machine


def browser(machine):
    return machine.terminal(command=COMMAND)


def panes(terminal):
    """Whether the panes are filled: the tree is read."""
    terminal.wait_for_bytes(b"\x1b[?1000h", 30)
    terminal.wait_for_text("← leaf", 30)
    terminal.settle()


def left(terminal):
    """Return the rows of the sessions, without the pane beside or below them."""
    rows = takewhile(lambda line: line[0] not in "─━", terminal.lines[2:-2])
    return [re.split("[│├]", row, maxsplit=1)[0] for row in rows]


# The selector


def test_a_click_selects_and_a_double_click_reads(machine):
    with machine.terminal() as terminal:
        pointed(terminal, "write a man page")
        shown(terminal)
        terminal.click(*terminal.find("fix the login"))
        pointed(terminal, "fix the login")
        planned(terminal, "aaaa-login")
        terminal.wait_for_text("too early")
        terminal.wait_for_text("─ fix the login")
        # Not at the place of the last click: it would count as a double click.
        terminal.click(*terminal.find("write a man page"), times=2)
        # The conversation has the keys.
        terminal.wait_for_text("━ write a man page")
        planned(terminal, "bbbb-page")
        terminal.settle()
        assert terminal.process.poll() is None
    assert machine.ran() is None


def test_a_double_click_on_a_session_without_folder_reads(machine):
    machine.work.rename(machine.folder / "elsewhere")
    with machine.terminal(cwd=machine.other) as terminal:
        pointed(terminal, "dark mode please")
        shown(terminal)
        terminal.press("tab")
        terminal.wait_for_text("fix the login")
        terminal.click(*terminal.find("fix the login"), times=2)
        terminal.wait_for_text("━ fix the login")
        terminal.wait_for_text("Cannot resume: its folder is gone")
        terminal.settle()
        assert not terminal.shows("f fork into another folder"), "a double click opens no dialog"
    assert machine.ran() is None


def test_the_wheel_keeps_the_cursor_of_the_list_that_it_is_over_in_view(many):
    with many.terminal(size=(80, 24)) as terminal:
        pointed(terminal, "task 00")
        shown(terminal)
        terminal.wait_for_text("line 59")
        column, row = terminal.find("task 03")
        terminal.wheel(column, row, 5)
        terminal.wait_for(lambda it: not any("task 00" in line for line in left(it)[:8]))
        terminal.settle()
        assert "❯" in left(terminal)[1], "the first row in view is the nearest one"
        terminal.click(column, row)
        terminal.wait_for(lambda it: "❯" in it.lines[row], 30)
        terminal.wheel(column, row, -9)
        pointed_at = terminal.lines[row][column : column + 7]
        terminal.wait_for_text("task 00")
        assert pointed_at != "task 03", "what was scrolled to is what was clicked"


def test_a_click_in_the_search_box_gives_it_the_focus(machine):
    with machine.terminal() as terminal:
        pointed(terminal, "write a man page")
        shown(terminal)
        terminal.press("shift+tab")
        terminal.wait_for_text("Space")
        terminal.click(20, 1)
        terminal.wait_for_text("Esc leave")
        terminal.send("login")
        terminal.wait_for_text("1 of 2", 30)


# The browser


def test_a_double_click_on_a_project_heading_folds_it(machine):
    with browser(machine) as terminal:
        pointed(terminal, "write a man page")
        panes(terminal)
        column, row = terminal.find("▾ ")
        terminal.click(column + 8, row)
        terminal.wait_for(lambda it: "❯" in it.lines[row])
        assert any("fix the login" in line for line in left(terminal))
        terminal.click(column + 3, row, times=2)
        terminal.wait_for(lambda it: not any("fix the login" in line for line in left(it)))
        terminal.settle()
        terminal.click(column + 5, row, times=2)
        terminal.wait_for(lambda it: any("fix the login" in line for line in left(it)))
    assert machine.ran() is None


def test_a_double_click_on_a_session_reads(machine):
    with browser(machine) as terminal:
        pointed(terminal, "write a man page")
        panes(terminal)
        terminal.click(*terminal.find("fix the login"), times=2)
        terminal.wait_for_text("prompt 1 of 1")
        terminal.wait_for_text("too early")
        terminal.settle()
        assert terminal.process.poll() is None
    assert machine.ran() is None


def test_in_the_tree_a_double_click_reads_from_there(machine):
    with browser(machine) as terminal:
        pointed(terminal, "write a man page")
        panes(terminal)
        terminal.press("t")
        terminal.wait_for_text("› write a man page")
        terminal.click(*terminal.find("› write a man page"), times=2)
        terminal.wait_for_text("zoomed")
        terminal.wait_for_text("prompt 1 of 2")
    assert machine.ran() is None
