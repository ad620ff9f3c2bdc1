"""Reading what a scan has to read: here or by workers, and what a listener waits for."""

from __future__ import annotations

import os
import time
from contextlib import closing
from typing import TYPE_CHECKING

from app.index.row import STEP_NS
from app.index.scan.queue import REST, Step, list_first, steps_of
from app.index.scan.walk import is_much
from app.index.workers.reader import read

if TYPE_CHECKING:
    from collections.abc import Container, Generator, Sequence
    from threading import Event

    from app.index.scan.queue import Job
    from app.index.text.store import TextStore
    from app.index.workers.reader import Result
    from app.index.workers.workers import Workers
    from app.stores.base import Store

    Group = list[tuple[Step, Result]]

# Reading beside the screen lets go of the interpreter for a moment after so much work.
_WORK_SECONDS = 0.01
_BREATH_SECONDS = 0.002


def start_workers(stores: Sequence[Store], gentle: bool) -> Workers | None:
    """Workers that are coming up; none where there is no store."""
    if not any(os.path.isdir(store.root) for store in stores):
        return None
    from app.index.workers.workers import Workers

    workers = Workers(gentle=gentle)
    workers.start()
    return workers


def results(
    jobs: list[Job],
    listed: Container[str] | None,
    texts: TextStore,
    stop: Event,
    early: Workers | None,
    *,
    gentle: bool,
) -> Generator[tuple[Group, bool]]:
    """What was to be read, with the results as they come, in groups that may be empty; by workers if it is
    worth it, and then as `list_first` says. With each group whether somebody waits for it: with it the newest
    files are read, or there is a row of every session.

    :param listed: the paths that whoever listens has a row of; None where nobody does.
    :param early: workers that were started for this, and told of `texts`.
    """
    steps = steps_of(jobs)
    if len(steps) == 1 or not is_much(sum(step.cost for step in steps)):
        if early:
            early.close()
        for group in _read_here(steps, texts, stop, gentle):
            yield group, False
        return
    from app.index.workers.workers import Workers

    if listed is not None:
        steps = list_first(steps, listed)
    left = [0, 0, 0]
    for step in steps:
        left[step.stage] += 1
    with closing(early or Workers(gentle=gentle)) as workers:
        if workers is not early:
            workers.keep(texts)
        for found in workers.read([(step.task, step.cost) for step in steps]):
            group = [(steps[index], result) for index, result in found]
            awaited = False
            for step, _ in group:
                left[step.stage] -= 1
                awaited = awaited or (step.stage != REST and not left[step.stage])
            yield group, awaited


def read_alone(job: Job, texts: TextStore) -> tuple[Step, Result]:
    """The result for a single file that may be read here, with no ado: a line has been added to it."""
    step = Step(job, *job.task())
    return step, read(step.task, texts.keep)


def _read_here(steps: Sequence[Step], texts: TextStore, stop: Event, gentle: bool) -> Generator[Group]:
    breath = time.monotonic()
    for step in steps:
        if stop.is_set():
            return
        yield [(step, read(step.task, texts.keep))]
        if gentle and time.monotonic() - breath > _WORK_SECONDS:
            time.sleep(_BREATH_SECONDS)
            breath = time.monotonic()


def settle(jobs: Sequence[Job]) -> None:
    """Wait until a write after our reading would give every file another time than it has now."""
    # The clock of the files, not the one of the screen.
    now_ns = time.time_ns()
    newest = max([job.signature[3] for job in jobs if job.signature[3] <= now_ns], default=0)
    age = now_ns - newest
    if age < STEP_NS:
        time.sleep((STEP_NS - age) / 1e9)
