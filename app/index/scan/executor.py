"""Reads the files of a scan, in this process or by workers, in an order that soon gives a list."""

from __future__ import annotations

import time
from contextlib import closing
from typing import TYPE_CHECKING

from app.index.file_reader import LARGE_BYTES, Task, read
from app.index.row import STEP_NS
from app.index.scan.walk import is_much

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Generator, Iterable, Sequence
    from threading import Event

    from app.index.file_reader import Result
    from app.index.row import Reading, Signature
    from app.index.text.store import TextStore
    from app.sessions.summaries.summarise import Progress
    from app.stores.base import Store

    Group = list[tuple["Step", Result]]

FIRST_BYTES = 2_000_000
"""Bytes of the newest files that are read first, so that the visible rows are soon complete."""

ENDS_COST = 16 << 10
"""Bytes whose reading takes as long as reading the two ends of a file."""

_MOST_HERE = 64 << 20
"""Bytes of a single file that is read in this process. A larger one may have a line for which there is no
memory, which ends a worker alone.
"""

# Seconds of work beside the screen before a pause, and of the pause.
_WORK_SECONDS = 0.01
_PAUSE_SECONDS = 0.002
_LONGEST_REST_SECONDS = 1.0


class Job:
    """One file to read.

    old        the stored reading of the file
    has_grown  whether it is the file that was read before, with more bytes
    progress   the state after the last reading, if the file has only grown since
    """

    __slots__ = ("has_grown", "old", "path", "progress", "signature", "store")

    def __init__(self, path: str, store: Store, signature: Signature) -> None:
        self.path = path
        self.store = store
        self.signature = signature
        self.old: Reading | None = None
        self.has_grown = False
        self.progress: Progress | None = None


class Step:
    """One reading for a job: all that it needs or, with `task.only_ends`, only the two ends of its file.

    cost   the number of bytes to read
    """

    __slots__ = ("cost", "job", "task")

    def __init__(self, job: Job, *, only_ends: bool = False) -> None:
        _, size, mtime_ns, _ = job.signature
        self.job = job
        self.task = Task(job.path, job.store.agents, mtime_ns // 1_000_000, only_ends)
        self.cost = ENDS_COST if only_ends else size - (job.progress.offset if job.progress else 0)


def results(
    jobs: Sequence[Job],
    listed: Container[str] | None,
    texts: TextStore,
    stop: Event,
    *,
    gentle: bool,
    following: bool,
) -> Generator[Group]:
    """Read the files. Yield the results as they come; a group of them may be empty.

    Workers read the files if there is enough to read, in the order of `list_first`.

    :param listed: the paths of which the listener has a row; None if there is no listener.
    :param gentle: pause now and then, so that the thread of the screen can run.
    :param following: read files that have grown in this process, because workers return no progress.
    """
    if following:
        grown = [Step(job) for job in jobs if job.has_grown]
        yield from _read_here(grown, texts, stop, gentle=gentle)
        jobs = [job for job in jobs if not job.has_grown]
    steps = in_order(jobs)
    is_one = len(steps) <= 1 and all(step.cost <= _MOST_HERE for step in steps)
    if is_one or not is_much(sum(step.cost for step in steps)):
        yield from _read_here(steps, texts, stop, gentle=gentle)
        return
    # Imported here: most runs have little to read.
    from app.index.worker_pool import WorkerPool

    if listed is not None:
        steps = list_first(steps, listed)
    with closing(WorkerPool(texts, gentle=gentle)) as workers:
        for answers in workers.read([(step.task, step.cost) for step in steps]):
            yield [(steps[index], result) for index, result in answers]


def _read_here(steps: Iterable[Step], texts: TextStore, stop: Event, *, gentle: bool) -> Generator[Group]:
    """`results` in this thread. A file with a progress is read from there on."""
    paused_at = time.monotonic()
    for step in steps:
        if stop.is_set():
            return
        yield [(step, read(step.task, texts.keep, step.job.progress))]
        if gentle and time.monotonic() - paused_at > _WORK_SECONDS:
            time.sleep(_PAUSE_SECONDS)
            paused_at = time.monotonic()


def read_all(
    tasks: Sequence[tuple[Task, int]], should_stop: Callable[[], bool], *, gentle: bool = False
) -> Generator[tuple[int, Result]]:
    """Read some files, by workers if there is much to read. Yield (index of the task, its result) as they
    come.

    :param tasks: (task, number of bytes to read).
    :param should_stop: asked for each result, and now and then while workers read: it ends early.
    :param gentle: read them in this process, and rest after each for as long as it took.
    """
    if gentle or len(tasks) <= 1 or not is_much(sum(size for _, size in tasks)):
        for index, (task, _) in enumerate(tasks):
            if should_stop():
                return
            began = time.monotonic()
            yield index, read(task)
            if gentle:
                time.sleep(min(time.monotonic() - began, _LONGEST_REST_SECONDS))
        return
    # Imported here: most runs have little to read.
    from app.index.worker_pool import WorkerPool

    with closing(WorkerPool()) as workers:
        for answers in workers.read(tasks):
            if should_stop():
                return
            for index, result in answers:
                yield index, result
                if should_stop():
                    return


def in_order(jobs: Iterable[Job]) -> list[Step]:
    """The steps of all jobs, in the order of the jobs, but the large files last."""
    return sorted([Step(job) for job in jobs], key=lambda step: step.cost > LARGE_BYTES)


def list_first(steps: Iterable[Step], listed: Container[str]) -> list[Step]:
    """The steps in an order that soon gives a row of every session: the newest files; the two ends of the
    other files without a row; the rest.

    :param steps: those of the newest files first.
    :param listed: the paths of which the listener has a row.
    """
    first, ends, rest = [], [], []
    budget = FIRST_BYTES
    for step in steps:
        if budget > 0 and step.cost <= FIRST_BYTES:
            budget -= step.cost
            first.append(step)
        elif step.job.path in listed:
            rest.append(step)
        else:
            ends.append(Step(step.job, only_ends=True))
            rest.append(step)
    return [*first, *ends, *rest]


def wait_for_next_time_step(jobs: Iterable[Job]) -> None:
    """Wait until a later write would give each file a new change time, so that the next scan notices it."""
    # The system's clock, which gives files their times.
    now_ns = time.time_ns()
    newest = max([job.signature[3] for job in jobs if job.signature[3] <= now_ns], default=0)
    age = now_ns - newest
    if age < STEP_NS:
        time.sleep((STEP_NS - age) / 1e9)
