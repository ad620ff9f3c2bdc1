"""The sizes of a corpus."""

from __future__ import annotations

import math
from typing import NamedTuple


class Size(NamedTuple):
    """The number of sessions, their median of entries and the 99th percentile, the entries of the biggest
    session, how often each damage occurs, the scale of the text pools (1.0 is full), and whether there are
    sessions whose figures depend on each other.
    """

    sessions: int
    median: int
    p99: int
    biggest: int
    damages: int
    pools: float
    families: bool = False

    @property
    def spread(self) -> float:
        """The standard deviation of the logarithm of a session's entries."""
        return math.log(self.p99 / self.median) / 2.326

    @property
    def projects(self) -> int:
        return max(12, self.sessions // 8)


SIZES = {
    "tiny": Size(sessions=60, median=14, p99=60, biggest=0, damages=1, pools=0.05, families=True),
    "small": Size(sessions=200, median=60, p99=1_850, biggest=0, damages=1, pools=0.5),
    "medium": Size(sessions=2_000, median=60, p99=1_850, biggest=20_000, damages=2, pools=1.0),
    "large": Size(sessions=10_000, median=60, p99=1_850, biggest=20_000, damages=6, pools=1.0),
}
MOST_ENTRIES = 5_000
"""The limit of all sessions except the biggest one."""
