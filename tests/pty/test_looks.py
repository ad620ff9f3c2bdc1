"""Terminals without colours, with sixteen, and with ASCII alone, driven by keys and the mouse. Each program
start does all that is looked at in one kind of terminal.
"""

from __future__ import annotations

import re
import sys

import pytest

from tests.factory import chain, write_session
from tests.terminal import Terminal

COMMAND = [sys.executable, "-m", "app"]
# Sequences that set one of eight colours, a bright one, or one of a larger table.
COLOURS = re.compile(rb"\x1b\[(?:[\d;]*;)?(?:3[0-8]|4[0-8]|9[0-7]|10[0-7])(?:;[\d;]*)?m")
MANY_COLOURS = re.compile(rb"\x1b\[(?:[\d;]*;)?[34]8[;:][\d;:]*m")
ANSWER = "see\n```python\ndef f():\n    return 1\n```\n| a | b |\n|---|---|\n| 1 | 2 |"


@pytest.fixture
def shell(shell):
    lines = chain("show me code", ANSWER, "thanks", id="code", cwd=str(shell.work))
    lines[-1]["timestamp"] = "2026-05-03T12:00:00.000Z"
    write_session(shell.folder / "home/.pi/agent/sessions/--work--/2026_code.jsonl", *lines)
    (shell.folder / "config").mkdir()
    shell.env["LEAFMARK_CONFIG_DIR"] = str(shell.folder / "config")
    return shell


def started(shell, *variables):
    """Run leafmark with other variables than those of a terminal with many colours."""
    return Terminal(["env", *variables, *COMMAND], env=shell.env, cwd=str(shell.work))


def read_code(terminal, leaf="← leaf"):
    """Read the transcript with the code, and go back."""
    terminal.wait_for_text(leaf, 30)
    terminal.press("v")
    terminal.wait_for_text("zoomed", 20)
    terminal.wait_for_text("return 1", 20)
    terminal.press("v")
    terminal.wait_for(lambda it: not it.shows("zoomed"), 20)


def test_without_colours_the_mouse_selects_drags_and_clicks_what_the_footer_offers(shell):
    with started(shell, "NO_COLOR=1") as terminal:
        read_code(terminal)
        terminal.settle()
        # A row, and the column between the list and the transcript, which follows the pointer.
        terminal.click(*terminal.find("fix the login"))
        terminal.wait_for(lambda it: any("❯" in line and "fix the login" in line for line in it.lines), 20)
        column, row = terminal.find("┬")
        terminal.drag((column, row + 5), (column + 12, row + 5))
        terminal.wait_for(lambda it: it.find("┬")[0] == column + 12, 20)
        # Reports of places that the screen does not have.
        for place in ((500, 500), (-1, -1), (0, 10_000_000)):
            terminal.click(*place)
            terminal.wheel(*place, 1)
        terminal.settle()
        assert terminal.process.poll() is None
        # A hint in the footer.
        terminal.click(*terminal.find("help", last=True))
        terminal.wait_for_text("g G scroll", 20)
        terminal.press("escape")
        terminal.wait_for(lambda it: not it.shows("g G scroll"), 20)
        assert not COLOURS.search(terminal.output)
        assert b"\x1b[7" in terminal.output or b";7" in terminal.output, "the row of the cursor is reversed"


def test_sixteen_colours_and_ascii_show_all_panes_and_help(shell):
    (shell.folder / "config/config.toml").write_text("ascii = true\n")
    with started(shell, "-u", "COLORTERM", "TERM=xterm") as terminal:
        read_code(terminal, "< leaf")
        terminal.press("?")
        terminal.wait_for_text("g G scroll", 20)
        terminal.press("escape")
        terminal.wait_for(lambda it: not it.shows("g G scroll"), 20)
        terminal.press("/", *"has:")
        terminal.wait_for_text("has: at least one", 20)
        terminal.press("tab")
        terminal.wait_for(lambda it: not it.shows("has: at least one"), 20)
        assert terminal.output.isascii()
        assert COLOURS.search(terminal.output)
        assert not MANY_COLOURS.search(terminal.output)
