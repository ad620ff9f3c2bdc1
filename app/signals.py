"""Requests to end that come from outside, as signals.

One handler is in place from before the first row is drawn to the end, without a gap. An exception of a
handler may be raised where it is not passed on, as while a module is imported. In a process of its own the
handler therefore raises nothing: it ends the process at once, or notifies the screen library while that runs.

Nothing is imported here that the first rows on the terminal do not need.
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
    """Takes the request to stop until there is a driver that gives the terminal to the shell first.

    asked   whether it has come
    """

    __slots__ = ("asked",)

    def __init__(self) -> None:
        self.asked = False

    def __call__(self, number: int, frame: object) -> None:
        self.asked = True


class ExitSignals:
    """Handles the signals that ask to end.

    status   128 and the number of the first that came; 0 while none has
    """

    __slots__ = ("_first", "_is_process", "_leaving", "_replaced", "_tell", "status")

    def __init__(self, *, is_process: bool) -> None:
        """:param is_process: the process is leafmark and nothing else, and may end at any point. Else it is
        asked to, by SystemExit.
        """
        self.status = 0
        self._is_process = is_process
        self._first: list[Callable[[], object]] = []
        self._tell: Callable[[], object] | None = None
        self._leaving = False
        self._replaced: list[tuple[int, Any]] = []

    def take(self) -> None:
        """Handle the signals from now on, also those that were ignored, as a shell does for background
        processes: the terminal has to be restored in any case.
        """
        for name in NAMES:
            if hasattr(signal, name):
                number = getattr(signal, name)
                self._replaced.append((number, signal.signal(number, self._asked)))

    def hold_stop(self) -> None:
        """From now on, a request to stop waits for the screen library (`HeldStop`)."""
        if hasattr(signal, "SIGTSTP"):
            self._replaced.append((signal.SIGTSTP, signal.signal(signal.SIGTSTP, HeldStop())))

    def give_back(self) -> None:
        """Have those take them who did before."""
        while self._replaced:
            number, handler = self._replaced.pop()
            # None: one that was not set by Python, which cannot set it again either
            if handler is not None:
                signal.signal(number, handler)

    def first(self, do: Callable[[], object]) -> None:
        """Have something done before leaving at once; what was added last is done first.

        :param do: raises nothing, and may be called at any moment, also while it is running.
        """
        self._first.append(do)

    def tell(self, tell: Callable[[], object] | None) -> None:
        """From now on, do this instead of leaving at once; None: leave at once again.

        :param tell: may be called at any moment, and more than once.
        """
        self._tell = tell

    def leave(self) -> None:
        """Leave at once, with `status`.

        :raises SystemExit: the process is not leafmark alone.
        """
        if self._leaving:
            return
        self._leaving = True
        try:
            while self._first:
                self._first.pop()()
        finally:
            if self._is_process:
                # the interpreter's own end has another status for a terminal that is gone
                os._exit(self.status)
        raise SystemExit(self.status)

    def _asked(self, number: int, frame: object) -> None:
        self.status = self.status or 128 + number
        if self._tell is not None:
            self._tell()
        else:
            self.leave()
