"""Plain worker processes for a scan that has much to read (PERFORMANCE 2.2, 3.5).

Threads would be slower than one (the decoders hold the interpreter), and `multiprocessing` starts later.
"""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import sys
import threading
from collections import deque

from app.index import worker
from app.index.reader import read, refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from app.index.reader import Result, Task
    from app.index.text.store import TextStore

    Batch = list[tuple[int, Task]]

BATCH_BYTES = 4_000_000
BATCH_FILES = 256
FIRST_BATCH_BYTES = 500_000

_MOST_WORKERS = 8
# A machine that ends workers all the time (out of memory) gets no more of them.
_MOST_RESTARTS = 32
_TICK_SECONDS = 0.05
_NICE = 5

# The C library gives what was read for one block back to the system before it asks for the next, and gets it
# back page by page; with these it keeps a few megabytes. Only glibc knows them.
_MEMORY = {
    "MALLOC_MMAP_THRESHOLD_": str(32 << 20),
    "MALLOC_TOP_PAD_": str(4 << 20),
    "MALLOC_TRIM_THRESHOLD_": str(64 << 20),
}

# When a worker crashes its file is to blame, the second time for good; one that was killed may have been so
# for other reasons.
_FROM_OUTSIDE = (-signal.SIGKILL, -signal.SIGTERM) if hasattr(signal, "SIGKILL") else ()
_CRASHED, _KILLED, _TOO_MUCH = 3, 1, 6

CRASHED = refused("reading it ends the reading process")


class Workers:
    """Reads files in several processes. One use; `close` in any case."""

    def __init__(self, count: int = 0, *, gentle: bool = False, texts: TextStore | None = None) -> None:
        """:param count: how many processes; 0: one for each processor at hand.
        :param gentle: let others go first.
        :param texts: where the texts of what is read are kept; None: they are not.
        """
        self._keep = texts.keep if texts else None
        self._folder = texts.folder if texts and self._keep else None
        self._count = count or min(_processors(), _MOST_WORKERS)
        self._gentle = gentle
        self._batches: deque[Batch] = deque()
        self._results: queue.SimpleQueue[list[tuple[int, Result]]] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._processes: set[subprocess.Popen[bytes]] = set()
        self._restarts = 0
        # What tasks have to do with the deaths of workers they were alone with.
        self._blame: dict[int, int] = {}
        self._threads: list[threading.Thread] = []
        self._asked = threading.Event()
        self._closed = False

    @property
    def process_ids(self) -> list[int]:
        """The workers that run now."""
        with self._lock:
            return [process.pid for process in self._processes]

    def start(self) -> None:
        """Have the processes come up while what they are to read is still being looked for."""
        if not self._threads:
            self._threads = [threading.Thread(target=self._drive, daemon=True) for _ in range(self._count)]
            for thread in self._threads:
                thread.start()

    def read(self, tasks: Sequence[tuple[Task, int]]) -> Iterator[list[tuple[int, Result]]]:
        """Yield lists of (index of the task, its result) as they come, and an empty list now and then.

        The tasks are begun in the order given. Each is answered once, also when workers die: their tasks are
        given to others, and a file that ends them again is refused as `CRASHED`.

        :param tasks: each with the number of bytes there is to read.
        """
        self._batches.extend(_batches(tasks))
        self._asked.set()
        self.start()
        left = len(tasks)
        while left:
            # Asked before the queue is: what a thread put there before it ended is not missed.
            alive = any(thread.is_alive() for thread in self._threads)
            try:
                group = self._results.get(timeout=_TICK_SECONDS if alive else 0)
            except queue.Empty:
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
        self._asked.set()
        with self._lock:
            for process in self._processes:
                process.kill()

    def _drive(self) -> None:
        """Feed one worker until there is nothing left to do; replace it when it dies."""
        process = None if self._asked.is_set() else self._start()
        self._asked.wait()
        try:
            while self._batches and not self._closed:
                if process is None:
                    process = self._start()
                    if process is None:
                        return
                try:
                    batch = self._batches.popleft()
                except IndexError:
                    return
                unanswered = self._run(process, batch)
                if not unanswered:
                    continue
                killed = self._end(process) in _FROM_OUTSIDE
                process = None
                if len(batch) == 1:
                    index = batch[0][0]
                    self._blame[index] = self._blame.get(index, 0) + (_KILLED if killed else _CRASHED)
                    if self._blame[index] >= _TOO_MUCH:
                        self._results.put([(index, CRASHED)])
                        continue
                # One by one: the next to die then is the one whose file is to blame.
                self._batches.extendleft([one] for one in reversed(unanswered))
        finally:
            if process is not None:
                self._end(process)

    def _run(self, process: subprocess.Popen[bytes], batch: Batch) -> Batch:
        """Have a batch read; what the worker has not answered when it died, else an empty list."""
        assert process.stdin is not None
        assert process.stdout is not None
        answered = 0
        done = False
        try:
            worker.send(process.stdin, [task for _, task in batch])
            while not done:
                results, done = worker.receive(process.stdout)
                indexes = [index for index, _ in batch[answered : answered + len(results)]]
                self._results.put(list(zip(indexes, results, strict=True)))
                answered += len(results)
        except (OSError, EOFError, ValueError, TypeError):
            return batch[answered:]
        return []

    def _start(self) -> subprocess.Popen[bytes] | None:
        """A worker that is ready; None when none can be had."""
        with self._lock:
            if self._closed or self._restarts > _MOST_RESTARTS + self._count:
                return None
            self._restarts += 1
            try:
                process = subprocess.Popen(
                    _command(),
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    # Ctrl+C in the terminal is for us; we end the workers ourselves.
                    start_new_session=True,
                    env={**os.environ, **_MEMORY},
                )
            except OSError:
                return None
            self._processes.add(process)
        if self._gentle and hasattr(os, "setpriority"):
            try:
                os.setpriority(os.PRIO_PROCESS, process.pid, _NICE)
            except OSError:
                pass  # where that is forbidden it reads as fast as it can
        assert process.stdout is not None
        try:
            if worker.receive(process.stdout) == worker.READY:
                assert process.stdin is not None
                worker.send(process.stdin, self._folder)
                return process
        except (OSError, EOFError, ValueError, TypeError):
            pass  # told by its exit: the caller goes on without workers
        self._end(process)
        return None

    def _end(self, process: subprocess.Popen[bytes]) -> int:
        """End a worker for certain; how it ended."""
        with self._lock:
            self._processes.discard(process)
            process.kill()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                try:
                    pipe.close()
                except OSError:
                    pass  # what was still to be written is of no use to a dead process
        return process.wait()


def _batches(tasks: Sequence[tuple[Task, int]]) -> Iterator[Batch]:
    """The tasks in order, in lists that grow: small ones first, so that the first rows come soon."""
    limit = FIRST_BATCH_BYTES
    batch: Batch = []
    weight = 0
    for index, (task, size) in enumerate(tasks):
        batch.append((index, task))
        weight += size
        if weight >= limit or len(batch) == BATCH_FILES:
            yield batch
            batch = []
            weight = 0
            limit = min(limit * 2, BATCH_BYTES)
    if batch:
        yield batch


def _command() -> list[str]:
    """`-I -S`: no environment and no hooks, but all that can be imported here can be there."""
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    paths = [root, *[path for path in sys.path if path and path != root]]
    encoding = ["-X", "utf8"] if sys.flags.utf8_mode else []
    return [sys.executable, "-I", "-S", *encoding, "-c", worker.START, *paths]


def _processors() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
