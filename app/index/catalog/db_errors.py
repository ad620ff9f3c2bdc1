"""Errors of the catalog's database: which of SQLite's errors mean what, and their reasons in the system's
words.
"""

from __future__ import annotations

import errno
import os
import sqlite3

BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
"""Another process holds a lock."""

UNUSABLE = (
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_NOMEM,
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_READONLY,
)
"""The disk or its permissions are the problem, and not the content of the file: a new file would not help."""

_NOT_OPENED = (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_READONLY)

_DISK_IS_FULL_BYTES = 64 << 10
"""SQLite allocates half as much at a time, and reports an I/O error if it cannot."""


class Doubt(Exception):
    """The content of the file is not what this version wrote."""


class OtherVersion(Doubt):
    """The file was written by another version."""


class Busy(Exception):
    """Another process holds the lock."""


def code_of(error: BaseException) -> int:
    """SQLite's primary result code; 0 for other errors. A file that is too short counts as damaged, because
    its disk works.
    """
    code = getattr(error, "sqlite_errorcode", 0)
    return sqlite3.SQLITE_CORRUPT if code == sqlite3.SQLITE_IOERR_SHORT_READ else code & 0xFF


def is_full(path: str, error: Exception) -> bool:
    """Whether `error`, which occurred while the file at `path` was written, means that its disk is full."""
    code = code_of(error)
    if code != sqlite3.SQLITE_IOERR:
        return code == sqlite3.SQLITE_FULL
    try:
        disk = os.statvfs(os.path.dirname(path))
    except OSError:
        return False
    return disk.f_bavail * disk.f_frsize < _DISK_IS_FULL_BYTES


def reason(path: str, error: Exception) -> str:
    """The reason for `error`, which occurred while the file at `path` was opened or written.

    The file is not opened here, because closing it would release SQLite's locks on it.
    """
    if is_full(path, error):
        return "database or disk is full"
    folder = os.path.dirname(path)
    if code_of(error) in _NOT_OPENED and os.path.isdir(folder):
        if os.statvfs(folder).f_flag & os.ST_RDONLY:
            return os.strerror(errno.EROFS)
        # SQLite writes other files in the same folder.
        if not (os.access(path, os.W_OK) and os.access(folder, os.W_OK)):
            return os.strerror(errno.EACCES)
    return str(error)
