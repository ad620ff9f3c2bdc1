"""The hidden files that leafmark makes beside sessions, and what becomes of those that a kill leaves there.

There are two kinds. A **copy** is being prepared: `.copy-<pid>-<random>.leafmark`, a file or a folder; until
it gets its real name, everything in it is also somewhere else. A **kept** file is a session as it was before
it was rewritten: `.kept-<session>-<size>-<random>.leafmark`, a hard link. Another process that opened the
session just before may still append to it; what stands after its first `<size>` bytes belongs to the
session whose name has the digest `<session>`. Former versions named their copies `.<8 characters>.leafmark`.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import shutil
import stat

# The module itself: what `hashlib` adds is OpenSSL, which takes longer to load than many a file to read.
from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple

from app.stores.locks import is_alive

if TYPE_CHECKING:
    from collections.abc import Iterator

SUFFIX = ".leafmark"
COPY = "copy"
OLD_MS = 60 * 60_000
"""Milliseconds after which a copy is removed; to make one takes seconds."""

_COPY = re.compile(r"\.copy-(\d{1,9})-[0-9a-f]{8}\.leafmark")
_KEPT = re.compile(r"\.kept-([0-9a-f]{16})-(\d{1,18})-[0-9a-f]{8}\.leafmark")
_FORMER = re.compile(r"\.[a-z0-9_]{6,8}\.leafmark")
_MAKE = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)


class Temporary(NamedTuple):
    """A hidden file of ours.

    :param path: where it is, absolute.
    :param size: bytes; 0 of a folder.
    :param modified_ms: when it was last written to, milliseconds since the epoch.
    :param session: of a kept file, the digest of its session's name (`digest`); else "".
    :param rewritten: of a kept file, how many of its bytes the session has; else 0.
    :param is_folder: it is a copy of a folder.
    :param is_busy: the process that makes it still runs.
    """

    path: str
    size: int
    modified_ms: int
    session: str
    rewritten: int
    is_folder: bool
    is_busy: bool

    def is_old(self, now_ms: int) -> bool:
        """Whether it may be removed by its age."""
        return now_ms - self.modified_ms > OLD_MS and not self.is_busy


def copy_name(folder: str, kind: str = COPY) -> str:
    """A name in `folder` for a copy that this process prepares.

    :param kind: `COPY`; a file of another kind is neither reported nor removed.
    """
    return os.path.join(folder, f".{kind}-{os.getpid()}-{os.urandom(4).hex()}{SUFFIX}")


def kept_name(target: str, size: int) -> str:
    """A name beside the session `target` for what it was before it was rewritten.

    :param size: how many bytes of it the rewritten session has.
    """
    folder, name = os.path.split(target)
    return os.path.join(folder, f".kept-{digest(name)}-{size}-{os.urandom(4).hex()}{SUFFIX}")


def new_copy(folder: str, kind: str = COPY) -> tuple[int, str]:
    """A new, empty copy in `folder`, open for reading and writing, and its path.

    :param kind: see `copy_name`.
    :raises OSError: the system refused.
    """
    path = copy_name(folder, kind)
    return os.open(path, _MAKE, 0o600), path


def digest(name: str) -> str:
    """How a kept file names its session: that may be as long as a file's name can be."""
    return blake2b(os.fsencode(name), digest_size=8).hexdigest()


def temporaries(folder: str) -> Iterator[Temporary]:
    """The hidden files of ours in `folder`; none where it cannot be read."""
    with contextlib.suppress(OSError, ValueError), os.scandir(folder) as entries:
        for entry in entries:
            if not entry.name.endswith(SUFFIX):
                continue
            copy, kept = _COPY.fullmatch(entry.name), _KEPT.fullmatch(entry.name)
            if not (copy or kept or _FORMER.fullmatch(entry.name)):
                continue
            try:
                status = entry.stat(follow_symlinks=False)
            except OSError:
                continue
            is_file = stat.S_ISREG(status.st_mode)
            if not is_file and (kept or not stat.S_ISDIR(status.st_mode)):
                continue
            yield Temporary(
                entry.path,
                status.st_size if is_file else 0,
                status.st_mtime_ns // 1_000_000,
                kept[1] if kept else "",
                int(kept[2]) if kept else 0,
                not is_file,
                copy is not None and is_alive(int(copy[1])),
            )


def session_of(kept: Temporary) -> str:
    """The session beside a kept file that it belongs to; "" where that is gone."""
    folder = os.path.dirname(kept.path)
    try:
        names = os.listdir(folder)
    except OSError:
        return ""
    found = (name for name in names if not name.endswith(SUFFIX) and digest(name) == kept.session)
    return next((os.path.join(folder, name) for name in found), "")


def remove(temporary: Temporary) -> None:
    """Remove it; what cannot be removed stays and is reported again."""
    try:
        os.unlink(temporary.path)
    except IsADirectoryError:
        shutil.rmtree(temporary.path, ignore_errors=True)
    except OSError:
        pass


def carry_over(source: int, size: int, target: str, *, torn: bool) -> int:
    """Append to the session `target` the lines that stand in `source` after `size` bytes, in their order.

    A line that `target` has already is passed over. A line that begins before `size` is taken whole.

    :param source: a descriptor of the file as it was before `target` took its place.
    :param torn: also the last line, if it is unfinished; it gets a newline.
    :return: the size of `source` up to which all lines are in `target`.
    :raises OSError: they could not be written; `target` has none or all of them.
    """
    end = os.fstat(source).st_size
    if end <= size:
        return size
    data = _bytes(source, end)
    start = data.rfind(b"\n", 0, size) + 1
    if not torn:
        end = data.rfind(b"\n") + 1
        if end <= size:
            return size
    with open(target, "rb") as file:
        known = set(file.read().split(b"\n"))
    lines = [line + b"\n" for line in data[start:end].split(b"\n") if line and line not in known]
    if lines:
        _append(target, b"".join(lines))
    return end


def _append(target: str, data: bytes) -> None:
    descriptor = os.open(target, os.O_RDWR | os.O_APPEND | getattr(os, "O_BINARY", 0))
    try:
        before = os.fstat(descriptor).st_size
        if before and os.pread(descriptor, 1, before - 1) != b"\n":
            data = b"\n" + data
        append_whole(descriptor, data, before)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def append_whole(descriptor: int, data: bytes, before: int) -> None:
    """Append `data` in one write; of one that does not fit on the disk nothing stays.

    :param before: the size of the file.
    :raises OSError: it cannot be written.
    """
    written = os.write(descriptor, data)
    if written < len(data):
        # Half a line would hurt every reader. Bytes that another process appended after it stay.
        with contextlib.suppress(OSError):
            if os.fstat(descriptor).st_size == before + written:
                os.ftruncate(descriptor, before)
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def _bytes(descriptor: int, size: int) -> bytes:
    pieces, at = [], 0
    while at < size and (piece := os.pread(descriptor, size - at, at)):
        pieces.append(piece)
        at += len(piece)
    return b"".join(pieces)
