"""`python -m tests.benchmarks.searched typed|deep [QUERY]`: the index of this process' surroundings, asked
by a thread as the screen does, while another one ticks; a line of JSON at the end.

`typed` asks for every prefix of a hundred queries and for each of them at once; `deep` for one in all texts.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from typing import NamedTuple

from tests.benchmarks.measure import anonymous_bytes, peak_bytes, percentile
from tests.benchmarks.typed_queries import prefixes, queries

TICK = 0.001


class Asked(NamedTuple):
    """Seconds until the first page was there, until all sessions were looked into, and until the last page
    was there, other spellings included; how many sessions match.
    """

    first: float
    done: float
    end: float
    total: int


class Ticker:
    """A thread that wants to run every millisecond, as the screen's does: `gaps` are the times between."""

    def __init__(self) -> None:
        self.gaps: list[float] = []
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._tick, daemon=True)

    def __enter__(self) -> Ticker:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _tick(self) -> None:
        last = time.perf_counter()
        while not self._stop.is_set():
            time.sleep(TICK)
            now = time.perf_counter()
            self.gaps.append(now - last)
            last = now


def main() -> int:
    from app import setup
    from app.index.index import Index
    from app.index.search.search_run import PAGE

    surroundings = setup.setup_from_process()
    index = Index(surroundings.stores, surroundings.cache_folder)
    index.rows()
    index.scan()

    def ask(text: str, *, all_text: bool = False, typed: bool = False) -> Asked:
        """:param typed: the next key comes before other spellings of what is nowhere are looked for."""
        started = time.perf_counter()
        first = done = 0.0
        total = 0
        search = index.query(text, all_text=all_text)
        for page in search:
            if not first:
                # As the screen does: a row says nothing of a hit, and what is beside the list shows one.
                for hit in page.hits[:1]:
                    hit.look_up()
            now = time.perf_counter() - started
            complete = page.done or page.searched >= page.of
            if not first and (page.hits or complete):
                first = now
            if not done and complete:
                done, total = now, page.total
                if typed:
                    search.cancel()
        return Asked(first, done, time.perf_counter() - started, total)

    def printed(text: str) -> float:
        """Seconds to look up the hits of a full first page, as whoever prints them does; 0 where there is
        none.
        """
        search = index.query(text)
        hits = next(iter(search)).hits[:PAGE]
        search.cancel()
        started = time.perf_counter()
        for hit in hits:
            hit.look_up()
        return time.perf_counter() - started if len(hits) == PAGE else 0.0

    # What is mapped and loaded once for all queries is not the cost of one.
    loaded = ask("zzzz")
    told: dict[str, object] = {"load": loaded.done}
    if sys.argv[1] == "typed":
        keys = [ask(prefix, typed=True) for query in queries() for prefix in prefixes(query)]
        with Ticker() as ticker:
            pasted = [ask(query) for query in queries()]
        told["found"] = sum(1 for one in pasted if one.total)
        told["nowhere"] = percentile([one.end for one in pasted if not one.total], 0.5)
        told["keys"], told["pasted"] = _percentiles(keys), _percentiles(pasted)
        told["page"] = percentile([taken for query in queries() if (taken := printed(query))], 0.5)
    else:
        # The files are in the page cache then. Something else: what a session lacks is remembered.
        ask("qzqz", all_text=True, typed=True)
        with Ticker() as ticker:
            asked = ask(sys.argv[2], all_text=True)
        told |= asked._asdict()
    told["gap"], told["longest"] = percentile(ticker.gaps, 0.95), max(ticker.gaps)
    told["anonymous"], told["peak"] = anonymous_bytes(os.getpid()), peak_bytes(os.getpid())
    index.close()
    print(json.dumps(told))
    return 0


def _percentiles(asked: list[Asked]) -> dict[str, float]:
    first, done = [one.first for one in asked], [one.done for one in asked]
    return {
        "first p50": percentile(first, 0.5),
        "first p95": percentile(first, 0.95),
        "done p50": percentile(done, 0.5),
        "done p95": percentile(done, 0.95),
        "done max": max(done),
        "count": len(asked),
    }


if __name__ == "__main__":
    sys.exit(main())
