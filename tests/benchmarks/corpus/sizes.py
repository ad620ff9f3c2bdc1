"""How big a corpus is made."""

from __future__ import annotations

import math
from typing import NamedTuple


class Size(NamedTuple):
    """`sessions` ordinary ones of `median` entries (99 % under `p99`), each damage `damages` times."""

    sessions: int
    median: int
    p99: int
    biggest: int
    damages: int
    pools: float

    @property
    def spread(self) -> float:
        """Sigma of the logarithm of a session's entries."""
        return math.log(self.p99 / self.median) / 2.326

    @property
    def projects(self) -> int:
        return max(12, self.sessions // 8)


SIZES = {
    "tiny": Size(sessions=60, median=14, p99=60, biggest=0, damages=1, pools=0.05),
    "small": Size(sessions=200, median=60, p99=1_850, biggest=0, damages=1, pools=0.5),
    "medium": Size(sessions=2_000, median=60, p99=1_850, biggest=20_000, damages=2, pools=1.0),
    "large": Size(sessions=10_000, median=60, p99=1_850, biggest=20_000, damages=6, pools=1.0),
}
MOST_ENTRIES = 5_000
"""No ordinary session is longer: the one `biggest` is made on purpose."""
