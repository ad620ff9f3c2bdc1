"""Segments: pairs of files with packed passages (`sessions.passages`), each appended to by one process.

One file has the folded texts, and the other one the texts as they are written. Both have the same size, and
an offset in one is the offset of the same passage in the other.

The name of a segment is random and never used again. The process that appends to it holds a lock on it, and
never changes earlier bytes. Only text with spans in the catalog counts: a process that is killed leaves at
most bytes without references.
"""

from __future__ import annotations

import errno
import fcntl
import os
from typing import TYPE_CHECKING

from app.formats.lines import open_file, read_all
from app.index.catalog.span_table import is_segment_name
from app.index.row import Span
from app.paths import make_own_folders
from app.sessions.passages import PackedText, is_intact

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

Kept = tuple[Span, ...] | str | None
"""The spans of a stored text, none for an empty text; or why it was not stored; or None if it was
not to be.
"""

FOLDED, WRITTEN = ".folded", ".written"
"""The suffixes of the two files of a segment. The lock of a segment is on the first."""

FULL_BYTES = 32 << 20
"""A segment of this size gets no more text, which limits the bytes that compaction copies at a time."""

SMALL_BYTES = 8 << 20
"""The size in bytes up to which a segment without a writer is adopted by the next writer. This limits the
number of small segments to that of simultaneous writers.
"""

ROOM_BYTES = 2 * FULL_BYTES + (64 << 20)
"""Free bytes on the disk without which no text is stored: a segment, and what is left to the catalog and to
other programs.
"""

_APPEND = os.O_RDWR | os.O_APPEND

FREE, TAKEN, UNKNOWN = "free", "taken", "unknown"
"""Results of `lock`: this process has the lock; another process has it; the system has no such locks."""


class Vanished(Exception):
    """The file was deleted or changed by another program."""


def path_of(folder: str, name: str, suffix: str = FOLDED) -> str:
    """The path of a file of a segment."""
    return os.path.join(folder, name + suffix)


def paths_of(folder: str, name: str) -> tuple[str, str]:
    """The paths of both files of a segment."""
    return path_of(folder, name), path_of(folder, name, WRITTEN)


def delete_files(folder: str, name: str) -> None:
    """Delete both files of a segment. A file that cannot be deleted now is deleted by a later compaction."""
    for path in paths_of(folder, name):
        try:
            os.unlink(path)
        except OSError:
            pass


class Segment:
    """A segment that is locked and open for appending; `make` and `adopt` return one.

    name   its name
    size   the size of each of its files in bytes
    """

    __slots__ = ("_descriptors", "_inodes", "_paths", "name", "size")

    def __init__(self, folder: str, name: str, descriptors: tuple[int, int]) -> None:
        """:param descriptors: of both files."""
        status = [os.fstat(descriptor) for descriptor in descriptors]
        self.name = name
        self.size = min(file.st_size for file in status)
        self._paths = paths_of(folder, name)
        self._inodes = [file.st_ino for file in status]
        self._descriptors = descriptors

    @classmethod
    def make(cls, folder: str) -> Segment:
        """A new, empty segment. The folder is created if necessary.

        :raises OSError: it cannot be created.
        """
        while True:
            name = os.urandom(8).hex()
            make_own_folders(os.path.dirname(folder), folder)
            segment = cls._open(folder, name, _APPEND | os.O_CREAT | os.O_EXCL)
            # None if another process that tidies has already deleted it.
            if segment is not None:
                return segment

    @classmethod
    def adopt(cls, folder: str, name: str, reach: int) -> Segment | None:
        """An existing segment without a writer; None if it cannot be used.

        :param reach: its minimum size in bytes. A shorter segment is damaged, and appending to it would put
            new text where the old text of a session was.
        """
        try:
            segment = cls._open(folder, name, _APPEND)
        except OSError:
            return None
        if segment is not None and not reach <= segment.size < SMALL_BYTES:
            segment.close()
            return None
        if segment is not None:
            segment._cut_to_size()
        return segment

    @classmethod
    def _open(cls, folder: str, name: str, flags: int) -> Segment | None:
        descriptors: list[int] = []
        try:
            descriptors.append(os.open(path_of(folder, name), flags, 0o600))
            free = lock(descriptors[0])
            # Without locks, only a new file certainly has no other writer.
            if (free == FREE or (free != TAKEN and flags & os.O_EXCL)) and os.fstat(descriptors[0]).st_nlink:
                descriptors.append(os.open(path_of(folder, name, WRITTEN), flags, 0o600))
                return cls(folder, name, (descriptors[0], descriptors[1]))
        except BaseException:
            _close(descriptors)
            raise
        _close(descriptors)
        return None

    def append(self, text: PackedText) -> Span:
        """Append a text to the files. Return its span.

        :raises Vanished: a file was deleted, or has another size than after the last append.
        :raises OSError: it cannot be written; the files are unchanged.
        """
        self._check()
        folded, written = self._descriptors
        try:
            _write(folded, text.folded)
            _write(written, text.written)
        except OSError:
            self._cut_to_size()
            raise
        span = (self.name, self.size, len(text.folded))
        self.size += len(text.folded)
        return span

    def sync(self) -> None:
        """Flush the files to the disk.

        :raises OSError: they cannot be flushed.
        """
        for descriptor in self._descriptors:
            os.fsync(descriptor)

    def _check(self) -> None:
        for path, inode in zip(self._paths, self._inodes, strict=True):
            try:
                status = os.stat(path)
            except FileNotFoundError as error:
                raise Vanished from error
            if status.st_ino != inode or status.st_size != self.size:
                raise Vanished

    def _cut_to_size(self) -> None:
        """Remove the bytes after `size`: a process may have been killed between the writes to both files."""
        for descriptor in self._descriptors:
            if os.fstat(descriptor).st_size > self.size:
                os.ftruncate(descriptor, self.size)

    def spoil(self) -> None:
        """Delete the files, whose content was changed, unless they have been replaced by other files."""
        for path, inode in zip(self._paths, self._inodes, strict=True):
            try:
                if os.stat(path).st_ino == inode:
                    os.unlink(path)
            except OSError:
                pass  # already deleted, or not accessible

    def close(self) -> None:
        """Close the files and release the lock."""
        _close(self._descriptors)


