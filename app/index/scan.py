"""Brings the catalog up to date with the files, reading only what changed (PERFORMANCE 3.5, 3.7)."""

from __future__ import annotations

import os
import stat
import time
from contextlib import closing

from app.index.batch import Batch, Delta, Pace
from app.index.reader import UNREADABLE, read
from app.index.reading import Reading
from app.index.row import refused_row, session_row, signature_of
from app.index.walk import store_of, walk
from app.sessions.summary import Summary

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence
    from threading import Event

    from app.index.batch import OnDelta
    from app.index.catalog import Catalog
    from app.index.reader import Result, Task
    from app.index.row import Signature
    from app.stores.base import Store
    from app.stores.layout import Complaint


__all__ = ["Counts", "Delta", "Scanner"]

ANNOUNCED_FROM = 20
"""With so many files to read, the listener is told of their number before the first is read."""

WORKERS_FROM_BYTES = 16_000_000
"""With less than this to read, starting workers costs more than they save."""

# Times of files move in steps of up to 10 ms: what was written so lately might be written again unseen.
_STEP_NS = 12_000_000
# Reading beside the screen lets go of the interpreter for a moment after so much work (TEXTUAL 4).
_WORK_SECONDS = 0.01
_BREATH_SECONDS = 0.002


class Counts:
    """What scanning has cost so far: files read whole, files of which only the end was read, bytes of both,
    and walks over all stores.
    """

    __slots__ = ("bytes", "tails", "walks", "whole")

    def __init__(self) -> None:
        self.whole = 0
        self.tails = 0
        self.bytes = 0
        self.walks = 0


class Job:
    """One file to look into."""

    __slots__ = ("old", "path", "signature", "store")

    def __init__(self, path: str, store: Store, signature: Signature) -> None:
        self.path = path
        self.store = store
        self.signature = signature
        self.old: Reading | None = None

    def task(self) -> tuple[Task, int]:
        """What the reader is told, and how many bytes it will have to read."""
        _, size, mtime_ns, _ = self.signature
        mtime_ms = mtime_ns // 1_000_000
        old = self.old
        # Only growth of the same file may be read from where we left off (PERFORMANCE 3.7).
        if old and old.state and old.row.ino == self.signature[0] and size > old.row.size:
            task = (self.path, self.store.agents, mtime_ms, old.state, old.offset, old.fingerprint)
            return task, size - old.offset
        return (self.path, self.store.agents, mtime_ms, b"", 0, b""), size


