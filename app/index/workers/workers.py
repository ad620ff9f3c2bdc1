"""Plain worker processes for a scan that has much to read.

Threads would be slower than one (the decoders hold the interpreter), and `multiprocessing` starts later.
"""

from __future__ import annotations

import os
import sys
import threading
from collections import deque
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING

from app.index.workers import worker
from app.index.workers.process import ENDED, KILLED, spawn
from app.index.workers.reader import LARGE_BYTES, read, refused

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from app.index.text.store import TextStore
    from app.index.workers.process import Process
    from app.index.workers.reader import Keep, Result, Task

    Batch = list[tuple[int, Task]]

BATCH_BYTES = 4_000_000
BATCH_FILES = 256
FIRST_BATCH_BYTES = 500_000

# A batch is no more than this part of all that is left.
_LAST_SHARE = 8
# The one that a worker reads, and the next one.
_AT_A_WORKER = 2

_MOST_WORKERS = 8
# A machine that ends workers all the time (out of memory) gets no more of them.
_MOST_RESTARTS = 32
_TICK_SECONDS = 0.05

# The C library gives what was read for one block back to the system before it asks for the next, and gets it
# back page by page; with these it keeps a few megabytes. Only glibc knows them.
_MEMORY = {
    "MALLOC_MMAP_THRESHOLD_": str(32 << 20),
    "MALLOC_TOP_PAD_": str(4 << 20),
    "MALLOC_TRIM_THRESHOLD_": str(64 << 20),
}

# When a worker crashes its file is to blame, the second time for good; one that was killed may have been so
# for other reasons.
_FROM_OUTSIDE = (KILLED, ENDED)
_CRASHED, _KILLED, _TOO_MUCH = 3, 1, 6

CRASHED = refused("reading it ends the reading process")


