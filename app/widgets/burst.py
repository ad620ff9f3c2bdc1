"""Sessions that the cursor only passes, as under a held key: none of them is read but the one it rests on."""

from __future__ import annotations

from time import monotonic

# seconds: while the cursor comes to more than two sessions in BURST, one is read once it was on it for REST
BURST = 0.1
REST = 0.05


class Burst:
    """Whether the cursor passes sessions."""

    def __init__(self) -> None:
        # when it came to the last two
        self._came_at = (-BURST, -BURST)

    def wait(self) -> float:
        """The cursor has come to another session: how many seconds it is to be on it before that is read; 0
        outside a burst.
        """
        now = monotonic()
        earlier, self._came_at = self._came_at[0], (self._came_at[1], now)
        return REST if now - earlier < BURST else 0.0
