"""Worker processes for a scan that has much to read.

Threads would be slower than one, because the decoders hold the interpreter lock, and `multiprocessing` starts
later.
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
from app.index.file_reader import LARGE_BYTES, Result, Task, read
from app.index.worker_process import READY, receive, send

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from app.index.file_reader import Keep
    from app.index.text.store import TextStore

    Process = subprocess.Popen[bytes]

Batch = list[tuple[int, Task]]
"""Tasks with their indexes."""

BATCH_BYTES = 4_000_000
BATCH_FILES = 256
FIRST_BATCH_BYTES = 500_000

# A batch is no more than this part of all that is left.
_LAST_SHARE = 8

_MOST_WORKERS = 8
# A machine that ends workers all the time (out of memory) gets no more of them.
_MOST_RESTARTS = 32
_TICK_SECONDS = 0.05
_NICE = 5

# The C library gives the memory of each block back to the system before the next; with these settings it
# keeps a few megabytes, which takes 15 % less processor time for a cold index. Only glibc knows them.
_MEMORY = {
    "MALLOC_MMAP_THRESHOLD_": str(32 << 20),
    "MALLOC_TOP_PAD_": str(4 << 20),
    "MALLOC_TRIM_THRESHOLD_": str(64 << 20),
}

# The errors of a pipe whose other process has ended, or writes something that is no frame.
_BROKEN = (OSError, EOFError, ValueError, UnpicklingError)

_DEATHS_ALONE = 2
"""A file is refused when so many workers have ended that were reading it alone."""

CRASHED = Result(None, "reading it ends the reading process")


class WorkerPool:
    """Reads files in several processes. It can be used once; call `close` in any case."""

    def __init__(self, count: int = 0, *, gentle: bool = False) -> None:
        """:param count: how many processes; 0: one for each processor.
        :param gentle: give the workers a lower priority.
        """
        self._keep: Keep | None = None
        self._folder: str | None = None
        self._count = count or min(_processors(), _MOST_WORKERS)
        self._gentle = gentle
        self._batches: deque[Batch] = deque()
        self._results: SimpleQueue[list[tuple[int, Result]]] = SimpleQueue()
        self._lock = threading.Lock()
        self._processes: set[Process] = set()
        self._starts = 0
        self._deaths: Counter[int] = Counter()
        self._threads: list[threading.Thread] = []
        self._has_folder = threading.Event()
        self._has_tasks = threading.Event()
        self._closed = False

    @property
    def process_ids(self) -> list[int]:
        """The workers that run now."""
        with self._lock:
            return [process.pid for process in self._processes]

    def start(self) -> None:
        """Start the processes. They load what they need while the scan still looks for files."""
        if not self._threads:
            self._threads = [threading.Thread(target=self._run, daemon=True) for _ in range(self._count)]
            for thread in self._threads:
                thread.start()

    def keep(self, texts: TextStore | None) -> None:
        """Say where the texts of the files are kept, if they are. Call it once, and before `read`."""
        self._keep = texts.keep if texts else None
        self._folder = texts.folder if texts and self._keep else None
        self._has_folder.set()

    def read(self, tasks: Sequence[tuple[Task, int]]) -> Iterator[list[tuple[int, Result]]]:
        """Yield lists of (index of the task, its result) as they come, and an empty list now and then.

        The tasks are begun in the order given. Each is answered once, also when workers die: their tasks are
        given to others, and a file that ends its reader twice is refused as `CRASHED`. Without processes the
        files are read in this thread.

        :param tasks: each with the number of bytes there is to read.
        """
        self._batches.extend(_batches(tasks))
        self._has_folder.set()
        self._has_tasks.set()
        self.start()
        left = len(tasks)
        while left:
            # Asked before the queue is: results that a thread put there before it ended are not missed.
            alive = any(thread.is_alive() for thread in self._threads)
            try:
                group = self._results.get(timeout=_TICK_SECONDS if alive else 0)
            except Empty:
                if not alive:
                    break
                group = []
            left -= len(group)
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
        self._has_folder.set()
        self._has_tasks.set()
        with self._lock:
            for process in self._processes:
                process.kill()

    def _run(self) -> None:
        """The thread of one worker: give it batches until there are no more, and replace it when it dies."""
        process = self._start_process()
        self._has_tasks.wait()
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
        """Have a batch read; the tasks that a worker has not answered when it died."""
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            send(process.stdin, [task for _, task in batch])
            while batch:
                results = receive(process.stdout)
                answered = [(index, result) for (index, _), result in zip(batch, results, strict=False)]
                self._results.put(answered)
                batch = batch[len(answered) :]
        except _BROKEN:
            pass
        return batch

    def _give_back(self, unanswered: Batch, *, alone: bool) -> None:
        """Give tasks of a dead worker to others, one by one: then it shows which file is to blame.

        :param alone: the worker was given a single task.
        """
        if alone:
            ((index, _),) = unanswered
            self._deaths[index] += 1
            if self._deaths[index] == _DEATHS_ALONE:
                self._results.put([(index, CRASHED)])
                return
        self._batches.extendleft([task] for task in reversed(unanswered))

    def _start_process(self) -> Process | None:
        """A worker that is ready; None if it cannot be started."""
        command = _command()
        with self._lock:
            if not command or self._closed or self._starts == _MOST_RESTARTS + self._count:
                return None
            self._starts += 1
            try:
                # A process group of its own: Ctrl+C in the terminal is for us alone, and the system wakes up
                # a stopped worker to end when we are killed.
                process = subprocess.Popen(
                    command,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    process_group=0,
                    env={**os.environ, **_MEMORY},
                )
            except OSError:
                return None
            self._processes.add(process)
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            if self._gentle and hasattr(os, "setpriority"):
                _lower_priority(process.pid)
            is_ready = receive(process.stdout) == READY
            self._has_folder.wait()
            send(process.stdin, self._folder)
        except _BROKEN:
            is_ready = False
        if not is_ready:
            self._end(process)
            return None
        return process

    def _end(self, process: Process) -> None:
        with self._lock:
            self._processes.discard(process)
        process.kill()
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.close()
        except OSError:
            pass  # it had ended before everything was written
        process.wait()
        process.stdout.close()


def _lower_priority(process_id: int) -> None:
    try:
        os.setpriority(os.PRIO_PROCESS, process_id, os.getpriority(os.PRIO_PROCESS, 0) + _NICE)
    except OSError:
        pass  # forbidden here: it reads as fast as it can


def _batches(tasks: Sequence[tuple[Task, int]]) -> Iterator[Batch]:
    """The tasks in order, in lists that grow: the first ones are small, so that the first rows come soon. The
    last ones are small too, so that no worker is busy for long when the others have ended.
    """
    left = sum(size for _, size in tasks)
    limit = FIRST_BATCH_BYTES
    batch: Batch = []
    weight = 0
    for index, (task, size) in enumerate(tasks):
        if size > LARGE_BYTES and batch:
            yield batch
            left -= weight
            batch = []
            weight = 0
        batch.append((index, task))
        weight += size
        if weight >= limit or len(batch) == BATCH_FILES:
            yield batch
            left -= weight
            batch = []
            weight = 0
            limit = min(limit * 2, BATCH_BYTES, max(left // _LAST_SHARE, FIRST_BATCH_BYTES))
    if batch:
        yield batch


def _command() -> list[str]:
    """The command of a worker. `-I -S`: no environment and no hooks, but the modules that can be imported
    here.

    Empty if Python is part of another program and does not know how to be started.
    """
    if not sys.executable:
        return []
    root = os.path.abspath(__file__)
    for _ in range(3):  # above `app`
        root = os.path.dirname(root)
    paths = [root, *[path for path in sys.path if path and path != root]]
    encoding = ["-X", "utf8"] if sys.flags.utf8_mode else []
    return [sys.executable, "-I", "-S", *encoding, "-c", worker_process.START, *paths]


def _processors() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
