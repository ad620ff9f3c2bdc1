"""Brings the catalog up to date with the files, reading only what changed."""

from __future__ import annotations

import os
import time
from contextlib import closing, nullcontext
from typing import TYPE_CHECKING

from app.index.file_reader import UNREADABLE, ProgressCache
from app.index.row import Reading, provisional_row, refused_row, session_row, signature_of, unread
from app.index.scan.deltas import DeltaBatch, DeltaThrottle
from app.index.scan.executor import Job, results, start_workers, wait_for_next_time_step
from app.index.scan.symlinks import LinkedFiles
from app.index.scan.walk import is_much, status_of, store_of, walk
from app.sessions.storage.append_ledger import SharedNotes, is_ours, own_notes
from app.stores.layout import hides_nothing

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Mapping, Sequence
    from threading import Event

    from app.index.catalog.catalog import Catalog
    from app.index.file_reader import Result
    from app.index.row import Signature
    from app.index.scan.deltas import OnDelta
    from app.index.scan.executor import Step
    from app.index.scan.walk import WalkResult
    from app.index.text.store import TextStore
    from app.index.worker_pool import WorkerPool
    from app.stores.base import Store
    from app.stores.layout import Complaint

_SEVERAL = 8
"""The most removed files that are compared with new files. A live session is renamed alone."""

ANNOUNCED_FROM = 20
"""From this number of files on, their number is reported before the first one is read."""

_NONE: Mapping[str, Signature] = {}


class Metrics:
    """Counts the cost of scanning: files read whole, files of which only the new end was read, bytes of
    both, files of which the two ends were read for a provisional row, and walks over all stores.
    """

    __slots__ = ("bytes", "ends", "tails", "walks", "whole")

    def __init__(self) -> None:
        self.whole = 0
        self.tails = 0
        self.bytes = 0
        self.ends = 0
        self.walks = 0


