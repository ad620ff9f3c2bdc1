"""Brings the catalog up to date with the files, reading only what changed."""

from __future__ import annotations

import os
import time
from contextlib import closing, nullcontext
from typing import TYPE_CHECKING

from app.index.parse_result import Reading
from app.index.row import provisional_row, refused_row, session_row, signature_of, unread
from app.index.scan.activity import Growth
from app.index.scan.deltas import Batch, Pace
from app.index.scan.executor import read_alone, results, settle, start_workers
from app.index.scan.metrics import Metrics
from app.index.scan.queue import Job
from app.index.scan.symlinks import LinkedFiles
from app.index.scan.unreadable import UnreadableFiles
from app.index.scan.walk import is_much, status_of, store_of, walk
from app.index.workers.reader import UNREADABLE

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Mapping, Sequence
    from threading import Event

    from app.index.catalog.catalog import Catalog
    from app.index.row import Signature
    from app.index.scan.deltas import OnDelta
    from app.index.scan.queue import Step
    from app.index.scan.walk import Found
    from app.index.workers.reader import Result
    from app.index.workers.workers import Workers
    from app.stores.base import Store
    from app.stores.layout import Complaint

ANNOUNCED_FROM = 20
"""With so many files to read, the listener is told of their number before the first is read."""

_NONE: Mapping[str, Signature] = {}


