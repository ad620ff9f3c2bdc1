"""Worker processes for a scan that has much to read.

Several threads would be slower than one, because the decoders hold the interpreter lock. `multiprocessing`
takes longer to start.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections import Counter, deque
from pickle import UnpicklingError
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING

from app.index import worker_process
from app.index.file_reader import Result, Task, read
from app.index.worker_process import READY, receive, send

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from app.index.text.store import TextStore

    Process = subprocess.Popen[bytes]

Batch = list[tuple[int, Task]]
"""Tasks with their indexes."""

BATCH_BYTES = 4_000_000
BATCH_FILES = 256
"""Bytes and number of files that a batch has at most. A worker reads so much in 40 to 80 ms. With half as
many bytes, a cold index takes 5 % longer.
"""

_MOST_WORKERS = 8
# The most workers that replace dead ones. On a machine that is out of memory, they die again and again.
_MOST_RESTARTS = 32
_TICK_SECONDS = 0.05
_NICE = 5

# By default, glibc returns the memory of each block to the system before it needs the next block. With these
# settings it keeps a few megabytes, which saves 15 % of the processor time of a cold index.
MEMORY = {
    "MALLOC_MMAP_THRESHOLD_": str(32 << 20),
    "MALLOC_TOP_PAD_": str(4 << 20),
    "MALLOC_TRIM_THRESHOLD_": str(64 << 20),
}

# The errors of a pipe whose other process has ended or has written data that is no frame.
BROKEN = (OSError, EOFError, ValueError, UnpicklingError)

_DEATHS_ALONE = 2
"""Number of workers that end while they read a file alone before the file is refused."""

CRASHED = Result(None, "reading it ends the reading process")


class WorkerPool:
    """Reads files in several processes. It can be used once; call `close` in any case."""

    def __init__(self, texts: TextStore | None = None, *, count: int = 0, gentle: bool = False) -> None:
        """:param texts: stores the texts of the files; None: they are not stored.
        :param count: number of processes; 0: one for each processor.
        :param gentle: give the workers a lower priority.
        """
        self._keep = texts.keep if texts else None
        self._folder = texts.folder if texts and self._keep else None
        self._count = count or min(_processors(), _MOST_WORKERS)
        self._gentle = gentle
        self._batches: deque[Batch] = deque()
        self._results: SimpleQueue[list[tuple[int, Result]]] = SimpleQueue()
        self._lock = threading.Lock()
        self._processes: set[Process] = set()
        self._starts = 0
        self._deaths: Counter[int] = Counter()
        self._closed = False

    @property
    def process_ids(self) -> list[int]:
        """The ids of the workers that are running."""
        with self._lock:
            return [process.pid for process in self._processes]

    def read(self, tasks: Sequence[tuple[Task, int]]) -> Iterator[list[tuple[int, Result]]]:
        """Yield lists of (index of the task, its result) as they come, and an empty list now and then.

        The tasks are begun in the given order, and each has one result. If a worker dies, its tasks are given
        to other workers, and a file that ends its worker twice is refused as `CRASHED`. If no process can be
        started, the files are read in this thread.

        :param tasks: (task, number of bytes to read).
        """
        self._batches.extend(_batches(tasks))
        threads = [threading.Thread(target=self._run, daemon=True) for _ in range(self._count)]
        for thread in threads:
            thread.start()
        remaining = len(tasks)
        while remaining:
            # Checked before the queue is read, so that no result of a thread that has just ended is missed.
            is_alive = any(thread.is_alive() for thread in threads)
            try:
                group = self._results.get(timeout=_TICK_SECONDS if is_alive else 0)
            except Empty:
                if not is_alive:
                    break
                group = []
            remaining -= len(group)
            yield group
        while self._batches and not self._closed:
            # A file that has ended a worker could end this process too.
            yield [
                (index, CRASHED if self._deaths[index] else read(task, self._keep)._replace(progress=None))
                for index, task in self._batches.popleft()
            ]

    def close(self) -> None:
        """End the workers at once."""
        self._closed = True
        with self._lock:
            for process in self._processes:
                process.kill()

    def _run(self) -> None:
        """The thread of one worker: give it batches until there are no more, and replace it when it dies."""
        process = self._start_process()
        while process is not None and not self._closed:
            try:
                batch = self._batches.popleft()
            except IndexError:
                break
            unanswered = self._serve(process, batch)
            if unanswered:
                self._end(process)
                self._give_back(unanswered, alone=len(batch) == 1)
                process = self._start_process()
        if process is not None:
            self._end(process)

    def _serve(self, process: Process, batch: Batch) -> Batch:
        """Have a worker read a batch. Return the tasks without results; there are some only if it died."""
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            send(process.stdin, [task for _, task in batch])
            while batch:
                results = receive(process.stdout)
                answered = [(index, result) for (index, _), result in zip(batch, results, strict=False)]
                self._results.put(answered)
                batch = batch[len(answered) :]
        except BROKEN:
            pass
        return batch

    def _give_back(self, unanswered: Batch, *, alone: bool) -> None:
        """Put back the tasks of a dead worker, each in its own batch, to find the file that ends workers.

        :param alone: the worker had a single task.
        """
        if alone:
            ((index, _),) = unanswered
            self._deaths[index] += 1
            if self._deaths[index] == _DEATHS_ALONE:
                self._results.put([(index, CRASHED)])
                return
        self._batches.extendleft([task] for task in reversed(unanswered))

    def _start_process(self) -> Process | None:
        """Start a worker and wait until it is ready; None if it cannot be started."""
        with self._lock:
            if self._closed or self._starts == _MOST_RESTARTS + self._count:
                return None
            self._starts += 1
            try:
                process = started(worker_process.START)
            except OSError:
                return None
            self._processes.add(process)
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            if self._gentle:
                lower_priority(process.pid, _NICE)
            is_ready = receive(process.stdout) == READY
            send(process.stdin, self._folder)
        except BROKEN:
            is_ready = False
        if not is_ready:
            self._end(process)
            return None
        return process

    def _end(self, process: Process) -> None:
        with self._lock:
            self._processes.discard(process)
        ended(process)


def lower_priority(process_id: int, steps: int) -> None:
    """Give a process a lower priority than this one, if that is permitted."""
    try:
        os.setpriority(os.PRIO_PROCESS, process_id, os.getpriority(os.PRIO_PROCESS, 0) + steps)
    except OSError:
        pass  # not permitted: the worker keeps its priority


def _batches(tasks: Sequence[tuple[Task, int]]) -> Iterator[Batch]:
    """The tasks in order, in batches; a file that is larger than a batch has its own."""
    batch: Batch = []
    weight = 0
    for index, (task, size) in enumerate(tasks):
        if batch and (weight + size > BATCH_BYTES or len(batch) == BATCH_FILES):
            yield batch
            batch = []
            weight = 0
        batch.append((index, task))
        weight += size
    if batch:
        yield batch


def started(start: str) -> Process:
    """A process with pipes that runs `command(start)`.

    :raises OSError: it cannot be started.
    """
    arguments = command(start)
    if not arguments:
        raise FileNotFoundError("the path of this Python is not known")
    # In a process group of its own, it gets no Ctrl+C from the terminal, and a stopped one is continued by
    # the system when leafmark is killed, so that it can end.
    return subprocess.Popen(
        arguments,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        process_group=0,
        env={**os.environ, **MEMORY},
    )


def ended(process: Process) -> None:
    """End a process of `started` at once."""
    process.kill()
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        process.stdin.close()
    except OSError:
        pass  # the process had ended before everything was written
    process.wait()
    process.stdout.close()


def command(start: str) -> list[str]:
    """The command of a process that runs the code `start`. With `-I -S`, Python ignores its environment
    variables and `site`; the process gets the module paths of this one as arguments.

    Empty if this Python is embedded in another program and its own path is unknown.
    """
    if not sys.executable:
        return []
    root = os.path.abspath(__file__)
    for _ in range(3):  # above `app`
        root = os.path.dirname(root)
    paths = [root, *[path for path in sys.path if path and path != root]]
    encoding = ["-X", "utf8"] if sys.flags.utf8_mode else []
    return [sys.executable, "-I", "-S", *encoding, "-c", start, *paths]


def _processors() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