class Scanner:
    """Keeps `catalog` and the listener up to date. One thread uses it.

    known          path -> signature of what the listener has been told of; the same dict all the time
    complaints     (path, reason) of what the last walk passed over
    linked_files   the files that may change without a notice, as far as walks beside the screen met them
    unreadable     the files that could not be read
    walk_seconds   how long the last walk took, without the reading
    """

    def __init__(
        self, catalog: Catalog, text_store: TextStore, stores: Sequence[Store], now: Callable[[], int]
    ) -> None:
        self.known: dict[str, Signature] = {}
        self.linked_files = LinkedFiles(self.known)
        self.complaints: list[Complaint] = []
        self.counts = Metrics()
        self.walk_seconds = 0.0
        self.unreadable = UnreadableFiles(stores)
        self._catalog = catalog
        self._text_store = text_store
        self._stores = stores
        self._growth = GrowthTracker(catalog, now)
        self._generation = 0
        # That of the catalog which the last whole scan brought up to date.
        self._whole: int | None = None
        self._following = False
        self._progress = ProgressCache()
        # Whether anything in the text store may be dead since it was tidied.
        self._untidy = False
        self._throttle = DeltaThrottle()

    def begin(self, known: dict[str, Signature]) -> None:
        """Start from what the listener has been shown."""
        self.known.clear()
        self.known.update(known)
        self._generation = self._catalog.generation

    @property
    def is_behind(self) -> bool:
        """Whether what was stored has been lost since all files were looked at: the rows are not all there,
        until they are looked at again.
        """
        return self._whole not in (None, self._catalog.generation)

    def pause(self) -> float:
        """Seconds until the listener may be told again; not positive when it may."""
        return self._throttle.pause()

    def scan(
        self,
        on_delta: OnDelta | None,
        stop: Event,
        gentle: bool = False,
        found: WalkResult | None = None,
        *,
        texts: bool = True,
    ) -> None:
        """Look at all files, read the changed ones, newest first.

        :param on_delta: is told as results come, at most every 50 ms; also once when there is something to
            read, before it is read.
        :param gentle: leave room for the screen's thread.
        :param found: what a walk just found, when the caller has made one.
        :param texts: read also those files again whose text is missing from the text store.
        """
        # With nothing to show yet, there will most likely be much to read: then neither the walk, nor what is
        # made of it, need be waited for.
        early = found.workers if found else None
        if not early and not self.known and (is_much(found.size) if found else on_delta):
            early = start_workers(self._stores, gentle)
        if early:
            early.keep(self._text_store)
        started = time.monotonic()
        found = found or walk(self._stores, gentle)
        self.walk_seconds = time.monotonic() - started
        self.counts.walks += 1
        self._catalog.look()
        lost = self._text_store.lost(found.files) if texts else set()
        if self._catalog.generation != self._generation:
            # What was stored is lost: everything has to be read again, though the listener has its rows.
            self._generation = self._catalog.generation
            for path, signature in self.known.items():
                self.known[path] = unread(signature)
        if found.linked_files is not None:
            self.linked_files.walked(found.linked_files)
        known = self.known
        jobs = [
            Job(path, store, signature)
            for path, (signature, store) in found.files.items()
            if known.get(path) != signature or path in lost
        ]
        jobs.sort(key=lambda job: job.signature[2], reverse=True)
        self.unreadable.walked(found.files, found.complaints, known)
        gone = found.gone(known)
        away = known.keys() - found.files.keys() - set(gone) if found.complaints else ()
        newly = {path: unread(known[path]) for path in away if known[path] != unread(known[path])}
        self._run(jobs, gone, on_delta, stop, gentle, early, lost, newly)
        self.complaints = [*found.complaints, *self.unreadable.complaints()]
        self._following = True
        if not stop.is_set():
            self._whole = self._generation
        if self._untidy or self._text_store.is_untidy:
            self._untidy = False
            self._text_store.tidy(stop, gentle)

    def refresh(self, paths: set[str], on_delta: OnDelta | None, stop: Event) -> None:
        """Look at some files that may have changed, come or gone; each must be where its store lists it."""
        jobs = []
        gone = []
        for path in paths:
            store = store_of(path, self._stores)
            if store is None:
                continue
            try:
                status = status_of(path)
            except OSError:
                # The next walk will see why.
                continue
            if status is None:
                if path in self.known:
                    gone.append(path)
                continue
            self.linked_files.met(path, status)
            signature = signature_of(status)
            if self.known.get(path) != signature:
                jobs.append(Job(path, store, signature))
        self._run(jobs, gone, on_delta, stop, gentle=True)

    def _run(
        self,
        jobs: list[Job],
        gone: list[str],
        on_delta: OnDelta | None,
        stop: Event,
        gentle: bool,
        early: WorkerPool | None = None,
        lost: Container[str] = (),
        away: Mapping[str, Signature] = _NONE,
    ) -> None:
        """:param away: files in folders that cannot be read any more, with the signatures that say so."""
        batch = DeltaBatch(self.known, self._catalog, on_delta, self._throttle, stop, len(jobs) + len(away))
        self._growth.begin(gone if jobs and self._following else ())
        if gone:
            batch.drop(gone)
            self.unreadable.forget(gone)
        # What other processes have left behind is looked for once, by the first that has to write itself.
        self._untidy = self._untidy or bool(gone) or bool(jobs and not self._following)
        if away:
            self._mark(away, batch)
        texts = self._text_store
        with texts.writing() if jobs else nullcontext():
            if jobs:
                jobs = self._prepare(jobs, batch, lost)
                if len(jobs) >= ANNOUNCED_FROM:
                    batch.tell(always=True)
            if jobs:
                wait_for_next_time_step(jobs)
                listed = self.known if on_delta else None
                following = self._following
                with closing(
                    results(jobs, listed, texts, stop, early, gentle=gentle, following=following)
                ) as groups:
                    for group, awaited in groups:
                        for step, result in group:
                            self._take(step, result, batch)
                        if stop.is_set():
                            break
                        if awaited:
                            batch.tell(at_once=True)
                        else:
                            batch.tell_now_and_then()
            elif early:
                early.close()
            # The first scan always ends with a word, so that the listener knows that it has ended.
            batch.end(always=not self._following)

    def _prepare(self, jobs: list[Job], batch: DeltaBatch, lost: Container[str]) -> list[Job]:
        """Give each job what is stored of its file; the jobs that are left to do.

        Another process that shares the catalog may have read the file as it is now: then its row will do.

        :param lost: the files that are to be read whole, for their text.
        """
        stored = self._catalog.load([job.path for job in jobs], self.known)
        if not stored:
            return jobs
        left = []
        back = {}
        for job in jobs:
            job.old = old = stored.get(job.path)
            here = old and old.row.store == job.store.root
            known = here and old and old.row.signature == job.signature
            if old and job.path in lost:
                left.append(job)
            elif old and known:
                batch.show(old.row)
            elif here and old and old.row.is_out_of_reach and old.row.signature == unread(job.signature):
                # It was out of reach for a while, and that is all.
                back[job.path] = job.signature
            else:
                if old and here and old.row.ino == job.signature[0] and old.row.size < job.signature[1]:
                    job.has_grown = True
                    job.progress = self._progress.take(old)
                left.append(job)
        if back:
            self._mark(back, batch)
        return left

    def _mark(self, signatures: Mapping[str, Signature], batch: DeltaBatch) -> None:
        """Give the stored sessions among these files other signatures, and nothing else."""
        marked = {row.path: row for row in self._catalog.mark(signatures)}
        for path in signatures:
            if path in marked:
                batch.show(marked[path])
            else:
                batch.counted()

    def _take(self, step: Step, result: Result, batch: DeltaBatch) -> None:
        job = step.job
        values, refused, tail = result.values, result.refused, result.is_tail
        if step.task.only_ends:
            self.counts.ends += 1
            # Another worker may have read the whole of it in the meantime.
            if values is not None and job.path not in self.known:
                batch.hint(provisional_row(job.path, job.store.root, values, job.signature))
            return
        self.counts.bytes += result.bytes_read
        is_unreadable = bool(refused and refused.startswith(UNREADABLE))
        if not is_unreadable:
            self.counts.tails += tail
            self.counts.whole += not tail
        # Where nothing is added to what there was of a file, that is dead.
        self._untidy = self._untidy or bool(job.old and not tail)
        root = job.store.root
        self.unreadable.forget((job.path,))
        if values is not None:
            row = session_row(
                job.path,
                root,
                values,
                job.signature,
                self._growth.of(job, self.known.get(job.path) if self._following else None),
            )
            before = job.old.row.entry_count if job.old else row.entry_count
            said_before = job.old.spans if job.old and tail else None if tail else ()
            spans = self._text_store.spans(said_before, result.kept)
            self._untidy = self._untidy or len(spans or ()) < len(said_before or ())
            reading = Reading(row, spans)
            # The first scan reads the newest files first, and others do not take their place.
            if result.progress and (self._following or not self._progress.is_full):
                self._progress.keep(reading, result.progress)
            batch.put(reading, max(1, row.entry_count - before))
        elif refused and is_unreadable:
            self._not_read(job, refused, batch)
        else:
            batch.put(
                Reading(
                    refused_row(
                        job.path, root, job.signature, refused or "not a session", result.refused_line
                    )
                )
            )

    def _not_read(self, job: Job, reason: str, batch: DeltaBatch) -> None:
        """The file vanished after the walk, or is out of reach; then its old row is still the best."""
        if not os.path.lexists(job.path):
            batch.drop([job.path] if job.path in self.known else [])
            batch.counted()
            return
        is_known = job.old is not None and job.old.row.refused is None
        self.unreadable.failed(job.path, reason, is_known=is_known)
        # Whoever looks next tries again.
        again = unread(job.signature)
        if job.path in batch.hinted or (job.old is None and self.known.get(job.path) != again):
            batch.put(Reading(refused_row(job.path, job.store.root, again, reason)))
        elif job.old and job.old.row.refused is None and not job.old.row.is_out_of_reach:
            self._mark({job.path: unread(job.old.row.signature)}, batch)
        else:
            batch.counted()


