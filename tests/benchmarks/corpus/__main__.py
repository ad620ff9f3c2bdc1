"""`python -m tests.benchmarks.corpus --size medium --out DIR`."""

from __future__ import annotations

import argparse
import time

from tests.benchmarks.corpus import SIZES, build, stores


def main() -> None:
    parser = argparse.ArgumentParser(description="Make a corpus of sessions with known truth (truth.jsonl).")
    parser.add_argument("--size", choices=list(SIZES), default="small")
    parser.add_argument("--out", required=True, help="a folder that is not there yet, or empty")
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    started = time.perf_counter()
    records = build(chosen.out, chosen.size, chosen.seed)
    sessions = [record for record in records if not record["refused"] and not record["hidden"]]
    size, entries = (sum(record[key] for record in sessions) for key in ("size", "entry_count"))
    took = time.perf_counter() - started
    print(f"{len(sessions)} sessions, {entries} entries, {size / 1e6:.0f} MB in {took:.1f} s")
    for agent, folder in stores(chosen.out):
        print(f"--store {agent}={folder}")


if __name__ == "__main__":
    main()
