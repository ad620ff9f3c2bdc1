"""When the screen is painted: at once where the last picture is old enough or a key was pressed, so that no
key waits for its picture.

Textual 8.2.8 paints on the beat of a clock, sixty times a second. What a key leads to after its first picture
is painted on the next beats, and where these come just before the next key, its picture waits for one more.
"""

from __future__ import annotations

import asyncio
from contextvars import copy_context
from typing import TYPE_CHECKING

from textual.timer import Timer

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.screen import Screen

PERIOD = 1 / 60
"""Seconds between two pictures, but for those that come within as many of a key."""


class Pace(Timer):
    """What a screen takes for its timer: `resume` asks for a picture, `pause` takes that back. It is no task,
    and has nothing to be stopped.
    """

    def __init__(self, screen: Screen[None], paint: Callable[[], object]) -> None:
        """To be made by the screen itself, where its loop runs.

        :param paint: makes the picture.
        """
        super().__init__(screen, PERIOD, name="pictures")
        self._app = screen.app
        self._paint = paint
        self._loop = asyncio.get_running_loop()
        self._context = copy_context()
        self._coming: asyncio.TimerHandle | None = None
        self._painted = self._hurried = -PERIOD

    def hurry(self) -> None:
        """A key was pressed: nothing waits now, nor for a while."""
        self._hurried = self._loop.time()
        if self._coming is not None:
            self.pause()
            self.resume()

    def resume(self) -> None:
        if self._coming is None:
            now = self._loop.time()
            at = now if now - self._hurried < PERIOD else max(now, self._painted + PERIOD)
            self._coming = self._loop.call_at(at, self._take, context=self._context)

    def pause(self) -> None:
        if self._coming is not None:
            self._coming.cancel()
            self._coming = None

    def _take(self) -> None:
        self._coming = None
        try:
            self._paint()
        except Exception as error:
            self._app._handle_exception(error)
        self._painted = self._loop.time()
