"""Take the terminal over from the first frame without clearing it.

The first frame is in the alternate screen already (``app.startup.first_frame``). To enter it again would
clear it, and the rows would disappear and come back. This module exists because `LinuxDriver` of Textual
8.2.8

- writes the sequence that enters the alternate screen at every start;
- ends the app if input is not UTF-8 (``app.startup.terminal_input``), and reads a closed terminal in a loop;
- ends its output thread at an error of the terminal, after which writes wait for ever;
- writes to the terminal inside the handler of the stop signal;
- takes the size of the screen from standard output, which may be a pipe;
- does not ask the terminal for the keys of the base layout (`app.startup.terminal_input.with_base_key`).

This module becomes unnecessary, except for the call of `place_wide_glyphs`, if Textual's driver has none of
these properties and an option to start in the alternate screen.
"""

from __future__ import annotations

import asyncio
import contextvars
import os
import select
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, TextIO

from textual.driver import Driver
from textual.drivers.linux_driver import LinuxDriver

from app.signals import ExitSignals, HeldStop
from app.startup.terminal_input import TerminalInput
from app.view.terminal import encodes_all
from app.view.wide_glyphs import place_wide_glyphs

ENTER_ALTERNATE_SCREEN = "\x1b[?1049h"
KITTY_KEYS, KITTY_KEYS_WITH_ALTERNATES = "\x1b[>25u", "\x1b[>29u"
"""Textual's request for kitty's keyboard protocol, and the same with the alternates of each key."""
LOOK_SECONDS = 0.1
"""Seconds between two checks for unfinished sequences and for the end of the driver."""
READ_BYTES = 65_536


class TerminalGone(OSError):
    """The terminal is closed."""


class TerminalOutput:
    """The output stream of the terminal. Errors of a closed terminal are ignored: a signal reports it, and an
    error would end the thread in which Textual writes. Later writes would then fill its queue and wait for
    ever.

    The text behind glyphs that terminals draw in different widths is placed in that thread, too.
    """

    def __init__(self, file: TextIO) -> None:
        self._file = file
        encoding = getattr(file, "encoding", None) or "utf-8"
        self._poor = "" if encodes_all(encoding) else encoding

    def write(self, text: str) -> int:
        text = place_wide_glyphs(text)
        if self._poor and not text.isascii():
            # the stream itself would write an escape for a missing character, which takes more cells
            text = text.encode(self._poor, "replace").decode(self._poor)
        with suppress(OSError):
            self._file.write(text)
        return len(text)

    def flush(self) -> None:
        with suppress(OSError):
            self._file.flush()

    def fileno(self) -> int:
        return self._file.fileno()


