"""`SessionManager`: open the biggest session and build its tree and context; append one entry."""

from __future__ import annotations

import gc
import os
import shutil
import statistics
import time
from typing import TYPE_CHECKING

from tests.benchmarks.opening import biggest
from tests.benchmarks.rows import Result, mb, ms

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.benchmarks.measure import Setting
    from tests.benchmarks.peers import Peers

APPENDS = 200


def whole(setting: Setting, peers: Peers) -> Iterator[Result]:
    """Open, tree and context of the biggest session, in turn with pi's own."""
    from app.sessions import SessionManager

    record = biggest(setting)
    env = {"HOME": setting.folder}
    ours: list[float] = []
    theirs: list[float] = []
    messages = 0
    for _ in range(max(3, setting.repeat)):
        gc.collect()
        started = time.perf_counter()
        manager = SessionManager.open(record["path"], env=env)
        manager.get_tree()
        messages = len(manager.build_session_context().messages)
        ours.append(time.perf_counter() - started)
        if len(manager.get_entries()) != record["entry_count"]:
            raise RuntimeError("entries are missing")
        del manager
        if peers.pi:
            theirs.append(peers.open_context(record["path"], messages))
    our_seconds = statistics.median(ours)
    what = f"SessionManager: open + tree + context of {record['entry_count']:,} entries"
    yield Result("3.1", what, ms(our_seconds), f"{messages:,} messages", value=our_seconds)
    if theirs:
        their_seconds = statistics.median(theirs)
        yield Result(
            "3.1",
            "  the same by pi",
            ms(our_seconds),
            f"pi {ms(their_seconds)}",
            our_seconds / their_seconds,
            1 / 3,
        )


def append(setting: Setting) -> Iterator[Result]:
    """Append one entry to the biggest session; the system's fsync is not counted."""
    from app.sessions import SessionManager

    record = biggest(setting)
    path = os.path.join(setting.folder, "appended.jsonl")
    shutil.copy2(record["path"], path)
    manager = SessionManager.open(path, env={"HOME": setting.folder})
    synced = 0.0
    real = os.fsync

    def timed(descriptor: int) -> None:
        nonlocal synced
        started = time.perf_counter()
        real(descriptor)
        synced += time.perf_counter() - started

    os.fsync = timed  # type: ignore[assignment]
    taken = []
    try:
        for number in range(APPENDS):
            synced = 0.0
            started = time.perf_counter()
            manager.append_message({"role": "user", "content": f"One more {number}", "timestamp": number})
            taken.append(time.perf_counter() - started - synced)
    finally:
        os.fsync = real
    cost = statistics.median(taken)
    what = f"SessionManager: one append to {record['entry_count']:,} entries, {mb(record['size'])}"
    yield Result("3.2", what, f"{cost * 1000:.2f} ms", value=cost, limit=0.001)
