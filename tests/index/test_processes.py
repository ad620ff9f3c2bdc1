"""Several leafmark processes use one catalog, and one is killed in the middle of a scan."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

from leafmark import Index

from tests.cases import cases
from tests.index.equal import assert_equal, assert_no_leftovers, kept, rebuilt
from tests.index.helpers import fill, pi_store
from tests.index.test_workers import SLEEPS
from tests.waiting import until

ROOT = Path(__file__).resolve().parents[2]

SCAN = """
import sys
sys.path.insert(0, sys.argv[1])
from app.index import worker_process
from app.index.scan import deltas, walk
from leafmark import Index
from tests.index.helpers import pi_store
deltas.SAVED_FROM = 8
walk.WORKERS_FROM_BYTES = int(sys.argv[4])
worker_process.START = sys.argv[5] or worker_process.START
index = Index([pi_store(sys.argv[2])], sys.argv[3])
index.scan(lambda delta: None)
print("found", sum(len(page.hits) for page in index.query('"prompt 7"')), flush=True)
index.close()
print("note", index.note, index.catalog.generation, index.counts.whole, flush=True)
"""


def start(store: Path, cache: Path, workers_from: int, worker: str = "") -> subprocess.Popen[str]:
    """:param worker: the program of the workers, if it is not the usual one."""
    return subprocess.Popen(
        [sys.executable, "-c", SCAN, str(ROOT), str(store), str(cache), str(workers_from), worker],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
        # A process that takes over its workers may be in our session.
        start_new_session=True,
    )


def test_two_scanners_start_on_an_empty_cache(tmp_path: Path) -> None:
    fill(tmp_path / "store", 400)
    store = pi_store(tmp_path / "store")
    expected = rebuilt(tmp_path / "anew", [store])
    for attempt in range(2):
        cache = tmp_path / f"cache-{attempt}"
        processes = [
            start(tmp_path / "store", cache, limit) for limit in (1 << 40, 1000 if attempt else 1 << 40)
        ]
        for process in processes:
            output, _ = process.communicate(timeout=60)
            assert process.returncode == 0
            *_, answer, last = output.splitlines()
            # Prompts 7 and 70 to 79.
            assert answer == "found 11"
            # The catalog is on disk, and neither process has rebuilt it.
            assert last.startswith("note None 0 ")
        index = Index([store], str(cache))
        index.scan()
        assert index.counts.whole == 0
        index.close()
        assert_equal(kept(cache, [store]), expected)
        assert_no_leftovers(cache, [store])


@cases("stopped", [False, True])
def test_the_workers_of_a_killed_scanner_end(tmp_path: Path, stopped: bool) -> None:
    fill(tmp_path / "store", 400)
    process = start(tmp_path / "store", tmp_path / "cache", 1000, SLEEPS)
    mark = str(ROOT)
    children: list[int] = []
    command = _command(process.pid)

    def have_started() -> bool:
        children[:] = [number for number in _processes() if _parent(number) == process.pid]
        # Until a child runs its own program, it has the command line and the process group of its parent. The
        # kernel wakes a stopped child when its parent ends only if the child has a process group of its own.
        return bool(children) and all(_command(number) != command for number in children)

    until(have_started)
    if stopped:
        for number in children:
            os.kill(number, signal.SIGSTOP)
        # A process is stopped when its last thread is. Before that the kernel does not wake it after the
        # kill.
        until(lambda: all(_states(number) <= {"T", "Z"} for number in children))
    process.kill()
    process.wait()
    until(lambda: not [number for number in children if mark in _command(number) and _state(number) != "Z"])


def _processes() -> list[int]:
    return [int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit()]


def _command(number: int) -> str:
    try:
        return Path(f"/proc/{number}/cmdline").read_text()
    except OSError:
        return ""


def _stat(number: int) -> list[str]:
    try:
        return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return ["Z", "0"]


def _state(number: int) -> str:
    return _stat(number)[0]


def _states(number: int) -> set[str]:
    """States of the threads of a process; empty if it has ended."""
    try:
        threads = os.listdir(f"/proc/{number}/task")
    except OSError:
        return set()
    return {_stat(int(thread))[0] for thread in threads}


def _parent(number: int) -> int:
    return int(_stat(number)[1])
