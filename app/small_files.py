"""Small files: reading files that other programs write (settings, pins, notes), checking the paths in them,
replacing a file as a whole, and renaming one without overwriting another.

The path of such a file may lead to anything: a cloned repository may contain a link to a device, a named pipe
blocks for ever, and a sparse file may be longer than the memory. Such files are refused with a short reason.

The first frame loads this module, so it imports no heavy library.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

MAX_BYTES = 4 << 20
"""Bytes of the longest file that is read; no program writes that much into such a file."""

IRREGULAR = "not a regular file"

LONGEST_PATH = 4_096
"""Bytes of the longest path on Linux, with the NUL at its end (PATH_MAX)."""
LONGEST_NAME = 255
"""Characters of the longest name in a path; fewer on systems that count bytes."""

# Non-blocking, because a pipe may take the place of the file after the check.
_READ = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL

# of Linux: relative paths begin at the current folder, and nothing is replaced
_AT_FDCWD, _RENAME_NOREPLACE = -100, 1


def path_problem(value: object, encode: Callable[[str], bytes] = os.fsencode) -> str:
    """Why the value of a setting or a variable is no path, as the end of a sentence about the value.

    :param encode: raises UnicodeEncodeError for text that its source cannot contain: a variable may contain
        any bytes, JSON only whole characters (`str.encode`).
    :return: "" for a path, which need not exist.
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
    """The content of the file at `path`; links are followed.

    :param most: the most bytes that it may have.
    :raises FileNotFoundError, NotADirectoryError: it does not exist.
    :raises OSError: it is longer, is no regular file, or cannot be read; `strerror` says which, `filename` is
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
        remaining = most + 1
        while remaining > 0 and (part := os.read(descriptor, remaining)):
            parts.append(part)
            remaining -= len(part)
    except OSError as error:
        raise _with_path(error, path) from None
    finally:
        os.close(descriptor)
    if not remaining:
        raise _too_long(path, most)
    return b"".join(parts)


def replace_file(path: str, data: bytes, *, fsync: bool = False) -> None:
    """Replace a file as a whole, or not at all. The new file is written beside it first, so that other
    processes see the old file or the new one, never a mixture. Only this user may read it.

    :param path: in an existing folder. A link at the path is replaced, not followed.
    :param fsync: write the content to the disk before the file gets its name.
    :raises OSError: it cannot be written. The old file is unchanged, and no other file is left.
    """
    folder, name = os.path.split(path)
    # Hidden, so that a file that a killed process leaves is not taken for one of the folder's files.
    temporary = os.path.join(folder, f".{name}.{os.urandom(8).hex()}.tmp")
    descriptor = os.open(temporary, _CREATE, 0o600)
    try:
        with open(descriptor, "wb") as file:
            os.fchmod(descriptor, 0o600)  # whatever the umask takes away
            file.write(data)
            if fsync:
                file.flush()
                os.fsync(descriptor)
        os.replace(temporary, path)
    except BaseException:
        try:
            os.unlink(temporary)
        except OSError:
            pass  # the first error counts
        raise


def rename_exclusively(source: str, target: str) -> None:
    """Give the file or link at `source` the name `target`. Nothing is overwritten. A rename that was
    interrupted is completed.

    :raises FileExistsError: something else is at `target`.
    :raises OSError: the system refused, with EXDEV for another file system. The file keeps its old name.
    """
    try:
        if rename_at_once(source, target):
            return
        os.link(source, target, follow_symlinks=False)
    except FileExistsError:
        # An interrupted rename has made the new name and not removed the old one.
        if not os.path.samestat(os.lstat(source), os.lstat(target)):
            raise
    except OSError as error:
        if error.errno == errno.EXDEV:
            raise
        # A file system without hard links: an empty file of that name is made, and replaced.
        os.close(os.open(target, _CREATE, 0o600))
        try:
            os.replace(source, target)
        except OSError:
            os.unlink(target)
            raise
        return
    try:
        os.unlink(source)
    except OSError:
        os.unlink(target)
        raise


def rename_at_once(source: str, target: str) -> bool:
    """Rename a file or link in one call that overwrites nothing, so that it never has two names.

    :return: False: the system or the file system has no such call, and nothing was renamed.
    :raises OSError: the system refused, with EEXIST if something is at `target`.
    """
    function = _renameat2()
    if function is None:
        return False
    if not function(_AT_FDCWD, os.fsencode(source), _AT_FDCWD, os.fsencode(target), _RENAME_NOREPLACE):
        return True
    import ctypes  # as in `_renameat2`

    number = ctypes.get_errno()
    if number in (errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP):
        return False
    raise OSError(number, os.strerror(number), source, None, target)


@cache
def _renameat2() -> Callable[..., int] | None:
    """The function of the C library of Linux; None if it has none."""
    if sys.platform != "linux":
        return None
    import ctypes  # imported here because the first frame renames nothing

    try:
        function = ctypes.CDLL(None, use_errno=True).renameat2
    except (OSError, AttributeError):
        return None
    function.argtypes = (ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint)
    renameat2: Callable[..., int] = function
    return renameat2


def sync(path: str) -> None:
    """Write a file, or the names in a folder, to the disk, if the system can."""
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except OSError:
        return  # not every system opens folders
    try:
        os.fsync(descriptor)
    except OSError:
        pass
    finally:
        os.close(descriptor)


def refuse_link(path: str) -> None:
    """:raises OSError: a link is at `path`, which another user may have made to have its target written."""
    if os.path.islink(path):
        reason = f"{os.path.basename(path)} is a link, which leafmark does not follow here"
        raise OSError(errno.ELOOP, reason, path)


def check_regular(path: str, status: os.stat_result) -> None:
    """:raises OSError: `status` is not that of a regular file."""
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
    """The error with the path, which an error of a descriptor lacks."""
    return error if error.filename else OSError(error.errno, error.strerror, path)
