"""Measures 1, 3 and 12: the list without a screen, warm and cold, and its agreement with the truth."""

from __future__ import annotations

import json
import os
import shutil
import sys
from typing import TYPE_CHECKING, Any

from tests.benchmarks.corpus import read_truth
from tests.benchmarks.corpus.compare import differences
from tests.benchmarks.live import LIVE
from tests.benchmarks.measure import Setting, in_turn, run
from tests.benchmarks.rows import Result, mb, ms

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tests.benchmarks.peers import Peers

OF_PYTHON = 8
"""Most time of a warm list of the medium corpus, as a multiple of a bare Python: the start of Python decides
there. It is judged where fast-resume is not installed.
"""
LIST = ("list", "--limit", "50")


def forget(env: Mapping[str, str]) -> None:
    """Empty leafmark's cache."""
    shutil.rmtree(env["LEAFMARK_CACHE_DIR"], ignore_errors=True)


def cold(setting: Setting, peers: Peers) -> Iterator[Result]:
    """Measure 3: the first list of pi's files, with an empty cache."""
    peaks, env = [], setting.pi_env

    def make_ready() -> None:
        # A task must not wait for the unwritten data of the previous one. The host of a virtual machine
        # takes back memory that was unused for some seconds: reading the files first puts them in memory for
        # every task.
        os.sync()
        run(setting.floor(), setting.env)

    def indexed() -> float:
        forget(env)
        make_ready()
        done = run(setting.leafmark(*LIST), env)
        peaks.append(done.peak)
        return done.wall

    def decoded() -> float:
        make_ready()
        return run(setting.decoding(), setting.env).wall

    def rebuilt() -> float:
        make_ready()
        return peers.rebuild()

    tasks = [indexed, decoded]
    if peers.fast_resume:
        tasks.append(rebuilt)
    # After a pause a virtual machine first gets its memory back from its host: the first round takes up to
    # twice as long as the others, whichever task runs first.
    in_turn(1, *tasks)
    taken, least, *fast_resume = in_turn(max(5, setting.repeat), *tasks)
    what = "cold index: list with an empty cache"
    yield Result("3", what, ms(taken), f"lines decoded {ms(least)}", taken / least, 1.1, ci=True)
    yield Result("3", "  peak of its biggest process", mb(max(peaks)))
    for theirs in fast_resume:
        yield Result("3", "cold index", ms(taken), f"fr --rebuild {ms(theirs)}", taken / theirs, 1.1)


def warm(setting: Setting, peers: Peers) -> Iterator[Result]:
    """Measure 1: the list of pi's files when nothing has changed, as a whole process."""

    def ours() -> float:
        return run(setting.leafmark(*LIST), setting.pi_env).wall

    def floor() -> float:
        return run(setting.floor(), setting.env).wall

    def bare_python() -> float:
        return run([sys.executable, "-c", "pass"], setting.env).wall

    tasks, rounds = [ours, floor, bare_python], max(7, setting.repeat)
    if peers.fast_resume:
        tasks.append(peers.warm_list)
        peers.warm_list()
    ours()
    taken, least, start, *fast_resume = in_turn(rounds, *tasks)
    yield Result("1", "warm list", ms(taken), f"floor {ms(least)}", taken / least)
    against = f"python -c pass {ms(start)}"
    yield Result("1", "warm list", ms(taken), against, taken / start, OF_PYTHON, ci=not fast_resume)
    for theirs in fast_resume:
        yield Result("1", "warm list", ms(taken), f"fr --list {ms(theirs)}", taken / theirs, 1.0, ci=True)
    if peers.pi:
        theirs = min(peers.list_in_pi() for _ in range(3))
        yield Result("1", "warm list", ms(taken), f"pi listAll {ms(theirs)}", taken / theirs)


def truth(setting: Setting) -> Iterator[Result]:
    """Measure 12: rows that differ from the generator's truth; refused files that `doctor` does not
    report.
    """
    listing = run(
        setting.leafmark("list", "--json", "--limit", "1000000", *setting.flat()), setting.env, keep=True
    )
    rows: dict[str, dict[str, Any]] = {row["path"]: row for row in json.loads(listing.output)["sessions"]}
    for row in rows.values():
        row["id"] = row.pop("session_id")
    records = read_truth(setting.corpus)
    sessions = [record for record in records if not record["refused"] and not record["hidden"]]
    wrong = []
    for record in sessions:
        row = rows.pop(record["path"], None)
        faults = ["not listed"] if row is None else differences(record, row)
        wrong += [f"{record['kind']}: {os.path.basename(record['path'])}: {fault}" for fault in faults]
    wrong += [f"listed, but no session: {path}" for path in rows if LIVE not in path]
    what = f"truth: {len(sessions)} sessions, what differs"
    yield Result("12", what, str(len(wrong)), value=len(wrong), limit=0, ci=True)
    for sentence in wrong[:10]:
        print(f"      {sentence}")
    report = run(
        setting.leafmark("doctor", "--json", *setting.flat()), setting.env, keep=True
    ).output.decode()
    refused = [record for record in records if record["refused"]]
    unreported = [record["path"] for record in refused if json.dumps(record["path"]) not in report]
    what = f"doctor: {len(refused)} refused files, not told of"
    yield Result("12", what, str(len(unreported)), value=len(unreported), limit=0, ci=True)
    for path in unreported[:10]:
        print(f"      {path}")
