"""A file that another program truncates while it is mapped ends no process."""

from __future__ import annotations

import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.index.search.helpers import World

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGBUS"), reason="the system truncates no mapped file")

SESSIONS = 60

SEARCH_OF_TRUNCATED_SEGMENTS = """
import glob, os, sys
from leafmark import Index
from tests.index.helpers import pi_store

root, cache = sys.argv[1:]
index = Index([pi_store(root)], cache)
index.scan()
assert next(iter(index.query("needle"))).total

truncated = 0
def keep_going():
    # Called while the search runs, after it has looked at the files.
    global truncated
    for path in glob.glob(cache + "/text-*/*.*"):
        truncated += 1
        os.truncate(path, 10)
    return True

pages = list(index.query("re:needle.*end", keep_going=keep_going))
assert truncated
print(pages[-1].total, [note.message for note in pages[-1].notes])
for _ in range(2):
    pages = list(index.query("needle"))
    print(pages[-1].total, [note.message for note in pages[-1].notes])
index.close()
"""

QUERIES_AFTER_TRUNCATED_SHM = """
import os, sys
from leafmark import Index
from tests.index.helpers import append, message, pi_store

root, cache = sys.argv[1:]
index = Index([pi_store(root)], cache)
index.scan()
assert next(iter(index.query("needle"))).total
names = os.listdir(cache)
(shm,) = [cache + "/" + name for name in names if name.startswith("catalog") and name.endswith("-shm")]
for number in range(3):
    os.truncate(shm, 0)
    print(len(index.rows()), len(index.catalog.texts()))
    append(root + "/s00.jsonl", message(f"m{number}", "s00-0", f"appended {number}"))
    os.truncate(shm, 0)
    index.scan()
    print(list(index.query(f'"appended {number}"'))[-1].total)
index.close()
"""


@pytest.fixture
def world(tmp_path: Path) -> World:
    world = World(tmp_path)
    for number in range(SESSIONS):
        world.session(f"s{number:02}", "needle " + "hay " * 5_000 + "end")
    world.scan()
    world.index.close()
    return world


def output_of(program: str, world: World) -> list[str]:
    """The lines that a program of its own prints."""
    done = subprocess.run(
        [sys.executable, "-c", program, str(world.root), str(world.cache)],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_a_search_goes_on_when_segments_are_truncated(world: World) -> None:
    during, after, later = output_of(SEARCH_OF_TRUNCATED_SEGMENTS, world)
    assert "another program has changed the cache during this search: search again" in during
    assert after.startswith(f"{SESSIONS} ['the cached text of {SESSIONS} sessions was damaged")
    assert later == f"{SESSIONS} []"


def test_the_catalog_is_used_when_its_shared_memory_is_truncated(world: World) -> None:
    assert output_of(QUERIES_AFTER_TRUNCATED_SHM, world) == [f"{SESSIONS} {SESSIONS}", "1"] * 3


def test_another_bus_error_ends_the_process(tmp_path: Path) -> None:
    """A fault that the handler cannot mend is not repeated for ever."""
    program = """
import mmap, sys
from app.index.truncation import guard_database
guard_database(sys.argv[1] + "/no-database")
with open(sys.argv[1] + "/file", "wb+") as file:
    file.write(bytes(8192))
    file.flush()
    data = mmap.mmap(file.fileno(), 8192)
    file.truncate(0)
    data[5000]
"""
    done = subprocess.run([sys.executable, "-c", program, str(tmp_path)], capture_output=True, timeout=60)
    assert done.returncode == -signal.SIGBUS
