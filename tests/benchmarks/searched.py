"""`python -m tests.benchmarks.searched typed|deep [QUERY]`: search the index of the default stores,
and print the figures as a line of JSON.

`typed` searches every prefix of a hundred queries, and then each whole query while another thread ticks;
`deep` searches QUERY in all texts.
"""

from __future__ import annotations

import json
import sys
import threading
import time
from typing import NamedTuple

from tests.benchmarks.measure import percentile
from tests.benchmarks.typed_queries import CAPITALS, prefixes, queries

TICK = 0.001


class Timing(NamedTuple):
    """Processor seconds until the first page, and until all sessions were searched; seconds until then."""

    first: float
    done: float
    wall: float


class Ticker:
    """A thread that wakes up every millisecond; `gaps` are the seconds between."""

    def __init__(self) -> None:
        self.gaps: list[float] = []
        self.stop = threading.Event()
        self.thread = threading.Thread(target=self.tick, daemon=True)

    def __enter__(self) -> Ticker:
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop.set()
        self.thread.join()

    def tick(self) -> None:
        last = time.perf_counter()
        while not self.stop.is_set():
            time.sleep(TICK)
            now = time.perf_counter()
            self.gaps.append(now - last)
            last = now


def main() -> int:
    from leafmark import Index

    from app import setup

    process_setup = setup.setup_from_process()
    index = Index(process_setup.stores, process_setup.cache_folder)
    index.rows()
    index.scan()

    def search(text: str, *, typed: bool = False) -> Timing:
        """Search as the screen does, and take the times.

        :param typed: stop when all sessions are searched, before similar spellings are tried, as the next key
            does.
        """
        begun, started = time.perf_counter(), time.thread_time()
        first = done = wall = 0.0
        run = index.query(text, live=True)
        for page in run:
            if not first:
                # The screen needs the details of one hit, for the preview.
                for hit in page.hits[:1]:
                    hit.look_up()
            now = time.thread_time() - started
            complete = page.done or page.searched >= page.of
            if not first and (page.hits or complete):
                first = now
            if not done and complete:
                done, wall = now, time.perf_counter() - begun
                if typed:
                    run.cancel()
        return Timing(first, done, wall)

    figures: dict[str, object]
    if sys.argv[1] == "typed":
        # As in the background of the screen, which knows them after the first minutes.
        index.touched_files.update(index.rows())
        index.tool_words.update(index.rows(), least=bool)
        # The first search maps and loads data for all later ones.
        search("zzzz")
        keys = [search(prefix, typed=True) for query in queries() for prefix in prefixes(query)]
        with Ticker() as ticker:
            pasted = [search(query) for query in queries()]
        figures = {
            "keys": _percentiles(keys),
            "pasted": _percentiles(pasted),
            "capitals": [(query, *search(query, typed=True)[:2]) for query in CAPITALS],
            "gap": percentile(ticker.gaps, 0.95),
            "longest": max(ticker.gaps),
        }
    else:
        # Bring the files into the page cache. The query is another one, because the sessions without a match
        # are remembered.
        search("qzqz", typed=True)
        figures = {"done": search(sys.argv[2]).wall}
    index.close()
    print(json.dumps(figures))
    return 0


def _percentiles(timings: list[Timing]) -> dict[str, float]:
    first, done = [timing.first for timing in timings], [timing.done for timing in timings]
    return {
        "first p50": percentile(first, 0.5),
        "first p95": percentile(first, 0.95),
        "done p50": percentile(done, 0.5),
        "done p95": percentile(done, 0.95),
        "done max": max(done),
        "wall p95": percentile([timing.wall for timing in timings], 0.95),
        "count": len(timings),
    }


if __name__ == "__main__":
    sys.exit(main())
