"""Small files: reading files that others write (settings, pins, notes), checking a path in one, and replacing
a file as a whole.

The path of such a file may lead to anything: a cloned repository brings links to devices, a named pipe blocks
for ever, a sparse file is longer than any memory. Such files are refused with a short reason.

The first frame loads this module, so it imports no heavy library.
"""

from __future__ import annotations

import errno
import os
import stat
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

MAX_BYTES = 4 << 20
"""Bytes. No program writes that much into such a file."""

IRREGULAR = "not a regular file"

LONGEST_PATH = 4_096
"""Bytes of a path, with the NUL at its end, that Linux takes (PATH_MAX)."""
LONGEST_NAME = 255
"""Characters of one name in a path; a system that counts bytes takes fewer."""

# Non-blocking, because a pipe may take the place of the file after the check.
_READ = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_BINARY", 0)
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)


def path_problem(value: object, encode: Callable[[str], bytes] = os.fsencode) -> str:
    """Why the value of a setting or a variable is no path, as the end of a sentence about it.

    :param encode: raises UnicodeEncodeError for text that the setting's file cannot hold. A variable may hold
        any bytes, JSON holds only whole characters (`str.encode`).
    :return: "" for a path. Nothing need be there.
    """
    if not isinstance(value, str):
        return "is not a path"
    if "\0" in value:
        return "has a NUL in it, which no path has"
    try:
        length = len(encode(value))
    except UnicodeEncodeError:
        return "has half a character in it, which no path has"
    if length >= LONGEST_PATH or max(map(len, value.split(os.sep))) > LONGEST_NAME:
        return "is longer than any path"
    return ""


def read_small(path: str, most: int = MAX_BYTES) -> bytes:
    """The whole of the file at `path`, links followed.

    :param most: bytes it may have.
    :raises FileNotFoundError, NotADirectoryError: it is not there.
    :raises OSError: it is longer, no regular file, or cannot be read; `strerror` says which, `filename` is
        the path.
    """
    try:
        # Before it is opened: opening some devices has an effect.
        _check(path, os.stat(path), most)
        descriptor = os.open(path, _READ)
    except ValueError:  # a NUL in a path that another program wrote
        raise OSError(errno.EINVAL, "not a path", path) from None
    try:
        _check(path, os.fstat(descriptor), most)
        parts = []
        left = most + 1
        while left > 0 and (part := os.read(descriptor, left)):
            parts.append(part)
            left -= len(part)
    except OSError as error:
        raise _with_path(error, path) from None
    finally:
        os.close(descriptor)
    if not left:
        raise _too_long(path, most)
    return b"".join(parts)


def replace_file(path: str, data: bytes, mode: int = 0o600, *, fsync: bool = False) -> None:
    """Replace a file as a whole, or not at all. The new file is written beside it first: other processes see
    the old file or the new one, and never a mixture.

    :param path: in a folder that is there. A link in its place is replaced, not followed.
    :param mode: of the new file, whatever that of the old one was; the umask takes its share.
    :param fsync: what is in it is on the disk before it has its name.
    :raises OSError: it cannot be written. The old file is as it was, and nothing else is left.
    """
    folder, name = os.path.split(path)
    # Hidden: if this process is killed, the rest is not taken for one of the folder's files.
    aside = os.path.join(folder, f".{name}.{os.urandom(8).hex()}.tmp")
    descriptor = os.open(aside, _CREATE, mode)
    try:
        with open(descriptor, "wb") as file:
            file.write(data)
            if fsync:
                file.flush()
                os.fsync(descriptor)
        os.replace(aside, path)
    except BaseException:
        try:
            os.unlink(aside)
        except OSError:
            pass  # the first error counts
        raise


def check_regular(path: str, status: os.stat_result) -> None:
    """:raises OSError: it is the status of something else than a regular file."""
    if stat.S_ISREG(status.st_mode):
        return
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    raise OSError(errno.EINVAL, IRREGULAR, path)


def _check(path: str, status: os.stat_result, most: int) -> None:
    check_regular(path, status)
    if status.st_size > most:
        raise _too_long(path, most)


def _too_long(path: str, most: int) -> OSError:
    return OSError(errno.EFBIG, f"longer than {most:,} bytes", path)


def _with_path(error: OSError, path: str) -> OSError:
    """The error with the path, which those of a descriptor lack."""
    return error if error.filename else OSError(error.errno, error.strerror, path)
