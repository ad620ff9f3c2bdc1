"""Run leafmark with a clock that stands still: the same files then give the same output on every day.

python frozen.py WORDS...
"""

import datetime
import sys
import tempfile
import time

NOW_NS = 1_777_723_200_000_000_000
"""2026-05-02 12:00:00 UTC, in nanoseconds since the epoch."""


class FrozenDatetime(datetime.datetime):
    """`datetime` whose present is `NOW_NS`; the trash library notes when it moved a file."""

    @classmethod
    def now(cls, tz=None):
        return cls.fromtimestamp(NOW_NS / 1e9, tz)


def freeze():
    """Let the clock stand still in this process. Call it before leafmark is imported."""
    time.time_ns = lambda: NOW_NS
    time.time = lambda: NOW_NS / 1e9
    datetime.datetime = FrozenDatetime
    # Agents replace "_" in the names of their folders, and runs of it by one character.
    tempfile._RandomNameSequence.characters = "abcdefghijklmnopqrstuvwxyz0123456789"


if __name__ == "__main__":
    freeze()
    from app.cli import start

    sys.argv[0] = "leafmark"
    sys.exit(start())