class Writer:
    """Stores texts in segments that it holds, one after the other. It creates no file before the first text.

    why   None, or one line that says why no more text is stored
    """

    def __init__(self, folder: str, adoptable: Callable[[], Iterable[tuple[str, int]]] | None = None) -> None:
        """:param adoptable: returns (name, minimum size) of segments that may have no writer."""
        self.why: str | None = None
        self._folder = folder
        self._adoptable = adoptable
        self._segment: Segment | None = None

    def keep(self, text: PackedText) -> tuple[Span, ...] | str:
        """Store a text. Returns its spans, or why it is not stored."""
        if not text.folded:
            return ()
        if self.why is None:
            try:
                return (self._append(text),)
            except OSError as error:
                # A full disk is not tried again for each of ten thousand texts.
                self.why = f"the text of sessions is not kept: {self._folder}: {error.strerror or error}"
                self.close()
        return self.why

    def close(self) -> None:
        """Close the segment; the next text begins another."""
        if self._segment is not None:
            self._segment.close()
            self._segment = None

    def _append(self, text: PackedText) -> Span:
        while True:
            segment = self._segment
            if segment is None:
                self._check_room()
                segment = self._segment = self._adopt() or Segment.make(self._folder)
            try:
                span = segment.append(text)
            except Vanished:
                segment.spoil()
                self.close()
                continue
            if segment.size >= FULL_BYTES:
                self.close()
            return span

    def _check_room(self) -> None:
        """:raises OSError: the disk has no room for a segment, or the folder cannot be created."""
        make_own_folders(os.path.dirname(self._folder), self._folder)
        disk = os.statvfs(self._folder)
        if disk.f_bavail * disk.f_frsize < ROOM_BYTES:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def _adopt(self) -> Segment | None:
        for name, reach in self._adoptable() if self._adoptable else ():
            segment = Segment.adopt(self._folder, name, reach)
            if segment is not None:
                return segment
        return None


def _write(descriptor: int, data: bytes) -> None:
    """:raises OSError: not all of it could be written."""
    remaining = memoryview(data)
    while remaining:
        remaining = remaining[os.write(descriptor, remaining) :]


def _close(descriptors: Iterable[int]) -> None:
    for descriptor in descriptors:
        os.close(descriptor)


def sizes_in(folder: str) -> dict[str, int]:
    """Name -> size in bytes of the segments in a folder, which is that of the shorter file; 0 if a file is
    missing. Empty if there is no folder.
    """
    files: dict[str, list[int]] = {}
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                name, suffix = os.path.splitext(entry.name)
                try:
                    if suffix in (FOLDED, WRITTEN) and is_segment_name(name) and entry.is_file():
                        files.setdefault(name, []).append(entry.stat().st_size)
                except OSError:
                    pass  # deleted meanwhile
    except OSError:
        pass
    return {name: min(sizes) if len(sizes) == 2 else 0 for name, sizes in files.items()}


def read_spans(folder: str, spans: Iterable[Span]) -> PackedText | None:
    """The packed passages of some spans, joined; None if any of them is missing or damaged."""
    spans = list(spans)
    copies = [_read_copy(folder, spans, suffix) for suffix in (FOLDED, WRITTEN)]
    return None if copies[0] is None or copies[1] is None else PackedText(copies[0], copies[1])


def _read_copy(folder: str, spans: Iterable[Span], suffix: str) -> bytes | None:
    parts = []
    descriptors: dict[str, int] = {}
    try:
        for name, start, length in spans:
            if name not in descriptors:
                descriptors[name] = open_file(path_of(folder, name, suffix))
            part = read_all(descriptors[name], length, start)
            if len(part) != length or not is_intact(part, 0, length, written=suffix == WRITTEN):
                return None
            parts.append(part)
    except OSError:
        return None
    finally:
        _close(descriptors.values())
    return b"".join(parts)


def lock(descriptor: int, *, shared: bool = False) -> str:
    """Try to lock an open file without waiting; a lock that this process holds is changed to this kind. The
    lock ends with the process.

    :param shared: other processes may hold a shared lock as well.
    :return: `FREE`, `TAKEN` or `UNKNOWN`. With `UNKNOWN`, the caller must not delete or move the file.
    """
    try:
        fcntl.flock(descriptor, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except BlockingIOError:
        return TAKEN
    except OSError:
        # Some network file systems have no locks.
        return UNKNOWN
    return FREE


def unlock(descriptor: int) -> None:
    """Release the lock; the file stays open."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_UN)
    except OSError:
        pass  # without locks there is nothing to release
