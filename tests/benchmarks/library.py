"""Measure 16: the library alone opens the biggest session and builds its tree and its context."""

from __future__ import annotations

import gc
import time
from typing import TYPE_CHECKING

from leafmark import SessionManager

from tests.benchmarks.measure import in_turn
from tests.benchmarks.opening import biggest
from tests.benchmarks.rows import Result, ms

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.benchmarks.measure import Setting
    from tests.benchmarks.peers import Peers

OF_PI = 0.5
"""Most time of the library, as a part of the time of pi's own `SessionManager`."""


def library(setting: Setting, peers: Peers) -> Iterator[Result]:
    """Open, tree and context, in turn with pi's own; no import is counted.

    :raises RuntimeError: entries are missing, or pi's context has another number of messages.
    """
    record = biggest(setting)
    messages = 0

    def ours() -> float:
        nonlocal messages
        gc.collect()
        started = time.perf_counter()
        manager = SessionManager.open(record["path"], env={"HOME": setting.folder})
        manager.get_tree()
        messages = len(manager.build_session_context().messages)
        taken = time.perf_counter() - started
        if len(manager.get_entries()) != record["entry_count"]:
            raise RuntimeError("entries are missing")
        return taken

    def theirs() -> float:
        taken, their_messages = peers.open_in_pi(record["path"])
        if their_messages != messages:
            raise RuntimeError(f"pi has {their_messages} messages in the context, and leafmark {messages}")
        return taken

    tasks = [ours, theirs] if peers.pi else [ours]
    our_seconds, *pi_seconds = in_turn(max(3, setting.repeat), *tasks)
    what = f"library: open, tree, context of {record['entry_count']:,} entries"
    yield Result("16", what, ms(our_seconds), f"{messages:,} messages")
    for their_seconds in pi_seconds:
        yield Result(
            "16", what, ms(our_seconds), f"pi {ms(their_seconds)}", our_seconds / their_seconds, OF_PI
        )
