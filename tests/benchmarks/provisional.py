"""Bar 4: with no cache, a list of every session before their files are read."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from tests.benchmarks.listing import forget
from tests.benchmarks.measure import in_turn, run
from tests.benchmarks.rows import Result, ms
from tests.benchmarks.screen import sessions

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.benchmarks.live import LiveProject
    from tests.benchmarks.measure import Setting
    from tests.benchmarks.peers import Peers

# The process ends as soon as it knows of so many sessions, and its workers with it. As in leafmark itself,
# the garbage collector rests.
_LIST = """
import gc, os, sys
gc.disable()
from app import setup
from app.index.index import Index

found, wanted = set(), int(sys.argv[1])

def told(delta):
    found.update(row.path for row in delta.changed)
    if len(found) >= wanted:
        os._exit(0)

surroundings = setup.of_process()
index = Index(surroundings.stores, surroundings.cache_folder)
index.rows()
index.scan(told)
sys.exit(f"only {len(found)} of {wanted} sessions")
"""

# The same without workers, and without reading anything but the ends.
_ENDS = """
import gc, sys
gc.disable()
from app import setup
from app.index.walk import walk
from app.sessions.ends import provisional

files = walk(setup.of_process().stores).files
rows = [provisional(path, store.agents, 0) for path, (_, store) in files.items()]
if sum(row is not None for row in rows) < int(sys.argv[1]):
    sys.exit("not every session was told")
"""


def provisional(setting: Setting, live: LiveProject, peers: Peers) -> Iterator[Result]:
    """The index alone, as a process, beside omp's listing, which also reads two ends of every file."""
    total = sessions(setting, live)

    def ours() -> float:
        forget(setting)
        return run([sys.executable, "-c", _LIST, str(total)], setting.env).wall

    def ends() -> float:
        return run([sys.executable, "-c", _ENDS, str(total)], setting.env).wall

    def floor() -> float:
        return run(setting.floor(), setting.env).wall

    tasks = [ours, ends, floor]
    if peers.omp:
        tasks.append(peers.omp_listing)
    taken, alone, least, *omp = in_turn(max(3, setting.repeat), *tasks)
    what = f"no cache: list of all {total:,} sessions"
    only = "  their ends alone, in one process"
    yield Result("4", what, ms(taken), f"floor {ms(least)}", taken / least)
    yield Result("4", only, ms(alone), f"floor {ms(least)}", alone / least)
    for theirs in omp:
        yield Result("4", what, ms(taken), f"omp's listing {ms(theirs)}", taken / theirs, 0.35)
        yield Result("4", only, ms(alone), f"omp's listing {ms(theirs)}", alone / theirs)