class GrowthTracker:
    """Determines when a file was last seen to grow."""

    def __init__(self, catalog: Catalog, now: Callable[[], int]) -> None:
        self._catalog = catalog
        self._now = now
        self._moved: dict[int, int] = {}
        # All leafmark processes that share a catalog note their own appends in its folder.
        self._others = SharedNotes(os.path.dirname(catalog.path))
        self._looked = False

    def begin(self, gone: Sequence[str]) -> None:
        """Files are about to be read, whose sizes are known. Those in `gone` are not there any more, and each
        of the others may be one of them under another name. Of more than a few it is not asked: a live
        session is renamed alone.
        """
        self._looked = False
        self._moved = {}
        if 0 < len(gone) <= _SEVERAL:
            rows = [reading.row for reading in self._catalog.load(gone).values()]
            self._moved = {row.ino: row.grew_ms for row in rows if row.grew_ms is not None}

    def of(self, job: Job, before: Signature | None) -> int | None:
        """Milliseconds since the epoch, None for never: now, if it has since we last looked ourselves, and
        not by what one of us wrote.

        :param before: how it was then.
        """
        inode, size = job.signature[:2]
        grew = before and before[0] == inode and before[1] < size
        if before and grew and not self._is_ours(job.path, inode, before[1], size):
            return self._now()
        return job.old.row.grew_ms if job.old else self._moved.get(inode)

    def _is_ours(self, path: str, inode: int, before: int, after: int) -> bool:
        own = own_notes(inode)
        if own and is_ours(path, inode, before, after, own):
            return True
        if not self._looked:
            # Once for all files that are read now: each write was noted before it made one of these sizes.
            self._looked = True
            self._others.refresh()
        noted = self._others.of(inode)
        return bool(noted) and is_ours(path, inode, before, after, (*own, *noted))