def driver_class(restore: Callable[[], None], gone: Callable[[], None]) -> type[Driver]:
    """The class of the driver of the application.

    :param restore: gives the terminal the settings that it had before the first frame. The driver itself
        restores those of the first frame, with which other programs could not be used.
    :param gone: called by the event loop when the terminal is closed.
    """

    class TakeOverDriver(LinuxDriver):
        """A driver that starts in the alternate screen and leaves it at the end."""

        _entered = False
        _has_terminal = False
        _is_away = False
        _file: Any

        def __init__(self, *arguments: Any, **named: Any) -> None:
            held = signal.getsignal(signal.SIGTSTP)
            super().__init__(*arguments, **named)
            self._file = TerminalOutput(self._file)
            self._stop_at_once = isinstance(held, HeldStop) and held.asked
            self._context = contextvars.copy_context()

        def write(self, data: str) -> None:
            if data == ENTER_ALTERNATE_SCREEN and not self._entered:
                self._entered = True
                return
            # while another program has the terminal, output is dropped
            if not self._is_away:
                super().write(KITTY_KEYS_WITH_ALTERNATES if data == KITTY_KEYS else data)

        def start_application_mode(self) -> None:
            self._is_away, self._key_thread = False, None
            super().start_application_mode()  # type: ignore[no-untyped-call]  # it has no annotations
            # Textual returns early, without an input thread, if the process is in the background
            self._has_terminal = self._key_thread is not None
            self._is_away = not self._has_terminal
            if self._stop_at_once:
                self._stop_at_once = False
                self._sigtstp_application()

        def stop_application_mode(self) -> None:
            self._has_terminal = False
            super().stop_application_mode()
            restore()

        def run_input_thread(self) -> None:
            """Textual's input thread with our own reader of sequences."""
            source = TerminalInput(debug=self._debug)
            while not self.exit_event.is_set():
                if select.select([self.fileno], [], [], LOOK_SECONDS)[0]:
                    data = os.read(self.fileno, READ_BYTES)
                    if not data:
                        raise TerminalGone
                    for message in source.take(data, time.monotonic()):
                        self.process_message(message)
                for message in source.waited(time.monotonic()):
                    self.process_message(message)

        def _run_input_thread(self) -> None:
            try:
                self.run_input_thread()
            except OSError:
                self._call(gone)
            except Exception as error:
                failure = error
                self._call(lambda: self._fail(failure))

        def _fail(self, error: Exception) -> None:
            try:
                raise error
            except Exception:
                # Textual prints the traceback of the exception that is being handled.
                self._app._handle_exception(error)

        def _sigtstp_application(self, *_: object) -> None:
            if self._loop.is_closed() or not self._auto_restart:
                # another program has the terminal, and the loop waits for it
                os.kill(os.getpid(), signal.SIGSTOP)
            else:
                # The event loop writes, because the handler may have interrupted a write: a second write
                # would wait for its lock.
                self._call(self._stop)

        def _sigcont_application(self, *_: object) -> None:
            if not self._loop.is_closed() and self._auto_restart:
                self._call(self._take_back)

        def _call(self, do: Callable[[], object]) -> None:
            """Let the event loop call a function. Any thread may call this."""
            self._loop.call_soon_threadsafe(do, context=self._context)

        def _stop(self) -> None:
            """Give the terminal to the shell, and stop the process."""
            if self._has_terminal:
                self._release_terminal()
            os.kill(os.getpid(), signal.SIGSTOP)

        def suspend_group(self) -> None:
            """Give the terminal to the shell, and stop the process with its process group, as the terminal
            does for Ctrl+Z: the shell may have started another program, which runs leafmark. Call it in the
            event loop.
            """
            if self._has_terminal:
                self._release_terminal()
            os.killpg(0, signal.SIGSTOP)

        def _take_back(self) -> None:
            """Take the terminal back from the shell, which may have changed its settings."""
            if self._has_terminal:
                # the process was stopped by SIGSTOP, which no handler sees
                self._release_terminal()
            if self._is_away:
                self._must_signal_resume = True
                self.resume_application_mode()

        def _release_terminal(self) -> None:
            self.suspend_application_mode()
            self._is_away = True

        def _get_terminal_size(self) -> tuple[int, int]:
            # Textual takes the size of standard output, which is a pipe if a shell captures the output of
            # `resume --print`
            try:
                return os.get_terminal_size(self.fileno)
            except OSError:
                return super()._get_terminal_size()

    return TakeOverDriver


def suspend(driver: object) -> str:
    """Stop the process until the shell continues it. Call it in the event loop.

    :return: why that is not possible; "" if it was done.
    """
    stop = getattr(driver, "suspend_group", None)
    if stop is None:
        return "this terminal does not support it"
    if os.getpgrp() == os.getsid(0):
        # The session's first process was started by no shell that could continue it.
        return "no shell here could continue leafmark"
    stop()
    return ""


@contextmanager
def call_on_end(
    ending: ExitSignals, loop: asyncio.AbstractEventLoop, leave: Callable[[], object]
) -> Iterator[None]:
    """In this context, a request to end the process makes the running `loop` call `leave`.

    It must be entered in the main thread.
    """
    # a handler runs in the context of the code that it interrupts
    context = contextvars.copy_context()
    with _woken_by_signals(loop):
        ending.on_signal(lambda: loop.call_soon_threadsafe(leave, context=context))
        try:
            yield
        finally:
            ending.on_signal(None)


@contextmanager
def _woken_by_signals(loop: asyncio.AbstractEventLoop) -> Iterator[None]:
    """Wake the event loop for signals: any thread may get one, but only the main one runs handlers."""
    source, target = os.pipe()
    os.set_blocking(target, False)
    before = signal.set_wakeup_fd(target, warn_on_full_buffer=False)
    loop.add_reader(source, os.read, source, 4096)
    try:
        yield
    finally:
        loop.remove_reader(source)
        signal.set_wakeup_fd(before)
        os.close(source)
        os.close(target)
