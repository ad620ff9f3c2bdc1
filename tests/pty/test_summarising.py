"""Whatever ends leafmark ends the command that writes a summary, and all that it has started."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import sys

import pytest

from tests.terminal import Terminal
from tests.waiting import PATIENCE

COMMAND = [sys.executable, "-m", "app"]
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
    """A command for summaries, which waits for ever, and a child of its own."""

    def __init__(self, machine, shell, *, stubborn=False):
        fifo = machine.folder / "held"
        os.mkfifo(fifo)
        shell.add_program("writer", WRITER.format(fifo=str(fifo), stubborn=stubborn))
        machine.settings('summary_command = "writer"')
        self._pipe = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
        self.pids = set()

    def runs(self):
        """Wait until both run."""
        said = b""
        while said.count(b"\n") < 2:
            assert select.select([self._pipe], [], [], PATIENCE)[0], "the command does not run"
            said += os.read(self._pipe, 100)
        self.pids = {int(line) for line in said.split()}

    def is_gone(self):
        """Whether both are, now or in a while: then nobody has the pipe."""
        return bool(select.select([self._pipe], [], [], 10)[0]) and os.read(self._pipe, 100) == b""

    def clear(self):
        for pid in self.pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        os.close(self._pipe)


@pytest.fixture
def summarised(machine, empty_shell):
    """A function that has the browser wait for such a summary."""
    made = []

    @contextlib.contextmanager
    def run(**options):
        writer = Writer(machine, empty_shell, **options)
        made.append(writer)
        machine.warm()
        with Terminal(COMMAND, env=machine.env, cwd=str(machine.work)) as terminal:
            terminal.wait_for_text("← active", 30)
            terminal.press("tab", "up")
            terminal.wait_for_text("❯", 30)
            terminal.press("enter")
            terminal.wait_for_text("Go on here", 30)
            terminal.press("h")
            terminal.wait_for_text("No summary of the branch", 30)
            terminal.press("c")
            writer.runs()
            terminal.wait_for_text("writes the summary")
            yield terminal, writer

    yield run
    for writer in made:
        writer.clear()


@pytest.mark.parametrize("end", ["ctrl+q", signal.SIGTERM, signal.SIGHUP])
def test_what_ends_leafmark_ends_the_command(summarised, end):
    with summarised() as (terminal, writer):
        if isinstance(end, str):
            terminal.press(end)
        else:
            terminal.signal(end)
        assert terminal.wait(30) == (0 if isinstance(end, str) else 128 + end)
        assert terminal.leftovers() == []
        assert writer.is_gone()


def test_one_that_does_not_end_when_it_is_told_to_is_killed(summarised):
    with summarised(stubborn=True) as (terminal, writer):
        terminal.signal(signal.SIGHUP)
        # the terminal is not held up by it
        terminal.wait_for_bytes(b"\x1b[?1049l")
        assert terminal.wait(30) == 128 + signal.SIGHUP
        assert writer.is_gone()


def test_whoever_asks_twice_need_not_wait_for_it(summarised):
    with summarised(stubborn=True) as (terminal, writer):
        terminal.press("ctrl+q")
        terminal.wait_for_bytes(b"\x1b[?1049l")
        terminal.signal(signal.SIGTERM)
        assert terminal.wait(30) in (0, 128 + signal.SIGTERM)
        assert writer.is_gone()


def test_one_that_was_given_up_is_not_left_behind(summarised):
    with summarised(stubborn=True) as (terminal, writer):
        terminal.press("escape")
        terminal.wait_for(lambda it: not it.shows("writes the summary"))
        terminal.press("q")
        assert terminal.wait(30) == 0
        assert writer.is_gone()