class Scanner:
    """Keeps `catalog` and whoever listens up to date. Used by one thread.

    known          path -> signature of what the listener has been told of; the same dict all the time
    complaints     (path, reason) of what the last walk passed over
    walk_seconds   how long the last walk took, without the reading
    """

    def __init__(self, catalog: Catalog, stores: Sequence[Store], now: Callable[[], int]) -> None:
        self.known: dict[str, Signature] = {}
        self.complaints: list[Complaint] = []
        self.counts = Counts()
        self.walk_seconds = 0.0
        self._unreadable: dict[str, str] = {}
        self._catalog = catalog
        self._stores = stores
        self._now = now
        self._generation = 0
        self._following = False
        self._pace = Pace()

    def begin(self, known: dict[str, Signature]) -> None:
        """Start from what the listener has been shown."""
        self.known.clear()
        self.known.update(known)
        self._generation = self._catalog.generation

    def scan(self, on_delta: OnDelta | None, stop: Event, gentle: bool = False) -> None:
        """Look at all files, read the changed ones, newest first.

        :param on_delta: is told as results come, at most every 50 ms; also once when there is something to
            read, before it is read.
        :param gentle: leave room for the screen's thread.
        """
        started = time.monotonic()
        found = walk(self._stores, gentle)
        self.walk_seconds = time.monotonic() - started
        self.counts.walks += 1
        if self._catalog.generation != self._generation:
            # What was stored is lost: everything is new again.
            self._generation = self._catalog.generation
            self.known.clear()
        known = self.known
        jobs = [
            Job(path, store, signature)
            for path, (signature, store) in found.files.items()
            if known.get(path) != signature
        ]
        jobs.sort(key=lambda job: job.signature[2], reverse=True)
        self._unreadable = {path: why for path, why in self._unreadable.items() if path in found.files}
        self._run(jobs, found.gone(known), on_delta, stop, gentle)
        self.complaints = [*found.complaints, *self._unreadable.items()]
        self._following = True

    def refresh(self, paths: set[str], on_delta: OnDelta | None, stop: Event) -> None:
        """Look at some files that may have changed, come or gone; each must be where its store lists it."""
        jobs = []
        gone = []
        for path in paths:
            store = store_of(path, self._stores)
            if store is None:
                continue
            try:
                status = os.stat(path)
            except (FileNotFoundError, NotADirectoryError):
                if path in self.known:
                    gone.append(path)
                continue
            except OSError:
                # The next walk will see why.
                continue
            signature = signature_of(status)
            if stat.S_ISREG(status.st_mode) and self.known.get(path) != signature:
                jobs.append(Job(path, store, signature))
        self._run(jobs, gone, on_delta, stop, gentle=True)

    def _run(
        self, jobs: list[Job], gone: list[str], on_delta: OnDelta | None, stop: Event, gentle: bool
    ) -> None:
        batch = Batch(self.known, self._catalog, on_delta, self._pace, stop, len(jobs))
        batch.drop(gone)
        if jobs:
            jobs = self._prepare(jobs, batch)
            if len(jobs) >= ANNOUNCED_FROM:
                batch.tell(always=True)
        if jobs:
            _settle(jobs)
            with closing(_results(jobs, gentle, stop)) as results:
                for group in results:
                    for job, result in group:
                        self._take(job, result, batch)
                    if stop.is_set():
                        break
                    batch.tell_now_and_then()
        # The first scan always ends with a word, so that the listener knows that it has ended.
        batch.end(always=not self._following)

    def _prepare(self, jobs: list[Job], batch: Batch) -> list[Job]:
        """Give each job what is stored of its file; the jobs that are left to do.

        Another process that shares the catalog may have read the file as it is now: then its row will do.
        """
        stored = self._catalog.load([job.path for job in jobs])
        left = []
        for job in jobs:
            job.old = stored.get(job.path)
            if job.old and job.old.row.signature == job.signature and job.old.row.store == job.store.root:
                batch.show(job.old.row)
            else:
                left.append(job)
        return left

    def _take(self, job: Job, result: Result, batch: Batch) -> None:
        values, refused, line, state, offset, fingerprint, bytes_read, tail = result
        self.counts.bytes += bytes_read
        self.counts.tails += tail
        self.counts.whole += not tail
        root = job.store.root
        self._unreadable.pop(job.path, None)
        if values is not None:
            row = session_row(job.path, root, Summary(*values), job.signature, self._grew(job))
            batch.put(Reading(row, offset, fingerprint, state))
        elif refused and refused.startswith(UNREADABLE):
            self._not_read(job, refused, batch)
        else:
            batch.put(Reading(refused_row(job.path, root, job.signature, refused or "not a session", line)))

    def _not_read(self, job: Job, reason: str, batch: Batch) -> None:
        """The file vanished after the walk, or is out of reach; then its old row is still the best."""
        if not os.path.lexists(job.path):
            batch.drop([job.path] if job.path in self.known else [])
            batch.counted()
            return
        self._unreadable[job.path] = reason
        # An impossible signature: whoever looks next tries again.
        again = (*job.signature[:3], -1)
        if job.old is None and self.known.get(job.path) != again:
            batch.put(Reading(refused_row(job.path, job.store.root, again, reason)))
        else:
            batch.counted()

    def _grew(self, job: Job) -> int | None:
        """When the file was seen to grow: now, if it has since we last looked ourselves (FORMATS 2.4)."""
        before = self.known.get(job.path)
        if self._following and before and before[0] == job.signature[0] and before[1] < job.signature[1]:
            return self._now()
        return job.old.row.grew_ms if job.old else None


def _settle(jobs: list[Job]) -> None:
    """Wait until a write after our reading would give every file another time than it has now."""
    # The clock of the files, not the one of the screen.
    now_ns = time.time_ns()
    newest = max([job.signature[3] for job in jobs if job.signature[3] <= now_ns], default=0)
    age = now_ns - newest
    if age < _STEP_NS:
        time.sleep((_STEP_NS - age) / 1e9)


def _results(jobs: list[Job], gentle: bool, stop: Event) -> Generator[list[tuple[Job, Result]]]:
    """The jobs with their results as they come, in groups that may be empty; by workers if it is worth it."""
    tasks = [job.task() for job in jobs]
    if len(tasks) == 1 or sum(size for _, size in tasks) < WORKERS_FROM_BYTES:
        breath = time.monotonic()
        for job, (task, _) in zip(jobs, tasks, strict=True):
            if stop.is_set():
                return
            yield [(job, read(task))]
            if gentle and time.monotonic() - breath > _WORK_SECONDS:
                time.sleep(_BREATH_SECONDS)
                breath = time.monotonic()
        return
    from app.index.workers import Workers

    with closing(Workers()) as workers:
        for group in workers.read(tasks):
            yield [(jobs[index], result) for index, result in group]
