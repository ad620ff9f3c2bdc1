"""The files that a scan has to look into, and in which order it does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.index.workers.reader import ENDS, LARGE_BYTES
from app.sessions.tally.halves import NONE

if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from app.index.parse_result import Reading
    from app.index.row import Signature
    from app.index.workers.reader import Task
    from app.stores.base import Store

FIRST_BYTES = 2_000_000
"""So much of the newest files is read before anything else: what a person sees first is exact soon."""

SMALL_BYTES = 2 << 10
"""What is no larger is read whole at once: there is hardly more of it than its ends. What is a little larger
takes twice as long as its ends and is stored on the way, and the list of a store of small sessions would be
complete that much later.
"""

FIRST, LISTED, REST = 0, 1, 2
"""The newest files; what gives a row of all others; what is read when there is one."""

ENDS_COST = 16 << 10
"""Reading two ends takes as long as reading so many bytes of many."""


class Job:
    """One file to look into; `old` is what is stored of it, `anew` whether it has to be read whole."""

    __slots__ = ("anew", "old", "path", "signature", "store")

    def __init__(self, path: str, store: Store, signature: Signature) -> None:
        self.path = path
        self.store = store
        self.signature = signature
        self.old: Reading | None = None
        self.anew = False

    def task(self) -> tuple[Task, int]:
        """What the reader is told, and how many bytes it will have to read."""
        inode, size, mtime_ns, _ = self.signature
        mtime_ms = mtime_ns // 1_000_000
        old = self.old
        # Only growth of the same file may be read from where we left off.
        if old and old.state and not self.anew and old.row.ino == inode and size > old.row.size:
            task = (self.path, self.store.agents, mtime_ms, old.state, old.offset, old.fingerprint)
            return task, size - old.offset
        return (self.path, self.store.agents, mtime_ms, NONE, 0, b""), size


class Step:
    """Something to read: all that a job needs or, with `only_ends`, the two ends of its file for now.

    task    what the reader is told; `cost` how many bytes there are to read
    stage   when its turn is: FIRST, LISTED or REST
    """

    __slots__ = ("cost", "job", "only_ends", "stage", "task")

    def __init__(self, job: Job, task: Task, cost: int, only_ends: bool = False, stage: int = REST) -> None:
        self.job = job
        self.task = task
        self.cost = cost
        self.only_ends = only_ends
        self.stage = stage


def steps_of(jobs: Sequence[Job]) -> list[Step]:
    """What does all the jobs, in their order, but the large files last."""
    steps = [Step(job, *job.task()) for job in jobs]
    steps.sort(key=lambda step: step.cost > LARGE_BYTES)
    return steps


def list_first(steps: Sequence[Step], listed: Container[str]) -> list[Step]:
    """The steps, which are given newest first, in an order that soon gives a row of every session.

    The newest files come first, then the ends of all others that have no row (small ones are read whole
    then), then these as a whole.

    :param listed: the paths that whoever listens has a row of.
    """
    first, ends, rest = [], [], []
    room = FIRST_BYTES
    # Nobody reads before this is done: it goes through ten thousand files, and makes what it must.
    for step in steps:
        job, cost = step.job, step.cost
        if room > 0 and cost <= FIRST_BYTES:
            room -= cost
            step.stage = FIRST
            first.append(step)
        elif job.path in listed:
            rest.append(step)
        elif cost <= SMALL_BYTES:
            step.stage = LISTED
            ends.append(step)
        else:
            task = (job.path, step.task[1], step.task[2], NONE, ENDS, b"")
            ends.append(Step(job, task, ENDS_COST, True, LISTED))
            rest.append(step)
    return [*first, *ends, *rest]
