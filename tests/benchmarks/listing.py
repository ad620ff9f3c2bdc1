"""Bars 1, 3, 4 and 12: the list without a screen, warm and cold, and whether it tells the truth."""

from __future__ import annotations

import json
import os
import shutil
import sys
from typing import TYPE_CHECKING, Any

from tests.benchmarks.corpus import read_truth
from tests.benchmarks.corpus.compare import differences
from tests.benchmarks.live import LIVE
from tests.benchmarks.measure import Run, Setting, in_turn, run
from tests.benchmarks.rows import Result, mb, ms

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.benchmarks.peers import Peers

LIST = ("list", "--limit", "50")


def forget(setting: Setting) -> None:
    """Empty leafmark's cache."""
    shutil.rmtree(setting.env["LEAFMARK_CACHE_DIR"], ignore_errors=True)


def cold(setting: Setting, peers: Peers) -> Iterator[Result]:
    """Bar 3: the first list of all, with an empty cache."""
    peak = 0

    def ours() -> float:
        nonlocal peak
        forget(setting)
        done = run(setting.leafmark(*LIST), setting.env)
        peak = max(peak, done.peak)
        return done.wall

    def floor() -> float:
        return run(setting.floor(), setting.env).wall

    taken, least = in_turn(3, ours, floor)
    ratio = taken / least
    yield Result(
        "3", "cold index: list with an empty cache", ms(taken), f"floor {ms(least)}", ratio, 12, ci=True
    )
    yield Result("3", "  peak of its biggest process", mb(peak))
    if peers.fast_resume:
        rebuilds: list[Run] = []

        def theirs() -> float:
            rebuilds.append(peers.rebuild())
            return rebuilds[-1].wall

        taken, other = in_turn(3, ours, theirs)
        most = max(done.peak for done in rebuilds)
        against = f"fr --rebuild {ms(other)}"
        yield Result("3", "cold index", ms(taken), against, taken / other, 0.85)
        yield Result("3", "  peak of its biggest process", mb(peak), f"fr {mb(most)}", peak / most, 0.4)
    if peers.pi:
        taken, other = in_turn(1, ours, peers.list_all)
        yield Result("3", "cold index", ms(taken), f"pi listAll {ms(other)}", taken / other, 0.33)


def warm(setting: Setting, peers: Peers) -> Iterator[Result]:
    """Bar 1: the list when nothing has changed, the whole process."""
    run(setting.leafmark(*LIST), setting.env)

    def ours() -> float:
        return run(setting.leafmark(*LIST), setting.env).wall

    def floor() -> float:
        return run(setting.floor(), setting.env).wall

    def nothing() -> float:
        return run([sys.executable, "-c", "pass"], setting.env).wall

    taken, least, start = in_turn(max(7, setting.repeat), ours, floor, nothing)
    yield Result("1", "warm list", ms(taken), f"floor {ms(least)}", taken / least, 0.45, ci=True)
    yield Result("1", "warm list", ms(taken), f"python -c pass {ms(start)}", taken / start)
    if peers.fast_resume:
        taken, other = in_turn(max(7, setting.repeat), ours, peers.warm_list)
        yield Result("1", "warm list", ms(taken), f"fr --list {ms(other)}", taken / other, 0.75)
    if peers.pi:
        taken, other = in_turn(1, ours, peers.list_all)
        yield Result("1", "warm list", ms(taken), f"pi listAll {ms(other)}", taken / other, 0.01)


def truth(setting: Setting) -> Iterator[Result]:
    """Bar 12: rows that equal the generator's truth; damaged files that are told of."""
    told = run(
        setting.leafmark("list", "--json", "--limit", "1000000", *setting.flat()), setting.env, keep=True
    )
    rows: dict[str, dict[str, Any]] = {row["path"]: row for row in json.loads(told.output)["sessions"]}
    records = read_truth(setting.corpus)
    sessions = [record for record in records if not record["refused"] and not record["hidden"]]
    wrong = []
    for record in sessions:
        row = rows.pop(record["path"], None)
        found = ["not listed"] if row is None else differences(record, row)
        wrong += [f"{record['kind']}: {os.path.basename(record['path'])}: {one}" for one in found]
    wrong += [f"listed, but no session: {path}" for path in rows if LIVE not in path]
    what = f"truth: {len(sessions)} sessions, what differs"
    yield Result("12", what, str(len(wrong)), value=len(wrong), limit=0, ci=True)
    for sentence in wrong[:10]:
        print(f"      {sentence}")
    report = run(
        setting.leafmark("doctor", "--json", *setting.flat()), setting.env, keep=True
    ).output.decode()
    refused = [record for record in records if record["refused"]]
    unsaid = [record["path"] for record in refused if json.dumps(record["path"]) not in report]
    what = f"doctor: {len(refused)} refused files, not told of"
    yield Result("12", what, str(len(unsaid)), value=len(unsaid), limit=0, ci=True)
    for path in unsaid[:10]:
        print(f"      {path}")
