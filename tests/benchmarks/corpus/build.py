"""Makes a corpus: the same sessions, damage and truth for the same size and seed."""

from __future__ import annotations

import json
import os
import random
from typing import TYPE_CHECKING

from tests.benchmarks.corpus.damage import DAMAGES
from tests.benchmarks.corpus.families import add_families
from tests.benchmarks.corpus.maker import Maker
from tests.benchmarks.corpus.places import Places
from tests.benchmarks.corpus.sizes import MOST_ENTRIES, SIZES
from tests.benchmarks.corpus.strays import add_strays
from tests.benchmarks.corpus.variants import VARIANTS, pi

if TYPE_CHECKING:
    from tests.benchmarks.corpus.truth import Record

TRUTH = "truth.jsonl"


def build(out: str, size: str = "tiny", seed: int = 1) -> list[Record]:
    """Write the corpus below `out` (a missing or empty folder), and its truth beside it.

    Return the truth, one record for each file (`truth.Record`), in the order of `truth.jsonl`.
    """
    measure = SIZES[size]
    maker = Maker(out, measure, seed)
    rng = random.Random(f"build {size} {seed}")
    shares = [share for _, share, _ in VARIANTS]
    for number in range(measure.sessions - bool(measure.biggest)):
        # Each variant once, then by share.
        kind, _, write = VARIANTS[number] if number < len(VARIANTS) else rng.choices(VARIANTS, shares)[0]
        entries = int(rng.lognormvariate(0, measure.spread) * measure.median)
        maker.finish(write(maker, max(6, min(entries, MOST_ENTRIES))), kind)
    if measure.biggest:
        maker.finish(pi(maker, measure.biggest), "biggest")
    for number in range(measure.damages):
        for kind, damage in DAMAGES.items():
            draft = damage(maker)
            maker.finish(draft, kind, mtime_ms=draft.at + 40)
        add_strays(maker, number)
    if measure.families:
        add_families(maker)
    with open(os.path.join(maker.out, TRUTH), "w", encoding="utf-8") as file:
        for record in maker.records:
            file.write(json.dumps(record) + "\n")
    return maker.records


def stores(out: str) -> list[tuple[str, str]]:
    """Return (agent, folder) of every store of the corpus below `out`."""
    return Places(os.path.abspath(out)).stores()


def read_truth(out: str) -> list[Record]:
    """Return the records that `build` wrote."""
    with open(os.path.join(out, TRUTH), encoding="utf-8") as file:
        return [json.loads(line) for line in file]
