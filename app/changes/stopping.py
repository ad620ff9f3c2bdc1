"""Ctrl+C between two sessions: what has begun comes to its end and into the journal first."""

from __future__ import annotations

import signal
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType
    from typing import Any

_NAMES = ("SIGINT", "SIGTERM", "SIGHUP")


class Stopping:
    """Takes the signals that ask to end. Within `whole` they wait, and who does that looks at `status`; else
    they raise KeyboardInterrupt, as where nobody reads what is printed. Those that are ignored stay so.

    status   128 and the number of the first that came; 0 while none has
    """

    def __init__(self) -> None:
        self.status = 0
        self._waits = False
        self._replaced: list[tuple[int, Any]] = []

    def __enter__(self) -> Stopping:
        for name in _NAMES:
            number = getattr(signal, name, None)
            if number is None or signal.getsignal(number) in (signal.SIG_IGN, None):
                continue
            try:
                self._replaced.append((number, signal.signal(number, self._asked)))
            except ValueError:
                break  # a thread of somebody else's program: the signals are not ours
        return self

    def __exit__(self, *error: object) -> None:
        while self._replaced:
            signal.signal(*self._replaced.pop())

    @contextmanager
    def whole(self) -> Iterator[None]:
        """What is done in here is done to its end."""
        self._waits = True
        try:
            yield
        finally:
            self._waits = False

    def _asked(self, number: int, frame: FrameType | None) -> None:
        self.status = self.status or 128 + number
        if not self._waits:
            raise KeyboardInterrupt
