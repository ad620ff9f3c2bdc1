"""What scanning costs, counted."""

from __future__ import annotations


class Metrics:
    """What scanning has cost so far: files read whole, files of which only the new end was read, bytes of
    both, files of which the two ends were read for a provisional row, and walks over all stores.
    """

    __slots__ = ("bytes", "ends", "tails", "walks", "whole")

    def __init__(self) -> None:
        self.whole = 0
        self.tails = 0
        self.bytes = 0
        self.ends = 0
        self.walks = 0
