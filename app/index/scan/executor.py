"""Reads the files that a scan has to read, here or by workers, in an order that soon gives a list."""

from __future__ import annotations

import os
import time
from contextlib import closing
from typing import TYPE_CHECKING

from app.index.file_reader import LARGE_BYTES, Task, read
from app.index.row import STEP_NS
from app.index.scan.walk import is_much

if TYPE_CHECKING:
    from collections.abc import Container, Generator, Iterable, Sequence
    from threading import Event

    from app.index.file_reader import Result
    from app.index.row import Reading, Signature
    from app.index.text.store import TextStore
    from app.index.worker_pool import WorkerPool
    from app.sessions.summaries.summarise import Progress
    from app.stores.base import Store

    Group = list[tuple["Step", Result]]

FIRST_BYTES = 2_000_000
"""Bytes of the newest files that are read first, so that the rows in sight are soon complete."""

SMALL_BYTES = 2 << 10
"""A file that is no larger is read whole at once: there is hardly more of it than its ends. A file that is a
little larger takes twice as long as its ends and is stored on the way, and the list of a store of small
sessions would be complete that much later.
"""

FIRST, LISTED, REST = 0, 1, 2
"""The order of the steps: the newest files; a provisional row of each other file; the rest."""

ENDS_COST = 16 << 10
"""Bytes whose reading takes as long as reading the two ends of a file."""

# Reading beside the screen pauses for a moment after so much work.
_WORK_SECONDS = 0.01
_PAUSE_SECONDS = 0.002


class Job:
    """One file to read.

    old        what is stored of it
    progress   how far it was read, if it has only grown since
    has_grown  whether it is the file that was read before, with more bytes
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
    """Something to read: all that a job needs or, with `task.only_ends`, the two ends of its file for now.

    cost    how many bytes there are to read
    stage   when its turn is: FIRST, LISTED or REST
    """

    __slots__ = ("cost", "job", "stage", "task")

    def __init__(self, job: Job, *, only_ends: bool = False) -> None:
        _, size, mtime_ns, _ = job.signature
        self.job = job
        self.task = Task(job.path, job.store.agents, mtime_ns // 1_000_000, only_ends)
        self.stage = REST
        self.cost = ENDS_COST if only_ends else size - (job.progress.offset if job.progress else 0)


def start_workers(stores: Sequence[Store], gentle: bool) -> WorkerPool | None:
    """A pool whose workers are starting; None if no store is there."""
    if not any(os.path.isdir(store.root) for store in stores):
        return None
    # Not at the top: most runs have little to read.
    from app.index.worker_pool import WorkerPool

    workers = WorkerPool(gentle=gentle)
    workers.start()
    return workers


def results(
    jobs: Sequence[Job],
    listed: Container[str] | None,
    texts: TextStore,
    stop: Event,
    early: WorkerPool | None,
    *,
    gentle: bool,
    following: bool,
) -> Generator[tuple[Group, bool]]:
    """Read the files and yield the results as they come, in groups that may be empty. Workers read them if it
    is worth it, in the order of `list_first`. With each group comes whether it completes something that the
    listener waits for: the newest files, or a row of every session.

    :param listed: the paths that the listener has a row of; None if there is no listener.
    :param early: workers that were started for this, and told of `texts`.
    :param following: files that have grown are read here, which remembers how far, as a worker does not.
    """
    if following:
        grown = [Step(job) for job in jobs if job.has_grown]
        yield from _read_here(grown, texts, stop, gentle=gentle)
        jobs = [job for job in jobs if not job.has_grown]
    steps = in_order(jobs)
    if len(steps) <= 1 or not is_much(sum(step.cost for step in steps)):
        if early:
            early.close()
        yield from _read_here(steps, texts, stop, gentle=gentle)
        return
    # Not at the top, as in `start_workers`.
    from app.index.worker_pool import WorkerPool

    if listed is not None:
        steps = list_first(steps, listed)
    left = [0, 0, 0]
    for step in steps:
        left[step.stage] += 1
    with closing(early or WorkerPool(gentle=gentle)) as workers:
        if workers is not early:
            workers.keep(texts)
        for found in workers.read([(step.task, step.cost) for step in steps]):
            group = [(steps[index], result) for index, result in found]
            is_awaited = False
            for step, _ in group:
                left[step.stage] -= 1
                is_awaited = is_awaited or (step.stage != REST and not left[step.stage])
            yield group, is_awaited


def _read_here(
    steps: Iterable[Step], texts: TextStore, stop: Event, *, gentle: bool
) -> Generator[tuple[Group, bool]]:
    """`results` in this thread, from the last bytes on that were read if that is possible."""
    paused_at = time.monotonic()
    for step in steps:
        if stop.is_set():
            return
        yield [(step, read(step.task, texts.keep, step.job.progress))], False
        if gentle and time.monotonic() - paused_at > _WORK_SECONDS:
            time.sleep(_PAUSE_SECONDS)
            paused_at = time.monotonic()


def in_order(jobs: Iterable[Job]) -> list[Step]:
    """The steps that do all the jobs, in their order, but the large files last."""
    return sorted([Step(job) for job in jobs], key=lambda step: step.cost > LARGE_BYTES)


def list_first(steps: Iterable[Step], listed: Container[str]) -> list[Step]:
    """The steps, which are given newest first, in an order that soon gives a row of every session.

    The newest files come first, then the ends of all others that have no row (small ones are read whole
    then), then these as a whole.

    :param listed: the paths that the listener has a row of.
    """
    first, ends, rest = [], [], []
    room = FIRST_BYTES
    for step in steps:
        if room > 0 and step.cost <= FIRST_BYTES:
            room -= step.cost
            step.stage = FIRST
            first.append(step)
        elif step.job.path in listed:
            rest.append(step)
        elif step.cost <= SMALL_BYTES:
            step.stage = LISTED
            ends.append(step)
        else:
            only_ends = Step(step.job, only_ends=True)
            only_ends.stage = LISTED
            ends.append(only_ends)
            rest.append(step)
    return [*first, *ends, *rest]


def wait_for_next_time_step(jobs: Iterable[Job]) -> None:
    """Wait until a write after our reading would give every file another time than it has now."""
    # The clock of the files, not the one of the screen.
    now_ns = time.time_ns()
    newest = max([job.signature[3] for job in jobs if job.signature[3] <= now_ns], default=0)
    age = now_ns - newest
    if age < STEP_NS:
        time.sleep((STEP_NS - age) / 1e9)
