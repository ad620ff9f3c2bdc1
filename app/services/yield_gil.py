"""When a thread that works for long gives the screen the interpreter."""

from __future__ import annotations

from time import monotonic, sleep
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

# seconds: after so long the screen gets the interpreter, for a moment where somebody waits for what is worked
# out, and as long as it was kept from it where nobody does
TURN = 0.003
REST = 0.001
IDLE = 0.003


class Turns:
    """Of one piece of work, from now on."""

    def __init__(self, overtaken: Callable[[], bool], rest: float = REST) -> None:
        """:param overtaken: whether nobody waits for it any more.
        :param rest: seconds of each rest.
        """
        self._overtaken = overtaken
        self._rest = rest
        self._since = monotonic()

    def go_on(self) -> bool:
        """Whether to go on; now and then after a rest. To be asked every millisecond or so."""
        if monotonic() - self._since >= TURN:
            sleep(self._rest)
            self._since = monotonic()
        return not self._overtaken()
