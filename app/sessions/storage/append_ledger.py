"""A ledger of leafmark's own appends to session files, so that they are not taken for those of a running
agent (formats/README.md, "Detecting a running agent").

An append is noted before it is made: the file, the offsets of its start and end, and a digest of its bytes. A
note counts only if those bytes are in the file. The note of a write that did not happen, because the disk
was full, the process was killed or an agent was faster, says nothing about the bytes that are there instead.

Notes are kept in this process and, in a folder that `share_notes` names, in a small file for other processes
that use the same folder. If that file cannot be written or read, the others only see that the session grew. A
program that uses `SessionManager` alone leaves no notes: it may be an agent.
"""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

from app.formats.lines import open_file, read_at
from app.small_files import read_small
from app.stores.locks import file_lock

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    Note = tuple[int, int, str]
    """The offsets of start and end, and the digest of the bytes between them."""

NAME = "own-growth"
MAX_BYTES = 32 << 10
"""Bytes of notes, about 500 of them. A full file is renamed, replacing the previous one, and a new one is
begun: only the notes since the last check are needed, which is less than a second.
"""

_PREVIOUS = ".old"
_MAX_APPEND = 64 << 20
"""Bytes of one append. A damaged note may claim more, and would have most of a file read."""
_MAX_NOTES = 1_000
"""Notes that are kept of each file that this process has appended to."""
_DIGEST_BYTES = 16
_MAX_ATTEMPTS = 3
_LOCK_WAIT = 0.2
"""Seconds to wait for the lock; the session is locked meanwhile."""
_INODE_MASK = 0x7FFF_FFFF_FFFF_FFFF
_APPEND = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NONBLOCK

_notes: dict[int, list[Note]] = {}
_folder = ""


def share_notes(folder: str) -> None:
    """From now on, also write the notes of this process to `folder`, if it exists.

    :param folder: the cache folder; "" for none.
    """
    global _folder
    _folder = folder


def note_append(inode: int, start: int, line: bytes) -> None:
    """Note that this process is about to append `line` to a file of `start` bytes. Raises nothing."""
    inode &= _INODE_MASK
    note = (start, start + len(line), _digest(line))
    notes = _notes.setdefault(inode, [])
    notes.append(note)
    del notes[:-_MAX_NOTES]
    if _folder:
        try:
            # It begins with a newline, because the line before may be unfinished.
            _write(os.path.join(_folder, NAME), b"\n%d %d %d %b" % (inode, *note[:2], note[2].encode()))
        except (OSError, ValueError):
            pass  # other processes will take the append for an agent's


def own_notes(inode: int) -> Sequence[Note]:
    """Return the notes of this process about that file."""
    return tuple(_notes.get(inode & _INODE_MASK, ()))


def is_ours(path: str, inode: int, before: int, after: int, notes: Iterable[Note]) -> bool:
    """Return whether `notes` explain that the file at `path` grew from `before` to `after` bytes."""
    relevant = sorted({note for note in notes if note[1] > before and note[0] < after})
    if not relevant or relevant[0][0] > before:
        return False
    try:
        descriptor = open_file(path)
    except (OSError, ValueError):
        return False
    try:
        if os.fstat(descriptor).st_ino & _INODE_MASK != inode & _INODE_MASK:
            return False
        offset = before
        for start, end, digest in relevant:
            if start > offset:
                break
            if end > offset and _is_in_file(descriptor, start, end, digest):
                offset = end
        return offset >= after
    except OSError:
        return False
    finally:
        os.close(descriptor)


class SharedNotes:
    """The notes that all processes have written to `folder`. For one thread."""

    def __init__(self, folder: str) -> None:
        self._path = os.path.join(folder, NAME)
        self._signature: tuple[int, int, int] | None = None
        self._notes: dict[int, list[Note]] = {}

    def refresh(self) -> None:
        """Read the notes again if the file has changed. Raises nothing."""
        try:
            status = os.stat(self._path)
            signature = (status.st_ino, status.st_size, status.st_mtime_ns)
        except (OSError, ValueError):
            signature = None
        if signature == self._signature:
            return
        self._signature = signature
        self._notes = {}
        # In this order, a file that is renamed in between is read twice instead of never.
        for path in (self._path, self._path + _PREVIOUS):
            try:
                lines = read_small(path, 4 * MAX_BYTES).split(b"\n")
            except OSError:
                continue
            for line in lines:
                self._add(line)

    def of(self, inode: int) -> Sequence[Note]:
        """Return the notes about that file, as of the last refresh."""
        return self._notes.get(inode & _INODE_MASK, ())

    def _add(self, line: bytes) -> None:
        fields = line.split(b" ")
        # The digest is written last, so that a note with a whole digest is whole.
        if len(fields) != 4 or len(fields[3]) != 2 * _DIGEST_BYTES:
            return
        try:
            inode, start, end = map(int, fields[:3])
            digest = fields[3].decode("ascii")
        except ValueError:
            return
        if 0 <= start < end <= start + _MAX_APPEND:
            self._notes.setdefault(inode, []).append((start, end, digest))


def _digest(data: bytes) -> str:
    from hashlib import blake2b  # imported here: it loads OpenSSL, and most runs write nothing

    return blake2b(data, digest_size=_DIGEST_BYTES).hexdigest()


def _is_in_file(descriptor: int, start: int, end: int, digest: str) -> bool:
    data = read_at(descriptor, end - start, start)
    return len(data) == end - start and _digest(data) == digest


def _write(path: str, note: bytes) -> None:
    """Append a note, if there is room.

    :raises OSError: it cannot be written.
    """
    for _ in range(_MAX_ATTEMPTS):
        _make_room(path)
        descriptor = os.open(path, _APPEND, 0o600)
        try:
            status = os.fstat(descriptor)
            # The file is longer only if it could not be renamed.
            if stat.S_ISREG(status.st_mode) and status.st_size < MAX_BYTES:
                os.write(descriptor, note)
        finally:
            os.close(descriptor)
        if os.stat(path).st_ino == status.st_ino:
            return
        # The file was renamed in between, and readers do not expect new notes there.


def _make_room(path: str) -> None:
    """Rename the file if it is full."""
    try:
        if os.stat(path).st_size < MAX_BYTES:
            return
        # One process at a time: a second one would replace the file just renamed by an almost empty one.
        with file_lock(path + ".lock", _LOCK_WAIT):
            if os.stat(path).st_size >= MAX_BYTES:
                os.replace(path, path + _PREVIOUS)
    except OSError:
        pass
