"""The user's editor and pager get the terminal, and leafmark takes it back afterwards."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.factory import chain, write_session
from tests.pty.machine import leafmark

EDITOR = """
import os, sys
print("EDITS", open(sys.argv[-1]).read(), os.isatty(1), flush=True)
try:
    print("READ", sys.stdin.readline().strip(), flush=True)
    sys.stdin.readline()
except KeyboardInterrupt:
    print("INTERRUPTED", flush=True)
    sys.stdin.readline()
"""


@pytest.fixture
def shell(empty_shell):
    """A folder with a session, and an environment with an editor that reads lines."""
    folder, work, env = empty_shell
    store = folder / "home/.pi/agent/sessions/--work--"
    write_session(store / "2026_aaaa.jsonl", *chain("question", "the answer", id="aaaa", cwd=str(work)))
    empty_shell.add_program("lineeditor", EDITOR)
    (folder / "tmp").mkdir()
    env |= {"TMPDIR": str(folder / "tmp"), "EDITOR": "lineeditor", "PAGER": "lineeditor"}
    return empty_shell


@pytest.mark.parametrize("key", ["e", "|"])
def test_the_editor_or_pager_has_the_terminal_until_it_ends(shell, key):
    _, work, env = shell
    with leafmark(env=env, cwd=str(work)) as terminal:
        terminal.wait_for_text("← leaf", 30)
        terminal.wait_for_text("the answer")
        terminal.press("t", key)
        terminal.wait_for_text("EDITS the answer", 20)
        assert terminal.leftovers() == []
        terminal.send("hello\n")
        terminal.wait_for_text("READ hello")
        terminal.press("ctrl+c")
        terminal.wait_for_text("INTERRUPTED")
        terminal.send("\n")
        terminal.wait_for(lambda it: it.emulator.alternate and it.shows("← leaf"), 20)
        assert not list(Path(env["TMPDIR"]).glob("leafmark-*"))
        terminal.press("q")
        assert terminal.wait() == 0
        assert terminal.leftovers() == []