class Workers:
    """Reads files in several processes. One use; `close` in any case."""

    def __init__(self, count: int = 0, *, gentle: bool = False) -> None:
        """:param count: how many processes; 0: one for each processor at hand.
        :param gentle: let others go first.
        """
        self._keep: Keep | None = None
        self._folder: str | None = None
        self._count = count or min(_processors(), _MOST_WORKERS)
        self._gentle = gentle
        self._batches: deque[Batch] = deque()
        self._results: SimpleQueue[list[tuple[int, Result]]] = SimpleQueue()
        self._lock = threading.Lock()
        self._processes: set[Process] = set()
        self._restarts = 0
        # What tasks have to do with the deaths of workers they were alone with.
        self._blame: dict[int, int] = {}
        self._threads: list[threading.Thread] = []
        self._told = threading.Event()
        self._asked = threading.Event()
        self._closed = False

    @property
    def process_ids(self) -> list[int]:
        """The workers that run now."""
        with self._lock:
            return [process.pid for process in self._processes if process.pid]

    def start(self) -> None:
        """Have the processes come up while what they are to read, and where its texts go, is still being
        looked for.
        """
        if self._threads:
            return
        processes, more = self._spawn(self._count)
        for number in range(self._count):
            process = processes[number] if number < len(processes) else None
            thread = threading.Thread(target=self._drive, args=(process, [] if number else more), daemon=True)
            self._threads.append(thread)
        for thread in self._threads:
            thread.start()

    def keep(self, texts: TextStore | None) -> None:
        """Have the texts of what is read kept there, or not at all. Once, and before `read`."""
        self._keep = texts.keep if texts else None
        self._folder = texts.folder if texts and self._keep else None
        self._told.set()

    def read(self, tasks: Sequence[tuple[Task, int]]) -> Iterator[list[tuple[int, Result]]]:
        """Yield lists of (index of the task, its result) as they come, and an empty list now and then.

        The tasks are begun in the order given. Each is answered once, also when workers die: their tasks are
        given to others, and a file that ends them again is refused as `CRASHED`.

        :param tasks: each with the number of bytes there is to read.
        """
        self._batches.extend(_batches(tasks))
        self._told.set()
        self._asked.set()
        self.start()
        left = len(tasks)
        while left:
            # Asked before the queue is: what a thread put there before it ended is not missed.
            alive = any(thread.is_alive() for thread in self._threads)
            try:
                group = self._results.get(timeout=_TICK_SECONDS if alive else 0)
            except Empty:
                if not alive:
                    break
                group = []
            left -= len(group)
            yield group
        # No worker could be started: slower, but as good.
        while self._batches and not self._closed:
            yield [(index, read(task, self._keep)) for index, task in self._batches.popleft()]

    def close(self) -> None:
        """End the workers."""
        self._closed = True
        self._told.set()
        self._asked.set()
        with self._lock:
            for process in self._processes:
                process.kill()

    def _drive(self, process: Process | None, more: list[tuple[int, int]]) -> None:
        """Feed one worker until there is nothing left to do; replace it when it dies."""
        if process is None:
            if not self._asked.is_set():
                process = self._start()
        elif not process.greet() or not self._tell(process, more):
            self._end(process)
            process = None
        self._asked.wait()
        try:
            while self._batches and not self._closed:
                if process is None:
                    process = self._start()
                    if process is None:
                        return
                unanswered = self._serve(process)
                if not unanswered:
                    continue
                killed = self._end(process) in _FROM_OUTSIDE
                process = None
                first, alone = unanswered[0]
                if alone and first:
                    ((index, _),) = first
                    self._blame[index] = self._blame.get(index, 0) + (_KILLED if killed else _CRASHED)
                    if self._blame[index] >= _TOO_MUCH:
                        self._results.put([(index, CRASHED)])
                        first = []
                # One by one: the next to die then is the one whose file is to blame.
                again = [[one] for one in first] + [batch for batch, _ in unanswered[1:]]
                self._batches.extendleft(reversed(again))
        finally:
            if process is not None:
                self._end(process)

    def _serve(self, process: Process) -> list[tuple[Batch, bool]]:
        """Have batches read until there are no more. When the worker dies, what it has not answered: batches
        in order, each with whether it was given as a batch of one.
        """
        given: deque[Batch] = deque()
        answered = 0
        try:
            while not self._closed:
                # It is given the next one before it has to wait for it.
                while len(given) < _AT_A_WORKER and self._batches:
                    try:
                        given.append(self._batches.popleft())
                    except IndexError:
                        break
                    worker.send(process.target, [task for _, task in given[-1]])
                if not given:
                    break
                results, done = worker.receive(process.source)
                indexes = [index for index, _ in given[0][answered : answered + len(results)]]
                self._results.put(list(zip(indexes, results, strict=True)))
                answered += len(results)
                if done:
                    given.popleft()
                    answered = 0
        except (OSError, EOFError, ValueError, TypeError):
            left = [(batch, len(batch) == 1) for batch in given]
            if left:
                left[0] = (left[0][0][answered:], left[0][1])
            return left
        return []

    def _spawn(self, count: int) -> tuple[list[Process], list[tuple[int, int]]]:
        """As `process.spawn`; none when none can be had."""
        command = _command()
        with self._lock:
            if not command or self._closed or self._restarts > _MOST_RESTARTS + self._count:
                return [], []
            self._restarts += 1
            try:
                processes, more = spawn(command, {**os.environ, **_MEMORY}, count, gentle=self._gentle)
            except OSError:
                return [], []
            self._processes.update(processes)
        return processes, more

    def _start(self) -> Process | None:
        """A worker that is ready; None when none can be had."""
        processes, more = self._spawn(1)
        for process in processes:
            if process.greet() and self._tell(process, more):
                return process
            self._end(process)
        return None

    def _tell(self, process: Process, more: list[tuple[int, int]]) -> bool:
        self._told.wait()
        return process.tell(self._folder, more)

    def _end(self, process: Process) -> int:
        """End a worker for certain; how it ended."""
        with self._lock:
            self._processes.discard(process)
        return process.end()


def _batches(tasks: Sequence[tuple[Task, int]]) -> Iterator[Batch]:
    """The tasks in order, in lists that grow: small ones first, so that the first rows come soon. And small
    ones last, so that no worker is busy for long when the others have ended.
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
    """`-I -S`: no environment and no hooks, but all that can be imported here can be there.

    Nothing where Python is built into another program and does not know how to be started.
    """
    if not sys.executable:
        return []
    root = os.path.abspath(__file__)
    for _ in range(4):  # above `app`
        root = os.path.dirname(root)
    paths = [root, *[path for path in sys.path if path and path != root]]
    encoding = ["-X", "utf8"] if sys.flags.utf8_mode else []
    return [sys.executable, "-I", "-S", *encoding, "-c", worker.START, *paths]


def _processors() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
