"""Signals that ask the process to end or to stop, while the screen is shown.

One handler is in place from before the first row is drawn until the end. It raises no exception if leafmark
is the whole process, because an exception is lost in some places, for example during an import. It ends the
process at once, or notifies Textual while that runs.

The first frame loads this module, so it imports nothing that the first rows do not need.
"""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

NAMES = ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT")


class HeldStop:
    """A signal handler that holds back the request to stop (Ctrl+Z) until Textual's driver, which first gives
    the terminal to the shell, can handle it.

    asked   whether the signal has come
    """

    __slots__ = ("asked",)

    def __init__(self) -> None:
        self.asked = False

    def __call__(self, number: int, frame: object) -> None:
        self.asked = True


class ExitSignals:
    """Handles the signals that ask the process to end.

    status   128 plus the number of the first signal; 0 before it
    """

    __slots__ = ("_first", "_is_process", "_leaving", "_replaced", "_signalled", "status")

    def __init__(self, *, is_process: bool) -> None:
        """:param is_process: the process runs only leafmark and may end at any moment. Otherwise `leave`
        raises SystemExit.
        """
        self.status = 0
        self._is_process = is_process
        self._first: list[Callable[[], object]] = []
        self._signalled: Callable[[], object] | None = None
        self._leaving = False
        self._replaced: list[tuple[int, Any]] = []

    def take(self) -> None:
        """Handle the signals from now on, including those that were ignored, as by a shell for background
        processes: the terminal must be restored in any case.
        """
        for name in NAMES:
            number = getattr(signal, name)
            self._replaced.append((number, signal.signal(number, self._asked)))

    def hold_stop(self) -> None:
        """From now on, a request to stop waits for Textual (`HeldStop`)."""
        self._replaced.append((signal.SIGTSTP, signal.signal(signal.SIGTSTP, HeldStop())))

    def give_back(self) -> None:
        """Restore the previous handlers."""
        while self._replaced:
            number, handler = self._replaced.pop()
            # None: a handler that Python did not set and cannot restore
            if handler is not None:
                signal.signal(number, handler)

    def first(self, do: Callable[[], object]) -> None:
        """Add a function that `leave` calls; the last added is called first.

        :param do: raises nothing, and may be called at any moment, even while it runs.
        """
        self._first.append(do)

    def on_signal(self, act: Callable[[], object] | None) -> None:
        """Set the function that a signal calls instead of `leave`; None to call `leave` again.

        :param act: may be called at any moment, and more than once.
        """
        self._signalled = act

    def leave(self) -> None:
        """End the process at once, with `status`.

        :raises SystemExit: the process does not run only leafmark.
        """
        if self._leaving:
            return
        self._leaving = True
        try:
            while self._first:
                self._first.pop()()
        finally:
            if self._is_process:
                # The interpreter would end with another status if the terminal is gone.
                os._exit(self.status)
        raise SystemExit(self.status)

    def _asked(self, number: int, frame: object) -> None:
        self.status = self.status or 128 + number
        if self._signalled is not None:
            self._signalled()
        else:
            self.leave()
