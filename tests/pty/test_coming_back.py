"""The setting `after_resume = "return"`: leafmark is there again when the agent ends."""

from __future__ import annotations

import os
import shutil
import signal
import sys
import time

import pytest

from tests.terminal import Terminal

COMMAND = [sys.executable, "-m", "app"]
BASH = shutil.which("bash") or "bash"
AGENT = """
import os, signal, sys
print("agent", os.getpid(), os.getpgrp() == os.getpgid(os.getppid()), os.getcwd(), flush=True)
line = sys.stdin.readline().strip()
if line == "stop":
    os.kill(os.getpid(), signal.SIGTSTP)
    print("it goes on", flush=True)
    line = sys.stdin.readline().strip()
if line == "kill":
    os.kill(os.getpid(), signal.SIGKILL)
sys.exit(int(line or 0))
"""


@pytest.fixture
def returning(shell):
    """A shell with a fake `pi`, and a user who wants to come back."""
    shell.add_program("pi", AGENT)
    (shell.folder / "config").mkdir()
    (shell.folder / "config/config.toml").write_text('after_resume = "return"\n')
    shell.env["LEAFMARK_CONFIG_DIR"] = str(shell.folder / "config")
    return shell


def resume(terminal):
    """Resume the session under the cursor, and return the words of the agent."""
    terminal.wait_for_text("← leaf", 30)
    terminal.wait_for(lambda it: "pi --session" in it.dump())
    seen = len(terminal.chunks)
    terminal.press("enter")
    terminal.wait_for_bytes(b"agent ", 20, after=seen)
    terminal.wait_for(lambda it: not it.emulator.alternate)
    terminal.settle()
    return [line for line in terminal.lines if line.startswith("agent ")][-1].split()[1:]


def test_leafmark_is_there_again_at_the_session(returning):
    _, work, env = returning
    with Terminal(COMMAND, env=env, cwd=str(work)) as terminal:
        for answer, words in (
            ("", ""),
            ("3", "pi ended with exit code 3"),
            ("kill", "pi was ended by SIGKILL"),
        ):
            pid, is_same_group, folder = resume(terminal)
            assert int(pid) != terminal.process.pid
            assert (is_same_group, folder) == ("True", str(work))
            assert terminal.leftovers() == []
            seen = len(terminal.chunks)
            terminal.send(answer + "\n")
            terminal.wait_for_bytes(b"\x1b[?1000h", 30, after=seen)
            terminal.wait_for(lambda it: any("❯" in line and "man page" in line for line in it.lines), 30)
            if words:
                terminal.wait_for_text(words, 30)
            else:
                assert "ended" not in terminal.dump()
        terminal.wait_for_text("← leaf", 30)
        terminal.press("ctrl+q")
        assert terminal.wait() == 0


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGTERM])
def test_a_signal_ends_both(returning, number):
    _, work, env = returning
    with Terminal(COMMAND, env=env, cwd=str(work)) as terminal:
        pid = int(resume(terminal)[0])
        terminal.signal(number)
        assert terminal.wait() in (-number, 128 + number)
        wait_for_end(pid)


def test_a_terminal_that_closes_ends_both(returning):
    _, work, env = returning
    with Terminal(COMMAND, env=env, cwd=str(work)) as terminal:
        pid = int(resume(terminal)[0])
    wait_for_end(pid)
    wait_for_end(terminal.process.pid)


def wait_for_end(pid):
    for _ in range(1000):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return
        time.sleep(0.01)
    raise AssertionError(f"{pid} still runs")


def test_an_agent_that_stops_gives_the_terminal_to_the_shell(returning):
    _, work, env = returning
    with Terminal([BASH, "--norc", "--noprofile", "-i"], env={**env, "PS1": "$ "}, cwd=str(work)) as terminal:
        terminal.wait_for_text("$ ")
        terminal.send(f"{sys.executable} -m app\r")
        resume(terminal)
        terminal.send("stop\n")
        terminal.wait_for_text("Stopped", 20)
        terminal.send("fg\r")
        terminal.wait_for_text("it goes on", 20)
        # More than once: which of the two processes stops first is not always the same.
        for _ in range(5):
            seen = len(terminal.chunks)
            terminal.press("ctrl+z")
            terminal.wait_for_bytes(b"Stopped", 20, after=seen)
            seen = len(terminal.chunks)
            terminal.send("fg\r")
            terminal.settle()
            assert b"Stopped" not in b"".join(chunk.data for chunk in terminal.chunks[seen:])
        seen = len(terminal.chunks)
        terminal.send("0\r")
        terminal.wait_for_bytes(b"\x1b[?1000h", 30, after=seen)
        terminal.wait_for_text("← leaf", 30)
        seen = len(terminal.chunks)
        terminal.press("ctrl+q")
        terminal.wait_for_bytes(b"$ ", 30, after=seen)
        terminal.send("exit\r")
        assert terminal.wait() == 0


def test_the_selector_becomes_the_agent(returning):
    _, work, env = returning
    with Terminal([*COMMAND, "resume"], env=env, cwd=str(work)) as terminal:
        terminal.wait_for_text("fix the login", 30)
        terminal.wait_for(lambda it: "pi --session" in it.dump(), 30)
        terminal.press("enter")
        terminal.wait_for_text("agent ", 20)
        (line,) = (line for line in terminal.lines if line.startswith("agent "))
        assert int(line.split()[1]) == terminal.process.pid
        terminal.send("4\n")
        assert terminal.wait() == 4
