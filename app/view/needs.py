"""The sections of the list of what needs the user, over all projects.

A session that waits for an answer, or that ended badly, needs the user for some days after its last message,
unless it was opened since, a fork of it in the same folder is newer, or it was continued in another session.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from app.index.row import Row
from app.sessions.summary import ABORTED, FAILED, INTERRUPTED, WAITING

WAITS, ENDED_BADLY, OPEN, TODAY, YESTERDAY = SECTIONS = (
    "Waits for your answer",
    "Ended badly",
    "Open now",
    "Today",
    "Yesterday",
)
"""The heads of the sections, in order."""
DAY_MS = 86_400_000


class Clock:
    """The times that the sections begin at, for one moment.

    :param now_ms: the moment, in milliseconds since the epoch.
    """

    def __init__(self, now_ms: int) -> None:
        self.now_ms = now_ms
        midnight = datetime.fromtimestamp(now_ms / 1_000).replace(hour=0, minute=0, second=0, microsecond=0)
        self.today_ms = int(midnight.timestamp()) * 1_000
        # A day has 23 or 25 hours when the clock is changed.
        self.yesterday_ms = int((midnight - timedelta(days=1)).timestamp()) * 1_000


def section_of(
    row: Row, clock: Clock, recent_ms: int, *, is_open: bool, is_waiting: bool, is_settled: bool
) -> str:
    """The section of a session, one of `SECTIONS`; "" if it is in none.

    :param is_open: a running agent has it open, or may have.
    :param is_waiting: the agent that has it open notes that it waits for the user.
    :param recent_ms: how long a session needs the user, in milliseconds.
    :param is_settled: the user has opened it since, or a newer session goes on with it.
    """
    if clock.now_ms - row.modified <= recent_ms and not is_settled:
        if row.ending == WAITING or is_waiting:
            return WAITS
        if row.ending in (FAILED, ABORTED) or (row.ending == INTERRUPTED and not is_open):
            return ENDED_BADLY
    if is_open:
        return OPEN
    if row.modified >= clock.today_ms:
        return TODAY
    return YESTERDAY if row.modified >= clock.yesterday_ms else ""
