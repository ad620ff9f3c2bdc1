"""The losses of a session when another agent goes on with it."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple


class Loss(NamedTuple):
    """Parts of a session that are lost, changed or not sent to the model: their kind, why, and how many."""

    kind: str
    reason: str
    number: int


class Losses:
    """Counts parts by kind and reason."""

    def __init__(self) -> None:
        self._counts: Counter[tuple[str, str]] = Counter()

    def add(self, kind: str, reason: str, count: int = 1) -> None:
        """Count `count` parts of a kind."""
        if count:
            self._counts[kind, reason] += count

    def found(self) -> list[Loss]:
        """All, in the order in which they were first counted."""
        return [Loss(kind, reason, count) for (kind, reason), count in self._counts.items()]
