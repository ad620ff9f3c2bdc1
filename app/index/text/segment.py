"""Segments: files of packed pieces (`sessions.pieces`), each appended to by one process.

A segment's name is random and never used again. Whoever appends to it holds a lock on it, and adds to what is
there or not at all. What stands in it counts only where the catalog says so: a process that is killed leaves
bytes that nobody refers to, and nothing else.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from app.index.text.locks import FREE, TAKEN, lock
from app.paths import make_own_folders
from app.sessions.passages import MARK

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

Span = tuple[str, int, int]
"""A piece of a segment: its name, where the piece begins in it, and its length, both in bytes."""

Kept = tuple[Span, ...] | str | None
"""Where a text was put: nowhere, if it is empty. Or why it was not kept; None where nobody asked."""

SUFFIX = ".seg"

FULL_BYTES = 32 << 20
"""A segment is let go of when it is so large: what is moved at a time is bounded."""

SMALL_BYTES = 8 << 20
"""A segment that nobody appends to is taken on by the next process while it is smaller than this: there are
no more of them than there have been writers at once.
"""

_HAS_WRITEV = hasattr(os, "writev")  # not on Windows
_MOST_AT_ONCE = 1024
"""Linux and macOS take no more pieces than this with one call."""

_APPEND = os.O_RDWR | os.O_APPEND | getattr(os, "O_BINARY", 0)


class Vanished(Exception):
    """The file is not what we left: somebody deleted or changed it."""


def path_of(folder: str, name: str) -> str:
    return os.path.join(folder, name + SUFFIX)


def is_name(name: object) -> bool:
    """Whether it is a segment's: it is joined to a path, and comes from a file that may be damaged."""
    return isinstance(name, str) and len(name) == 16 and not name.strip("0123456789abcdef")


def begins_well(folder: str, name: str) -> bool:
    """Whether a segment holds pieces as far as its first bytes tell; one that cannot be read may."""
    from app.formats.lines import open_file

    def opener(path: str, _: int) -> int:
        return open_file(path)

    try:
        with open(path_of(folder, name), "rb", buffering=0, opener=opener) as file:
            return (file.read(len(MARK)) or MARK) == MARK
    except OSError:
        return True


def spoil(folder: str, name: str) -> None:
    """Delete a segment: what is in it is not what was written."""
    try:
        os.unlink(path_of(folder, name))
    except OSError:
        pass  # gone already, or out of reach


class Segment:
    """One file, open for appending and locked. Made by `make` or `adopt`."""

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
        """A new and empty one; the folder is made where it is not there.

        :raises OSError: it cannot be written.
        """
        while True:
            name = os.urandom(8).hex()
            make_own_folders(os.path.dirname(folder), folder)
            # What people say to their agents is nobody else's business.
            segment = cls._open(folder, name, _APPEND | os.O_CREAT | os.O_EXCL)
            # Somebody who tidies may have been faster.
            if segment is not None:
                return segment

    @classmethod
    def adopt(cls, folder: str, name: str, reach: int) -> Segment | None:
        """One that nobody appends to any more; None where it cannot be had.

        :param reach: how long it must be at least: a shorter one is damaged, and to append to it would put
            new text where a session's old text was.
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
            # Without locks only a new file is certain to be nobody else's.
            if (free == FREE or (free != TAKEN and flags & os.O_EXCL)) and os.fstat(descriptor).st_nlink:
                return cls(folder, name, descriptor)
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)
        return None

    def append(self, texts: Sequence[bytes]) -> list[Span]:
        """Add the texts, which are in the file when this returns; where each is.

        :raises Vanished: the file is gone, or shorter or longer than we left it.
        :raises OSError: they cannot be written; the file is as before.
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
        """Have the system put it on the disk.

        :raises OSError: it could not.
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
        """Delete the file, if it is still the one: what is in it is not what we wrote."""
        try:
            if os.stat(self._path).st_ino == self._inode:
                os.unlink(self._path)
        except OSError:
            pass  # gone already, or out of reach

    def close(self) -> None:
        """Let others have it."""
        os.close(self._descriptor)


class Writer:
    """Puts texts into segments of its own, one after the other. Nothing is written before the first text.

    why   None, or one line that says why nothing is kept any more
    """

    def __init__(self, folder: str, left: Callable[[], Iterable[tuple[str, int]]] | None = None) -> None:
        """:param left: names of segments that may be without an owner, each with the length it must have."""
        self.why: str | None = None
        self._folder = folder
        self._left = left
        self._segment: Segment | None = None

    def keep(self, text: bytes) -> tuple[Span, ...] | str:
        """Put a text away: its spans, or why it is not kept. Raises nothing."""
        return self.keep_all([text])[0]

    def keep_all(self, texts: Sequence[bytes]) -> list[tuple[Span, ...] | str]:
        """`keep` of each of them, all with one write: to a file, a megabyte costs less than half of what it
        costs in pieces.
        """
        said = [text for text in texts if text]
        if said and self.why is None:
            try:
                spans = iter(self._append(said))
            except OSError as error:
                # A disk that is full will not be asked again for each of ten thousand texts.
                self.why = f"the text of sessions is not kept: {self._folder}: {error.strerror or error}"
                self.close()
            else:
                return [(next(spans),) if text else () for text in texts]
        why = self.why or ""
        return [why if text else () for text in texts]

    def close(self) -> None:
        """Let go of the segment; the next text begins another."""
        if self._segment is not None:
            self._segment.close()
            self._segment = None

    def _append(self, texts: Sequence[bytes]) -> list[Span]:
        while True:
            segment = self._segment
            if segment is None:
                segment = self._segment = self._adopted() or Segment.make(self._folder)
            try:
                spans = segment.append(texts)
            except Vanished:
                segment.spoil()
                self.close()
                continue
            if segment.size >= FULL_BYTES:
                self.close()
            return spans

    def _adopted(self) -> Segment | None:
        for name, reach in self._left() if self._left else ():
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
    left = memoryview(b"".join(texts) if len(texts) > 1 else texts[0])[done:]
    while left:
        left = left[os.write(descriptor, left) :]
