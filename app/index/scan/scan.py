"""Brings the catalog up to date with the files, reading only what changed."""

from __future__ import annotations

import os
import time
from contextlib import closing, nullcontext
from typing import TYPE_CHECKING

from app.index.file_reader import UNREADABLE, ProgressCache
from app.index.row import Reading, provisional_row, refused_row, session_row, signature_of, unread
from app.index.scan.deltas import DeltaBatch, DeltaThrottle
from app.index.scan.executor import Job, results, wait_for_next_time_step
from app.index.scan.hints import PolledFiles
from app.index.scan.walk import status_of, store_of, walk
from app.sessions.storage.append_ledger import SharedNotes, is_ours, own_notes
from app.stores.kept import copy_path, original_path
from app.stores.layout import hides_nothing
from app.stores.names import name_of, read_names

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
    from app.stores.base import Store
    from app.stores.layout import Complaint

_MAX_RENAMED = 8
"""The most removed files of a pass that may be renamed ones: a live session is renamed alone."""

ANNOUNCED_FROM = 20
"""From this number of files on, their number is reported before the first one is read."""

NOTICE_NS = 10**9
"""Nanoseconds after which the system has reported a change, if it reports it at all."""

_AHEAD_NS = 86_400 * 10**9
"""Nanoseconds by which the clock of another computer may be ahead. A file with a later time of modification
is read last, because its time does not say when the session was used.
"""

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

    known          path -> signature of the files that were reported to the listener; always the same dict
    complaints     (path, reason) of the files and folders that the last scan passed over or could not read
    counts         the cost so far
    linked_files   the files that may change without a notice, as found by walks
    unreadable     the files that could not be read
    walk_seconds   seconds that the last walk took, without the reading
    """

    def __init__(
        self, catalog: Catalog, text_store: TextStore, stores: Sequence[Store], now: Callable[[], int]
    ) -> None:
        self.known: dict[str, Signature] = {}
        self.linked_files = PolledFiles(self.known)
        self.complaints: list[Complaint] = []
        self.counts = Metrics()
        self.walk_seconds = 0.0
        self.unreadable = UnreadableFiles(stores)
        self._catalog = catalog
        self._text_store = text_store
        self._stores = stores
        self._growth = GrowthTracker(catalog, now)
        self._generation = 0
        # The generation of the catalog at the last complete scan.
        self._scanned_generation: int | None = None
        # True after the first scan.
        self._following = False
        self._progress = ProgressCache()
        # Whether the text store may have garbage since it was tidied.
        self._untidy = False
        self._throttle = DeltaThrottle()
        # Root of a store -> the names of its sessions that its agent keeps beside them, as in `known`.
        self._names: dict[str, Mapping[str, str]] = {}

    def begin(self, known: dict[str, Signature]) -> None:
        """Start from the files that the listener knows: path -> signature."""
        self.known.clear()
        self.known.update(known)
        self._generation = self._catalog.generation

    @property
    def is_behind(self) -> bool:
        """Whether the stored rows were lost since the last complete scan, so that some are missing until the
        next one.
        """
        return self._scanned_generation not in (None, self._catalog.generation)

    def pause(self) -> float:
        """Seconds until the next delta may be sent; zero or less if it may be sent now."""
        return self._throttle.pause()

    def has_new_names(self) -> bool:
        """Whether a file with names beside the sessions has changed since the last scan."""
        for store in self._stores:
            if store.names:
                names, known = read_names(store.names), self._names.get(store.root, {})
                if names is not known and names != known:
                    return True
        return False

    def scan(
        self,
        on_delta: OnDelta | None,
        stop: Event,
        gentle: bool = False,
        found: WalkResult | None = None,
        *,
        texts: bool = True,
    ) -> bool:
        """Check all files, and read the changed ones, newest first. Return whether a watch would have
        reported any of the changes by now.

        :param on_delta: called with results at most every 50 ms; with `ANNOUNCED_FROM` files or more also
            before the first one is read.
        :param stop: set by another thread to end soon.
        :param gentle: pause now and then, so that the thread of the screen can run.
        :param found: the result of a walk that the caller has just made; None: walk.
        :param texts: also read files again whose text is missing from the text store.
        """
        started = time.monotonic()
        found = found or walk(self._stores)
        self.walk_seconds = time.monotonic() - started
        self._names = found.names
        self.counts.walks += 1
        self._catalog.look()
        lost = self._text_store.lost(found.files) if texts else set()
        if self._catalog.generation != self._generation:
            # The stored rows are lost: all files have to be read again, although the listener has their rows.
            self._generation = self._catalog.generation
            for path, signature in self.known.items():
                self.known[path] = unread(signature)
        self.linked_files.walked(found.linked_files)
        known = self.known
        jobs = [
            Job(path, store, signature)
            for path, (signature, store) in found.files.items()
            if known.get(path) != signature or path in lost
        ]
        plausible_ns = time.time_ns() + _AHEAD_NS
        jobs.sort(key=lambda job: job.signature[2] * (job.signature[2] <= plausible_ns), reverse=True)
        self.unreadable.walked(found.files, found.complaints, known)
        removed = found.gone(known)
        hidden = known.keys() - found.files.keys() - set(removed) if found.complaints else ()
        newly_hidden = {path: unread(known[path]) for path in hidden if known[path] != unread(known[path])}
        # A file that cannot be read is tried at each scan, and has not changed.
        noticed_ns = time.time_ns() - NOTICE_NS
        missed_changes = bool(removed or newly_hidden) or any(
            known.get(job.path) != unread(job.signature) and job.signature[3] < noticed_ns for job in jobs
        )
        self._run(jobs, removed, on_delta, stop, gentle, lost, newly_hidden)
        self.complaints = [*found.complaints, *self.unreadable.complaints()]
        self._following = True
        if not stop.is_set():
            self._scanned_generation = self._generation
        if self._untidy or self._text_store.is_untidy:
            self._untidy = False
            self._text_store.tidy(stop)
        return missed_changes

    def refresh(self, paths: set[str], on_delta: OnDelta | None, stop: Event) -> None:
        """Check some files that may be new, changed or removed.

        :param paths: places where stores list session files (`hints.hints_of`).
        :param on_delta: this and `stop` are those of `scan`.
        """
        jobs = []
        removed = []
        for path in paths:
            store = store_of(path, self._stores)
            if store is None:
                continue
            try:
                status = status_of(path)
            except OSError:
                # The next walk reports the reason.
                continue
            if status is None:
                if path in self.known:
                    removed.append(path)
                    jobs += self._copy_of(path, store, paths)
                continue
            copy = copy_path(path, store.kept)
            if copy in self.known:  # the file is there again
                removed.append(copy)
            self.linked_files.met(path, status)
            signature = signature_of(status, self._name_of(path, store))
            if self.known.get(path) != signature:
                jobs.append(Job(path, store, signature))
        self._run(jobs, removed, on_delta, stop, gentle=True)

    def _copy_of(self, path: str, store: Store, changed: set[str]) -> list[Job]:
        """The job that reads the copy of a file that is gone, if leafmark keeps one, and the session has no
        file in another folder.

        :param changed: the files that may be new.
        """
        copy = copy_path(path, store.kept)
        if not store.kept or not os.path.isfile(copy):
            return []
        name = os.path.basename(path)
        if any(os.path.basename(other) == name for other in (*self.known, *changed) if other != path):
            return []
        return [Job(copy, store, signature_of(os.stat(copy), self._name_of(path, store)))]

    def _name_of(self, path: str, store: Store) -> str:
        """The name that the agent keeps beside the session; "" for none."""
        return name_of(store, self._names.get(store.root, {}), original_path(path, store.kept) or path)

    def _run(
        self,
        jobs: list[Job],
        removed: list[str],
        on_delta: OnDelta | None,
        stop: Event,
        gentle: bool,
        lost: Container[str] = (),
        hidden: Mapping[str, Signature] = _NONE,
    ) -> None:
        """Do the jobs, and report and store the results.

        :param removed: paths of files that no longer exist.
        :param lost: paths of files that are read whole, because their text is missing.
        :param hidden: path -> `unread` signature of files in folders that cannot be read any more.
        """
        batch = DeltaBatch(self.known, self._catalog, on_delta, self._throttle, stop, len(jobs) + len(hidden))
        self._growth.begin(removed if jobs and self._following else ())
        if removed:
            batch.drop(removed)
            self.unreadable.forget(removed)
        # The first pass with jobs also tidies the garbage that other processes have left.
        self._untidy = self._untidy or bool(removed) or bool(jobs and not self._following)
        if hidden:
            self._mark(hidden, batch)
        texts = self._text_store
        with texts.writing() if jobs else nullcontext():
            if jobs:
                jobs = self._prepare(jobs, batch, lost)
                if len(jobs) >= ANNOUNCED_FROM:
                    batch.send(always=True)
            if jobs:
                wait_for_next_time_step(jobs)
                listed = self.known if on_delta else None
                following = self._following
                with closing(
                    results(jobs, listed, texts, stop, gentle=gentle, following=following)
                ) as groups:
                    for group in groups:
                        for step, result in group:
                            self._take(step, result, batch)
                        if stop.is_set():
                            break
                        batch.send_if_due()
            # The first scan always ends with a delta, so that the listener knows that it has ended.
            batch.end(always=not self._following)

    def _prepare(self, jobs: list[Job], batch: DeltaBatch, lost: Container[str]) -> list[Job]:
        """Give each job the stored reading of its file, and return the jobs whose files have to be read.

        Another process that shares the catalog may have read the current file: then its row is used.

        :param lost: as in `_run`.
        """
        stored = self._catalog.load([job.path for job in jobs], self.known)
        if not stored:
            return jobs
        remaining = []
        restored = {}
        for job in jobs:
            job.old = old = stored.get(job.path)
            in_store = old and old.row.store == job.store.root
            is_current = in_store and old and old.row.signature == job.signature
            if old and job.path in lost:
                remaining.append(job)
            elif old and is_current:
                batch.show(old.row)
            elif in_store and old and old.row.is_out_of_reach and old.row.signature == unread(job.signature):
                # The file could not be read for a while, and has not changed.
                restored[job.path] = job.signature
            else:
                if old and in_store and old.row.ino == job.signature[0] and old.row.size < job.signature[1]:
                    job.has_grown = True
                    job.progress = self._progress.take(old)
                remaining.append(job)
        if restored:
            self._mark(restored, batch)
        return remaining

    def _mark(self, signatures: Mapping[str, Signature], batch: DeltaBatch) -> None:
        """Change only the signatures of the stored sessions among these files."""
        marked = {row.path: row for row in self._catalog.mark(signatures)}
        for path in signatures:
            if path in marked:
                batch.show(marked[path])
            else:
                batch.counted()

    def _take(self, step: Step, result: Result, batch: DeltaBatch) -> None:
        job = step.job
        name = self._name_of(job.path, job.store)
        values, refused, tail = result.values, result.refused, result.is_tail
        if step.task.only_ends:
            self.counts.ends += 1
            # Another worker may have read the whole file meanwhile.
            if values is not None and job.path not in self.known:
                batch.hint(provisional_row(job.path, job.store.root, values, job.signature, name))
            return
        self.counts.bytes += result.bytes_read
        is_unreadable = bool(refused and refused.startswith(UNREADABLE))
        if not is_unreadable:
            self.counts.tails += tail
            self.counts.whole += not tail
        # The old text of a file that was read whole again is garbage.
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
                name,
            )
            old_count = job.old.row.entry_count if job.old else row.entry_count
            old_spans = job.old.spans if job.old and tail else None if tail else ()
            spans = self._text_store.spans(old_spans, result.kept)
            self._untidy = self._untidy or len(spans or ()) < len(old_spans or ())
            reading = Reading(row, spans)
            # The first scan reads the newest files first: older files must not displace their progress.
            if result.progress and (self._following or not self._progress.is_full):
                self._progress.keep(reading, result.progress)
            batch.put(reading, max(1, row.entry_count - old_count))
        elif refused and is_unreadable:
            self._not_read(job, refused, batch)
        else:
            reason = refused or "not a session"
            batch.put(Reading(refused_row(job.path, root, job.signature, reason, result.refused_line)))

    def _not_read(self, job: Job, reason: str, batch: DeltaBatch) -> None:
        """Handle a file that was removed after the walk, or cannot be read: then its old row stays."""
        if not os.path.lexists(job.path):
            batch.drop([job.path] if job.path in self.known else [])
            batch.counted()
            return
        is_known = job.old is not None and job.old.row.refused is None
        self.unreadable.failed(job.path, reason, is_known=is_known)
        # With this signature, the next scan reads the file again.
        retried = unread(job.signature)
        if job.path in batch.hinted or (job.old is None and self.known.get(job.path) != retried):
            batch.put(Reading(refused_row(job.path, job.store.root, retried, reason)))
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
        self._shared_notes = SharedNotes(os.path.dirname(catalog.path))

    def begin(self, removed: Sequence[str]) -> None:
        """Prepare for a pass that reads files.

        :param removed: files that no longer exist. If they are at most `_MAX_RENAMED`, a new file with the
            same inode takes over their time of growth, because it was renamed.
        """
        # Once for a pass: each write was noted before the file had the size that was found.
        self._shared_notes.refresh()
        self._moved = {}
        if 0 < len(removed) <= _MAX_RENAMED:
            rows = [reading.row for reading in self._catalog.load(removed).values()]
            self._moved = {row.ino: row.grew_ms for row in rows if row.grew_ms is not None}

    def of(self, job: Job, before: Signature | None) -> int | None:
        """When the file of a job was last seen to grow, in milliseconds since the epoch; None for never. That
        is now if it has grown since `before` by anything but leafmark's own writes.

        :param before: the signature of the file at the last check; None if it was not checked before.
        """
        inode, size = job.signature[:2]
        has_grown = before and before[0] == inode and before[1] < size
        if before and has_grown and not self._is_ours(job.path, inode, before[1], size):
            return self._now()
        return job.old.row.grew_ms if job.old else self._moved.get(inode)

    def _is_ours(self, path: str, inode: int, before: int, after: int) -> bool:
        """Whether leafmark processes wrote the bytes from size `before` to size `after`."""
        return is_ours(path, inode, before, after, (*own_notes(inode), *self._shared_notes.of(inode)))


class UnreadableFiles:
    """The files that could not be read. One thread changes it; other threads may call `unread`."""

    def __init__(self, stores: Sequence[Store]) -> None:
        self._stores = stores
        self._reasons: dict[str, str] = {}
        self._unknown: set[str] = set()
        # Files in folders that may not be read.
        self._hidden: dict[str, str] = {}
        # Sessions in a form that leafmark does not read. There may be thousands, so they are only counted.
        self._compressed: frozenset[str] = frozenset()
        # Paths that may contain sessions.
        self._folders: frozenset[str] = frozenset()

    def walked(self, files: Container[str], complaints: Iterable[Complaint], known: Container[str]) -> None:
        """Take note of the result of a walk.

        :param files: the paths that it found.
        :param complaints: what it passed over.
        :param known: paths of the files that were read.
        """
        self._reasons = {path: why for path, why in self._reasons.items() if path in files}
        passed_over = {path: why for path, why in complaints if path not in known and not hides_nothing(why)}
        self._hidden = {path: why for path, why in passed_over.items() if store_of(path, self._stores)}
        suffixes = tuple({suffix for store in self._stores for suffix in store.unread_suffixes})
        self._compressed = frozenset([path for path in passed_over if path.endswith(suffixes)])
        self._folders = frozenset(passed_over.keys() - self._hidden.keys() - self._compressed)

    def failed(self, path: str, reason: str, *, is_known: bool) -> None:
        """Take note that a file could not be read.

        :param is_known: it is a session that was read before.
        """
        if is_known:
            self._unknown.discard(path)
        else:
            self._unknown.add(path)
        self._reasons[path] = reason

    def forget(self, paths: Iterable[str]) -> None:
        """Remove files that have been read, or no longer exist."""
        for path in paths:
            self._reasons.pop(path, None)

    def complaints(self) -> list[Complaint]:
        """(path, reason) of the files that were found by the walk and could not be read."""
        return [*self._reasons.items()]

    def counts(self) -> tuple[int, int]:
        """The number of compressed sessions, and the number of folders that could not be read."""
        return len(self._compressed), len(self._folders)

    def unread(self) -> dict[str, str]:
        """Path -> reason for the files that were never read: they may be sessions."""
        unknown = self._unknown.copy()
        refused = {path: why for path, why in self._reasons.copy().items() if path in unknown}
        return self._hidden | {path: why.removeprefix(f"{UNREADABLE}: ") for path, why in refused.items()}
