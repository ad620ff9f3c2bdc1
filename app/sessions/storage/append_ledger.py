"""What leafmark itself has added to session files: from that, nobody need conclude that an agent has the file
open (formats/README.md, "Detecting a running agent").

An append is noted before it is made: in which file, from where to where, and a digest of its bytes. A note is
believed only where those bytes stand in the file, so one of a write that never came to be, because the disk
was full, the process was killed or an agent was quicker, says nothing about what stands there instead.

Notes are kept in this process and, where it has said in which folder (`tell_others`), in a small file there,
for all others that look there as well. Where that cannot be written or read, the others know no better than
that somebody has written. A program that uses `SessionManager` alone leaves none: it may be an agent.
"""

from __future__ import annotations

import os
import stat

# The module itself: what `hashlib` adds is OpenSSL, which takes longer to load than many a file to read.
from hashlib import blake2b
from typing import TYPE_CHECKING

from app.formats.lines import open_file, read_at
from app.small_files import read_small

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    Note = tuple[int, int, str]
    """From where to where, and the digest of what was to stand there."""

NAME = "own-growth"
LONGEST = 32 << 10
"""Bytes of notes, some five hundred. Then the file is put aside, in place of the one before, and another is
begun: only what was written since somebody last looked matters, which is less than a second's.
"""

_ASIDE = ".old"
_LONGEST_LINE = 64 << 20
"""A guard against a damaged note, which would have us read much of a file."""
_KEPT = 1_000
"""So many notes are kept of each file that this process has added to."""
_DIGEST = 16
_TRIES = 3
_PATIENCE = 0.2
"""Seconds; it takes a moment, and the session is locked meanwhile."""
_INODE = 0x7FFF_FFFF_FFFF_FFFF
_APPEND = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)

_own: dict[int, list[Note]] = {}
_folder = ""


def tell_others(folder: str) -> None:
    """From now on, have what this process adds noted in `folder` as well, where it is there.

    :param folder: the cache folder; "" for nowhere.
    """
    global _folder
    _folder = folder


def adding(inode: int, start: int, line: bytes) -> None:
    """Note a write of ours that is about to put `line` at the end of a file, which is at `start`. Raises
    nothing.
    """
    inode &= _INODE
    note = (start, start + len(line), _digest(line))
    notes = _own.setdefault(inode, [])
    notes.append(note)
    del notes[:-_KEPT]
    if _folder:
        try:
            # A line of its own, also where the one before was not written to its end.
            _write(os.path.join(_folder, NAME), b"\n%d %d %d %b" % (inode, *note[:2], note[2].encode()))
        except (OSError, ValueError):
            pass  # then others will take it for an agent's


def added_here(inode: int) -> Sequence[Note]:
    """What this process itself has noted of that file."""
    return tuple(_own.get(inode & _INODE, ()))


def is_ours(path: str, inode: int, before: int, after: int, notes: Iterable[Note]) -> bool:
    """Whether nobody else has made the file at `path` grow from `before` bytes to `after`, by these notes."""
    wanted = sorted({note for note in notes if note[1] > before and note[0] < after})
    if not wanted or wanted[0][0] > before:
        return False
    try:
        descriptor = open_file(path)
    except (OSError, ValueError):
        return False
    try:
        if os.fstat(descriptor).st_ino & _INODE != inode & _INODE:
            return False
        at = before
        for start, end, digest in wanted:
            if start > at:
                break
            if end > at and _stands(descriptor, start, end, digest):
                at = end
        return at >= after
    except OSError:
        return False
    finally:
        os.close(descriptor)


class Others:
    """What all processes have noted in `folder`. Used by one thread."""

    def __init__(self, folder: str) -> None:
        self._path = os.path.join(folder, NAME)
        self._seen: tuple[int, int, int] | None = None
        self._notes: dict[int, list[Note]] = {}

    def look(self) -> None:
        """See whether there is more; only then is it read. Raises nothing."""
        try:
            status = os.stat(self._path)
            seen = (status.st_ino, status.st_size, status.st_mtime_ns)
        except (OSError, ValueError):
            seen = None
        if seen == self._seen:
            return
        self._seen = seen
        self._notes = {}
        # In this order: what is put aside in between is read twice, and not never.
        for path in (self._path, self._path + _ASIDE):
            try:
                lines = read_small(path, 4 * LONGEST).split(b"\n")
            except OSError:
                continue
            for line in lines:
                self._take(line)

    def of(self, inode: int) -> Sequence[Note]:
        """What was noted of that file, as far as it was there when we looked."""
        return self._notes.get(inode & _INODE, ())

    def _take(self, line: bytes) -> None:
        fields = line.split(b" ")
        # The last of the fields is the last that is written.
        if len(fields) != 4 or len(fields[3]) != 2 * _DIGEST:
            return
        try:
            inode, start, end = map(int, fields[:3])
            digest = fields[3].decode("ascii")
        except ValueError:
            return
        if 0 <= start < end <= start + _LONGEST_LINE:
            self._notes.setdefault(inode, []).append((start, end, digest))


def _digest(data: bytes) -> str:
    return blake2b(data, digest_size=_DIGEST).hexdigest()


def _stands(descriptor: int, start: int, end: int, digest: str) -> bool:
    data = read_at(descriptor, end - start, start)
    return len(data) == end - start and _digest(data) == digest


def _write(path: str, note: bytes) -> None:
    """Add a note, if there is room.

    :raises OSError: it cannot be written.
    """
    for _ in range(_TRIES):
        _make_room(path)
        descriptor = os.open(path, _APPEND, 0o600)
        try:
            status = os.fstat(descriptor)
            # Longer only where it could not be put aside.
            if stat.S_ISREG(status.st_mode) and status.st_size < LONGEST:
                os.write(descriptor, note)
        finally:
            os.close(descriptor)
        if os.stat(path).st_ino == status.st_ino:
            return
        # It was put aside in between: nobody would look there for more.


def _make_room(path: str) -> None:
    """Put the file aside when it is full."""
    try:
        if os.stat(path).st_size < LONGEST:
            return
        from app.stores.locks import FileLock

        # One at a time: the second would put an almost empty one in place of what was just put aside.
        with FileLock(path + ".lock", _PATIENCE):
            if os.stat(path).st_size >= LONGEST:
                os.replace(path, path + _ASIDE)
    except OSError:
        pass
