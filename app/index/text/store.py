"""The text store: the texts of all sessions, so that a search need not read their files."""

from __future__ import annotations

import os
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from app.index.catalog.span_table import (
    LARGE_SPAN,
    MOST_SPANS,
    copy_from,
    joined,
    paths_with,
    paths_without,
    segments,
)
from app.index.text.compaction import compact, victims
from app.index.text.segment import (
    FREE,
    ROOM_BYTES,
    SMALL_BYTES,
    TAKEN,
    Writer,
    lock,
    read_spans,
    sizes_in,
    unlock,
)
from app.paths import make_own_folders

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from threading import Event

    from app.index.catalog.catalog import Catalog
    from app.index.catalog.span_table import Usage
    from app.index.row import Signature, Span
    from app.index.text.segment import Kept
    from app.sessions.passages import PackedText

LOCK = "lock"
"""The name of the lock file in the folder of the segments."""

_PATIENCE_SECONDS = 2.0
_RETRY_SECONDS = 0.01
"""Seconds to wait for another process that tidies, and seconds between two attempts."""

_SHARE = 0.25
"""Estimated size of the text store, as a share of the size of the sessions."""


class TextStore:
    """The texts of the sessions in `catalog`. Only the thread that scans uses it. It locks segments until
    `close`.

    folder      the folder of the segments
    note        one line that says why texts are not stored, else None
    is_untidy   whether the last `lost` was the first to find garbage that is worth a `tidy`
    """

    def __init__(self, catalog: Catalog) -> None:
        self.folder = catalog.text_folder
        self.note: str | None = None
        self.is_untidy = False
        self._catalog = catalog
        self._writer = Writer(self.folder, self._adoptable)
        self._lock = -1
        self._retried = False
        self._forgotten = catalog.forgotten
        self._was_untidy = False

    @property
    def keep(self) -> Callable[[PackedText], Kept] | None:
        """The function that stores a text (`Writer.keep`); None if the catalog cannot store its spans."""
        return None if self._catalog.in_memory else self._writer.keep

    @contextmanager
    def writing(self) -> Iterator[None]:
        """While texts are stored whose spans are not yet in the catalog, no process deletes or moves
        segments.
        """
        is_locked = self._acquire()
        try:
            yield
        finally:
            if is_locked:
                self._release()

    def spans(self, before: Iterable[Span] | None, kept: Kept) -> tuple[Span, ...] | None:
        """The spans of a session's text; None if a part of it is not stored.

        :param before: the spans of the earlier text; none if the file was read whole.
        :param kept: the result of `keep` for the new text.
        """
        if isinstance(kept, str):
            self.note = self.note or kept
            return None
        if kept is None or before is None:
            return None
        spans = joined((*before, *kept))
        # The parts of a long text stay where they are.
        large = next((number for number in range(len(spans), 0, -1) if spans[number - 1][2] >= LARGE_SPAN), 0)
        if len(spans) - large <= MOST_SPANS:
            return spans
        first = large + copy_from(spans[large:])
        data = read_spans(self.folder, spans[first:])
        if data is None:
            return None
        copied = self._writer.keep(data)
        # If the copy cannot be stored, the single spans stay valid.
        return spans if isinstance(copied, str) else joined((*spans[:first], *copied))

    def lost(self, files: Mapping[str, tuple[Signature, object]]) -> set[str]:
        """The paths of sessions whose text is missing, so that their files have to be read again.

        :param files: the existing files, as a walk found them.
        """
        if self._catalog.in_memory:
            return set()
        lost = self._catalog.read(self._damaged)
        self._catalog.found_damage(lost)
        if not self._retried or self._forgotten != self._catalog.forgotten:
            # Storing missing texts is tried again once, because the disk may have room again.
            self._retried = True
            self._forgotten = self._catalog.forgotten
            without = self._catalog.read(
                lambda connection: paths_without(connection, self._catalog.ids(connection))
            )
            missing = without & files.keys()
            if missing and self._has_room(sum([files[path][0][1] for path in missing])):
                lost |= missing
        return lost

    def tidy(self, stop: Event) -> None:
        """Delete garbage, unless another process is writing.

        :param stop: set by another thread to end soon.
        """
        self.is_untidy = False
        if self._catalog.in_memory or not os.path.isdir(self.folder) or not self._acquire(alone=True):
            return
        try:
            # The segment of this process may have garbage as well. If it is not deleted, it is adopted again.
            self._writer.close()
            compact(self.folder, self._catalog, stop)
        finally:
            self._release()

    def close(self) -> None:
        """Release all locks, after the catalog is closed."""
        self._writer.close()
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1

    def _acquire(self, alone: bool = False) -> bool:
        """Take the lock of the folder, shared or alone. False if another process holds it, or there can be no
        lock.
        """
        try:
            if self._lock < 0:
                if self._catalog.in_memory:
                    return False
                make_own_folders(os.path.dirname(self.folder), self.folder)
                self._lock = os.open(os.path.join(self.folder, LOCK), os.O_RDWR | os.O_CREAT, 0o600)
        except OSError:
            # Storing the first text will report why.
            return False
        state = lock(self._lock, shared=not alone)
        if state == TAKEN and not alone:
            # Another process tidies. If it takes longer, it may delete new text, whose file is read again.
            until = time.monotonic() + _PATIENCE_SECONDS
            while state == TAKEN and time.monotonic() < until:
                time.sleep(_RETRY_SECONDS)
                state = lock(self._lock, shared=True)
        return state == FREE

    def _release(self) -> None:
        if self._catalog.is_behind:
            # Other processes would delete texts whose spans are not in the catalog yet.
            lock(self._lock, shared=True)
        else:
            unlock(self._lock)

    def _adoptable(self) -> list[tuple[str, int]]:
        """(name, minimum size in bytes) of small segments. Adopting one fails if its writer is running."""
        usage = self._catalog.read(segments)
        small = [
            (usage[name].reach, name)
            for name, size in sizes_in(self.folder).items()
            if name in usage and size < SMALL_BYTES
        ]
        return [(name, reach) for reach, name in sorted(small)]

    def _damaged(self, connection: sqlite3.Connection) -> set[str]:
        """The paths of the sessions with text in missing or shortened segments."""
        sizes = sizes_in(self.folder)
        usage = segments(connection)
        # Only once, because without room for a copy each scan would try again in vain.
        self.is_untidy = not self._was_untidy and _is_worth_tidying(usage, sizes)
        self._was_untidy = self._was_untidy or self.is_untidy
        damaged = {name for name, used in usage.items() if sizes.get(name, -1) < used.reach}
        if not damaged:
            return set()
        return paths_with(
            connection,
            self._catalog.ids(connection),
            lambda spans: any(
                name in damaged and start + length > sizes.get(name, -1) for name, start, length in spans
            ),
        )

    def _has_room(self, size: int) -> bool:
        """Whether the disk has room for the text of sessions with this many bytes."""
        try:
            make_own_folders(os.path.dirname(self.folder), self.folder)
            disk = os.statvfs(self.folder)
        except OSError:
            return False
        writable = os.access(self.folder, os.W_OK)
        return writable and disk.f_bavail * disk.f_frsize > size * _SHARE + ROOM_BYTES


def damage_note(count: int) -> str:
    """The sentence about sessions whose stored text was missing or damaged.

    :param count: how many, at least 1.
    """
    if count == 1:
        return "the cached text of a session was damaged: its file was read again"
    return f"the cached text of {count:,} sessions was damaged: their files were read again"


def _is_worth_tidying(usage: Mapping[str, Usage], sizes: Mapping[str, int]) -> bool:
    return not sizes.keys() <= usage.keys() or bool(victims(usage, sizes))
