"""The end of leafmark ends the command that writes a summary, and all processes that it has started."""

from __future__ import annotations

import contextlib
import os
import select
import signal

import pytest

from tests.pty.machine import leafmark
from tests.waiting import PATIENCE

WRITER = """
import os, signal, sys
if {stubborn}:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
held = os.open({fifo!r}, os.O_WRONLY)
os.fork()
os.write(held, b"%d\\n" % os.getpid())
while True:
    signal.pause()
"""


class Writer:
    """A summary command that never ends, and its child process."""

    def __init__(self, machine, shell, *, stubborn=False):
        fifo = machine.folder / "held"
        os.mkfifo(fifo)
        shell.add_program("writer", WRITER.format(fifo=str(fifo), stubborn=stubborn))
        machine.settings('summary_command = "writer"')
        self.pipe = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
        self.pids = set()

    def runs(self):
        """Wait until both processes run."""
        said = b""
        while said.count(b"\n") < 2:
            assert select.select([self.pipe], [], [], PATIENCE)[0], "the command does not run"
            said += os.read(self.pipe, 100)
        self.pids = {int(line) for line in said.split()}

    def is_gone(self):
        """Wait until both processes have ended: then no process has the pipe open."""
        return bool(select.select([self.pipe], [], [], PATIENCE)[0]) and os.read(self.pipe, 100) == b""

    def clear(self):
        for pid in self.pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        os.close(self.pipe)


@pytest.fixture
def summarised(machine, empty_shell):
    """Return a function that makes the browser wait for such a summary."""
    made = []

    @contextlib.contextmanager
    def run(**options):
        writer = Writer(machine, empty_shell, **options)
        made.append(writer)
        machine.warm()
        with leafmark(env=machine.env, cwd=str(machine.work)) as terminal:
            terminal.wait_for_text("← leaf", 30)
            terminal.press("t", "up")
            terminal.wait_for_text("❯", 30)
            terminal.press("enter")
            terminal.wait_for_text("This session", 30)
            terminal.press("tab", "right")
            terminal.wait_for_text("Writes   one line", 30)
            terminal.press("tab", "tab", "right", "right")
            terminal.wait_for_text("(•) By command", 30)
            terminal.press("ctrl+s")
            writer.runs()
            terminal.wait_for_text("writes the summary")
            yield terminal, writer

    yield run
    for writer in made:
        writer.clear()


@pytest.mark.parametrize("end", ["ctrl+q", signal.SIGTERM, signal.SIGHUP])
@pytest.mark.slow
def test_the_end_of_leafmark_ends_the_command(summarised, end):
    with summarised() as (terminal, writer):
        if isinstance(end, str):
            terminal.press(end)
        else:
            terminal.signal(end)
        assert terminal.wait(30) == (0 if isinstance(end, str) else 128 + end)
        assert terminal.leftovers() == []
        assert writer.is_gone()


@pytest.mark.slow
def test_a_command_that_ignores_sigterm_is_killed(summarised):
    with summarised(stubborn=True) as (terminal, writer):
        terminal.signal(signal.SIGHUP)
        # The command does not delay the restored terminal.
        terminal.wait_for_bytes(b"\x1b[?1049l")
        assert terminal.wait(30) == 128 + signal.SIGHUP
        assert writer.is_gone()


def test_quitting_twice_does_not_wait_for_the_command(summarised):
    with summarised(stubborn=True) as (terminal, writer):
        terminal.press("ctrl+q")
        terminal.wait_for_bytes(b"\x1b[?1049l")
        terminal.signal(signal.SIGTERM)
        assert terminal.wait(30) in (0, 128 + signal.SIGTERM)
        assert writer.is_gone()
