"""Run the benchmarks: `python -m tests.benchmarks.run [--size medium] [--peers] [--ci]`.

Compare only figures of one run: the machine's own reading speed, a bare Python and the peers are measured in
turn with leafmark. LEAFMARK_COMMAND runs another leafmark than that of this folder. `--ci` runs the measures
whose ratios are stable on a shared machine, and fails if a result is worse than 4/3 of its limit, twice in a
row.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from typing import TYPE_CHECKING

from tests.benchmarks import (
    large,
    library,
    listing,
    loop,
    memory,
    opening,
    screen,
    searching,
    selector,
    sharing,
    transcripts,
    trees,
)
from tests.benchmarks.corpus import SIZES
from tests.benchmarks.live import LiveProject
from tests.benchmarks.measure import Setting
from tests.benchmarks.peers import Peers
from tests.benchmarks.recall import recall
from tests.benchmarks.record import record
from tests.benchmarks.rows import Result, heading, line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    Measure = Callable[[], Iterator[Result]]

JUDGED = ("cold", "warm", "truth", "recall", "deep", "size", "tree", "peaks")
"""The measures of `--ci`: their ratios are stable on a shared machine."""


def main() -> int:
    chosen = _arguments()
    folder = tempfile.mkdtemp(prefix="leafmark-bench-")
    try:
        corpus = chosen.corpus
        if corpus is None:
            corpus = f"{folder}/corpus"
            print(f"making the {chosen.size} corpus", flush=True)
            # In its own process: the kernel counts a child's peak memory from its parent's size at the fork.
            maker = [sys.executable, "-m", "tests.benchmarks.corpus"]
            command = [*maker, "--size", chosen.size, "--out", corpus]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        setting = Setting(corpus, folder, chosen.repeat)
        live = LiveProject(folder, setting.pi_root)
        try:
            # The live project comes first, so that the peers see it as well.
            peers = Peers(setting, wanted=chosen.peers)
            results = _measure(setting, live, peers, chosen)
        finally:
            live.close()
    finally:
        shutil.rmtree(folder)
    if chosen.record:
        name = chosen.size if chosen.corpus is None else os.path.basename(chosen.corpus)
        record(results, f"corpus {name}, {chosen.repeat} rounds")
    failed = [result for result in results if result.fails_ci]
    if chosen.ci and failed:
        print("\nlost beyond the slack for shared machines:", *(line(result) for result in failed), sep="\n")
        return 1
    return 0


def _measure(setting: Setting, live: LiveProject, peers: Peers, chosen: argparse.Namespace) -> list[Result]:
    measures: dict[str, Measure] = {
        "cold": lambda: listing.cold(setting, peers),
        "warm": lambda: listing.warm(setting, peers),
        "truth": lambda: listing.truth(setting),
        "recall": lambda: recall(setting, peers),
        "typing": lambda: searching.typing(setting),
        "deep": lambda: searching.deep(setting, peers),
        "size": lambda: searching.size(setting),
        "append": lambda: opening.append(setting),
        "tree": lambda: trees.trees(setting),
        "open": lambda: library.library(setting, peers),
        "launch": lambda: screen.launch(setting, live, peers),
        "resume": lambda: selector.resume(setting, live),
        "first": lambda: screen.first_time(setting, live),
        "memory": lambda: memory.memory(setting, live),
        "peaks": lambda: large.large(setting, small=chosen.ci),
        "follow": lambda: screen.follow(setting, live),
        "loop": lambda: loop.loop(setting, live),
        "transcript": lambda: transcripts.transcripts(setting),
        "export": lambda: sharing.export(setting),
        "stats": lambda: sharing.statistics(setting),
    }
    if peers.absent:
        print("not installed, skipped:", ", ".join(peers.absent))
    everything = JUDGED if chosen.ci else list(measures)
    wanted = chosen.only.split(",") if chosen.only else everything
    print(heading())
    return measured(measures, wanted, ci=chosen.ci, before=live.renew)


def measured(
    measures: Mapping[str, Measure],
    wanted: Sequence[str],
    *,
    ci: bool,
    before: Callable[[], object] = lambda: None,
) -> list[Result]:
    """Run the `wanted` measures, and print and return their results.

    :param ci: run a measure once more if one of its results would fail `--ci`.
    :param before: called before each measure, so that none sees changes of another.
    """
    results: list[Result] = []
    for name in wanted:
        before()
        new = _taken(name, measures[name])
        if ci and any(result.fails_ci for result in new):
            # A slow moment of the machine rarely comes twice in a row.
            print(f"      {name} once more", flush=True)
            before()
            new = _taken(name, measures[name])
        results += new
    return results


def _taken(name: str, measure: Measure) -> list[Result]:
    results: list[Result] = []
    try:
        for result in measure():
            results.append(result)
            print(line(result), flush=True)
    except (RuntimeError, OSError, EOFError, ImportError, ValueError) as error:
        # A measure that fails must not hide the others: it is reported as lost, with the reason.
        result = Result(name, "could not be measured", type(error).__name__, value=1, limit=0, ci=True)
        results.append(result)
        print(line(result), f"      {str(error)[:1500]}", sep="\n", flush=True)
    return results


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks.run", description=__doc__.split("\n")[0]
    )
    parser.add_argument("--size", choices=list(SIZES), default="medium")
    parser.add_argument("--corpus", help="a corpus made before, instead of a new one")
    parser.add_argument("--repeat", type=int, default=5, help="rounds of which the median is taken")
    parser.add_argument("--peers", action="store_true", help="also measure the peers that are installed")
    parser.add_argument(
        "--ci",
        action="store_true",
        help=f"exit 1 when a ratio that shared machines can hold is lost; measures only {', '.join(JUDGED)}",
    )
    parser.add_argument("--record", action="store_true", help="write the results into RESULTS.md")
    parser.add_argument(
        "--only", help="the names of measures, with commas between them; README.md lists them"
    )
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
