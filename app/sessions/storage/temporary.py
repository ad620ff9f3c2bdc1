"""Make hidden files beside sessions, and clear up those that a killed process left.

There are two kinds. A **copy** is being prepared: `.copy-<pid>-<random>.leafmark`, a file or a folder. Until
it gets its real name, everything in it is also somewhere else. A **kept** file is a session as it was before
it was rewritten: `.kept-<session>-<size>-<random>.leafmark`, a hard link. Another process that opened the
session just before may still append to it; the bytes after its first `<size>` belong to the session whose
name has the digest `<session>`.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import shutil
import stat
from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple

from app.formats.lines import read_all
from app.stores.locks import is_alive

if TYPE_CHECKING:
    from collections.abc import Iterator

SUFFIX = ".leafmark"
OLD_MS = 60 * 60_000
"""Milliseconds after which a copy is removed; making one takes seconds."""

_COPY = re.compile(r"\.copy-(\d{1,9})-[0-9a-f]{8}\.leafmark")
_KEPT = re.compile(r"\.kept-([0-9a-f]{16})-(\d{1,18})-[0-9a-f]{8}\.leafmark")
_CREATE = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC


class Temporary(NamedTuple):
    """A hidden file that leafmark made.

    :param path: its path, absolute.
    :param size: bytes; 0 for a folder.
    :param modified_ms: its modification time, milliseconds since the epoch.
    :param session: for a kept file, the digest of its session's name (`digest`); else "".
    :param rewritten: for a kept file, the number of its bytes that the session has; else 0.
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
        """Whether it is old enough to be removed."""
        return now_ms - self.modified_ms > OLD_MS and not self.is_busy


def copy_name(folder: str, kind: str = "copy") -> str:
    """Return a path in `folder` for a copy that this process prepares.

    :param kind: a file of another kind than "copy" is neither reported nor removed.
    """
    return os.path.join(folder, f".{kind}-{os.getpid()}-{os.urandom(4).hex()}{SUFFIX}")


def kept_name(target: str, size: int) -> str:
    """Return a path beside the session `target` for its file before a rewrite.

    :param size: the number of its bytes that the rewritten session has.
    """
    folder, name = os.path.split(target)
    return os.path.join(folder, f".kept-{digest(name)}-{size}-{os.urandom(4).hex()}{SUFFIX}")


def new_copy(folder: str) -> tuple[int, str]:
    """Make a new, empty copy in `folder`; return its descriptor, open for reading and writing, and its path.

    :raises OSError: the system refused.
    """
    path = copy_name(folder)
    return os.open(path, _CREATE, 0o600), path


def digest(name: str) -> str:
    """Return the digest of a session's file name, which a kept file has in its name: the name itself may be
    as long as a file's name can be.
    """
    return blake2b(os.fsencode(name), digest_size=8).hexdigest()


def temporaries(folder: str) -> Iterator[Temporary]:
    """Yield the hidden files in `folder` that leafmark made; none if it cannot be read."""
    with contextlib.suppress(OSError, ValueError), os.scandir(folder) as entries:
        for entry in entries:
            if not entry.name.endswith(SUFFIX):
                continue
            copy, kept = _COPY.fullmatch(entry.name), _KEPT.fullmatch(entry.name)
            if not (copy or kept):
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
    """Return the path of the session that a kept file belongs to; "" if it is gone."""
    folder = os.path.dirname(kept.path)
    try:
        names = os.listdir(folder)
    except OSError:
        return ""
    matching = (name for name in names if not name.endswith(SUFFIX) and digest(name) == kept.session)
    return next((os.path.join(folder, name) for name in matching), "")


def remove(temporary: Temporary) -> None:
    """Remove it. A file that cannot be removed stays and is reported again."""
    try:
        os.unlink(temporary.path)
    except IsADirectoryError:
        shutil.rmtree(temporary.path, ignore_errors=True)
    except OSError:
        pass


def carry_over(source: int, size: int, target: str, *, torn: bool) -> int:
    """Append to the session `target` the lines in `source` after its first `size` bytes, in their order.

    A line that `target` has already is skipped. A line that begins before `size` is taken whole.

    :param source: a descriptor of the file as it was before `target` took its place.
    :param torn: also append the last line if it is unfinished; it gets a newline.
    :return: the size of `source` up to which all lines are in `target`.
    :raises OSError: they could not be written; `target` has none or all of them.
    """
    end = os.fstat(source).st_size
    if end <= size:
        return size
    data = read_all(source, end, 0)
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
    descriptor = os.open(target, os.O_RDWR | os.O_APPEND)
    try:
        before = os.fstat(descriptor).st_size
        if before and os.pread(descriptor, 1, before - 1) != b"\n":
            data = b"\n" + data
        append_whole(descriptor, data, before)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def append_whole(descriptor: int, data: bytes, before: int) -> None:
    """Append `data` in one write. If it does not fit on the disk, none of it stays.

    :param before: the size of the file.
    :raises OSError: it cannot be written.
    """
    written = os.write(descriptor, data)
    if written < len(data):
        # Half a line would be damage to every reader.
        cut_off(descriptor, before, written)
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def cut_off(descriptor: int, size: int, written: int) -> None:
    """Cut off the `written` bytes of this process after the first `size`, unless another one has appended
    after them. Raises nothing.
    """
    with contextlib.suppress(OSError):
        if os.fstat(descriptor).st_size == size + written:
            os.ftruncate(descriptor, size)
