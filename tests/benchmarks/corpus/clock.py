"""Times in a corpus: milliseconds since the epoch in, ISO 8601 out, fast enough for a million lines."""

from __future__ import annotations

from datetime import UTC, datetime

NOW_MS = 1_788_264_000_000
"""The time at which each corpus claims to be made (2026-09-01T12:00:00Z), so that its files are the same."""

FAR_FUTURE_MS = 1_987_000_000_000
"""A time in December 2032, for files of a machine with a wrong clock."""

DAY_MS = 86_400_000

_minutes: dict[int, str] = {}


def iso(ms: int) -> str:
    """`ms` as "2026-02-16T10:20:30.000Z"."""
    minute, rest = divmod(ms, 60_000)
    head = _minutes.get(minute)
    if head is None:
        head = datetime.fromtimestamp(minute * 60, UTC).strftime("%Y-%m-%dT%H:%M:")
        _minutes[minute] = head
    return f"{head}{rest // 1000:02d}.{rest % 1000:03d}Z"


def iso_seconds(ms: int) -> str:
    """`ms` as "2026-02-16T10:20:30Z", as Go programs write it."""
    return iso(ms)[:-5] + "Z"


def file_stamp(ms: int) -> str:
    """`ms` as it stands in a file name: "2026-02-16T10-20-30-000Z" (formats/README.md, "pi")."""
    return iso(ms).replace(":", "-").replace(".", "-")
