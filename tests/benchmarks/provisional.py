"""Measure 4: with no cache, a list of every session before the files are read."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

from tests.benchmarks.listing import forget
from tests.benchmarks.measure import in_turn, run
from tests.benchmarks.rows import Result, ms

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from tests.benchmarks.measure import Setting
    from tests.benchmarks.peers import Peers

# The process ends, with its workers, as soon as it knows this number of sessions. The garbage collector is
# off, as in leafmark itself.
_LIST = """
import gc, os, sys
gc.disable()
from app import setup
from app.index.index import Index

paths, wanted = set(), int(sys.argv[1])

def count(delta):
    paths.update(row.path for row in delta.changed)
    if len(paths) >= wanted:
        os._exit(0)

process_setup = setup.setup_from_process()
index = Index(process_setup.stores, process_setup.cache_folder)
index.rows()
index.scan(count)
sys.exit(f"only {len(paths)} of {wanted} sessions")
"""

_ONLY = "  their ends alone, in one process"

# The same without workers; only the ends of the files are read.
_ENDS = """
import gc, sys
gc.disable()
from app import setup
from app.index.scan.walk import walk
from app.sessions.summaries.quick_summary import quick_summary

files = walk(setup.setup_from_process().stores).files
rows = [quick_summary(path, store.agents, 0) for path, (_, store) in files.items()]
if sum(row is not None for row in rows) < int(sys.argv[1]):
    sys.exit("not every session was told")
"""


def provisional(setting: Setting, peers: Peers) -> Iterator[Result]:
    """The index alone, as a process: compared with the floor of pi's files, and with omp's listing of its own
    files, which also reads both ends of every file.
    """
    rounds = max(3, setting.repeat)

    def floor() -> float:
        return run(setting.floor(), setting.env).wall

    ours, ends, what = _ways(setting, setting.pi_env)
    taken, alone, least = in_turn(rounds, ours, ends, floor)
    yield Result("4", what, ms(taken), f"floor {ms(least)}", taken / least)
    yield Result("4", _ONLY, ms(alone), f"floor {ms(least)}", alone / least)
    if peers.omp:
        ours, ends, what = _ways(setting, peers.beside_omp)
        taken, alone, theirs = in_turn(rounds, ours, ends, peers.omp_listing)
        yield Result("4", what, ms(taken), f"omp's listing {ms(theirs)}", taken / theirs, 0.35)
        yield Result("4", _ONLY, ms(alone), f"omp's listing {ms(theirs)}", alone / theirs)


def _ways(setting: Setting, env: Mapping[str, str]) -> tuple[Callable[[], float], Callable[[], float], str]:
    """Return functions that list with workers, and from the ends alone; and a name for the figure."""
    listed = run(setting.leafmark("list", "--limit", "1", "--json"), env, keep=True)
    total = str(json.loads(listed.output)["total"])

    def ours() -> float:
        forget(env)
        return run([sys.executable, "-c", _LIST, total], env).wall

    def ends() -> float:
        return run([sys.executable, "-c", _ENDS, total], env).wall

    return ours, ends, f"no cache: list of all {int(total):,} sessions"