class Scanner:
    """Keeps `catalog` and whoever listens up to date. Used by one thread.

    known          path -> signature of what the listener has been told of; the same dict all the time
    complaints     (path, reason) of what the last walk passed over
    elsewhere      the files that may change without a notice, as far as walks beside the screen met them
    out_of_reach   the files that could not be read
    walk_seconds   how long the last walk took, without the reading
    """

    def __init__(self, catalog: Catalog, stores: Sequence[Store], now: Callable[[], int]) -> None:
        self.known: dict[str, Signature] = {}
        self.elsewhere = LinkedFiles(self.known)
        self.complaints: list[Complaint] = []
        self.counts = Metrics()
        self.walk_seconds = 0.0
        self.out_of_reach = UnreadableFiles(stores)
        self._catalog = catalog
        self._stores = stores
        self._growth = Growth(catalog, now)
        self._generation = 0
        # That of the catalog which the last whole scan brought up to date.
        self._whole: int | None = None
        self._following = False
        # Whether anything in the text store may be dead since it was tidied.
        self._untidy = False
        self._pace = Pace()

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
        return self._pace.pause()

    def scan(
        self,
        on_delta: OnDelta | None,
        stop: Event,
        gentle: bool = False,
        found: Found | None = None,
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
            early.keep(self._catalog.text_store)
        started = time.monotonic()
        found = found or walk(self._stores, gentle)
        self.walk_seconds = time.monotonic() - started
        self.counts.walks += 1
        self._catalog.look()
        lost = self._catalog.text_store.lost(found.files) if texts else set()
        if self._catalog.generation != self._generation:
            # What was stored is lost: everything has to be read again, though the listener has its rows.
            self._generation = self._catalog.generation
            for path, signature in self.known.items():
                self.known[path] = unread(signature)
        if found.elsewhere is not None:
            self.elsewhere.walked(found.elsewhere)
        known = self.known
        jobs = [
            Job(path, store, signature)
            for path, (signature, store) in found.files.items()
            if known.get(path) != signature or path in lost
        ]
        jobs.sort(key=lambda job: job.signature[2], reverse=True)
        self.out_of_reach.walked(found.files, found.complaints, known)
        gone = found.gone(known)
        away = known.keys() - found.files.keys() - set(gone) if found.complaints else ()
        newly = {path: unread(known[path]) for path in away if known[path] != unread(known[path])}
        self._run(jobs, gone, on_delta, stop, gentle, early, lost, newly)
        self.complaints = [*found.complaints, *self.out_of_reach.complaints()]
        self._following = True
        if not stop.is_set():
            self._whole = self._generation
        if self._untidy or self._catalog.text_store.is_untidy:
            self._untidy = False
            self._catalog.text_store.tidy(stop, gentle)
        if gentle:
            # whoever has a screen now will start another
            self._catalog.keep_groups()

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
            self.elsewhere.met(path, status)
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
        early: Workers | None = None,
        lost: Container[str] = (),
        away: Mapping[str, Signature] = _NONE,
    ) -> None:
        """:param away: files in folders that cannot be read any more, with the signatures that say so."""
        batch = Batch(self.known, self._catalog, on_delta, self._pace, stop, len(jobs) + len(away))
        self._growth.begin(gone if jobs and self._following else ())
        if gone:
            batch.drop(gone)
            self.out_of_reach.forget(gone)
        # What other processes have left behind is looked for once, by the first that has to write itself.
        self._untidy = self._untidy or bool(gone) or bool(jobs and not self._following)
        if away:
            self._mark(away, batch)
        texts = self._catalog.text_store
        with texts.writing() if jobs else nullcontext():
            if jobs:
                jobs = self._prepare(jobs, batch, lost)
                if len(jobs) >= ANNOUNCED_FROM:
                    batch.tell(always=True)
            if jobs:
                settle(jobs)
            if len(jobs) == 1 and not early and not stop.is_set():
                self._take(*read_alone(jobs[0], texts), batch)
            elif jobs:
                # Nobody waits for the rows of a list that is printed at its end.
                listed = self.known if on_delta else None
                with closing(results(jobs, listed, texts, stop, early, gentle=gentle)) as groups:
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

    def _prepare(self, jobs: list[Job], batch: Batch, lost: Container[str]) -> list[Job]:
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
                job.anew = True
                left.append(job)
            elif old and known:
                batch.show(old.row)
            elif here and old and old.row.is_out_of_reach and old.row.signature == unread(job.signature):
                # It was out of reach for a while, and that is all.
                back[job.path] = job.signature
            else:
                left.append(job)
        if back:
            self._mark(back, batch)
        return left

    def _mark(self, signatures: Mapping[str, Signature], batch: Batch) -> None:
        """Give the stored sessions among these files other signatures, and nothing else."""
        marked = {row.path: row for row in self._catalog.mark(signatures)}
        for path in signatures:
            if path in marked:
                batch.show(marked[path])
            else:
                batch.counted()

    def _take(self, step: Step, result: Result, batch: Batch) -> None:
        job = step.job
        if step.only_ends:
            values = result[0]
            self.counts.ends += 1
            # Another worker may have read the whole of it in the meantime.
            if values is not None and job.path not in self.known:
                batch.hint(provisional_row(job.path, job.store.root, values, job.signature))
            return
        values, refused, line, state, offset, fingerprint, bytes_read, tail, kept = result
        self.counts.bytes += bytes_read
        is_unreadable = bool(refused and refused.startswith(UNREADABLE))
        if not is_unreadable:
            self.counts.tails += tail
            self.counts.whole += not tail
        # Where nothing is added to what there was of a file, that is dead.
        self._untidy = self._untidy or bool(job.old and not tail)
        root = job.store.root
        self.out_of_reach.forget((job.path,))
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
            spans = self._catalog.text_store.spans(said_before, kept)
            self._untidy = self._untidy or len(spans or ()) < len(said_before or ())
            batch.put(Reading(row, offset, fingerprint, state, spans), max(1, row.entry_count - before))
        elif refused and is_unreadable:
            self._not_read(job, refused, batch)
        else:
            batch.put(Reading(refused_row(job.path, root, job.signature, refused or "not a session", line)))

    def _not_read(self, job: Job, reason: str, batch: Batch) -> None:
        """The file vanished after the walk, or is out of reach; then its old row is still the best."""
        if not os.path.lexists(job.path):
            batch.drop([job.path] if job.path in self.known else [])
            batch.counted()
            return
        is_known = job.old is not None and job.old.row.refused is None
        self.out_of_reach.failed(job.path, reason, is_known=is_known)
        # Whoever looks next tries again.
        again = unread(job.signature)
        if job.path in batch.hinted or (job.old is None and self.known.get(job.path) != again):
            batch.put(Reading(refused_row(job.path, job.store.root, again, reason)))
        elif job.old and job.old.row.refused is None and not job.old.row.is_out_of_reach:
            self._mark({job.path: unread(job.old.row.signature)}, batch)
        else:
            batch.counted()
