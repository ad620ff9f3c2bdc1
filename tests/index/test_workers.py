"""Worker processes give the same results as reading in this process, even if they are killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from leafmark import Index

from app.index import Catalog, worker_pool, worker_process
from app.index.file_reader import LARGE_BYTES, Task, read
from app.index.text.segment import read_spans
from app.index.text.store import TextStore
from app.index.worker_pool import BATCH_BYTES, BATCH_FILES, CRASHED, WorkerPool, _batches, command
from app.sessions import summarise
from tests.cases import cases
from tests.index.helpers import facts, fill, fresh, pi_store, session, write
from tests.waiting import until

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.index.file_reader import Result


def tasks(paths: list[Path]) -> list[tuple[Task, int]]:
    return [(Task(str(path), ("pi",), 1), path.stat().st_size) for path in paths]


def read_here(task: Task) -> Result:
    """The result of reading in this process, without the progress."""
    return read(task)._replace(progress=None)


def collect(work: list[tuple[Task, int]], texts: TextStore | None = None) -> list[Result]:
    """The results of two workers in the order of the tasks. Each must arrive once."""
    results: dict[int, Result] = {}
    with closing(WorkerPool(texts, count=2)) as workers:
        for group in workers.read(work):
            for index, result in group:
                assert index not in results
                results[index] = result
    assert sorted(results) == list(range(len(work)))
    return [results[index] for index in range(len(work))]


def test_workers_give_the_same_results(tmp_path: Path) -> None:
    paths = fill(tmp_path, 150)
    paths += [write(tmp_path / "bad.jsonl", "damaged\n"), tmp_path / "gone.jsonl"]
    paths.append(write(tmp_path / "n\udc80ame\n.jsonl", session("\ud83d alone")))
    work = [(task, 1_000_000) for task, _ in tasks(paths[:-2])]
    work += [(Task(str(path), ("pi",), 1), 0) for path in paths[-2:]]
    assert collect(work) == [read_here(task) for task, _ in work]


def test_other_results_do_not_wait_for_a_large_file(tmp_path: Path) -> None:
    paths = fill(tmp_path, 20)
    large = write(tmp_path / "large.jsonl", session())
    os.truncate(large, LARGE_BYTES + 1)
    with closing(WorkerPool(count=1)) as workers:
        groups = [[index for index, _ in group] for group in workers.read(tasks([*paths, large]))]
    assert [group for group in groups if 20 in group] == [[20]]


def test_texts_are_stored_before_workers_answer(tmp_path: Path) -> None:
    paths = fill(tmp_path / "store", 60)
    catalog = Catalog(str(tmp_path / "cache"), [])
    texts = TextStore(catalog)
    plain = [read_here(task) for task, _ in tasks(paths)]
    results = collect(tasks(paths), texts)
    assert [result._replace(kept=None) for result in results] == plain
    for path, result in zip(paths, results, strict=True):
        spans = result.kept
        assert isinstance(spans, tuple)
        assert read_spans(texts.folder, spans) == summarise(str(path), ("pi",), 1).text
    catalog.close()


def test_texts_are_stored_without_workers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / "nothing"))
    catalog = Catalog(str(tmp_path / "cache"), [])
    texts = TextStore(catalog)
    (result,) = collect(tasks(fill(tmp_path / "store", 1)), texts)
    assert isinstance(result.kept, tuple)
    assert read_spans(texts.folder, result.kept)
    catalog.close()


def test_workers_get_our_import_path_but_no_environment() -> None:
    words = command(worker_process.START)
    assert words[:3] == [sys.executable, "-I", "-S"]
    assert set(filter(None, sys.path)) <= set(words)


def test_no_batch_is_large() -> None:
    sizes = [300_000] * 20 + [9_000_000] + [1] * 1_000
    batches = list(_batches([(Task("p", (), 0), size) for size in sizes]))
    assert [index for batch in batches for index, _ in batch] == list(range(len(sizes)))
    assert max(sum(sizes[index] for index, _ in batch) for batch in batches if len(batch) > 1) <= BATCH_BYTES
    assert max(map(len, batches)) == BATCH_FILES


def started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, gentle: bool = False
) -> tuple[WorkerPool, Iterator[list[tuple[int, Result]]]]:
    """A pool of two workers that are in the middle of a file, and its results."""
    monkeypatch.setattr(worker_process, "START", SLEEPS)
    workers = WorkerPool(count=2, gentle=gentle)
    results = workers.read([(task, 5_000_000) for task, _ in tasks(fill(tmp_path, 50))])
    next(results)
    until(lambda: len(workers.process_ids) == 2)
    return workers, results


def test_workers_get_no_signals_of_the_terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    workers, _ = started(tmp_path, monkeypatch)
    with closing(workers):
        # Ctrl+C does not reach them, and the kernel wakes stopped workers when this process is killed.
        assert {os.getpgid(process) for process in workers.process_ids} == set(workers.process_ids)
        assert {os.getsid(process) for process in workers.process_ids} == {os.getsid(0)}


SLEEPS = """
import sys, time; sys.path[:] = sys.argv[1:]
from app.index import worker_pool, worker_process
worker_process.read = lambda task, keep: time.sleep(1000)
worker_process.main()
"""


def test_a_worker_ends_when_its_input_closes() -> None:
    with subprocess.Popen(command(SLEEPS), stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert worker_process.receive(process.stdout) == worker_process.READY
        worker_process.send(process.stdin, None)
        worker_process.send(process.stdin, ["task"])
        process.stdin.close()
        assert process.wait(timeout=60) == 0


def threads_of(process: int) -> set[str]:
    """The states of its threads."""
    paths = Path(f"/proc/{process}/task").glob("*/stat")
    return {path.read_text().rpartition(")")[2].split()[0] for path in paths}


@cases("stopped", [False, True])
def test_closing_the_pool_ends_its_workers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stopped: bool
) -> None:
    workers, results = started(tmp_path, monkeypatch)
    processes = workers.process_ids
    for process in processes if stopped else ():
        os.kill(process, signal.SIGSTOP)
        # Otherwise another signal may come first.
        until(lambda process=process: threads_of(process) == {"T"})
    workers.close()
    assert [result for group in results for result in group] == []
    assert not workers.process_ids
    assert all(not os.path.exists(f"/proc/{process}/fd/0") for process in processes)


IS_KILLED = """
import sys, os, signal; sys.path[:] = sys.argv[1:]
from app.index import worker_pool, worker_process
really = worker_process.read
def read(task, keep):
    if "/killed" in task[0]:
        try:
            os.close(os.open(task[0] + ".once", os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            pass
        else:
            os.kill(os.getpid(), signal.SIGKILL)
    return really(task, keep)
worker_process.read = read
worker_process.main()
"""


def test_killed_workers_lose_no_results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_process, "START", IS_KILLED)
    paths = fill(tmp_path, 300)
    paths[20:220:40] = [write(tmp_path / f"killed{number}.jsonl", session()) for number in range(5)]
    work = [(task, 1_000_000) for task, _ in tasks(paths)]
    assert collect(work) == [read_here(task) for task, _ in work]
    assert len(list(tmp_path.glob("killed*.once"))) == 5


DIES_AT_POISON = """
import sys, os; sys.path[:] = sys.argv[1:]
from app.index import worker_pool, worker_process
really = worker_process.read
def read(task, keep):
    if "poison" in task[0]:
        os.abort()
    return really(task, keep)
worker_process.read = read
worker_process.main()
"""


def test_a_file_that_crashes_its_reader_is_refused_and_the_others_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker_process, "START", DIES_AT_POISON)
    paths = fill(tmp_path, 100)
    paths.insert(30, write(tmp_path / "poison.jsonl", session()))
    paths.insert(70, write(tmp_path / "poison2.jsonl", session()))
    work = tasks(paths)
    results = collect(work)
    assert [index for index, result in enumerate(results) if result == CRASHED] == [30, 70]
    assert all(result[0] for result in results if result != CRASHED)


@cases("start", ["raise SystemExit(1)", "import time; print('noise')", "import os; os.abort()"])
def test_without_working_workers_the_files_are_read_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, start: str
) -> None:
    monkeypatch.setattr(worker_process, "START", start)
    work = tasks(fill(tmp_path, 20))
    assert collect(work) == [read_here(task) for task, _ in work]


@pytest.mark.skipif(not hasattr(os, "getpriority"), reason="no priorities here")
@pytest.mark.parametrize(("gentle", "nice_difference"), [(True, 5), (False, 0)])
def test_gentle_workers_have_a_lower_priority(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, gentle: bool, nice_difference: int
) -> None:
    workers, _ = started(tmp_path, monkeypatch, gentle=gentle)
    with closing(workers):
        process = workers.process_ids[0]
        due = os.getpriority(os.PRIO_PROCESS, 0) + nice_difference
        until(lambda: os.getpriority(os.PRIO_PROCESS, process) == due)


def test_a_large_first_scan_uses_workers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.index.scan.walk.WORKERS_FROM_BYTES", 1000)
    store = pi_store(tmp_path / "store")
    paths = fill(tmp_path / "store", 300)
    index = Index([store], str(tmp_path / "cache"))
    done_counts: list[int] = []
    index.scan(lambda delta: done_counts.append(delta.done))
    assert (index.counts.whole, index.counts.bytes) == (300, sum(path.stat().st_size for path in paths))
    assert done_counts == sorted(done_counts)
    monkeypatch.undo()
    assert facts(index.rows(full=True)) == fresh(store, tmp_path / "other")


def test_stopping_a_large_scan_ends_the_workers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.index.scan.walk.WORKERS_FROM_BYTES", 1000)
    fill(tmp_path / "store", 300)
    index = Index([pi_store(tmp_path / "store")], str(tmp_path / "cache"))
    stop = threading.Event()

    def first(delta: object) -> None:
        stop.set()

    index.scan(first, stop)
    assert index.counts.whole < 300
    index.scan()
    assert len(index.rows()) == 300


@cases("executable", ["", None, "/nothing"])
def test_without_an_interpreter_the_files_are_read_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, executable: str | None
) -> None:
    """`sys.executable` is "" or None if Python is embedded in another program."""
    monkeypatch.setattr("sys.executable", executable)
    work = tasks(fill(tmp_path, 5))
    assert collect(work) == [read_here(task) for task, _ in work]


@cases("most_here", [0, 1 << 20], ["a large file", "a small file"])
def test_a_large_file_that_is_alone_is_read_by_a_worker(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most_here: int
) -> None:
    pools: list[WorkerPool] = []

    class Counted(WorkerPool):
        def __init__(self, *arguments: Any, **options: Any) -> None:
            super().__init__(*arguments, **options)
            pools.append(self)

    monkeypatch.setattr("app.index.scan.executor._MOST_HERE", most_here)
    monkeypatch.setattr("app.index.scan.walk.WORKERS_FROM_BYTES", 1)
    monkeypatch.setattr(worker_pool, "WorkerPool", Counted)
    fill(tmp_path / "store", 1)
    with closing(Index([pi_store(tmp_path / "store")], str(tmp_path / f"cache-{most_here}"))) as index:
        index.scan()
        assert len(index.rows()) == 1
    assert len(pools) == (0 if most_here else 1)
