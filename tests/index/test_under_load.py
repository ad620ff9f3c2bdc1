"""A process writes 1,000 entries per second to 50 sessions and changes their files at random, while others
follow. In the end the index equals that of a new scan with an empty cache.

4 seconds by default; `LEAFMARK_SOAK=60 pytest tests/index/test_under_load.py` runs for a minute.
"""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from leafmark import Index

from app.index.query import parse
from tests.index.equal import SECONDS, assert_equal, assert_no_leftovers, kept, rebuilt, search_results, seed
from tests.index.helpers import Listener, pi_store, shown, titles
from tests.waiting import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
RATE = 1000


ASKED = [
    ("text", "recent", False),
    ("text bus", "best", False),
    ("text busy", "recent", True),
    ("word1 -word12", "recent", False),
    ("re:wo?rd[0-9]7 is:damaged", "recent", False),
    ("TEXT in:all", "recent", False),
    ("nowhere-at-all", "recent", False),
    ("messages:>5", "best", False),
]

FOLLOW = """
import sys, threading
sys.path.insert(0, sys.argv[1])
from leafmark import Index
from tests.index.helpers import pi_store
index = Index([pi_store(root) for root in sys.argv[3:]], sys.argv[2])
stop = threading.Event()
thread = threading.Thread(target=index.watch, args=(lambda delta: None, stop))
thread.start()
sys.stdin.read()
# It may be behind us: what it has read of a file that is gone by now it would leave to the next one.
looked = threading.Event()
index.rescan(looked.set)
looked.wait()
stop.set()
thread.join()
print("note", index.note, index.catalog.generation)
"""


@pytest.fixture
def another(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process that follows with the same cache."""
    command = [sys.executable, "-c", FOLLOW, str(ROOT)]
    command += [str(tmp_path / name) for name in ("cache", "store", "calm")]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    yield process
    process.kill()
    process.communicate()


@pytest.mark.parametrize("kind", ["native", "polling beside another process"])
def test_followed_rows_are_those_of_a_new_scan(
    tmp_path: Path, kind: str, request: pytest.FixtureRequest
) -> None:
    number = seed()
    follower: subprocess.Popen[str] | None = None if kind == "native" else request.getfixturevalue("another")
    cache = tmp_path / "cache"
    stores = [pi_store(tmp_path / "store"), pi_store(tmp_path / "calm")]
    index = Index(stores, str(cache), poll=kind != "native")
    with Listener(index) as listener:
        with Curious(index) as curious:
            needles = list(_needle_delays(tmp_path, index, number))
        assert curious.asked >= len(ASKED)
        assert len(needles) >= 3 * (SECONDS or 4) - 1
        print(f"slowest needle: {max(needles):.2f} s of {len(needles)}")
        expected = rebuilt(tmp_path / "anew", stores)
        listed = dict(titles(expected.rows))
        began = time.monotonic()
        listener.until(lambda: shown(listener) == listed)
        print(f"up to date {time.monotonic() - began:.2f} s after the end; {len(listed)} sessions")
        results = search_results(index)
        fresh_index = Index(stores, str(tmp_path / "anew"))
        assert results == search_results(fresh_index)
        assert sum(map(bool, results.values())) >= 4
        fresh_index.close()
    assert index.note is None
    assert index.catalog.generation == 0
    if follower is not None:
        output, _ = follower.communicate("", timeout=PATIENCE)
        assert output == "note None 0\n"
    assert_equal(kept(cache, stores), expected)
    assert_no_leftovers(cache, stores)
    assert_equal(kept(cache, stores), expected)


class Curious(threading.Thread):
    """A thread that searches all the time."""

    def __init__(self, index: Index) -> None:
        super().__init__(daemon=True)
        self.asked = 0
        self._searcher = index._engine
        self._ended = threading.Event()
        self._error: BaseException | None = None

    def __enter__(self) -> Curious:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self.join(PATIENCE)
        assert not self.is_alive()
        if self._error:
            raise self._error

    def run(self) -> None:
        try:
            while not self._ended.wait(0.05):
                self._ask(*ASKED[self.asked % len(ASKED)])
                self.asked += 1
        except BaseException as error:
            self._error = error

    def _ask(self, text: str, order: str, every: bool) -> None:
        pages = list(self._searcher.search(parse(text, 0), order=order, every=every))
        assert pages[-1].done
        hits = [hit for page in pages for hit in page.hits]
        assert pages[-1].total == len({hit.path for hit in hits})
        for hit in hits[:: 1 + len(hits) // 20]:
            assert hit.where
            self._searcher.place(hit)


def _needle_delays(folder: Path, index: Index, number: int) -> Iterator[float]:
    """Run the writing process; yield how many seconds each of its needles took to be found."""
    command = [sys.executable, "-m", "tests.index.mischief", str(folder / "store"), str(folder / "calm")]
    command += ["--seed", str(number), "--seconds", str(SECONDS or 4), "--rate", str(RATE)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as writer:
        assert writer.stdout is not None
        for line in writer.stdout:
            path, _, word = line.rstrip().rpartition(" ")
            began = time.monotonic()
            while path not in _paths_with(index, word):
                assert time.monotonic() - began < PATIENCE, f"{word} is not found"
                time.sleep(0.02)
            yield time.monotonic() - began
    assert writer.returncode == 0


def _paths_with(index: Index, word: str) -> list[str]:
    pages = list(index.query(word))
    assert pages[-1].done
    return [hit.path for page in pages for hit in page.hits if not hit.near]
