"""Taking the terminal over from the first frame without clearing it, and the signals from who has had them.

The first frame is in the alternate screen already (``app.startup.first_frame``). Entering it again would
clear it, and the user would see the rows go and come back.
"""

from __future__ import annotations

import contextvars
import os
import select
import signal
import sys
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from app.view.terminal import draws_all
from app.view.wide_glyphs import placed

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable, Iterator
    from typing import Any, TextIO

    from textual.driver import Driver

    from app.signals import Ending

ENTER_ALTERNATE_SCREEN = "\x1b[?1049h"
LOOK_SECONDS = 0.1
"""So often what has come is looked at for what has no end."""
READ_BYTES = 65_536


class TerminalGone(OSError):
    """The terminal has nothing more to say."""


class Output:
    """A terminal as what is written to, also when it is gone: then nothing is. A signal tells of that. An
    error would end the thread in which Textual writes, and all that comes after would wait for it.

    In that thread, too, what terminals count differently is placed.
    """

    def __init__(self, file: TextIO) -> None:
        self._file = file
        encoding = getattr(file, "encoding", None) or "utf-8"
        self._poor = "" if draws_all(encoding) else encoding

    def write(self, text: str) -> int:
        text = placed(text)
        if self._poor and not text.isascii():
            # the stream itself would write an escape for what it lacks, in more cells
            text = text.encode(self._poor, "replace").decode(self._poor)
        with suppress(OSError):
            self._file.write(text)
        return len(text)

    def flush(self) -> None:
        with suppress(OSError):
            self._file.flush()

    def fileno(self) -> int:
        return self._file.fileno()


def driver_class(restore: Callable[[], None], gone: Callable[[], None]) -> type[Driver] | None:
    """Textual's driver for this system, which does not enter the alternate screen; None where the usual
    one must do.

    :param restore: gives the terminal the settings it had before the first frame. The driver finds those of
        the first frame, which another program that gets the terminal could not be used with.
    :param gone: called by the loop when nothing comes from the terminal any more, nor will.
    """
    if sys.platform == "win32":
        return None
    from textual.drivers.linux_driver import LinuxDriver

    from app.signals import HeldStop
    from app.startup.terminal_input import TerminalInput

    class TakeOverDriver(LinuxDriver):
        """Finds the alternate screen entered, and leaves it at the end."""

        _entered = False
        _has_terminal = False
        _is_away = False
        _file: Any

        def __init__(self, *arguments: Any, **named: Any) -> None:
            held = signal.getsignal(signal.SIGTSTP)
            super().__init__(*arguments, **named)
            self._file = Output(self._file)
            self._stop_at_once = isinstance(held, HeldStop) and held.asked
            self._context = contextvars.copy_context()

        def write(self, data: str) -> None:
            if data == ENTER_ALTERNATE_SCREEN and not self._entered:
                self._entered = True
                return
            # nobody takes what is written for a terminal that is somebody else's
            if not self._is_away:
                super().write(data)

        def start_application_mode(self) -> None:
            self._is_away, self._key_thread = False, None
            super().start_application_mode()  # type: ignore[no-untyped-call]  # it has none
            # it does nothing in the background
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
            """Textual's own, but for what takes the bytes apart."""
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
                self._app._handle_exception(error)

        def _sigtstp_application(self, *_: object) -> None:
            if self._loop.is_closed() or not self._auto_restart:
                # another program has the terminal, and the loop waits for it
                os.kill(os.getpid(), signal.SIGSTOP)
            else:
                # not here: the handler may have come upon a write, which the next would wait for
                self._call(self._stop)

        def _sigcont_application(self, *_: object) -> None:
            if not self._loop.is_closed() and self._auto_restart:
                self._call(self._go_on)

        def _call(self, do: Callable[[], object]) -> None:
            """Have the loop do it, from any thread."""
            self._loop.call_soon_threadsafe(do, context=self._context)

        def _stop(self) -> None:
            """Let the shell have the terminal, and stop."""
            if self._has_terminal:
                self._let_go()
            os.kill(os.getpid(), signal.SIGSTOP)

        def _go_on(self) -> None:
            """The terminal is in whatever state the shell has left it in."""
            if self._has_terminal:
                # it was stopped by what nobody is told of
                self._let_go()
            if self._is_away:
                self._must_signal_resume = True
                self.resume_application_mode()

        def _let_go(self) -> None:
            self.suspend_application_mode()
            self._is_away = True

        def _get_terminal_size(self) -> tuple[int, int]:
            # Textual asks standard output: a pipe where a shell captures what `resume --print` prints
            try:
                return os.get_terminal_size(self.fileno)
            except OSError:
                return super()._get_terminal_size()

    return TakeOverDriver


@contextmanager
def told(ending: Ending, loop: asyncio.AbstractEventLoop, leave: Callable[[], object]) -> Iterator[None]:
    """While this lasts, a request to end has the running `loop` call `leave`.

    To be entered in the main thread.
    """
    # the handler runs in the context of whatever it comes upon
    context = contextvars.copy_context()
    with _woken_by_signals(loop):
        ending.tell(lambda: loop.call_soon_threadsafe(leave, context=context))
        try:
            yield
        finally:
            ending.tell(None)


@contextmanager
def _woken_by_signals(loop: asyncio.AbstractEventLoop) -> Iterator[None]:
    """A signal may come to any thread, but its handler runs in that of the loop, once that wakes."""
    if sys.platform == "win32":
        yield  # the loop sees to it
        return
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
