"""Any input from a terminal: leafmark goes on, and a paste is always text."""

from __future__ import annotations

import fcntl
import os
import struct
import subprocess
import sys
import termios

import pytest

from tests.pty.machine import COMMAND, leafmark
from tests.terminal import Terminal

SENSELESS = [
    b"\xff",
    b"\x1b[200~\xff\x1b[201~",
    b"\x1b[1114112u",
    b"\x1b[:A",
    b"\x1b[99999999999999999999u",
    b"\x1b[97;1;1114112u",
    b"\x1b[48;0;0;0;0t",
    b"\x1b[<99999999999999999999;1;1M",
    b"\x1b[?1;2c",
    b"\x1b[99x",
    b"\x1b]11;rgb:0000/0000/0000\x07",
    b"\x1bPq\x1b\\",
    b"\x1b[1;\xff",
]
HOSTILE_PASTE = b"\x1b[200~a\x1b[0m\x04\ry\r\x1b[201~"
DIES_AT_AN_EXCLAMATION_MARK = """
from app.startup import terminal_input
class Dying(terminal_input.TerminalInput):
    def take(self, data, now):
        if data == b"!":
            raise RuntimeError("nobody expected this")
        return super().take(data, now)
terminal_input.TerminalInput = Dying
from app.cli import start
raise SystemExit(start())
"""


def leaves(terminal):
    terminal.press("ctrl+q")
    assert terminal.wait() == 0
    assert terminal.leftovers() == []


def test_the_browser_survives_invalid_input(shell):
    _, work, env = shell
    with leafmark(env=env, cwd=str(work)) as terminal:
        terminal.wait_for_text("← leaf", 30)
        for sent in SENSELESS:
            terminal.send(sent)
            terminal.send(b"/login")
            terminal.wait_for_text("1 of 2")
            terminal.press("escape")
            terminal.wait_for(lambda it: not any("1 of 2" in line for line in it.lines))
            terminal.press("escape")
            terminal.wait_for(lambda it: not any("a phrase" in line for line in it.lines))
        leaves(terminal)


def test_pasted_text_presses_no_key(shell):
    folder, work, env = shell
    with leafmark(env=env, cwd=str(work)) as terminal:
        terminal.wait_for_text("← leaf", 30)
        terminal.send(HOSTILE_PASTE)
        terminal.send(b"/login")
        terminal.wait_for_text("1 of 2")
        leaves(terminal)
    assert len(list((folder / "home/.pi/agent/sessions/--work--").iterdir())) == 2


@pytest.mark.parametrize(("key", "opened"), [("ctrl+k", "Command, session or label"), ("ctrl+r", "Rename:")])
def test_text_pasted_into_an_input_line_is_inert(shell, key, opened):
    _, work, env = shell
    with leafmark(env=env, cwd=str(work)) as terminal:
        terminal.wait_for_text("← leaf", 30)
        terminal.press(key)
        terminal.wait_for_text(opened)
        terminal.send(b"\x1b[200~evil\x1b]52;c;aGk=\x07\xe2\x80\xae\x1b[201~")
        terminal.wait_for_text("evil␛]52;c;aGk=␇�")
        assert b"\x1b]52" not in terminal.output
        assert "\u202e".encode() not in terminal.output


def test_an_unexpected_error_of_the_key_reader_is_a_failure(shell):
    folder, work, env = shell
    command = [sys.executable, "-c", DIES_AT_AN_EXCLAMATION_MARK]
    with Terminal(command, env=env, cwd=str(work)) as terminal:
        terminal.wait_for_text("← leaf", 30)
        terminal.send(b"!")
        assert terminal.wait() == 3
        assert terminal.leftovers() == []
        assert terminal.shows("leafmark: RuntimeError: nobody expected this")
    assert "Dying" not in terminal.dump()
    assert "nobody expected this" in (folder / "state/crash.log").read_text()


def test_a_terminal_closed_without_a_signal_is_a_failure(shell):
    folder, work, env = shell
    master, slave = os.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
    streams = {"stdin": slave, "stdout": slave, "stderr": slave}
    env = {**env, "TERM": "xterm-256color"}
    # It is no process's controlling terminal: no SIGHUP reports its end.
    process = subprocess.Popen(COMMAND, env=env, cwd=work, start_new_session=True, **streams)
    os.close(slave)
    try:
        written = b""
        while "← leaf".encode() not in written:
            written += os.read(master, 65_536)
    finally:
        os.close(master)
    try:
        # The status is 3, unless Python fails to flush its output.
        assert process.wait(30) in (3, 120)
    finally:
        process.kill()
    assert not (folder / "state/crash.log").exists()
