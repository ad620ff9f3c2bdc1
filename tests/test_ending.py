"""Signals that end leafmark: the order of steps, the exit status, and that no signal is lost."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from app.signals import ExitSignals
from app.startup.driver import call_on_end
from app.startup.first_frame import Terminal
from tests.cases import cases

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parent.parent
ENDING = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT]
SECONDS = 20


@pytest.fixture
def ending() -> Iterator[ExitSignals]:
    """Install the signal handlers in a process that is not leafmark."""
    taken = ExitSignals(is_process=False)
    taken.take()
    try:
        yield taken
    finally:
        taken.give_back()


DROPS = """
import os, signal, sys
sys.path.insert(0, sys.argv[1])
from app.signals import ExitSignals
ending = ExitSignals(is_process=True)
for text in (b"second", b"first "):
    ending.first(lambda text=text: os.write(1, text))
ending.take()

class Drops:
    def __del__(self):
        # whatever is raised in here is dropped
        os.kill(os.getpid(), int(sys.argv[2]))
        for _ in range(100):
            pass

Drops()
os.write(1, b"went on")
"""


@cases("ignored", [False, True])
@cases("number", ENDING)
def test_a_process_ends_even_if_no_exception_can_be_raised(number: signal.Signals, ignored: bool) -> None:
    before = signal.signal(number, signal.SIG_IGN) if ignored else signal.getsignal(number)
    try:
        done = subprocess.run(
            [sys.executable, "-I", "-c", DROPS, str(ROOT), str(int(number))],
            capture_output=True,
            timeout=60,
            check=False,
        )
    finally:
        signal.signal(number, before)
    assert (done.returncode, done.stdout, done.stderr) == (128 + number, b"first second", b"")


@pytest.mark.parametrize("number", ENDING)
def test_another_process_is_asked_to_end(ending: ExitSignals, number: signal.Signals) -> None:
    done: list[str] = []
    ending.first(lambda: done.append("given back"))
    with pytest.raises(SystemExit) as raised:
        signal.raise_signal(number)
    assert raised.value.code == ending.status == 128 + number
    signal.raise_signal(signal.SIGTERM)
    assert (done, ending.status) == (["given back"], 128 + number)


def test_a_signal_during_exit_changes_nothing(ending: ExitSignals) -> None:
    done: list[str] = []
    ending.first(lambda: done.append("last"))
    ending.first(lambda: signal.raise_signal(signal.SIGHUP))
    with pytest.raises(SystemExit) as raised:
        signal.raise_signal(signal.SIGTERM)
    assert (raised.value.code, done) == (128 + signal.SIGTERM, ["last"])


def test_the_previous_handlers_are_restored() -> None:
    before = [signal.getsignal(number) for number in ENDING]
    ending = ExitSignals(is_process=False)
    ending.take()
    assert all(signal.getsignal(number) not in before for number in ENDING)
    ending.give_back()
    assert [signal.getsignal(number) for number in ENDING] == before


@pytest.mark.parametrize("number", ENDING)
def test_a_running_loop_is_notified_and_no_exception_is_raised(
    ending: ExitSignals, number: signal.Signals
) -> None:
    async def run() -> None:
        leaving = asyncio.Event()
        with call_on_end(ending, asyncio.get_running_loop(), leaving.set):
            signal.raise_signal(number)
            await asyncio.wait_for(leaving.wait(), SECONDS)

    asyncio.run(run())
    assert ending.status == 128 + number
    with pytest.raises(SystemExit):
        ending.leave()


def test_an_idle_loop_is_notified_of_a_signal_to_another_thread(ending: ExitSignals) -> None:
    async def run() -> bool:
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[bool] = loop.create_future()
        leaving = threading.Event()

        def kill() -> None:
            signal.pthread_kill(threading.get_ident(), signal.SIGTERM)
            was_told = leaving.wait(SECONDS)
            loop.call_soon_threadsafe(answer.set_result, was_told)

        with call_on_end(ending, loop, leaving.set):
            # The signal must come while the loop rests.
            thread = threading.Thread(target=kill)
            loop.call_soon(lambda: loop.call_soon(thread.start))
            return await answer

    assert asyncio.run(run())


def test_restoring_a_closed_terminal_prints_nothing() -> None:
    master, slave = os.openpty()
    try:
        terminal = Terminal(slave, slave)
        terminal.enter("a picture")
    finally:
        os.close(master)
    try:
        with pytest.raises(OSError, match="Input/output"):
            os.write(slave, b"gone")
        terminal.give_back()
        terminal.restore()
    finally:
        os.close(slave)


def test_a_terminal_is_restored_once() -> None:
    master, slave = os.openpty()

    def written() -> bytes:
        os.write(slave, b"end")
        data = b""
        while not data.endswith(b"end"):
            data += os.read(master, 4096)
        return data

    try:
        terminal = Terminal(slave, slave)
        terminal.enter("picture")
        terminal.give_back()
        terminal.give_back()
        assert written().count(b"\x1b[?1049l") == 1
        terminal.enter("picture")
        terminal.is_left()
        terminal.give_back()
        assert b"\x1b[?1049l" not in written()
    finally:
        os.close(master)
        os.close(slave)
