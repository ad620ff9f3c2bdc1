"""A process killed at any moment leaves a valid cache, and the next scan completes it.

15 kills by default; `LEAFMARK_SOAK=60 pytest tests/index/test_kills.py` makes 100.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest
from leafmark import Index

from app.index import SCHEMA
from tests.index.equal import SECONDS, assert_equal, assert_no_leftovers, kept, rebuilt, seed
from tests.index.helpers import append, fill, message, pi_store
from tests.index.killed import MODES
from tests.index.mischief import Mischief
from tests.waiting import PATIENCE

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
KILLS = 100 if SECONDS else 15


class Killer:
    """Starts processes that index `store`, and kills each of them before it ends."""

    def __init__(self, store: Path, cache: Path, number: int) -> None:
        self.store = store
        self.cache = cache
        self.dice = random.Random(number)
        self.mischief = Mischief(store, number)
        self.killed = dict.fromkeys(MODES, 0)
        # Upper limits of the executed lines, and seconds, before a kill. They adapt to how long the processes
        # run.
        lines = (12_000.0, 8_000.0, 1_000.0, 600.0, 20_000.0)
        self.lines = dict(zip(MODES, lines, strict=True))
        self.seconds = dict.fromkeys(MODES, 0.1)

    def __enter__(self) -> Killer:
        command = [sys.executable, "-m", "tests.index.killed"]
        self.starter = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT, bufsize=1
        )
        return self

    def __exit__(self, *_: object) -> None:
        self.starter.communicate(timeout=PATIENCE)

    def kill(self, mode: str, *, by_itself: bool) -> bool:
        """Change files, start an indexing process and kill it.

        :param by_itself: the process kills itself in the middle of a line; otherwise it is killed from
            outside.
        :return: False if the process ended before the kill.
        """
        self.change(40)
        limits = self.lines if by_itself else self.seconds
        after = self.dice.random() * limits[mode]
        request = [str(self.cache), str(self.store), mode, 1 + int(after) if by_itself else 0]
        assert self.starter.stdin is not None
        self.starter.stdin.write(json.dumps(request) + "\n")
        number = int(self.read_answer("go"))
        until = time.monotonic() + (PATIENCE if by_itself else after)
        while _runs(number) and time.monotonic() < until:
            if mode == "watch":
                self.mischief.step()
            time.sleep(0.002)
        if _runs(number):
            os.kill(number, signal.SIGKILL)
        answer = self.read_answer()
        hit = answer != "done"
        assert (answer if hit else self.read_answer()) == ("ended -9" if hit else "ended 0")
        limits[mode] *= 1.05 if hit else 0.7
        self.killed[mode] += hit
        return hit

    def read_answer(self, word: str = "") -> str:
        assert self.starter.stdout is not None
        line = self.starter.stdout.readline().rstrip("\n")
        assert line.startswith(word)
        return line.removeprefix(word)

    def change(self, count: int) -> None:
        for _ in range(count):
            self.mischief.step()
        paths = sorted(self.store.glob("--project-*--/*.jsonl")) or fill(self.store, 120)
        for path in self.dice.sample(paths, len(paths) // 3):
            if self.dice.random() < 0.5:
                text = path.read_text(errors="replace")
                path.write_text(text.replace("prompt", f"prompt {self.mischief.number}"))
            else:
                append(path, message(f"{self.mischief.number}", None, "more " * self.dice.randrange(300)))


def test_the_cache_survives_kills_at_any_moment(tmp_path: Path) -> None:
    number = seed()
    cache = tmp_path / "cache"
    stores = [pi_store(tmp_path / "store")]
    attempt = 0
    with Killer(tmp_path / "store", cache, number) as killer:
        while sum(killer.killed.values()) < KILLS:
            # The mode with the fewest kills is next, because some processes end before their kill.
            mode = min(MODES, key=killer.killed.__getitem__)
            hit = killer.kill(mode, by_itself=attempt % 3 != 0)
            attempt += 1
            assert attempt < 6 * KILLS, killer.killed
            if hit and killer.dice.random() < 0.5:
                _assert_complete(tmp_path, attempt)
    print(f"{killer.killed} in {attempt} attempts")
    _assert_complete(tmp_path, attempt + 1)
    assert_no_leftovers(cache, stores)
    assert_equal(kept(cache, stores), kept(tmp_path / f"anew-{attempt + 1}", stores))


def _runs(number: int) -> bool:
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    return True


def _assert_complete(folder: Path, attempt: int) -> None:
    stores = [pi_store(folder / "store")]
    index = Index(stores, str(folder / "cache"))
    index.scan()
    assert (index.note, index.catalog.generation) == (None, 0)
    index.close()
    assert_equal(kept(folder / "cache", stores), rebuilt(folder / f"anew-{attempt}", stores))
    with sqlite3.connect(folder / "cache" / f"catalog-{SCHEMA}.db") as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    connection.close()
