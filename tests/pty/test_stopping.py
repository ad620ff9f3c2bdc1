"""Stop and continue leafmark: the shell has the terminal meanwhile, and then leafmark has it again."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time

import pytest

from tests.terminal import Terminal

COMMAND = [sys.executable, "-m", "app"]
BASH = shutil.which("bash") or "bash"
SHELL = b"the shell was here "


@pytest.fixture
def known(shell):
    """A shell whose sessions are indexed already: the first frame shows them."""
    subprocess.run([*COMMAND, "list"], env=shell.env, cwd=shell.work, check=True, capture_output=True)
    return shell


def stop(terminal, number):
    terminal.signal(number)
    for _ in range(1000):
        pid, status = os.waitpid(terminal.process.pid, os.WUNTRACED | os.WNOHANG)
        if pid:
            break
        time.sleep(0.01)
    assert pid, "it does not stop"
    assert os.WIFSTOPPED(status)


def go_on(terminal):
    """Continue leafmark, on a terminal that shows other text."""
    terminal.settle(0.05)
    terminal.emulator.feed(b"\x1b[H" + SHELL * 40)
    terminal.signal(signal.SIGCONT)


@pytest.mark.parametrize(
    ("words", "number"), [([], signal.SIGTSTP), (["resume"], signal.SIGTSTP), ([], signal.SIGSTOP)]
)
def test_the_whole_screen_is_drawn_again(known, words, number):
    _, work, env = known
    with Terminal([*COMMAND, *words], env=env, cwd=str(work)) as terminal:
        terminal.wait_for_text("fix the login")
        terminal.wait_for_bytes(b"\x1b[?2004h", 30)
        # The preview and the problem arrive after the rows, on a busy machine much later.
        terminal.wait_for_text("← leaf")
        terminal.wait_for_text("not on PATH")
        terminal.settle()
        before = terminal.lines
        for _ in range(2):
            stop(terminal, number)
            if number == signal.SIGTSTP:
                assert terminal.leftovers() == []
            seen = len(terminal.chunks)
            go_on(terminal)
            terminal.wait_for_bytes(b"\x1b[?2004h", after=seen)
            terminal.wait_for(lambda it: it.lines == before)
            assert terminal.emulator.alternate
        terminal.press("ctrl+q")
        assert terminal.wait() == 0
        assert terminal.leftovers() == []


def test_a_stop_before_textual_waits_for_textual(known):
    _, work, env = known
    with Terminal(COMMAND, env=env, cwd=str(work)) as terminal:
        terminal.wait_for_bytes(b"\x1b[?1049h", 30)
        stop(terminal, signal.SIGTSTP)
        assert terminal.leftovers() == []
        go_on(terminal)
        terminal.wait_for_text("← leaf", 30)
        terminal.wait_for_text("fix the login")
        terminal.wait_for(lambda it: "shell" not in it.dump())
        terminal.press("q")
        assert terminal.wait() == 0
        assert terminal.leftovers() == []


def test_control_z_gives_the_terminal_to_the_shell(known):
    _, work, env = known
    with Terminal([BASH, "--norc", "--noprofile", "-i"], env={**env, "PS1": "$ "}, cwd=str(work)) as terminal:
        terminal.wait_for_text("$ ")
        terminal.send(f"{sys.executable} -m app\r")
        # It waits if it is pressed before Textual has the terminal.
        terminal.wait_for_bytes(b"\x1b[?1049h", 30)
        for _ in range(2):
            terminal.press("ctrl+z")
            terminal.wait_for_text("Stopped", 30)
            assert not terminal.emulator.alternate
            terminal.send("clear; echo the sh''ell is here\r")
            terminal.wait_for_text("the shell is here")
            seen = len(terminal.chunks)
            terminal.send("fg\r")
            terminal.wait_for_bytes(b"\x1b[?1000h", 30, after=seen)
            terminal.wait_for_text("fix the login", 30)
            assert terminal.emulator.alternate
        seen = len(terminal.chunks)
        terminal.press("ctrl+q")
        # Keys before the prompt are lost: leafmark drops them as it leaves.
        terminal.wait_for_bytes(b"$ ", 30, after=seen)
        assert not terminal.emulator.alternate
        assert "the shell is here" in "\n".join(terminal.lines)
        terminal.send("exit\r")
        assert terminal.wait() == 0


def test_control_z_does_nothing_without_a_shell(known):
    _, work, env = known
    with Terminal([*COMMAND, "resume"], env=env, cwd=str(work)) as terminal:
        terminal.wait_for_text("fix the login", 30)
        terminal.press("ctrl+z")
        terminal.wait_for_text("Not suspended: no shell", 30)
        terminal.press("ctrl+q")
        assert terminal.wait() == 0


def test_it_stops_at_once_while_another_program_has_the_terminal(known):
    folder, work, env = known
    editor = folder / "editor"
    editor.write_text(f"#!{sys.executable}\nprint('EDITS', flush=True)\ninput()\n")
    editor.chmod(0o755)
    with Terminal(COMMAND, env={**env, "EDITOR": str(editor)}, cwd=str(work)) as terminal:
        terminal.wait_for_text("← leaf", 30)
        terminal.press("t", "e")
        terminal.wait_for_text("EDITS", 20)
        stop(terminal, signal.SIGTSTP)
        terminal.signal(signal.SIGCONT)
        terminal.settle()
        assert terminal.leftovers() == [], "it is still the editor's"
        terminal.send("\r")
        terminal.wait_for_text("← leaf", 20)
        terminal.press("q")
        assert terminal.wait() == 0
        assert terminal.leftovers() == []
