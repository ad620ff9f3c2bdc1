"""Measure 9: the cost of one appended entry."""

from __future__ import annotations

import os
import shutil
import statistics
import time
from typing import TYPE_CHECKING

from tests.benchmarks.corpus import read_truth
from tests.benchmarks.live import entry_line
from tests.benchmarks.rows import Result, mb

APPENDS = 30
SETTLED = 0.02
"""Seconds before each scan."""

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.benchmarks.corpus.truth import Record
    from tests.benchmarks.measure import Setting


def biggest(setting: Setting) -> Record:
    """Return the truth of pi's biggest session."""
    records = [record for record in read_truth(setting.corpus) if record["path"].startswith(setting.pi_root)]
    return max(records, key=lambda record: record.get("entry_count", 0))


def append(setting: Setting) -> Iterator[Result]:
    """Measure 9: the row of the biggest session after one more entry."""
    from app.sessions import extend, summarise

    record = biggest(setting)
    path = os.path.join(setting.folder, "growing.jsonl")
    shutil.copy2(record["path"], path)
    known = summarise(path, ("pi",), 0)
    parent, taken, read = record["leaf_id"], [], []
    for number in range(APPENDS):
        line = entry_line(f"{number:08x}"[::-1], parent, f"One more {number}", 1_790_000_000_000 + number)
        parent = f"{number:08x}"[::-1]
        with open(path, "ab") as file:
            file.write(line)
        started = time.perf_counter()
        grown = extend(path, known.progress, ("pi",), 0) if known.progress else None
        taken.append(time.perf_counter() - started)
        if grown is None or grown.summary is None:
            raise RuntimeError("an append was not seen as one")
        read.append(grown.bytes_read - len(line))
        known = grown
    cost = statistics.median(taken)
    if known.summary is None or known.summary.entry_count != record["entry_count"] + APPENDS:
        raise RuntimeError("entries were lost")
    what = f"one append to {record['entry_count']:,} entries, {mb(record['size'])}"
    yield Result("9", what, f"{cost * 1000:.2f} ms", value=cost, limit=0.001)
    yield Result("9", "  bytes read beyond the appended ones", f"{max(read):,}", value=max(read), limit=8192)
    large, small = _indexed(setting, record["path"]), _indexed(setting, _shortest(setting))
    what = "  read, its text and row stored"
    yield Result(
        "9", what, f"{large * 1000:.2f} ms", f"short file {small * 1000:.2f} ms", value=large, limit=0.001
    )


def _shortest(setting: Setting) -> str:
    """Return the path of pi's smallest session with messages."""
    sizes = [
        (record["size"], record["path"])
        for record in read_truth(setting.corpus)
        if record["path"].startswith(setting.pi_root)
        and record.get("first_message")
        and not record["problems"]
    ]
    return str(min(sizes)[1])


def _indexed(setting: Setting, path: str) -> float:
    """Return the seconds that the index of a store with a copy of one session takes for one more entry.

    It is the difference between a scan that finds the entry and one that finds nothing. Both come after the
    same pause, so that cold processor caches do not count as a cost of the entry.
    """
    from leafmark import Index

    from app.stores import discover

    folder = os.path.join(setting.folder, "one")
    os.makedirs(os.path.join(folder, "sessions", "--a--"))
    growing = shutil.copy2(path, os.path.join(folder, "sessions", "--a--", "growing.jsonl"))
    stores = discover({"HOME": folder}, folder, folder, extra=[("pi", os.path.join(folder, "sessions"))])
    index = Index(stores, os.path.join(folder, "cache"))
    taken = []
    try:
        index.scan()
        before = index.rows()[0].entry_count
        for number in range(APPENDS):
            entry_id, text = f"{number + 1:08x}"[::-1], f"Another xylograph{number}"
            with open(growing, "ab") as file:
                file.write(entry_line(entry_id, "00000000", text, 1_790_000_000_000 + number))
            # A file that was just written is checked a little later (`scan`): that wait is no cost.
            time.sleep(SETTLED)
            started = time.perf_counter()
            index.scan()
            read = time.perf_counter() - started
            time.sleep(SETTLED)
            # Nothing is new now: the cost of the check is not a cost of the entry.
            started = time.perf_counter()
            index.scan()
            taken.append(read - (time.perf_counter() - started))
        if index.rows()[0].entry_count != before + APPENDS:
            raise RuntimeError("entries were lost")
        pages = list(index.query(f"xylograph{APPENDS - 1}"))
        if pages[-1].total != 1:
            raise RuntimeError("what was appended is not found")
    finally:
        index.close()
        shutil.rmtree(folder)
    return statistics.median(taken)