class UnreadableFiles:
    """The files that could not be read. One thread changes it; other threads may call `unread`."""

    def __init__(self, stores: Sequence[Store]) -> None:
        self._stores = stores
        self._reasons: dict[str, str] = {}
        self._unknown: set[str] = set()
        # Files in folders that may not be read.
        self._hidden: dict[str, str] = {}
        # Paths that may contain sessions.
        self._folders: frozenset[str] = frozenset()

    def walked(self, files: Container[str], complaints: Iterable[Complaint], known: Container[str]) -> None:
        """A walk has found these files, and passed over others; `known` are read."""
        self._reasons = {path: why for path, why in self._reasons.items() if path in files}
        passed_over = {path: why for path, why in complaints if path not in known and not hides_nothing(why)}
        self._hidden = {path: why for path, why in passed_over.items() if store_of(path, self._stores)}
        self._folders = frozenset(passed_over.keys() - self._hidden.keys())

    def failed(self, path: str, reason: str, *, is_known: bool) -> None:
        """A file could not be read.

        :param is_known: it is a session that was read before.
        """
        if is_known:
            self._unknown.discard(path)
        else:
            self._unknown.add(path)
        self._reasons[path] = reason

    def forget(self, paths: Iterable[str]) -> None:
        """They have been read, or are gone."""
        for path in paths:
            self._reasons.pop(path, None)

    def complaints(self) -> list[Complaint]:
        """(path, reason) of all that the walk did not complain of itself."""
        return [*self._reasons.items()]

    def counts(self) -> tuple[int, int]:
        """How many files of which nothing is known, and how many folders, could not be read."""
        return len(self.unread()), len(self._folders)

    def unread(self) -> dict[str, str]:
        """Path -> why, of the files of which nothing is known: they may be sessions."""
        unknown = self._unknown.copy()
        refused = {path: why for path, why in self._reasons.copy().items() if path in unknown}
        return self._hidden | {path: why.removeprefix(f"{UNREADABLE}: ") for path, why in refused.items()}
