"""Taking the terminal over from the first frame without clearing it, and the signals from who has had them.

The first frame is in the alternate screen already (``app.first_frame``). Entering it again would clear it,
and the user would see the rows go and come back.
"""

from __future__ import annotations

import contextvars
import os
import signal
import sys
from contextlib import contextmanager, suppress

TYPE_CHECKING = False
if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable, Iterator
    from typing import Any, TextIO

    from textual.driver import Driver

    from app.ending import Ending

ENTER_ALTERNATE_SCREEN = "\x1b[?1049h"


class Output:
    """A terminal as what is written to, also when it is gone: then nothing is. A signal tells of that. An
    error would end the thread in which Textual writes, and all that comes after would wait for it.
    """

    def __init__(self, file: TextIO) -> None:
        self._file = file

    def write(self, text: str) -> int:
        with suppress(OSError):
            self._file.write(text)
        return len(text)

    def flush(self) -> None:
        with suppress(OSError):
            self._file.flush()

    def fileno(self) -> int:
        return self._file.fileno()


def driver_class(restore: Callable[[], None]) -> type[Driver] | None:
    """Textual's driver for this system, which does not enter the alternate screen; None where the usual
    one must do.

    :param restore: gives the terminal the settings it had before the first frame. The driver finds those of
        the first frame, which another program that gets the terminal could not be used with.
    """
    if sys.platform == "win32":
        return None
    from textual.drivers.linux_driver import LinuxDriver

    class TakeOverDriver(LinuxDriver):
        """Finds the alternate screen entered, and leaves it at the end."""

        _entered = False
        _file: Any

        def __init__(self, *arguments: Any, **named: Any) -> None:
            super().__init__(*arguments, **named)
            self._file = Output(self._file)

        def write(self, data: str) -> None:
            if data == ENTER_ALTERNATE_SCREEN and not self._entered:
                self._entered = True
                return
            super().write(data)

        def stop_application_mode(self) -> None:
            super().stop_application_mode()
            restore()

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
