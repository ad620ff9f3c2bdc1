"""Segments: files of packed passages (`sessions.passages`), each appended to by one process.

The name of a segment is random and never used again. The process that appends to it holds a lock on it, and
never changes earlier bytes. Only text with spans in the catalog counts: a process that is killed leaves at
most bytes without references.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from app.formats.lines import open_file
from app.index.catalog.span_table import is_segment_name
from app.index.row import Span
from app.paths import make_own_folders
from app.sessions.passages import MARK

try:
    import fcntl
except ImportError:  # not on Windows
    fcntl = None  # type: ignore[assignment]

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

Kept = tuple[Span, ...] | str | None
"""The spans of a stored text, none for an empty text; or why it was not stored; or None if it was
not to be.
"""

SUFFIX = ".seg"

FULL_BYTES = 32 << 20
"""A segment of this size gets no more text, which limits the bytes that compaction copies at a time."""

SMALL_BYTES = 8 << 20
"""The size in bytes up to which a segment without a writer is adopted by the next writer. This limits the
number of small segments to that of simultaneous writers.
"""

_HAS_WRITEV = hasattr(os, "writev")  # not on Windows
_MOST_AT_ONCE = 1024
"""The most buffers that Linux and macOS accept in one call."""

_APPEND = os.O_RDWR | os.O_APPEND | getattr(os, "O_BINARY", 0)


FREE, TAKEN, UNKNOWN = "free", "taken", "unknown"
"""Results of `lock`: this process has the lock; another process has it; the system has no such locks."""


class Vanished(Exception):
    """The file was deleted or changed by another program."""


def path_of(folder: str, name: str) -> str:
    """The path of a segment."""
    return os.path.join(folder, name + SUFFIX)


def begins_well(folder: str, name: str) -> bool:
    """Whether the first bytes of a segment are those of a passage; True if it cannot be read."""

    def opener(path: str, _: int) -> int:
        return open_file(path)

    try:
        with open(path_of(folder, name), "rb", buffering=0, opener=opener) as file:
            return (file.read(len(MARK)) or MARK) == MARK
    except OSError:
        return True


def spoil(folder: str, name: str) -> None:
    """Delete a segment whose content was changed by another program."""
    try:
        os.unlink(path_of(folder, name))
    except OSError:
        pass  # already deleted, or not accessible


class Segment:
    """A segment that is locked and open for appending; `make` and `adopt` return one.

    name   its name
    size   its size in bytes
    """

    __slots__ = ("_descriptor", "_inode", "_path", "name", "size")

    def __init__(self, folder: str, name: str, descriptor: int) -> None:
        status = os.fstat(descriptor)
        self.name = name
        self.size = status.st_size
        self._path = path_of(folder, name)
        self._inode = status.st_ino
        self._descriptor = descriptor

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
        return segment

    @classmethod
    def _open(cls, folder: str, name: str, flags: int) -> Segment | None:
        descriptor = os.open(path_of(folder, name), flags, 0o600)
        try:
            free = lock(descriptor)
            # Without locks, only a new file certainly has no other writer.
            if (free == FREE or (free != TAKEN and flags & os.O_EXCL)) and os.fstat(descriptor).st_nlink:
                return cls(folder, name, descriptor)
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)
        return None

    def append(self, texts: Sequence[bytes]) -> list[Span]:
        """Append the texts to the file.

        :return: the span of each text.
        :raises Vanished: the file was deleted, or has another size than after the last append.
        :raises OSError: they cannot be written; the file is unchanged.
        """
        self._check()
        try:
            _write(self._descriptor, texts)
        except OSError:
            os.ftruncate(self._descriptor, self.size)
            raise
        spans = []
        for text in texts:
            spans.append((self.name, self.size, len(text)))
            self.size += len(text)
        return spans

    def sync(self) -> None:
        """Flush the file to the disk.

        :raises OSError: it cannot be flushed.
        """
        os.fsync(self._descriptor)

    def _check(self) -> None:
        try:
            status = os.stat(self._path)
        except FileNotFoundError as error:
            raise Vanished from error
        if status.st_ino != self._inode or status.st_size != self.size:
            raise Vanished

    def spoil(self) -> None:
        """Delete the file, whose content was changed, unless it has been replaced by another file."""
        try:
            if os.stat(self._path).st_ino == self._inode:
                os.unlink(self._path)
        except OSError:
            pass  # already deleted, or not accessible

    def close(self) -> None:
        """Close the file and release its lock."""
        os.close(self._descriptor)


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

    def keep(self, text: bytes) -> tuple[Span, ...] | str:
        """Store a text. Returns its spans, or why it is not stored."""
        return self.keep_all([text])[0]

    def keep_all(self, texts: Sequence[bytes]) -> list[tuple[Span, ...] | str]:
        """Store several texts with one write, which takes less than half the time of single writes."""
        non_empty = [text for text in texts if text]
        if non_empty and self.why is None:
            try:
                spans = iter(self._append(non_empty))
            except OSError as error:
                # A full disk is not tried again for each of ten thousand texts.
                self.why = f"the text of sessions is not kept: {self._folder}: {error.strerror or error}"
                self.close()
            else:
                return [(next(spans),) if text else () for text in texts]
        why = self.why or ""
        return [why if text else () for text in texts]

    def close(self) -> None:
        """Close the segment; the next text begins another."""
        if self._segment is not None:
            self._segment.close()
            self._segment = None

    def _append(self, texts: Sequence[bytes]) -> list[Span]:
        while True:
            segment = self._segment
            if segment is None:
                segment = self._segment = self._adopt() or Segment.make(self._folder)
            try:
                spans = segment.append(texts)
            except Vanished:
                segment.spoil()
                self.close()
                continue
            if segment.size >= FULL_BYTES:
                self.close()
            return spans

    def _adopt(self) -> Segment | None:
        for name, reach in self._adoptable() if self._adoptable else ():
            segment = Segment.adopt(self._folder, name, reach)
            if segment is not None:
                return segment
        return None


def _write(descriptor: int, texts: Sequence[bytes]) -> None:
    """:raises OSError: not all of it could be written."""
    done = 0
    if _HAS_WRITEV and 1 < len(texts) <= _MOST_AT_ONCE:
        done = os.writev(descriptor, texts)
        if done == sum(map(len, texts)):
            return
    remaining = memoryview(b"".join(texts) if len(texts) > 1 else texts[0])[done:]
    while remaining:
        remaining = remaining[os.write(descriptor, remaining) :]


def sizes_in(folder: str) -> dict[str, int]:
    """Name -> size in bytes of the segments in a folder; empty if there is no folder."""
    sizes = {}
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                name = entry.name.removesuffix(SUFFIX)
                try:
                    if name != entry.name and is_segment_name(name) and entry.is_file():
                        sizes[name] = entry.stat().st_size
                except OSError:
                    pass  # deleted meanwhile
    except OSError:
        pass
    return sizes


def read_spans(folder: str, spans: Iterable[Span]) -> bytes | None:
    """The bytes of some spans, joined; None if any of them is missing."""
    parts = []
    descriptors: dict[str, int] = {}
    try:
        for name, start, length in spans:
            if name not in descriptors:
                descriptors[name] = open_file(path_of(folder, name))
            part = _read(descriptors[name], start, length)
            if len(part) != length:
                return None
            parts.append(part)
    except OSError:
        return None
    finally:
        for descriptor in descriptors.values():
            os.close(descriptor)
    return b"".join(parts)


def _read(descriptor: int, start: int, length: int) -> bytes:
    """Up to `length` bytes; a single system call returns at most two gigabytes."""
    data = os.pread(descriptor, length, start)
    while data and len(data) < length:
        part = os.pread(descriptor, length - len(data), start + len(data))
        if not part:
            break
        data += part
    return data


def lock(descriptor: int, *, shared: bool = False) -> str:
    """Try to lock an open file without waiting; a lock that this process holds is changed to this kind. The
    lock ends with the process.

    :param shared: other processes may hold a shared lock as well.
    :return: `FREE`, `TAKEN` or `UNKNOWN`. With `UNKNOWN`, the caller must not delete or move the file.
    """
    if fcntl is None:
        return UNKNOWN
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
    if fcntl is not None:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_UN)
        except OSError:
            pass  # without locks there is nothing to release
